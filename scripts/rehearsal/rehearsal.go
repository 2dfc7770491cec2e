package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

func newRehearsal(o options, dir, binary string) (r *rehearsal, err error) {
	r = &rehearsal{options: o, began: time.Now()}
	if r.clock, err = newMovedClock(filepath.Join(dir, "offset")); err != nil {
		return nil, err
	}
	for _, kind := range serviceKinds {
		s, err := startService(binary, filepath.Join(dir, kind.name), kind, r.clock, o.step)
		if s != nil {
			r.services = append(r.services, s)
		}
		if err != nil {
			r.endPrograms()
			return nil, fmt.Errorf("service with the %s time-stamp authority: %w", kind.name, err)
		}
	}
	r.validators = []verifier{own{}, newPyHanko(o.work, r.services), newDSS(o.work, r.services)}
	return r, nil
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

// runStep renews what is due, lets people sign, and validates the new documents, an earlier one, and once a year those that were not renewed.
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
		// Over the steps each earlier document gets its turn, in one round with its contract and in the next with its certificate.
		sample = append(sample, s.all[step%before].listFiles()[step/before%2])
	}
	if (step*r.step)%12 < r.step { // the first step of a year
		sample = append(sample, r.listWithheld(s)...)
	}
	if err := r.validateFiles(s, sample); err != nil || before == 0 {
		return err
	}
	// The service validates an earlier one too, by the clock that it has.
	d := s.all[step%before]
	got, err := s.verify(d.contract.path)
	if err == nil && !got.passed {
		r.findings.addFinding("POST /v1/verify", s, r.clock.now(), fmt.Sprintf("contract %d (%s)", d.id, d.kind), got.text)
	}
	return err
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

// inspected is a file with what a validator has to say of it.
type inspected struct {
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
		{path: d.contract.path, what: fmt.Sprintf("contract %d (%s)", d.id, kind), document: d, from: d.begun, to: d.completed, provable: true},
		{path: d.certificate.path, what: fmt.Sprintf("evidence certificate %d (%s)", d.id, kind), document: d, from: d.completed.Add(-time.Minute), to: d.completed.Add(time.Hour), provable: true},
	}
}

// listWithheld returns the copies of a service whose renewals were withheld.
func (r *rehearsal) listWithheld(s *service) []inspected {
	var all []inspected
	for _, w := range r.withheld {
		if w.service == s {
			all = append(all, inspected{path: w.path, what: "without renewals: " + w.what, provable: !r.clock.now().After(w.expiry)})
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
		for j, f := range all {
			for _, got := range verdicts[i][j] {
				r.compare(s, at, f, got)
			}
		}
	}
	return nil
}

// slack is by how much a proven time may differ from what the rehearsal knows: timestamps state whole seconds.
const slack = time.Minute

// compare records a verdict, and a finding if it is not what is expected.
func (r *rehearsal) compare(s *service, at time.Time, f inspected, got verdict) {
	r.years[len(r.years)-1].addVerdict(f.document == nil, got)
	for _, text := range got.warnings {
		r.warnings.addFinding(got.by, s, at, "", text)
	}
	switch {
	case got.passed && !f.provable:
		r.findings.addFinding(got.by, s, at, f.what, "passed, although its timestamp has expired and was not renewed")
	case !got.passed && f.provable:
		r.findings.addFinding(got.by, s, at, f.what, got.text)
	case f.document != nil && got.passed:
		if len(got.proven) == 0 {
			r.findings.addFinding(got.by, s, at, f.what, "no signature")
		}
		for _, t := range got.proven {
			if t.Before(f.from.Add(-slack)) || t.After(f.to.Add(slack)) {
				r.findings.addFinding(got.by, s, at, f.what, fmt.Sprintf("a signature of between %s and %s is proven to exist at %s", f.from.Format(time.RFC3339), f.to.Format(time.RFC3339), t.Format(time.RFC3339)))
			}
		}
	}
}
