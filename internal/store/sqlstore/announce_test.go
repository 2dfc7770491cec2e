package sqlstore

import (
	"context"
	"errors"
	"testing"
)

func TestAnnouncementsReachEveryProcessThatListens(t *testing.T) {
	t.Parallel()
	dsn := databases["PostgreSQL"](t)
	sender, listener := openTest(t, dsn), openTest(t, dsn)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	const said = `it's a "message"`
	type heard struct{ by, what string }
	listening, all, ended := make(chan struct{}, 2), make(chan heard, 10), make(chan error, 2)
	for name, s := range map[string]*Store{"the sender": sender, "another": listener} {
		go func() {
			ended <- s.ListenForAnnouncements(ctx, "segel_test", func() { listening <- struct{}{} }, func(m string) { all <- heard{name, m} })
		}()
	}
	<-listening
	<-listening
	if err := sender.Announce(ctx, "segel_other", "x"); err != nil {
		t.Fatal(err)
	}
	if err := sender.Announce(ctx, "segel_test", said); err != nil {
		t.Fatal(err)
	}
	first, second := <-all, <-all
	if first.what != said || second.what != said || first.by == second.by {
		t.Errorf("heard %v and %v", first, second)
	}
	end()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestOnSQLiteNothingIsAnnounced(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	if err := s.Announce(t.Context(), "segel_test", "x"); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	never := func() { t.Error("it listens") }
	if err := s.ListenForAnnouncements(t.Context(), "segel_test", never, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
