package sqlstore

import (
	"errors"
	"sync"

	"segel/internal/contract"
)

// documentNumbers remembers the number of the last document that this process added. On PostgreSQL a commit that adds a document then expects
// the next number, instead of reading it in a round trip before everything else, and is refused if another document has it. Numbers have no gaps
// either way. The zero value expects none.
type documentNumbers struct {
	mu     sync.Mutex
	last   contract.DocumentID // 0: unknown
	adding int                 // commits under way
	wait   int                 // documents until a number is expected again
}

// waitAfterMiss is the number of documents for which no number is expected after a wrong one: another process adds documents too, and a commit that is
// refused costs more than the round trip that it was to save.
const waitAfterMiss = 64

// errNumber means that another document has the expected number.
var errNumber = errors.New("another document has the expected number")

func requireNumber(n int64) error {
	if n == 0 {
		return errNumber
	}
	return nil
}

// expectNext begins a commit that adds a document, and returns its number, if it is likely; else 0. Of commits at the same time only the first expects one.
func (n *documentNumbers) expectNext() contract.DocumentID {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.adding++
	switch {
	case n.adding > 1 || n.last == 0:
		return 0
	case n.wait > 0:
		n.wait--
		return 0
	}
	return n.last + 1
}

// forgetLast forgets the number, which was wrong.
func (n *documentNumbers) forgetLast() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last, n.wait = 0, waitAfterMiss
}

// finishCommit ends a commit that began with expectNext. Added is the number of the document; 0: none was added.
func (n *documentNumbers) finishCommit(added contract.DocumentID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.adding--
	n.last = max(n.last, added)
}
