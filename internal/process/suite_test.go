package process_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"segel/internal/contract"
	"segel/internal/process"
	"segel/internal/process/processtest"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/store/storetest/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// leaving leaves the processes of a test when it ends.
func leaving(t *testing.T, p process.Process, err error) process.Process {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Leave(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestProcessesOfAFolder(t *testing.T) {
	processtest.Run(t, func(t *testing.T) func(*testing.T) process.Process {
		dir := filepath.Join(t.TempDir(), "places")
		return func(t *testing.T) process.Process {
			p, err := process.JoinFolder(dir)
			return leaving(t, p, err)
		}
	})
}

func TestProcessesOfADatabase(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return storetest.SQLite(t, sqlstore.Migrate) },
		"PostgreSQL": func(t testing.TB) string { return pgtest.Database(t, sqlstore.Migrate) },
	} {
		t.Run(name, func(t *testing.T) {
			processtest.Run(t, func(t *testing.T) func(*testing.T) process.Process {
				s := openStore(t, database(t))
				return func(t *testing.T) process.Process {
					p, err := process.JoinNodes(t.Context(), s, store.Node{Host: "host", Release: "1"}, nil, process.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler))
					return leaving(t, p, err)
				}
			})
		})
	}
}

func openStore(t *testing.T, dsn string) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), dsn, sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// waitLimit bounds the waits of a test; a passing test never uses it up.
const waitLimit = time.Minute

// TestANodeThatIsCutFromTheDatabaseEndsItsTermAndJoinsAgainUnderANewName ends the leases by a proxy that lets nothing pass.
func TestANodeThatIsCutFromTheDatabaseEndsItsTermAndJoinsAgainUnderANewName(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	proxy, err := pgtest.NewProxy(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	join := func(dsn string) *process.Node {
		n, err := process.JoinNodes(t.Context(), openStore(t, dsn), store.Node{}, nil, process.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler))
		leaving(t, n, err)
		return n
	}
	cut, other := join(proxy.DSN()), join(dsn)
	former := cut.Term()
	if err := proxy.Set(pgtest.Swallow); err != nil {
		t.Fatal(err)
	}
	wait(t, former.Done(), "the end of the term")
	if former.Check() == nil {
		t.Error("the term has ended, and its check passes")
	}
	select {
	case <-other.Term().Done():
		t.Error("the term of the other node has ended")
	default:
	}
	if err := proxy.Set(pgtest.Pass); err != nil {
		t.Fatal(err)
	}
	next, err := cut.NextTerm(t.Context(), former)
	if err != nil || next.Name() == former.Name() || next.Check() != nil {
		t.Errorf("the next term: %v, %v", next, err)
	}
	if ended, err := other.IfEnded(t.Context(), former.Name(), func() error { return nil }); !ended || err != nil {
		t.Errorf("the former name: %v, %v", ended, err)
	}
	if ended, err := other.IfEnded(t.Context(), next.Name(), func() error { return nil }); ended || err != nil {
		t.Errorf("the new name: %v, %v", ended, err)
	}
}

// suspend adds a node whose process is in the middle of a transaction, and returns its connection. The lease of the node is not renewed. The store is that of the process.
func suspend(t *testing.T, dsn string, s *sqlstore.Store, name string, lease time.Duration, statements ...string) *pgx.Conn {
	t.Helper()
	if err := s.AddNode(t.Context(), store.Node{Name: name}, lease); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dsn)
	_, err := c.Exec(t.Context(), `SELECT set_config('application_name', (SELECT session FROM node WHERE name = '`+name+`'), false)`)
	for _, sql := range append([]string{`BEGIN`}, statements...) {
		if err == nil {
			_, err = c.Exec(t.Context(), sql)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) }) // it may be terminated
	return c
}

// findNode returns the row of a node.
func findNode(t *testing.T, s *sqlstore.Store, name string) store.Node {
	t.Helper()
	all, _, err := s.ListNodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(n store.Node) bool { return n.Name == name })
	if i < 0 {
		t.Fatalf("node %s is not known", name)
	}
	return all[i]
}

