package validate

import (
	"bytes"
	"context"
	"crypto/x509"

	"segel/revocation"
)

// Bounds of issuers that the net is asked for: above one certificate, and for one file.
const (
	maxIssuerDepth   = 4
	maxIssuerFetches = 16
)

// fetchIssuers asks the net for the issuers that a file lacks, from a certificate on up, if that is wanted: a certificate
// may say where its issuer's is (RFC 5280 §4.2.2.1). Found is whether there is one more to build chains with. None is
// trusted for being found.
func (v *validation) fetchIssuers(ctx context.Context, c *x509.Certificate) (found bool, err error) {
	source, ok := v.o.Online.(revocation.IssuerSource)
	if !ok || v.trustAnchors().Len() == 0 {
		return false, nil
	}
	asking, cancel := v.asking(ctx)
	defer cancel()
	for range maxIssuerDepth {
		if bytes.Equal(c.RawSubject, c.RawIssuer) || len(v.trustAnchors().findRoots(c.RawIssuer)) > 0 {
			break
		}
		if known := v.certificates.findIssuers(c); len(known) > 0 {
			c = known[0]
			continue
		}
		id := v.certificateHash(c)
		if v.issuerFetched[id] || len(v.issuerFetched) == maxIssuerFetches || asking.Err() != nil {
			break
		}
		v.issuerFetched[id] = true
		issuer, err := source.Issuer(asking, c)
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		if err != nil {
			break // it is only missing: the judgement says so
		}
		v.certificates.addCertificates(issuer)
		v.issuersFromNet[v.certificateHash(issuer)] = true
		found, c = true, issuer
	}
	if found {
		// What was answered without them is no longer so.
		clear(v.chainCache)
		clear(v.boundsByIssuer)
	}
	return found, nil
}
