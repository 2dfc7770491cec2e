package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"segel/internal/store"
)

// referTo refers to a file like the transaction of an upload.
func referTo(ctx context.Context, t tx, begins int, key string) error {
	if _, err := t.exec(ctx, `INSERT INTO resumable_part (upload, begins, file_key, file_size, file_digest, file_sums) VALUES ('u', $1, $2, 1, $3, $3)`, begins, key, []byte("d")); err != nil {
		return err
	}
	if err := requireUncollected(ctx, t, key); err != nil {
		return err
	}
	return t.runBatch(ctx) // the check is done, and the transaction goes on
}

// TestACollectionWaitsForATransactionThatRefersToTheFile collects a file between the check of a transaction and its commit, and commits between the check of a
// collection and its commit. On SQLite neither is possible.
func TestACollectionWaitsForATransactionThatRefersToTheFile(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["PostgreSQL"](t))
	ctx, at := t.Context(), time.Unix(1_800_000_000, 0)
	err := errors.Join(s.CreateOrganisation(ctx, store.Organisation{ID: "o", Name: "O"}),
		s.runStatement(ctx, `INSERT INTO resumable_upload (`+uploadColumns+`, ended) VALUES ('u', 'p', 'o', 'f', 1, $1, 0, $1, $1, 0, 0, 0, FALSE)`, []byte("d")))
	if err != nil {
		t.Fatal(err)
	}

	collecting := make(chan error, 1)
	var collected bool
	err = s.db.withTx(ctx, func(held tx) error {
		if err := referTo(ctx, held, 0, "used"); err != nil {
			return err
		}
		go func() {
			var err error
			collected, err = s.CollectFile(ctx, "used", at)
			collecting <- err
		}()
		return s.waitFor(ctx, 1, collecting)
	})
	if err := errors.Join(err, <-collecting); err != nil || collected {
		t.Errorf("a file to which a transaction was about to refer: collected %v, %v", collected, err)
	}

	referring := make(chan error, 1)
	err = s.db.withTx(ctx, func(held tx) error {
		if _, err := held.exec(ctx, `SELECT pg_advisory_xact_lock(`+lockNumber("$1")+`)`, "gone"); err != nil {
			return err
		}
		if _, err := held.exec(ctx, `INSERT INTO collected_file (file_key, collected_at) VALUES ('gone', 0)`); err != nil {
			return err
		}
		go func() { referring <- s.db.withTx(ctx, func(t tx) error { return referTo(ctx, t, 1, "gone") }) }()
		return s.waitFor(ctx, 1, referring)
	})
	if refused := <-referring; err != nil || !errors.Is(refused, store.ErrFileCollected) {
		t.Errorf("a file that was about to be collected: %v, %v", refused, err)
	}
}
