package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// report gathers what the judges said.
type report struct {
	explanations []*explanation

	mu       sync.Mutex // guards what follows
	order    []string   // judges in the order in which they began
	queries  map[string]int
	findings []finding
}

func newReport(table []*explanation) *report {
	return &report{explanations: table, queries: map[string]int{}}
}

// recordQueries notes that a judge was asked about that many files.
func (r *report) recordQueries(judge string, files int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.order, judge) {
		r.order = append(r.order, judge)
	}
	r.queries[judge] += files
}

func (r *report) addFindings(f ...finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.findings = append(r.findings, f...)
}

// checkEach asks one judge about all of the items.
func (r *report) checkEach(judge string, items []item, ask func(item, reportFunc)) {
	r.recordQueries(judge, len(items))
	for _, it := range items {
		ask(it, func(format string, args ...any) { r.addFindings(finding{judge, it.name, fmt.Sprintf(format, args...)}) })
	}
}

// printSummary tells what came out. It is an error if a judge said what nobody has explained, or, where all files were there
// to be judged, an explanation that nobody needed.
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
	fmt.Printf("%-20s %8s %12s %12s\n", "judge", "files", "explained", "unexplained")
	for _, judge := range r.order {
		fmt.Printf("%-20s %8d %12d %12d\n", judge, r.queries[judge], explained[judge], open[judge])
	}
	for _, e := range r.explanations {
		if complete && e.used == 0 {
			failures = append(failures, fmt.Sprintf("line %d of the table explains what nobody says: %s | %s | %s", e.line, e.file, e.validator, e.words))
		}
	}
	if len(failures) == 0 {
		return nil
	}
	slices.Sort(failures)
	return errors.New("\n" + strings.Join(failures, "\n"))
}
