package validate

import (
	"bytes"
	"context"
	"crypto/x509"

	"segel/revocation"
)

// Limits for issuers fetched from the network: above one certificate, and for one file.
const (
	maxIssuerDepth   = 4
	maxIssuerFetches = 16
)

// fetchIssuers fetches missing issuers of a certificate, from the addresses that certificates state (RFC 5280
// §4.2.2.1), if Options.Online can. Found is whether a new one may complete a chain. Fetched certificates are not
// trusted for that.
func (v *validation) fetchIssuers(ctx context.Context, c *x509.Certificate) (found bool, err error) {
	source, ok := v.o.Online.(revocation.IssuerSource)
	if !ok || v.trustAnchors().Len() == 0 {
		return false, nil
	}
	asking, cancel := v.withOnlineDeadline(ctx)
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
			break // the report names the missing issuer
		}
		v.certificates.addCertificates(issuer)
		v.issuersFromNet[v.certificateHash(issuer)] = true
		found, c = true, issuer
	}
	if found {
		// Earlier results were computed without them.
		clear(v.chainCache)
		clear(v.boundsByIssuer)
	}
	return found, nil
}
