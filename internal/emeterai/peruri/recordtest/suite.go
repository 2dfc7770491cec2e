// Package recordtest has the tests that everything passes that holds what the stamp office returned with serials.
package recordtest

import (
	"context"
	"testing"
	"time"
)

// Records is the Records of package peruri, which only cmd/segel may import.
type Records interface {
	StoreRecord(ctx context.Context, serial string, content []byte) error
	FindRecord(ctx context.Context, serial string) ([]byte, error)
	RetireRecord(ctx context.Context, serial string, at time.Time) error
	RemoveRetired(ctx context.Context, before time.Time) error
	Close() error
}

// Run tests that records fulfil their contract. Open returns records of which none is stored yet, each time others.
func Run(t *testing.T, open func(*testing.T) Records) {
	records := open(t)
	defer func() {
		if err := records.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, now := t.Context(), time.Now()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	requireRecord := func(what, serial, want string) {
		t.Helper()
		got, err := records.FindRecord(ctx, serial)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", what, got, err, want)
		}
	}
	requireRecord("at first", "S1", "")
	must(records.StoreRecord(ctx, "S1", []byte(`{"serial":"S1"}`)))
	must(records.StoreRecord(ctx, "S2", []byte(`{"serial":"S2"}`)))
	requireRecord("stored", "S1", `{"serial":"S1"}`)
	must(records.StoreRecord(ctx, "S1", []byte(`{"serial":"S1","code":"c"}`)))
	requireRecord("replaced", "S1", `{"serial":"S1","code":"c"}`)

	must(records.RetireRecord(ctx, "S1", now))
	must(records.RetireRecord(ctx, "S3", now))
	must(records.RemoveRetired(ctx, now.Add(-time.Hour)))
	requireRecord("retired", "S1", `{"serial":"S1","code":"c"}`)
	must(records.StoreRecord(ctx, "S1", []byte(`{"serial":"S1"}`))) // its stamp is requested again
	must(records.RemoveRetired(ctx, now.Add(time.Hour)))
	requireRecord("taken back", "S1", `{"serial":"S1"}`)
	must(records.RetireRecord(ctx, "S1", now))
	must(records.RemoveRetired(ctx, now.Add(time.Hour)))
	requireRecord("removed", "S1", "")
	requireRecord("another", "S2", `{"serial":"S2"}`)
}
