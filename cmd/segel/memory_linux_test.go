package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAServiceGivesBackPagesOfItsFileThatOnlyTheStartNeeded(t *testing.T) {
	t.Parallel()
	p := serve(t, filepath.Join(t.TempDir(), "data"))
	resident := func() (size int64) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
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
	started := resident()
	for deadline := time.Now().Add(idleAfter + time.Minute); resident() > started*3/4; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d KiB of pages of files are resident, %d after the start", resident(), started)
		}
	}
	p.get(t, "/readyz")
}
