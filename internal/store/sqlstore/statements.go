package sqlstore

import (
	"context"
	"database/sql"
	"sync"
)

// statements caches compiled statements: SQLite takes longer to compile most of ours than to run them. No transaction
// runs one while it reads rows of the same, since PostgreSQL does not allow that.
type statements struct {
	db       *sql.DB
	counters *counters

	mu     sync.Mutex           // guards the fields below
	ready  map[string]*sql.Stmt // closed with db
	missed []string             // run since, to be compiled once no transaction has the connection
}

// maxStatements bounds the cache. The program has a few hundred statements.
const maxStatements = 500

func newStatements(db *sql.DB, c *counters) *statements {
	return &statements{db: db, counters: c, ready: map[string]*sql.Stmt{}}
}

// prepared returns a statement for use in a transaction or by itself, or nil if it has to be compiled there. It counts the
// statement.
func (s *statements) prepared(ctx context.Context, db sqliteDB, text string) *sql.Stmt {
	s.counters.statements.Add(1)
	s.mu.Lock()
	ready, ok := s.ready[text]
	if !ok && len(s.ready)+len(s.missed) < maxStatements {
		s.missed = append(s.missed, text)
	}
	s.mu.Unlock()
	if !ok {
		return nil
	}
	if t, isTx := db.(*sql.Tx); isTx {
		return t.StmtContext(ctx, ready)
	}
	return ready
}

// compileMissed compiles the missed statements. It is called after a transaction; a statement that fails is tried again later.
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
			_ = ready.Close() // another transaction compiled it first
		}
	}
}
