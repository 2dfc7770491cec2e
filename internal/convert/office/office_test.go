package office

import (
	"bytes"
	"os"
	"testing"
	"time"

	"segel/internal/convert"
)

// open starts an office that is closed with the test. Where it cannot be had, the test is skipped, unless
// SEGEL_REQUIRE_CONVERT demands it.
func open(t *testing.T, o Options) *Office {
	t.Helper()
	of, err := Open(t.Context(), o)
	switch {
	case err == nil:
	case os.Getenv("SEGEL_REQUIRE_CONVERT") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
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
	o := open(t, Options{Spare: 1})
	for range 3 {
		start := time.Now()
		var out bytes.Buffer
		if err := o.Convert(t.Context(), convert.DOCX, bytes.NewReader(warmDocument), &out); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(out.Bytes(), []byte("%PDF-1.6")) {
			t.Errorf("it begins with %.20q", out.Bytes())
		}
		t.Log(time.Since(start), out.Len())
	}
}
