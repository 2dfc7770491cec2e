//go:build amd64 || arm64

package isolation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"segel/internal/isolation"
	"segel/internal/isolation/isolationtest"
)

// calls are system calls that do something, or complain of their arguments, where no filter denies them, and what the filter answers.
var calls = []struct {
	name   string
	call   uintptr
	a, b   uintptr
	answer unix.Errno
}{
	{"ptrace", unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, unix.EPERM},
	{"unshare", unix.SYS_UNSHARE, 0, 0, unix.EPERM},
	{"clone", unix.SYS_CLONE, unix.CLONE_NEWUSER | unix.CLONE_NEWIPC, 0, unix.EPERM},
	{"clone3", unix.SYS_CLONE3, 0, 0, unix.ENOSYS},
	{"add_key", unix.SYS_ADD_KEY, 0, 0, unix.EPERM},
	{"process_vm_readv", unix.SYS_PROCESS_VM_READV, 0, 0, unix.EPERM},
	{"socket of netlink", unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.EAFNOSUPPORT},
	{"socket of the internet", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, unix.EAFNOSUPPORT},
	{"pair of sockets", unix.SYS_SOCKETPAIR, unix.AF_NETLINK, unix.SOCK_RAW, unix.EAFNOSUPPORT},
	{"ioctl", unix.SYS_IOCTL, 0, unix.TIOCSTI, unix.EPERM},
	{"seccomp", unix.SYS_SECCOMP, 99, 0, unix.EPERM},
}

// makeCalls is set for the program of TestASandboxedProgramMayNotMakeEverySystemCall, which is this one.
const makeCalls = "SEGEL_TEST_MAKE_CALLS"

func TestMain(m *testing.M) {
	if os.Getenv(makeCalls) == "" {
		os.Exit(m.Run())
	}
	for _, c := range calls {
		_, _, got := unix.Syscall6(c.call, c.a, c.b, 0, 0, 0, 0)
		fmt.Printf("%s: %s\n", c.name, unix.ErrnoName(got))
	}
	if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
		fmt.Println("local socket:", fd > 2)
	}
	if pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
		fmt.Println("local pair:", pair[0] > 2)
	}
}

func TestASandboxedProgramMayNotMakeEverySystemCall(t *testing.T) {
	t.Parallel()
	s, err := isolation.Find()
	if err == nil {
		err = isolation.Run(s.Command(program("true")))
	}
	isolationtest.Require(t, err)
	self := copyProgram(t)
	cmd := s.Command(isolation.Program{
		Arguments: []string{"/program"}, Readable: isolation.Libraries, Variables: []string{makeCalls, "yes"},
		Mounts: []string{"--ro-bind", self, "/program"}, Limits: isolation.Limits{Processor: 10 * time.Second, Memory: 16 << 30, Processes: 64},
	})
	b := &isolation.Output{}
	cmd.Stdout, cmd.Stderr = b, b
	if err := isolation.Run(cmd); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	for _, c := range calls {
		if want := c.name + ": " + unix.ErrnoName(c.answer); !strings.Contains(b.String(), want) {
			t.Errorf("not %q in %s", want, b)
		}
	}
	if !strings.Contains(b.String(), "local socket: true") || !strings.Contains(b.String(), "local pair: true") {
		t.Errorf("no local sockets: %s", b)
	}
}

// copyProgram copies the test's program to where the user of the sandbox can read it, and returns its path.
func copyProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "program")
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
