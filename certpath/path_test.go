package certpath

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	rnd "math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"segel/der"
)

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// date is noon of a day; all that happens in these tests has a date.
func date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC)
}

// holder has a key and a certificate, and may be an authority.
type holder struct {
	key  crypto.Signer
	cert *x509.Certificate
}

// with changes the template of a certificate.
type with func(*x509.Certificate)

func valid(from, to time.Time) with {
	return func(c *x509.Certificate) { c.NotBefore, c.NotAfter = from, to }
}

func certificate(t testing.TB, issuer *holder, cn string, changes ...with) *holder {
	t.Helper()
	return keyed(t, issuer, cn, must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), changes...)
}

func keyed(t testing.TB, issuer *holder, cn string, key crypto.Signer, changes ...with) *holder {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: must[*big.Int](t)(rand.Int(rand.Reader, big.NewInt(1<<62))), Subject: pkix.Name{CommonName: cn},
		NotBefore: date(2020, 1, 1), NotAfter: date(2050, 1, 1),
	}
	for _, c := range changes {
		c(template)
	}
	parent, signer := template, key
	if issuer != nil {
		parent, signer = issuer.cert, issuer.key
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer))
	return &holder{key, must[*x509.Certificate](t)(x509.ParseCertificate(der))}
}

func ca(c *x509.Certificate) {
	c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign
}

func person(c *x509.Certificate) {
	c.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment
}

// tangle is a heap of certificates that certify one another in every way, sound or not: names and keys are few, so
// that some names have several keys, and conditions are thrown in at random, one in so many. The first are the roots'.
func tangle(t *testing.T, r *rnd.Rand, conditions int) []*x509.Certificate {
	t.Helper()
	type party struct {
		name string
		key  crypto.Signer
	}
	var parties []party
	for _, name := range []string{"Root", "A", "B", "C"} {
		for range 2 {
			parties = append(parties, party{name, must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))})
		}
	}
	one := func(n int) bool { return r.IntN(n) == 0 }
	var all []*x509.Certificate
	for n := range 40 {
		subject, issuer := parties[r.IntN(len(parties))], parties[r.IntN(len(parties))]
		switch {
		case n < 3:
			subject = parties[n%2]
			issuer = subject
		case n > 15:
			subject.name = "somebody"
		}
		from := date(2020+r.IntN(3), 1, 1)
		c := &x509.Certificate{
			SerialNumber: big.NewInt(int64(n%7) + 1), // several have the same serial
			Subject:      pkix.Name{CommonName: subject.name},
			NotBefore:    from, NotAfter: from.AddDate(3+r.IntN(6), 0, 0),
			BasicConstraintsValid: !one(2 * conditions), IsCA: true, MaxPathLen: -1, DNSNames: []string{strings.ToLower(subject.name) + ".test"},
		}
		c.IsCA = c.BasicConstraintsValid && !one(2*conditions)
		if c.IsCA && one(conditions) {
			c.MaxPathLen, c.MaxPathLenZero = r.IntN(2), true
		}
		if c.IsCA && one(2*conditions) {
			c.PermittedDNSDomainsCritical, c.PermittedDNSDomains = true, []string{"a.test", "b.test"}
		}
		if one(2 * conditions) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping}
		}
		if one(3 * conditions) {
			c.ExtraExtensions = []pkix.Extension{{Id: oidPolicyConstraints, Critical: true, Value: []byte{0x30, 3, 0x80, 1, 0}}}
		}
		der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, c, &x509.Certificate{Subject: pkix.Name{CommonName: issuer.name}, PublicKey: issuer.key.Public()}, subject.key.Public(), issuer.key))
		all = append(all, must[*x509.Certificate](t)(x509.ParseCertificate(der)))
	}
	return all
}

func toPaths(plain [][]*x509.Certificate) (list []Path) {
	for _, p := range plain {
		list = append(list, p)
	}
	return list
}

