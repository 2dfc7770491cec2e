// Package hashworker hashes passwords in a second process of low priority, so that requests do not wait for hashes. A hash takes a
// processor for about 50 ms and 19 MiB of memory. In the process of the service it holds a thread of the Go scheduler that a request
// needs, fills the memory that starts a garbage collection, and the kernel takes it for as urgent as a request: the library
// hashes on goroutines that it starts by itself, so threads of low priority within the process do not help.
//
// The processes exchange gob messages by pipe: after a greeting, each request is answered by its key, in any order. Both ends are
// the same program, so the messages have no version.
package hashworker

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"
)

// greeting is the first message of the worker process.
type greeting struct {
	Priority string // why the process has the usual priority; empty: it has a low one
}

type request struct {
	ID             uint64
	Password, Salt []byte
	Passes, Memory uint32
	Threads        uint8
	Length         uint32
}

type answer struct {
	ID  uint64
	Key []byte
}

// Serve is the worker process: it lowers the priority of all threads of this process and answers requests until in ends. The
// client bounds how many it sends at a time.
func Serve(in io.Reader, out io.Writer) error {
	var g greeting
	if err := lowerPriority(); err != nil {
		g.Priority = err.Error()
	}
	requests, answers := gob.NewDecoder(in), gob.NewEncoder(out)
	if err := answers.Encode(g); err != nil {
		return fmt.Errorf("greet: %w", err)
	}
	var writing sync.Mutex
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil // the service has ended, so the remaining keys have no reader
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		go func() {
			a := answer{ID: r.ID, Key: argon2.IDKey(r.Password, r.Salt, r.Passes, r.Memory, r.Threads, r.Length)}
			writing.Lock()
			defer writing.Unlock()
			_ = answers.Encode(a) // when the reader has ended, in ends too
		}()
	}
}

// Client hashes in a worker process, which it starts for the first hash and again after it ended. The worker makes requests faster, and
// nothing depends on it: while there is none, and while other work leaves it too little of the processors, this process hashes. A
// client is safe for concurrent use.
type Client struct {
	command       func() *exec.Cmd
	slots         int // requests that a worker has at a time
	log           *slog.Logger
	answerTimeout time.Duration // after which this process hashes what the worker has not
	killTimeout   time.Duration // after which a worker that has not answered is killed
	pause         time.Duration // between the end of a worker and the start of the next one

	mu        sync.Mutex // guards the fields below
	worker    *worker    // nil: none runs
	notBefore time.Time  // of the next start
	closed    bool
}

// NewClient returns a client whose worker has at most so many requests at a time. The command starts a process that calls [Serve] on its
// standard input and output.
func NewClient(command func() *exec.Cmd, slots int, log *slog.Logger) *Client {
	return &Client{command: command, slots: slots, log: log, answerTimeout: 500 * time.Millisecond, killTimeout: time.Minute, pause: 10 * time.Second}
}

// Derive returns the key that [argon2.IDKey] derives.
func (c *Client) Derive(password, salt []byte, passes, memory uint32, threads uint8, length uint32) []byte {
	if w := c.runningWorker(); w != nil {
		r := request{Password: password, Salt: salt, Passes: passes, Memory: memory, Threads: threads, Length: length}
		if key := w.ask(r, c.slots, c.answerTimeout, c.killTimeout); key != nil {
			return key
		}
	}
	return argon2.IDKey(password, salt, passes, memory, threads, length)
}

// Close ends the worker and waits for its end. Later keys are derived in this process.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	w := c.worker
	c.mu.Unlock()
	if w != nil {
		w.kill()
		<-w.ended
	}
}

// runningWorker returns the worker, which it starts if there is none. It returns nil if there can be none now.
func (c *Client) runningWorker() *worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.worker != nil || c.closed || time.Now().Before(c.notBefore) {
		return c.worker
	}
	w, err := startWorker(c.command())
	if err != nil {
		c.log.Warn("passwords are hashed by the process of the service", "error", err)
		c.notBefore = time.Now().Add(c.pause)
		return nil
	}
	c.worker = w
	go func() {
		err := w.deliverKeys(c.log)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.worker, c.notBefore = nil, time.Now().Add(c.pause)
		if !c.closed {
			c.log.Warn("the process that hashes passwords ended; another one is started", "error", err)
		}
		close(w.ended)
	}()
	return w
}

// worker is a running worker process.
type worker struct {
	process *exec.Cmd
	kill    func()
	in      *gob.Encoder // guarded by sending
	out     *gob.Decoder
	sending sync.Mutex
	ended   chan struct{} // closed when the process has ended

	mu      sync.Mutex // guards the fields below
	last    uint64     // ID of the last request
	waiting map[uint64]pending
}

// pending is a request that was not answered yet. Its caller may have stopped waiting.
type pending struct {
	key  chan []byte // has room for the key
	kill *time.Timer
}

func startWorker(process *exec.Cmd) (*worker, error) {
	in, err := process.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe to the process that hashes: %w", err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe from the process that hashes: %w", err)
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("start the process that hashes: %w", err)
	}
	return &worker{
		process: process, kill: func() { _ = process.Process.Kill() }, in: gob.NewEncoder(in), out: gob.NewDecoder(out),
		ended: make(chan struct{}), waiting: map[uint64]pending{},
	}, nil
}

// deliverKeys delivers keys to those who wait for them until the process ends, and returns why it did.
func (w *worker) deliverKeys(log *slog.Logger) error {
	var g greeting
	err := w.out.Decode(&g)
	if err == nil && g.Priority != "" {
		log.Warn("passwords are hashed with the priority of requests", "reason", g.Priority)
	}
	for err == nil {
		var a answer
		if err = w.out.Decode(&a); err == nil {
			w.mu.Lock()
			p, ok := w.waiting[a.ID]
			delete(w.waiting, a.ID)
			w.mu.Unlock()
			if ok {
				p.kill.Stop()
				p.key <- a.Key
			}
		}
	}
	w.kill() // it may have answered something else and still run
	return errors.Join(err, w.process.Wait())
}

// ask returns the key for a request. It returns nil if the worker already has so many requests, does not answer within answerTimeout, or
// ends. A request whose caller no longer waits still has its slot, so that the worker's memory stays bounded.
func (w *worker) ask(r request, slots int, answerTimeout, killTimeout time.Duration) []byte {
	p := pending{key: make(chan []byte, 1)}
	w.mu.Lock()
	if len(w.waiting) >= slots {
		w.mu.Unlock()
		return nil
	}
	w.last++
	r.ID = w.last
	p.kill = time.AfterFunc(killTimeout, w.kill)
	w.waiting[r.ID] = p
	w.mu.Unlock()
	w.sending.Lock()
	err := w.in.Encode(r) // it may have to wait for a worker that does not read, until that is killed
	w.sending.Unlock()
	if err != nil { // the pipe is closed
		w.kill()
	}
	late := time.NewTimer(answerTimeout)
	defer late.Stop()
	select {
	case k := <-p.key:
		return k
	case <-w.ended:
	case <-late.C:
	}
	return nil
}
