package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// TestScripts runs the scripts in testdata/script on the program. Besides the usual commands there are
//
//	serving DIR    starts the service on a folder, with optional variables; $URL is its address
//	served         stops it by a signal; served.out and served.err have its output
//	private DIR    requires that only the owner may read the files in a folder
//
// and the files kontrak.pdf (two pages, A4), putar.pdf (page 2 turned by 90 degrees), rusak.pdf (damaged) and
// formulir.pdf (as kontrak.pdf, with an empty signature field "Persetujuan" on page 2).
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("SEGEL_CONVERT", "off")
			form, err := withField(simple())
			if err != nil {
				return err
			}
			for name, file := range map[string][]byte{"kontrak.pdf": simple(), "putar.pdf": pdftest.Rotated(), "rusak.pdf": simple()[:400], "formulir.pdf": form} {
				if err := os.WriteFile(filepath.Join(e.WorkDir, name), file, 0o600); err != nil {
					return err
				}
			}
			at := new(*process)
			e.Values[processOf{}] = at
			e.Defer(func() { // of a script that failed on the way
				if *at != nil {
					_ = (*at).end()
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serving": serving, "served": served, "private": private,
		},
		RequireExplicitExec: true,
	})
}

// withField adds an empty signature field to a file.
func withField(file []byte) ([]byte, error) {
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		return nil, err
	}
	tail, err := pades.AddFields(doc, []pades.FieldSpec{{Name: "Persetujuan", Page: 2, Rect: pdf.Rect{LLX: 100, LLY: 100, URX: 300, URY: 170}}})
	if err != nil {
		return nil, err
	}
	return append(bytes.Clone(file), tail.Bytes...), nil
}

// processOf is the key of a script's service among its values.
type processOf struct{}

func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: serving DIR [NAME=VALUE...]")
	}
	p, err := launch(ts.MkAbs(args[0]), args[1:]...)
	ts.Check(err)
	*ts.Value(processOf{}).(**process) = p
	ts.Setenv("URL", p.url)
}

func served(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: served")
	}
	at := ts.Value(processOf{}).(**process)
	p := *at
	if p == nil {
		ts.Fatalf("nothing is served")
	}
	*at = nil
	ts.Check(p.end())
	ts.Check(os.WriteFile(ts.MkAbs("served.out"), p.stdout.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("served.err"), p.stderr.Bytes(), 0o600))
}

func private(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: private DIR")
	}
	seen := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		seen++
		if info.Mode().Perm()&0o077 != 0 {
			return fmt.Errorf("%s is %s", file, info.Mode())
		}
		return nil
	}))
	if seen < 5 {
		ts.Fatalf("only %d files", seen)
	}
}
