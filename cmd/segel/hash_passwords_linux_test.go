package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// hashersOf returns the processes that hash the passwords of a process.
func hashersOf(t *testing.T, service int) (pids []int) {
	t.Helper()
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", service))
	if err != nil || len(children) == 0 {
		t.Skip("the kernel does not list the children of a process:", err)
	}
	for _, name := range children {
		b, err := os.ReadFile(name)
		if err != nil { // the thread has ended
			continue
		}
		for child := range strings.FieldsSeq(string(b)) {
			var pid int
			if _, err := fmt.Sscan(child, &pid); err != nil {
				t.Fatal(err)
			}
			if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.Contains(string(line), "hash-passwords") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func TestPasswordsAreHashedInASecondProcessWhichMayDieAndEndsWithTheService(t *testing.T) {
	t.Parallel()
	p := serve(t, filepath.Join(t.TempDir(), "data"), testSeparateHashing+"=1", "PASSWORD_MARK=rahasia")
	if pids := hashersOf(t, p.cmd.Process.Pid); len(pids) != 0 {
		t.Errorf("before the first login the processes %v hash", pids)
	}
	p.login(t, p.email, p.password)
	pids := hashersOf(t, p.cmd.Process.Pid)
	if len(pids) != 1 {
		t.Fatalf("after a login the processes %v hash, want one", pids)
	}
	if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pids[0])); err != nil || strings.Contains(string(env), "rahasia") {
		t.Errorf("the process that hashes has the environment %q (%v)", env, err)
	}
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.login(t, p.email, p.password)
	// A service that is killed leaves none behind.
	q, err := launch(filepath.Join(t.TempDir(), "data"), testSeparateHashing+"=1")
	if err != nil {
		t.Fatal(err)
	}
	q.login(t, q.email, q.password)
	of := hashersOf(t, q.cmd.Process.Pid)
	var ends []unix.PollFd
	for _, pid := range of {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		ends = append(ends, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	if err := q.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = q.cmd.Wait() // it was killed
	if n, err := unix.Poll(ends, 60_000); n != 1 || err != nil {
		t.Errorf("%d of the processes %v end with their service (%v), want one", n, of, err)
	}
}
