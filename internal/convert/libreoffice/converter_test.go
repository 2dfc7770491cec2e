package libreoffice

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"segel/internal/convert"
	"segel/internal/isolation"
	"segel/internal/isolation/isolationtest"
)

// openConverter starts a converter that is closed with the test. If LibreOffice is not installed, the test is skipped, unless
// SEGEL_REQUIRE_CONVERT demands it.
func openConverter(t *testing.T, o Options) *Converter {
	t.Helper()
	of, err := Open(t.Context(), o)
	isolationtest.Require(t, err)
	t.Cleanup(func() {
		if err := of.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(of.folder); !os.IsNotExist(err) {
			t.Errorf("its folder is left behind: %v", err)
		}
	})
	return of
}

func TestADocumentIsConverted(t *testing.T) {
	t.Parallel()
	o := openConverter(t, Options{Spare: 1})
	for range 2 {
		var out bytes.Buffer
		if err := o.Convert(t.Context(), convert.DOCX, bytes.NewReader(warmDocument()), &out); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(out.Bytes(), []byte("%PDF-1.6")) {
			t.Errorf("it begins with %.20q", out.Bytes())
		}
	}
}

// TestAFolderWithALongNameIsConvertedIn has a socket whose name is longer than an address of a socket may be.
func TestAFolderWithALongNameIsConvertedIn(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", strings.Repeat("long", 30))
	if err == nil {
		err = os.Chmod(folder, 0o755) // the process may be another user
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the converter is closed
		if err := os.Remove(folder); err != nil {
			t.Error(err)
		}
	})
	var out bytes.Buffer
	if err := openConverter(t, Options{Spare: 1, Folder: folder}).Convert(t.Context(), convert.DOCX, bytes.NewReader(plainDocument()), &out); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(out.Bytes(), []byte("%PDF-")) {
		t.Errorf("it begins with %.20q", out.Bytes())
	}
}

func TestWithoutASandboxNothingIsConverted(t *testing.T) {
	t.Parallel()
	whole := openConverter(t, Options{Spare: 1})
	f := *whole.launcher
	f.sandbox = &isolation.Sandbox{Bubblewrap: "/bin/false"} // as where namespaces are not permitted
	o := &Converter{launcher: &f, folder: t.TempDir(), log: whole.log, ctx: t.Context(), tested: make(chan struct{}), ready: make(chan *process, 1)}
	o.testConversion(1)
	if err := o.CheckAvailable(); !errors.Is(err, convert.ErrMissing) || !strings.Contains(err.Error(), "namespaces") {
		t.Errorf("it does not say what is missing: %v", err)
	}
	if err := o.Convert(t.Context(), convert.DOCX, bytes.NewReader(plainDocument()), &bytes.Buffer{}); !errors.Is(err, convert.ErrMissing) {
		t.Errorf("it converts all the same: %v", err)
	}
	if left, _ := os.ReadDir(o.folder); len(left) != 0 {
		t.Errorf("%d folders are left behind", len(left))
	}
	if _, err := OpenInBackground(t.Context(), Options{Program: "/nowhere/soffice"}); err == nil {
		t.Error("a program that is nowhere is found")
	}
}
