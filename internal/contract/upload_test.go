package contract

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestADraftIsDescribedAnewAndWhatIsNotSaidStays(t *testing.T) {
	t.Parallel()
	d := newDraft(t, withDeadline)
	title, never := "  Sewa\nRuko ", time.Time{}
	c, err := Describe(d, Description{Title: &title}, owner, limits, t0)
	if d2 := applyChange(t, c, err); d2.Title != "Sewa Ruko" || !d2.ExpiresAt.Equal(d.ExpiresAt) || d.Title == d2.Title {
		t.Errorf("%q until %s", d2.Title, d2.ExpiresAt)
	}
	c, err = Describe(d, Description{ExpiresAt: &never}, owner, limits, t0)
	if d2 := applyChange(t, c, err); d2.Title != d.Title || !d2.ExpiresAt.IsZero() {
		t.Errorf("%q until %s", d2.Title, d2.ExpiresAt)
	}
}

func TestAllErrorsOfADescriptionAreReportedTogether(t *testing.T) {
	t.Parallel()
	for title, code := range map[string]string{" \n ": "text.missing", strings.Repeat("é", 256): "text.too_long"} {
		_, err := Describe(newDraft(t), Description{Title: &title, ExpiresAt: &t0}, owner, limits, t0)
		var e *Error
		if !errors.As(err, &e) || len(e.Fields) != 2 || e.Fields[0].Code != code || e.Fields[1].Code != "time.not_future" {
			t.Errorf("%.10q: %v", title, err)
		}
	}
}