// TestANodeThatIsSuspendedWithinATransactionIsEndedAtOnce has the locks of a request with an Idempotency-Key and of the results of jobs held. The server would end the
// transaction only when it has been idle for 30 s; here it never would.
func TestANodeThatIsSuspendedWithinATransactionIsEndedAtOnce(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	s := openStore(t, dsn)
	claim := store.Claim{Account: "u", Path: "/p", Key: "k", Token: "suspended", Process: "suspended", At: time.Now()}
	if _, err := s.Claim(t.Context(), claim, time.Hour); err != nil {
		t.Fatal(err)
	}
	healthy, err := process.JoinNodes(t.Context(), s, store.Node{}, nil, process.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler))
	leaving(t, healthy, err)
	term := healthy.Term()
	holding := suspend(t, dsn, openStore(t, dsn), "suspended", time.Second, `DELETE FROM claim WHERE process = 'suspended'`, `SELECT name FROM node WHERE name = 'suspended' FOR KEY SHARE`)

	// The lease ends after a second, and the next renewal, at most a second later, finds it. The rest is for a busy machine.
	within, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for findNode(t, s, "suspended").EndedAt.IsZero() {
		select {
		case <-within.Done():
			t.Fatal("the node was not ended")
		case <-time.After(20 * time.Millisecond): // between two questions
		}
	}
	if err := term.Check(); err != nil {
		t.Errorf("the node that ended it: %v", err)
	}
	if _, err := holding.Exec(t.Context(), `COMMIT`); err == nil {
		t.Error("the transaction of the node that was ended is committed")
	}
	claim.Token, claim.Process = "next", "next"
	if met, err := s.Claim(t.Context(), claim, time.Hour); met.Holder != "" || err != nil {
		t.Errorf("the claim of the node that was ended: %+v, %v", met, err)
	}
}

// TestANodeThatCannotBeEndedDelaysNoLease holds the row of a node by a connection that belongs to no node, so that nothing may terminate it.
func TestANodeThatCannotBeEndedDelaysNoLease(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	s := openStore(t, dsn)
	if err := openStore(t, dsn).AddNode(t.Context(), store.Node{Name: "dead"}, -time.Second); err != nil {
		t.Fatal(err)
	}
	holding := connect(t, dsn)
	for _, sql := range []string{`BEGIN`, `SELECT name FROM node WHERE name = 'dead' FOR UPDATE`} {
		if _, err := holding.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	healthy, err := process.JoinNodes(t.Context(), s, store.Node{}, nil, process.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler))
	leaving(t, healthy, err)
	term := healthy.Term()
	first := findNode(t, s, term.Name()).ExpiresAt
	asking, cancel := context.WithCancel(t.Context())
	var requests sync.WaitGroup
	var answered atomic.Int64
	for range 8 {
		requests.Go(func() {
			ended, err := healthy.IfEnded(asking, "dead", func() error { return nil })
			if ended {
				t.Errorf("a request learned of the end: %v", err)
			}
			if err == nil {
				answered.Add(1)
			}
		})
	}
	defer func() { cancel(); requests.Wait() }()
	for end := time.Now().Add(waitLimit); findNode(t, s, term.Name()).ExpiresAt.Sub(first) < 6*time.Second; time.Sleep(20 * time.Millisecond) { // between two questions
		if err := term.Check(); err != nil {
			t.Fatalf("the lease of the other node: %v", err)
		}
		if time.Now().After(end) {
			t.Fatal("the lease is not renewed")
		}
	}
	if !findNode(t, s, "dead").EndedAt.IsZero() {
		t.Error("a node was ended whose row is locked")
	}
	cancel()
	requests.Wait()
	// One of them may end nodes, and another one if the first has just finished.
	if answered.Load() < 6 {
		t.Errorf("%d of 8 requests were answered that the node has not ended, and the others waited for its row", answered.Load())
	}
	if _, err := holding.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(waitLimit); findNode(t, s, "dead").EndedAt.IsZero(); time.Sleep(20 * time.Millisecond) { // between two questions
		if time.Now().After(end) {
			t.Fatal("the node was not ended once its row was free")
		}
	}
}

