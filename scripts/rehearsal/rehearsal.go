package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// rehearsal is one run.
type rehearsal struct {
	options
	clock      *movedClock
	services   []*service
	validators []verifier
	began      time.Time // by the machine's clock
	withheld   []*withheldFile
	years      []*yearResult
	findings   findings
	warnings   findings // of validators; they are no findings
	explained  explanations
}

// withheldFile is a copy of a file that was completed in the first year. Nothing renews it.
type withheldFile struct {
	service *service
	what    string
	path    string
	expiry  time.Time // of the certificate of its timestamp's authority
}

// The rhythm of a rehearsal, in steps.
const (
	restartEvery = 4 // services are restarted; in the other steps the clock of running services moves
	personEvery  = 4 // another person gets an account
	revokeEvery  = 4 // the certificates of a person are revoked
)

func newRehearsal(o options, dir string) (r *rehearsal, err error) {
	r = &rehearsal{options: o, began: time.Now()}
	if r.explained, err = readExplanations(strings.NewReader(explainedTable)); err != nil {
		return nil, fmt.Errorf("explained.txt: %w", err)
	}
	r.clock, err = newMovedClock(filepath.Join(dir, "offset"))
	return r, err
}

// startServices starts a service of each kind, and names the validators that trust their roots.
func (r *rehearsal) startServices(dir, binary string) error {
	for _, kind := range serviceKinds {
		if _, err := r.startService(dir, binary, kind, r.step); err != nil {
			return err
		}
	}
	r.nameValidators()
	return nil
}

// startService starts another service, which ends with the rehearsal.
func (r *rehearsal) startService(dir, binary string, kind serviceKind, step int) (*service, error) {
	s, err := startService(binary, filepath.Join(dir, kind.name), kind, r.clock, step)
	if s != nil {
		r.services = append(r.services, s)
	}
	if err != nil {
		return nil, fmt.Errorf("service with the %s time-stamp authority: %w", kind.name, err)
	}
	return s, nil
}

// nameValidators makes the validators, which trust the roots of all services.
func (r *rehearsal) nameValidators() {
	r.validators = []verifier{own{}, newPyHanko(r.work, r.services), newDSS(r.work, r.services)}
}

func (r *rehearsal) endPrograms() {
	for _, v := range r.validators {
		v.endProcess()
	}
	for _, s := range r.services {
		s.endService()
	}
}

// runSteps moves the clock from the present to the last year, and lets each service work at each step.
func (r *rehearsal) runSteps() error {
	last := r.options.years * 12 / r.step
	for step := range last + 1 {
		restart := step > 0 && step%restartEvery == 0
		for _, s := range r.services {
			if restart {
				s.Stop()
			}
		}
		if err := r.clock.moveTo(step * r.step); err != nil {
			return err
		}
		if year := step * r.step / 12; len(r.years) == 0 || r.years[len(r.years)-1].year != year {
			r.years = append(r.years, r.newYearResult(year))
		}
		for _, s := range r.services {
			if err := r.runStep(s, step, restart); err != nil {
				return fmt.Errorf("service with the %s time-stamp authority on %s: %w", s.kind.name, r.clock.now().Format(time.DateOnly), err)
			}
		}
		if step == last || (step+1)*r.step/12 != r.years[len(r.years)-1].year {
			r.countDocuments(r.years[len(r.years)-1])
			fmt.Printf("%s, after %s\n", r.years[len(r.years)-1], time.Since(r.began).Round(time.Second))
		}
	}
	return nil
}

