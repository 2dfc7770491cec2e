package contract_test

import (
	"slices"
	"testing"

	"segel/internal/contract"
)

// page is one page of a file, whatever its number.
type page struct {
	former, painted []contract.PageItem
	untold          bool
}

func (p *page) ListSignatureFields(int) []contract.PageItem { return p.former }

func (p *page) ListContent(int) ([]contract.PageItem, bool) { return p.painted, !p.untold }

func TestPlacementThatCoversSomethingIsWarnedOf(t *testing.T) {
	t.Parallel()
	at := func(x, y float64) contract.Box { return contract.Box{LLX: x, LLY: y, URX: x + 60, URY: y + 60} }
	stamp := func(x, y float64) contract.Placement {
		return contract.Placement{Kind: contract.PlaceStamp, Page: 2, Box: at(x, y)}
	}
	sign := contract.Placement{Kind: contract.PlaceSignature, Page: 2, Box: at(100, 100)}
	initials := func(x, y float64) contract.Placement {
		return contract.Placement{Kind: contract.PlaceInitials, Page: 2, Box: at(x, y)}
	}
	elsewhere := contract.Placement{Kind: contract.PlaceSignature, Page: 1, Box: at(100, 100)}
	word := func(x, y float64, s string) contract.PageItem {
		return contract.PageItem{Kind: contract.ItemText, Box: contract.Box{LLX: x, LLY: y, URX: x + 30, URY: y + 12}, Text: s}
	}
	joined := word(112, 140, "kat")
	joined.Joins = true
	former := func(k contract.PageItemKind) []contract.PageItem {
		return []contract.PageItem{{Kind: k, Box: at(120, 120), Text: "Before"}}
	}
	for name, c := range map[string]struct {
		placements []contract.Placement
		page       page
		want       []string
		what       string
	}{
		"free":                             {[]contract.Placement{stamp(100, 100)}, page{painted: []contract.PageItem{word(200, 100, "jauh")}}, nil, ""},
		"another stamp, told once":         {[]contract.Placement{stamp(100, 100), stamp(150, 150)}, page{}, []string{"signers[1] placement.over_stamp"}, ""},
		"a neighbour":                      {[]contract.Placement{stamp(100, 100), stamp(159.5, 100)}, page{}, nil, ""},
		"a signature's box":                {[]contract.Placement{stamp(110, 110), sign}, page{}, []string{"signers[0] placement.over_box"}, ""},
		"a box of another page":            {[]contract.Placement{stamp(110, 110), elsewhere}, page{}, nil, ""},
		"a former stamp":                   {[]contract.Placement{stamp(110, 110)}, page{former: former(contract.ItemStamp)}, []string{"signers[0] placement.over_former_stamp"}, "Before"},
		"a former stamp, by a signature":   {[]contract.Placement{sign}, page{former: former(contract.ItemStamp)}, []string{"signers[0] placement.over_former_stamp"}, "Before"},
		"a former signature":               {[]contract.Placement{stamp(110, 110)}, page{former: former(contract.ItemSignature)}, []string{"signers[0] placement.over_signature"}, "Before"},
		"a field that waits":               {[]contract.Placement{stamp(110, 110)}, page{former: former(contract.ItemField)}, []string{"signers[0] placement.over_field"}, "Before"},
		"a field, by the one who signs":    {[]contract.Placement{sign}, page{former: former(contract.ItemField)}, nil, ""},
		"text":                             {[]contract.Placement{stamp(100, 100)}, page{painted: []contract.PageItem{word(90, 140, "Para"), word(100, 140, "Pi"), joined, word(300, 9, "x")}}, []string{"signers[0] placement.over_text"}, "Para Pikat"},
		"the air above a word":             {[]contract.Placement{stamp(100, 100)}, page{painted: []contract.PageItem{word(100, 90, "bawah")}}, nil, ""},
		"dots to write on":                 {[]contract.Placement{stamp(100, 100)}, page{painted: []contract.PageItem{word(100, 120, "......."), word(100, 120, "____")}}, nil, ""},
		"letters without Unicode values":   {[]contract.Placement{stamp(100, 100)}, page{painted: []contract.PageItem{word(100, 120, "")}}, []string{"signers[0] placement.over_text"}, ""},
		"a picture":                        {[]contract.Placement{stamp(100, 100)}, page{painted: []contract.PageItem{{Kind: contract.ItemPicture, Box: at(0, 90)}, {Kind: contract.ItemPicture, Box: at(90, 90)}}}, []string{"signers[0] placement.over_picture"}, ""},
		"what cannot be told":              {[]contract.Placement{stamp(100, 100)}, page{untold: true}, []string{"signers[0] placement.not_told"}, ""},
		"what cannot be told, by a signer": {[]contract.Placement{sign}, page{untold: true}, []string{"signers[0] placement.not_told"}, ""},
		"text, by a signature":             {[]contract.Placement{sign}, page{painted: []contract.PageItem{word(110, 120, "harga")}}, []string{"signers[0] placement.over_text"}, "harga"},
		"a line to sign on":                {[]contract.Placement{sign}, page{painted: []contract.PageItem{word(110, 120, "________")}}, nil, ""},
		"a picture, by initials":           {[]contract.Placement{initials(110, 110)}, page{painted: []contract.PageItem{{Kind: contract.ItemPicture, Box: at(0, 90)}, {Kind: contract.ItemPicture, Box: at(90, 90)}}}, []string{"signers[0] placement.over_picture"}, ""},
		"initials over a signature's box":  {[]contract.Placement{sign, initials(120, 120)}, page{}, []string{"signers[1] placement.over_box"}, ""},
		"a signature's box over a stamp":   {[]contract.Placement{stamp(110, 110), sign}, page{}, []string{"signers[0] placement.over_box"}, ""},
		"boxes side by side":               {[]contract.Placement{sign, initials(160, 100)}, page{}, nil, ""},
	} {
		var got []string
		for _, w := range contract.CheckOverlaps(c.placements, &c.page, "signers") {
			got = append(got, w.Field+" "+w.Code)
			if w.Args["page"] != 2 || c.what != "" && w.Args["what"] != c.what {
				t.Errorf("%s: %v", name, w.Args)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWarningQuotesAFewWordsOnly(t *testing.T) {
	t.Parallel()
	var p page
	for range 5000 {
		p.painted = append(p.painted, contract.PageItem{Kind: contract.ItemText, Box: contract.Box{LLX: 1, LLY: 1, URX: 50, URY: 12}, Text: "perjanjian\u202e\x00"})
	}
	stamp := contract.Placement{Kind: contract.PlaceStamp, Page: 1, Box: contract.Box{URX: 60, URY: 60}}
	w := contract.CheckOverlaps([]contract.Placement{stamp}, &p, "signers")
	if what, _ := w[0].Args["what"].(string); len(what) > 70 || what[:21] != "perjanjian perjanjian" {
		t.Errorf("%q", what)
	}
}
