package jobs

import (
	"context"
	"fmt"
	"sync"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"

	"segel/internal/contract"
	"segel/internal/process"
)

// notifier wakes the runners of this process. PostgreSQL notifies its clients of commits; SQLite does not, and without
// the notifier each job would wait for the next poll.
type notifier struct {
	mu        sync.Mutex // guards the fields below
	listeners map[*wakeListener]bool
}

// notifyQueue notifies the runners that work was committed to a queue.
func (b *notifier) notifyQueue(queue string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := range b.listeners {
		e.addQueue(queue)
	}
}

// wakingDriver is a driver whose listeners also receive the notifications of a notifier.
type wakingDriver[Tx any] struct {
	riverdriver.Driver[Tx]
	notifier *notifier
	fair     fairStatements
	turns    *turns
	fetched  *fetchedJobs
	term     *process.Term // in which its jobs are fetched; nil: none
}

// GetExecutor returns the driver's executor, wrapped to fetch jobs of organisations in turn and to record fetched jobs.
func (w wakingDriver[Tx]) GetExecutor() riverdriver.Executor {
	return recordingExecutor{fairExecutor{w.Driver.GetExecutor(), w.fair, w.turns}, w.fetched, w.term}
}

// GetListener returns the driver's listener, wrapped to receive the notifier's notifications.
func (w wakingDriver[Tx]) GetListener(p *riverdriver.GetListenenerParams) riverdriver.Listener {
	return &wakeListener{Listener: w.Driver.GetListener(p), notifier: w.notifier, queues: make(chan string, 64), alone: !w.SupportsListenNotify()}
}

// SupportsListenNotify is false on SQLite. River's driver has a table of notifications there, which each job would add a row to and
// every process would read twenty times a second. The notifier wakes this process, where the job most likely runs; others find what
// they are to do when they poll.
func (w wakingDriver[Tx]) SupportsListenNotify() bool { return w.DatabaseName() != sqliteName }

// wakeListener is a listener that also receives the notifier's notifications between Connect and Close.
type wakeListener struct {
	riverdriver.Listener
	notifier *notifier
	queues   chan string // queues that work was committed to
	alone    bool        // the driver's listener has nothing to report
}

// Connect starts listening.
func (e *wakeListener) Connect(ctx context.Context) error {
	if err := e.Listener.Connect(ctx); err != nil {
		return err
	}
	e.notifier.mu.Lock()
	defer e.notifier.mu.Unlock()
	e.notifier.listeners[e] = true
	return nil
}

// Close stops listening.
func (e *wakeListener) Close(ctx context.Context) error {
	e.notifier.mu.Lock()
	delete(e.notifier.listeners, e)
	e.notifier.mu.Unlock()
	return e.Listener.Close(ctx)
}

// insertTopic is River's topic for new jobs.
const insertTopic = "river_insert"

// WaitForNotification returns the next notification of the notifier or of the driver's listener.
func (e *wakeListener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	if e.alone {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case queue := <-e.queues:
			return insertNotification(queue), nil
		}
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var notification *riverdriver.Notification
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		notification, err = e.Listener.WaitForNotification(inner)
	}()
	select {
	case <-done:
		return notification, err
	case queue := <-e.queues:
		stop()
		<-done
		if notification != nil { // both arrived at the same moment; the other is returned by the next call
			e.addQueue(queue)
			return notification, nil
		}
		return insertNotification(queue), nil
	}
}

func insertNotification(queue string) *riverdriver.Notification {
	return &riverdriver.Notification{Topic: insertTopic, Payload: fmt.Sprintf("{\"queue\": %q}", queue)}
}

// addQueue keeps a notification for the next call.
func (e *wakeListener) addQueue(queue string) {
	select {
	case e.queues <- queue:
	default: // it has enough pending notifications and will fetch all jobs
	}
}

// Wake makes the runners of this process fetch the jobs that a transaction enqueued. Call it after the commit. It is
// not needed for databases that notify of commits.
func (q *Queue[Tx]) Wake(jobs ...contract.Job) {
	for _, j := range jobs {
		q.notifier.notifyQueue(queueOf(j.Kind))
	}
}

func queueOf(k contract.JobKind) string {
	switch k {
	case contract.JobConvert:
		return convertQueue
	case contract.JobNotify:
		return notifyQueue
	case contract.JobEvidence:
		return evidenceQueue
	}
	return river.QueueDefault
}
