package sqlstore

import (
	"fmt"
	"runtime/debug"
)

// runOnOwnStack runs do in a goroutine of its own and waits for it. SQLite is compiled to Go, and a statement takes 32 KiB of stack. A
// goroutine keeps a stack that has grown until the collector halves it again, which would be 64 MiB for two thousand requests that
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

// panicked is what a panic in another goroutine becomes in the one that waits for it.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) String() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }
