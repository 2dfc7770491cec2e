package contract

import (
	"cmp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the zones are known on machines without a database of them, too
)

// Locale is the language and the time zone of an organisation, for the people and guests of its documents who have not chosen others.
type Locale struct {
	Language string // one of MessageLanguages; empty: that of the service
	Zone     string // of the IANA time zone database, as Asia/Makassar; empty: Asia/Jakarta
}

// Check refuses languages and time zones that are not known.
func (l Locale) Check() error {
	var bad fieldErrors
	if l.Language != "" && !slices.Contains(MessageLanguages, l.Language) {
		bad.add("language", "value.not_one_of", "allowed", strings.Join(MessageLanguages, ", "))
	}
	if _, ok := loadZone(l.Zone); !ok {
		bad.add("time_zone", "locale.unknown_zone")
	}
	return bad.asError()
}

// Location returns the time zone; Jakarta if none is set, or if this release does not know it any more.
func (l Locale) Location() *time.Location {
	if zone, ok := loadZone(l.Zone); ok && zone != nil {
		return zone
	}
	return Jakarta
}

// loadZone returns the zone with a name; nil for an empty one. "Local" is what the machine is set to, and no name in the database.
func loadZone(name string) (*time.Location, bool) {
	if name == "" {
		return nil, true
	}
	if name == "Local" {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

// ZoneName returns the name of the time zone.
func (l Locale) ZoneName() string { return cmp.Or(l.Zone, "Asia/Jakarta") }
