package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// yearResult is what was seen in one year.
type yearResult struct {
	year                int
	documents, renewals int // of all services, until the end of the year
	bytes               int // of all contracts
	verdicts            map[string]*tally
}

// tally counts the verdicts of a validator.
type tally struct{ renewed, withheld count }

// count is how many files a validator was given, how many of them passed, and how many it refused for reasons that are explained.
type count struct{ files, passed, explained int }

func (c count) String() string {
	if c.files == 0 {
		return "-"
	}
	if c.explained > 0 {
		return fmt.Sprintf("%d/%d, %d explained", c.passed, c.files, c.explained)
	}
	return fmt.Sprintf("%d/%d", c.passed, c.files)
}

func (r *rehearsal) newYearResult(year int) *yearResult {
	y := &yearResult{year: year, verdicts: map[string]*tally{}}
	for _, v := range r.validators {
		for _, name := range v.verdictNames() {
			y.verdicts[name] = &tally{}
		}
	}
	return y
}

func (y *yearResult) addVerdict(withheld bool, v verdict, explained bool) {
	c := &y.verdicts[v.by].renewed
	if withheld {
		c = &y.verdicts[v.by].withheld
	}
	c.files++
	if v.passed() {
		c.passed++
	}
	if explained {
		c.explained++
	}
}

// countDocuments adds up what the services have at the end of a year.
func (r *rehearsal) countDocuments(y *yearResult) {
	for _, s := range r.services {
		for _, d := range s.all {
			y.documents++
			y.renewals += len(d.contract.growth)
			y.bytes += d.contract.size
		}
	}
}

func (y *yearResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "year %2d: %d documents, %d renewals", y.year, y.documents, y.renewals)
	for _, name := range y.sortNames() {
		fmt.Fprintf(&b, "; %s %s, without renewals %s", name, y.verdicts[name].renewed, y.verdicts[name].withheld)
	}
	return b.String()
}

func (y *yearResult) sortNames() []string {
	var names []string
	for name := range y.verdicts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// findings are verdicts that are not as expected, or warnings, with how often each was given.
type findings []finding

type finding struct {
	validator, service, what, text string
	first                          time.Time
	times                          int
}

func (f *findings) addFinding(validator, service string, at time.Time, what, text string) {
	for i, known := range *f {
		if known.validator == validator && known.service == service && known.what == what && known.text == text {
			(*f)[i].times++
			return
		}
	}
	*f = append(*f, finding{validator, service, what, text, at, 1})
}

// wholeYears is how long a rehearsal takes in which every line of explained.txt is needed: by then the first issuing certificates have expired.
const wholeYears = 21

// conclude validates every file in full at the last time, prints the results, and returns an error if something was not as expected.
func (r *rehearsal) conclude() error {
	end := r.newYearResult(r.years[len(r.years)-1].year)
	r.years = append(r.years, end)
	r.countDocuments(end)
	for _, s := range r.services {
		all := r.listWithheld(s)
		for _, d := range s.all {
			all = append(all, d.listFiles()...)
		}
		if err := r.validateFiles(s, all); err != nil {
			return err
		}
		if err := r.checkEvidence(s); err != nil {
			return err
		}
	}
	r.printYears()
	r.printGrowth()
	revoked := 0
	for _, s := range r.services {
		for _, d := range s.all {
			if d.revoked {
				revoked++
			}
		}
	}
	fmt.Printf("a certificate of a signer of %d documents was revoked later\n", revoked)
	return r.reportFindings(r.options.years >= wholeYears)
}

// reportFindings prints warnings, explanations and findings, and returns an error if something was not as expected. In a complete rehearsal each
// explanation is needed.
func (r *rehearsal) reportFindings(complete bool) error {
	for _, w := range r.warnings {
		fmt.Printf("%s warns of files of the service with the %s time-stamp authority, first on %s, %d times: %s\n", w.validator, w.service, w.first.Format(time.DateOnly), w.times, w.text)
	}
	for _, x := range r.explained {
		fmt.Printf("%s explains %d refusals\n", x, x.used)
	}
	for _, f := range r.findings {
		fmt.Fprintf(os.Stderr, "%s, %s: %s, first on %s, %d times: %s\n", f.validator, f.service, f.what, f.first.Format(time.DateOnly), f.times, f.text)
	}
	unused := r.explained.listUnused(complete)
	for _, x := range unused {
		fmt.Fprintf(os.Stderr, "%s explains nothing\n", x)
	}
	if len(r.findings)+len(unused) > 0 {
		return fmt.Errorf("%d verdicts are not as expected, and %d explanations are not needed", len(r.findings), len(unused))
	}
	return nil
}

// checkEvidence lets segel verify compare each contract with its evidence certificate at the last time.
func (r *rehearsal) checkEvidence(s *service) error {
	at := r.clock.awaitSecond()
	for _, d := range s.all {
		if _, err := s.run("verify", "--at", at.Format(time.RFC3339), "--evidence", d.certificate.path, d.contract.path); err != nil {
			r.findings.addFinding(ownName, s.kind.name, at, fmt.Sprintf("evidence of document %d", d.id), err.Error())
		}
	}
	return nil
}

func (r *rehearsal) printYears() {
	fmt.Printf("\n| year | documents | renewals | KB of a document |")
	names := r.years[0].sortNames()
	for _, name := range names {
		fmt.Printf(" %s | without renewals |", name)
	}
	fmt.Printf("\n|%s\n", strings.Repeat(" --- |", 4+2*len(names)))
	for i, y := range r.years {
		label := fmt.Sprint(y.year)
		if i == len(r.years)-1 {
			label = "end, all"
		}
		fmt.Printf("| %s | %d | %d | %.0f |", label, y.documents, y.renewals, float64(y.bytes)/float64(max(y.documents, 1))/1e3)
		for _, name := range names {
			fmt.Printf(" %s | %s |", y.verdicts[name].renewed, y.verdicts[name].withheld)
		}
		fmt.Println()
	}
}

// printGrowth prints by how many bytes a renewal made a file longer.
func (r *rehearsal) printGrowth() {
	for _, s := range r.services {
		for _, of := range []struct {
			what string
			file func(*document) *savedFile
		}{{"contracts", func(d *document) *savedFile { return d.contract }}, {"evidence certificates", func(d *document) *savedFile { return d.certificate }}} {
			var all []int
			var first, size, most int
			for _, d := range s.all {
				f := of.file(d)
				all, first, size, most = append(all, f.growth...), first+f.first, size+f.size, max(most, len(f.growth))
			}
			slices.SortFunc(all, cmp.Compare[int])
			n := max(len(s.all), 1) // none if the only step left one unfinished
			fmt.Printf("\n%s, %s: %d files of %d bytes on average when they were complete, %d at the end; %d renewals, at most %d of one file", s.kind.name, of.what, n, first/n, size/n, len(all), most)
			if len(all) > 0 {
				fmt.Printf("; a renewal adds %d bytes (%d to %d)", all[len(all)/2], all[0], all[len(all)-1])
			}
		}
	}
	fmt.Println()
}
