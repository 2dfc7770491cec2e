package contract

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// CheckBoxes refuses boxes for signatures and initials that take up too much of a page: those of one person together
// more than the limit, or those of all people together more than twice the limit. What several boxes have in common
// counts once. A duty stamp has limits of its own; several on a page cover at most as much together as the boxes of all
// people. Sizes gives the displayed size of a page, false where there is no
// such page; such boxes are left to other rules.
//
// Entry is what the list of placements is called in the answer. Of boxes that are too large together, the one is named
// with which they become so.
func CheckBoxes(placements []Placement, sizes func(page int) (PageSize, bool), l Limits, entry string) error {
	var bad fieldErrors
	checkBoxes(placements, sizes, l, entry, &bad)
	return bad.asError()
}

func checkBoxes(placements []Placement, sizes func(page int) (PageSize, bool), l Limits, entry string, bad *fieldErrors) {
	type owner struct {
		page int
		who  PersonID
	}
	own, all, stamps := map[owner][]int{}, map[int][]int{}, map[int][]int{} // indexes of placements
	area := map[int]float64{}
	refused := map[int][]any{} // by placement, what its sentence needs
	for i, p := range placements {
		size, ok := sizes(p.Page)
		if !ok || !p.Box.hasArea() {
			continue
		}
		area[p.Page] = size.Width * size.Height
		if p.Kind == PlaceStamp {
			stamps[p.Page] = append(stamps[p.Page], i)
			continue
		}
		if share := p.Box.Width() * p.Box.Height() / area[p.Page]; exceedsLimit(share, l.BoxArea) {
			refused[i] = []any{"limit", l.BoxArea, "share", roundUpPercent(share)}
			continue
		}
		own[owner{p.Page, p.Person}] = append(own[owner{p.Page, p.Person}], i)
		all[p.Page] = append(all[p.Page], i)
	}
	share := func(page int, indexes []int) float64 {
		boxes := make([]Box, len(indexes))
		for k, i := range indexes {
			boxes[k] = placements[i].Box
		}
		return unionArea(boxes) / area[page]
	}
	told := map[int]bool{} // pages of which one person's boxes are too large
	for o, indexes := range own {
		if i := firstBeyond(indexes, l.BoxArea, func(n int) float64 { return share(o.page, indexes[:n]) }); i >= 0 {
			told[o.page] = true
			refused[indexes[i]] = []any{"limit", l.BoxArea, "share", roundUpPercent(share(o.page, indexes[:i+1]))}
		}
	}
	together := min(2*l.BoxArea, 100)
	for page, indexes := range all {
		if told[page] {
			continue
		}
		if i := firstBeyond(indexes, together, func(n int) float64 { return share(page, indexes[:n]) }); i >= 0 {
			refused[indexes[i]] = []any{"limit_all", together, "share_all", roundUpPercent(share(page, indexes[:i+1]))}
		}
	}
	for page, indexes := range stamps {
		i := firstBeyond(indexes, together, func(n int) float64 { return share(page, indexes[:n]) })
		if i >= 0 && len(indexes) > 1 {
			refused[indexes[i]] = []any{"limit_stamps", together, "share_stamps", roundUpPercent(share(page, indexes[:i+1]))}
		}
	}
	for i, p := range placements {
		if args := refused[i]; args != nil {
			bad.add(fmt.Sprintf("%s[%d]", entry, i), "placement.too_large", append(args, "page", p.Page)...)
		}
	}
}

// firstBeyond finds the first of some boxes with which they exceed the limit, or returns -1. Share tells the share of
// the first n.
func firstBeyond(indexes []int, limit int, share func(n int) float64) int {
	if !exceedsLimit(share(len(indexes)), limit) {
		return -1
	}
	return sort.Search(len(indexes), func(i int) bool { return exceedsLimit(share(i+1), limit) })
}

// exceedsLimit allows for what rounding makes of a box that is meant to be just as large as it may be.
func exceedsLimit(share float64, limit int) bool { return share > float64(limit)/100+0.002 }

// roundUpPercent rounds up, so that no refused share looks like one that is allowed.
func roundUpPercent(share float64) float64 { return math.Ceil(1000*share) / 10 }

// unionArea is the area that boxes cover together: strips between neighbouring edges, in each the length covered.
func unionArea(boxes []Box) float64 {
	var edges []float64
	for _, b := range boxes {
		edges = append(edges, b.LLX, b.URX)
	}
	slices.Sort(edges)
	sorted := slices.Clone(boxes)
	slices.SortFunc(sorted, func(a, b Box) int { return cmp.Compare(a.LLY, b.LLY) })
	total := 0.0
	for i := 1; i < len(edges); i++ {
		width := edges[i] - edges[i-1]
		if width <= 0 {
			continue
		}
		length, end := 0.0, math.Inf(-1)
		for _, b := range sorted {
			if b.LLX >= edges[i] || b.URX <= edges[i-1] || b.URY <= end {
				continue
			}
			length += b.URY - max(b.LLY, end)
			end = b.URY
		}
		total += width * length
	}
	return total
}
