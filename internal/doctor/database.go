package doctor

import (
	"errors"
	"slices"
	"strings"
	"time"

	"segel/internal/store"
)

// oldestPostgreSQL is the oldest release that its project maintains.
const oldestPostgreSQL = 15

// CheckServer examines the settings of the database server. Nodes is how many processes use it now, at least 1.
func CheckServer(s store.ServerSettings, nodes int) (found []Finding) {
	if s.Embedded {
		return []Finding{okf("SQLite %s in the data folder", s.Version)}
	}
	if s.Major < oldestPostgreSQL {
		found = append(found, warnf("Update the server", "PostgreSQL %s is not maintained any more", s.Version))
	}
	if need := nodes * s.PoolConnections; s.MaxConnections-s.ReservedConnections < need {
		found = append(found, problemf("Raise max_connections, or set pool_max_conns in SEGEL_DATABASE",
			"the server permits %d connections, of which %d are reserved; %d processes take up to %d", s.MaxConnections, s.ReservedConnections, nodes, need))
	} else if s.MaxConnections-s.ReservedConnections < need+s.PoolConnections {
		found = append(found, warnf("Raise max_connections, or set pool_max_conns in SEGEL_DATABASE",
			"the server permits %d connections, which is too few for one more process while a release is replaced: each takes up to %d", s.MaxConnections, s.PoolConnections))
	}
	for _, rule := range []struct {
		name, safe, harm string
		state            State
	}{
		{"fsync", "on", "a crash of the machine destroys the database", Problem},
		{"full_page_writes", "on", "a crash of the machine can destroy pages", Problem},
		{"synchronous_commit", "on remote_write remote_apply local", "a crash loses changes that were confirmed, such as purchases of stamps", Problem},
		{"data_checksums", "on", "damaged pages are not noticed", Warning},
		{"server_encoding", "UTF8", "names and titles cannot be stored", Problem},
	} {
		if value := s.Settings[rule.name]; !slices.Contains(strings.Fields(rule.safe), value) {
			f := problemf("Set "+rule.name+" to "+strings.Fields(rule.safe)[0], "%s is %q: %s", rule.name, value, rule.harm)
			f.State = rule.state
			if rule.name == "data_checksums" {
				f.Remedy = "Stop the server and run pg_checksums --enable"
			}
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		found = append(found, okf("PostgreSQL %s; %d connections, of which a process takes up to %d", s.Version, s.MaxConnections, s.PoolConnections))
	}
	return found
}

// Ages of the last backup.
const (
	lateBackup = 36 * time.Hour // a daily one is late
	oldBackup  = 8 * 24 * time.Hour
)

// CheckBackup reports the age of the last backup. Err is what reading it returned.
func CheckBackup(last store.BackupRun, err error, now time.Time) []Finding {
	const remedy = "Run segel backup from a timer every day (docs/operations.md); ignore this if another program does it, such as an archive of PostgreSQL"
	switch age := now.Sub(last.CompletedAt); {
	case errors.Is(err, store.ErrNotFound):
		return []Finding{warnf(remedy, "no backup is complete")}
	case err != nil:
		return []Finding{problemf("See the findings about the database", "%v", err)}
	case age > oldBackup:
		return []Finding{problemf(remedy, "the last backup is of %s, %d days ago, at %s", formatTime(last.CompletedAt), int(age.Hours()/24), last.Destination)}
	case age > lateBackup:
		return []Finding{warnf(remedy, "the last backup is of %s, %d hours ago, at %s", formatTime(last.CompletedAt), int(age.Hours()), last.Destination)}
	}
	return []Finding{okf("the last backup is of %s, at %s", formatTime(last.CompletedAt), last.Destination)}
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Certificate is one that the service signs with or shows.
type Certificate struct {
	Role                string
	NotBefore, NotAfter time.Time
}

// Thresholds of the days that a certificate is still valid.
const (
	soonDays   = 90
	nearDays   = 30
	urgentDays = 7
)

// CheckCertificates reports certificates that are about to expire, and those that are not valid yet.
func CheckCertificates(all []Certificate, remedy string, now time.Time) (found []Finding) {
	var next *Certificate
	for _, c := range all {
		days := int(c.NotAfter.Sub(now).Hours() / 24)
		switch {
		case now.Before(c.NotBefore):
			found = append(found, problemf("Compare the clock (segel clock show): it was ahead when the certificate was made", "%s: it begins at %s", c.Role, formatTime(c.NotBefore)))
		case !now.Before(c.NotAfter):
			found = append(found, problemf(remedy, "%s: it expired at %s", c.Role, formatTime(c.NotAfter)))
		case days < urgentDays:
			found = append(found, problemf(remedy, "%s: it expires in %d days, at %s: act now", c.Role, days, formatTime(c.NotAfter)))
		case days < nearDays:
			found = append(found, problemf(remedy, "%s: it expires in %d days, at %s", c.Role, days, formatTime(c.NotAfter)))
		case days < soonDays:
			found = append(found, warnf(remedy, "%s: it expires in %d days, at %s", c.Role, days, formatTime(c.NotAfter)))
		}
		if next == nil || c.NotAfter.Before(next.NotAfter) {
			next = &c
		}
	}
	if len(found) == 0 && next != nil {
		found = append(found, okf("of %d certificates of the authority in use the next to expire is %s, at %s; those of seals and people are made anew by the service", len(all), next.Role, formatTime(next.NotAfter)))
	}
	return found
}
