package validate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

// Limits for reported changes. A file may have a thousand signatures with a thousand later revisions each; limits of
// reporting do not improve its result.
const (
	maxToldChanges    = 20     // of one revision
	maxLaterRevisions = 100    // after one signature
	maxReasons        = 10_000 // for changes of one file
	maxFilled         = 10_000 // fields filled in, of one file
	maxSteps          = 50_000 // for one file
)

// describeRevisions returns what each revision changed, from the first one after a signature on.
func (v *validation) describeRevisions(f *facts.File) []Revision {
	list, filled := []Revision{}, 0
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
		what := v.describeChanges(r.Changes, all, r.Number)
		if len(what) == 0 {
			what = []Reason{NewReason("change.nothing_visible", "revision", strconv.Itoa(r.Number))}
		}
		fields := listFilled(r.Changes, maxFilled-filled)
		filled += len(fields)
		list = append(list, Revision{r.Number, what, fields})
	}
	return list
}

// listFilled returns the fields that changes filled in, at most some.
func listFilled(changes []diff.Change, most int) []FilledField {
	list := []FilledField{}
	for _, c := range changes {
		if c.Code == diff.CodeFilled {
			list = append(list, FilledField{CleanText(c.Field), c.Page})
		}
	}
	slices.SortFunc(list, func(a, b FilledField) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), strings.Compare(a.Field, b.Field))
	})
	list = slices.Compact(list)
	return list[:min(len(list), most)]
}

// describeLater returns the later revisions that a signature does not permit, with the denied changes, and those it
// permits, with what they show and cover: a further signature is allowed, but its appearance may hide signed content.
func (v *validation) describeLater(s *facts.Signature) []Change {
	list := []Change{}
	for _, denied := range []bool{true, false} {
		for _, l := range s.Later {
			if denied == (len(l.Denied) > 0) && len(list) < maxLaterRevisions {
				what := v.describeChanges(l.Changes, l.Denied, l.Revision)
				if !denied {
					what = append(what, describeVisible(l.Changes, l.Revision)...)
				}
				list = append(list, Change{Revision: l.Revision, Allowed: !denied, What: what})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int { return a.Revision - b.Revision })
	return list
}

// describeChanges returns reasons for some changes of a revision, each once, the worst first.
func (v *validation) describeChanges(changes []diff.Change, which []int, revision int) []Reason {
	worst := slices.Clone(which)
	slices.SortStableFunc(worst, func(a, b int) int { return int(changes[b].Level) - int(changes[a].Level) })
	list, told, more := []Reason{}, map[string]bool{}, 0
	for _, i := range worst {
		if len(list) == maxToldChanges || v.reasonCount >= maxReasons {
			more++
			continue
		}
		r := newChangeReason(changes[i], revision)
		if told[r.key()] {
			continue
		}
		told[r.key()] = true
		v.reasonCount++
		list = append(list, r)
	}
	if more > 0 {
		list = append(list, NewReason("change.more", "count", strconv.Itoa(more), "revision", strconv.Itoa(revision)))
	}
	return list
}

// overlapCodes are the codes for notes about overlaps.
var overlapCodes = map[diff.Note]string{
	diff.OverlapsText: "change.overlaps_text", diff.OverlapsSignature: "change.overlaps_signature",
	diff.OverlapsPicture: "change.overlaps_picture", diff.OverlapsAnnotation: "change.overlaps_annotation",
}

// describeVisible returns what of a revision is visible and what it covers, each reason once.
func describeVisible(changes []diff.Change, revision int) []Reason {
	list, told := []Reason{}, map[string]bool{}
	add := func(code string, c diff.Change) {
		r := NewReason(code, "page", strconv.Itoa(c.Page), "where", changeLocation(c), "revision", strconv.Itoa(revision))
		if !told[r.key()] && len(list) < maxToldChanges {
			told[r.key()] = true
			list = append(list, r)
		}
	}
	for _, c := range changes {
		if c.Has(diff.Visible) && c.Page > 0 {
			add("change.shows", c)
		}
	}
	for _, n := range diff.Covering {
		for _, c := range changes {
			if c.Has(n) {
				add(overlapCodes[n], c)
			}
		}
	}
	for _, c := range changes {
		if c.Has(diff.ValueNotCompared) {
			add("change.value_not_compared", c)
		}
	}
	return list
}

// findCovering returns the allowed changes after a signature that cover text, pictures or signatures it covers, with
// their pages. It is not needed if changes are denied.
func findCovering(s *facts.Signature) (list []Reason, pages []int) {
	for _, l := range s.Later {
		for _, c := range l.Changes {
			if !c.Has(diff.OverlapsText) && !c.Has(diff.OverlapsPicture) && !c.Has(diff.OverlapsSignature) || slices.Contains(pages, c.Page) {
				continue
			}
			if len(pages) == maxToldChanges {
				return list, pages
			}
			pages = append(pages, c.Page)
			list = append(list, NewReason("later.covers", "revision", strconv.Itoa(l.Revision), "page", strconv.Itoa(c.Page), "where", changeLocation(c), "length", strconv.FormatInt(s.Coverage.End, 10)))
		}
	}
	return list, pages
}

func newChangeReason(c diff.Change, revision int) Reason {
	return NewReason("change."+string(c.Code), "field", c.Field, "page", strconv.Itoa(c.Page), "revision", strconv.Itoa(revision), "where", changeLocation(c))
}

// changeLocation names a change so that people can find it.
func changeLocation(c diff.Change) string {
	var parts []string
	if c.Field != "" {
		parts = append(parts, strconv.Quote(c.Field))
	}
	if len(c.Paths) > 0 && c.Field == "" {
		parts = append(parts, c.Paths[0])
	}
	if c.Detail != "" && (c.Level == diff.Other || c.Has(diff.ValueNotCompared)) {
		parts = append(parts, c.Detail)
	}
	if len(parts) == 0 && !c.Ref.IsZero() {
		parts = append(parts, c.Ref.String())
	}
	return strings.Join(parts, ", ")
}

// addMissingPages appends the pages that the list lacks.
func addMissingPages(list, more []int) []int {
	for _, n := range more {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// formatPages lists page numbers in order.
func formatPages(pages []int) string {
	words := []string{}
	for _, n := range slices.Sorted(slices.Values(pages)) {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}
