package contract

import (
	"testing"
	"time"
)

func TestOnlyNamesOfTheTimeZoneDatabaseAreZones(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"": true, "Asia/Jakarta": true, "Asia/Makassar": true, "Asia/Jayapura": true, "Europe/Berlin": true, "UTC": true,
		"Local": false, "Asia/Jakartta": false, "../etc/passwd": false, "/etc/localtime": false, "WITA": false, "+08:00": false,
	} {
		if err := (Locale{Zone: name}).Check(); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := (Locale{Language: "fr"}).Check(); err == nil {
		t.Error("a language without messages is accepted")
	}
}

func TestQuietHoursAreThoseOfTheZone(t *testing.T) {
	t.Parallel()
	q := QuietHours{From: 20, Until: 8}
	at := time.Date(2026, 11, 23, 0, 30, 0, 0, time.UTC) // 7:30 in Jakarta, 9:30 in Jayapura
	if !q.Include(at, Locale{}.Location()) || q.Include(at, Locale{Zone: "Asia/Jayapura"}.Location()) {
		t.Error("the hours are not those of the zone")
	}
}
