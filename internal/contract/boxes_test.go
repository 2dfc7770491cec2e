package contract

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// boxAt is a placement on a page of 1000 by 1000 points, so that a box of 500 by 500 is a quarter.
func boxAt(kind PlacementKind, who string, x, y, w, h float64) Placement {
	return Placement{Kind: kind, Page: 1, Person: PersonID(who), Box: Box{x, y, x + w, y + h}}
}

func squarePage(n int) (PageSize, bool) { return PageSize{Width: 1000, Height: 1000}, n == 1 }

func TestBoxesThatTakeUpTooMuchOfAPageAreRefused(t *testing.T) {
	t.Parallel()
	tiles := func(n int, who func(i int) string) (all []Placement) {
		side := 1000 / math.Sqrt(float64(n))
		for i := range n {
			k := int(math.Sqrt(float64(n)))
			all = append(all, boxAt(PlaceInitials, who(i), float64(i%k)*side, float64(i/k)*side, side, side))
		}
		return all
	}
	one := func(int) string { return "a" }
	each := func(i int) string { return fmt.Sprint(i) }
	for _, c := range []struct {
		name       string
		placements []Placement
		want       []string
	}{
		{"a quarter", []Placement{boxAt(PlaceSignature, "a", 0, 0, 500, 500)}, nil},
		{"a quarter that was rounded", []Placement{boxAt(PlaceSignature, "a", 0, 0, 500.9, 500.9)}, nil},
		{"more than a quarter", []Placement{boxAt(PlaceSignature, "a", 0, 0, 520, 520)}, []string{"signers[0] 27.1 of 25"}},
		{"initials all over the page", []Placement{boxAt(PlaceSignature, "a", 0, 0, 10, 10), boxAt(PlaceInitials, "b", 0, 0, 1000, 1000)}, []string{"signers[1] 100 of 25"}},
		{"ten boxes of one person that tile the page", tiles(9, one), []string{"signers[2] 33.4 of 25"}},
		{"a hundred boxes of one person", tiles(100, one), []string{"signers[25] 26 of 25"}},
		{"the same box ten times", slices.Repeat([]Placement{boxAt(PlaceInitials, "a", 0, 0, 450, 450)}, 10), nil},
		{"two people with a quarter each", tiles(4, each)[:2], nil},
		{"people who tile the page together", tiles(4, each), []string{"signers[2] 75 of 50 all"}},
		{"a page of thirty usual signatures", tiles(100, each)[:30], nil},
		{"one person's and everybody's", append(tiles(4, each), boxAt(PlaceSignature, "0", 500, 500, 500, 500)), []string{"signers[4] 50 of 25"}},
		{"a duty stamp", []Placement{boxAt(PlaceStamp, "a", 0, 0, 900, 900)}, nil},
		{"a page that does not exist", []Placement{{Kind: PlaceInitials, Page: 2, Box: Box{0, 0, 900, 900}}}, nil},
	} {
		var got []string
		if err := CheckBoxes(c.placements, squarePage, limits, "signers"); err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Kind != Invalid {
				t.Fatalf("%s: %v", c.name, err)
			}
			for _, f := range e.Fields {
				if f.Code != "placement.too_large" || f.Args["page"] != 1 {
					t.Errorf("%s: %+v", c.name, f)
				}
				what := fmt.Sprintf("%s %v of %v", f.Field, f.Args["share"], f.Args["limit"])
				if f.Args["limit"] == nil {
					what = fmt.Sprintf("%s %v of %v all", f.Field, f.Args["share_all"], f.Args["limit_all"])
				}
				got = append(got, what)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheLimitOfBoxesIsConfigurable(t *testing.T) {
	t.Parallel()
	l := limits
	l.BoxArea = 60
	if err := CheckBoxes([]Placement{boxAt(PlaceSignature, "a", 0, 0, 750, 750)}, squarePage, l, "signers"); err != nil {
		t.Error(err)
	}
	if err := CheckBoxes([]Placement{boxAt(PlaceSignature, "a", 0, 0, 800, 800)}, squarePage, l, "signers"); err == nil {
		t.Error("64 % were allowed where 60 are")
	}
	l.BoxArea = 100
	if err := CheckBoxes([]Placement{boxAt(PlaceSignature, "a", 0, 0, 1000, 1000)}, squarePage, l, "signers"); err != nil {
		t.Error(err)
	}
}

func TestPlacingABoxThatIsTooLargeNamesItsEntry(t *testing.T) {
	t.Parallel()
	large := signRequest("first")
	large.Sign = &Box{0, 0, 595, 842}
	_, _, err := Place(newDraft(t), []PlaceRequest{stampRequest("first"), large}, a4, owner, limits, t0)
	var e *Error
	if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Field != "signers[1]" || e.Fields[0].Code != "placement.too_large" {
		t.Fatalf("%v", err)
	}
}

func TestAreaOfBoxesCountsWhatTheyShareOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		boxes []Box
		want  float64
	}{
		{nil, 0}, {[]Box{{0, 0, 2, 3}}, 6}, {[]Box{{0, 0, 2, 2}, {1, 1, 3, 3}}, 7}, {[]Box{{0, 0, 4, 4}, {1, 1, 2, 2}}, 16},
		{[]Box{{0, 0, 1, 1}, {1, 0, 2, 1}, {0, 2, 1, 3}}, 3},
	} {
		if got := unionArea(c.boxes); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %g, want %g", c.boxes, got, c.want)
		}
	}
}

func TestManyStampsCoverNoMoreThanTheBoxesOfAllPeople(t *testing.T) {
	t.Parallel()
	var placements []Placement
	for i := range 8 {
		x, y := float64(200*(i%2)), float64(200*(i/2))
		placements = append(placements, Placement{Kind: PlaceStamp, Page: 1, Box: Box{LLX: x, LLY: y, URX: x + 200, URY: y + 200}})
	}
	check := func(n int, page PageSize) error {
		sizes := func(int) (PageSize, bool) { return page, true }
		return CheckBoxes(placements[:n], sizes, Limits{}.Defaults(), "placements")
	}
	a4 := PageSize{Width: 595, Height: 842}
	if err := check(6, a4); err != nil {
		t.Errorf("six: %v", err)
	}
	if err := check(1, PageSize{Width: 220, Height: 220}); err != nil {
		t.Errorf("one on a small page: %v", err)
	}
	var refused *Error
	if err := check(8, a4); !errors.As(err, &refused) || len(refused.Fields) != 1 || refused.Fields[0].Field != "placements[6]" || refused.Fields[0].Args["limit_stamps"] != 50 {
		t.Errorf("eight: %+v", err)
	}
}
