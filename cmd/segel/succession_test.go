package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
)

// One node has served since before the successors were created, and reads them when it first needs one: it completes a document whose
// signature has a certificate of an issuer that it did not know.
func TestANodeCompletesWhatWasSignedBelowASuccessorThatAnotherNodeCreated(t *testing.T) {
	t.Parallel()
	var clock shifted
	now := time.Now()
	clock.forward(now.AddDate(-18, -6, 0).Sub(now))
	data, set := newDataFolder(t), []string{"SEGEL_PUBLIC_URL", "http://segel.test"}
	creates := starting{data: data, set: set, clock: clock.now, idle: true}.start(t)
	completes := starting{data: data, set: set, clock: clock.now}.start(t)
	owner, signer := creates.person(t, "Sari", ""), creates.person(t, "Budi", "")
	complete := func() []byte {
		id := owner.upload(simple(), signer.as("signer", 1))
		owner.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		return owner.download(id)
	}
	former := complete()
	clock.forward(-time.Duration(clock.by.Load()))
	if err := creates.authority.Succeed(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The other node reads them when it needs one, here or for a renewal that is due by the new time.
	owner, signer = owner.loginAgain(creates), signer.loginAgain(creates)
	latter := complete()
	if got := len(completes.authority.Issuers()); got != 6 {
		t.Errorf("the other node knows %d issuers", got)
	}
	for name, pdf := range map[string][]byte{"former": former, "latter": latter} {
		if soundSignatures(t, pdf) < 2 {
			t.Errorf("%s: a signature is missing", name)
		}
		file := filepath.Join(t.TempDir(), name+".pdf")
		if err := os.WriteFile(file, pdf, 0o600); err != nil {
			t.Fatal(err)
		}
		if said := runSegel(t, 0, nil, "verify", "--data", data, file); !strings.Contains(said, "Budi") {
			t.Errorf("%s: %s", name, said)
		}
		if got := strings.Contains(string(pdf), "Segel Issuing 2 "); got != (name == "latter") {
			t.Errorf("%s: a certificate of the second issuer: %t", name, got)
		}
	}
	completes.stop()
	creates.stop()
	if said := runFsck(t, data, nil, 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
		t.Errorf("fsck: %s", said)
	}

	phrase := passphrase(t, "kata sandi cadangan")
	backups, elsewhere := filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "elsewhere")
	makeBackup(t, data, nil, 0, backups, "--passphrase-file", phrase)
	if said := runSegel(t, 0, nil, "restore", "--data", elsewhere, backups, "--passphrase-file", phrase); !strings.Contains(said, "0 lost or changed, 0 left over") {
		t.Errorf("restore: %s", said)
	}
	names, err := authority.ListNames(t.Context(), authority.Folder(filepath.Join(elsewhere, authorityDir)))
	if want := []string{"authority.json", "issuing-2.json", "guests.json", "guests-2.json", "contacts.json", "contacts-2.json", "tsa-2.json"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("restored: %q, %v", names, err)
	}
}

func TestCertificatesThatAStartCreatesAreLogged(t *testing.T) {
	t.Parallel()
	var clock shifted
	now := time.Now()
	clock.forward(now.AddDate(-18, -6, 0).Sub(now))
	data := newDataFolder(t)
	// started returns the lines about new certificates that a start logs.
	started := func() (own []authority.OwnCertificate, lines []string) {
		var log bytes.Buffer
		s := starting{data: data, clock: clock.now, idle: true, log: &log}.start(t)
		own = s.authority.OwnCertificates()
		s.stop()
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, "the authority has a new certificate") {
				lines = append(lines, line)
			}
		}
		return own, lines
	}
	former, lines := started()
	if len(lines) > 0 {
		t.Errorf("a new installation: %q", lines)
	}
	clock.forward(-time.Duration(clock.by.Load()))
	own, lines := started()
	created := 0
	for _, c := range own {
		serial := fmt.Sprintf(" serial=%x ", c.Certificate.SerialNumber)
		is := func(line string) bool { return strings.Contains(line, serial) }
		i := slices.IndexFunc(lines, is)
		if slices.ContainsFunc(former, func(f authority.OwnCertificate) bool { return f.Certificate.Equal(c.Certificate) }) {
			if i >= 0 {
				t.Errorf("a former certificate: %q", lines[i])
			}
			continue
		}
		created++
		if i < 0 || !strings.Contains(lines[i], "level=INFO") || !strings.Contains(lines[i], "role="+c.Role) || !strings.Contains(lines[i], "until="+c.Certificate.NotAfter.Format("2006-01-02T15:04:05")) {
			t.Errorf("%s %x is not logged: %q", c.Role, c.Certificate.SerialNumber, lines)
		}
	}
	if created != 7 || len(lines) != created {
		t.Errorf("%d certificates were created, %d lines: %q", created, len(lines), lines)
	}
	if _, lines = started(); len(lines) > 0 {
		t.Errorf("started again: %q", lines)
	}
}
