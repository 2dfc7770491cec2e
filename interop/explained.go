package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"strings"
)

// finding is one thing a judge said against what is expected.
type finding struct{ validator, file, text string }

func (f finding) String() string { return f.validator + ": " + f.file + ": " + f.text }

// explanation is a disagreement that has a reason: a line of the table.
type explanation struct {
	line                   int
	file, validator, words string // a pattern of path.Match, a judge or *, what the finding says
	reason                 string
	used                   int
}

// readExplanations reads the disagreements that have a reason: lines of four parts between bars; # begins a comment.
func readExplanations(file string) ([]*explanation, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*explanation
	scan := bufio.NewScanner(f)
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSpace(scan.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "|")
		if len(parts) != 4 {
			return nil, fmt.Errorf("%s line %d has %d parts, not 4", file, n, len(parts))
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		if _, err := path.Match(parts[0], ""); err != nil || parts[3] == "" {
			return nil, fmt.Errorf("%s line %d: pattern %q, reason %q", file, n, parts[0], parts[3])
		}
		all = append(all, &explanation{line: n, file: parts[0], validator: parts[1], words: parts[2], reason: parts[3]})
	}
	return all, scan.Err()
}

// findExplanation finds the line that gives the reason for a finding, and notes that it was needed.
func findExplanation(table []*explanation, f finding) *explanation {
	for _, e := range table {
		match, _ := path.Match(e.file, f.file) // the pattern was tried when it was read
		if match && (e.validator == "*" || e.validator == f.validator) && strings.Contains(f.text, e.words) {
			e.used++
			return e
		}
	}
	return nil
}
