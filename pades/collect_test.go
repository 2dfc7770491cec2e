package pades_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
	"segel/revocation"
)

// silentSource is a source whose hosts accept queries but never answer. It counts the queries.
type silentSource struct {
	mu              sync.Mutex // guards the rest
	status, issuers int
}

func (n *silentSource) Revocation(ctx context.Context, _, _ *x509.Certificate) (revocation.Data, error) {
	n.mu.Lock()
	n.status++
	n.mu.Unlock()
	<-ctx.Done()
	return revocation.Data{}, ctx.Err()
}

func (n *silentSource) Issuer(ctx context.Context, _ *x509.Certificate) (*x509.Certificate, error) {
	n.mu.Lock()
	n.issuers++
	n.mu.Unlock()
	<-ctx.Done()
	return nil, ctx.Err()
}

// newForeignSignatures returns a file with signatures that are not required.
func newForeignSignatures(t *testing.T, n int) (*testFile, signer) {
	t.Helper()
	p := &testFile{Bytes: pdftest.Table(1)}
	names := []string{"A", "B", "C", "D", "E"}[:n]
	var fields []pades.FieldSpec
	for _, name := range names {
		fields = append(fields, pades.FieldSpec{Name: name})
	}
	p.AddFields(t, fields...)
	who := signtest.NewSigner(t, "Other")
	for _, name := range names {
		p.Sign(t, who.Options(t, name))
	}
	return p, who
}

func TestAddressesInAFileAreNotQueriedUnlessTheChainEndsInARoot(t *testing.T) {
	t.Parallel()
	p, who := newForeignSignatures(t, 3)
	root := who.Chain[len(who.Chain)-1]
	other := signtest.NewSigner(t, "Other")
	for name, c := range map[string]struct {
		roots   []*x509.Certificate
		queried bool
	}{
		"no roots":                     {nil, false},
		"another root":                 {[]*x509.Certificate{newFalseSigner(t, root.Subject, 16384).Chain[0]}, false},
		"a leaf of the same authority": {other.Chain[:1], false},
		"the root":                     {[]*x509.Certificate{signtest.Authority(t).Root()}, true},
	} {
		net := &silentSource{}
		if _, err := pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: net, Required: []string{}, Roots: c.roots, Timeout: 30 * time.Millisecond}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if (net.status > 0) != c.queried || net.issuers > 0 {
			t.Errorf("%s: queried for %d statuses and %d issuers", name, net.status, net.issuers)
		}
	}
}

// The limit is one deadline for all, not one for each of some twenty certificates.
func TestAllQueriesTogetherHaveOneDeadline(t *testing.T) {
	t.Parallel()
	p, _ := newForeignSignatures(t, 5)
	const within = 600 * time.Millisecond
	begun := time.Now()
	o := pades.ValidationOptions{Source: &silentSource{}, Required: []string{}, Roots: []*x509.Certificate{signtest.Authority(t).Root()}, Timeout: within}
	if _, err := pades.AddDSS(t.Context(), p.Source(), o); err != nil {
		t.Error(err)
	}
	o.Required = []string{"A"}
	_, err := pades.AddDSS(t.Context(), p.Source(), o)
	if !errors.Is(err, pades.ErrRevocationData) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("what is required was not proved: %v", err)
	}
	if took := time.Since(begun); took > 20*within { // a busy machine is slow; without the deadline it would not end
		t.Errorf("took %s", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.Required = []string{}
	if _, err := pades.AddDSS(ctx, p.Source(), o); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who went away: %v", err)
	}
}

func TestCertificatesOfOneSignatureAreQueriedConcurrently(t *testing.T) {
	t.Parallel()
	p, _ := newForeignSignatures(t, 1)
	all := make(chan struct{})
	together := &concurrentSource{Source: signtest.Authority(t), all: all, want: 2}
	if _, err := pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: together}); err != nil {
		t.Error(err)
	}
}

// concurrentSource answers only once that many queries are waiting.
type concurrentSource struct {
	revocation.Source
	mu   sync.Mutex // guards want
	want int
	all  chan struct{}
}

func (m *concurrentSource) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Data, error) {
	m.mu.Lock()
	if m.want--; m.want == 0 {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
		return m.Source.Revocation(ctx, cert, issuer)
	case <-ctx.Done():
		return revocation.Data{}, ctx.Err()
	}
}

// newAuthorityCertificate returns a CA certificate for a key, issued by a certificate and its key; nil: self-signed.
func newAuthorityCertificate(t *testing.T, subject []byte, key *ecdsa.PrivateKey, issuer *x509.Certificate, by *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: must[*big.Int](t)(rand.Int(rand.Reader, big.NewInt(1<<62))), RawSubject: subject,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment,
	}
	if issuer == nil {
		issuer, by = template, key
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, issuer, key.Public(), by))
	return must[*x509.Certificate](t)(x509.ParseCertificate(der))
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	return must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
}

// issuerSource is a source that also has issuers, and counts the queries for them.
type issuerSource struct {
	revocation.Source
	issuers []*x509.Certificate
	queries int
}

