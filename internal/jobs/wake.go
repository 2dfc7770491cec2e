package jobs

import (
	"context"
	"fmt"
	"sync"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"

	"segel/internal/contract"
)

// bell wakes the runners of this process. A database that can tell its clients of what was committed does it by itself;
// one that is asked every so often, as SQLite is, would let each job wait for the next question.
type bell struct {
	mu   sync.Mutex // guards all below
	ears map[*ear]bool
}

// ring tells that work was committed to a queue.
func (b *bell) ring(queue string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := range b.ears {
		select {
		case e.rings <- queue:
		default: // it has more to hear than it can keep, and will look at all of it
		}
	}
}

// waking is a driver whose listeners hear the bell beside what the database tells.
type waking[Tx any] struct {
	riverdriver.Driver[Tx]
	bell    *bell
	fair    fairStatements
	turns   *turns
	fetched *fetched
}

// GetExecutor returns the executor of the driver's, which fetches jobs of organisations in turn and notes what was fetched.
func (w waking[Tx]) GetExecutor() riverdriver.Executor {
	return noting{fairExecutor{w.Driver.GetExecutor(), w.fair, w.turns}, w.fetched}
}

// GetListener returns a listener of the driver's, with an ear.
func (w waking[Tx]) GetListener(p *riverdriver.GetListenenerParams) riverdriver.Listener {
	return &ear{Listener: w.Driver.GetListener(p), bell: w.bell, rings: make(chan string, 64)}
}

// ear is a listener that hears the bell too, from when it connects until it is closed.
type ear struct {
	riverdriver.Listener
	bell  *bell
	rings chan string // queues that work was committed to
}

// Connect begins to listen.
func (e *ear) Connect(ctx context.Context) error {
	if err := e.Listener.Connect(ctx); err != nil {
		return err
	}
	e.bell.mu.Lock()
	defer e.bell.mu.Unlock()
	e.bell.ears[e] = true
	return nil
}

// Close ends it.
func (e *ear) Close(ctx context.Context) error {
	e.bell.mu.Lock()
	delete(e.bell.ears, e)
	e.bell.mu.Unlock()
	return e.Listener.Close(ctx)
}

// insertTopic is River's name of what its clients tell each other of new jobs.
const insertTopic = "river_insert"

// WaitForNotification returns when the bell rings, or when the driver's listener has something to tell.
func (e *ear) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var told *riverdriver.Notification
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		told, err = e.Listener.WaitForNotification(inner)
	}()
	select {
	case <-done:
		return told, err
	case queue := <-e.rings:
		stop()
		<-done
		if told != nil { // it came at the same moment; the bell is heard the next time
			e.again(queue)
			return told, nil
		}
		return &riverdriver.Notification{Topic: insertTopic, Payload: fmt.Sprintf("{\"queue\": %q}", queue)}, nil
	}
}

// again keeps a ring for the next call.
func (e *ear) again(queue string) {
	select {
	case e.rings <- queue:
	default:
	}
}

// Wake has the runners of this process look for jobs that a transaction ordered, once it is committed. Databases that
// tell of commits by themselves do without.
func (q *Queue[Tx]) Wake(jobs ...contract.Job) {
	for _, j := range jobs {
		q.bell.ring(queueOf(j.Kind))
	}
}

func queueOf(k contract.JobKind) string {
	if k == contract.JobConvert {
		return convertQueue
	}
	return river.QueueDefault
}
