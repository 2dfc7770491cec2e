package programfile

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// residentFilePages returns the KiB of pages of files in the memory of this process.
func residentFilePages(t *testing.T) (size int64) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, line, ok := strings.Cut(string(status), "\nRssFile:")
	if !ok {
		t.Skip("the kernel does not state the resident pages of files")
	}
	if _, err := fmt.Sscan(line, &size); err != nil {
		t.Fatal(err)
	}
	return size
}

func TestPagesOfTheProgramAreNoLongerResidentAfterTheirRelease(t *testing.T) {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer smaps.Close()
	mappings, err := readUnmodified(smaps, program)
	if err != nil || len(mappings) == 0 {
		t.Fatalf("the mappings of %s are %x (%v)", program, mappings, err)
	}
	for _, m := range mappings {
		if _, _, e := unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_POPULATE_READ); e != 0 {
			t.Skip("pages cannot be loaded before they are used:", e)
		}
	}
	before := residentFilePages(t)
	if err := ReleasePages(); err != nil {
		t.Fatal(err)
	}
	// What runs since comes back, in windows of 64 KiB.
	if after := residentFilePages(t); after > before*3/4 {
		t.Errorf("%d KiB of pages of files are resident, %d before", after, before)
	}
}
