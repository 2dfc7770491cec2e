package validate

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"segel/cms"
)

// Purpose is what a root is trusted for.
type Purpose uint8

// The purposes. A root may have both.
const (
	ForSigning Purpose = 1 << iota // certificates of people and organisations
	ForTime                        // certificates of time-stamp authorities
	ForStamps                      // certificates of the office that issues duty stamps
	ForAll     = ForSigning | ForTime
)

// OriginOwn marks the roots of the program's own authority. A duty stamp below one is a specimen, whatever it says.
const OriginOwn = "authority"

// Trust is the set of roots that chains have to end in. Its zero value trusts nobody. It is filled first and used
// afterwards; then it is safe for use by several goroutines at once.
type Trust struct {
	signing, time *x509.CertPool
	names         map[string]string              // SHA-256 of a root to where it came from
	bySubject     map[string][]*x509.Certificate // roots for either purpose
	stampIssuers  map[string]bool                // SHA-256 of certificates trusted for duty stamps
	declared      map[string][]Assurance         // by the SHA-256 of an issuer
	all           []trustAnchor                  // in the order in which they were added
	count         int
}

// trustAnchor is a certificate as it was added once.
type trustAnchor struct {
	*x509.Certificate
	purpose Purpose
}

// Add trusts a certificate. Origin says where it came from, for the report, such as "authority" or a file's name.
func (t *Trust) Add(purpose Purpose, origin string, roots ...*x509.Certificate) {
	if t.names == nil {
		t.names, t.stampIssuers, t.bySubject = map[string]string{}, map[string]bool{}, map[string][]*x509.Certificate{}
		t.signing, t.time = x509.NewCertPool(), x509.NewCertPool()
	}
	for _, c := range roots {
		if purpose&ForSigning != 0 {
			t.signing.AddCert(c)
		}
		if purpose&ForTime != 0 {
			t.time.AddCert(c)
		}
		t.all = append(t.all, trustAnchor{c, purpose})
		id := certificateFingerprint(c)
		if purpose&ForStamps != 0 {
			t.stampIssuers[id] = true
		}
		if _, known := t.names[id]; !known {
			t.names[id] = origin
			t.bySubject[string(c.RawSubject)] = append(t.bySubject[string(c.RawSubject)], c)
			t.count++
		}
	}
}

// Len returns the number of roots.
func (t *Trust) Len() int { return t.count }

// Roots returns the certificates that are trusted for one of these purposes at least. Whoever asks a time-stamp
// authority for a token holds its chain against the same roots as who judges the token later.
func (t *Trust) Roots(purpose Purpose) []*x509.Certificate {
	var list []*x509.Certificate
	for _, r := range t.all {
		if r.purpose&purpose != 0 {
			list = append(list, r.Certificate)
		}
	}
	return list
}

// Origin returns where a root came from, as Add was told first; empty for a certificate that is not a root.
func (t *Trust) Origin(c *x509.Certificate) string { return t.originOf(c) }

// originOf returns where a root came from.
func (t *Trust) originOf(c *x509.Certificate) string { return t.names[certificateFingerprint(c)] }

// hasRoot reports whether a certificate is a root, whatever for.
func (t *Trust) hasRoot(c *x509.Certificate) bool {
	return slices.ContainsFunc(t.findRoots(c.RawSubject), c.Equal)
}

// findRoots returns the roots of that name.
func (t *Trust) findRoots(subject []byte) []*x509.Certificate { return t.bySubject[string(subject)] }

// endsInOwnRoot reports whether a chain ends in a root of the program's own.
func (t *Trust) endsInOwnRoot(c chain) bool {
	return len(c) > 0 && t.originOf(c.trustAnchor()) == OriginOwn
}

// isStampIssuer reports whether a chain passes a certificate that is trusted for duty stamps.
func (t *Trust) isStampIssuer(c chain) bool {
	return slices.ContainsFunc(c, func(x *x509.Certificate) bool { return t.stampIssuers[certificateFingerprint(x)] })
}

// rootPool returns the roots for a purpose. It is never nil, which to crypto/x509 would mean the machine's own roots.
func (t *Trust) rootPool(purpose Purpose) *x509.CertPool {
	switch {
	case t.signing == nil:
		return x509.NewCertPool()
	case purpose == ForTime:
		return t.time
	}
	return t.signing
}

// Limits of a folder of roots. The lists of all states of Europe together hold some thousands.
const (
	maxTrustFile  = 32 << 20 // bytes
	maxTrustRoots = 50_000
	maxTrustDepth = 8
)

// trustFolders are subfolders whose roots are trusted for one purpose only.
var trustFolders = map[string]Purpose{"signing": ForSigning, "timestamping": ForTime, "stamping": ForAll | ForStamps}

// AddFolder trusts the certificates in a folder: files ending in .pem, .crt, .cer or .der, each one certificate in
// DER or any number in PEM. Those in the subfolder signing are trusted for signatures alone, those in timestamping
// for time alone, others for both, and those in stamping for duty stamps besides; deeper folders are like the one they are in. It returns the names of files that
// hold a certificate which cannot be read; the rest of them is trusted all the same, since trusting less is no
// danger and national lists hold odd ones. Errors: the folder cannot be read, or is out of all proportion.
func (t *Trust) AddFolder(folder fs.FS) (odd []string, err error) {
	err = fs.WalkDir(folder, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.Count(name, "/") > maxTrustDepth {
			return fmt.Errorf("folder of roots: %s is too deep", name)
		}
		switch strings.ToLower(path.Ext(name)) {
		case ".pem", ".crt", ".cer", ".der":
		default:
			return nil
		}
		if e.IsDir() {
			return nil
		}
		roots, whole, err := readRoots(folder, name)
		if err != nil {
			return err
		}
		if !whole {
			odd = append(odd, name)
		}
		purpose := ForAll
		if first, _, below := strings.Cut(name, "/"); below && trustFolders[first] != 0 {
			purpose = trustFolders[first]
		}
		t.Add(purpose, name, roots...)
		if t.count > maxTrustRoots {
			return fmt.Errorf("folder of roots: more than %d", maxTrustRoots)
		}
		return nil
	})
	return odd, err
}

// readRoots reads a file of certificates. Whole is false where one could not be read, or none was found.
func readRoots(folder fs.FS, name string) (roots []*x509.Certificate, whole bool, err error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, false, fmt.Errorf("open roots: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxTrustFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, false, fmt.Errorf("read roots in %s: %w", name, err)
	}
	if len(b) > maxTrustFile {
		return nil, false, fmt.Errorf("roots in %s are more than %d bytes", name, maxTrustFile)
	}
	whole = true
	take := func(der []byte) {
		c, err := cms.ParseCertificate(der)
		if err != nil || cms.CheckKey(c.PublicKey) != nil {
			whole = false
			return
		}
		roots = append(roots, c)
	}
	found := false
	for block, rest := pem.Decode(b); block != nil; block, rest = pem.Decode(rest) {
		if found = true; block.Type == "CERTIFICATE" {
			take(block.Bytes)
		}
	}
	if !found {
		take(b)
	}
	return roots, whole && len(roots) > 0, nil
}
