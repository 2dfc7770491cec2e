package main

import (
	"crypto/x509"
	"strings"

	"segel/internal/authority"
	"segel/pades/validate"
)

// trustedAsOurs is the subfolder of SEGEL_TRUST_DIR for roots of other installations. Their policy OIDs have the same meaning
// as ours because the operator who put them there says so: an OID proves nothing by itself.
const trustedAsOurs = "segel/"

// declareIdentities tells validation what certificates say about their holders: those of the embedded authority's issuers, and
// those below roots of other installations that the operator put into that subfolder.
func declareIdentities(t *validate.Trust, issuers []authority.Issuer) {
	for _, i := range issuers {
		t.Declare(i.Certificate, assurancesOf(i)...)
	}
	for _, root := range t.Roots(validate.ForSigning) {
		if strings.HasPrefix(t.Origin(root), trustedAsOurs) {
			t.Declare(root, assurancesOf(authority.Issuer{Assurances: authority.Assurances()})...)
		}
	}
}

func assurancesOf(i authority.Issuer) []validate.Assurance {
	var list []validate.Assurance
	for _, a := range i.Assurances {
		list = append(list, validate.Assurance{Policy: a.Policy(), Identify: func(c *x509.Certificate) validate.Identity {
			return identityOf(authority.ReadStatement(c, a))
		}})
	}
	if i.Earlier {
		list = append(list, validate.Assurance{Identify: func(c *x509.Certificate) validate.Identity {
			return earlierIdentityOf(authority.ReadStatement(c, ""), c.Subject.SerialNumber)
		}})
	}
	return list
}

// identityOf returns what a certificate says about its holder.
func identityOf(s authority.Statement) validate.Identity {
	i := validate.Identity{Status: validate.IdentityAttested, Assurance: string(s.Assurance), Name: s.Name, Organisation: s.Organisation}
	switch s.Assurance {
	case authority.Guest:
		i.Status, i.NamedBy = validate.IdentityUnverified, s.NamedBy
		i.Statement = validate.NewReason("identity.guest_unverified", "organisation", s.Organisation, "named_by", s.NamedBy)
	case authority.Account:
		i.Verified, i.VerifiedBy = []string{"account", "password"}, s.Organisation
		i.Statement = validate.NewReason("identity.account_password", "organisation", s.Organisation)
	case authority.Seal:
		i.Verified = []string{"organisation"}
		i.Statement = validate.NewReason("identity.organisation_seal", "organisation", s.Organisation)
	case authority.Specimen:
		i.Statement = validate.NewReason("identity.specimen")
	}
	return i
}

// earlierIdentityOf is identityOf for a certificate issued before certificates stated what was verified. It relies on how
// they were issued then: accounts and seals had an organisation in the subject, guests had none, and the sandbox has an
// identifier that no person has.
func earlierIdentityOf(s authority.Statement, identifier string) validate.Identity {
	i := validate.Identity{Status: validate.IdentityNotRecorded, Name: s.Name, Organisation: s.Organisation}
	switch {
	case identifier == "SPESIMEN":
		i.Status = validate.IdentityAttested
		i.Statement = validate.NewReason("identity.specimen")
	case s.Organisation != "":
		i.Status, i.Verified = validate.IdentityAttested, []string{"organisation"}
		i.Statement = validate.NewReason("identity.earlier_member", "organisation", s.Organisation)
	default:
		i.Statement = validate.NewReason("identity.earlier_guest")
	}
	return i
}
