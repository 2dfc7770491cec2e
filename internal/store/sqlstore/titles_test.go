package sqlstore

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// sampleTitles are what testdata/formats/titles-1.hex holds.
var sampleTitles = []titled{{8200, "perjanjian sewa"}, {8195, ""}, {8192, "émobil 100%"}}

func TestTheSampleOfTitlesIsStillReadAndWrittenAsItWas(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/formats/titles-1.hex")
	if err != nil {
		t.Fatal(err)
	}
	sample, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	if got := encodeTitles(8192, sampleTitles); !slices.Equal(got, sample) {
		t.Errorf("the titles have become %x", got)
	}
	for needle, want := range map[string][]contract.DocumentID{"": {8200, 8195, 8192}, "sewa": {8200}, "mobil": {8192}, "é": {8192}, "%": {8192}, "i": {8200, 8192}, "nowhere": nil, "\x00": nil} {
		if got, err := findTitles(sample, 8192, foldText(needle)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", needle, got, err, want)
		}
	}
}

func FuzzFindTitles(f *testing.F) {
	f.Add(encodeTitles(0, sampleTitles), "sewa")
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 0, 'a', 0, 'a'}, "a")
	f.Add([]byte{1, 255, 255, 255, 255}, "")
	f.Fuzz(func(t *testing.T, b []byte, needle string) {
		found, err := findTitles(b, 4096, needle)
		if err != nil && !errors.Is(err, errTitles) {
			t.Error(err)
		}
		if 4*len(found) > len(b) {
			t.Errorf("%d documents are found in %d bytes", len(found), len(b))
		}
	})
}

