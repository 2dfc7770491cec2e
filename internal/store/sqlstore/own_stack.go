package sqlstore

import (
	"fmt"
	"runtime/debug"
)

// runOnOwnStack runs do in a new goroutine and waits for it. SQLite is compiled to Go, and a statement takes 32 KiB of stack. A
// goroutine keeps a grown stack until the garbage collector halves it, which would be 64 MiB for two thousand requests that
// wait for their clients.
func runOnOwnStack(do func() error) (err error) {
	var died *panicked
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				died = &panicked{p, debug.Stack()}
			}
		}()
		err = do()
	}()
	<-done
	if died != nil {
		panic(died)
	}
	return err
}

// panicked carries a panic of another goroutine to the one that waits for it.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) String() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }
