package contract

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// CheckBoxes refuses boxes for signatures and initials that cover too much of a page: the boxes of one person together
// more than the limit, or those of all people together more than twice the limit. Overlapping areas count once. Duty
// stamps have their own limits; several on a page together may cover as much as the boxes of all people. Boxes on
// pages that do not exist are left to other rules.
//
// Entry is the name of the list of placements in the answer. If several boxes together are too large, the error names
// the box with which they exceed the limit.
func CheckBoxes(placements []Placement, sizes PageSizeFunc, l Limits, entry string) error {
	var bad fieldErrors
	checkBoxes(placements, sizes, l, entry, &bad)
	return bad.asError()
}

func checkBoxes(placements []Placement, sizes PageSizeFunc, l Limits, entry string, bad *fieldErrors) {
	type owner struct {
		page int
		who  PersonID
	}
	own, all, stamps := map[owner][]int{}, map[int][]int{}, map[int][]int{} // indexes into placements
	area := map[int]float64{}
	refused := map[int][]any{} // arguments of the sentence, by placement
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
	overOwnLimit := map[int]bool{} // pages on which the boxes of one person are too large
	for o, indexes := range own {
		if i := firstBeyond(indexes, l.BoxArea, func(n int) float64 { return share(o.page, indexes[:n]) }); i >= 0 {
			overOwnLimit[o.page] = true
			refused[indexes[i]] = []any{"limit", l.BoxArea, "share", roundUpPercent(share(o.page, indexes[:i+1]))}
		}
	}
	together := min(2*l.BoxArea, 100)
	for page, indexes := range all {
		if overOwnLimit[page] {
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

// firstBeyond returns the position of the first box with which the boxes exceed the limit, or -1. Share returns the
// share of the page that the first n boxes cover.
func firstBeyond(indexes []int, limit int, share func(n int) float64) int {
	if !exceedsLimit(share(len(indexes)), limit) {
		return -1
	}
	return sort.Search(len(indexes), func(i int) bool { return exceedsLimit(share(i+1), limit) })
}

// exceedsLimit allows for rounding of a box that is exactly as large as permitted.
func exceedsLimit(share float64, limit int) bool { return share > float64(limit)/100+0.002 }

// roundUpPercent rounds up, so that a refused share never looks like one that is permitted.
func roundUpPercent(share float64) float64 { return math.Ceil(1000*share) / 10 }

// unionArea returns the area that the boxes cover together. It adds up strips between neighbouring vertical edges, in
// each the covered length.
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
