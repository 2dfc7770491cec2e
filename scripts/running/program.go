package running

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Program runs the binary with a command. It can be killed and started again with the same address and folder.
type Program struct {
	Binary string
	Args   []string // the complete command
	Env    []string // added to the environment
	Log    string   // file that its standard error is appended to; empty: discarded

	mu      sync.Mutex // guards the fields below
	cmd     *exec.Cmd  // nil: not running
	gone    chan struct{}
	printed []string // lines of standard output of all its runs
}

// Environ returns the environment without variables of Segel. Some are of tests, with which the program does not start, and settings of a
// script are those that it names.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(line string) bool { return strings.HasPrefix(line, "SEGEL_") })
}

// errDied means that the program ended before it listened: it was killed, or it cannot start.
var errDied = errors.New("it ended before it listened")

// Launch starts the program and returns at once; listening waits until it listens, and returns errDied if it ended before.
func (p *Program) Launch() (listening func() error, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return nil, errors.New("it is already running")
	}
	log, err := os.OpenFile(cmp.Or(p.Log, os.DevNull), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(p.Binary, p.Args...)
	cmd.Env, cmd.Stderr = append(Environ(), p.Env...), log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // the child must not outlive this program
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started, up, gone := make(chan error), make(chan bool, 1), make(chan struct{})
	go func() {
		// The signal is sent when the thread that started the process exits, so that thread is kept.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(gone)
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.readOutput(out, up)
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

// readOutput stores the output, and reports once that the program listens.
func (p *Program) readOutput(out io.Reader, up chan<- bool) {
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

// Start launches the program and waits until it listens.
func (p *Program) Start() error {
	listening, err := p.Launch()
	if err == nil {
		err = listening()
	}
	if err != nil && p.Log != "" {
		err = fmt.Errorf("%w; see %s", err, p.Log)
	}
	if err != nil {
		return fmt.Errorf("start segel %s: %w", p.Args[0], err)
	}
	return nil
}

// Kill ends the program with SIGKILL: no handler runs, nothing is flushed. It returns once the process has ended.
func (p *Program) Kill() { p.endWith(syscall.SIGKILL) }

// Stop ends the program like an operator.
func (p *Program) Stop() { p.endWith(syscall.SIGINT) }

func (p *Program) endWith(s syscall.Signal) {
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

// PID returns the process identifier, or 0 if the program does not run.
func (p *Program) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// FindOutput returns what follows a text in the output, at its first occurrence.
func (p *Program) FindOutput(text string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.printed {
		if _, after, ok := strings.Cut(line, text); ok {
			return after, true
		}
	}
	return "", false
}

// FirstLogin returns the e-mail and the password of the account that the first start of a service created.
func (p *Program) FirstLogin() (email, password string, err error) {
	told, ok := p.FindOutput("first login: ")
	if email, rest, printed := strings.Cut(told, ", password: "); printed { // of a former release
		password, _, _ = strings.Cut(rest, " ")
		return email, password, nil
	}
	email, file, inFile := strings.Cut(told, ", password in ")
	if !ok || !inFile {
		return "", "", fmt.Errorf("the service told no first login, but %q", told)
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	password, _, _ = strings.Cut(string(kept), "\n")
	return email, password, nil
}

// CPUTime returns the processor time that the program has used.
func (p *Program) CPUTime() (time.Duration, error) { return CPUTimeOf(p.PID()) }

// CPUTimeOf returns the processor time that a process has used.
func CPUTimeOf(pid int) (time.Duration, error) { return readCPUTime(pid, 2) }

// readCPUTime adds up the first of the four times of a process: in user mode and in the kernel, and the same of children that have ended.
func readCPUTime(pid, times int) (total time.Duration, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may contain anything (proc_pid_stat(5)).
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 15 {
		return 0, fmt.Errorf("state of process %d: %q", pid, b)
	}
	for _, field := range fields[11 : 11+times] {
		ticks, err := strconv.Atoi(field)
		if err != nil {
			return 0, fmt.Errorf("state of process %d: %w", pid, err)
		}
		total += time.Duration(ticks) * tick
	}
	return total, nil
}

// CPUTimeOfAll returns the processor time that a process and its children have used, those included that have ended.
func CPUTimeOfAll(pid int) (time.Duration, error) {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, err
	}
	used, err := readCPUTime(pid, 4)
	if err != nil {
		return 0, err
	}
	for _, child := range strings.Fields(string(children)) {
		id, err := strconv.Atoi(child)
		if err != nil {
			return 0, err
		}
		of, err := CPUTimeOf(id)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // it has just ended, and counts with its parent next time
			return 0, err
		}
		used += of
	}
	return used, nil
}

// tick is the unit of processor time in /proc (USER_HZ).
const tick = 10 * time.Millisecond

// PeakMemory returns the peak of the program's resident memory in bytes.
func (p *Program) PeakMemory() (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("no VmHWM")
}

// OwnCPUTime returns the processor time that this program has used.
func OwnCPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
