package hashworker

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAllThreadsOfAWorkerHaveALowPriority(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, "serve")
	requireKey(t, c, "kata sandi")
	own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := min(20-own+nicer, 19)
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", c.runningProcess().process.Process.Pid))
	if err != nil || len(threads) == 0 {
		t.Fatal("the worker has no threads:", err)
	}
	for _, name := range threads {
		stat, err := os.ReadFile(name)
		if os.IsNotExist(err) { // it has ended
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		// proc_pid_stat(5): niceness is field 19; the name before field 3 may contain spaces.
		after := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if got, err := strconv.Atoi(after[19-3]); err != nil || got != want {
			t.Errorf("%s: niceness %d (%v), want %d", name, got, err, want)
		}
	}
}
