package sandbox

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"segel/internal/authority"
	sealing "segel/internal/credential"
)

// credential is the office's key and certificates.
type credential struct {
	key   crypto.Signer
	chain []*x509.Certificate
}

// sealedAs is what the key is bound to at rest, and holder the office's identifier in its certificate.
const (
	sealID   = "emeterai/sandbox"
	holderID = "SPESIMEN"
)

// renewBefore is how long before its end a certificate is replaced.
const renewBefore = 30 * 24 * time.Hour

// requireCredential returns the credential, and makes it at the first order, when its certificate nears its end, or when it begins
// later than now, because the clock was ahead when it was made. The caller holds mu.
func (f *Office) requireCredential(ctx context.Context) (*credential, error) {
	if c := f.credential; c != nil {
		now, leaf := f.o.Clock(), c.chain[0]
		if !now.Before(leaf.NotBefore) && now.Before(leaf.NotAfter.Add(-renewBefore)) {
			return c, nil
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), f.o.Random)
	if err != nil {
		return nil, unavailable(fmt.Errorf("key of the office: %w", err))
	}
	chain, err := f.o.Issuer.Certify(ctx, authority.Holder{ID: holderID, Name: Name, Assurance: authority.Specimen}, key.Public())
	if err != nil {
		return nil, unavailable(fmt.Errorf("certificate of the office: %w", err))
	}
	if len(chain) == 0 {
		return nil, unavailable(errors.New("certificate of the office: the issuer gave none"))
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, unavailable(fmt.Errorf("key of the office: %w", err))
	}
	e := entry{Is: entryCredential, At: f.now()}
	if e.Key, err = f.o.Sealer.Seal(sealID, der); err != nil {
		return nil, unavailable(fmt.Errorf("seal the office's key: %w", err))
	}
	for _, c := range chain {
		e.Chain = append(e.Chain, c.Raw)
	}
	if err := f.journal.appendEntry(e); err != nil {
		return nil, unavailable(err)
	}
	f.credential = &credential{key, chain}
	return f.credential, nil
}

// openCredential reads what ready wrote.
func openCredential(e entry, s *sealing.Sealer) (*credential, error) {
	c := &credential{}
	for _, der := range e.Chain {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("certificate of the office: %w", err)
		}
		c.chain = append(c.chain, cert)
	}
	for i, cert := range c.chain[:max(0, len(c.chain)-1)] {
		if err := cert.CheckSignatureFrom(c.chain[i+1]); err != nil {
			return nil, fmt.Errorf("certificate of the office: %w", err)
		}
	}
	der, err := s.Open(sealID, e.Key)
	if err != nil {
		return nil, fmt.Errorf("open the office's key: %w", err)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("key of the office: %w", err)
	}
	signer, ok := key.(*ecdsa.PrivateKey)
	if !ok || len(c.chain) == 0 || !signer.PublicKey.Equal(c.chain[0].PublicKey) {
		return nil, errors.New("key and certificate of the office do not belong together")
	}
	c.key = signer
	return c, nil
}
