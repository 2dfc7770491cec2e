package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"strings"
)

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

// readExplanations reads the known disagreements: lines of four parts separated by bars; # starts a comment.
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
