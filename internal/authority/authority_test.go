package authority

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/internal/credential"
	"segel/revocation"
	"segel/tsp"
)

const publicURL = "http://segel.test"

func openAuthority(t *testing.T, dir string, l Ledger) *Authority {
	t.Helper()
	s, err := credential.OpenSealer(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), Folder(dir), Options{PublicURL: publicURL + "/", Clock: time.Now, Sealer: s, Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// sariHolder has an account; budiHolder is her guest.
func sariHolder() Holder {
	return Holder{ID: "7", Name: "Sari Wulandari", Email: "sari@example.test", Organisation: "PT Contoh", Assurance: Account}
}

func budiHolder() Holder {
	return Holder{ID: "8", Name: "Budi Santoso", Email: "budi@example.test", Organisation: "PT Contoh", Assurance: Guest, NamedBy: "Sari Wulandari"}
}

func issueCertificate(t *testing.T, a *Authority) []*x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Certify(context.Background(), sariHolder(), key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// runOpenssl runs openssl in a folder with the given files.
func runOpenssl(t *testing.T, files map[string][]byte, args ...string) string {
	t.Helper()
	out, err := execOpenssl(t, files, args...)
	if err != nil {
		t.Errorf("openssl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// requireRefused runs openssl, which must fail.
func requireRefused(t *testing.T, files map[string][]byte, args ...string) string {
	t.Helper()
	out, err := execOpenssl(t, files, args...)
	if err == nil {
		t.Errorf("openssl %s passed\n%s", strings.Join(args, " "), out)
	}
	return out
}

func execOpenssl(t *testing.T, files map[string][]byte, args ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("openssl", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

func pemOf(certs ...*x509.Certificate) []byte {
	var b []byte
	for _, c := range certs {
		b = append(b, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	return b
}

func TestOpenSSLTrustsEveryCertificateThroughTheRoot(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	chain := issueCertificate(t, a)
	files := map[string][]byte{"root.pem": a.RootPEM(), "issuing.pem": pemOf(a.keys().parts[accountIssuer][0].id.cert), "leaf.pem": pemOf(chain[0]), "tsa.pem": pemOf(a.keys().parts[timeStamping][0].id.cert)}
	runOpenssl(t, files, "verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "issuing.pem", "leaf.pem")
	runOpenssl(t, files, "verify", "-x509_strict", "-purpose", "timestampsign", "-CAfile", "root.pem", "tsa.pem")
}

func TestOpenSSLVerifiesATimestamp(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	digest := sha256.Sum256([]byte("kontrak"))
	request, err := tsp.Request{Hash: 5, Imprint: digest[:], CertReq: true}.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	response, err := a.Timestamper().Respond(request)
	if err != nil {
		t.Fatal(err)
	}
	out := runOpenssl(t, map[string][]byte{"root.pem": a.RootPEM(), "q.tsq": request, "a.tsr": response}, "ts", "-verify", "-queryfile", "q.tsq", "-in", "a.tsr", "-CAfile", "root.pem")
	if !strings.Contains(out, "Verification: OK") {
		t.Error(out)
	}
}

func TestOpenSSLAcceptsRevocationData(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	chain := issueCertificate(t, a)
	m, err := a.Revocation(context.Background(), chain[0], chain[1])
	if err != nil {
		t.Fatal(err)
	}
	list, err := a.currentCRL(context.Background(), a.keys().parts[accountIssuer][0].id)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"root.pem": a.RootPEM(), "issuing.pem": pemOf(a.keys().parts[accountIssuer][0].id.cert), "leaf.pem": pemOf(chain[0]), "r.der": m.OCSP, "l.crl": list,
		"all.pem": append(a.RootPEM(), pemOf(a.keys().parts[accountIssuer][0].id.cert)...)}
	out := runOpenssl(t, files, "ocsp", "-respin", "r.der", "-issuer", "issuing.pem", "-cert", "leaf.pem", "-CAfile", "root.pem", "-verify_other", "issuing.pem", "-no_nonce")
	if !strings.Contains(out, "leaf.pem: good") {
		t.Error(out)
	}
	if out := runOpenssl(t, files, "crl", "-inform", "DER", "-in", "l.crl", "-CAfile", "all.pem", "-noout"); !strings.Contains(out, "verify OK") {
		t.Error(out)
	}
}

func TestResponderNamesTheCertificateByTheHashItWasAskedWith(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	chain := issueCertificate(t, a)
	for flag, hash := range map[string]crypto.Hash{"-sha1": crypto.SHA1, "-sha256": crypto.SHA256, "-sha384": crypto.SHA384} {
		request, err := ocsp.CreateRequest(chain[0], chain[1], &ocsp.RequestOptions{Hash: hash})
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{"root.pem": a.RootPEM(), "issuing.pem": pemOf(chain[1]), "leaf.pem": pemOf(chain[0]), "r.der": a.answerOCSP(t.Context(), request)}
		out := runOpenssl(t, files, "ocsp", "-respin", "r.der", "-issuer", "issuing.pem", flag, "-cert", "leaf.pem", "-CAfile", "root.pem", "-no_nonce")
		if !strings.Contains(out, "leaf.pem: good") {
			t.Errorf("asked with %s: %s", flag, out)
		}
	}
}

func TestRevokedCertificateIsToldByOCSPAndByList(t *testing.T) {
	t.Parallel()
	l := &MemoryLedger{}
	a := openAuthority(t, t.TempDir(), l)
	chain := issueCertificate(t, a)
	other := issueCertificate(t, a)
	if err := a.Revoke(t.Context(), formatSerial(chain[0]), revocation.KeyCompromise, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Revocation(context.Background(), chain[0], chain[1]); !errors.Is(err, revocation.ErrRevoked) {
		t.Errorf("OCSP: %v", err)
	}
	list, err := a.currentCRL(context.Background(), a.keys().parts[accountIssuer][0].id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (revocation.Data{CRL: list}).Validate(chain[0], chain[1], time.Now()); !errors.Is(err, revocation.ErrRevoked) {
		t.Errorf("CRL: %v", err)
	}
	if _, err := (revocation.Data{CRL: list}).Validate(other[0], other[1], time.Now()); err != nil {
		t.Errorf("CRL about another: %v", err)
	}
}

func TestAuthorityIsTheSameAfterARestartAndAnotherInEveryFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := credential.OpenSealer(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{PublicURL: publicURL, Clock: time.Now, Sealer: s, Ledger: &MemoryLedger{}}
	first, err := Open(t.Context(), Folder(filepath.Join(dir, "a")), o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), Folder(filepath.Join(dir, "a")), o)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(t.Context(), Folder(filepath.Join(dir, "b")), o)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Root().Equal(again.Root()) || first.Root().Equal(other.Root()) || first.Root().Subject.String() == other.Root().Subject.String() {
		t.Error("roots are mixed up")
	}
	wrong, err := credential.OpenSealer(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	o.Sealer = wrong
	if _, err := Open(t.Context(), Folder(filepath.Join(dir, "a")), o); !errors.Is(err, credential.ErrSealed) {
		t.Errorf("opened with another master key: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "a", "authority.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestHandlerSpeaksEachProtocol(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	chain := issueCertificate(t, a)
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	here := func(address string) string { return server.URL + strings.TrimPrefix(address, publicURL) }

	for address, want := range map[string][]byte{chain[0].IssuingCertificateURL[0]: chain[1].Raw, chain[1].IssuingCertificateURL[0]: chain[2].Raw} {
		if got := fetchBody(t, here(address)); string(got) != string(want) {
			t.Errorf("%s is another certificate", address)
		}
	}
	list := fetchBody(t, here(chain[0].CRLDistributionPoints[0]))
	if _, err := (revocation.Data{CRL: list}).Validate(chain[0], chain[1], time.Now()); err != nil {
		t.Error(err)
	}
	request, err := revocation.Request(chain[0], chain[1])
	if err != nil {
		t.Fatal(err)
	}
	answer := fetchBody(t, here(chain[0].OCSPServer[0])+"/"+url.PathEscape(base64.StdEncoding.EncodeToString(request)))
	if _, err := (revocation.Data{OCSP: answer}).Validate(chain[0], chain[1], time.Now()); err != nil {
		t.Error("GET", err)
	}
	client := *server.Client()
	client.Transport = rewriteTransport{publicURL, server.URL}
	f := &revocation.Fetcher{HTTP: &client, Clock: time.Now}
	if _, err := f.Revocation(context.Background(), chain[0], chain[1]); err != nil {
		t.Error("POST", err)
	}
	stamper := &tsp.Client{URL: publicURL + "/authority/tsa", HTTP: &client}
	digest := sha256.Sum256([]byte("kontrak"))
	token, err := stamper.Timestamp(context.Background(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := tsp.Parse(token)
	if err != nil || !parsed.Covers(digest[:]) || len(token) > a.Timestamper().TokenSize() {
		t.Errorf("%v, %d bytes", err, len(token))
	}
}

// rewriteTransport sends requests for one address to another.
type rewriteTransport struct{ from, to string }

func (r rewriteTransport) RoundTrip(q *http.Request) (*http.Response, error) {
	u, err := url.Parse(r.to + strings.TrimPrefix(q.URL.String(), r.from))
	if err != nil {
		return nil, err
	}
	q = q.Clone(q.Context())
	q.URL, q.Host = u, u.Host
	return http.DefaultTransport.RoundTrip(q)
}

func fetchBody(t *testing.T, address string) []byte {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(address, r.Status, err)
	}
	return b
}

func TestFirstFormOfAnAuthorityIsStillRead(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/formats/authority-1.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := credential.NewSealer(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	k, err := openFirst(b, s)
	if err != nil {
		t.Fatal(err)
	}
	for name, id := range k.firstMembers() {
		if pub, ok := id.key.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !pub.Equal(id.cert.PublicKey) {
			t.Errorf("key and certificate of %s do not belong together", name)
		}
	}
}

func TestFirstFormOfASuccessorIsStillRead(t *testing.T) {
	t.Parallel()
	s, err := credential.NewSealer(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for from, to := range map[string]string{"authority-1.json": "authority.json", "authority-tsa-1.json": "tsa-2.json", "authority-issuing-1.json": "issuing-2.json"} {
		b, err := os.ReadFile("testdata/formats/" + from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Date(2045, 6, 1, 0, 0, 0, 0, time.UTC) // the sample is valid from March 2045
	a, err := Open(t.Context(), Folder(dir), Options{PublicURL: publicURL, Clock: func() time.Time { return now }, Sealer: s, Ledger: &MemoryLedger{}})
	if err != nil {
		t.Fatal(err)
	}
	if tsa := a.keys().current(timeStamping, now).id; !tsa.cert.NotAfter.Equal(a.keys().root.cert.NotAfter) || tsa.cert.Equal(a.keys().parts[timeStamping][0].id.cert) {
		t.Errorf("the time-stamp authority lasts until %s, the root until %s", tsa.cert.NotAfter, a.keys().root.cert.NotAfter)
	}
	chain := issueCertificate(t, a)
	if m, err := a.Revocation(t.Context(), chain[0], chain[1]); err != nil || m.OCSP == nil || !strings.HasPrefix(chain[1].Subject.CommonName, "Segel Issuing 2 ") || len(a.keys().parts[accountIssuer]) != 2 {
		t.Errorf("%s issues, %v", chain[1].Subject, err)
	}
}
