package validate

import (
	"strconv"
	"strings"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

func itoa64(n int64) string { return strconv.FormatInt(n, 10) }

func itoa(n int) string { return strconv.Itoa(n) }

// maxTold bounds how many changes of one revision are put into words. The rest is told as a number.
const maxTold = 50

// later puts the revisions behind a signature into words.
func later(s *facts.Signature) []Change {
	list := []Change{}
	for _, l := range s.Later {
		list = append(list, Change{Revision: l.Revision, Allowed: len(l.Denied) == 0, What: whatChanged(l)})
	}
	return list
}

// whatChanged tells one revision: each sentence once, what is not allowed first, and
// nothing of what nobody could see or read differently.
func whatChanged(l facts.Later) []Reason {
	denied := map[int]bool{}
	for _, i := range l.Denied {
		denied[i] = true
	}
	list, told, more := []Reason{}, map[string]bool{}, 0
	add := func(i int) {
		c := l.Changes[i]
		r := reason("change."+string(c.Code), "field", c.Field, "page", itoa(c.Page), "revision", itoa(l.Revision), "where", where(c))
		if told[r.English] {
			return
		}
		told[r.English] = true
		if len(list) == maxTold {
			more++
			return
		}
		list = append(list, r)
	}
	for i := range l.Changes {
		if denied[i] {
			add(i)
		}
	}
	for i, c := range l.Changes {
		if !denied[i] && (c.Level > diff.None || len(l.Changes) == 1) && len(list) <= maxTold {
			add(i)
		}
	}
	if len(list) == 0 {
		list = append(list, reason("change.nothing_visible", "revision", itoa(l.Revision)))
	}
	if more > 0 {
		list = append(list, reason("change.more", "count", itoa(more), "revision", itoa(l.Revision)))
	}
	return list
}

// where names a change by what a person can look for.
func where(c diff.Change) string {
	var parts []string
	if c.Field != "" {
		parts = append(parts, strconv.Quote(c.Field))
	}
	if len(c.Paths) > 0 && c.Field == "" {
		parts = append(parts, c.Paths[0])
	}
	if c.Detail != "" && c.Level == diff.Other {
		parts = append(parts, c.Detail)
	}
	if len(parts) == 0 && !c.Ref.IsZero() {
		parts = append(parts, c.Ref.String())
	}
	return strings.Join(parts, ", ")
}
