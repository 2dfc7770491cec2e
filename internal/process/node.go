package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"segel/internal/store"
)

// Times of a lease. Others continue the work of a node that died within lease and a moment, and those of a healthy
// database renew three times before a lease ends.
const (
	lease         = 4 * time.Second
	renewEvery    = time.Second           // also how often a node looks for leases of others that ended
	minPause      = 50 * time.Millisecond // between two looks
	retryEvery    = 250 * time.Millisecond
	leaveTimeout  = 2 * time.Second
	rejoinTimeout = 2 * time.Second
)

// Node is the current process among those that share a database server.
//
// Its name is that of a row with a lease, which it renews every second; the server's clock decides when a lease has
// ended. Every node looks for leases of others that ended, marks the row as ended and puts their work back, in one
// transaction. That may have to wait for locks of the other node, so it does not delay the renewal of the own lease.
//
// A node that could not renew in time ends its term by its own monotonic clock, before the server's does: the lease counts from
// the moment before the renewal was sent. It joins again under a new name when the database answers.
//
// A node whose clock is in doubt ends its term too, and joins again when its clock agrees with the database's: the others do its work,
// and no job is put off, nothing signed and nothing purged by a wrong time.
type Node struct {
	nodes       store.Nodes
	self        store.Node // of each term; its name is that of the term
	folder      *Folder    // nil: none
	clock       *Clock
	checkRejoin func(context.Context) error // nil: nothing is checked
	log         *slog.Logger
	cancel      context.CancelFunc
	running     sync.WaitGroup // of runLoop and runEnding

	overdue chan []string // nodes to be ended, as the last renewals found them
	ending  chan struct{} // holds one element while [store.Nodes.EndOverdueNode] is called. A waiting sender is served before one that only tries

	mu      sync.Mutex // guards the fields below
	term    *Term
	changed chan struct{} // closed when the term changes
}

var _ Process = (*Node)(nil)

// JoinNodes adds the current process to the nodes of a database. Self has its host, its release and its roles.
//
// Folder is the process among those that share a data folder; nil: none. An earlier process may have noted its node there. It has ended, because
// its name in the folder is free, so the work of that node is put back without waiting for its lease, unless the server has not noticed
// yet that the process died: its transactions may hold locks. Then the node ends with its lease. The Node leaves the folder when it leaves; after an
// error of JoinNodes the caller does.
//
// Clock is compared with the database's at each renewal. With a clock in doubt the process joins, and the first term has ended.
//
// CheckRejoin, if not nil, is called when the process has joined again after its term ended, before the next term begins: what others did while it
// was cut off may forbid that it goes on. After an error the process leaves and tries again later.
func JoinNodes(ctx context.Context, nodes store.Nodes, self store.Node, folder *Folder, clock *Clock, checkRejoin func(context.Context) error, log *slog.Logger) (*Node, error) {
	n := &Node{
		nodes:       nodes,
		self:        self,
		folder:      folder,
		clock:       clock,
		checkRejoin: checkRejoin,
		log:         log,
		overdue:     make(chan []string, 1),
		ending:      make(chan struct{}, 1),
		changed:     make(chan struct{}),
	}
	if folder != nil {
		former, err := folder.readNote()
		if err != nil {
			return nil, fmt.Errorf("end the node of an earlier process: %w", err)
		}
		if former != "" {
			if err := nodes.EndNode(ctx, former); err != nil {
				log.WarnContext(ctx, "the node of an earlier process ends with its lease", "node", former, "error", err)
			}
		}
	}
	err := n.readClock(ctx)
	if err != nil {
		return nil, err
	}
	if n.term, err = n.join(ctx); err != nil {
		return nil, err
	}
	_ = n.term.Check() // it ends a term whose clock is in doubt, before the first job
	var working context.Context
	working, n.cancel = context.WithCancel(context.Background())
	n.running.Go(func() { n.runLoop(working) })
	n.running.Go(func() { n.runEnding(working) })
	return n, nil
}

// join adds a row with a new name. If the answer is lost, the row ends with its lease.
func (n *Node) join(ctx context.Context) (*Term, error) {
	self, began := n.self, time.Now()
	self.Name = rand.Text()
	if err := n.nodes.AddNode(ctx, self, lease); err != nil {
		return nil, fmt.Errorf("join the nodes of the database: %w", err)
	}
	if n.folder != nil {
		if err := n.folder.storeNote(self.Name); err != nil { // others then wait for the lease
			n.log.WarnContext(ctx, "the name of this node is not noted in the data folder", "error", err)
		}
	}
	return newTerm(self.Name, began.Add(lease), n.CheckClock), nil
}

// readClock reads the database's clock.
func (n *Node) readClock(ctx context.Context) error {
	_, now, err := n.nodes.ListNodes(ctx)
	if err != nil {
		return fmt.Errorf("read the database's clock: %w", err)
	}
	n.clock.recordReading(now)
	return nil
}

// CheckClock implements [Process].
func (n *Node) CheckClock() error { return n.clock.Check() }

// Name implements [Process].
func (n *Node) Name() string { return n.Term().name }

// Term implements [Process].
func (n *Node) Term() *Term {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.term
}