// without returns the paths of which others have no equal.
func without(paths, others []Path) []Path {
	return slices.DeleteFunc(slices.Clone(paths), func(c Path) bool {
		return slices.ContainsFunc(others, func(o Path) bool { return slices.EqualFunc(c, o, (*x509.Certificate).Equal) })
	})
}

// A chain that is put together of what was asked before has to be one that crypto/x509 finds, and none may be missing.
func TestChainsAreThoseThatTheStandardLibraryFindsByItself(t *testing.T) {
	t.Parallel()
	var found, composed atomic.Int64
	t.Run("heaps", func(t *testing.T) {
		for seed := range uint64(8) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				f, c := heldAgainstLibrary(t, rnd.New(rnd.NewPCG(seed, 1)), 4+int(seed%4)*20)
				found.Add(int64(f))
				composed.Add(int64(c))
			})
		}
	})
	if found.Load() < 200 || composed.Load() < 50 {
		t.Errorf("%d chains found, %d composed: the heaps are too loose to tell anything", found.Load(), composed.Load())
	}
}

// heldAgainstLibrary looks for chains among so many certificates, and tells how many were found and how many of those
// put together.
func heldAgainstLibrary(t *testing.T, r *rnd.Rand, certificates int) (found, composed int) {
	all := tangle(t, r, certificates)
	var anchors Anchors
	var b *Builder
	for query := range 500 {
		if query%25 == 0 { // another file with some of the certificates: what is remembered of the former ones may not hold
			anchors = Anchors{}
			for range 3 {
				usages := [][]x509.ExtKeyUsage{{x509.ExtKeyUsageAny, x509.ExtKeyUsageTimeStamping}, {x509.ExtKeyUsageAny}, {x509.ExtKeyUsageTimeStamping}}[r.IntN(3)]
				anchors.Add(all[r.IntN(4)], usages...)
			}
			b = NewBuilder(&anchors, Limits{Checks: 1000})
			for _, x := range all {
				if query == 0 || r.IntN(4) > 0 {
					b.Add(x)
				}
			}
		}
		c, usage := all[r.IntN(len(all))], []x509.ExtKeyUsage{x509.ExtKeyUsageAny, x509.ExtKeyUsageTimeStamping}[r.IntN(2)]
		at := date(2020+r.IntN(8), 1, 1).Add(time.Duration(r.IntN(3)-1) * time.Second)
		plain, wantErr := c.Verify(x509.VerifyOptions{Roots: anchors.pool(usage), Intermediates: b.intermediates, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage}})
		want := toPaths(plain)
		b.Checks = 0 // what it may cost is another test's
		got, err := b.FindPaths(c, usage, at)
		if len(want) > maxPaths { // of which the shortest are kept
			continue
		}
		if missing := without(want, got); len(missing) > 0 || wantErr == nil && err != nil {
			t.Fatalf("%s at %s: %v; missing %v", c.Subject, at, err, missing)
		}
		// It gives up a search after a hundred signatures; alone, it has to find what it did not get to.
		for _, extra := range without(got, want) {
			between := x509.NewCertPool()
			for _, x := range extra[1:] {
				between.AddCert(x)
			}
			o := x509.VerifyOptions{Roots: anchors.pool(usage), Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage}}
			plain, err := c.Verify(o)
			if err != nil || len(without([]Path{extra}, toPaths(plain))) > 0 {
				t.Fatalf("%s at %s: %v does not chain: %v", c.Subject, at, extra, err)
			}
		}
		if _, ok := b.extendIssuerPaths(c, usage, at); ok {
			composed++
		}
		found += len(got)
	}
	return found, composed
}

