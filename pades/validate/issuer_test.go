package validate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	rnd "math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

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
			SerialNumber: big.NewInt(int64(n%7) + 1), // the same serial stands in several
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

func chainsOf(plain [][]*x509.Certificate) (list []chain) {
	for _, p := range plain {
		list = append(list, p)
	}
	return list
}

// without returns the chains of which others have no equal.
func without(chains, others []chain) []chain {
	return slices.DeleteFunc(slices.Clone(chains), func(c chain) bool {
		return slices.ContainsFunc(others, func(o chain) bool { return slices.EqualFunc(c, o, (*x509.Certificate).Equal) })
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
	var trust Trust
	for range 3 {
		trust.Add([]Purpose{ForAll, ForSigning, ForTime}[r.IntN(3)], "root", all[r.IntN(4)])
	}
	v := newValidation(Options{Trust: &trust})
	v.certificates.addCertificates(all...)
	for range 250 {
		c, purpose := all[r.IntN(len(all))], []Purpose{ForSigning, ForTime}[r.IntN(2)]
		at := date(2020+r.IntN(8), 1, 1).Add(time.Duration(r.IntN(3)-1) * time.Second)
		usage := x509.ExtKeyUsageAny
		if purpose == ForTime {
			usage = x509.ExtKeyUsageTimeStamping
		}
		plain, wantErr := c.Verify(x509.VerifyOptions{Roots: trust.rootPool(purpose), Intermediates: v.certificates.x509, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage}})
		want := chainsOf(plain)
		v.chainChecks = 0 // what it may cost is another test's
		got, err := v.findChains(c, purpose, at)
		if len(want) > maxChains { // of which the shortest are kept
			continue
		}
		if missing := without(want, got); len(missing) > 0 || wantErr == nil && err != nil {
			t.Fatalf("%s at %s: %v; missing %v", certificateFingerprint(c)[:8], at, err, missing)
		}
		// It gives up a search after a hundred signatures; alone, it has to find what it did not get to.
		for _, extra := range without(got, want) {
			between := x509.NewCertPool()
			for _, x := range extra[1:] {
				between.AddCert(x)
			}
			o := x509.VerifyOptions{Roots: trust.rootPool(purpose), Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage}}
			plain, err := c.Verify(o)
			if err != nil || len(without([]chain{extra}, chainsOf(plain))) > 0 {
				t.Fatalf("%s at %s: %v is no chain: %v", certificateFingerprint(c)[:8], at, extra, err)
			}
		}
		if _, ok := v.chainsThroughIssuers(c, purpose, at); ok {
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
		var trust Trust
		trust.Add(ForAll, "root", root.cert)
		v := newValidation(Options{Trust: &trust})
		v.certificates.addCertificates(upper.cert, lower.cert)
		chains, err := v.findChains(leaf.cert, ForSigning, date(2026, 1, 1))
		_, plain := leaf.cert.Verify(x509.VerifyOptions{
			Roots: trust.rootPool(ForSigning), Intermediates: v.certificates.x509, CurrentTime: date(2026, 1, 1), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
		})
		if (err == nil) != c.sound || (plain == nil) != c.sound || c.sound && (len(chains) != 1 || len(chains[0]) != 4) {
			t.Errorf("%s: %d chains, %v; the library says %v", name, len(chains), err, plain)
		}
	}
}

func TestManyIssuersOfOneNameCostNoMoreThanOneSearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := newValidation(Options{Trust: w.trust})
	for range 40 {
		v.certificates.addCertificates(certificate(t, nil, "Issuing", ca).cert)
	}
	v.certificates.addCertificates(w.issuing.cert)
	if _, err := v.findChains(w.budi.cert, ForSigning, date(2025, 1, 1)); err != nil {
		t.Fatal(err)
	}
	if v.chainChecks > maxChecksPerChain {
		t.Errorf("%d signatures of certificates were checked", v.chainChecks)
	}
}

func TestCertificatesAboveManySignersAreCheckedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var trust Trust
	trust.Add(ForAll, "root", w.root.cert, w.timeRoot.cert)
	v := newValidation(Options{Trust: &trust})
	v.certificates.addCertificates(w.issuing.cert, w.tsa.cert)
	for n := range 50 {
		somebody := certificate(t, w.issuing, "Somebody", person)
		for hour := range 3 { // the same signer at other times, and a timestamp of each
			at := date(2026, 1, 1).Add(time.Duration(3*n+hour) * time.Hour)
			for purpose, c := range map[Purpose]*x509.Certificate{ForSigning: somebody.cert, ForTime: w.tsa.cert} {
				if _, err := v.findChains(c, purpose, at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if v.chainChecks > 50+5 {
		t.Errorf("%d signatures of certificates were checked for 50 signers, an issuer and a clock", v.chainChecks)
	}
}
