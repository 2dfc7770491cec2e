package identity

import (
	"fmt"
	"testing"
	"time"
)

func TestBucketsRefillAndAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBuckets(Rate{Burst: 2, Every: time.Minute}, 3)
	for i, want := range []bool{true, true, false, false} {
		if wait := b.takeToken("a", now); (wait == 0) != want {
			t.Errorf("try %d waits %v", i, wait)
		}
	}
	if wait := b.takeToken("a", now.Add(20*time.Second)); wait.Round(time.Second) != 40*time.Second {
		t.Errorf("twenty seconds later it waits %v", wait)
	}
	if wait := b.takeToken("a", now.Add(time.Minute)); wait != 0 {
		t.Errorf("a minute later it waits %v", wait)
	}
	for i := range 1000 {
		b.takeToken(fmt.Sprint(i), now)
	}
	if len(b.byKey) != 3 || b.order.Len() != 3 {
		t.Errorf("%d keys, %d in order", len(b.byKey), b.order.Len())
	}
}

func TestOneCallerIsOneKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "": "", "pipe": "pipe",
	} {
		if got := Network(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
