package evidence

import (
	"testing"
	"time"

	"segel/internal/contract"
)

func TestTimesAreInTheZoneOfTheOrganisationAndInUTC(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 6, 6, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"":              "2026-11-23 13:06:00 WIB (06:06:00 UTC)",
		"Asia/Jayapura": "2026-11-23 15:06:00 WIT (06:06:00 UTC)",
	} {
		l := newLayout()
		l.zone = contract.Locale{Zone: zone}.Location()
		if got := l.formatTime(at); got != want {
			t.Errorf("%q: %s, want %s", zone, got, want)
		}
	}
}
