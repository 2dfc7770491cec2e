package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEveryFailureOfTheDocsIsCaused requires that docs/operations.md and this program have the same failures, and that each line that
// the page states is of a source that this program observes.
func TestEveryFailureOfTheDocsIsCaused(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	stated, err := readFailures(string(page))
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, f := range stated {
		titles = append(titles, f.title)
		if len(f.phases) != 2 {
			t.Errorf("%s has %d blocks, want what is seen, and what is seen when it is over", f.title, len(f.phases))
		}
		for _, s := range slices.Concat(f.phases...) {
			if !slices.Contains(sources, s.source) && !strings.HasPrefix(s.source, "segel ") {
				t.Errorf("%s: %q is not a source", f.title, s.source)
			}
			if strings.Trim(s.text, anyText+" ") == "" {
				t.Errorf("%s: %q is always seen", f.title, s)
			}
		}
	}
	slices.Sort(titles)
	if known := slices.Sorted(maps.Keys(causes)); !slices.Equal(titles, known) {
		t.Errorf("the page has\n%q\nand the program causes\n%q", titles, known)
	}
}

func TestAStatementIsSeenInOneLineInItsOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, observed string
		seen           bool
	}{
		{"503 database failed …too many", "200 node ok\n503 database failed sorry, too many clients", true},
		{"503 database failed …too many", "503 database failed\ntoo many", false},
		{"a…b", "b a", false},
		{"a…b…b", "a b", false},
		{"200", "503 server.unavailable", false},
	} {
		if got := (statement{"list", c.text}).isSeen(c.observed); got != c.seen {
			t.Errorf("%q in %q: %t", c.text, c.observed, got)
		}
	}
}
