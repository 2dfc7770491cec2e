package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/outbound"
)

// Address is the public address of the service, and how to try it.
type Address struct {
	Public  string // SEGEL_PUBLIC_URL; empty: not set
	Default string // what links name then
	HTTP    *http.Client
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Runs    func(ctx context.Context) bool // whether the service runs on this machine
	Now     func() time.Time
}

// Check reports whether clients reach the service at its public address, and the state of its TLS certificate.
func (a Address) Check(ctx context.Context) []Finding {
	if a.Public == "" {
		return []Finding{warnf("Set SEGEL_PUBLIC_URL to the address under which people reach the service", "it is not set: links in messages and addresses in certificates name %s", a.Default)}
	}
	u, err := url.Parse(a.Public)
	if err != nil {
		return []Finding{problemf("Correct SEGEL_PUBLIC_URL", "%v", err)}
	}
	var found []Finding
	local := IsLocal(u.Hostname())
	if u.Scheme != "https" && !local {
		found = append(found, problemf("Set SEGEL_PUBLIC_URL to an https address, and give the service (SEGEL_TLS_CERT or SEGEL_ACME_DIRECTORY) or the proxy in front of it a certificate", "%s is not https: passwords and documents can be read on their way, and browsers refuse passkeys", a.Public))
	}
	if !local {
		if _, err := a.Resolve(ctx, u.Hostname()); err != nil {
			return append(found, problemf("Add the name to the DNS, or correct SEGEL_PUBLIC_URL", "the name %s cannot be resolved: %v", u.Hostname(), err))
		}
	}
	return append(found, a.askHealth(ctx)...)
}

// IsLocal reports whether a host is this machine.
func IsLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// askHealth asks the public address whether the service runs there.
func (a Address) askHealth(ctx context.Context) []Finding {
	asked := a.Public + "/healthz"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, asked, nil)
	if err != nil {
		return []Finding{problemf("Correct SEGEL_PUBLIC_URL", "%v", err)}
	}
	client := *a.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(r)
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, outbound.ErrRefused):
		return []Finding{warnf("Name the network in SEGEL_OUTBOUND_PRIVATE to have it tried, or try "+asked+" from outside", "it was not tried: %v", err)}
	case errors.As(err, &untrusted):
		f := problemf("Install a certificate for this name, with its whole chain", "clients do not trust the certificate: %v", untrusted)
		f.Check = "tls"
		return []Finding{f}
	case err != nil && !a.Runs(ctx):
		return []Finding{warnf("Start the service and repeat this", "nothing answers at %s, and the service does not run on this machine", asked)}
	case err != nil:
		return []Finding{problemf("Compare the proxy, the firewall and the DNS with SEGEL_PUBLIC_URL: the service runs on this machine", "nothing answers at %s: %v", asked, err)}
	}
	defer answer.Body.Close()
	var health struct{ Status string }
	body, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err == nil {
		err = json.Unmarshal(body, &health)
	}
	found := a.checkTLS(answer.TLS)
	switch isOurs := answer.StatusCode == http.StatusOK && err == nil && health.Status == "ok"; {
	case !isOurs && !a.Runs(ctx):
		return append(found, warnf("Start the service and repeat this", "%s is answered with %s, and the service does not run on this machine", asked, answer.Status))
	case !isOurs:
		return append(found, problemf("Have the proxy pass all paths below SEGEL_PUBLIC_URL to the service", "%s is answered with %s by something other than the service", asked, answer.Status))
	}
	return append(found, okf("the service answers at %s", a.Public))
}

// stateOfTLS returns the state of a certificate for TLS. It is a warning three weeks before the end and a problem one week before, and later with one
// whose whole life is short: certificates of ACME servers are renewed when a third of it is left.
func stateOfTLS(from, until, now time.Time) State {
	const week = 7 * 24 * time.Hour
	lifetime, left := until.Sub(from), until.Sub(now)
	switch {
	case left < min(week, lifetime/10):
		return Problem
	case left < min(3*week, lifetime/5):
		return Warning
	}
	return OK
}

