package api

import (
	"strings"
	"time"
)

const isoLayout = "2006-01-02T15:04:05.000Z"

// formatISO formats a time in UTC with milliseconds.
func formatISO(t time.Time) string { return t.UTC().Format(isoLayout) }

// isoOrNull is like formatISO, but returns nil for the zero time.
func isoOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := formatISO(t)
	return &s
}

// parseISO reads a time with its zone, such as 2026-01-31T00:00:00Z.
func parseISO(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(s))
	return t, err == nil
}