// NextTerm implements [Process].
func (n *Node) NextTerm(ctx context.Context, former *Term) (*Term, error) {
	for {
		n.mu.Lock()
		term, changed := n.term, n.changed
		n.mu.Unlock()
		if term != former {
			return term, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// IfEnded implements [Process]. It reads first: most callers ask about a node that lives, and ending one locks its row. While a node is being ended, all whose end is not marked
// count as living: many requests may ask about a node that cannot be ended now, and would delay the end of others.
func (n *Node) IfEnded(ctx context.Context, name string, do func() error) (ended bool, err error) {
	if name == n.Name() {
		return false, nil
	}
	all, now, err := n.nodes.ListNodes(ctx)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(all, func(other store.Node) bool { return other.Name == name })
	if i < 0 || all[i].Runs(now) {
		return false, nil
	}
	if all[i].EndedAt.IsZero() {
		select {
		case n.ending <- struct{}{}:
		default:
			return false, nil
		}
		ended, err = n.nodes.EndOverdueNode(ctx, name)
		<-n.ending
		if err != nil || !ended {
			return false, err
		}
	}
	return true, do()
}

// Leave implements [Process]. If the database does not answer, the row ends with its lease.
func (n *Node) Leave() error {
	n.cancel()
	n.running.Wait()
	term := n.Term()
	left := term.over.Err() != nil
	term.close()
	var err error
	if !left {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
		defer cancel()
		err = n.nodes.EndNode(ctx, term.name)
	}
	if n.folder != nil {
		err = errors.Join(err, n.folder.Leave())
	}
	return err
}

func (n *Node) runLoop(ctx context.Context) {
	next := time.NewTimer(renewEvery)
	defer next.Stop()
	for {
		term := n.Term()
		ended := term.Done()
		if term.over.Err() != nil {
			ended = nil
		}
		select {
		case <-ctx.Done():
			return
		case <-ended:
			if err := n.CheckClock(); err != nil {
				n.log.ErrorContext(ctx, "the clock of this process disagrees with the database's; its jobs stop, and it changes nothing", "error", err)
			} else {
				n.log.WarnContext(ctx, "this process could not renew its lease in time; its jobs stop")
			}
		case <-next.C:
		}
		var wait time.Duration
		if term.Check() == nil {
			wait = n.renew(ctx, term)
		} else {
			wait = n.joinAgain(ctx, term)
		}
		next.Reset(wait)
	}
}

// renew renews the lease, and has those of others ended that are overdue. It returns the time until the next call.
func (n *Node) renew(ctx context.Context, term *Term) time.Duration {
	began := time.Now()
	within, cancel := context.WithDeadline(ctx, term.deadline())
	defer cancel()
	others, err := n.nodes.RenewNode(within, term.name, lease)
	switch {
	case errors.Is(err, store.ErrNodeEnded): // it was renewed too late, and another node noticed first
		term.close()
		return 0
	case err != nil:
		n.log.DebugContext(ctx, "renew the lease of this process", "error", err)
		return retryEvery
	}
	n.clock.recordReading(others.Now)
	term.extend(began.Add(lease))
	if len(others.Overdue) > 0 {
		select {
		case n.overdue <- others.Overdue:
		default: // others are being ended, and the next renewal finds these again
		}
	}
	if others.Next > 0 { // the lease of a living node is renewed before that
		return max(minPause, min(renewEvery, others.Next))
	}
	return renewEvery
}

// runEnding ends the nodes that renewals found overdue. [store.Nodes] decides again whether they are.
func (n *Node) runEnding(ctx context.Context) {
	for {
		var names []string
		select {
		case <-ctx.Done():
			return
		case names = <-n.overdue:
		}
		for _, name := range names {
			select {
			case n.ending <- struct{}{}:
			case <-ctx.Done():
				return
			}
			ended, err := n.nodes.EndOverdueNode(ctx, name)
			<-n.ending
			switch {
			case ctx.Err() != nil:
				return
			case err != nil: // the next renewal finds it again
				n.log.WarnContext(ctx, "put back the work of a node whose lease ended", "node", name, "error", err)
			case ended:
				n.log.WarnContext(ctx, "a node's lease ended; its work goes on elsewhere", "node", name)
			}
		}
	}
}

// joinAgain ends the row of a term that has ended, which also puts back its work, and joins under a new name unless the clock is in doubt.
func (n *Node) joinAgain(ctx context.Context, former *Term) time.Duration {
	within, cancel := context.WithTimeout(ctx, rejoinTimeout)
	defer cancel()
	err := n.nodes.EndNode(within, former.name)
	if err == nil {
		err = n.readClock(within)
	}
	if err == nil && n.CheckClock() != nil {
		return renewEvery
	}
	var term *Term
	if err == nil {
		term, err = n.join(within)
	}
	if err == nil && n.checkRejoin != nil {
		if err = n.checkRejoin(within); err != nil {
			err = errors.Join(err, n.nodes.EndNode(within, term.name))
		}
	}
	if err != nil {
		n.log.DebugContext(ctx, "join the nodes again", "error", err)
		return retryEvery
	}
	former.close()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.term = term
	close(n.changed)
	n.changed = make(chan struct{})
	n.log.InfoContext(ctx, "this process joined again under a new name", "node", term.name, "former", former.name)
	return renewEvery
}
