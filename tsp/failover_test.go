package tsp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// fakeAuthority is a time-stamp authority that answers as the test says, and counts.
type fakeAuthority struct {
	name  string
	err   error
	size  int
	asked int
	begun func() // called while it is asked; nil: nothing
}

func (o *fakeAuthority) TokenSize() int { return o.size }

func (o *fakeAuthority) Timestamp(context.Context, []byte) ([]byte, error) {
	o.asked++
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
	if string(token) != "second" || err != nil || dead.asked != 1 || spare.asked != 0 {
		t.Errorf("%q, %v; asked %d and %d", token, err, dead.asked, spare.asked)
	}
}

func TestWithoutAnyAnswerThereIsNoTokenAndEveryReasonIsTold(t *testing.T) {
	t.Parallel()
	o := NewFailover(nil, &fakeAuthority{err: errors.New("no route")}, &fakeAuthority{err: errors.New("out of order")})
	token, err := o.Timestamp(t.Context(), digest[:])
	if token != nil || err == nil || !strings.Contains(err.Error(), "no route") || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("%q, %v", token, err)
	}
	if token, err := NewFailover(nil).Timestamp(t.Context(), digest[:]); token != nil || err == nil {
		t.Errorf("of nobody: %q, %v", token, err)
	}
}

func TestDeadAuthorityIsLeftAloneLongerEachTimeAndComesBack(t *testing.T) {
	t.Parallel()
	at := now
	dead, alive := &fakeAuthority{name: "first", err: errors.New("no route")}, &fakeAuthority{name: "second"}
	o := NewFailover(func() time.Time { return at }, dead, alive)
	ask := func() string {
		token, err := o.Timestamp(t.Context(), digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return string(token)
	}
	for i, c := range []struct {
		after time.Duration
		asked int // how often the dead one has been asked then
	}{
		{0, 1}, {4 * time.Second, 1}, {2 * time.Second, 2}, // after five seconds
		{29 * time.Second, 2}, {2 * time.Second, 3}, // after thirty more
		{59 * time.Second, 3}, {2 * time.Second, 4}, // after sixty more
	} {
		at = at.Add(c.after)
		if got := ask(); got != "second" || dead.asked != c.asked {
			t.Errorf("step %d: token of %s, first asked %d times, want %d", i, got, dead.asked, c.asked)
		}
	}
	dead.err = nil
	at = at.Add(longestPause)
	if got := ask(); got != "first" {
		t.Errorf("after its rest: token of %s", got)
	}
	if got := ask(); got != "first" {
		t.Errorf("once it is well: token of %s", got)
	}
}

func TestOneFailureDoesNotShutTheOnlyAuthorityOut(t *testing.T) {
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
	if only.asked != 4 {
		t.Errorf("asked %d times, want 4: the hiccup, the token, and two failures before its rest", only.asked)
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
	if dead.asked != 3 || others == nil || !strings.Contains(others.Error(), "tried again") {
		t.Errorf("asked %d times, the other caller heard %v", dead.asked, others)
	}
}

func TestCallerWhoGoesAwayIsNoFailureOfTheAuthority(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	first, second := &fakeAuthority{err: context.Canceled, begun: cancel}, &fakeAuthority{}
	o := NewFailover(nil, first, second)
	if _, err := o.Timestamp(ctx, digest[:]); !errors.Is(err, context.Canceled) || second.asked != 0 {
		t.Errorf("%v, second asked %d times", err, second.asked)
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
