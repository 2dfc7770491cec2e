// Command bench measures the figures of docs/performance.md, in the library and over HTTP on a service that it starts, and
// prints them as ratios within one run: absolute times depend on the machine and are not worth quoting alone.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	small   = 100 << 10
	large   = 100 << 20
	objects = 20
	signers = 41 // of each document: one to warm up, the rest measured
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: bench SEGEL-BINARY [service | stamps | fairness | logins | library | lists]")
		os.Exit(2)
	}
	if err := run(os.Args[1], strings.Join(os.Args[2:], "")); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures one part, or all parts but lists, which fill a disk.
func run(binary, part string) error {
	dir, err := os.MkdirTemp("", "segel-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, p := range []struct {
		name    string
		measure func() error
	}{
		{"service", func() error { return measureDocuments(binary, dir) }},
		{"stamps", func() error { return measureStamps(binary, dir) }},
		{"fairness", func() error { return measureFairness(binary, dir) }},
		{"logins", func() error { return measureLogins(binary, filepath.Join(dir, "logins")) }},
		{"library", measureLibrary},
		{"lists", func() error { return measureLists(binary, dir) }},
	} {
		if part == "" && p.name != "lists" || part == p.name {
			if err := p.measure(); err != nil {
				return err
			}
		}
	}
	return nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}

func toMillis(d time.Duration) float64 { return float64(d) / 1e6 }

func toMiB(n int64) float64 { return float64(n) / (1 << 20) }
