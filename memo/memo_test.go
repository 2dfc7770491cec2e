package memo_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"segel/memo"
)

func TestOnlySuccessIsRememberedAndOnlyForTheSameInputs(t *testing.T) {
	t.Parallel()
	calls, fail := 0, errors.New("differs")
	verify := func(result error, kind string, inputs ...string) error {
		var all [][]byte
		for _, in := range inputs {
			all = append(all, []byte(in))
		}
		return memo.VerifyOnce(func() error { calls++; return result }, kind, all...)
	}
	for i, c := range []struct {
		result error
		inputs []string
		called bool
	}{
		{fail, []string{"ab", "c"}, true},
		{nil, []string{"ab", "c"}, true},
		{fail, []string{"ab", "c"}, false}, // remembered
		{fail, []string{"a", "bc"}, true},  // the same bytes, divided otherwise
		{fail, []string{"abc"}, true},
		{fail, []string{"ab", "c", ""}, true},
	} {
		before := calls
		err := verify(c.result, "test", c.inputs...)
		if called := calls > before; called != c.called || (err != nil) != (called && c.result != nil) {
			t.Errorf("%d: called %v, %v", i, called, err)
		}
	}
	if before := calls; verify(fail, "another kind", "ab", "c") == nil || calls == before {
		t.Error("a result of one kind was used for another")
	}
}

func TestACacheKeepsWhatIsUsedAndDropsTheRest(t *testing.T) {
	t.Parallel()
	var c memo.Cache[int]
	key := func(i int) memo.Key { return memo.NewKey("n", binary.BigEndian.AppendUint64(nil, uint64(i))) }
	const n = 40_000
	for i := range n {
		c.Put(key(i), i)
		if v, known := c.Get(key(0)); !known || v != 0 {
			t.Fatalf("after %d results the one that is used all the time is %d, %v", i, v, known)
		}
	}
	kept := 0
	for i := range n {
		if _, known := c.Get(key(i)); known {
			kept++
		}
	}
	if kept > 2*8192 {
		t.Errorf("%d results are kept", kept)
	}
	if c.Clear(); func() bool { _, known := c.Get(key(0)); return known }() {
		t.Error("a result is known after Clear")
	}
}