func (s *issuerSource) Issuer(_ context.Context, c *x509.Certificate) (*x509.Certificate, error) {
	s.queries++
	for _, issuer := range s.issuers {
		if bytes.Equal(issuer.RawSubject, c.RawIssuer) {
			return issuer, nil
		}
	}
	return nil, errors.New("unknown")
}

func TestCertificatesOfAnUploadDoNotHideTheIssuerOfASigner(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "A")
	issuer := who.Chain[1]
	var decoys [][]byte
	for range 20 {
		decoys = append(decoys, newAuthorityCertificate(t, issuer.RawSubject, newKey(t), nil, nil).Raw)
	}
	for name, chain := range map[string][]*x509.Certificate{"fetched": who.Chain[:1], "in the signature": who.Chain} {
		p := &testFile{Bytes: pdftest.Table(1)}
		addToStore(t, p, map[pdf.Name][][]byte{"Certs": decoys})
		p.AddFields(t, pades.FieldSpec{Name: "A"})
		o := who.Options(t, "A")
		o.Chain = chain
		p.Sign(t, o)
		source := &issuerSource{Source: signtest.Authority(t), issuers: who.Chain[1:]}
		options := pades.ValidationOptions{Source: source, Certificates: who.Chain[2:], Required: []string{"A"}}
		if name != "fetched" {
			options.Source = signtest.Authority(t)
		}
		if _, err := pades.AddDSS(t.Context(), p.Source(), options); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "fetched" && source.queries != 1 {
			t.Errorf("%s: %d queries", name, source.queries)
		}
	}
}

// keySource answers about certificates of issuers whose keys it has, and otherwise like another source.
type keySource struct {
	revocation.Source
	keys map[string]*ecdsa.PrivateKey // by the subject of the issuer
}

func (s keySource) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Data, error) {
	key := s.keys[string(issuer.RawSubject)]
	if key == nil {
		return s.Source.Revocation(ctx, cert, issuer)
	}
	r := ocsp.Response{SerialNumber: cert.SerialNumber, ThisUpdate: time.Now(), NextUpdate: time.Now().Add(time.Hour)}
	der, err := ocsp.CreateResponse(issuer, issuer, r, key)
	return revocation.Data{OCSP: der}, err
}

func encodeName(t *testing.T, name string) []byte {
	t.Helper()
	return must[[]byte](t)(asn1.Marshal(pkix.Name{CommonName: name}.ToRDNSequence()))
}

func TestLongChainIsAnErrorOnlyWhereItIsRequired(t *testing.T) {
	t.Parallel()
	source := keySource{signtest.Authority(t), map[string]*ecdsa.PrivateKey{}}
	var chain []*x509.Certificate
	var key *ecdsa.PrivateKey
	for i := range 14 {
		name, own := encodeName(t, fmt.Sprint(i)), newKey(t)
		if i == 0 {
			chain = []*x509.Certificate{newAuthorityCertificate(t, name, own, nil, nil)}
		} else {
			chain = slices.Insert(chain, 0, newAuthorityCertificate(t, name, own, chain[0], key))
		}
		key, source.keys[string(name)] = own, own
	}
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "Long"}, pades.FieldSpec{Name: "A"})
	p.Sign(t, signer{Name: "Long", Key: key, Chain: chain}.Options(t, "Long"))
	p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	// With these roots, each certificate of the chain is queried.
	o := pades.ValidationOptions{Source: source, Required: []string{"A"}, Roots: chain}
	if _, err := pades.AddDSS(t.Context(), p.Source(), o); err != nil {
		t.Errorf("not required: %v", err)
	}
	o.Required = nil
	if _, err := pades.AddDSS(t.Context(), p.Source(), o); !errors.Is(err, pades.ErrRevocationData) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("required: %v", err)
	}
}

func TestAuthoritiesThatCertifyEachOtherHaveValidationData(t *testing.T) {
	t.Parallel()
	keyA, keyB, key := newKey(t), newKey(t), newKey(t)
	nameA, nameB := encodeName(t, "A"), encodeName(t, "B")
	issuerA, issuerB := newAuthorityCertificate(t, nameA, keyA, nil, nil), newAuthorityCertificate(t, nameB, keyB, nil, nil)
	a, b := newAuthorityCertificate(t, nameA, keyA, issuerB, keyB), newAuthorityCertificate(t, nameB, keyB, issuerA, keyA)
	chain := []*x509.Certificate{newAuthorityCertificate(t, encodeName(t, "Leaf"), key, a, keyA), a, b}
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	p.Sign(t, signer{Name: "Leaf", Key: key, Chain: chain}.Options(t, "A"))
	source := keySource{signtest.Authority(t), map[string]*ecdsa.PrivateKey{string(nameA): keyA, string(nameB): keyB}}
	p.Append(t)(pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: source}))
	lists, _ := readSecurityStore(t, p)
	for _, cert := range chain {
		if !slices.ContainsFunc(lists["OCSPs"], func(der []byte) bool { return bytes.Contains(der, cert.SerialNumber.Bytes()) }) {
			t.Errorf("no response about %q", cert.Subject.CommonName)
		}
	}
}
