package tsp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// fakeAuthority is a time-stamp authority with fixed answers that counts queries.
type fakeAuthority struct {
	name    string
	err     error
	size    int
	queries int
	begun   func() // called during a query; nil: nothing
}

func (o *fakeAuthority) TokenSize() int { return o.size }

func (o *fakeAuthority) Timestamp(context.Context, []byte) ([]byte, error) {
	o.queries++
	if o.begun != nil {
		o.begun()
	}
	if o.err != nil {
		return nil, o.err
	}
	return []byte(o.name), nil
}

func TestNextAuthorityIsAskedWhenOneGivesNoToken(t *testing.T) {
	t.Parallel()
	dead, alive, spare := &fakeAuthority{err: errors.New("no route")}, &fakeAuthority{name: "second"}, &fakeAuthority{name: "third"}
	token, err := NewFailover(nil, dead, alive, spare).Timestamp(t.Context(), digest[:])
	if string(token) != "second" || err != nil || dead.queries != 1 || spare.queries != 0 {
		t.Errorf("%q, %v; queries: %d and %d", token, err, dead.queries, spare.queries)
	}
}

func TestWithoutAnyAnswerEveryReasonIsReported(t *testing.T) {
	t.Parallel()
	o := NewFailover(nil, &fakeAuthority{err: errors.New("no route")}, &fakeAuthority{err: errors.New("out of order")})
	token, err := o.Timestamp(t.Context(), digest[:])
	if token != nil || err == nil || !strings.Contains(err.Error(), "no route") || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("%q, %v", token, err)
	}
	if token, err := NewFailover(nil).Timestamp(t.Context(), digest[:]); token != nil || err == nil {
		t.Errorf("without authorities: %q, %v", token, err)
	}
}

func TestFailingAuthorityIsPausedLongerEachTimeAndTriedAgain(t *testing.T) {
	t.Parallel()
	at := now
	dead, alive := &fakeAuthority{name: "first", err: errors.New("no route")}, &fakeAuthority{name: "second"}
	o := NewFailover(func() time.Time { return at }, dead, alive)
	fetch := func() string {
		token, err := o.Timestamp(t.Context(), digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return string(token)
	}
	for i, c := range []struct {
		after   time.Duration
		queries int // queries of the failing one so far
	}{
		{0, 1}, {4 * time.Second, 1}, {2 * time.Second, 2}, // after five seconds
		{29 * time.Second, 2}, {2 * time.Second, 3}, // after thirty more
		{59 * time.Second, 3}, {2 * time.Second, 4}, // after sixty more
	} {
		at = at.Add(c.after)
		if got := fetch(); got != "second" || dead.queries != c.queries {
			t.Errorf("step %d: token of %s, first had %d queries, want %d", i, got, dead.queries, c.queries)
		}
	}
	dead.err = nil
	at = at.Add(longestPause)
	if got := fetch(); got != "first" {
		t.Errorf("after its pause: token of %s", got)
	}
	if got := fetch(); got != "first" {
		t.Errorf("once it is well: token of %s", got)
	}
}

func TestOneFailureDoesNotExcludeTheOnlyAuthority(t *testing.T) {
	t.Parallel()
	at := now
	only := &fakeAuthority{name: "only", err: errors.New("hiccup")}
	o := NewFailover(func() time.Time { return at }, only)
	if _, err := o.Timestamp(t.Context(), digest[:]); err == nil {
		t.Fatal("a token from nowhere")
	}
	only.err = nil
	if token, err := o.Timestamp(t.Context(), digest[:]); string(token) != "only" {
		t.Errorf("at once after a hiccup: %v", err)
	}
	only.err = errors.New("dead")
	for range 5 {
		_, err := o.Timestamp(t.Context(), digest[:])
		if err == nil || !strings.Contains(err.Error(), "dead") {
			t.Errorf("the reason is missing: %v", err)
		}
	}
	if only.queries != 4 {
		t.Errorf("%d queries, want 4: the hiccup, the token, and two failures before its pause", only.queries)
	}
}

func TestAfterAPauseOneCallerTries(t *testing.T) {
	t.Parallel()
	at := now
	dead := &fakeAuthority{err: errors.New("no route")}
	o := NewFailover(func() time.Time { return at }, dead)
	for range 2 {
		_, _ = o.Timestamp(t.Context(), digest[:])
	}
	at = at.Add(secondPause)
	var others error
	dead.begun = func() {
		dead.begun = nil
		_, others = o.Timestamp(t.Context(), digest[:])
	}
	_, _ = o.Timestamp(t.Context(), digest[:])
	if dead.queries != 3 || others == nil || !strings.Contains(others.Error(), "tried again") {
		t.Errorf("%d queries, the other caller heard %v", dead.queries, others)
	}
}

func TestCallerWhoGoesAwayIsNoFailureOfTheAuthority(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	first, second := &fakeAuthority{err: context.Canceled, begun: cancel}, &fakeAuthority{}
	o := NewFailover(nil, first, second)
	if _, err := o.Timestamp(ctx, digest[:]); !errors.Is(err, context.Canceled) || second.queries != 0 {
		t.Errorf("%v, second had %d queries", err, second.queries)
	}
	if o.members[0].failures != 0 {
		t.Error("counted as a failure")
	}
}

func TestSizeIsKnownWhenEveryAuthoritysIs(t *testing.T) {
	t.Parallel()
	for want, sizes := range map[int][]int{0: {4000, 0}, 6000: {4000, 6000}} {
		var all []Timestamper
		for _, n := range sizes {
			all = append(all, &fakeAuthority{size: n})
		}
		if got := NewFailover(nil, all...).TokenSize(); got != want {
			t.Errorf("%v: %d, want %d", sizes, got, want)
		}
	}
}
