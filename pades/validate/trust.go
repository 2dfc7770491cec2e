package validate

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"segel/certpath"
	"segel/cms"
)

// Purpose is what a certificate is trusted for.
type Purpose uint8

// The purposes, which can be combined.
const (
	ForSigning Purpose = 1 << iota // certificates of people and organisations
	ForTime                        // certificates of time-stamp authorities
	// ForStamps marks issuers whose signatures the caller recognises as stamps. Validation does not use it.
	ForStamps
	ForAll = ForSigning | ForTime
)

// keyUsage is the extended key usage with which paths for a purpose are built.
func (p Purpose) keyUsage() x509.ExtKeyUsage {
	if p == ForTime {
		return x509.ExtKeyUsageTimeStamping
	}
	return x509.ExtKeyUsageAny
}

// OriginOwn is the origin of the trust anchors of the program's own authority.
const OriginOwn = "authority"

// Trust is the set of trust anchors. Its zero value trusts none. Fill it before use; then several goroutines may use it
// at once.
type Trust struct {
	anchors  certpath.Anchors
	names    map[string]string      // origin by the SHA-256 of a trust anchor
	purposes map[string]Purpose     // by SHA-256
	declared map[string][]Assurance // by the SHA-256 of an issuer
	all      []trustAnchor          // in the order of adding
}

// trustAnchor is a certificate as it was added.
type trustAnchor struct {
	*x509.Certificate
	purpose Purpose
}

// Add trusts certificates. Origin says in the report where they came from, such as "authority" or a file's name.
func (t *Trust) Add(purpose Purpose, origin string, roots ...*x509.Certificate) {
	if t.names == nil {
		t.names, t.purposes = map[string]string{}, map[string]Purpose{}
	}
	for _, c := range roots {
		var usages []x509.ExtKeyUsage
		for _, p := range []Purpose{ForSigning, ForTime} {
			if purpose&p != 0 {
				usages = append(usages, p.keyUsage())
			}
		}
		t.anchors.Add(c, usages...)
		t.all = append(t.all, trustAnchor{c, purpose})
		id := certificateFingerprint(c)
		t.purposes[id] |= purpose
		if _, known := t.names[id]; !known {
			t.names[id] = origin
		}
	}
}

// Len returns the number of trust anchors.
func (t *Trust) Len() int { return t.anchors.Len() }

// Roots returns the certificates trusted for at least one of the purposes. A timestamp token is accepted from an
// authority with the same roots with which it is validated later.
func (t *Trust) Roots(purpose Purpose) []*x509.Certificate {
	var list []*x509.Certificate
	for _, r := range t.all {
		if r.purpose&purpose != 0 {
			list = append(list, r.Certificate)
		}
	}
	return list
}

// Origin returns the origin of a trust anchor as first added; empty for other certificates.
func (t *Trust) Origin(c *x509.Certificate) string { return t.names[certificateFingerprint(c)] }

// Limits for a folder of roots. The trusted lists of all European states hold some thousands.
const (
	maxTrustFile  = 32 << 20 // bytes
	maxTrustRoots = 50_000
	maxTrustDepth = 8
)

// trustFolders are the subfolders with their purposes.
var trustFolders = map[string]Purpose{"signing": ForSigning, "timestamping": ForTime, "stamping": ForAll | ForStamps}

// AddFolder trusts the certificates in a folder: files ending in .pem, .crt, .cer or .der, each with one certificate in
// DER or any number in PEM. Those in the subfolder signing are trusted only for signatures, those in timestamping only
// for time, those in stamping also for stamps, others for both; deeper folders inherit this. Odd are the names of files
// with an unreadable certificate; their other certificates are trusted, since trusting fewer is safe and national lists
// contain malformed ones. Errors: the folder cannot be read, or exceeds the limits.
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
		if t.Len() > maxTrustRoots {
			return fmt.Errorf("folder of roots: more than %d", maxTrustRoots)
		}
		return nil
	})
	return odd, err
}

// readRoots reads a file of certificates. Whole is false if one could not be read, or there is none.
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
