package pades_test

import (
	"errors"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/pades"
	"segel/pdf/pdftest"
)

func TestLatestTimestampIsThatOfTheFieldsAskedFor(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := &testFile{b: pdftest.Table(1)}
	p.addFields(t, pades.FieldSpec{Name: "First"}, pades.FieldSpec{Name: "Ahead"}, pades.FieldSpec{Name: "Untimed"}, pades.FieldSpec{Name: "Unsigned"})
	budi := newSigner(t, "Budi")
	at := map[string]time.Time{"First": now, "Ahead": now.Add(6 * time.Hour)}
	for _, field := range []string{"First", "Ahead", "Untimed"} {
		o := budi.newOptions(t, field)
		o.Timestamper = nil
		if by, timed := at[field]; timed {
			a := must[*authority.Authority](t)(authority.NewEphemeral("http://localhost", func() time.Time { return by }))
			o.Timestamper = a.Timestamper()
		}
		p.signField(t, o)
	}
	archive := p.appendResult(t)(pades.DocumentTimestamp(t.Context(), p.source(), newAuthority(t).Timestamper(), pades.Clock{})).Field
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
		got, err := pades.LatestTimestamp(p.source(), c.fields...)
		if err != nil || got.Sub(c.want).Abs() > time.Minute {
			t.Errorf("%q: %s, %v, want %s", c.fields, got, err, c.want)
		}
	}
	for _, fields := range [][]string{{"Unsigned"}, {"First", "Unsigned"}, {"Missing"}} {
		if got, err := pades.LatestTimestamp(p.source(), fields...); !errors.Is(err, pades.ErrNoField) {
			t.Errorf("%q: %s, %v", fields, got, err)
		}
	}
}