func TestConditionOfAnyCertificateAboveHoldsForTheWholeChain(t *testing.T) {
	t.Parallel()
	policies := func(value ...byte) with {
		return func(c *x509.Certificate) {
			c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: oidPolicyConstraints, Critical: true, Value: value})
		}
	}
	for name, c := range map[string]struct {
		top, upper, lower, leaf with
		sound                   bool
	}{
		"none":                        {sound: true},
		"path of one below the upper": {upper: func(c *x509.Certificate) { c.MaxPathLen = 1 }, sound: true},
		"no path below the upper":     {upper: func(c *x509.Certificate) { c.MaxPathLenZero = true }},
		"path of one below the root":  {top: func(c *x509.Certificate) { c.MaxPathLen = 1 }},
		"no path below the lower":     {lower: func(c *x509.Certificate) { c.MaxPathLenZero = true }, sound: true},
		"other names below the upper": {upper: func(c *x509.Certificate) { c.PermittedDNSDomains = []string{"a.test"} }},
		"names below the lower":       {lower: func(c *x509.Certificate) { c.PermittedDNSDomains = []string{"test"} }, sound: true},
		"policies below the upper":    {upper: policies(0x30, 3, 0x80, 1, 0)},
		"policies below the lower":    {lower: policies(0x30, 3, 0x80, 1, 0)},
		"lower is nobody's issuer":    {lower: func(c *x509.Certificate) { c.IsCA = false }},
		"signer bears the upper name": {leaf: func(c *x509.Certificate) { c.Subject.CommonName = "Upper" }, sound: true},
		"lower ended":                 {lower: valid(date(2020, 1, 1), date(2025, 1, 1))},
		"upper ended":                 {upper: valid(date(2020, 1, 1), date(2025, 1, 1))},
	} {
		or := func(w with) with {
			if w == nil {
				return func(*x509.Certificate) {}
			}
			return w
		}
		root := certificate(t, nil, "Top", ca, or(c.top))
		upper := certificate(t, root, "Upper", ca, or(c.upper))
		lower := certificate(t, upper, "Lower", ca, or(c.lower))
		named := func(c *x509.Certificate) { c.DNSNames = []string{"b.test"} }
		leaf := certificate(t, lower, "Somebody", person, named, or(c.leaf))
		var anchors Anchors
		anchors.Add(root.cert, x509.ExtKeyUsageAny, x509.ExtKeyUsageTimeStamping)
		b := NewBuilder(&anchors, Limits{})
		b.Add(upper.cert, lower.cert)
		chains, err := b.FindPaths(leaf.cert, x509.ExtKeyUsageAny, date(2026, 1, 1))
		_, plain := leaf.cert.Verify(x509.VerifyOptions{
			Roots: anchors.pool(x509.ExtKeyUsageAny), Intermediates: b.intermediates, CurrentTime: date(2026, 1, 1), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
		})
		if (err == nil) != c.sound || (plain == nil) != c.sound || c.sound && (len(chains) != 1 || len(chains[0]) != 4) {
			t.Errorf("%s: %d chains, %v; the library says %v", name, len(chains), err, plain)
		}
	}
}

