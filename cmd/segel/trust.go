package main

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"segel/internal/authority"
	"segel/internal/config"
	"segel/internal/outbound"
	"segel/pades/validate"
	"segel/tsp"
)

// outboundClient returns the client for all fetches, from authorities that the operator named and from addresses that
// certificates name.
func outboundClient(conf config.Config) *http.Client {
	return outbound.NewClient(outboundOptions(conf, conf.TimestampURLs...))
}

// outboundOptions returns what the configuration permits, with the ports of addresses that the operator named.
func outboundOptions(conf config.Config, named ...string) outbound.Options {
	o := outbound.Options{Ports: slices.Clone(conf.OutboundPorts), Allowed: prefixesOf(conf.OutboundPrivate)}
	for _, address := range named {
		if p, ok := portOf(address); ok {
			o.Ports = append(o.Ports, p)
		}
	}
	return o
}

// prefixesOf returns the prefixes of networks in the configuration.
func prefixesOf(networks []config.Network) []netip.Prefix {
	all := make([]netip.Prefix, len(networks))
	for i, n := range networks {
		all[i] = n.Prefix
	}
	return all
}

// portOf returns the port of an address.
func portOf(address string) (uint16, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return 0, false
	}
	p, err := strconv.ParseUint(u.Port(), 10, 16)
	return uint16(p), err == nil
}

// newTimestamper tries the configured authorities in order.
func newTimestamper(conf config.Config, client *http.Client, trust *validate.Trust, clock func() time.Time) tsp.Timestamper {
	var all []tsp.Timestamper
	roots := x509.NewCertPool()
	for _, c := range trust.Roots(validate.ForTime) {
		roots.AddCert(c)
	}
	for _, address := range conf.TimestampURLs {
		all = append(all, &tsp.Client{URL: address, HTTP: client, Timeout: conf.TimestampTimeout, Roots: roots, Clock: clock, Tolerance: conf.ClockTolerance})
	}
	return tsp.NewFailover(clock, all...)
}

// readTrustedRoots trusts the embedded authority's root, if there is one, and those in a folder, if one is named. Signing and validation
// both use it, so they trust the same time-stamp authorities. It calls odd with the names of files that contain something other
// than certificates: national lists have such files, and trusting less is not a hazard.
func readTrustedRoots(own *x509.Certificate, folder string, odd func(name string)) (*validate.Trust, error) {
	t := &validate.Trust{}
	if own != nil {
		t.Add(validate.ForAll, validate.OriginOwn, own)
	}
	if folder == "" {
		return t, nil
	}
	switch info, err := os.Stat(folder); {
	case err != nil:
		return nil, fmt.Errorf("trusted roots: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("trusted roots: %s is not a folder", folder)
	}
	names, err := t.AddFolder(os.DirFS(folder))
	if err != nil {
		return nil, fmt.Errorf("trusted roots in %s: %w", folder, err)
	}
	for _, name := range names {
		odd(name)
	}
	return t, nil
}

// trustedAsOurs is the subfolder of SEGEL_TRUST_DIR for roots of other installations. Their policy OIDs have the same meaning
// as ours because the operator who put them there says so: an OID proves nothing by itself.
const trustedAsOurs = "segel/"

// declareIdentities tells validation what certificates say about their holders: those of the embedded authority's issuers and of
// their successors, which another process may create later and which state their policies; and those below roots of other
// installations that the operator put into that subfolder.
func declareIdentities(t *validate.Trust, issuers []authority.Issuer) {
	for _, i := range issuers {
		t.Declare(i.Certificate, assurancesOf(i)...)
	}
	for _, root := range t.Roots(validate.ForSigning) {
		if origin := t.Origin(root); origin == validate.OriginOwn || strings.HasPrefix(origin, trustedAsOurs) {
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
	case authority.GuestMailbox:
		i.Status, i.NamedBy, i.Verified = validate.IdentityUnverified, s.NamedBy, []string{"mailbox"}
		i.Statement = validate.NewReason("identity.guest_mailbox_code", "mailbox", s.Contact, "organisation", s.Organisation, "named_by", s.NamedBy)
	case authority.GuestPhone:
		i.Status, i.NamedBy, i.Verified = validate.IdentityUnverified, s.NamedBy, []string{"phone"}
		i.Statement = validate.NewReason("identity.guest_phone_code", "phone", s.Contact, "organisation", s.Organisation, "named_by", s.NamedBy)
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
