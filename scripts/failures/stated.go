package main

import (
	"fmt"
	"strings"
)

// failure is a subsection of the section "Failures". Its blocks of code state what is seen, in order: while it lasts, and afterwards.
type failure struct {
	title  string
	phases [][]statement
}

// statement is a line of a block, SOURCE: TEXT. The source is observed until the text is seen in it.
type statement struct {
	source string // log, readyz, metrics, a request of site.answers, or a command that begins with segel
	text   string // … stands for any text
}

func (s statement) String() string { return s.source + ": " + s.text }

const (
	sectionTitle = "\n## Failures\n"
	codeIndent   = "    "
	anyText      = "…"
)

// readFailures reads the section "Failures" of docs/operations.md.
func readFailures(page string) ([]failure, error) {
	_, section, ok := strings.Cut(page, sectionTitle)
	if !ok {
		return nil, fmt.Errorf("there is no section %q", strings.TrimSpace(sectionTitle))
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var all []failure
	for _, part := range strings.Split(section, "\n### ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		f := failure{title: title}
		inBlock := false
		for line := range strings.Lines(text) {
			code, isCode := strings.CutPrefix(strings.TrimRight(line, "\n"), codeIndent)
			if !isCode {
				inBlock = false
				continue
			}
			source, stated, ok := strings.Cut(code, ": ")
			if !ok {
				return nil, fmt.Errorf("%s: %q is not SOURCE: TEXT", title, code)
			}
			if !inBlock {
				f.phases = append(f.phases, nil)
			}
			inBlock = true
			f.phases[len(f.phases)-1] = append(f.phases[len(f.phases)-1], statement{source, stated})
		}
		all = append(all, f)
	}
	return all, nil
}

// isSeen reports whether a line of what was observed has the text of the statement: its parts in their order.
func (s statement) isSeen(observed string) bool {
	for line := range strings.Lines(observed) {
		if containsInOrder(line, strings.Split(s.text, anyText)) {
			return true
		}
	}
	return false
}

func containsInOrder(line string, parts []string) bool {
	for _, part := range parts {
		at := strings.Index(line, strings.TrimSpace(part))
		if at < 0 {
			return false
		}
		line = line[at+len(strings.TrimSpace(part)):]
	}
	return true
}
