package contract

import (
	"time"
	"unicode/utf8"
)

// Description is what an owner may say anew of a draft. What is nil stays as it was.
type Description struct {
	Title     *string
	ExpiresAt *time.Time // zero: never
}

// Describe changes the title and the deadline of a draft.
func Describe(d *Document, to Description, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpDescribe); err != nil {
		return Change{}, err
	}
	if d.State != Draft {
		return Change{}, ErrNotDraft
	}
	var bad fieldErrors
	c := newChange(d)
	if to.Title != nil {
		c.After.Title = CleanText(*to.Title)
		switch {
		case c.After.Title == "":
			bad.add("document_title", "text.missing")
		case utf8.RuneCountInString(c.After.Title) > l.Text:
			bad.add("document_title", "text.too_long", "limit", l.Text)
		}
	}
	if to.ExpiresAt != nil {
		c.After.ExpiresAt = *to.ExpiresAt
		if !to.ExpiresAt.IsZero() && !to.ExpiresAt.After(now) {
			bad.add("expired_at", "time.not_future")
		}
	}
	if err := bad.asError(); err != nil {
		return Change{}, err
	}
	c.addEvent(EventDescribed, by, now, "title", c.After.Title)
	return c, nil
}
