// Command rehearsal runs services whose clock is moved through many years, in which people sign documents, timestamps are renewed, and
// certificates expire and are revoked. It validates what was signed as of each time, and requires that every document whose renewals were made
// stays provable, and none whose renewals were withheld. `make rehearsal` runs it; docs/rehearsal.md has its last result.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// options are the flags.
type options struct {
	years, step, documents int
	folder                 string // of data and files; empty: a temporary one, which is removed
	work                   string // folder of the validators that interop/setup installed
	root                   bool   // replace a root instead
}

func main() {
	var o options
	flag.IntVar(&o.years, "years", wholeYears, "years that the clock moves through")
	flag.IntVar(&o.step, "step", 6, "months between two steps of the clock")
	flag.IntVar(&o.documents, "documents", 1, "documents that each service begins at each step")
	flag.StringVar(&o.folder, "folder", "", "folder for data and files, which stay; empty: a temporary one, which is removed")
	flag.StringVar(&o.work, "work", "build/interop", "folder of the other validators, which interop/setup installs")
	flag.BoolVar(&o.root, "root", false, "instead, replace a root in its 27th year by the procedure of docs/operations.md")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "rehearsal:", err)
		os.Exit(1)
	}
}

func run(o options) (err error) {
	if o.years < 1 || o.step < 1 || o.documents < 1 {
		return errors.New("years, step and documents are at least 1")
	}
	dir := o.folder
	if dir == "" {
		if dir, err = os.MkdirTemp("", "segel-rehearsal-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if used, err := os.ReadDir(dir); err == nil && len(used) > 0 { // the clock of what is there may be years ahead
		return fmt.Errorf("%s is not empty", dir)
	}
	binary := filepath.Join(dir, "segel")
	build := exec.Command("go", "build", "-tags", clockTag, "-o", binary, "./cmd/segel")
	build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the service: %w", err)
	}
	r, err := newRehearsal(o, dir)
	if err != nil {
		return err
	}
	defer r.endPrograms()
	if o.root {
		return r.replaceRoot(dir, binary)
	}
	if err := r.startServices(dir, binary); err != nil {
		return err
	}
	if err := r.runSteps(); err != nil {
		return errors.Join(err, r.reportFindings(false)) // what was seen until then
	}
	return r.conclude()
}
