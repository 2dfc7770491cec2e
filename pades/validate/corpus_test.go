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

	"segel/pades/validate"
)

// TestFilesOfOthersGetSaneWords judges whatever is in the folder SEGEL_PDFS, without roots.
func TestFilesOfOthersGetSaneWords(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("SEGEL_PDFS")
	if folder == "" {
		t.Skip("SEGEL_PDFS names no folder")
	}
	judged, signatures := 0, 0
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
			t.Errorf("%s: judged in %v", name, took)
		}
		if err != nil {
			if !errors.Is(err, validate.ErrUnreadable) || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			return nil
		}
		judged++
		signatures += len(r.Signatures)
		sane(t, name, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d signatures", judged, signatures)
}

// sane checks what holds of every report on files that nobody vouches for.
func sane(t *testing.T, name string, r *validate.Report) {
	t.Helper()
	if r.Passed() || r.Indication == validate.TotalPassed {
		t.Errorf("%s: passed without anybody to trust", name)
	}
	for _, s := range r.Signatures {
		switch {
		case s.SubIndication == "" || len(s.Reasons) == 0 || s.Summary.English == "" || s.Summary.Indonesian == "":
			t.Errorf("%s: %s is %s without a reason", name, s.Field, s.Indication)
		case s.Proven != nil, s.Level == validate.LevelLT, s.Level == validate.LevelLTA:
			t.Errorf("%s: %s proved by nobody at level %s", name, s.Field, s.Level)
		case s.Integrity == validate.ChangedAfter && s.Indication != validate.TotalFailed:
			t.Errorf("%s: %s is changed and %s", name, s.Field, s.Indication)
		}
	}
	var text strings.Builder
	for _, language := range []string{"id", "en"} {
		if err := r.WriteText(&text, language); err != nil {
			t.Errorf("%s: text %v", name, err)
		}
	}
}
