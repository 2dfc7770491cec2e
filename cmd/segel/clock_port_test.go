package main

import (
	"bytes"
	"go/build"
	"os"
	"slices"
	"testing"
)

// TestAReleaseHasNoSettingThatMovesItsClock reads the sources that are built into a release, and those of the build for fault tests.
func TestAReleaseHasNoSettingThatMovesItsClock(t *testing.T) {
	t.Parallel()
	moving := func(tags ...string) (files []string) {
		c := build.Default
		c.BuildTags = tags
		p, err := c.ImportDir(".", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.GoFiles {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(source, []byte("FAULT_CLOCK_OFFSET")) {
				files = append(files, name)
			}
		}
		return files
	}
	if release := moving(); len(release) != 0 {
		t.Errorf("a release can move its clock: %v", release)
	}
	if fault := moving("clockfault"); !slices.Equal(fault, []string{"clock_fault.go"}) {
		t.Errorf("files of the build for fault tests: %v", fault)
	}
}
