package jobs

import (
	"context"
	"fmt"
	"sync"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"

	"segel/internal/contract"
)

// notifier wakes the runners of this process. A database that can tell its clients of what was committed does it by itself;
// one that is asked every so often, as SQLite is, would let each job wait for the next question.
type notifier struct {
	mu        sync.Mutex // guards all below
	listeners map[*wakeListener]bool
}

// notifyQueue tells that work was committed to a queue.
func (b *notifier) notifyQueue(queue string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := range b.listeners {
		select {
		case e.queues <- queue:
		default: // it has more to hear than it can keep, and will look at all of it
		}
	}
}

// wakingDriver is a driver whose listeners hear the bell beside what the database tells.
type wakingDriver[Tx any] struct {
	riverdriver.Driver[Tx]
	notifier *notifier
	fair     fairStatements
	turns    *turns
	fetched  *fetchedJobs
}

// GetExecutor returns the executor of the driver's, which fetches jobs of organisations in turn and notes what was fetched.
func (w wakingDriver[Tx]) GetExecutor() riverdriver.Executor {
	return recordingExecutor{fairExecutor{w.Driver.GetExecutor(), w.fair, w.turns}, w.fetched}
}

// GetListener returns a listener of the driver's, with an ear.
func (w wakingDriver[Tx]) GetListener(p *riverdriver.GetListenenerParams) riverdriver.Listener {
	return &wakeListener{Listener: w.Driver.GetListener(p), notifier: w.notifier, queues: make(chan string, 64)}
}

// wakeListener is a listener that hears the bell too, from when it connects until it is closed.
type wakeListener struct {
	riverdriver.Listener
	notifier *notifier
	queues   chan string // queues that work was committed to
}

// Connect begins to listen.
func (e *wakeListener) Connect(ctx context.Context) error {
	if err := e.Listener.Connect(ctx); err != nil {
		return err
	}
	e.notifier.mu.Lock()
	defer e.notifier.mu.Unlock()
	e.notifier.listeners[e] = true
	return nil
}

// Close ends it.
func (e *wakeListener) Close(ctx context.Context) error {
	e.notifier.mu.Lock()
	delete(e.notifier.listeners, e)
	e.notifier.mu.Unlock()
	return e.Listener.Close(ctx)
}

// insertTopic is River's name of what its clients tell each other of new jobs.
const insertTopic = "river_insert"

// WaitForNotification returns when the bell rings, or when the driver's listener has something to tell.
func (e *wakeListener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
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
	case queue := <-e.queues:
		stop()
		<-done
		if told != nil { // it came at the same moment; the bell is heard the next time
			e.deferWake(queue)
			return told, nil
		}
		return &riverdriver.Notification{Topic: insertTopic, Payload: fmt.Sprintf("{\"queue\": %q}", queue)}, nil
	}
}

// deferWake keeps a ring for the next call.
func (e *wakeListener) deferWake(queue string) {
	select {
	case e.queues <- queue:
	default:
	}
}

// Wake has the runners of this process look for jobs that a transaction ordered, once it is committed. Databases that
// tell of commits by themselves do without.
func (q *Queue[Tx]) Wake(jobs ...contract.Job) {
	for _, j := range jobs {
		q.notifier.notifyQueue(queueOf(j.Kind))
	}
}

func queueOf(k contract.JobKind) string {
	if k == contract.JobConvert {
		return convertQueue
	}
	return river.QueueDefault
}
