package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"strings"
)

// finding is one thing a judge said against what is expected.
type finding struct{ judge, file, text string }

func (f finding) String() string { return f.judge + ": " + f.file + ": " + f.text }

// excuse is a disagreement that has a reason: a line of the table.
type excuse struct {
	line               int
	file, judge, words string // a pattern of path.Match, a judge or *, what the finding says
	reason             string
	used               int
}

// readTable reads the disagreements that have a reason: lines of four parts between bars; # begins a comment.
func readTable(file string) ([]*excuse, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*excuse
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
		all = append(all, &excuse{line: n, file: parts[0], judge: parts[1], words: parts[2], reason: parts[3]})
	}
	return all, scan.Err()
}

// excused finds the line that gives the reason for a finding, and notes that it was needed.
func excused(table []*excuse, f finding) *excuse {
	for _, e := range table {
		match, _ := path.Match(e.file, f.file) // the pattern was tried when it was read
		if match && (e.judge == "*" || e.judge == f.judge) && strings.Contains(f.text, e.words) {
			e.used++
			return e
		}
	}
	return nil
}
