package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestOnlyWarningsThatAreNotAboutStoppingAreLogged(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := slog.New(warningHandler{slog.NewTextHandler(&b, nil)})
	log.Info("fetched")
	log.Error("could not go on", "error", fmt.Errorf("begin: %w", context.Canceled))
	log.Error("could not begin", "error", errors.New("disk full"))
	if got := b.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "disk full") {
		t.Errorf("logged:\n%s", got)
	}
}
