package main

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segel/internal/blob/encrypted"
	"segel/internal/blob/s3/s3test"
	"segel/internal/config"
)

// requireStored requires that each file of the place that settings name, and at least so many, is encrypted under the newest key of its organisation; or that none is encrypted.
func (s *service) requireStored(t *testing.T, least int, isEncrypted bool) {
	t.Helper()
	volume, err := findVolume(s.conf, currentPlace(s.conf))
	if err != nil {
		t.Fatal(err)
	}
	volume = encrypted.New(volume, s.blobKeys, false)
	files := 0
	for info, err := range volume.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		files++
		b, err := volume.Open(t.Context(), info.Key)
		if err != nil {
			t.Fatal(err)
		}
		want, is := "", encrypted.KeyOf(b)
		if isEncrypted {
			of, err := s.store.OrganisationOfFile(t.Context(), string(info.Key))
			if err != nil {
				t.Fatal(err)
			}
			newest, err := s.store.NewestBlobKey(t.Context(), of)
			if err != nil {
				t.Fatal(err)
			}
			want = newest.ID
		}
		if is != want {
			t.Errorf("file %s is stored under key %q, want %q", info.Key, is, want)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if files < least {
		t.Errorf("%d files, want %d or more", files, least)
	}
}

// TestTheFilesOfARunningServiceAreEncryptedUnderAnotherKeyAndDecryptedByCopies moves the files to another place of the same kind three times: from plain to encrypted, from one key to
// another, and back to plain. People work on documents before, between and after the copies.
func TestTheFilesOfARunningServiceAreEncryptedUnderAnotherKeyAndDecryptedByCopies(t *testing.T) {
	t.Parallel()
	common := []string{"SEGEL_EVIDENCE", config.EvidenceOnRequest, "SEGEL_ANSWER_WITHIN", "10s"}
	for name, at := range map[string]func(t *testing.T) (place func(name string) []string, from func(name string) []string){
		"files": func(*testing.T) (place, from func(string) []string) {
			return func(name string) []string { return []string{"SEGEL_BLOBS_FOLDER", name} },
				func(name string) []string {
					return []string{"SEGEL_BLOBS_FROM", "files", "SEGEL_BLOBS_FROM_FOLDER", name}
				}
		},
		"s3": func(t *testing.T) (place, from func(string) []string) {
			bucket := onBucket(s3test.StartServer(t))
			i := slices.Index(bucket, "SEGEL_S3_PREFIX")
			bucket = slices.Delete(bucket, i, i+2)
			return func(name string) []string { return append(slices.Clip(bucket), "SEGEL_S3_PREFIX", name+"/") },
				func(name string) []string {
					return []string{"SEGEL_BLOBS_FROM", "s3", "SEGEL_S3_FROM_PREFIX", name + "/"}
				}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place, from := at(t)
			data := newDataFolder(t)
			set := append(place("blobs"), common...)
			s := starting{data: data, set: set}.start(t)
			owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
			sums := map[int64][sha256.Size]byte{}
			complete := func(id int64) {
				t.Helper()
				signer.on(s).verb("sign-docs", id).ok()
				owner.on(s).completed(id)
				sums[id] = sha256.Sum256(owner.on(s).download(id))
			}
			complete(signable(owner, signer))
			waits := signable(owner, signer)
			part := padded(100_000)
			upload := owner.beginUpload(len(part)) // whose parts move, too
			owner.sendPart(upload, 0, part[:50_000])

			former := "blobs"
			for _, turn := range []struct {
				place, encryption string
			}{{"sealed", "on"}, {"sealed-again", "on"}, {"plain", "off"}} {
				now := append(append(place(turn.place), common...), "SEGEL_BLOB_ENCRYPTION", turn.encryption)
				both := append(slices.Clip(now), from(former)...)
				if turn.place == "sealed-again" {
					o, err := s.store.FirstOrganisation(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					runSegel(t, 0, set, "blobs", "new-key", "--org", o.Name, "--data", data)
				}
				begun := copyBlobs(t, data, both, "--reencrypt")
				if begun.Copied < 3 || begun.Compared+begun.New+begun.LeftOut != 0 {
					t.Errorf("%s: beside a service on the former place: %+v", turn.place, begun)
				}
				complete(signable(owner.on(s), signer.on(s))) // stored in the former place, after the copy
				s.stop()
				s = starting{data: data, set: both}.start(t)
				complete(waits) // its files are in both places
				waits = signable(owner.on(s), signer.on(s))
				second := copyBlobs(t, data, both, "--reencrypt")
				if second.Copied == 0 || second.Compared != begun.Copied || second.New == 0 {
					t.Errorf("%s: beside a service on both: %+v", turn.place, second)
				}
				if last := copyBlobs(t, data, both, "--reencrypt", "--only-missing"); last.Copied != 0 || last.Kept != second.Copied+second.Compared {
					t.Errorf("%s: something was left: %+v", turn.place, last)
				}
				s.stop()
				s = starting{data: data, set: now}.start(t)
				for id, sum := range sums {
					if sha256.Sum256(owner.on(s).download(id)) != sum {
						t.Errorf("%s: document %d changed", turn.place, id)
					}
				}
				s.requireStored(t, int(second.Copied+second.Compared+second.New), turn.encryption == "on")
				if said := runFsck(t, data, environ(now), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
					t.Errorf("%s: fsck: %s", turn.place, said)
				}
				former, set = turn.place, now
			}
			owner.on(s).sendPart(upload, 50_000, part[50_000:])
			owner.on(s).finishUpload(upload).ok()
		})
	}
}

// TestACopyThatEncryptsNamesWhatItCannotEncrypt copies to a place that has plain copies already, files that are damaged, and files that nothing refers to.
func TestACopyThatEncryptsNamesWhatItCannotEncrypt(t *testing.T) {
	t.Parallel()
	data := newDataFolder(t)
	s := starting{data: data, set: []string{"SEGEL_BLOB_ENCRYPTION", "on"}}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	signable(owner, signer)
	signable(owner, signer)
	w, err := s.blobsOf(organisationIDOf(t, s, owner)).Create(t.Context(), "00112233445566778899aabbccddeeff")
	if err == nil {
		_, err = w.Write([]byte("nothing refers to it"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	s.stop()
	to := func(folder, encryption string) []string {
		return []string{"SEGEL_BLOBS_FOLDER", folder, "SEGEL_BLOBS_FROM", "files", "SEGEL_BLOB_ENCRYPTION", encryption}
	}
	runSegel(t, 1, to("blobs", "on"), "blobs", "copy", "--reencrypt", "--data", data)
	runSegel(t, 1, to("blobs/aa", "on"), "blobs", "copy", "--reencrypt", "--data", data)
	all := copyBlobs(t, data, to("plain", "off"), "--reencrypt")
	if all.Copied < 2 || all.LeftOut != 1 {
		t.Errorf("decrypted: %+v", all)
	}
	said := runSegel(t, 1, to("plain", "on"), "blobs", "copy", "--reencrypt", "--data", data)
	if n := strings.Count(said, "not as SEGEL_BLOB_ENCRYPTION says: "); n != int(all.Copied) || !strings.Contains(said, "0 files differ") || !strings.Contains(said, "1 files that nothing refers to") {
		t.Errorf("to a place with plain copies: %s", said)
	}

	damaged := ""
	for file := range files(t, filepath.Join(data, blobDir)) {
		if name := filepath.Base(file); len(name) == 32 && !strings.HasPrefix(name, "0011") {
			damaged = name
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)-1] ^= 1
			if err := os.Chmod(file, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	said = runSegel(t, 1, to("other", "on"), "blobs", "copy", "--reencrypt", "--data", data)
	if strings.Count(said, "damaged: ") != 1 || !strings.Contains(said, "damaged: "+damaged) || !strings.Contains(said, "files copied") {
		t.Errorf("a file is damaged: %s", said)
	}
}