// TestTheConnectionsOfANodeThatLivesAreNotTerminated has a process whose answer to joining was lost: two rows, and the lease of one has ended.
func TestTheConnectionsOfANodeThatLivesAreNotTerminated(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	s, own := openStore(t, dsn), openStore(t, dsn)
	holding := suspend(t, dsn, own, "lost", -time.Second)
	if err := own.AddNode(t.Context(), store.Node{Name: "living"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"living": false, "lost": true} {
		if ended, err := s.EndOverdueNode(t.Context(), name); ended != want || err != nil {
			t.Errorf("%s: %v, %v", name, ended, err)
		}
	}
	if _, err := holding.Exec(t.Context(), `COMMIT`); err != nil {
		t.Errorf("a connection of the node that lives: %v", err)
	}
}

// TestTheConnectionsOfAProcessWithoutALeaseAreTerminatedThoughItHasTwoRows is about a process that died before its lost row was ended.
func TestTheConnectionsOfAProcessWithoutALeaseAreTerminatedThoughItHasTwoRows(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	s, own := openStore(t, dsn), openStore(t, dsn)
	holding := suspend(t, dsn, own, "lost", -time.Second, `SELECT name FROM node WHERE name = 'lost' FOR KEY SHARE`)
	if err := own.AddNode(t.Context(), store.Node{Name: "last"}, -time.Second); err != nil {
		t.Fatal(err)
	}
	if ended, err := s.EndOverdueNode(t.Context(), "lost"); !ended || err != nil {
		t.Errorf("%v, %v", ended, err)
	}
	if _, err := holding.Exec(t.Context(), `COMMIT`); err == nil {
		t.Error("the transaction of the process is committed")
	}
}

// awaitLockWait returns once a connection waits for a lock that the given one holds, or ended is closed.
func awaitLockWait(t *testing.T, dsn string, holding *pgx.Conn, ended <-chan struct{}) {
	t.Helper()
	watching := connect(t, dsn)
	for end := time.Now().Add(waitLimit); ; time.Sleep(5 * time.Millisecond) { // between two questions
		var waits bool
		err := watching.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND $1 = ANY (pg_blocking_pids(pid)))`, int32(holding.PgConn().PID())).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
			return
		default:
		}
		if waits {
			return
		}
		if time.Now().After(end) {
			t.Fatal("no connection waits for the lock")
		}
	}
}

// TestTheEndOfANodeWaitsForWhatItIsCommitting holds the lock that a transaction of a term takes as its last statement. If the end did not wait, the work would be put
// back and the transaction committed nevertheless.
func TestTheEndOfANodeWaitsForWhatItIsCommitting(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	s := openStore(t, dsn)
	committing := suspend(t, dsn, s, "ending", time.Hour, `SELECT name FROM node WHERE name = 'ending' FOR KEY SHARE`)
	ended := make(chan struct{})
	var err error
	go func() {
		defer close(ended)
		err = s.EndNode(context.WithoutCancel(t.Context()), "ending")
	}()
	awaitLockWait(t, dsn, committing, ended)
	select {
	case <-ended:
		t.Errorf("the node was ended while it committed: %v", err)
	default:
	}
	if _, err := committing.Exec(t.Context(), `COMMIT`); err != nil {
		t.Errorf("the commit that began before the end: %v", err)
	}
	wait(t, ended, "the end of the node")
	if err != nil || findNode(t, s, "ending").EndedAt.IsZero() {
		t.Errorf("the end of the node: %v", err)
	}
}

// TestAProcessStartsThoughTheServerHasNotNoticedThatTheFormerOneDied has a transaction of the former process that still holds a lock, as after SIGKILL while the server
// executes a statement.
func TestAProcessStartsThoughTheServerHasNotNoticedThatTheFormerOneDied(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	s, dir := openStore(t, dsn), filepath.Join(t.TempDir(), "places")
	place, err := process.JoinFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, place.Name()), []byte("former"), 0o600); err != nil {
		t.Fatal(err)
	}
	holding := suspend(t, dsn, openStore(t, dsn), "former", time.Second, `SELECT name FROM node WHERE name = 'former' FOR KEY SHARE`)
	n, err := process.JoinNodes(t.Context(), s, store.Node{}, place, process.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler))
	leaving(t, n, err)
	for end := time.Now().Add(waitLimit); findNode(t, s, "former").EndedAt.IsZero(); time.Sleep(20 * time.Millisecond) { // between two questions
		if time.Now().After(end) {
			t.Fatal("the former node was not ended with its lease")
		}
	}
	if _, err := holding.Exec(t.Context(), `COMMIT`); err == nil {
		t.Error("the transaction of the former process is committed")
	}
}

func TestANodeWhoseTermEndedBeginsAnotherOnlyOnceItsCheckPasses(t *testing.T) {
	t.Parallel()
	s := openStore(t, pgtest.Database(t, sqlstore.Migrate))
	var passes atomic.Bool
	refused := make(chan struct{})
	n, err := process.JoinNodes(t.Context(), s, store.Node{}, nil, process.NewClock(time.Now, 0), func(ctx context.Context) error {
		if passes.Load() {
			return nil
		}
		select {
		case refused <- struct{}{}:
		case <-ctx.Done():
		}
		return errors.New("refused")
	}, slog.New(slog.DiscardHandler))
	leaving(t, n, err)
	former := n.Term()
	if err := s.EndNode(t.Context(), former.Name()); err != nil {
		t.Fatal(err)
	}
	wait(t, refused, "the first check")
	wait(t, refused, "the second check")
	if n.Term() != former || former.Check() == nil {
		t.Error("another term has begun")
	}
	passes.Store(true)
	next, err := n.NextTerm(t.Context(), former)
	if err != nil || next.Check() != nil {
		t.Fatalf("the next term: %v, %v", next, err)
	}
	nodes, _, err := s.ListNodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes {
		if node.EndedAt.IsZero() != (node.Name == next.Name()) {
			t.Errorf("%+v, and the term is that of %s", node, next.Name())
		}
	}
}

func TestAProcessThatIsStartedAgainInItsFolderWaitsForNoLease(t *testing.T) {
	t.Parallel()
	s, dir := openStore(t, pgtest.Database(t, sqlstore.Migrate)), filepath.Join(t.TempDir(), "places")
	join := func() (*process.Node, *process.Folder) {
		place, err := process.JoinFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		n, err := process.JoinNodes(t.Context(), s, store.Node{}, place, process.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler))
		leaving(t, n, err)
		return n, place
	}
	killed, place := join()
	former := killed.Name()
	if err := place.Leave(); err != nil { // as the kernel does when the process ends
		t.Fatal(err)
	}
	again, same := join()
	if same.Name() != place.Name() {
		t.Fatal("the place was not taken again")
	}
	nodes, _, err := s.ListNodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if n.Name == former && n.EndedAt.IsZero() {
			t.Errorf("the former node has not ended: %+v", n)
		}
	}
	if again.Name() == former {
		t.Error("the process has its former name")
	}
}

// TestANodeWhoseClockIsMovedEndsItsTermAndJoinsAgainWhenTheClockIsRight moves the clock of one process, as an operator who sets it does.
func TestANodeWhoseClockIsMovedEndsItsTermAndJoinsAgainWhenTheClockIsRight(t *testing.T) {
	t.Parallel()
	for _, offset := range []time.Duration{3 * time.Minute, -3 * time.Minute, 30 * time.Hour, -30 * time.Hour} {
		t.Run(offset.String(), func(t *testing.T) {
			t.Parallel()
			var ahead atomic.Int64
			clock := process.NewClock(func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }, 2*time.Minute)
			s := openStore(t, storetest.SQLite(t, sqlstore.Migrate))
			n, err := process.JoinNodes(t.Context(), s, store.Node{}, nil, clock, nil, slog.New(slog.DiscardHandler))
			leaving(t, n, err)
			former := n.Term()
			if err := errors.Join(n.CheckClock(), former.Check()); err != nil {
				t.Fatalf("a clock that agrees: %v", err)
			}
			terms := make(chan *process.Term, 2)
			ctx, cancel := context.WithCancel(t.Context())
			var working sync.WaitGroup
			working.Go(func() {
				process.RunInTerms(ctx, n, func(ctx context.Context) {
					terms <- process.Of(ctx)
					<-ctx.Done()
				})
			})
			defer func() { cancel(); working.Wait() }()
			if term := receive(t, terms, "the work of the first term"); term != former {
				t.Errorf("work began in %v, not the first term", term)
			}
			ahead.Store(int64(offset))
			if now := clock.Now(); time.Since(now).Abs() > time.Minute {
				t.Errorf("work that began before the jump reads %v", now)
			}
			// It is noticed at once, without another look at the database's clock.
			if err := former.Check(); !errors.Is(err, process.ErrEnded) || !errors.Is(err, contract.ErrClock) {
				t.Errorf("right after the jump: %v", err)
			}
			wait(t, former.Done(), "the end of the term")
			late, err := process.JoinNodes(t.Context(), s, store.Node{}, nil, clock, nil, slog.New(slog.DiscardHandler))
			leaving(t, late, err)
			if late.Term().Check() == nil {
				t.Error("a process that starts with a wrong clock has a term")
			}
			ahead.Store(0)
			next, err := n.NextTerm(t.Context(), former)
			if err != nil || next.Check() != nil || n.CheckClock() != nil {
				t.Errorf("when the clock is right again: %v, %v", err, n.CheckClock())
			}
			if term := receive(t, terms, "the work of the next term"); term != next {
				t.Errorf("work went on in %v, not the next term", term)
			}
		})
	}
}

func wait(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	receive(t, c, what)
}

func receive[T any](t *testing.T, c <-chan T, what string) (received T) {
	t.Helper()
	select {
	case received = <-c:
	case <-time.After(waitLimit):
		t.Fatalf("%s did not come", what)
	}
	return received
}