// runStep renews what is due, lets people sign, and validates the new documents, the first one, an earlier one, and once a year those that were not renewed.
func (r *rehearsal) runStep(s *service, step int, restart bool) error {
	renew := s.renew
	if restart {
		if err := s.Start(); err != nil {
			return err
		}
		renew = s.waitRenewed
	}
	if err := renew(); err != nil {
		return err
	}
	if err := s.logIn(s.owner); err != nil {
		return err
	}
	for _, d := range s.all {
		if err := s.download(d); err != nil {
			return err
		}
	}
	if step%personEvery == 0 {
		if _, err := s.addPerson(fmt.Sprintf("Penanda Tangan %d", len(s.people))); err != nil {
			return err
		}
	}
	before := len(s.all)
	if err := s.signSecond(); err != nil {
		return err
	}
	for i := range r.documents {
		n := step*r.documents + i
		signer, second := s.people[len(s.people)-1], s.people[n%(len(s.people)-1)]
		for _, p := range []*person{signer, second} {
			if err := s.logIn(p); err != nil {
				return err
			}
		}
		// Each kind gets its turn, and with more than one document for each step not always the same ones in a restart.
		if _, err := s.create(documentKinds[(n+step/len(documentKinds))%len(documentKinds)], signer, second); err != nil {
			return err
		}
	}
	if err := s.revokeSigner(step, before); err != nil {
		return err
	}
	if step*r.step < 12 {
		if err := r.withhold(s.all[before:]); err != nil {
			return err
		}
	}
	var sample []inspected
	for _, d := range s.all[before:] {
		sample = append(sample, d.listFiles()[0])
	}
	if before > 0 {
		sample = append(sample, s.all[0].listFiles()[step%2], s.chooseEarlier(step, before).listFiles()[step/2%2])
	}
	if (step*r.step)%12 < r.step { // the first step of a year
		sample = append(sample, r.listWithheld(s)...)
	}
	if err := r.validateFiles(s, sample); err != nil || before == 0 {
		return err
	}
	// The service validates an earlier one too, by the clock that it has.
	d := s.chooseEarlier(step, before)
	got, err := s.verify(d.contract.path)
	for _, refused := range got.refused {
		r.findings.addFinding("POST /v1/verify", s.kind.name, r.clock.now(), fmt.Sprintf("contract %d (%s)", d.id, d.kind), refused.text)
	}
	return err
}

// chooseEarlier returns one of the first documents, another at each step. It is the same one in each run.
func (s *service) chooseEarlier(step, before int) *document {
	return s.all[rand.New(rand.NewPCG(uint64(step), 0)).IntN(before)]
}

// revokeSigner revokes, when it is due, the certificates of a person who has signed in this step: one of the documents from a number on.
func (s *service) revokeSigner(step, from int) error {
	if step < s.revokeAt {
		return nil
	}
	for _, d := range s.all[from:] {
		if len(d.signers) == 0 {
			continue // a guest
		}
		s.revokeAt = step + revokeEvery
		p := d.signers[len(d.signers)-1]
		for _, d := range s.all {
			d.revoked = d.revoked || slices.Contains(d.signers, p)
		}
		return s.revoke(p)
	}
	return nil
}

// withhold copies the files of documents as they are, if none of their kind was copied.
func (r *rehearsal) withhold(all []*document) error {
	for _, d := range all {
		for what, f := range map[string]*savedFile{string(d.kind): d.contract, "certificate": d.certificate} {
			if slices.ContainsFunc(r.withheld, func(w *withheldFile) bool { return w.service == d.service && w.what == what }) {
				continue
			}
			b, err := os.ReadFile(f.path)
			if err != nil {
				return err
			}
			w := &withheldFile{service: d.service, what: what, path: filepath.Join(d.service.files, "withheld-"+what+".pdf"), expiry: f.expiry}
			if err := os.WriteFile(w.path, b, 0o600); err != nil {
				return err
			}
			r.withheld = append(r.withheld, w)
		}
	}
	return nil
}

// fileKind is a kind of file.
type fileKind string

const (
	contractFile    fileKind = "contract"
	certificateFile fileKind = "evidence certificate"
	withheldCopy    fileKind = "copy without renewals"
)

// inspected is a file with what a validator has to say of it.
type inspected struct {
	kind       fileKind
	path, what string
	document   *document // nil: renewals were withheld
	from, to   time.Time // when its signatures were made
	provable   bool
}

