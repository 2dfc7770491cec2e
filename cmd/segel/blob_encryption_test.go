package main

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/config"
	"segel/internal/store"
)

// storedFiles counts the files of a blob folder that are encrypted, and those that are not.
func storedFiles(t *testing.T, data string) (encrypted, plain int) {
	t.Helper()
	for file, digest := range files(t, filepath.Join(data, blobDir)) {
		if digest == "" || len(filepath.Base(file)) != 32 {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(content, []byte("age-encryption.org/v1\n-> segel-blob 1 ")) && !bytes.Contains(content, []byte("endobj")) {
			encrypted++
		} else {
			plain++
		}
	}
	return encrypted, plain
}

func TestTheFilesOfAServiceAreEncrypted(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	on := []string{"SEGEL_BLOB_ENCRYPTION", "on", "SEGEL_EVIDENCE", config.EvidenceOnRequest}
	clean := func() {
		t.Helper()
		if said := runFsck(t, data, nil, 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
			t.Errorf("fsck: %s", said)
		}
	}
	s := starting{data: data, set: on[2:]}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	before := signable(owner, signer)
	sums := map[int64][32]byte{}
	complete := func(id int64) {
		t.Helper()
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		sums[id] = sha256.Sum256(owner.download(id))
	}
	s.stop()
	_, plain := storedFiles(t, data)
	if plain == 0 {
		t.Fatal("nothing was stored")
	}

	// A document that was begun in clear is completed with encryption.
	s = starting{data: data, set: on}.start(t)
	owner, signer = owner.on(s), signer.on(s)
	complete(before)
	complete(signable(owner, signer))
	file := padded(100_000)
	path := owner.beginUpload(len(file)) // in parts, which are files of the organisation too
	owner.sendPart(path, 0, file[:50_000])
	owner.sendPart(path, 50_000, file[50_000:])
	owner.finishUpload(path).ok()
	other := s.person(t, "Tono", "PT Lain")
	other.upload(simple())
	sealed, still := storedFiles(t, data)
	if sealed < 6 || still != plain {
		t.Errorf("%d encrypted and %d plain files, after %d plain ones", sealed, still, plain)
	}
	if status, said := s.command(t, "", "blobs", "new-key", "--org", "PT Lain"); status != 0 || !strings.Contains(said, "key 2") {
		t.Errorf("another key: %d, %s", status, said)
	}
	other.upload(simple())
	var keys []int
	if err := s.store.EachBlobKey(t.Context(), func(k store.BlobKey) bool { keys = append(keys, k.Generation); return true }); err != nil || len(keys) != 3 {
		t.Errorf("the generations of keys are %v, %v", keys, err)
	}
	s.stop()
	clean()

	// Turned off, what is encrypted is read, and new files are not encrypted.
	s = starting{data: data, set: on[2:]}.start(t)
	owner, signer = owner.on(s), signer.on(s)
	complete(signable(owner, signer))
	for id, sum := range sums {
		if sha256.Sum256(owner.download(id)) != sum {
			t.Errorf("document %d changed", id)
		}
	}
	if now, more := storedFiles(t, data); now < sealed || more <= plain {
		t.Errorf("turned off: %d encrypted and %d plain files", now, more)
	}
	s.stop()
	clean()
}
