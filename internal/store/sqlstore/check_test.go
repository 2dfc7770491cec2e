package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"segel/internal/audit"
	"segel/internal/contract"
	"segel/internal/store"
)

// newChecker returns a checker and its findings so far.
func newChecker(t testing.TB, s *Store) (*Checker, *[]store.Discrepancy) {
	t.Helper()
	found := new([]store.Discrepancy)
	c, err := s.NewChecker(t.Context(), t.TempDir(), func(d store.Discrepancy) { *found = append(*found, d) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, found
}

// checkAll runs all checks of the database and returns what they find.
func (s *Store) checkAll(t testing.TB) []store.Discrepancy {
	t.Helper()
	c, found := newChecker(t, s)
	if err := c.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	return *found
}

func (c *Checker) runAll(ctx context.Context) error {
	for _, check := range []func(context.Context) error{
		c.CheckDatabase, c.CheckLog, func(ctx context.Context) error { return c.CheckRecords(ctx, func() {}) }, c.CheckDerived, c.CheckQueue,
	} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// storeWithDocuments returns a store with an organisation and n documents.
func storeWithDocuments(t *testing.T, dsn string, n int) *Store {
	t.Helper()
	s := openTest(t, dsn)
	if err := s.CreateOrganisation(t.Context(), store.Organisation{ID: "org", Name: "Org"}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s.uploadDocument(t, i)
	}
	return s
}

func (s *Store) uploadDocument(t *testing.T, i int) contract.Document {
	t.Helper()
	c, err := uploading(i)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Commit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (s *Store) deleteDocument(t *testing.T, d contract.Document) {
	t.Helper()
	c, err := contract.Delete(&d, contract.Actor{Person: d.Owner, Organisation: d.Organisation}, time.Unix(1_800_000_001, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// execute runs statements like another program.
func (s *Store) execute(t *testing.T, statements ...string) {
	t.Helper()
	err := s.db.withTx(t.Context(), func(x tx) error {
		for _, statement := range statements {
			if n, err := x.exec(t.Context(), statement); err != nil || n == 0 {
				return fmt.Errorf("%s: %d rows, %w", statement, n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// requireFinding requires one finding about a subject, of that severity, whose text contains those words.
func requireFinding(t *testing.T, found []store.Discrepancy, severity store.Severity, about, words string) {
	t.Helper()
	for _, d := range found {
		if d.Severity == severity && d.About == about && strings.Contains(d.Text, words) {
			return
		}
	}
	t.Errorf("nothing of severity %s is found about %s that says %q: %v", severity, about, words, found)
}

func TestACheckOfADatabaseThatOnlyThisProgramWroteFindsNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, recordPage+5)
		s.deleteDocument(t, s.uploadDocument(t, 1000))
		note(t, s, 3)
		if found := s.checkAll(t); len(found) > 0 {
			t.Error(found)
		}
	})
}

func TestWhatIsDoneToRowsOfADocumentIsFound(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 4)
		s.execute(t,
			`UPDATE document SET title = 'Another' WHERE id = 1`,
			`INSERT INTO participant (document, position, person, name, email, phone, role, number, guest, field, viewed_at, signed_at, intent_at)
				SELECT document, position + 10, 'third', name, email, phone, role, number, guest, 'another', viewed_at, signed_at, intent_at FROM participant WHERE document = 2 AND person = 'second'`,
			`DELETE FROM participant WHERE document = 3 AND person = 'second'`,
		)
		found := s.checkAll(t)
		for _, about := range []string{"document 1", "document 2", "document 3"} {
			requireFinding(t, found, store.SeverityEvidence, about, "a row or a column was changed, added or removed")
		}
		for _, d := range found {
			if d.About == "document 4" {
				t.Errorf("nothing was done to it: %v", d)
			}
		}
	})
}

// TestWhoPassedTheirPartOnAndTheRulesForGuestsAreComparedWithTheEvents changes columns that no digest covers, to other values of their form.
func TestWhoPassedTheirPartOnAndTheRulesForGuestsAreComparedWithTheEvents(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 0)
		now := time.Unix(1_800_000_000, 0)
		actor := func(id contract.PersonID) contract.Actor {
			return contract.Actor{Person: contract.Person{ID: id}, Organisation: "org"}
		}
		commit := func(c contract.Change, err error) contract.Document {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Commit(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		if _, err := s.Grant(t.Context(), "org", contract.UnitSignature, 100, "", actor("owner"), now); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			c, err := uploading(i)
			c.After.Delivery = contract.Delivery{Code: contract.CodeToSign, Delegation: true, HideAddresses: true, Message: "Mohon ditandatangani.", Languages: map[contract.PersonID]string{"first": "en"}}
			d := commit(c, err)
			c, _, err = contract.Finalize(&d, contract.FinalizeOptions{}, actor("owner"), now)
			d = commit(c, err)
			to := contract.Participant{Person: contract.Person{ID: "delegate", Name: "Dewi", Email: "dewi@example.test"}, Guest: true}
			commit(contract.Delegate(&d, to, "", "Ia yang berwenang & hadir.", actor("first"), contract.Limits{}.Defaults(), now))
		}
		if found := s.checkAll(t); len(found) > 0 {
			t.Fatal(found)
		}
		s.execute(t,
			`UPDATE document SET delivery = replace(delivery, '"code":"sign",', '') WHERE id = 1`,
			`UPDATE document SET delivery = replace(delivery, ',"hide_addresses":true', '') WHERE id = 2`,
			`UPDATE document SET delegations = '' WHERE id = 3`,
			`UPDATE document SET delegations = replace(delegations, '"to":"delegate"', '"to":"second"') WHERE id = 4`,
		)
		found := s.checkAll(t)
		for _, id := range []string{"1", "2"} {
			requireFinding(t, found, store.SeverityEvidence, "document "+id, "differs from the event of its finalization")
		}
		for _, id := range []string{"3", "4"} {
			requireFinding(t, found, store.SeverityEvidence, "document "+id, "differ from the events about them")
		}
		if len(found) != 4 {
			t.Errorf("found: %v", found)
		}
	})
}

// documentTables lists the tables with rows of a document, referring tables first.
var documentTables = []string{"box", "participant", "revision", "document"}

func TestADocumentWithoutRowsIsReportedUnlessTheLogSaysThatItWasDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 2)
		for _, table := range documentTables {
			column := "document"
			if table == "document" {
				column = "id"
			}
			s.execute(t, `DELETE FROM `+table+` WHERE `+column+` = 2`)
		}
		requireFinding(t, s.checkAll(t), store.SeverityEvidence, "document 2", "it is missing")

		key := "0" // of the file of the first document
		c, _ := newChecker(t, s)
		if err := c.CheckLog(t.Context()); err != nil {
			t.Fatal(err)
		}
		if live, named, err := c.LoggedFile(t.Context(), key, "unknown"); err != nil || !live || !named {
			t.Errorf("the file of a document: live %t, named %t, %v", live, named, err)
		}
		first, err := s.Document(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		s.deleteDocument(t, first) // after the log was read
		if live, named, err := c.LoggedFile(t.Context(), key, hex.EncodeToString(first.Original.Digest[:])); err != nil || live || named {
			t.Errorf("the file of a draft that was deleted: live %t, named %t, %v", live, named, err)
		}
	})
}

func TestADocumentThatIsBroughtBackAfterItsDeletionIsReported(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 2)
		second, err := s.Document(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		s.deleteDocument(t, second)
		others := strings.Join(recordKinds[0].parts[0].columns[1:], ", ") // all but the number
		s.execute(t, `INSERT INTO document (id, `+others+`) SELECT 2, `+strings.Replace(others, " name,", " name || 'x',", 1)+` FROM document WHERE id = 1`)
		requireFinding(t, s.checkAll(t), store.SeverityEvidence, "document 2", "says that it was removed")
	})
}

