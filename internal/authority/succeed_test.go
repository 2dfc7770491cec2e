package authority

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/credential"
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
	o := Options{PublicURL: public, Clock: func() time.Time { return now }, Sealer: s, Ledger: &Memory{}}
	reopen := func() *Authority {
		a, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := reopen()
	var last *x509.Certificate
	for _, c := range []struct {
		years int
		next  bool // whether another one is there
	}{{0, false}, {17, false}, {19, true}, {19, false}, {27, false}, {29, false}} {
		now = begun.AddDate(c.years, 0, 0)
		a := reopen()
		cert := a.keys.tsa.cert
		if last != nil && !cert.Equal(last) != c.next {
			t.Errorf("after %d years: another one: %t", c.years, !cert.Equal(last))
		}
		last = cert
		token := stamped(t, a)
		roots := x509.NewCertPool()
		roots.AddCert(first.Root())
		if _, err := token.Validate(roots, now); err != nil || !token.Authority.Equal(cert) {
			t.Errorf("after %d years: %v", c.years, err)
		}
		if m, err := a.Revocation(t.Context(), cert, a.Root()); err != nil || m.CRL == nil {
			t.Errorf("after %d years: %v", c.years, err)
		}
	}
	if last.Equal(first.keys.tsa.cert) || last.NotAfter.After(first.Root().NotAfter) || !strings.Contains(last.Subject.CommonName, "Time-Stamp") {
		t.Errorf("%s until %s", last.Subject, last.NotAfter)
	}

	// A file that is another's is not used, and nothing is made in its place.
	other := filepath.Join(t.TempDir(), "authority")
	now = begun
	if _, err := Open(other, o); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "tsa-2.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "tsa-2.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other, o); err == nil || !strings.Contains(err.Error(), "tsa-2") {
		t.Errorf("another's successor: %v", err)
	}
}
