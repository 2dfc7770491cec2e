package hashworker

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"
)

// role is the variable that makes the test program a worker: "serve", or one that misbehaves.
const role = "HASHWORKER_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "serve":
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	case "end":
		os.Exit(3)
	case "garble":
		_, _ = os.Stdout.WriteString("this is not a greeting\n")
		select {}
	case "hang":
		_, _ = bytes.NewBuffer(nil).ReadFrom(os.Stdin)
		select {}
	}
	os.Exit(m.Run())
}

// newTestClient returns a client whose workers have the roles in turn, and the last one from then on.
func newTestClient(t *testing.T, roles ...string) *Client {
	var log bytes.Buffer // of one client; slog serialises writes
	c := NewClient(func() *exec.Cmd {
		p := exec.Command(os.Args[0])
		p.Env = []string{role + "=" + roles[0]}
		if len(roles) > 1 {
			roles = roles[1:]
		}
		return p
	}, 20, slog.New(slog.NewTextHandler(&log, nil)))
	c.pause, c.answerTimeout = 0, time.Minute
	t.Cleanup(func() {
		c.Close()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return c
}

func requireKey(t *testing.T, c *Client, password string) {
	t.Helper()
	salt := []byte("garam untuk uji!")
	if got, want := c.Derive([]byte(password), salt, 1, 64, 1, 32), argon2.IDKey([]byte(password), salt, 1, 64, 1, 32); !bytes.Equal(got, want) {
		t.Errorf("the key of %q is %x, want %x", password, got, want)
	}
}

// runningProcess returns the worker that runs, or nil.
func (c *Client) runningProcess() *worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.worker
}

func TestKeysOfManyCallersComeFromOneWorker(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, "serve", "end")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { requireKey(t, c, string(rune('a'+i))) })
	}
	all.Wait()
	w := c.runningProcess()
	if w == nil {
		t.Fatal("no worker runs")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last != 20 || len(w.waiting) != 0 {
		t.Errorf("the worker had %d requests, and %d wait", w.last, len(w.waiting))
	}
}

func TestAnotherWorkerFollowsOneThatWasKilled(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, "serve")
	requireKey(t, c, "satu")
	first := c.runningProcess()
	first.kill()
	<-first.ended
	requireKey(t, c, "dua")
	if second := c.runningProcess(); second == nil || second == first {
		t.Error("no second worker runs")
	}
}

func TestWithoutAWorkingWorkerTheServiceHashes(t *testing.T) {
	t.Parallel()
	for _, misbehaves := range []string{"end", "garble", "hang"} {
		t.Run(misbehaves, func(t *testing.T) {
			t.Parallel()
			c := newTestClient(t, misbehaves)
			c.killTimeout = time.Second
			for range 3 {
				requireKey(t, c, "kata sandi")
			}
		})
	}
	t.Run("no program", func(t *testing.T) {
		t.Parallel()
		starts := 0
		c := NewClient(func() *exec.Cmd { starts++; return exec.Command("/nowhere") }, 1, slog.New(slog.DiscardHandler))
		for range 3 {
			requireKey(t, c, "kata sandi")
		}
		if starts != 1 {
			t.Errorf("the program was started %d times within the pause", starts)
		}
	})
}

func TestWhatALateWorkerHasIsHashedHereAndItGetsNoMore(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, "hang")
	c.slots, c.answerTimeout = 2, time.Millisecond
	for range 5 {
		requireKey(t, c, "kata sandi")
	}
	w := c.runningProcess()
	if w == nil {
		t.Fatal("no worker runs")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last != 2 {
		t.Errorf("the worker was given %d requests, want 2", w.last)
	}
}

func TestACloseEndsTheWorkerAndHashesGoOn(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, "serve")
	requireKey(t, c, "satu")
	w := c.runningProcess()
	c.Close()
	if w.process.ProcessState == nil {
		t.Error("the worker still runs")
	}
	requireKey(t, c, "dua")
	if c.runningProcess() != nil {
		t.Error("a worker was started after the end")
	}
}

func TestAWorkerEndsWithItsInput(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]int{"": 0, "\x03\x01": 1} {
		p := exec.Command(os.Args[0])
		p.Env, p.Stdin = []string{role + "=serve"}, strings.NewReader(input)
		if err := p.Run(); p.ProcessState == nil || p.ProcessState.ExitCode() != want {
			t.Errorf("with the input %q: %v, want the exit status %d", input, err, want)
		}
	}
}
