package sqlstore

import (
	"context"
	"database/sql"
	"sync"
)

// statements are those that were run before, compiled: SQLite takes longer to compile most of ours than to run them. No
// transaction runs one while it reads the rows of the same, since PostgreSQL would not let it.
type statements struct {
	db *sql.DB

	mu     sync.Mutex           // guards all below
	ready  map[string]*sql.Stmt // closed with db
	missed []string             // run since, and to be compiled once no transaction has the connection
}

// maxStatements bounds how many are kept. The program has some hundred texts.
const maxStatements = 500

func newStatements(db *sql.DB) *statements {
	return &statements{db: db, ready: map[string]*sql.Stmt{}}
}

// prepared returns a statement as it is to be run in a transaction, or nil if it has to be compiled there.
func (s *statements) prepared(ctx context.Context, t *sql.Tx, text string) *sql.Stmt {
	s.mu.Lock()
	ready, ok := s.ready[text]
	if !ok && len(s.ready)+len(s.missed) < maxStatements {
		s.missed = append(s.missed, text)
	}
	s.mu.Unlock()
	if !ok {
		return nil
	}
	return t.StmtContext(ctx, ready)
}

// compileMissed makes ready what was missed. It is called when a transaction has ended; what fails is missed again.
func (s *statements) compileMissed(ctx context.Context) {
	s.mu.Lock()
	missed := s.missed
	s.missed = nil
	s.mu.Unlock()
	for _, text := range missed {
		ready, err := s.db.PrepareContext(ctx, sqlitePlaceholders(text))
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.ready[text] == nil {
			s.ready[text], ready = ready, nil
		}
		s.mu.Unlock()
		if ready != nil {
			_ = ready.Close() // another transaction was faster
		}
	}
}
