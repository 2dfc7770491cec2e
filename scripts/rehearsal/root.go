package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The times of the replacement of a root, in months after its creation.
const (
	successorMonth = 18 * 12   // the parts of the authority have successors, and the first timestamps are renewed
	replaceMonth   = 26*12 + 6 // in the 27th year
	expiredMonth   = 31 * 12   // the former root has expired
)

// beforeReplacement is SEGEL_RENEW_BEFORE while a root is replaced: longer than a root in its 27th year has left.
const beforeReplacement = "35136h"

// replacement is the rehearsal of "The end of the root" in docs/operations.md.
type replacement struct {
	*rehearsal
	dir, binary  string
	service      *service
	successor    *service          // an installation whose time-stamp authority the service uses in the end
	former, next *x509.Certificate // roots of the service
	inherited    int               // documents that were completed below the former root
}

// replaceRoot lets a service sign until the 27th year of its root, replaces the root by the procedure, and goes on until the former root has
// expired. After each part all files have to be valid by all validators. In the end what was signed before has to lead to the former root, and
// what was signed later to the new one.
func (r *rehearsal) replaceRoot(dir, binary string) error {
	x := &replacement{rehearsal: r, dir: dir, binary: binary}
	var err error
	if x.service, err = r.startService(dir, binary, serviceKinds[0], 24); err != nil {
		return err
	}
	for range 2 {
		if _, err := x.service.addPerson(fmt.Sprintf("Penanda Tangan %d", len(x.service.people))); err != nil {
			return err
		}
	}
	if x.former, err = readCertificate(x.service.roots[0]); err != nil {
		return err
	}
	r.nameValidators()
	for i, part := range []struct {
		name  string
		month int
		run   func() error
	}{
		{"a new installation", 0, x.signAll},
		{"successors of its issuers", successorMonth, x.signAll},
		{"in the 27th year", replaceMonth, x.signAllButSecond},
		{"1 and 2: other timestamps", replaceMonth, x.useOtherTimestamps},
		{"3: what has signatures is completed", replaceMonth, x.service.signSecond},
		{"4 and 5: another root", replaceMonth, x.adoptRoot},
		{"people sign again", replaceMonth + 1, x.signAll},
		{"the former root has expired", expiredMonth, x.signAll},
	} {
		if err := x.runPart(part.month, i > 0, part.run); err != nil {
			return fmt.Errorf("%s, on %s: %w", part.name, r.clock.now().Format(time.DateOnly), err)
		}
		fmt.Printf("%s: %s, after %s\n", part.name, r.years[len(r.years)-1], time.Since(r.began).Round(time.Second))
	}
	if err := x.checkRoots(); err != nil {
		return err
	}
	return r.reportFindings(false)
}

// runPart restarts the service at a time, lets it make what is due, runs a part and validates all files.
func (x *replacement) runPart(month int, restart bool, run func() error) error {
	r, s := x.rehearsal, x.service
	if restart {
		s.Stop()
		if err := r.clock.moveTo(month); err != nil {
			return err
		}
		if err := x.startAgain(); err != nil {
			return err
		}
	}
	y := r.newYearResult(month / 12)
	r.years = append(r.years, y)
	if err := run(); err != nil {
		return err
	}
	r.countDocuments(y)
	var all []inspected
	for _, d := range s.all {
		all = append(all, d.listFiles()...)
	}
	if err := r.validateFiles(s, all); err != nil {
		return err
	}
	return r.checkEvidence(s)
}

// startAgain starts the service, waits for what it renews, and fetches all files.
func (x *replacement) startAgain() error {
	s := x.service
	if err := s.Start(); err != nil {
		return err
	}
	if err := s.waitRenewed(); err != nil {
		return err
	}
	for _, p := range s.people {
		if err := s.logIn(p); err != nil {
			return err
		}
	}
	for _, d := range s.all {
		if err := s.download(d); err != nil {
			return err
		}
	}
	return nil
}

// signAllButSecond is signAll, except that the document of two people waits for the second one.
func (x *replacement) signAllButSecond() error {
	x.service.step = 1
	err := x.signAll()
	x.service.step = longestWait
	return err
}

