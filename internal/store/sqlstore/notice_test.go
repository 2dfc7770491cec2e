package sqlstore

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// TestTransactionsThatOrderTheSameJobDoNotWaitForEachOther has a commit of a document wait for the log, and then a change of a password. Both order the job that
// delivers notices about accounts. The server is told to end no deadlock.
func TestTransactionsThatOrderTheSameJobDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	dsn, err := url.Parse(databases["PostgreSQL"](t))
	if err != nil {
		t.Fatal(err)
	}
	q := dsn.Query()
	q.Set("deadlock_timeout", "60s")
	dsn.RawQuery = q.Encode()
	s, ctx, at := storeWithDocuments(t, dsn.String(), 0), t.Context(), time.Unix(1_800_000_000, 0)
	d := s.uploadDocument(t, 0)
	if err := s.CreateUser(ctx, store.User{Person: contract.Person{ID: "u", Email: "u@segel.test"}, Organisation: "org", CreatedAt: at}); err != nil {
		t.Fatal(err)
	}
	notice := contract.Notice{Organisation: "org", Person: "u", Kind: contract.NoticeTransferred, State: contract.NoticeOrdered, OrderedAt: at, DueAt: at}
	change := contract.Change{Before: &d, After: d, Events: []contract.Event{{Type: contract.EventTransferred, Document: d.ID, At: at}}, AccountNotices: []contract.Notice{notice}}

	ended := make(chan error, 2)
	err = s.db.withTx(ctx, func(held tx) error {
		if _, err := held.exec(ctx, `UPDATE log_size SET size = size WHERE id = 1`); err != nil {
			return err
		}
		go func() { _, err := s.Commit(ctx, change); ended <- err }()
		if err := s.waitFor(ctx, 1, ended); err != nil {
			return err
		}
		go func() {
			ended <- s.SetPassword(ctx, "u", "", "hash", contract.Event{Type: contract.EventPasswordReset, At: at}, notice)
		}()
		return s.waitFor(ctx, 2, ended)
	})
	if err := errors.Join(err, <-ended, <-ended); err != nil {
		t.Error(err)
	}
}
