package pades_test

import (
	"context"
	"crypto/x509"
	"errors"
	"sync"
	"testing"
	"time"

	"segel/pades"
	"segel/pdf/pdftest"
	"segel/revocation"
)

// silentNet is a source whose every host takes the question and never answers. It counts the questions.
type silentNet struct {
	mu              sync.Mutex // guards the rest
	status, issuers int
}

func (n *silentNet) Revocation(ctx context.Context, _, _ *x509.Certificate) (revocation.Material, error) {
	n.mu.Lock()
	n.status++
	n.mu.Unlock()
	<-ctx.Done()
	return revocation.Material{}, ctx.Err()
}

func (n *silentNet) Issuer(ctx context.Context, _ *x509.Certificate) (*x509.Certificate, error) {
	n.mu.Lock()
	n.issuers++
	n.mu.Unlock()
	<-ctx.Done()
	return nil, ctx.Err()
}

// strangers is a file with signatures that nothing is required of.
func strangers(t *testing.T, n int) (*paper, person) {
	t.Helper()
	p := &paper{b: pdftest.Table(1)}
	names := []string{"A", "B", "C", "D", "E"}[:n]
	var fields []pades.FieldSpec
	for _, name := range names {
		fields = append(fields, pades.FieldSpec{Name: name})
	}
	p.add(t, fields...)
	who := newPerson(t, "Stranger")
	for _, name := range names {
		p.sign(t, who.options(t, name))
	}
	return p, who
}

func TestAddressesThatAFileNamesAreNotAskedUnlessTheChainEndsInARoot(t *testing.T) {
	t.Parallel()
	p, who := strangers(t, 3)
	root := who.chain[len(who.chain)-1]
	other := newPerson(t, "Other")
	for name, c := range map[string]struct {
		roots []*x509.Certificate
		asked bool
	}{
		"no roots":                     {nil, false},
		"another root":                 {[]*x509.Certificate{claims(t, root.Subject, 16384).chain[0]}, false},
		"a leaf of the same authority": {other.chain[:1], false},
		"the root":                     {[]*x509.Certificate{newOffice(t).Root()}, true},
	} {
		net := &silentNet{}
		if _, err := pades.AddDSS(t.Context(), p.source(), pades.ValidationOptions{Source: net, Required: []string{}, Roots: c.roots, Within: 30 * time.Millisecond}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if (net.status > 0) != c.asked || net.issuers > 0 {
			t.Errorf("%s: asked for %d statuses and %d issuers", name, net.status, net.issuers)
		}
	}
}

// The bound is the deadline, and not one for each of some twenty certificates.
func TestAllQuestionsTogetherHaveOneDeadline(t *testing.T) {
	t.Parallel()
	p, _ := strangers(t, 5)
	const within = 600 * time.Millisecond
	begun := time.Now()
	o := pades.ValidationOptions{Source: &silentNet{}, Required: []string{}, Roots: []*x509.Certificate{newOffice(t).Root()}, Within: within}
	if _, err := pades.AddDSS(t.Context(), p.source(), o); err != nil {
		t.Error(err)
	}
	o.Required = []string{"A"}
	_, err := pades.AddDSS(t.Context(), p.source(), o)
	if !errors.Is(err, pades.ErrProof) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("what is required was not proved: %v", err)
	}
	if took := time.Since(begun); took > 20*within { // a busy machine is slow; without the deadline it never ends
		t.Errorf("took %s", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.Required = []string{}
	if _, err := pades.AddDSS(ctx, p.source(), o); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who went away: %v", err)
	}
}

func TestCertificatesOfOneSignatureAreAskedAboutAtATime(t *testing.T) {
	t.Parallel()
	p, _ := strangers(t, 1)
	all := make(chan struct{})
	together := &meeting{Source: newOffice(t), all: all, want: 2}
	if _, err := pades.AddDSS(t.Context(), p.source(), pades.ValidationOptions{Source: together}); err != nil {
		t.Error(err)
	}
}

// meeting answers nobody before that many ask.
type meeting struct {
	revocation.Source
	mu   sync.Mutex // guards want
	want int
	all  chan struct{}
}

func (m *meeting) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Material, error) {
	m.mu.Lock()
	if m.want--; m.want == 0 {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
		return m.Source.Revocation(ctx, cert, issuer)
	case <-ctx.Done():
		return revocation.Material{}, ctx.Err()
	}
}
