// Package isolation runs programs that read files of unknown origin. Bubblewrap gives each a process, network and file system
// namespace without anything but the program and what it needs, and a filter of system calls, and prlimit bounds its resources.
package isolation

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// user is the user of a sandboxed process, seen from outside, if the service runs as root. No other process has it, so that a
// process that escaped could do little, and so that the limit on processes applies, which it does not for root.
const user = 64117

// Sandbox starts programs in namespaces and with limits.
type Sandbox struct {
	Bubblewrap    string // path of bwrap
	prlimit, nice string // paths
}

// Find finds the programs of the sandbox. The error says what is not installed, in words for the operator.
func Find() (*Sandbox, error) {
	s := &Sandbox{}
	var err error
	if s.Bubblewrap, err = exec.LookPath("bwrap"); err != nil {
		return nil, errors.New("bubblewrap, the sandbox for programs that read uploads, is not installed; on Debian: apt-get install bubblewrap")
	}
	for name, path := range map[string]*string{"prlimit": &s.prlimit, "nice": &s.nice} {
		if *path, err = exec.LookPath(name); err != nil {
			return nil, fmt.Errorf("%s, which limits the resources of sandboxed programs, is not installed; on Debian: apt-get install util-linux coreutils", name)
		}
		if *path, err = filepath.EvalSymlinks(*path); err != nil {
			return nil, fmt.Errorf("find %s: %w", name, err)
		}
	}
	return s, nil
}

// User returns the user of sandboxed processes, seen from outside; -1: the user of this service.
func User() int {
	if os.Geteuid() == 0 {
		return user
	}
	return -1
}

// Limits bound one process.
type Limits struct {
	Processor time.Duration // processor time
	Memory    int64         // bytes of address space
	FileSize  int64         // bytes of each file written; 0: nothing can be written
	Processes int           // including threads
}

// Program is what to run.
type Program struct {
	Arguments []string   // the path of the program and its arguments, as seen inside
	Readable  []string   // paths that are readable inside, at the same place; missing ones are skipped. /usr/lib is in any case
	Variables []string   // of the environment, as name and value in turn
	Mounts    []string   // further arguments of bubblewrap, before / becomes read-only
	Files     []*os.File // that Mounts name as descriptors from [FirstFile] on; [Start] closes them
	Scratch   int64      // bytes that all files below /home may have together; 0: there is no /home
	Limits    Limits
}

// FirstFile is the descriptor of the first of a program's files. The one before is that of the filter.
const FirstFile = 4

// Command returns the process, for [Start] or [Run]. It has no environment but the program's variables. The caller sets its input and
// output. It is in a session without a terminal. Only [Kill] ends it: bubblewrap alone, killed before its
// namespaces are complete, leaves a child that waits forever.
func (s *Sandbox) Command(p Program) *exec.Cmd {
	filter, files, err := filterArguments()
	if files == nil {
		files = []*os.File{nil} // a closed descriptor, so that those of the program keep their numbers
	}
	cmd := exec.Command(s.Bubblewrap, slices.Concat(filter, s.bwrapArguments(p), []string{"--"}, limitArguments(p.Limits), p.Arguments)...)
	cmd.Err = err // Start returns it
	cmd.ExtraFiles = append(files, p.Files...)
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if u := User(); u >= 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(u), Gid: uint32(u)}
	}
	return cmd
}

// Start starts a process of [Sandbox.Command] and closes the files that it was given, also if it does not start.
func Start(cmd *exec.Cmd) error {
	err := cmd.Start()
	for _, f := range cmd.ExtraFiles {
		_ = f.Close() // only read; nil: none
	}
	return err
}

// Run is [Start], and waits for the end of the process.
func Run(cmd *exec.Cmd) error {
	if err := Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}

func (s *Sandbox) bwrapArguments(p Program) []string {
	a := []string{
		"--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent",
		"--hostname", "sandbox", "--uid", "65534", "--gid", "65534", "--clearenv", "--setenv", "PATH", "/usr/bin", "--setenv", "LANG", "C.UTF-8",
	}
	for pair := range slices.Chunk(p.Variables, 2) {
		a = append(a, "--setenv", pair[0], pair[1])
	}
	a = append(a,
		"--ro-bind", "/usr/lib", "/usr/lib", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--ro-bind", s.prlimit, "/usr/bin/prlimit", "--ro-bind", s.nice, "/usr/bin/nice")
	for _, path := range p.Readable {
		a = append(a, "--ro-bind-try", path, path)
	}
	a = append(a, "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev")
	if p.Scratch > 0 {
		a = append(a, "--size", strconv.FormatInt(p.Scratch, 10), "--tmpfs", "/home", "--dir", "/home/tmp")
	}
	return append(append(a, p.Mounts...), "--remount-ro", "/")
}

// limitArguments returns the arguments of nice and prlimit. They run inside the namespaces, where the processes of this user are
// counted separately. Requests of people have priority.
func limitArguments(l Limits) []string {
	return []string{
		"/usr/bin/nice", "-n", "5", "/usr/bin/prlimit", "--core=0", "--nofile=256", fmt.Sprintf("--as=%d", l.Memory), fmt.Sprintf("--fsize=%d", l.FileSize),
		fmt.Sprintf("--cpu=%d", int(l.Processor/time.Second)), fmt.Sprintf("--nproc=%d", l.Processes),
	}
}

// Fonts are the paths of fonts and of what selects them on Debian and its relatives.
var Fonts = []string{"/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/etc/fonts", "/var/cache/fontconfig"}

// Libraries are the paths of what programs load, besides /usr/lib.
var Libraries = []string{"/usr/lib64", "/etc/ld.so.cache"}

// Kill kills a process that was started, with all that it started: bubblewrap's child is in its process group, and with that child, the
// first of its namespace, every other process in the namespace dies. The caller waits for its end. Killing right after that end is
// harmless, because Linux gives out process identifiers in turn.
func Kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
}

// Output holds the end of a process's output, for messages. It is safe for concurrent use.
type Output struct {
	mu sync.Mutex // guards b
	b  []byte
}

const outputLen = 2 << 10

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b = append(o.b, p[max(0, len(p)-outputLen):]...)
	o.b = o.b[max(0, len(o.b)-outputLen):]
	return len(p), nil
}

// String returns the output on one line.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(o.b), "?")), " ")
}
