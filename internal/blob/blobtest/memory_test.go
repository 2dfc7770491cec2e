package blobtest

import (
	"errors"
	"testing"

	"segel/internal/blob"
)

func TestMemoryIsAStore(t *testing.T) {
	t.Parallel()
	Run(t, func(t *testing.T) Subject {
		return Subject{Open: func(*testing.T) blob.Store { return &Memory{} }}
	})
}

func TestAFaultlessFaultyIsAStore(t *testing.T) {
	t.Parallel()
	never := func(Op, blob.Key) Fault { return NoFault }
	Run(t, func(t *testing.T) Subject {
		return Subject{Open: func(*testing.T) blob.Store { return &Faulty{&Memory{}, never} }}
	})
}

func TestAFaultBeforeLeavesNothingAndOneAfterLeavesAll(t *testing.T) {
	t.Parallel()
	for _, op := range []Op{OpCreate, OpWrite, OpCommit} {
		for _, fault := range []Fault{Before, After} {
			m := &Memory{}
			s := &Faulty{m, func(o Op, _ blob.Key) Fault {
				if o == op {
					return fault
				}
				return NoFault
			}}
			err := commitContent(t, s, Key(1), []byte("a"))
			if !errors.Is(err, ErrFault) {
				t.Errorf("%s: %v", op, err)
			}
			if there, want := len(listKeys(t, m)) == 1, op == OpCommit && fault == After; there != want {
				t.Errorf("fault %d at %s: blob there is %v", fault, op, there)
			}
		}
	}
}
