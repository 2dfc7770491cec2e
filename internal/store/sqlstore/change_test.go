package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/store/storetest/pgtest"
)

func TestOnSQLiteNoChangesAreReported(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	never := func() { t.Error("it listens") }
	if err := s.ListenForChanges(t.Context(), never, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

func TestCommitsOfOneProcessAreReportedToAnotherUntilItsConnectionIsLost(t *testing.T) {
	t.Parallel()
	dsn := databases["PostgreSQL"](t)
	proxy, err := pgtest.NewProxy(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close() //nolint:errcheck // nothing is left to forward
	writer, reader := openTest(t, dsn), openTest(t, proxy.DSN())
	type change struct {
		id      contract.DocumentID
		version int64
	}
	listening, changes, ended := make(chan struct{}), make(chan change, 10), make(chan error, 1)
	go func() {
		ended <- reader.ListenForChanges(t.Context(), func() { close(listening) }, func(id contract.DocumentID, version int64) { changes <- change{id, version} })
	}()
	<-listening
	if err := writer.CreateOrganisation(t.Context(), store.Organisation{ID: "org", Name: "Org"}); err != nil {
		t.Fatal(err)
	}
	c, err := uploading(1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := writer.Commit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	after := d
	after.Title = "Changed"
	if after, err = writer.Commit(t.Context(), contract.Change{Before: &d, After: after, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if got := <-changes; got != (change{d.ID, after.Version}) {
		t.Errorf("reported %v, want %d of document %d", got, after.Version, d.ID)
	}
	if err := proxy.Set(pgtest.Reset); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("after the connection was lost: %v", err)
	}
}