func TestDirectoryNamesBelowAnIssuerAreThoseThatItMayCertify(t *testing.T) {
	t.Parallel()
	subtree := func(o pkix.RDNSequence) []byte {
		return der.EncodeElement(der.TagSequence, der.EncodeElement(der.TagContext|4, must[[]byte](t)(asn1.Marshal(o))))
	}
	organisation := func(name string) pkix.RDNSequence { return pkix.Name{Organization: []string{name}}.ToRDNSequence() }
	constrained := func(isCritical bool, parts ...[]byte) with {
		return func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{{Id: oidNameConstraints, Critical: isCritical, Value: der.EncodeElement(der.TagSequence, parts...)}}
		}
	}
	permitted := func(o pkix.RDNSequence) []byte { return der.EncodeElement(der.TagContext, subtree(o)) }
	excluded := func(o pkix.RDNSequence) []byte { return der.EncodeElement(der.TagContext|1, subtree(o)) }
	of := func(organisation string) with {
		return func(c *x509.Certificate) { c.Subject.Organization = []string{organisation} }
	}
	aliased := func(c *x509.Certificate) {
		name := der.EncodeElement(der.TagContext|4, must[[]byte](t)(asn1.Marshal(organisation("Beta"))))
		c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: der.EncodeElement(der.TagSequence, name)}}
	}
	for name, c := range map[string]struct {
		issuer, lower, leaf with
		sound               bool
	}{
		"permitted":                      {constrained(false, permitted(organisation("Alfa"))), of("Alfa"), of("Alfa"), true},
		"permitted in other case":        {constrained(false, permitted(organisation("alfa "))), of("Alfa"), of("ALFA"), true},
		"another":                        {constrained(false, permitted(organisation("Alfa"))), of("Alfa"), of("Beta"), false},
		"another of the issuer below":    {constrained(false, permitted(organisation("Alfa"))), of("Beta"), of("Alfa"), false},
		"none":                           {constrained(false, permitted(organisation("Alfa"))), of("Alfa"), func(*x509.Certificate) {}, false},
		"all":                            {constrained(false, permitted(pkix.RDNSequence{})), of("Alfa"), of("Beta"), true},
		"excluded":                       {constrained(false, excluded(organisation("Beta"))), of("Alfa"), of("Beta"), false},
		"not excluded":                   {constrained(false, excluded(organisation("Beta"))), of("Alfa"), of("Alfa"), true},
		"another as an alternative name": {constrained(false, permitted(organisation("Alfa"))), of("Alfa"), func(c *x509.Certificate) { of("Alfa")(c); aliased(c) }, false},
		"critical":                       {constrained(true, permitted(organisation("Alfa"))), of("Alfa"), of("Alfa"), false}, // crypto/x509 does not know them
	} {
		root := certificate(t, nil, "Top", ca)
		issuer := certificate(t, root, "Upper", ca, c.issuer)
		lower := certificate(t, issuer, "Lower", ca, c.lower)
		leaf := certificate(t, lower, "Somebody", person, c.leaf)
		var anchors Anchors
		anchors.Add(root.cert, x509.ExtKeyUsageAny)
		for range 2 { // the second time from what is remembered
			b := NewBuilder(&anchors, Limits{})
			b.Add(issuer.cert, lower.cert)
			if paths, err := b.FindPaths(leaf.cert, x509.ExtKeyUsageAny, date(2026, 1, 1)); (err == nil) != c.sound || (len(paths) == 1) != c.sound {
				t.Errorf("%s: %d paths, %v", name, len(paths), err)
			}
		}
	}
}

// newTestAnchors returns the anchors of a root, its issuing CA, and a time-stamp authority with its own root.
func newTestAnchors(t *testing.T) (anchors *Anchors, issuing, tsa *holder) {
	t.Helper()
	root, timeRoot := certificate(t, nil, "Root", ca), certificate(t, nil, "Time Root", ca)
	issuing = certificate(t, root, "Issuing", ca)
	tsa = certificate(t, timeRoot, "Clock", func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping} })
	anchors = &Anchors{}
	for _, r := range []*holder{root, timeRoot} {
		anchors.Add(r.cert, x509.ExtKeyUsageAny, x509.ExtKeyUsageTimeStamping)
	}
	return anchors, issuing, tsa
}

func TestManyIssuersOfOneNameCostNoMoreThanOneSearch(t *testing.T) {
	t.Parallel()
	anchors, issuing, _ := newTestAnchors(t)
	b := NewBuilder(anchors, Limits{})
	for range 40 {
		b.Add(certificate(t, nil, "Issuing", ca).cert)
	}
	b.Add(issuing.cert)
	budi := certificate(t, issuing, "Budi", person)
	if _, err := b.FindPaths(budi.cert, x509.ExtKeyUsageAny, date(2025, 1, 1)); err != nil {
		t.Fatal(err)
	}
	if b.Checks > maxChecksPerPath {
		t.Errorf("%d signatures of certificates were checked", b.Checks)
	}
}

