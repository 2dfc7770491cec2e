package workflow_test

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/store/storetest/pgtest"
	"segel/internal/workflow"
	"segel/pades/validate"
)

// onBothWithDatabase runs a test on both databases, with a separate connection for the test.
func onBothWithDatabase(t *testing.T, test func(*testing.T, *harness, *sql.DB)) {
	t.Parallel()
	for name, c := range map[string]struct {
		driver string
		dsn    func(testing.TB) string
	}{
		"SQLite":     {"sqlite", func(t testing.TB) string { return storetest.SQLite(t, sqlstore.Migrate) }},
		"PostgreSQL": {"pgx", func(t testing.TB) string { return pgtest.Database(t, sqlstore.Migrate) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := c.dsn(t)
			h := newHarnessOn(t, dsn)
			db, err := sql.Open(c.driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, h, db)
		})
	}
}

// changeRevision overwrites one column of a revision's row.
func changeRevision(t *testing.T, db *sql.DB, id contract.DocumentID, position int, column string, value any) {
	t.Helper()
	r, err := db.ExecContext(t.Context(), `UPDATE revision SET `+column+` = $1 WHERE document = $2 AND position = $3`, value, id, position)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%d rows changed: %v", n, err)
	}
}

// flipped returns a copy with one bit of one byte changed.
func flipped(b []byte, at int) []byte {
	c := bytes.Clone(b)
	c[at] ^= 1
	return c
}

// tampering is a way to change the row of a revision.
type tampering struct {
	name   string
	change func(r contract.Revision, before *contract.Revision) map[string]any // columns and values
}

var tamperings = []tampering{
	{"kind", func(contract.Revision, *contract.Revision) map[string]any {
		return map[string]any{"kind": string(contract.RevisionTimestamp)}
	}},
	{"key", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"file_key": strings.Repeat("0a", 8) + r.Tail.Key[16:]}
	}},
	{"key that is none", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"file_key": "../../" + r.Tail.Key}
	}},
	{"size, one more", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"file_size": r.Tail.Size + 1}
	}},
	{"size, a chunk more", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"file_size": r.Tail.Size + 1<<20}
	}},
	{"digest of the blob", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"file_digest": flipped(r.Tail.Digest[:], 0)}
	}},
	{"sums", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"file_sums": flipped(r.Tail.Sums, 31)}
	}},
	{"begin", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"begins": r.Begin + 1}
	}},
	{"end", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"ends": r.End - 1}
	}},
	{"digest of the document", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"digest": flipped(r.Digest[:], 7)}
	}},
	{"midstate, a bit of its words", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"midstate": flipped(r.Midstate, 11)}
	}},
	{"midstate, a bit of its block", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"midstate": flipped(r.Midstate, 36)}
	}},
	{"midstate, a bit of its count", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"midstate": flipped(r.Midstate, 107)}
	}},
	{"midstate, cut", func(r contract.Revision, _ *contract.Revision) map[string]any {
		return map[string]any{"midstate": r.Midstate[:50]}
	}},
	{"midstate of the revision before", func(r contract.Revision, before *contract.Revision) map[string]any {
		if before == nil {
			return map[string]any{"midstate": []byte{}}
		}
		return map[string]any{"midstate": before.Midstate}
	}},
	{"digest and midstate of other bytes", func(r contract.Revision, _ *contract.Revision) map[string]any {
		state, digest := stateOfOthers(r.End)
		return map[string]any{"midstate": state, "digest": digest}
	}},
	{"who signed", func(contract.Revision, *contract.Revision) map[string]any {
		return map[string]any{"person": "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a09"}
	}},
	{"when", func(contract.Revision, *contract.Revision) map[string]any {
		return map[string]any{"made_at": int64(1)}
	}},
}

// TestNoChangedFieldOfARevisionMakesAnInvalidCompletedDocument changes every column of every revision's row, once
// before the document is signed, and once before it is stamped and sealed.
func TestNoChangedFieldOfARevisionMakesAnInvalidCompletedDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("long and sequential: not for the race detector")
	}
	onBothWithDatabase(t, func(t *testing.T, h *harness, db *sql.DB) {
		outcomes := map[string]int{}
		for _, how := range tamperings {
			for _, signedBefore := range []bool{false, true} {
				for back := range 2 { // counted back from the newest revision
					id := h.draft(true, 1)
					if signedBefore {
						h.signs(id)
					}
					d := h.read(id)
					at := len(d.Revisions) - 1 - back
					var before *contract.Revision
					if at > 0 {
						before = &d.Revisions[at-1]
					}
					for column, value := range how.change(d.Revisions[at], before) {
						changeRevision(t, db, id, at, column, value)
					}
					outcome := h.finish(id, signedBefore)
					outcomes[outcome]++
					t.Logf("%s of revision %d, signed before %v: %s", how.name, at, signedBefore, outcome)
				}
			}
		}
		if outcomes["completed"] == 0 || outcomes["refused"] == 0 {
			t.Errorf("every change had the same outcome: %v", outcomes)
		}
	})
}

// signs signs the document as the signer.
func (h *harness) signs(id contract.DocumentID) {
	h.t.Helper()
	if _, err := h.Sign(context.Background(), h.signer, id, workflow.SignRequest{}); err != nil {
		h.t.Fatal(err)
	}
}

// finish processes a document as far as possible and returns whether it was completed. A completed document must be
// valid.
func (h *harness) finish(id contract.DocumentID, signed bool) string {
	h.t.Helper()
	ctx := context.Background()
	if !signed {
		_, _ = h.Sign(ctx, h.signer, id, workflow.SignRequest{})
	}
	for range 3 {
		_, _ = h.Stamp(ctx, id), h.Complete(ctx, id)
	}
	d, err := h.store.Document(ctx, id)
	if err != nil || d.State != contract.Completed {
		return "refused"
	}
	h.valid(id)
	return "completed"
}

// valid requires that a completed document can be downloaded with its recorded digest, and that every signature in it
// is TOTAL-PASSED. After a renewal by another authority, only that authority's responder has the status of the newest
// timestamp's certificate.
func (h *harness) valid(id contract.DocumentID) {
	h.t.Helper()
	c, err := h.Download(context.Background(), h.owner, id)
	if err != nil {
		h.t.Errorf("document %d is completed and cannot be downloaded: %v", id, err)
		return
	}
	defer c.Close()
	file, err := io.ReadAll(c)
	if err != nil {
		h.t.Errorf("document %d is completed and cannot be downloaded: %v", id, err)
		return
	}
	r, err := validate.Validate(context.Background(), bytes.NewReader(file), int64(len(file)), validate.Options{At: h.now(), Trust: h.Trust, Online: h.Revocation, Exempt: emeterai.LooksLikeStamp})
	if err != nil {
		h.t.Errorf("document %d is completed and cannot be validated: %v", id, err)
		return
	}
	if !r.Passed() {
		h.t.Errorf("document %d is completed and %s %s, %s: %s", id, r.Indication, r.SubIndication, r.Integrity, r.Summary.Code)
	}
	for _, s := range r.Signatures {
		if s.Kind == validate.KindSignature && s.Level != validate.LevelLTA {
			h.t.Errorf("document %d is completed and %q is %s", id, s.Field, s.Level)
		}
	}
}

// stateOfOthers returns the matching midstate and digest of n other bytes.
func stateOfOthers(n int64) (midstate, digest []byte) {
	d := blob.NewDigester()
	_, _ = io.CopyN(d, zeros{}, n) // a digester does not fail
	all := d.Digest()
	return all.Midstate, all.DocumentSum[:]
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