// checkTLS examines the connection on which the public address answered; nil: without TLS.
func (a Address) checkTLS(s *tls.ConnectionState) []Finding {
	if s == nil || len(s.PeerCertificates) == 0 {
		return nil
	}
	c := s.PeerCertificates[0]
	end := c.NotAfter
	days := int(end.Sub(a.Now()).Hours() / 24)
	const remedy = "Renew the certificate (SEGEL_TLS_CERT, SEGEL_ACME_DIRECTORY, or that of the proxy), and see why that does not happen by itself"
	f := okf("%s, with a certificate until %s", tls.VersionName(s.Version), formatTime(end))
	switch stateOfTLS(c.NotBefore, end, a.Now()) {
	case Problem:
		f = problemf(remedy, "the certificate expires in %d days, at %s", days, formatTime(end))
	case Warning:
		f = warnf(remedy, "the certificate expires in %d days, at %s", days, formatTime(end))
	}
	f.Check = "tls"
	return []Finding{f}
}

// Server is another machine that the service uses.
type Server struct {
	Name        string // for people, without a password
	Unprotected bool   // used without TLS, because the configuration says so
	Try         func(ctx context.Context) error
}

// CheckMail tries the mail servers.
func CheckMail(ctx context.Context, servers []Server) (found []Finding) {
	if len(servers) == 0 {
		return []Finding{warnf("Set SEGEL_MAIL_SERVERS and SEGEL_MAIL_FROM", "no mail server is set: messages are kept, and an operator passes them on")}
	}
	for _, s := range servers {
		switch err := s.Try(ctx); {
		case err != nil:
			found = append(found, problemf("Correct SEGEL_MAIL_SERVERS, or ask who runs the server", "%s: %v", s.Name, err))
		case s.Unprotected:
			found = append(found, warnf("Use STARTTLS: remove ?tls=none", "%s is used without TLS: passwords and links can be read on their way", s.Name))
		default:
			found = append(found, okf("%s accepts us over TLS", s.Name))
		}
	}
	return found
}

// CheckBlobs tries the place of the files: writing, reading and deleting a few bytes.
func CheckBlobs(ctx context.Context, place Server) []Finding {
	if err := place.Try(ctx); err != nil {
		return []Finding{problemf("Compare the settings of SEGEL_BLOBS with the folder or the bucket, and with the rights of the access key", "%s: %v", place.Name, err)}
	}
	return []Finding{okf("%s: a few bytes were written, read and deleted", place.Name)}
}

// CheckConverter tries a service that converts Word documents.
func CheckConverter(ctx context.Context, service Server) []Finding {
	if err := service.Try(ctx); err != nil {
		return []Finding{problemf("Start it, or compare SEGEL_CONVERT and SEGEL_OUTBOUND_PRIVATE with its address", "%s: %v", service.Name, err)}
	}
	return []Finding{okf("%s works", service.Name)}
}

// CheckTimestamps asks each time-stamp authority for a timestamp, whose time and certificate are compared with ours.
func CheckTimestamps(ctx context.Context, authorities []Server) (found []Finding) {
	if len(authorities) == 0 {
		return []Finding{okf("the embedded authority")}
	}
	failed := 0
	for _, s := range authorities {
		if err := s.Try(ctx); err != nil {
			failed++
			found = append(found, warnf("Compare SEGEL_TIMESTAMP_URLS and SEGEL_TRUST_DIR with what the authority says, and the clock with segel clock show", "%s: %v", s.Name, err))
			continue
		}
		found = append(found, okf("%s gives timestamps that we accept", s.Name))
	}
	if failed == len(authorities) {
		found = append(found, problemf("One of them has to work", "no time-stamp authority works: nothing can be signed"))
	}
	return found
}

// CheckClock reports what the clock of this machine disagrees with. Err is what comparing it returned.
func CheckClock(f contract.ClockFinding, err error) []Finding {
	const remedy = "Run a time service such as chrony on this machine and on that of the database; segel clock show compares the clocks, and segel clock confirm confirms this machine's clock if only a recorded event is ahead of it"
	switch {
	case err != nil:
		return []Finding{problemf("See the findings about the database", "it cannot be compared: %v", err)}
	case f.State != contract.ClockFine:
		return []Finding{problemf(remedy, "%s", f.Error())}
	case f.Database.IsZero():
		return []Finding{okf("it agrees with the recorded events; the database has no other clock")}
	}
	return []Finding{okf("it agrees with the database (%v apart) and with the recorded events", f.Database.Sub(f.Local).Abs().Round(10*time.Millisecond))}
}

// NotExamined is the finding of a check that needs something which another finding says is missing.
func NotExamined(err error) []Finding {
	return []Finding{warnf("Correct what the finding about the installation says, and repeat this", "not examined: %s", firstLine(err))}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(fmt.Sprint(err), "\n")
	return line
}
