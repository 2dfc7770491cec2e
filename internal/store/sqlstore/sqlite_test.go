package sqlstore

import (
	"errors"
	"strings"
	"testing"
)

func TestWhatRunsOnItsOwnStackReturnsErrorsAndPassesPanicsOn(t *testing.T) {
	t.Parallel()
	o := newOwnStacks()
	defer o.endWaiting()
	trouble := errors.New("trouble")
	if err := o.run(func() error { return trouble }); !errors.Is(err, trouble) {
		t.Errorf("returned %v", err)
	}
	defer func() {
		if p, ok := recover().(*panicked); !ok || p.value != "trouble" || !strings.Contains(p.String(), "sqlite_test.go") {
			t.Errorf("the panic came as %v", p)
		}
	}()
	_ = o.run(func() error { panic("trouble") })
}
