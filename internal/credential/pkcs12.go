package credential

import (
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"io"

	"software.sslmate.com/src/go-pkcs12"
)

// Credential is a private key with its chain.
type Credential struct {
	crypto.Signer
	Chain []*x509.Certificate // leaf first, as far as it is known
}

// maxPKCS12 bounds a PKCS #12 file in bytes.
const maxPKCS12 = 1 << 20

// ReadPKCS12 reads a PKCS #12 file with its password.
func ReadPKCS12(r io.Reader, password string) (*Credential, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPKCS12+1))
	if err != nil {
		return nil, fmt.Errorf("read PKCS #12: %w", err)
	}
	if len(b) > maxPKCS12 {
		return nil, fmt.Errorf("PKCS #12 of more than %d bytes", maxPKCS12)
	}
	key, leaf, others, err := pkcs12.DecodeChain(b, password)
	if err != nil {
		return nil, fmt.Errorf("open PKCS #12: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("key of type %T cannot sign", key)
	}
	if pub, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !pub.Equal(leaf.PublicKey) {
		return nil, errors.New("key and certificate of the PKCS #12 do not belong together")
	}
	return &Credential{signer, OrderChain(leaf, others)}, nil
}

// OrderChain returns the chain from leaf upwards, as far as the others lead.
func OrderChain(leaf *x509.Certificate, others []*x509.Certificate) []*x509.Certificate {
	chain := []*x509.Certificate{leaf}
	for len(chain) <= len(others) {
		last := chain[len(chain)-1]
		next := findIssuer(last, others)
		if next == nil || next.Equal(last) {
			break
		}
		chain = append(chain, next)
	}
	return chain
}

func findIssuer(c *x509.Certificate, among []*x509.Certificate) *x509.Certificate {
	for _, o := range among {
		if string(o.RawSubject) == string(c.RawIssuer) && c.CheckSignatureFrom(o) == nil {
			return o
		}
	}
	return nil
}