func TestRowsOfAReleaseBeforeDigestsAreStatedOnceAndProtectedFromThenOn(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		note(t, s, 1) // an event without digests, like all events of earlier releases
		s.execute(t, `INSERT INTO organisation (id, name, created_at) VALUES ('old', 'Old', 1)`)
		requireFinding(t, s.checkAll(t), store.SeverityUnrecorded, "organisation old", "has no digest")

		c, found := newChecker(t, s)
		if err := c.runAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, err := c.RecordMissing(t.Context()); err != nil || n != 1 {
			t.Errorf("%d records are stated, %v; found %v", n, err, *found)
		}
		if found := s.checkAll(t); len(found) > 0 {
			t.Errorf("everything is stated: %v", found)
		}
		if err := s.CheckLog(t.Context()); err != nil {
			t.Error(err)
		}

		s.execute(t, `INSERT INTO organisation (id, name, created_at) VALUES ('new', 'New', 1)`, `UPDATE organisation SET name = 'x' WHERE id = 'old'`)
		c, found = newChecker(t, s)
		if err := c.runAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		requireFinding(t, *found, store.SeverityEvidence, "organisation new", "another program added them")
		requireFinding(t, *found, store.SeverityEvidence, "organisation old", "a row or a column was changed")
		if n, err := c.RecordMissing(t.Context()); err != nil || n != 0 {
			t.Errorf("%d records that another program wrote are stated, %v", n, err)
		}
	})
}

