package authority

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/internal/credential"
	"segel/revocation"
)

// brokenLedger is a ledger that fails.
type brokenLedger struct{ MemoryLedger }

var errLedger = errors.New("the ledger is away")

func (*brokenLedger) RecordIssued(context.Context, Record) error { return errLedger }
func (*brokenLedger) Lookup(context.Context, ...string) (map[string]Record, error) {
	return nil, errLedger
}
func (*brokenLedger) ListRevoked(context.Context) ([]Record, error) { return nil, errLedger }
func (*brokenLedger) CountRevoked(context.Context) (int, error)     { return 0, errLedger }

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// openAt opens an authority with a settable clock.
func openAt(t *testing.T, l Ledger, now *time.Time) *Authority {
	t.Helper()
	a, err := NewEphemeral(publicURL, func() time.Time { return *now })
	if err != nil {
		t.Fatal(err)
	}
	a.ledger = l
	return a
}

func TestFileOfAnotherAuthoritysPartsIsNotUsed(t *testing.T) {
	t.Parallel()
	s, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	make1 := func() (*keySet, storedFile) {
		k, err := newKeySet(publicURL, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := storeMembers(t.Context(), Folder(dir), authorityFile, s, k.firstMembers()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, authorityFile))
		if err != nil {
			t.Fatal(err)
		}
		var f storedFile
		if err := json.Unmarshal(b, &f); err != nil {
			t.Fatal(err)
		}
		return k, f
	}
	k, _ := make1()
	_, other := make1()
	template := *k.parts[accountIssuer][0].id.cert
	self, err := x509.CreateCertificate(rand.Reader, &template, &template, k.parts[accountIssuer][0].id.key.Public(), k.parts[accountIssuer][0].id.key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := func(f storedFile, name string, der []byte) {
		m := f.Members[name]
		m.Certificate = der
		f.Members[name] = m
	}
	for name, c := range map[string]struct {
		change func(*storedFile)
		says   string // empty: accepted
	}{
		"as made":                         {func(*storedFile) {}, ""},
		"another version":                 {func(f *storedFile) { f.Version = 2 }, "version 2"},
		"a part missing":                  {func(f *storedFile) { delete(f.Members, "tsa") }, "tsa"},
		"another's certificate":           {func(f *storedFile) { certificate(*f, "tsa", other.Members["tsa"].Certificate) }, "tsa do not belong together"},
		"another's part, key and all":     {func(f *storedFile) { f.Members["ocsp"] = other.Members["ocsp"] }, "certificate of the authority's ocsp"},
		"a key moved to another place":    {func(f *storedFile) { f.Members["tsa"] = f.Members["ocsp"] }, "key of the authority's tsa"},
		"an issuer that is not certified": {func(f *storedFile) { certificate(*f, "issuing", self) }, "certificate of the authority's issuing"},
		"a root that another root knows":  {func(f *storedFile) { f.Members["root"] = other.Members["root"] }, "certificate of the authority's"},
		"bytes that are no certificate":   {func(f *storedFile) { certificate(*f, "root", []byte{0x30}) }, "certificate of the authority's root"},
	} {
		dir := t.TempDir()
		if _, err := storeMembers(t.Context(), Folder(dir), authorityFile, s, k.firstMembers()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, authorityFile))
		if err != nil {
			t.Fatal(err)
		}
		var f storedFile
		if err := json.Unmarshal(b, &f); err != nil {
			t.Fatal(err)
		}
		c.change(&f)
		if b, err = json.Marshal(f); err != nil {
			t.Fatal(err)
		}
		dir = t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "authority.json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := Open(t.Context(), Folder(dir), Options{PublicURL: publicURL, Clock: time.Now, Sealer: s, Ledger: &MemoryLedger{}})
		if (err == nil) != (c.says == "") || err != nil && (a != nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if after, err := os.ReadFile(filepath.Join(dir, "authority.json")); err != nil || string(after) != string(b) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestStartersAtOnceShareOneAuthorityAndWhatACrashLeftIsIgnored(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "authority")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".new-1"), []byte(`{"version": 1, "mem`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	roots := make([]*x509.Certificate, 6)
	var all sync.WaitGroup
	for i := range roots {
		all.Go(func() {
			a, err := Open(t.Context(), Folder(dir), Options{PublicURL: publicURL, Clock: time.Now, Sealer: s, Ledger: &MemoryLedger{}})
			if err != nil {
				t.Error(err)
				return
			}
			roots[i] = a.Root()
		})
	}
	all.Wait()
	for i, r := range roots {
		if r == nil || !r.Equal(roots[0]) {
			t.Errorf("starter %d has another authority", i)
		}
	}
}

func TestCertificateThatCouldNotBeRecordedIsNotHandedOut(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &brokenLedger{})
	if chain, err := a.Certify(t.Context(), sariHolder(), newKey(t).Public()); !errors.Is(err, errLedger) || chain != nil {
		t.Errorf("%d certificates, %v", len(chain), err)
	}
}

func TestCertificateSaysWhoMaySignAndWhereToAsk(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	c := issueCertificate(t, a)[0]
	if c.KeyUsage != x509.KeyUsageDigitalSignature|x509.KeyUsageContentCommitment || c.IsCA || c.SerialNumber.BitLen() < 128 {
		t.Errorf("usage %b, authority %t, serial %x", c.KeyUsage, c.IsCA, c.SerialNumber)
	}
	for _, address := range [][]string{c.OCSPServer, c.IssuingCertificateURL, c.CRLDistributionPoints} {
		if len(address) != 1 || !strings.HasPrefix(address[0], publicURL+"/authority/") {
			t.Errorf("address %q", address)
		}
	}
	// The mailbox is not verified, so the address is only in the ledger.
	record, err := a.lookUp(t.Context(), formatSerial(c))
	if err != nil || record.Email != "sari@example.test" || len(c.EmailAddresses) != 0 || c.Subject.SerialNumber != "7" {
		t.Errorf("%+v %v, %q %v", record, err, c.EmailAddresses, c.Subject)
	}
}

func TestCertificateDoesNotOutliveItsIssuer(t *testing.T) {
	t.Parallel()
	now := time.Now()
	a := openAt(t, &MemoryLedger{}, &now)
	last := a.keys().parts[accountIssuer][0].id.cert.NotAfter
	for _, c := range []struct {
		now, end time.Time // zero: none is issued
	}{
		{now, now.AddDate(personYears, 0, 0)}, {last.AddDate(0, -1, 0), last}, {last, last}, {last.Add(time.Second), time.Time{}},
	} {
		now = c.now
		chain, err := a.Certify(t.Context(), sariHolder(), newKey(t).Public())
		if c.end.IsZero() {
			if err == nil {
				t.Errorf("at %s one was issued", c.now)
			}
			continue
		}
		if err != nil || !chain[0].NotAfter.Equal(c.end.UTC().Truncate(time.Second)) {
			t.Errorf("at %s: until %v, want %s, %v", c.now, chain, c.end, err)
		}
	}
}

func TestTimeStampAuthorityStopsWithItsCertificate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	a := openAt(t, &MemoryLedger{}, &now)
	for _, c := range []struct {
		now time.Time
		ok  bool
	}{{now, true}, {a.keys().parts[timeStamping][0].id.cert.NotAfter.Add(time.Second), false}, {a.keys().parts[timeStamping][0].id.cert.NotBefore.Add(-time.Second), false}} {
		now = c.now
		if token, err := a.Timestamper().Timestamp(t.Context(), make([]byte, 32)); (err == nil) != c.ok || (token != nil) != c.ok {
			t.Errorf("at %s: %v", c.now, err)
		}
	}
}

