package main

import (
	"testing"
	"time"
)

func TestDocumentsThatShareASlotAreFound(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return time.Unix(1_800_000_000+int64(seconds), 0) }
	for name, c := range map[string]struct {
		calls     []stampCall
		disturbed []time.Time
		faults    int
	}{
		"one after the other":                {[]stampCall{{1, at(0), at(2)}, {2, at(2), at(3)}}, nil, 0},
		"of two nodes at once":               {[]stampCall{{2, at(1), at(3)}, {1, at(0), at(2)}}, nil, 1},
		"of one node at once":                {[]stampCall{{1, at(0), at(2)}, {1, at(1), at(3)}}, nil, 1},
		"at once after a kill":               {[]stampCall{{1, at(0), at(2)}, {2, at(1), at(3)}}, []time.Time{at(-3)}, 0},
		"at once long after a kill":          {[]stampCall{{1, at(0), at(2)}, {2, at(1), at(3)}}, []time.Time{at(-30)}, 1},
		"at once long before a kill":         {[]stampCall{{1, at(0), at(2)}, {2, at(1), at(3)}}, []time.Time{at(30)}, 1},
		"after a call that its node gave up": {[]stampCall{{1, at(0), at(20)}, {2, at(6), at(7)}}, nil, 0},
	} {
		u := &slotUse{calls: c.calls}
		if got := u.compareCalls(c.disturbed); got.countFaults() != c.faults {
			t.Errorf("%s: %d faults, want %d: %v", name, got.countFaults(), c.faults, got)
		}
	}
}
