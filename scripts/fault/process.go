package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// process is a program of ours that can be killed and started again on the same address and folder.
type process struct {
	binary string
	args   []string // the whole command
	env    []string // added to the environment
	log    string   // file that its standard error is appended to

	mu      sync.Mutex // guards all below
	cmd     *exec.Cmd  // nil: it does not run
	gone    chan struct{}
	printed []string // lines of standard output of all its lives
}

// errDied means that it ended before it listened: somebody killed it, or it cannot start.
var errDied = errors.New("it ended before it listened")

// launch starts it and returns at once; listening tells whether it came up, errDied if it did not.
func (p *process) launch() (listening func() error, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return nil, errors.New("it runs already")
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(p.binary, p.args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), p.env...), log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // nothing outlives this program
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started, up, gone := make(chan error), make(chan bool, 1), make(chan struct{})
	go func() {
		// The signal is sent when the thread ends that started the process, so that thread is kept.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(gone)
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.read(out, up)
		_ = cmd.Wait() // it ends by a signal
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.cmd, p.gone = cmd, gone
	return func() error {
		if !<-up {
			return errDied
		}
		return nil
	}, nil
}

// read keeps what it prints, and says once whether it listens.
func (p *process) read(out io.Reader, up chan<- bool) {
	said := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		p.mu.Lock()
		p.printed = append(p.printed, lines.Text())
		p.mu.Unlock()
		if !said && strings.Contains(lines.Text(), "listens on ") {
			said = true
			up <- true
		}
	}
	if !said {
		up <- false
	}
}

// start launches it and waits until it listens.
func (p *process) start() error {
	listening, err := p.launch()
	if err == nil {
		err = listening()
	}
	if err != nil {
		return fmt.Errorf("start segel %s: %w; see %s", p.args[0], err, p.log)
	}
	return nil
}

// kill ends it with SIGKILL: no handler runs, nothing is flushed. It returns once it has gone.
func (p *process) kill() { p.end(syscall.SIGKILL) }

// stop ends it as an operator would.
func (p *process) stop() { p.end(syscall.SIGINT) }

func (p *process) end(s syscall.Signal) {
	p.mu.Lock()
	cmd, gone := p.cmd, p.gone
	p.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(s) // it may have ended by itself
	<-gone
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == cmd {
		p.cmd = nil
	}
}

// pid returns its number while it runs.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// said returns what follows a text in what it printed, the first time.
func (p *process) said(text string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.printed {
		if _, after, ok := strings.Cut(line, text); ok {
			return after, true
		}
	}
	return "", false
}
