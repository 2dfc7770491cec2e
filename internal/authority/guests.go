package authority

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// accountAssurances are the assurances of the first issuing certificate.
var accountAssurances = []Assurance{Account, Seal, Specimen}

// guestIssuer describes an issuer of guests' certificates: an issuing certificate and its OCSP responder (RFC 6960 §4.2.2.2: a
// responder must not answer for another issuer). Each has a file of the authority.
type guestIssuer struct {
	name       string // of the file, of its members, and in URLs, which are in certificates permanently
	subject    string
	role       string // of the two certificates, for administrators: followed by _issuing and _ocsp
	assurances []Assurance
}

// guestIssuers lists the issuers of guests' certificates. An issuing certificate names its policies, so an assurance that is added later
// needs an issuer that is added here; what exists is not changed.
var guestIssuers = []guestIssuer{
	{"guests", "Guests", "guest", []Assurance{Guest}},
	{"contacts", "Guests with Contact", "contact", []Assurance{GuestPhone, GuestMailbox}},
}

func (g guestIssuer) file() string          { return g.name + ".json" }
func (g guestIssuer) issuingMember() string { return g.name + "-issuing" }
func (g guestIssuer) ocspMember() string    { return g.name + "-ocsp" }

// openGuestIssuers reads the issuers of guests' certificates, or creates them at the first start, also in installations that are older
// than one of them.
//
// An issuer is durable before it is used. If two processes create one at once, the first wins, and both use it. A crash leaves
// all of it or nothing; the next start creates it.
func (a *Authority) openGuestIssuers(ctx context.Context, files Files, o Options) error {
	for _, g := range guestIssuers {
		i, err := a.readGuestIssuer(ctx, files, o, g)
		if errors.Is(err, ErrMissing) {
			var made issuer
			if made, err = g.create(a.keys.root, a.urls, o.Clock()); err == nil {
				err = storeMembers(ctx, files, g.file(), o.Sealer, map[string]*identity{g.issuingMember(): &made.issuing, g.ocspMember(): &made.ocsp})
			}
			if err != nil {
				return fmt.Errorf("create issuer %s: %w", g.name, err)
			}
			i, err = a.readGuestIssuer(ctx, files, o, g)
		}
		if err != nil {
			return err
		}
		a.keys.guests = append(a.keys.guests, i)
	}
	return nil
}

// readGuestIssuers reads the issuers of guests' certificates; ErrMissing if there is none.
func (a *Authority) readGuestIssuers(ctx context.Context, files Files, o Options) error {
	for _, g := range guestIssuers {
		i, err := a.readGuestIssuer(ctx, files, o, g)
		if err != nil {
			return err
		}
		a.keys.guests = append(a.keys.guests, i)
	}
	return nil
}

func (a *Authority) readGuestIssuer(ctx context.Context, files Files, o Options, g guestIssuer) (issuer, error) {
	b, err := readRequired(ctx, files, g.file())
	if err != nil {
		return issuer{}, err
	}
	in, err := parseStored(b, "issuer "+g.name)
	if err != nil {
		return issuer{}, err
	}
	i := issuer{name: g.name}
	if i.issuing, err = in.Members[g.issuingMember()].openMember(g.issuingMember(), o.Sealer); err != nil {
		return issuer{}, err
	}
	if i.ocsp, err = in.Members[g.ocspMember()].openMember(g.ocspMember(), o.Sealer); err != nil {
		return issuer{}, err
	}
	if err := g.check(i.issuing.cert, a.keys.root.cert); err != nil {
		return issuer{}, err
	}
	if err := i.ocsp.cert.CheckSignatureFrom(i.issuing.cert); err != nil {
		return issuer{}, fmt.Errorf("certificate of the authority's %s: %w", g.ocspMember(), err)
	}
	return i, nil
}

// check refuses a certificate that this root did not sign, or that permits other policies than those of the issuer.
func (g guestIssuer) check(c, root *x509.Certificate) error {
	if err := c.CheckSignatureFrom(root); err != nil {
		return fmt.Errorf("certificate of the authority's %s: %w", g.issuingMember(), err)
	}
	if !hasOnlyPolicies(c, g.assurances...) {
		return fmt.Errorf("certificate of the authority's %s has other policies than its own", g.issuingMember())
	}
	return nil
}

// create creates the issuer below a root, with the root's mark in its name.
func (g guestIssuer) create(root identity, urls urlBuilder, now time.Time) (i issuer, err error) {
	begin, end := now.Add(-time.Hour), now.AddDate(issuingYears, 0, 0)
	if begin.Before(root.cert.NotBefore) {
		begin = root.cert.NotBefore
	}
	if end.After(root.cert.NotAfter) {
		end = root.cert.NotAfter
	}
	mark := strings.TrimPrefix(root.cert.Subject.CommonName, "Segel Root ")
	i.name = g.name
	if i.issuing, err = newIssuingIdentity(nameOf(g.subject, mark), urls, begin, end, &root, g.assurances...); err != nil {
		return i, err
	}
	i.ocsp, err = newOCSPIdentity(nameOf(g.subject+" OCSP Responder", mark), begin, end, &i.issuing)
	return i, err
}

func describeIssuer(c *x509.Certificate) Issuer {
	return Issuer{Certificate: c, Assurances: accountAssurances, Earlier: true}
}

func (g guestIssuer) describe(c *x509.Certificate) Issuer {
	return Issuer{Certificate: c, Assurances: slices.Clone(g.assurances)}
}
