package contract

import (
	"errors"
	"testing"
)

// stampedTwice is a finalized stamping order with two stamps.
func stampedTwice(t *testing.T) *Document {
	t.Helper()
	d := newDraft(t, withoutPeople)
	far := stampRequest("owner")
	far.Emet = &Box{300, 300, 360, 360}
	c, _, err := Place(d, []PlaceRequest{stampRequest("owner"), far}, a4, owner, limits, t0)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err = Finalize(&c.After, FinalizeOptions{}, owner, t0)
	if err != nil {
		t.Fatal(err)
	}
	return &c.After
}

func TestPreflightNamesEachPlaceThatIsNotThere(t *testing.T) {
	t.Parallel()
	d := stampedTwice(t)
	if err := Preflight(d, OfficeFile{}, a4, limits); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		sizes func(int) (PageSize, bool)
		side  float64
		codes []string
	}{
		"no pages":        {func(int) (PageSize, bool) { return PageSize{}, false }, 60, []string{"placements[0].page placement.no_such_page", "placements[1].page placement.no_such_page"}},
		"a small page":    {func(int) (PageSize, bool) { return PageSize{200, 200}, true }, 60, []string{"placements[1].box placement.off_page"}},
		"a box too small": {a4, 39, []string{"placements[0].box placement.stamp_size"}},
		"no box":          {a4, 0, []string{"placements[0].box placement.no_area"}},
	} {
		b := *stampedTwice(t)
		b.Placements[0].Box.URX, b.Placements[0].Box.URY = b.Placements[0].Box.LLX+c.side, b.Placements[0].Box.LLY+c.side
		var refused *Error
		if err := Preflight(&b, OfficeFile{}, c.sizes, limits); !errors.As(err, &refused) || refused.Kind != Invalid {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var codes []string
		for _, f := range refused.Fields {
			codes = append(codes, f.Field+" "+f.Code)
		}
		if len(codes) != len(c.codes) || codes[0] != c.codes[0] {
			t.Errorf("%s: %q", name, codes)
		}
	}
	// An affixed stamp is not requested again.
	d.Stamps[1].State = StampAffixed
	if err := Preflight(d, OfficeFile{}, func(int) (PageSize, bool) { return PageSize{200, 200}, true }, limits); err != nil {
		t.Error(err)
	}
}

func TestBoxThatSticksOutByRoundingIsMovedOntoItsPage(t *testing.T) {
	t.Parallel()
	r := stampRequest("owner")
	r.Emet = &Box{page.Width - 59.4, -0.6, page.Width + 0.6, 59.4}
	c, _, err := Place(newDraft(t, withoutPeople), []PlaceRequest{r}, a4, owner, limits, t0)
	if err != nil {
		t.Fatal(err)
	}
	if b := c.After.Placements[0].Box; b.LLY != 0 || b.URX > page.Width || b.Width() < 59.99 || b.Width() > 60.01 {
		t.Errorf("%+v", b)
	}
}

func TestRefusedStampSpendsNothingAndWaitsForARestamp(t *testing.T) {
	t.Parallel()
	d := stampedTwice(t)
	c, err := RefuseStamp(d, 0, Problem{Code: "stamp.file_too_large"}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Attempts) != 0 || len(c.Serials) != 0 || len(c.Quota) != 0 || len(c.Jobs) != 0 || len(c.Events) != 1 || c.Events[0].Type != EventStampNotRequested {
		t.Errorf("%+v", c)
	}
	if a := c.After; a.State != Failed || a.Reason != "stamp.file_too_large" || a.Stamps[0].State != StampOrdered || a.Stamps[0].Problem != a.Reason {
		t.Errorf("%+v", a)
	}
	c, err = Restamp(&c.After, RestampOptions{}, owner, t0)
	if err != nil || c.After.State != Processing || len(c.Jobs) != 1 || c.Jobs[0].Kind != JobStamp {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := RefuseStamp(&c.After, 1, Problem{Code: "stamp.file_too_large"}, t0); !errors.Is(err, ErrNotInTurn) {
		t.Errorf("a stamp that is not the next: %v", err)
	}
	c, err = OrderSerial(&c.After, 0, "order", t0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := RefuseStamp(&c.After, 0, Problem{Code: "stamp.file_too_large"}, t0); !errors.Is(err, ErrRace) {
		t.Errorf("a stamp whose serial was asked for: %v", err)
	}
}
