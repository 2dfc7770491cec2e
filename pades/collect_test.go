package pades_test

import (
	"context"
	"crypto/x509"
	"errors"
	"sync"
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/pades"
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
