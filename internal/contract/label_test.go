package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLabelsOfADocumentStayWithinTheirLimit(t *testing.T) {
	t.Parallel()
	many := make([]LabelID, MaxLabelsPerDocument+1)
	for i := range many {
		many[i] = LabelID(fmt.Sprint(i))
	}
	for name, c := range map[string]struct {
		has, add, remove, want []LabelID
		err                    error
	}{
		"added once":         {has: many[:1], add: []LabelID{"0", "1", "1"}, want: many[:2]},
		"removed":            {has: many[:3], remove: []LabelID{"1", "unknown"}, want: []LabelID{"0", "2"}},
		"both":               {has: many[:1], add: many[1:2], remove: many[1:2], want: many[:1]},
		"as many as allowed": {has: many[:9], add: many[9:10], want: many[:10]},
		"too many":           {has: many[:10], add: many[10:], err: ErrLabelsOfDocument},
		"one for another":    {has: many[:10], add: many[10:], remove: many[:1], want: many[1:]},
		"more from before":   {has: many, remove: many[:0], want: many},
	} {
		got, err := ChangeLabels(c.has, c.add, c.remove)
		if !slices.Equal(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %v, %v, want %v, %v", name, got, err, c.want, c.err)
		}
	}
}

func TestNamesOfLabelsAndFoldersAreShortAndOnOneLine(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"  Sewa\n kantor ": "Sewa kantor", strings.Repeat("é", 40): strings.Repeat("é", 40), strings.Repeat("a", 61): "", " \u200b ": "", "": ""} {
		l, err := CheckLabel(Label{Name: name, Colour: "teal"})
		if (err == nil) != (want != "") || err == nil && l.Name != want {
			t.Errorf("label %q: %q, %v", name, l.Name, err)
		}
		f, err := CheckFolderName(name)
		if (err == nil) != (want != "") || err == nil && f != want {
			t.Errorf("folder %q: %q, %v", name, f, err)
		}
	}
	for _, c := range append([]LabelColour{"", "#0b6e5f", "TEAL"}, LabelColours...) {
		if _, err := CheckLabel(Label{Name: "Sewa", Colour: c}); (err == nil) != slices.Contains(LabelColours, c) {
			t.Errorf("colour %q: %v", c, err)
		}
	}
}
