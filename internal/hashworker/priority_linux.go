package hashworker

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// nicer is how much the niceness of hashes is above that of the service. With it a thread has a tenth of the weight of a request's. Beside requests that take all processors
// a hash takes ten times as long, about half a second. With 19 more, the most there is, a login would then take half a minute.
const nicer = 10

// slice is how long the kernel lets a hash run at once (Linux 6.12; before, the setting is ignored). A thread that wakes up waits until
// the running one has used its slice, and then until the next tick, which is 4 ms at 250 Hz: most of what requests waited beside hashes. It must
// not be much shorter: a thread that wakes up takes the processor if its deadline is earlier. The deadline of a hash is ten slices
// away because of its weight, and that of a request one default slice, which is 1.4 ms with two processors.
const slice = 250 * time.Microsecond

// lowerPriority gives all threads of the process a low priority. Threads that are started later inherit it.
func lowerPriority() error {
	now, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Getpid())
	if err != nil {
		return fmt.Errorf("read the priority: %w", err)
	}
	nice := min(20-now+nicer, 19) // the system call returns 20 less the niceness, so that it is positive
	for done := []int{}; ; {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("list threads: %w", err)
		}
		lowered := 0
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err != nil || slices.Contains(done, id) {
				continue
			}
			if err := lowerThread(id, nice); err != nil {
				return fmt.Errorf("lower the priority of a thread: %w", err)
			}
			done = append(done, id)
			lowered++
		}
		// A thread that had the old priority may have started another one since the list was read.
		if lowered == 0 {
			return nil
		}
	}
}

// lowerThread lowers the priority of one thread. Filters of system calls may allow only one of the two calls.
func lowerThread(id, nice int) error {
	err := unix.SchedSetAttr(id, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Nice: int32(nice), Runtime: uint64(slice.Nanoseconds())}, 0)
	if err != nil {
		err = unix.Setpriority(unix.PRIO_PROCESS, id, nice)
	}
	if err == unix.ESRCH { // the thread has ended
		return nil
	}
	return err
}
