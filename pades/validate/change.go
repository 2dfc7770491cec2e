package validate

import (
	"slices"
	"strconv"
	"strings"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

func formatInt64(n int64) string { return strconv.FormatInt(n, 10) }

func formatInt(n int) string { return strconv.Itoa(n) }

// Bounds of what is told. A file may have a thousand signatures with a thousand revisions behind them; that none is
// told about each of them does not make its words better.
const (
	maxToldChanges    = 20     // changes of one revision
	maxLaterRevisions = 100    // revisions behind one signature
	maxReasons        = 10_000 // changes of one file
	maxSteps          = 50_000 // checks of one file
)

// describeRevisions puts what each revision changed into words, from the first signed one on.
func (v *validation) describeRevisions(f *facts.File) []Revision {
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
		what := v.describeChanges(r.Changes, all, r.Number)
		if len(what) == 0 {
			what = []Reason{newReason("change.nothing_visible", "revision", formatInt(r.Number))}
		}
		list = append(list, Revision{r.Number, what})
	}
	return list
}

// describeLater tells which revisions behind a signature it does not permit, and why, and which it does, and of those what is
// to be seen and over what it stands: a further signature is allowed, but its picture may hide what was signed.
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

// describeChanges puts some changes of a revision into words, each sentence once, the worst first.
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
		if told[r.English] {
			continue
		}
		told[r.English] = true
		v.reasonCount++
		list = append(list, r)
	}
	if more > 0 {
		list = append(list, newReason("change.more", "count", formatInt(more), "revision", formatInt(revision)))
	}
	return list
}

// overlapCodes has the code of the sentence about each remark that something stands over something else.
var overlapCodes = map[diff.Note]string{
	diff.OverlapsText: "change.overlaps_text", diff.OverlapsSignature: "change.overlaps_signature",
	diff.OverlapsPicture: "change.overlaps_picture", diff.OverlapsAnnotation: "change.overlaps_annotation",
}

// describeVisible tells what of a revision is to be seen on a page, and over what of it that stands, each sentence once.
func describeVisible(changes []diff.Change, revision int) []Reason {
	list, told := []Reason{}, map[string]bool{}
	add := func(code string, c diff.Change) {
		r := newReason(code, "page", formatInt(c.Page), "where", changeLocation(c), "revision", formatInt(revision))
		if !told[r.Code+r.English] && len(list) < maxToldChanges {
			told[r.Code+r.English] = true
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

// findCovering returns the allowed changes behind a signature that stand over text, pictures or signatures which it covers,
// and their pages. Where changes are not allowed, that is what counts.
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
			list = append(list, newReason("later.covers", "revision", formatInt(l.Revision), "page", formatInt(c.Page), "where", changeLocation(c), "length", formatInt64(s.Coverage.End)))
		}
	}
	return list, pages
}

func newChangeReason(c diff.Change, revision int) Reason {
	return newReason("change."+string(c.Code), "field", c.Field, "page", formatInt(c.Page), "revision", formatInt(revision), "where", changeLocation(c))
}

// changeLocation names a change by what a person can look for.
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

// addMissingPages adds what a list does not have yet.
func addMissingPages(list, more []int) []int {
	for _, n := range more {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// formatPages writes page numbers in order.
func formatPages(pages []int) string {
	words := []string{}
	for _, n := range slices.Sorted(slices.Values(pages)) {
		words = append(words, formatInt(n))
	}
	return strings.Join(words, ", ")
}