// signAll lets people sign a document of each kind.
func (x *replacement) signAll() error {
	s := x.service
	for _, kind := range documentKinds {
		if _, err := s.create(kind, s.people[1], s.people[2]); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// useOtherTimestamps names the time-stamp authority of another installation, whose root lasts for longer, and renews all documents with it.
func (x *replacement) useOtherTimestamps() (err error) {
	s := x.service
	if x.successor, err = x.startService(x.dir, x.binary, serviceKind{name: "successor"}, 24); err != nil {
		return err
	}
	ours := filepath.Join(s.trust, "segel")
	if err := os.Mkdir(ours, 0o755); err != nil {
		return err
	}
	if err := x.successor.exportRoot(filepath.Join(ours, "successor.pem")); err != nil {
		return err
	}
	use, err := timestampSettings(x.successor.URL, "/authority/tsa")
	if err != nil {
		return err
	}
	s.Stop()
	s.Env = append(append(s.Env, use...), "SEGEL_RENEW_BEFORE="+beforeReplacement)
	if err := x.startAgain(); err != nil {
		return err
	}
	if err := s.runRenew("--all"); err != nil {
		return err
	}
	for _, d := range s.all {
		if err := s.download(d); err != nil {
			return err
		}
		for _, f := range []*savedFile{d.contract, d.certificate} {
			if !f.expiry.After(x.former.NotAfter) {
				return fmt.Errorf("%s has a timestamp until %s; the root ends on %s", f.path, f.expiry.Format(time.DateOnly), x.former.NotAfter.Format(time.DateOnly))
			}
		}
	}
	x.trustAgain()
	return nil
}

// adoptRoot keeps the former root as a trusted one, and makes another authority.
func (x *replacement) adoptRoot() error {
	s := x.service
	if n := len(s.waiting); n > 0 {
		return fmt.Errorf("%d documents wait for signatures", n)
	}
	x.inherited = len(s.all)
	if err := s.exportRoot(filepath.Join(s.trust, "segel", "former.pem")); err != nil {
		return err
	}
	s.Stop()
	keys := filepath.Join(s.Data, "authority")
	if err := os.Rename(keys, keys+"-former"); err != nil {
		return err
	}
	if _, err := s.run("adopt", "--new-authority", "--yes"); err != nil {
		return err
	}
	if err := x.startAgain(); err != nil {
		return err
	}
	root := filepath.Join(x.dir, "next.pem")
	if err := s.exportRoot(root); err != nil {
		return err
	}
	s.roots = append(s.roots, root)
	var err error
	if x.next, err = readCertificate(root); err != nil {
		return err
	}
	if x.next.Equal(x.former) || !x.next.NotAfter.After(x.former.NotAfter) {
		return fmt.Errorf("the new root is valid until %s, the former one until %s", x.next.NotAfter.Format(time.DateOnly), x.former.NotAfter.Format(time.DateOnly))
	}
	x.trustAgain()
	return nil
}

// trustAgain gives all validators the roots that there are now.
func (x *replacement) trustAgain() {
	for _, v := range x.validators {
		v.endProcess()
	}
	x.nameValidators()
}

// checkRoots records a finding for each file whose signatures or newest timestamp lead to another root than they have to.
func (x *replacement) checkRoots() error {
	s := x.service
	other, err := readCertificate(x.successor.roots[0])
	if err != nil {
		return err
	}
	for i, d := range s.all {
		root := x.next
		if i < x.inherited {
			root = x.former
		}
		for _, f := range d.listFiles() {
			b, err := os.ReadFile(f.path)
			if err != nil {
				return err
			}
			known, err := readTrustFacts(b)
			if err != nil {
				return fmt.Errorf("%s: %w", f.what, err)
			}
			for field, signer := range known.signers {
				if !signer.root.Equal(root) {
					x.findings.addFinding(ownName, s.kind.name, x.clock.now(), f.what, fmt.Sprintf("signature %s leads to %s, not %s", field, signer.root.Subject, root.Subject))
				}
			}
			if newest := known.stamps[len(known.stamps)-1]; !newest.root.Equal(other) {
				x.findings.addFinding(ownName, s.kind.name, x.clock.now(), f.what, fmt.Sprintf("its newest timestamp leads to %s, not %s", newest.root.Subject, other.Subject))
			}
		}
	}
	fmt.Printf("%d documents lead to the former root, %d to the new one\n", x.inherited, len(s.all)-x.inherited)
	return nil
}

// readCertificate reads a file with one certificate as PEM.
func readCertificate(name string) (*x509.Certificate, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(b)
	if block == nil {
		return nil, fmt.Errorf("%s has no PEM", name)
	}
	return x509.ParseCertificate(block.Bytes)
}
