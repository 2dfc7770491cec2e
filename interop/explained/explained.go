// Package explained reads tables of known differences between validators, each with its reason.
package explained

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Line is one line of a table.
type Line struct {
	Number int      // from 1
	Parts  []string // without surrounding spaces, none empty; the last one is the reason
}

// ReadTable reads a table whose lines have so many parts, separated by bars. Empty lines and lines that begin with # are left out.
func ReadTable(r io.Reader, parts int) ([]Line, error) {
	var all []Line
	scan := bufio.NewScanner(r)
	for n := 1; scan.Scan(); n++ {
		text := strings.TrimSpace(scan.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		line := Line{Number: n, Parts: strings.Split(text, "|")}
		for i := range line.Parts {
			line.Parts[i] = strings.TrimSpace(line.Parts[i])
		}
		if len(line.Parts) != parts || slices.Contains(line.Parts, "") {
			return nil, fmt.Errorf("line %d has the parts %q, not %d that are not empty", n, line.Parts, parts)
		}
		all = append(all, line)
	}
	return all, scan.Err()
}