func TestCertificatesAboveManySignersAreCheckedOnce(t *testing.T) {
	t.Parallel()
	anchors, issuing, tsa := newTestAnchors(t)
	b := NewBuilder(anchors, Limits{})
	b.Add(issuing.cert, tsa.cert)
	for n := range 50 {
		other := certificate(t, issuing, "Somebody", person)
		for hour := range 3 { // the same signer at other times, and a timestamp of each
			at := date(2026, 1, 1).Add(time.Duration(3*n+hour) * time.Hour)
			for usage, c := range map[x509.ExtKeyUsage]*x509.Certificate{x509.ExtKeyUsageAny: other.cert, x509.ExtKeyUsageTimeStamping: tsa.cert} {
				if _, err := b.FindPaths(c, usage, at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if b.Checks > 50+5 {
		t.Errorf("%d signatures of certificates were checked for 50 signers, an issuer and a clock", b.Checks)
	}
}

// issuerMap is an IssuerSource that knows issuers by the name of the subject, and counts the queries.
type issuerMap struct {
	issuers map[string]*x509.Certificate
	queries int
}

func (m *issuerMap) Issuer(_ context.Context, c *x509.Certificate) (*x509.Certificate, error) {
	m.queries++
	if i := m.issuers[c.Subject.CommonName]; i != nil {
		return i, nil
	}
	return nil, errors.New("unknown")
}

func withAddress(c *x509.Certificate) { c.IssuingCertificateURL = []string{"http://ca.test/issuer"} }

func TestPathFollowsSignaturesAsFarAsIssuersAreKnown(t *testing.T) {
	t.Parallel()
	root := certificate(t, nil, "Root", ca)
	upper := certificate(t, root, "Upper", ca, withAddress)
	leaf := certificate(t, upper, "Leaf", person, withAddress)
	namesake := certificate(t, nil, "Upper", ca)
	for name, c := range map[string]struct {
		candidates []*holder
		source     IssuerSource
		want       []*holder
	}{
		"whole":                {[]*holder{root, upper}, nil, []*holder{leaf, upper, root}},
		"past a namesake":      {[]*holder{namesake, root, upper}, nil, []*holder{leaf, upper, root}},
		"namesake alone":       {[]*holder{namesake, root}, nil, []*holder{leaf}},
		"without the root":     {[]*holder{upper}, nil, []*holder{leaf, upper}},
		"with a fetched one":   {[]*holder{root}, &issuerMap{issuers: map[string]*x509.Certificate{"Leaf": upper.cert}}, []*holder{leaf, upper, root}},
		"source knows nothing": {[]*holder{root}, &issuerMap{}, []*holder{leaf}},
	} {
		b := NewBuilder(&Anchors{}, Limits{})
		for _, h := range c.candidates {
			b.Add(h.cert)
		}
		for range 2 { // the second time, everything is known
			got := b.BuildPath(t.Context(), leaf.cert, c.source)
			if !slices.EqualFunc(got, c.want, func(x *x509.Certificate, h *holder) bool { return x.Equal(h.cert) }) {
				t.Errorf("%s: %d certificates", name, len(got))
			}
		}
		if m, ok := c.source.(*issuerMap); ok && m.queries != 1 {
			t.Errorf("%s: %d queries", name, m.queries)
		}
	}
}

func TestFetchedIssuerIsFoundAgainBesideManyOfItsName(t *testing.T) {
	t.Parallel()
	root := certificate(t, nil, "Root", ca)
	upper := certificate(t, root, "Upper", ca)
	leaf := certificate(t, upper, "Leaf", person, withAddress)
	source := &issuerMap{issuers: map[string]*x509.Certificate{"Leaf": upper.cert}}
	b := NewBuilder(&Anchors{}, Limits{})
	b.Add(root.cert)
	for range maxIssuerCandidates {
		b.Add(certificate(t, nil, "Upper", ca).cert)
	}
	for _, from := range []IssuerSource{source, source, nil} {
		got := b.BuildPath(t.Context(), leaf.cert, from)
		if len(got) != 3 || !got[1].Equal(upper.cert) || source.queries != 1 {
			t.Errorf("%d certificates, %d queries", len(got), source.queries)
		}
	}
	// A responder of that issuer may have no address of it.
	if got := b.BuildPath(t.Context(), certificate(t, upper, "Responder").cert, source); len(got) != 3 || source.queries != 1 {
		t.Errorf("another certificate of the issuer: %d certificates, %d queries", len(got), source.queries)
	}
}

func TestFetchedIssuerDoesNotRepeatACertificateOfThePath(t *testing.T) {
	t.Parallel()
	a, c := certificate(t, nil, "A", ca), certificate(t, nil, "C", ca)
	upper := keyed(t, a, "C", c.key, ca, withAddress)
	lower := keyed(t, c, "A", a.key, ca, withAddress)
	source := &issuerMap{issuers: map[string]*x509.Certificate{"Leaf": lower.cert, "A": upper.cert, "C": lower.cert}}
	leaf := certificate(t, a, "Leaf", person, withAddress)
	b := NewBuilder(&Anchors{}, Limits{})
	for range 2 {
		if got := b.BuildPath(t.Context(), leaf.cert, source); len(got) != 3 {
			t.Errorf("%d certificates", len(got))
		}
	}
}

func TestIssuersThatSignEachOtherMakeAPathThatEnds(t *testing.T) {
	t.Parallel()
	a, c := certificate(t, nil, "A", ca), certificate(t, nil, "C", ca)
	cross := func(subject, issuer *holder) *x509.Certificate {
		return keyed(t, issuer, subject.cert.Subject.CommonName, subject.key, ca).cert
	}
	b := NewBuilder(&Anchors{}, Limits{})
	b.Add(cross(a, c), cross(c, a))
	leaf := certificate(t, a, "Leaf", person)
	if got := b.BuildPath(t.Context(), leaf.cert, nil); len(got) != 3 {
		t.Errorf("%d certificates", len(got))
	}
}

func TestSignatureBetweenTwoCertificatesIsVerifiedOnceAndWithinTheLimit(t *testing.T) {
	t.Parallel()
	root := certificate(t, nil, "Root", ca)
	leaf, other := certificate(t, root, "Leaf", person), certificate(t, root, "Other", person)
	b := NewBuilder(&Anchors{}, Limits{Checks: 1})
	again, err := x509.ParseCertificate(leaf.cert.Raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*x509.Certificate{leaf.cert, leaf.cert, again} {
		if !b.IsSignedBy(c, root.cert) || b.Checks != 1 {
			t.Errorf("%d verified", b.Checks)
		}
	}
	if b.IsSignedBy(other.cert, root.cert) || !b.IsSignedBy(leaf.cert, root.cert) {
		t.Error("the limit does not hold for new signatures alone")
	}
}

func TestSignatureOfARootIsVerifiedOnlyBesideOthersOfItsName(t *testing.T) {
	t.Parallel()
	root := certificate(t, nil, "Root", ca)
	leaf := certificate(t, root, "Sari", person)
	for _, c := range []struct {
		name   string
		others []*x509.Certificate
		checks int
	}{
		{"alone", nil, 1},
		{"beside another of its name", []*x509.Certificate{certificate(t, nil, "Root", ca).cert}, 3}, // the other one did not sign the leaf
	} {
		b := NewBuilder(&Anchors{}, Limits{})
		b.Add(c.others...)
		b.Add(root.cert)
		path := b.BuildPath(t.Context(), leaf.cert, nil)
		if len(path) != 2 || !path[1].Equal(root.cert) || b.Checks != c.checks {
			t.Errorf("%s: a path of %d, %d signatures verified", c.name, len(path), b.Checks)
		}
	}
}

func TestCandidatesAreLimited(t *testing.T) {
	t.Parallel()
	one, two := certificate(t, nil, "One", ca), certificate(t, nil, "Two", ca)
	b := NewBuilder(&Anchors{}, Limits{Candidates: 1})
	b.Add(one.cert, one.cert)
	if b.Truncated {
		t.Error("a certificate was counted twice")
	}
	b.Add(two.cert)
	if !b.Truncated || len(b.Candidates(two.cert)) != 0 || len(b.Candidates(one.cert)) != 1 {
		t.Error("more candidates than the limit")
	}
}

func TestIssuersAreFetchedUpToALimit(t *testing.T) {
	t.Parallel()
	root := certificate(t, nil, "Root", ca)
	leaf, other := certificate(t, root, "Leaf", person), certificate(t, root, "Other", person)
	source := &issuerMap{issuers: map[string]*x509.Certificate{"Leaf": root.cert, "Other": root.cert}}
	b := NewBuilder(&Anchors{}, Limits{Fetches: 1})
	if b.FetchIssuer(t.Context(), leaf.cert, source) == nil || b.FetchIssuer(t.Context(), leaf.cert, source) != nil || b.FetchIssuer(t.Context(), other.cert, source) != nil {
		t.Error("not exactly the first query was made")
	}
	if source.queries != 1 || !b.IsFetched(root.cert) || b.IsFetched(leaf.cert) {
		t.Errorf("%d queries", source.queries)
	}
}

func TestWhatIsRememberedOfOneFileHoldsOnlyForTheSameCertificatesAndTimes(t *testing.T) {
	t.Parallel()
	root := certificate(t, nil, "Root", ca)
	issuing := certificate(t, root, "Issuing", ca, valid(date(2020, 1, 1), date(2030, 1, 1)))
	leaf := certificate(t, issuing, "Person", person)
	find := func(anchor *x509.Certificate, anchorFor, usage x509.ExtKeyUsage, at time.Time, candidates ...*x509.Certificate) ([]Path, int) {
		var anchors Anchors
		if anchor != nil {
			anchors.Add(anchor, anchorFor)
		}
		b := NewBuilder(&anchors, Limits{})
		b.Add(candidates...)
		paths, _ := b.FindPaths(leaf.cert, usage, at)
		return paths, b.Checks
	}
	const anyUsage, stamping = x509.ExtKeyUsageAny, x509.ExtKeyUsageTimeStamping
	at := date(2026, 1, 1)
	first, cost := find(root.cert, anyUsage, anyUsage, at, issuing.cert)
	if len(first) != 1 || len(first[0]) != 3 {
		t.Fatalf("paths %v", first)
	}
	again := must[*x509.Certificate](t)(x509.ParseCertificate(issuing.cert.Raw))
	second, costAgain := find(root.cert, anyUsage, anyUsage, at, again)
	if len(second) != 1 || len(second[0]) != 3 || second[0][1] != again || costAgain != cost {
		t.Errorf("remembered: %v at a cost of %d, not %d", second, costAgain, cost)
	}
	other := certificate(t, nil, "Root", ca)
	for name, paths := range map[string][]Path{
		"without an anchor":             pathsOf(find(nil, anyUsage, anyUsage, at, issuing.cert, root.cert)),
		"another root of that name":     pathsOf(find(other.cert, anyUsage, anyUsage, at, issuing.cert)),
		"an anchor for time-stamping":   pathsOf(find(root.cert, stamping, anyUsage, at, issuing.cert)),
		"after the issuer expired":      pathsOf(find(root.cert, anyUsage, anyUsage, date(2031, 1, 1), issuing.cert)),
		"before the issuer was valid":   pathsOf(find(root.cert, anyUsage, anyUsage, date(2019, 1, 1), issuing.cert)),
		"without the issuing authority": pathsOf(find(root.cert, anyUsage, anyUsage, at)),
	} {
		if len(paths) != 0 {
			t.Errorf("%s: %v", name, paths)
		}
	}
}

func pathsOf(paths []Path, _ int) []Path { return paths }
