package main

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segel/internal/authority"
	"segel/internal/config"
	"segel/internal/installation"
)

// exportRoot returns the root certificate of an installation, as PEM.
func exportRoot(t *testing.T, data string, set []string) string {
	t.Helper()
	said := runSegel(t, 0, set, "authority", "export", "--data", data)
	if block, _ := pem.Decode([]byte(said)); block == nil {
		t.Fatalf("no certificate: %s", said)
	}
	return said
}

func TestTheAuthorityInTheDatabaseIsReplacedAtOnceAndTheFormerOneIsKeptAside(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, dir := newDataFolder(t), t.TempDir()
		trusted, aside := filepath.Join(dir, "roots", "segel"), filepath.Join(dir, "aside")
		if err := os.MkdirAll(trusted, 0o700); err != nil {
			t.Fatal(err)
		}
		set := append(settings(env), "SEGEL_STATE", config.StateDatabase, "SEGEL_MASTER_KEY", sampleKey)
		adopt := func(status int, says string, more ...string) {
			t.Helper()
			if said := runSegel(t, status, set, append([]string{"adopt", "--new-authority", "--yes", "--data", data}, more...)...); !strings.Contains(said, says) {
				t.Errorf("%s; want %s", said, says)
			}
		}
		s := starting{data: data, set: set}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		first := signed(owner, signer)
		whole := owner.download(first)
		adopt(1, "give --aside")
		adopt(1, "stop it first", "--aside", aside)
		s.stop()
		former := exportRoot(t, data, set)
		if err := os.WriteFile(filepath.Join(trusted, "former.pem"), []byte(former), 0o600); err != nil {
			t.Fatal(err)
		}
		inFolder := append(settings(env), "SEGEL_MASTER_KEY", sampleKey)
		runSegel(t, 1, inFolder, "adopt", "--new-authority", "--yes", "--aside", aside, "--data", data)
		runSegel(t, 3, inFolder, "adopt", "--new-authority", "--yes", "--data", data)

		n, made := 1, ""
		for ; runKilled(t, set, n, "adopt", "--new-authority", "--yes", "--aside", aside, "--data", data); n++ {
			if root := exportRoot(t, data, set); root != former {
				made = root
				break
			}
		}
		if n < 5 || made == "" { // three files, the mark, and the commit
			t.Fatalf("it was killed %d times, and the new root is %q", n, made)
		}
		adopt(1, "the database has another authority.json", "--aside", aside)
		if exportRoot(t, data, set) != made {
			t.Error("a repetition with the same folder made another authority")
		}
		root, err := authority.OpenRoot(t.Context(), authority.Folder(aside), sealerOf(t, sampleKey))
		if err != nil || former != string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Raw})) {
			t.Errorf("aside: %v", err)
		}
		if id, err := installation.ReadMark(t.Context(), authority.Folder(aside), aside); err != nil || string(id) != s.installation.ID {
			t.Errorf("aside: %s, %v", id, err)
		}

		set = append(slices.Clip(set), "SEGEL_TRUST_DIR", filepath.Dir(trusted))
		s = starting{data: data, set: set}.start(t)
		owner, signer = owner.on(s), signer.on(s)
		if got := owner.download(first); !bytes.Equal(got, whole) {
			t.Error("a document from before is another one")
		}
		second := signed(owner, signer)
		if soundSignatures(t, owner.download(second)) < 2 {
			t.Error("a document lacks a signature")
		}
		if got := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.authority.Root().Raw})); got != made {
			t.Error("the service has another authority")
		}
		rows := editRows(t, databaseDSN(s.conf))
		s.stop()
		// Certificates of the former authority are named, and nothing else.
		said := runProgram(t, environ(set), "fsck", "--data", data)
		if n := strings.Count(said.text, "no issuer of this authority signed it"); n == 0 || !strings.Contains(said.text, fmt.Sprintf("\n%d lost or changed, 0 left over", n)) {
			t.Errorf("fsck: %d, %s", said.status, said.text)
		}

		// The rows of keys are lost, but for the mark.
		rows.exec("DELETE FROM key_file WHERE name <> 'installation'")
		startRefused(t, data, set, installation.KeysNotCopied)
		adopt(0, "has the new authority")
		if root := exportRoot(t, data, set); root == made || root == former {
			t.Error("the authority is a former one")
		}
		// Without the mark they may be in a folder.
		rows.exec("DELETE FROM key_file")
		adopt(3, "does not have all keys", "--aside", aside+"-2")
	})
}

func TestAnAuthorityThatTheMasterKeyDoesNotOpenIsReplacedOnlyAfterAWarning(t *testing.T) {
	t.Parallel()
	data, aside := newDataFolder(t), filepath.Join(t.TempDir(), "aside")
	with := func(key string) []string {
		return []string{"SEGEL_STATE", config.StateDatabase, "SEGEL_MASTER_KEY", key}
	}
	servedOnce(t, data, environ(with(sampleKey)))
	former := exportRoot(t, data, with(sampleKey))
	startRefused(t, data, with(otherKey), installation.KeysLocked)
	if said := runSegel(t, 0, with(otherKey), "adopt", "--new-authority", "--yes", "--aside", aside, "--data", data); !strings.Contains(said, "does not open the keys of the present authority") {
		t.Error(said)
	}
	if exportRoot(t, data, with(otherKey)) == former {
		t.Error("the authority is the former one")
	}
	if _, err := authority.OpenRoot(t.Context(), authority.Folder(aside), sealerOf(t, sampleKey)); err != nil {
		t.Error(err)
	}
}
