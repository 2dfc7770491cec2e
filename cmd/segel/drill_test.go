package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// finalized finds the number of a document in what scripts/walk.sh prints.
var finalized = regexp.MustCompile(`finalize document (\d+):`)

// TestDrillAServiceThatIsKilledUnderLoadIsRestoredElsewhere is what an operator rehearses: the service is backed up and killed while people work, and everything
// that was finished before the backup is there afterwards, and valid.
func TestDrillAServiceThatIsKilledUnderLoadIsRestoredElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, contract := filepath.Join(dir, "data"), filepath.Join(dir, "contract.pdf")
	if err := os.WriteFile(contract, simple(), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := launch(data, "SEGEL_LOG_LEVEL=error")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	finished := map[int64]string{} // the files of documents that people have got
	killed := make(chan struct{})
	some := make(chan struct{}) // two are finished
	var load sync.WaitGroup
	for worker := range 2 {
		load.Go(func() {
			for n := 0; ; n++ {
				signed := filepath.Join(dir, strconv.Itoa(worker)+"-"+strconv.Itoa(n)+".pdf")
				out, err := exec.Command("bash", filepath.Join("..", "..", "scripts", "walk.sh"), p.url, p.email, p.password, contract, signed).CombinedOutput()
				if err != nil {
					select {
					case <-killed:
					default:
						t.Errorf("%v: %s", err, out)
					}
					return
				}
				id, err := strconv.ParseInt(string(finalized.FindSubmatch(out)[1]), 10, 64)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				finished[id] = signed
				if len(finished) == 2 {
					close(some)
				}
				mu.Unlock()
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		load.Wait()
		close(ended)
	}()
	select {
	case <-some:
	case <-ended:
		t.Fatal("the load ended by itself")
	}
	mu.Lock()
	acknowledged := map[int64]string{}
	for id, signed := range finished {
		acknowledged[id] = signed
	}
	mu.Unlock()
	phrase, backups := passphrase(t, "kata sandi cadangan"), filepath.Join(dir, "backups")
	makeBackup(t, data, nil, 0, backups, "--passphrase-file", phrase)
	close(killed)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // killed
	<-ended
	if err := os.RemoveAll(data); err != nil { // the machine is lost
		t.Fatal(err)
	}

	elsewhere := filepath.Join(dir, "elsewhere")
	if said := runSegel(t, 0, nil, "restore", "--data", elsewhere, backups, "--passphrase-file", phrase); !strings.Contains(said, "0 lost or changed, 0 left over") {
		t.Errorf("restore: %s", said)
	}
	owner := serve(t, elsewhere, "SEGEL_LOG_LEVEL=error").login(t, p.email, p.password)
	for id, signed := range acknowledged {
		want, err := os.ReadFile(signed)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(owner.download(id), want) {
			t.Errorf("document %d is another file", id)
		}
		runSegel(t, 0, nil, "verify", "--data", elsewhere, signed)
	}
	signed := filepath.Join(dir, "after.pdf")
	if out, err := exec.Command("bash", filepath.Join("..", "..", "scripts", "walk.sh"), owner.url, p.email, p.password, contract, signed).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