func TestACheckBesideAProcessThatWritesFindsNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 30)
		ctx, stop := context.WithCancel(t.Context())
		written := make(chan error)
		go func() {
			var err error
			for i := 1000; ctx.Err() == nil && err == nil; i++ {
				var c contract.Change
				if c, err = uploading(i); err != nil {
					break
				}
				var d contract.Document
				if d, err = s.Commit(t.Context(), c); err != nil || i%2 == 0 {
					continue
				}
				if c, err = contract.Delete(&d, contract.Actor{Person: d.Owner, Organisation: d.Organisation}, time.Unix(1_800_000_001, 0)); err == nil {
					_, err = s.Commit(t.Context(), c)
				}
			}
			written <- err
		}()
		for range 5 {
			c, found := newChecker(t, s)
			if err := c.runAll(t.Context()); err != nil {
				t.Error(err)
			}
			if len(*found) > 0 {
				t.Error(*found)
			}
		}
		stop()
		if err := <-written; err != nil {
			t.Error(err)
		}
	})
}

func TestARecordHasOneDigestOnBothDatabases(t *testing.T) {
	t.Parallel()
	digests := map[[32]byte]bool{}
	for _, dsn := range databases {
		s := storeWithDocuments(t, dsn(t), 1)
		err := s.db.withSnapshot(t.Context(), func(q querier) error {
			d, err := recordDigest(t.Context(), q, recordOf("document", 1))
			digests[d] = true
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(digests) != 1 || digests[noRecord] {
		t.Errorf("%d digests", len(digests))
	}
}

// TestTheSampleRecordIsStillDigestedAsItWas pins the bytes that are digested, and the line that states them.
// TestDigestsOfWrittenValuesAreThoseOfTheStoredRows commits values that databases could store in another form.
func TestDigestsOfWrittenValuesAreThoseOfTheStoredRows(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 0)
		before := s.uploadDocument(t, 0)
		odd := "\x00 \xff É É \u2028 '\" 𐍈"
		after := before
		after.Name, after.Title, after.Filename, after.Reason = odd, odd, odd, odd
		after.Owner.Name, after.Owner.Email = odd, odd
		after.Parallel, after.Pages, after.Restamping, after.Specimen = true, 1<<31, true, true
		after.ExpiresAt = time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, contract.Jakarta)
		after.Original = contract.File{Key: "other", Size: 1 << 40, Digest: sha256.Sum256([]byte(odd)), Sums: []byte{0, 255}}
		after.Conversion = contract.Conversion{State: contract.Converting, Problem: odd, Warnings: []contract.Warning{{Field: odd, Code: odd, Args: map[string]any{odd: 1.5, "b": true}}}}
		after.Findings = []contract.Finding{{Code: contract.FindingCode(odd), Page: 2, Args: map[string]string{odd: odd}, Accepted: true}}
		after.Participants = []contract.Participant{
			{Person: contract.Person{ID: "second", Name: odd, Email: odd}, Phone: odd, Role: contract.Viewer, Guest: true, Field: odd, SignedAt: time.Unix(1, 1)},
			{Person: contract.Person{ID: "first"}, Role: contract.Signer, Number: 1 << 31},
		}
		for i, x := range []float64{0, math.Copysign(0, -1), 1, 100, 0.1, -1.0 / 3, 1e300, 5e-324, 1 << 53, 12345678.9} {
			after.Placements = append(after.Placements, contract.Placement{Kind: contract.PlaceStamp, Page: i + 1, Box: contract.Box{LLX: x, LLY: -x, URX: x + 1, URY: x * 2}})
		}
		after.Stamps = []contract.Stamp{{State: contract.StampOrdered, Problem: odd, AffixedAt: time.Unix(2, 0)}, {Placement: 1, Serial: "S1", Source: [32]byte{1}, Attempts: 3}}
		after.Revisions = []contract.Revision{
			{Tail: before.Revisions[0].Tail, End: 1, Digest: before.Revisions[0].Digest, Kind: before.Revisions[0].Kind, By: before.Revisions[0].By, At: before.Revisions[0].At},
			{Tail: contract.File{Key: "tail", Size: 1, Sums: []byte{1}}, Begin: 1, End: 2, Midstate: []byte{7}, By: "first", At: time.Unix(3, 5), NextObject: math.MaxUint32},
		}
		changed, err := s.Commit(t.Context(), contract.Change{Before: &before, After: after, At: time.Unix(1_800_000_001, 0)})
		if err != nil {
			t.Fatal(err)
		}
		changed.Placements, changed.Stamps, changed.Participants = changed.Placements[:3], changed.Stamps[:1], changed.Participants[:1]
		read, err := s.Document(t.Context(), before.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Commit(t.Context(), contract.Change{Before: &read, After: changed, At: time.Unix(1_800_000_002, 0)}); err != nil {
			t.Fatal(err)
		}
		c, found := newChecker(t, s)
		if err := errors.Join(c.CheckLog(t.Context()), c.CheckRecords(t.Context(), func() {})); err != nil || len(*found) > 0 {
			t.Error(*found, err)
		}
	})
}

