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

// later tells which revisions behind a signature it does not permit, and why, and which it does, and of those what is
// to be seen and over what it stands: a further signature is allowed, but its picture may hide what was signed.
func (v *validation) later(s *facts.Signature) []Change {
	list := []Change{}
	for _, denied := range []bool{true, false} {
		for _, l := range s.Later {
			if denied == (len(l.Denied) > 0) && len(list) < maxLater {
				what := v.tell(l.Changes, l.Denied, l.Revision)
				if !denied {
					what = append(what, showing(l.Changes, l.Revision)...)
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

// covers has the code of the sentence about each remark that something stands over something else.
var covers = map[diff.Note]string{
	diff.OverlapsText: "change.overlaps_text", diff.OverlapsSignature: "change.overlaps_signature",
	diff.OverlapsPicture: "change.overlaps_picture", diff.OverlapsAnnotation: "change.overlaps_annotation",
}

// showing tells what of a revision is to be seen on a page, and over what of it that stands, each sentence once.
func showing(changes []diff.Change, revision int) []Reason {
	list, told := []Reason{}, map[string]bool{}
	add := func(code string, c diff.Change) {
		r := reason(code, "page", itoa(c.Page), "where", where(c), "revision", itoa(revision))
		if !told[r.Code+r.English] && len(list) < maxTold {
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
				add(covers[n], c)
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

// hiding returns the allowed changes behind a signature that stand over text, pictures or signatures which it covers,
// and their pages. Where changes are not allowed, that is what counts.
func hiding(s *facts.Signature) (list []Reason, pages []int) {
	for _, l := range s.Later {
		for _, c := range l.Changes {
			if !c.Has(diff.OverlapsText) && !c.Has(diff.OverlapsPicture) && !c.Has(diff.OverlapsSignature) || slices.Contains(pages, c.Page) {
				continue
			}
			if len(pages) == maxTold {
				return list, pages
			}
			pages = append(pages, c.Page)
			list = append(list, reason("later.covers", "revision", itoa(l.Revision), "page", itoa(c.Page), "where", where(c), "length", itoa64(s.Coverage.End)))
		}
	}
	return list, pages
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
	if c.Detail != "" && (c.Level == diff.Other || c.Has(diff.ValueNotCompared)) {
		parts = append(parts, c.Detail)
	}
	if len(parts) == 0 && !c.Ref.IsZero() {
		parts = append(parts, c.Ref.String())
	}
	return strings.Join(parts, ", ")
}

// union adds what a list does not have yet.
func union(list, more []int) []int {
	for _, n := range more {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// listed writes page numbers in order.
func listed(pages []int) string {
	words := []string{}
	for _, n := range slices.Sorted(slices.Values(pages)) {
		words = append(words, itoa(n))
	}
	return strings.Join(words, ", ")
}
