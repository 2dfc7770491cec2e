package main

import (
	"crypto/x509"
	"strings"

	"segel/internal/authority"
	"segel/internal/text"
	"segel/pades/validate"
)

// trustedAsOurs is the subfolder of SEGEL_TRUST_DIR for roots of other installations. Their policies stand for what ours
// do, because the operator who put them there says so: an OID proves nothing by itself.
const trustedAsOurs = "segel/"

// declareIdentities tells a validation what the certificates of the embedded authority's issuers say about their holders,
// and those below roots of other installations that the operator put into the folder for them.
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

// identityOf puts into words what a certificate says about its holder.
func identityOf(s authority.Statement) validate.Identity {
	i := validate.Identity{Status: validate.IdentityAttested, Assurance: string(s.Assurance), Name: s.Name, Organisation: s.Organisation}
	args := map[string]any{"organisation": s.Organisation}
	switch s.Assurance {
	case authority.Guest:
		args["named_by"] = s.NamedBy
		i.Status, i.NamedBy = validate.IdentityUnverified, s.NamedBy
		i.Statement = identityStatement("identity.guest_unverified", args)
	case authority.Account:
		i.Verified, i.VerifiedBy = []string{"account", "password"}, s.Organisation
		i.Statement = identityStatement("identity.account_password", args)
	case authority.Seal:
		i.Verified = []string{"organisation"}
		i.Statement = identityStatement("identity.organisation_seal", args)
	case authority.Specimen:
		i.Statement = identityStatement("identity.specimen", nil)
	}
	return i
}

// earlierIdentityOf is identityOf for a certificate from before they said what was verified. No more is known than how
// they were made then: accounts and seals had an organisation in the subject, guests had none, and the sandbox has an
// identifier that no person has.
func earlierIdentityOf(s authority.Statement, identifier string) validate.Identity {
	i := validate.Identity{Status: validate.IdentityNotRecorded, Name: s.Name, Organisation: s.Organisation}
	switch {
	case identifier == "SPESIMEN":
		i.Status = validate.IdentityAttested
		i.Statement = identityStatement("identity.specimen", nil)
	case s.Organisation != "":
		i.Status, i.Verified = validate.IdentityAttested, []string{"organisation"}
		i.Statement = identityStatement("identity.earlier_member", map[string]any{"organisation": s.Organisation})
	default:
		i.Statement = identityStatement("identity.earlier_guest", nil)
	}
	return i
}

func identityStatement(code string, args map[string]any) validate.Reason {
	r := validate.Reason{Code: code, Args: map[string]string{}, Indonesian: text.Sentence(text.Indonesian, code, args), English: text.Sentence(text.English, code, args)}
	for name, v := range args {
		r.Args[name], _ = v.(string)
	}
	return r
}