func TestTheSampleRecordIsStillDigestedAsItWas(t *testing.T) {
	t.Parallel()
	row := func(values ...any) []byte {
		b, err := appendValues(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	kind, _ := findRecordKind("credential")
	b := kind.encode([][][]byte{
		{row("a/b c", "Siti", []byte("sealed, 1:"), int64(-1), int64(1_800_000_000_000_000), nil)},
		{row(int64(1), []byte("root")), row(int64(0), []byte("leaf")), row(true, false, 1.5)},
	})
	sample, err := os.ReadFile("testdata/formats/record-1.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, line, _ := strings.Cut(string(sample), "\n\n")
	if string(b) != want {
		t.Errorf("the record has become %q", b)
	}
	if got := (statedRecord{recordOf("credential", "a/b c"), sha256.Sum256(b)}).formatLine() + "\n"; got != line {
		t.Errorf("the line has become %q, not %q", got, line)
	}
}

func TestOnlyLinesOfTheirFormAreRecords(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("ab", 32)
	good := "document 1 " + digest + "\nfile k -\nlater/kind x " + digest
	all, err := parseRecords(good)
	if err != nil || len(all) != 3 || all[1].digest != noRecord || all[2].kind != "later/kind" {
		t.Errorf("%v, %v", all, err)
	}
	for _, bad := range []string{"document", "document 1", "document 1 " + digest + " x", "document 1 " + digest[2:], "document 1 " + digest + "ab", "document 1 zz", "document 1 -\n", " 1 -"} {
		if _, err := parseRecords(bad); !errors.Is(err, errRecords) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseRecords(f *testing.F) {
	f.Add("document 1 " + strings.Repeat("ab", 32) + "\nquota org/stamp -")
	f.Add("file 00 -")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseRecords(text)
		if err != nil {
			return
		}
		lines := make([]string, len(all))
		for i, s := range all {
			lines[i] = s.formatLine()
		}
		if again, err := parseRecords(strings.Join(lines, "\n")); err != nil || fmt.Sprint(again) != fmt.Sprint(all) {
			t.Errorf("%q is read as %v, and that as %v, %v", text, all, again, err)
		}
	})
}

func TestRecordsAreInTheLogAndNotAmongWhatPeopleRead(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 1)
		events, err := s.Events(t.Context(), 1)
		if err != nil || len(events) == 0 {
			t.Fatal(events, err)
		}
		for _, e := range events {
			if e.Records != "" || e.Details[audit.DetailRecords] != "" {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestAProofOfAnEventHasASaltedDigestOfItsRecordsAlone(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 1)
		size, _, err := s.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		proven, err := s.Prove(t.Context(), 1, size)
		if err != nil || len(proven) != 1 {
			t.Fatal(proven, err)
		}
		leaf := string(audit.EncodeLeaf(proven[0].Event))
		if !strings.Contains(leaf, "7:records,64:"+proven[0].Records) || strings.Contains(leaf, "document 1") {
			t.Error(leaf)
		}
		err = s.db.withSnapshot(t.Context(), func(q querier) error {
			events, err := readEvents(t.Context(), q, proven[0].Leaf, proven[0].Leaf+1)
			if lines := events[proven[0].Leaf].lines; !strings.HasPrefix(lines, "salt 1 ") || !strings.Contains(lines, "\ndocument 1 ") || hexDigest(lines) != proven[0].Records {
				t.Errorf("%q", lines)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkCheck compares documents with the log.
func BenchmarkCheck(b *testing.B) {
	for name, dsn := range databases {
		b.Run(name, func(b *testing.B) {
			const documents = 5000
			s := openTest(b, dsn(b))
			upload(b, s, documents)
			for b.Loop() {
				c, found := newChecker(b, s)
				if err := c.runAll(b.Context()); err != nil || len(*found) > 0 {
					b.Fatal(*found, err)
				}
			}
			b.ReportMetric(float64(documents*b.N)/b.Elapsed().Seconds(), "documents/s")
		})
	}
}

func TestChecksOfWholeTablesTakeLongerThanOtherTransactionsMay(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 1)
		c, found := newChecker(t, s)
		if err := c.CheckLog(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.db.(*boundedDatabase).timeout = time.Nanosecond
		requireOutage(t, "another transaction", s.CheckWriter(t.Context()))
		for name, check := range map[string]func(context.Context) error{"database": c.CheckDatabase, "derived": c.CheckDerived, "queue": c.CheckQueue} {
			if err := check(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(*found) > 0 {
			t.Error(*found)
		}
		if s.db.embedded() {
			return
		}
		err := s.db.readWhole(t.Context(), func(q querier) error {
			var limit string
			err := queryOne(t.Context(), q, []any{&limit}, `SELECT current_setting('statement_timeout')`)
			if limit != "0" {
				t.Errorf("the server ends statements after %s", limit)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