// listFiles returns the contract and the evidence certificate of a document.
func (d *document) listFiles() []inspected {
	kind := string(d.kind)
	if d.revoked {
		kind += ", a certificate of a signer was revoked later"
	}
	return []inspected{
		{kind: contractFile, path: d.contract.path, what: fmt.Sprintf("%s %d (%s)", contractFile, d.id, kind), document: d, from: d.begun, to: d.completed, provable: true},
		{kind: certificateFile, path: d.certificate.path, what: fmt.Sprintf("%s %d (%s)", certificateFile, d.id, kind), document: d, from: d.completed.Add(-time.Minute), to: d.completed.Add(time.Hour), provable: true},
	}
}

// listWithheld returns the copies of a service whose renewals were withheld.
func (r *rehearsal) listWithheld(s *service) []inspected {
	var all []inspected
	for _, w := range r.withheld {
		if w.service == s {
			all = append(all, inspected{kind: withheldCopy, path: w.path, what: "without renewals: " + w.what, provable: !r.clock.now().After(w.expiry)})
		}
	}
	return all
}

// validateFiles lets each validator validate files of a service as of now, and records what is not as expected.
func (r *rehearsal) validateFiles(s *service, all []inspected) error {
	at := r.clock.awaitSecond()
	var paths []string
	for _, f := range all {
		paths = append(paths, f.path)
	}
	errs := make([]error, len(r.validators))
	verdicts := make([][][]verdict, len(r.validators))
	var wg sync.WaitGroup
	for i, v := range r.validators {
		wg.Go(func() { verdicts[i], errs[i] = v.queryFiles(s, at, paths) })
	}
	wg.Wait()
	for i := range r.validators {
		if errs[i] != nil {
			return errs[i]
		}
	}
	for j, f := range all {
		var given []verdict
		for i := range r.validators {
			given = append(given, verdicts[i][j]...)
		}
		known := &trustFacts{}
		if f.provable {
			b, err := os.ReadFile(f.path)
			if err != nil {
				return err
			}
			if known, err = readTrustFacts(b); err != nil {
				return fmt.Errorf("%s: %w", f.what, err)
			}
		}
		r.compare(s.kind.name, at, f, known, given)
	}
	return nil
}

// slack is by how much a proven time may differ from what the rehearsal knows: timestamps state whole seconds.
const slack = time.Minute

// compare records the verdicts of all validators on a file of a service, and a finding for each that is not what is expected. What is known of
// the file is needed only if it is provable.
func (r *rehearsal) compare(service string, at time.Time, f inspected, known *trustFacts, given []verdict) {
	r.explained.noteConditions(service, f.kind, known, at)
	for _, got := range given {
		for _, text := range got.warnings {
			r.warnings.addFinding(got.by, service, at, "", text)
		}
		explained := false
		switch {
		case got.passed() && !f.provable:
			r.findings.addFinding(got.by, service, at, f.what, "passed, although its timestamp has expired and was not renewed")
		case !got.passed() && f.provable:
			// What another one refuses too has no explanation.
			alone := !slices.ContainsFunc(given, func(v verdict) bool { return v.by != got.by && !v.passed() })
			explained = alone
			for _, refused := range got.refused {
				if !alone || !r.explained.explain(service, f.kind, got.by, refused, known, at) {
					explained = false
					r.findings.addFinding(got.by, service, at, f.what, refused.text)
				}
			}
		case f.document != nil && got.passed():
			if len(got.proven) == 0 {
				r.findings.addFinding(got.by, service, at, f.what, "no signature")
			}
			for _, t := range got.proven {
				if t.Before(f.from.Add(-slack)) || t.After(f.to.Add(slack)) {
					r.findings.addFinding(got.by, service, at, f.what, fmt.Sprintf("a signature of between %s and %s is proven to exist at %s", f.from.Format(time.RFC3339), f.to.Format(time.RFC3339), t.Format(time.RFC3339)))
				}
			}
		}
		r.years[len(r.years)-1].addVerdict(f.document == nil, got, explained)
	}
}
