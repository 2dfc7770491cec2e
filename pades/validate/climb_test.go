package validate

import (
	"context"
	"crypto/x509"
	"errors"
	"testing"

	"segel/revocation"
)

// library knows issuers, and nothing of who was revoked.
type library struct {
	of    map[string]*x509.Certificate // by the subject's name
	asked int
}

func (l *library) Revocation(context.Context, *x509.Certificate, *x509.Certificate) (revocation.Data, error) {
	return revocation.Data{}, errors.New("closed")
}

func (l *library) Issuer(_ context.Context, c *x509.Certificate) (*x509.Certificate, error) {
	l.asked++
	if i := l.of[c.Subject.CommonName]; i != nil {
		return i, nil
	}
	return nil, errors.New("not here")
}

func TestIssuersThatAFileLacksAreFetchedOnlyWhereThatIsWanted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	below := certificate(t, w.issuing, "Below", ca)
	sari := certificate(t, below, "Sari", person)
	stranger := certificate(t, certificate(t, nil, "Nobody", ca), "Stranger", person)
	l := &library{of: map[string]*x509.Certificate{"Sari": below.cert, "Below": w.issuing.cert}}
	for name, c := range map[string]struct {
		who    *x509.Certificate
		online revocation.Source
		found  bool
	}{"offline": {sari.cert, nil, false}, "online": {sari.cert, l, true}, "stranger": {stranger.cert, l, false}} {
		v := newValidation(Options{At: date(2025, 1, 1), Trust: w.trust, Online: c.online})
		for range 3 { // signatures of the same signer
			s, err := v.validateCertificate(t.Context(), certificateUse{cert: c.who, purpose: ForSigning, bestTime: date(2025, 1, 1)})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.sub != NoCertificateChainFound; got != c.found {
				t.Errorf("%s: %s", name, s.sub)
			}
		}
	}
	if l.asked != 3 { // for two issuers, and once in vain
		t.Errorf("asked %d times", l.asked)
	}
}

func TestIssuerThatWasFetchedDoesNotCountTowardsTheLevel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	below := certificate(t, w.issuing, "Below", ca)
	sari := certificate(t, below, "Sari", person)
	l := &library{of: map[string]*x509.Certificate{"Sari": below.cert, "Below": w.issuing.cert}}
	at := date(2025, 6, 2)
	for _, lacks := range []bool{false, true} {
		p := w.paper()
		s := p.sign(sari, w.tsa.token(date(2025, 6, 1), content[:]))
		level := LevelLT
		if lacks {
			s.Certificates, level = []*x509.Certificate{sari.cert}, LevelT
		}
		p.prove([][]byte{sari.good(at), below.good(at), w.issuing.good(at)}, w.timeRoot.list(at))
		r := p.judge(at, func(o *Options) { o.Online = l })
		is(t, r, 0, "", level)
		if lacks {
			is(t, p.judge(at), 0, NoCertificateChainFound, LevelT)
		}
	}
}
