package pades_test

import (
	"errors"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf/pdftest"
)

func TestLatestTimestampIsThatOfTheFieldsAskedFor(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "First"}, pades.FieldSpec{Name: "Ahead"}, pades.FieldSpec{Name: "Untimed"}, pades.FieldSpec{Name: "Unsigned"})
	budi := signtest.NewSigner(t, "Budi")
	at := map[string]time.Time{"First": now, "Ahead": now.Add(6 * time.Hour)}
	for _, field := range []string{"First", "Ahead", "Untimed"} {
		o := budi.Options(t, field)
		o.Timestamper = nil
		if by, timed := at[field]; timed {
			a := must[*authority.Authority](t)(authority.NewEphemeral("http://localhost", func() time.Time { return by }))
			o.Timestamper = a.Timestamper()
		}
		p.Sign(t, o)
	}
	archive := p.Append(t)(pades.DocumentTimestamp(t.Context(), p.Source(), signtest.Authority(t).Timestamper(), pades.Clock{})).Field
	for _, c := range []struct {
		fields []string
		want   time.Time
	}{
		{[]string{"First"}, at["First"]},
		{[]string{"First", "Ahead", "Untimed"}, at["Ahead"]},
		{[]string{"Ahead", "First"}, at["Ahead"]},
		{[]string{archive}, now},
		{[]string{"Untimed"}, time.Time{}},
		{nil, time.Time{}},
	} {
		got, err := pades.LatestTimestamp(p.Source(), c.fields...)
		if err != nil || got.Sub(c.want).Abs() > time.Minute {
			t.Errorf("%q: %s, %v, want %s", c.fields, got, err, c.want)
		}
	}
	for _, fields := range [][]string{{"Unsigned"}, {"First", "Unsigned"}, {"Missing"}} {
		if got, err := pades.LatestTimestamp(p.Source(), fields...); !errors.Is(err, pades.ErrNoField) {
			t.Errorf("%q: %s, %v", fields, got, err)
		}
	}
}