func TestResponderAnswersAboutItsOwnCertificatesOnly(t *testing.T) {
	t.Parallel()
	a, other := openAuthority(t, t.TempDir(), &MemoryLedger{}), openAuthority(t, t.TempDir(), &MemoryLedger{})
	chain, foreign := issueCertificate(t, a), issueCertificate(t, other)
	sameName := *chain[1]
	sameName.RawSubjectPublicKeyInfo = foreign[1].RawSubjectPublicKeyInfo
	sameKey := *chain[1]
	sameKey.RawSubject = foreign[1].RawSubject
	request := func(cert, issuer *x509.Certificate) []byte {
		der, err := ocsp.CreateRequest(cert, issuer, &ocsp.RequestOptions{Hash: crypto.SHA256})
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	for name, c := range map[string]struct {
		request []byte
		want    []byte
	}{
		"another authority's":         {request(foreign[0], foreign[1]), ocsp.UnauthorizedErrorResponse},
		"an issuer of the same name":  {request(chain[0], &sameName), ocsp.UnauthorizedErrorResponse},
		"an issuer with the same key": {request(chain[0], &sameKey), ocsp.UnauthorizedErrorResponse},
		"nothing":                     {nil, ocsp.MalformedRequestErrorResponse},
	} {
		if got := a.answerOCSP(t.Context(), c.request); string(got) != string(c.want) {
			t.Errorf("%s: %x", name, got)
		}
	}
	r, err := ocsp.ParseResponse(a.answerOCSP(t.Context(), request(foreign[0], chain[1])), chain[1])
	if err != nil || r.Status != ocsp.Unknown {
		t.Errorf("a serial that was never issued: %v, %v", r, err)
	}
	if _, err := a.Revocation(t.Context(), foreign[0], foreign[1]); !errors.Is(err, ErrUnknown) {
		t.Errorf("in process: %v", err)
	}
	if _, err := a.Revocation(t.Context(), foreign[0], chain[1]); !errors.Is(err, revocation.ErrUnusable) {
		t.Errorf("in process, a serial that was never issued: %v", err)
	}
}

func TestWithoutItsLedgerNothingIsCalledGood(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	chain := issueCertificate(t, a)
	a.ledger = &brokenLedger{}
	if _, err := a.Revocation(t.Context(), chain[0], chain[1]); !errors.Is(err, errLedger) {
		t.Errorf("in process: %v", err)
	}
	request, err := revocation.Request(chain[0], chain[1])
	if err != nil {
		t.Fatal(err)
	}
	if got := a.answerOCSP(t.Context(), request); string(got) != string(ocsp.InternalErrorErrorResponse) {
		t.Errorf("OCSP: %x", got)
	}
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/authority/crl/issuing.crl", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("list: %d", w.Code)
	}
}

func TestHandlerRefusesWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	h := openAuthority(t, t.TempDir(), &MemoryLedger{}).Handler()
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodPost, "/authority/ocsp", strings.Repeat("x", maxOCSP+1), http.StatusRequestEntityTooLarge},
		{http.MethodPost, "/authority/ocsp", "x", http.StatusOK}, // with the protocol's own refusal
		{http.MethodGet, "/authority/ocsp/***", "", http.StatusBadRequest},
		{http.MethodGet, "/authority/ocsp/" + strings.Repeat("A", maxOCSP+4), "", http.StatusBadRequest},
		{http.MethodGet, "/authority/ocsp/" + url.PathEscape(base64.StdEncoding.EncodeToString([]byte{255, 255, 255})), "", http.StatusOK},
		{http.MethodGet, "/authority/tsa", "", http.StatusMethodNotAllowed},
		{http.MethodGet, "/authority/authority.json", "", http.StatusNotFound},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.status {
			t.Errorf("%s %.40s: %d, want %d", c.method, c.path, w.Code, c.status)
		}
	}
}

func TestListIsRenewedEveryHourWithAHigherNumber(t *testing.T) {
	t.Parallel()
	now, l := time.Now(), &MemoryLedger{}
	a := openAt(t, l, &now)
	chain := issueCertificate(t, a)
	read := func() (*x509.RevocationList, error) {
		der, err := a.currentCRL(t.Context(), a.keys().parts[accountIssuer][0].id)
		if err != nil {
			t.Fatal(err)
		}
		l, err := x509.ParseRevocationList(der)
		if err != nil {
			t.Fatal(err)
		}
		_, err = (revocation.Data{CRL: der}).Validate(chain[0], chain[1], now)
		return l, err
	}
	first, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := read(); err != nil || again.Number.Cmp(first.Number) != 0 {
		t.Errorf("%v, number %v after %v", err, again.Number, first.Number)
	}
	now = now.Add(crlReuse)
	second, err := read()
	if err != nil || second.Number.Cmp(first.Number) <= 0 {
		t.Errorf("%v, number %v after %v", err, second.Number, first.Number)
	}
	// Once another certificate is revoked, the old list is not served any more.
	if err := l.Revoke(t.Context(), formatSerial(chain[0]), 1, now); err != nil {
		t.Fatal(err)
	}
	third, err := read()
	if !errors.Is(err, revocation.ErrRevoked) || third.Number.Cmp(second.Number) <= 0 {
		t.Errorf("%v, number %v after %v", err, third.Number, second.Number)
	}
}