// longList returns a store in which the owner has a list of 13 documents with stored titles, those of the first span indexed.
func longList(t *testing.T, dsn string) *Store {
	t.Helper()
	s := openWith(t, dsn, smallBlocks)
	if err := s.CreateOrganisation(t.Context(), store.Organisation{ID: "org", Name: "Org"}); err != nil {
		t.Fatal(err)
	}
	for i := range 13 {
		s.uploadDocument(t, i)
	}
	for range 2 { // the first search finds the index missing
		if err := s.IndexTitles(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.List(t.Context(), store.ListQuery{Person: "owner", Box: store.Outbox, Search: "title"}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestChangedCountsAndTitlesOfLongListsAreFound(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := longList(t, dsn)
		if found := s.checkAll(t); len(found) > 0 {
			t.Fatal(found)
		}
		text := `decode('0100000000', 'hex')`
		if s.db.embedded() {
			text = `x'0100000000'`
		}
		const (
			span   = ` box_span SET %s WHERE person = 'owner' AND start = 0 AND state = '%s'`
			leaf   = ` box_leaf SET %s WHERE person = 'owner' AND start = 4 AND state = '%s'`
			titles = ` box_titles SET %s WHERE person = 'owner' AND start = 4`
		)
		for _, c := range []struct{ what, table, change, undo string }{
			{"amount of a span", fmt.Sprintf(span, "%s", "draft"), `amount = amount + 1`, `amount = amount - 1`},
			{"amount of a span in all states", fmt.Sprintf(span, "%s", ""), `amount = amount + 1`, `amount = amount - 1`},
			{"first day of a span", fmt.Sprintf(span, "%s", ""), `first_day = first_day + 1`, `first_day = first_day - 1`},
			{"a span that is not split", fmt.Sprintf(span, "%s", ""), `split = FALSE`, `split = TRUE`},
			{"amount of a leaf", fmt.Sprintf(leaf, "%s", "draft"), `amount = amount - 1`, `amount = amount + 1`},
			{"checksum of a leaf", fmt.Sprintf(leaf, "%s", ""), `checksum = checksum + 1`, `checksum = checksum - 1`},
			{"first day of a leaf", fmt.Sprintf(leaf, "%s", "draft"), `first_day = first_day + 1`, `first_day = first_day - 1`},
			{"a span that is split", ` box_span SET %s WHERE start = 12 AND state = ''`, `split = TRUE`, `split = FALSE`},
			{"checksum of a span", fmt.Sprintf(span, "%s", "draft"), `checksum = checksum + 1`, `checksum = checksum - 1`},
			{"last day of a span", fmt.Sprintf(span, "%s", "draft"), `last_day = last_day - 1`, `last_day = last_day + 1`},
			{"last day of a leaf", fmt.Sprintf(leaf, "%s", ""), `last_day = last_day - 1`, `last_day = last_day + 1`},
			{"bucket of the index", ` box_gram SET %s WHERE bucket = (SELECT MIN(bucket) FROM box_gram WHERE start = 0) AND start = 0`, `bucket = 10000`, ""},
			{"state of a span", fmt.Sprintf(span, "%s", "draft"), `state = 'drafx'`, ""},
			{"titles", titles, `titles = ` + text, ""},
		} {
			before := s.checkAll(t)
			s.execute(t, `UPDATE`+fmt.Sprintf(c.table, c.change))
			if found := s.checkAll(t); len(found) <= len(before) {
				t.Errorf("%s: nothing is found", c.what)
			}
			if c.undo != "" {
				s.execute(t, `UPDATE`+fmt.Sprintf(c.table, c.undo))
			}
		}
	})
}

func TestTitlesOfOtherDocumentsAreNotUsed(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := longList(t, dsn)
		search := func() int {
			t.Helper()
			l, err := s.List(t.Context(), store.ListQuery{Person: "owner", Box: store.Outbox, Search: "title 4", Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			return l.Total
		}
		if n := search(); n != 1 {
			t.Fatalf("%d found", n)
		}
		// The titles of the leaf are overwritten by those of another, which shows whether they are used.
		s.execute(t, `UPDATE box_titles SET titles = (SELECT o.titles FROM box_titles o WHERE o.person = 'owner' AND o.start = 0) WHERE person = 'owner' AND start = 4`)
		if n := search(); n != 0 {
			t.Fatalf("%d found: the stored titles are not used", n)
		}
		for _, count := range []string{"amount", "checksum", "edits"} {
			s.execute(t, `UPDATE box_titles SET `+count+` = `+count+` + 1 WHERE person = 'owner' AND start = 4`)
			if n := search(); n != 1 {
				t.Errorf("%d found, with titles of another %s", n, count)
			}
			s.execute(t, `UPDATE box_titles SET `+count+` = `+count+` - 1 WHERE person = 'owner' AND start = 4`)
		}
		// The search above has noted the block, so its titles are stored again.
		s.execute(t, `UPDATE box_titles SET edits = 1 WHERE person = 'owner' AND start = 4`)
		search()
		if err := s.IndexTitles(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := search(); n != 1 {
			t.Errorf("%d found after the titles were stored again", n)
		}
		if found := s.checkAll(t); len(found) > 0 {
			t.Error(found)
		}
	})
}

// TestEveryPartOfATitleIsInTheIndex requires that no part of a title is looked up by a sequence that the index does not have.
func TestEveryPartOfATitleIsInTheIndex(t *testing.T) {
	t.Parallel()
	s := longList(t, databases["SQLite"](t))
	title := foldText("Title 6")
	for from := range title {
		for to := from + 1; to <= len(title); to++ {
			err := s.db.withSnapshot(t.Context(), func(r querier) error {
				spans, err := readSpans(t.Context(), r, "owner", store.Outbox, "")
				if err != nil {
					return err
				}
				leaves, err := readCandidateLeaves(t.Context(), r, boxList{"owner", store.Outbox}, spans, title[from:to])
				if among, indexed := leaves[0]; !indexed || !among.has(1) {
					t.Errorf("%q is not looked for in the leaf of document 7", title[from:to])
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for absent, want := range map[string]bool{"z": true, "zq": true, "tla": true, "title 77": true, "title 5": false} {
		err := s.db.withSnapshot(t.Context(), func(r querier) error {
			spans, err := readSpans(t.Context(), r, "owner", store.Outbox, "")
			if err != nil {
				return err
			}
			leaves, err := readCandidateLeaves(t.Context(), r, boxList{"owner", store.Outbox}, spans, absent)
			if leaves[0].isEmpty() != want {
				t.Errorf("%q: the leaves are %v", absent, leaves[0])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
