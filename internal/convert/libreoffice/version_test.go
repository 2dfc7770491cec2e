package libreoffice

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"segel/internal/isolation/isolationtest"
)

func TestVersionIsReadInTheSandboxAndOutsideOfIt(t *testing.T) {
	t.Parallel()
	for _, unsandboxed := range []bool{false, true} {
		v, err := Version(t.Context(), unsandboxed)
		isolationtest.Require(t, err)
		if !regexp.MustCompile(`^\d+\.\d+`).MatchString(v) {
			t.Errorf("unsandboxed %t: %q", unsandboxed, v)
		}
	}
	ended, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if v, err := Version(ended, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after its time: %q, %v", v, err)
	}
}
