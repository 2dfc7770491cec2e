package validate_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/emeterai"
	"segel/internal/text"
	"segel/internal/text/verdict"
	"segel/pades/validate"
)

// TestFilesOfOthersGetSaneWords validates the files in the folder SEGEL_PDFS, without roots.
func TestFilesOfOthersGetSaneWords(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("SEGEL_PDFS")
	if folder == "" {
		t.Skip("SEGEL_PDFS names no folder")
	}
	validated, signatures := 0, 0
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".pdf") {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		began := time.Now()
		r, err := validate.Validate(t.Context(), f, info.Size(), validate.Options{At: time.Now(), Explain: true, Name: filepath.Base(name)})
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: validated in %v", name, took)
		}
		if err != nil {
			if !errors.Is(err, validate.ErrUnreadable) || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			return nil
		}
		validated++
		signatures += len(r.Signatures)
		sane(t, name, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d signatures", validated, signatures)
}

// sane checks what is true of every report on files without trusted signers.
func sane(t *testing.T, name string, r *validate.Report) {
	t.Helper()
	if r.Passed() || r.Indication == validate.TotalPassed {
		t.Errorf("%s: passed without roots", name)
	}
	for _, s := range r.Signatures {
		switch {
		case s.SubIndication == "" || len(s.Reasons) == 0 || s.Summary.Code == "":
			t.Errorf("%s: %s is %s without a reason", name, s.Field, s.Indication)
		case s.Proven != nil, s.Level == validate.LevelLT, s.Level == validate.LevelLTA:
			t.Errorf("%s: %s has no proof at level %s", name, s.Field, s.Level)
		case s.Integrity == validate.ChangedAfter && s.Indication != validate.TotalFailed:
			t.Errorf("%s: %s is changed and %s", name, s.Field, s.Indication)
		}
	}
	rendered := verdict.New(r, emeterai.FindStamps(r))
	for _, s := range rendered.Signatures {
		if s.Summary.English == "" || s.Summary.Indonesian == "" {
			t.Errorf("%s: %s has no summary", name, s.Field)
		}
	}
	var b strings.Builder
	for _, language := range []text.Language{text.Indonesian, text.English} {
		if err := rendered.WriteText(&b, language); err != nil {
			t.Errorf("%s: text %v", name, err)
		}
	}
}
