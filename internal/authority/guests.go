package authority

import (
	"crypto/x509"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// accountAssurances are the assurances of the first issuing certificate.
var accountAssurances = []Assurance{Account, Seal, Specimen}

// guestsFile holds the issuer of guests' certificates: the issuing certificate and its OCSP responder (RFC 6960
// §4.2.2.2: a responder must not answer for another issuer).
const (
	guestsFile          = "guests.json"
	guestsIssuingMember = "guests-issuing"
	guestsOCSPMember    = "guests-ocsp"
)

// openGuestIssuer reads the issuer of guests' certificates, or creates it at the first start, also in installations
// that are older than this issuer.
//
// It is durable before it is used. If two processes create one at once, the first wins, and both use it. A crash leaves
// all of it or nothing; the next start creates it.
func (a *Authority) openGuestIssuer(dir string, o Options) error {
	err := a.readGuestIssuer(dir, o)
	if !errors.Is(err, ErrMissing) {
		return err
	}
	issuing, ocsp, err := newGuestIssuer(a.keys.root, a.urls, o.Clock())
	if err == nil {
		err = storeMembers(filepath.Join(dir, guestsFile), o.Sealer, map[string]*identity{guestsIssuingMember: &issuing, guestsOCSPMember: &ocsp})
	}
	if err != nil {
		return fmt.Errorf("create issuer for guests: %w", err)
	}
	return a.readGuestIssuer(dir, o)
}

// readGuestIssuer reads the issuer of guests' certificates; ErrMissing if there is none.
func (a *Authority) readGuestIssuer(dir string, o Options) error {
	b, err := readRequired(filepath.Join(dir, guestsFile))
	if err != nil {
		return err
	}
	in, err := parseStored(b, "issuer for guests")
	if err != nil {
		return err
	}
	issuing, err := in.Members[guestsIssuingMember].openMember(guestsIssuingMember, o.Sealer)
	if err != nil {
		return err
	}
	ocsp, err := in.Members[guestsOCSPMember].openMember(guestsOCSPMember, o.Sealer)
	if err != nil {
		return err
	}
	if err := checkGuestIssuer(issuing.cert, a.keys.root.cert); err != nil {
		return err
	}
	if err := ocsp.cert.CheckSignatureFrom(issuing.cert); err != nil {
		return fmt.Errorf("certificate of the authority's %s: %w", guestsOCSPMember, err)
	}
	a.keys.guestIssuing, a.keys.guestOCSP = issuing, ocsp
	return nil
}

// checkGuestIssuer refuses a certificate that this root did not sign, or that permits other policies than that of
// guests.
func checkGuestIssuer(c, root *x509.Certificate) error {
	if err := c.CheckSignatureFrom(root); err != nil {
		return fmt.Errorf("certificate of the authority's %s: %w", guestsIssuingMember, err)
	}
	if !hasOnlyPolicy(c, Guest) {
		return fmt.Errorf("certificate of the authority's %s has other policies than that of guests", guestsIssuingMember)
	}
	return nil
}

// newGuestIssuer creates the issuer below a root, with the root's mark in its name.
func newGuestIssuer(root identity, urls urlBuilder, now time.Time) (issuing, ocsp identity, err error) {
	begin, end := now.Add(-time.Hour), now.AddDate(issuingYears, 0, 0)
	if begin.Before(root.cert.NotBefore) {
		begin = root.cert.NotBefore
	}
	if end.After(root.cert.NotAfter) {
		end = root.cert.NotAfter
	}
	mark := strings.TrimPrefix(root.cert.Subject.CommonName, "Segel Root ")
	if issuing, err = newIssuingIdentity(nameOf("Guests", mark), urls, begin, end, &root, Guest); err != nil {
		return issuing, ocsp, err
	}
	ocsp, err = newOCSPIdentity(nameOf("Guests OCSP Responder", mark), begin, end, &issuing)
	return issuing, ocsp, err
}

func describeIssuer(c *x509.Certificate) Issuer {
	return Issuer{Certificate: c, Assurances: accountAssurances, Earlier: true}
}

func describeGuestIssuer(c *x509.Certificate) Issuer {
	return Issuer{Certificate: c, Assurances: []Assurance{Guest}}
}
