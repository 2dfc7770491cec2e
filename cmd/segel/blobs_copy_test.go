package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/blob/moving"
	"segel/internal/blob/s3/s3test"
	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// copyBlobs runs segel blobs copy and returns what it counted.
func copyBlobs(t *testing.T, data string, set []string, more ...string) (p moving.Progress) {
	t.Helper()
	var out, errs bytes.Buffer
	w := &environment{ctx: context.Background(), stdout: &out, stderr: &errs, env: environ(set)}
	if got := w.runCommand(append([]string{"blobs", "copy", "--json", "--data", data}, more...)); got != 0 {
		t.Fatalf("exit status %d: %s%s", got, &out, &errs)
	}
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	return p
}

// movingDocuments is how many documents move: with make test-every, as many as a small office has.
func movingDocuments() int {
	if triesEvery() {
		return 1000
	}
	return 12
}

func TestTheFilesOfARunningServiceMoveToABucketAndBack(t *testing.T) {
	t.Parallel()
	server := s3test.StartServer(t)
	data := filepath.Join(t.TempDir(), "data")
	common := []string{"SEGEL_EVIDENCE", config.EvidenceOnRequest, "SEGEL_ANSWER_WITHIN", "10s"}
	bucket := append(onBucket(server), common...)
	files := append([]string{"SEGEL_BLOBS", "files", "SEGEL_BLOBS_FROM", "s3"}, append(onBucket(server)[2:], common...)...)
	s := starting{data: data, set: common}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	on := func(s *service, c *client) *client { return &client{service: s, t: t, id: c.id, token: c.token} }

	// Documents that somebody works on while the files move: one signed and completed in each turn.
	sums := map[int64][sha256.Size]byte{}
	completeOne := func(s *service) {
		owner, signer := on(s, owner), on(s, signer)
		id := signable(owner, signer)
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		sums[id] = sha256.Sum256(owner.download(id))
	}
	first, err := s.store.FirstOrganisation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The load beside the copies signs more than the first quota covers.
	if _, err := s.store.Grant(t.Context(), first.ID, contract.UnitSignature, 100*movingDocuments(), "test", contract.Actor{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	var waiting []int64 // signed after the files moved
	for n := range movingDocuments() {
		if n%4 == 0 {
			waiting = append(waiting, signable(owner, signer))
			continue
		}
		completeOne(s)
	}
	requireAll := func(s *service) {
		t.Helper()
		for id, sum := range sums {
			if sha256.Sum256(on(s, owner).download(id)) != sum {
				t.Errorf("document %d changed", id)
			}
		}
	}
	// underLoad works on documents of a service until the copy is complete.
	underLoad := func(s *service, set []string) moving.Progress {
		t.Helper()
		ended := make(chan struct{})
		var work sync.WaitGroup
		work.Go(func() {
			for n := 0; ; n++ {
				completeOne(s)
				select {
				case <-ended:
					return
				default:
				}
			}
		})
		p := copyBlobs(t, data, set)
		close(ended)
		work.Wait()
		return p
	}

	// A service that uses both does not start before anything was copied.
	moves := append([]string{"SEGEL_BLOBS_FROM", "files"}, bucket...)
	if said := runProgram(t, environ(moves), "serve", "--data", data); said.status == 0 || !strings.Contains(said.text, moving.ErrUnprepared.Error()) {
		t.Errorf("without a copy: %d: %s", said.status, said.text)
	}
	begun := underLoad(s, moves)
	if begun.Copied == 0 || begun.Different != nil {
		t.Errorf("beside a service on files: %+v", begun)
	}
	s.stop()
	s = starting{data: data, set: moves}.start(t)
	for _, id := range waiting { // their files are in the former place, or in both
		on(s, signer).verb("sign-docs", id).ok()
		on(s, owner).completed(id)
		sums[id] = sha256.Sum256(on(s, owner).download(id))
	}
	if second := underLoad(s, moves); second.Compared < begun.Copied || second.New == 0 || second.Different != nil {
		t.Errorf("beside a service on both: %+v", second)
	}
	on(s, owner).do("GET", "/readyz", nil).ok()
	requireAll(s)
	if last := copyBlobs(t, data, moves, "--only-missing"); last.Copied != 0 || last.Different != nil {
		t.Errorf("something was left: %+v", last)
	}
	s.stop()
	if err := os.Rename(filepath.Join(data, blobDir), filepath.Join(data, "former")); err != nil {
		t.Fatal(err)
	}
	s = starting{data: data, set: bucket}.start(t)
	requireAll(s)
	if said := runFsck(t, data, environ(bucket), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
		t.Errorf("fsck: %s", said)
	}
	s.stop()

	// Back, into an empty folder.
	before := copyBlobs(t, data, files)
	s = starting{data: data, set: files}.start(t)
	completeOne(s)
	if again := underLoad(s, files); again.Compared != before.Copied || again.Copied != 0 || again.Different != nil {
		t.Errorf("back: %+v after %+v", again, before)
	}
	s.stop()
	server.Stop()
	s = starting{data: data, set: common}.start(t)
	requireAll(s)
	if said := runFsck(t, data, environ(common), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
		t.Errorf("fsck: %s", said)
	}
	t.Logf("%d documents, %d files moved", len(sums), before.Copied)
}

// TestNodesThatAreRestartedInTurnReadEachOthersFilesWhileTheseMove runs a node of each step of the move beside one of the next step.
func TestNodesThatAreRestartedInTurnReadEachOthersFilesWhileTheseMove(t *testing.T) {
	t.Parallel()
	former, now := filepath.Join(t.TempDir(), "former"), filepath.Join(t.TempDir(), "new") // which the machines of all nodes mount
	common := []string{"SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate), "SEGEL_STATE", config.StateDatabase, "SEGEL_MASTER_KEY", sampleKey, "SEGEL_PUBLIC_URL", "http://segel.test"}
	before := append([]string{"SEGEL_BLOBS_FOLDER", former}, common...)
	moves := append([]string{"SEGEL_BLOBS_FOLDER", now, "SEGEL_BLOBS_FROM", "files", "SEGEL_BLOBS_FROM_FOLDER", former}, common...)
	after := append([]string{"SEGEL_BLOBS_FOLDER", now}, common...)
	s := starting{set: before}.start(t)
	owner := s.person(t, "Sari", "")
	var ids []int64
	for i, set := range [][]string{append([]string{"SEGEL_BLOBS_WRITE", config.BlobsWriteFormer}, moves...), moves, after} {
		copyBlobs(t, t.TempDir(), moves)
		next := starting{set: set}.start(t)
		for _, of := range []*service{s, next} {
			ids = append(ids, owner.on(of).upload(simple()))
		}
		for _, of := range []*service{s, next} {
			for _, id := range ids {
				if got := owner.on(of).get("original", id).ok().body; !bytes.Equal(got, simple()) {
					t.Errorf("restart %d: document %d has %d bytes", i+1, id, len(got))
				}
			}
		}
		s.stop()
		s = next
	}
}
