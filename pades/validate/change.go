package validate

import (
	"slices"
	"strconv"
	"strings"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

func itoa64(n int64) string { return strconv.FormatInt(n, 10) }

func itoa(n int) string { return strconv.Itoa(n) }

// Bounds of what is told. A file may have a thousand signatures with a thousand revisions behind them; that none is
// told about each of them does not make its words better.
const (
	maxTold    = 20     // changes of one revision
	maxLater   = 100    // revisions behind one signature
	maxReasons = 10_000 // changes of one file
	maxSteps   = 50_000 // checks of one file
)

// revisions puts what each revision changed into words, from the first signed one on.
func (v *validation) revisions(f *facts.File) []Revision {
	list := []Revision{}
	for _, r := range f.Revisions {
		if r.Changes == nil {
			continue
		}
		var all []int
		for i, c := range r.Changes {
			if c.Level > diff.None {
				all = append(all, i)
			}
		}
		what := v.tell(r.Changes, all, r.Number)
		if len(what) == 0 {
			what = []Reason{reason("change.nothing_visible", "revision", itoa(r.Number))}
		}
		list = append(list, Revision{r.Number, what})
	}
	return list
}

// later tells which revisions behind a signature it does not permit, and why, and which it does, and of those what
// stands over what was there: a further signature is allowed, but its picture may hide what was signed.
func (v *validation) later(s *facts.Signature) []Change {
	list := []Change{}
	for _, denied := range []bool{true, false} {
		for _, l := range s.Later {
			if denied == (len(l.Denied) > 0) && len(list) < maxLater {
				what := v.tell(l.Changes, l.Denied, l.Revision)
				if !denied {
					what = append(what, covering(l.Changes, l.Revision)...)
				}
				list = append(list, Change{Revision: l.Revision, Allowed: !denied, What: what})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int { return a.Revision - b.Revision })
	return list
}

// tell puts some changes of a revision into words, each sentence once, the worst first.
func (v *validation) tell(changes []diff.Change, which []int, revision int) []Reason {
	worst := slices.Clone(which)
	slices.SortStableFunc(worst, func(a, b int) int { return int(changes[b].Level) - int(changes[a].Level) })
	list, told, more := []Reason{}, map[string]bool{}, 0
	for _, i := range worst {
		if len(list) == maxTold || v.told >= maxReasons {
			more++
			continue
		}
		r := changeReason(changes[i], revision)
		if told[r.English] {
			continue
		}
		told[r.English] = true
		v.told++
		list = append(list, r)
	}
	if more > 0 {
		list = append(list, reason("change.more", "count", itoa(more), "revision", itoa(revision)))
	}
	return list
}

// covering tells what a revision put over what a page showed before, each sentence once.
func covering(changes []diff.Change, revision int) []Reason {
	list, told := []Reason{}, map[string]bool{}
	for _, c := range changes {
		if !c.Has(diff.OverlapsText) && !c.Has(diff.OverlapsPicture) && !c.Has(diff.OverlapsSignature) && !c.Has(diff.OverlapsAnnotation) {
			continue
		}
		r := reason("change.overlaps", "page", itoa(c.Page), "where", where(c), "revision", itoa(revision))
		if !told[r.English] && len(list) < maxTold {
			told[r.English] = true
			list = append(list, r)
		}
	}
	return list
}

func changeReason(c diff.Change, revision int) Reason {
	return reason("change."+string(c.Code), "field", c.Field, "page", itoa(c.Page), "revision", itoa(revision), "where", where(c))
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
