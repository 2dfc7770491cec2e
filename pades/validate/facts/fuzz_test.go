package facts_test

import (
	"bytes"
	"testing"
	"time"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// FuzzRead reads anything. Maps and pools make coverage differ from run to run, which the engine would chase for a minute
// at each find without trying anything else: with -fuzzminimizetime 10x it does thousands of executions a second.
func FuzzRead(f *testing.F) {
	f.Add(pdftest.Form())
	f.Add(signedTable(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		begun := time.Now()
		got, err := facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{Limits: facts.Limits{
			PDF: pdf.Limits{Decoded: 1 << 20, Objects: 100_000, Pages: 10_000, Fields: 10_000}, Content: 1 << 20,
		}})
		limits := facts.LimitsForSigning(int64(len(b)))
		limits.PDF.Decoded, limits.PDF.Objects = 1<<20, 100_000
		signable, unreadable := facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{Limits: limits, ForSigning: true})
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		if unreadable == nil && signable.Unsignable == nil && (err != nil || len(signable.Revisions) == 0 || signable.Repaired) {
			t.Errorf("it may be signed, and cannot be read: %v, %d revisions, repaired %t", err, len(signable.Revisions), signable.Repaired)
		}
		if err != nil {
			return
		}
		for _, s := range got.Signatures {
			if s.Coverage.State == "" || s.Coverage.State != facts.Broken && (s.Revision == 0 || len(s.Coverage.Reasons) > 0 || s.Coverage.End == 0) {
				t.Errorf("coverage of %q: %+v", s.Field, s.Coverage)
			}
			if s.Integrity == nil && (s.Computed == nil || s.Signer == nil) {
				t.Errorf("signature in %q holds without digest or signer", s.Field)
			}
			for _, l := range s.Later {
				if l.Level > s.Permits && len(l.Denied) == 0 {
					t.Errorf("revision %d is of level %v and nothing is denied", l.Revision, l.Level)
				}
			}
		}
		for _, r := range got.Revisions {
			for _, c := range r.Changes {
				if (c.Rule == "") != (c.Level == diff.Other) || c.Code == "" {
					t.Errorf("change without a rule, or denied with one: %+v", c)
				}
			}
		}
	})
}
