package authority

import (
	"crypto"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/credential"
	"segel/revocation"
	"segel/tsp"
)

func TestTimeStampAuthorityHasASuccessorBeforeItsCertificateEnds(t *testing.T) {
	t.Parallel()
	s, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "authority")
	begun := time.Now()
	now := begun
	o := Options{PublicURL: publicURL, Clock: func() time.Time { return now }, Sealer: s, Ledger: &MemoryLedger{}}
	reopen := func() *Authority {
		a, err := Open(t.Context(), Folder(dir), o)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := reopen()
	var last *x509.Certificate
	for _, c := range []struct {
		years int
		next  bool // another one exists
	}{{0, false}, {17, false}, {19, true}, {19, false}, {27, false}, {29, false}} {
		now = begun.AddDate(c.years, 0, 0)
		a := reopen()
		cert := a.keys().current(timeStamping, now).id.cert
		if last != nil && !cert.Equal(last) != c.next {
			t.Errorf("after %d years: another one: %t", c.years, !cert.Equal(last))
		}
		last = cert
		token := fetchToken(t, a)
		roots := x509.NewCertPool()
		roots.AddCert(first.Root())
		if _, err := token.Validate(roots, now); err != nil || !token.Authority.Equal(cert) {
			t.Errorf("after %d years: %v", c.years, err)
		}
		if m, err := a.Revocation(t.Context(), cert, a.Root()); err != nil || m.CRL == nil {
			t.Errorf("after %d years: %v", c.years, err)
		}
	}
	if last.Equal(first.keys().current(timeStamping, begun).id.cert) || last.NotAfter.After(first.Root().NotAfter) || !strings.Contains(last.Subject.CommonName, "Time-Stamp") {
		t.Errorf("%s until %s", last.Subject, last.NotAfter)
	}

	// The file of another authority is not used and not replaced.
	other := filepath.Join(t.TempDir(), "authority")
	now = begun
	if _, err := Open(t.Context(), Folder(other), o); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "tsa-2.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "tsa-2.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Folder(other), o); err == nil || !strings.Contains(err.Error(), "tsa-2") {
		t.Errorf("another's successor: %v", err)
	}
}

func TestSuccessorMadeWhileTheClockWasAheadIsNotUsedBeforeItBegins(t *testing.T) {
	t.Parallel()
	s, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "authority")
	begun := time.Now()
	now := begun
	o := Options{PublicURL: publicURL, Clock: func() time.Time { return now }, Sealer: s, Ledger: &MemoryLedger{}}
	reopen := func() *Authority {
		t.Helper()
		a, err := Open(t.Context(), Folder(dir), o)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := reopen().keys().parts[timeStamping][0].id.cert
	now = begun.AddDate(19, 0, 0)
	running := reopen() // a start with the wrong clock creates a successor
	ahead := running.keys().current(timeStamping, now).id.cert
	if ahead.Equal(first) || !fetchToken(t, running).Authority.Equal(ahead) {
		t.Fatal("there is no successor after nineteen years")
	}
	now = begun.Add(time.Hour)
	if got := fetchToken(t, running).Authority; !got.Equal(first) {
		t.Errorf("the process that made it stamps with what begins at %s", got.NotBefore)
	}
	a := reopen()
	if got := fetchToken(t, a).Authority; !got.Equal(first) {
		t.Errorf("after a start it stamps with what begins at %s", got.NotBefore)
	}
	for _, c := range a.OwnCertificates() {
		if c.Role == "tsa" && !c.Certificate.Equal(first) {
			t.Error("another time-stamp authority is shown than the one in use")
		}
	}
	// Once the successor is valid it is used like any other.
	now = begun.AddDate(19, 0, 1)
	if got := fetchToken(t, reopen()).Authority; !got.Equal(ahead) {
		t.Errorf("after nineteen years it stamps with %s", got.SerialNumber)
	}
	if _, err := os.Stat(filepath.Join(dir, "tsa-3.json")); err == nil {
		t.Error("a further successor was made")
	}

	// One that becomes valid after the first has expired does not prevent another from being created in time.
	late := filepath.Join(t.TempDir(), "authority")
	dir, now = late, begun
	reopen()
	now = begun.AddDate(28, 0, 0)
	reopen()
	now = begun.AddDate(18, 6, 0)
	a = reopen()
	if got := fetchToken(t, a).Authority; got.NotBefore.After(now) || !got.NotAfter.After(now.AddDate(2, 0, 0)) {
		t.Errorf("after eighteen years and a half it stamps with what is valid from %s to %s", got.NotBefore, got.NotAfter)
	}
}

func TestAuthorityMadeWhileTheClockWasAheadSignsNothingBeforeItBegins(t *testing.T) {
	t.Parallel()
	now := time.Now().AddDate(2, 0, 0)
	ledger := &MemoryLedger{}
	a, err := NewEphemeral(publicURL, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	a.ledger = ledger
	chain := issueCertificate(t, a)
	for _, c := range []struct {
		by   time.Duration // after the creation of the authority
		want error         // nil: all requests are answered
	}{{0, nil}, {-2 * 365 * 24 * time.Hour, ErrNotYetValid}, {-time.Hour - time.Minute, ErrNotYetValid}, {-59 * time.Minute, nil}, {31 * 365 * 24 * time.Hour, ErrExpired}} {
		made := a.keys().root.cert.NotBefore.Add(time.Hour)
		now = made.Add(c.by)
		answers := map[string]error{}
		_, answers["certificate"] = a.Certify(t.Context(), Holder{ID: "8", Name: "Sari", Organisation: "PT Contoh", Assurance: Account}, newKey(t).Public())
		_, answers["timestamp"] = a.Timestamper().Timestamp(t.Context(), make([]byte, 32))
		_, answers["OCSP"] = a.buildOCSPResponse(t.Context(), a.keys().listIssuers()[0], chain[0].SerialNumber, crypto.SHA1, nil)
		_, answers["list of the issuing certificate"] = a.currentCRL(t.Context(), a.keys().parts[accountIssuer][0].id)
		_, answers["list of the root"] = a.currentCRL(t.Context(), a.keys().root)
		for what, err := range answers {
			if (err == nil) != (c.want == nil) {
				t.Errorf("%s, %s: %v", c.by, what, err)
			}
			if what != "timestamp" && c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v, want %v", c.by, what, err, c.want)
			}
			var no *tsp.Refusal
			if what == "timestamp" && c.want != nil && (!errors.As(err, &no) || no.Failure != tsp.TimeNotAvailable) {
				t.Errorf("%s, %s: %v", c.by, what, err)
			}
		}
	}
}

func TestCertificateIssuedWhileTheClockWasAheadCanBeRevoked(t *testing.T) {
	t.Parallel()
	now := time.Now()
	a := openAt(t, &MemoryLedger{}, &now)
	begun := now
	now = begun.AddDate(2, 0, 0)
	serial := formatSerial(issueCertificate(t, a)[0])
	now = begun.Add(time.Minute)
	if err := a.Revoke(t.Context(), serial, revocation.Superseded, now.Add(-time.Minute)); err == nil {
		t.Error("revoked since a moment before now, at which it was not issued")
	}
	if err := a.Revoke(t.Context(), serial, revocation.Superseded, now); err != nil {
		t.Error(err)
	}
}
