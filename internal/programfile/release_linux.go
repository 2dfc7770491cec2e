package programfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ReleasePages removes from the memory of the process the pages of its program file that are as the file is: code and constants. A page that is used
// again comes back from the page cache of the kernel, at the cost of a minor fault for each 64 KiB.
//
// Of the advices of madvise(2) only MADV_DONTNEED does that. MADV_COLD changes nothing before the machine lacks memory, and MADV_PAGEOUT also removes
// pages from the page cache, so that they would be read from the disk again, and skips those that another process of the program uses.
func ReleasePages() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer smaps.Close()
	mappings, err := readUnmodified(smaps, program)
	if err != nil {
		return err
	}
	if len(mappings) == 0 {
		return errors.New("the program has no mapping of its file that is as the file is")
	}
	for _, m := range mappings {
		if _, _, e := unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED); e != 0 {
			return fmt.Errorf("give back %x-%x: %w", m.start, m.end, e)
		}
	}
	return nil
}
