package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"segel/interop/explained"
)

// report collects the findings of all validators.
type report struct {
	explanations []*explanation

	mu       sync.Mutex // guards the rest
	order    []string   // validators in the order in which they started
	queries  map[string]int
	findings []finding
}

func newReport(table []*explanation) *report {
	return &report{explanations: table, queries: map[string]int{}}
}

// recordQueries adds to the number of files that a validator was given.
func (r *report) recordQueries(validator string, files int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.order, validator) {
		r.order = append(r.order, validator)
	}
	r.queries[validator] += files
}

func (r *report) addFindings(f ...finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.findings = append(r.findings, f...)
}

// checkEach runs one validator on all items.
func (r *report) checkEach(validator string, items []item, check func(item, reportFunc)) {
	r.recordQueries(validator, len(items))
	for _, it := range items {
		check(it, func(format string, args ...any) {
			r.addFindings(finding{validator, it.name, fmt.Sprintf(format, args...)})
		})
	}
}

// printSummary prints the totals. It returns an error if a finding has no explanation or, if all files were validated,
// an explanation was not needed.
func (r *report) printSummary(complete bool) error {
	open, explained := map[string]int{}, map[string]int{}
	var failures []string
	for _, f := range r.findings {
		if e := findExplanation(r.explanations, f); e != nil {
			explained[f.validator]++
			continue
		}
		open[f.validator]++
		failures = append(failures, f.String())
	}
	fmt.Printf("%-20s %8s %12s %12s\n", "validator", "files", "explained", "unexplained")
	for _, validator := range r.order {
		fmt.Printf("%-20s %8d %12d %12d\n", validator, r.queries[validator], explained[validator], open[validator])
	}
	for _, e := range r.explanations {
		if complete && e.used == 0 {
			failures = append(failures, fmt.Sprintf("line %d of the table explains a finding that did not occur: %s | %s | %s", e.line, e.file, e.validator, e.words))
		}
	}
	if len(failures) == 0 {
		return nil
	}
	slices.Sort(failures)
	return errors.New("\n" + strings.Join(failures, "\n"))
}

// finding is a result of a validator that differs from what is expected.
type finding struct{ validator, file, text string }

func (f finding) String() string { return f.validator + ": " + f.file + ": " + f.text }

// explanation is a known disagreement with its reason: a line of explained.txt.
type explanation struct {
	line                   int
	file, validator, words string // a pattern of path.Match, a validator or *, text in the finding
	reason                 string
	used                   int
}

// readExplanations reads the known disagreements: lines of file, validator, text in the finding, and reason.
func readExplanations(file string) ([]*explanation, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	table, err := explained.ReadTable(f, 4)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []*explanation
	for _, l := range table {
		if _, err := path.Match(l.Parts[0], ""); err != nil {
			return nil, fmt.Errorf("%s: line %d: pattern %q: %w", file, l.Number, l.Parts[0], err)
		}
		all = append(all, &explanation{line: l.Number, file: l.Parts[0], validator: l.Parts[1], words: l.Parts[2], reason: l.Parts[3]})
	}
	return all, nil
}

// findExplanation returns the line that explains a finding and counts its use, or nil.
func findExplanation(table []*explanation, f finding) *explanation {
	for _, e := range table {
		match, _ := path.Match(e.file, f.file) // the pattern was checked when it was read
		if match && (e.validator == "*" || e.validator == f.validator) && strings.Contains(f.text, e.words) {
			e.used++
			return e
		}
	}
	return nil
}
