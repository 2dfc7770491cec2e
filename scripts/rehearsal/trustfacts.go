package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"segel/pades/validate/facts"
)

// trustFacts is what the conditions of explained.txt need to know of a file. It is computed from the certificates and lists in the file, and
// from no validator.
type trustFacts struct {
	signers map[string]signerFacts // by the field of each signature that a person or organisation made
	stamps  []stampFacts           // of the document timestamps, oldest first
}

// signerFacts is about the signer of a signature.
type signerFacts struct {
	issuers []time.Time // when the certificates between the signer's and the root expire
	root    *x509.Certificate
}

// stampFacts is about the authority of a document timestamp.
type stampFacts struct {
	expiry time.Time // of its certificate
	root   *x509.Certificate
	lists  []listFacts
}

// listFacts is about a revocation list of the issuer of an authority's certificate.
type listFacts struct{ issued, next time.Time }

// readTrustFacts reads a file that has the certificates of each path, the root too. It verifies only who issued which certificate and list.
func readTrustFacts(file []byte) (*trustFacts, error) {
	read, err := facts.Read(context.Background(), bytes.NewReader(file), int64(len(file)), facts.Options{SkipHidden: true})
	if err != nil {
		return nil, err
	}
	if read.DSS == nil {
		return nil, errors.New("it has no document security store")
	}
	var known []*x509.Certificate
	for _, item := range read.DSS.Certs {
		c, err := x509.ParseCertificate(item.DER)
		if err != nil {
			return nil, fmt.Errorf("certificate of the document security store: %w", err)
		}
		known = append(known, c)
	}
	for _, sig := range read.Signatures {
		known = append(known, sig.Certificates...)
	}
	var lists []*x509.RevocationList
	for _, item := range read.DSS.CRLs {
		l, err := x509.ParseRevocationList(item.DER)
		if err != nil {
			return nil, fmt.Errorf("revocation list of the document security store: %w", err)
		}
		lists = append(lists, l)
	}
	f := &trustFacts{signers: map[string]signerFacts{}}
	for _, sig := range read.Signatures {
		if sig.Signer == nil {
			return nil, fmt.Errorf("signature %s: the signer's certificate is missing", sig.Field)
		}
		path := findIssuers(sig.Signer, known)
		if len(path) == 0 || !isRoot(path[len(path)-1]) {
			return nil, fmt.Errorf("signature %s: an issuer of %s is missing", sig.Field, sig.Signer.Subject)
		}
		root := path[len(path)-1]
		if sig.Kind != facts.Timestamp {
			signer := signerFacts{root: root}
			for _, c := range path[:len(path)-1] {
				signer.issuers = append(signer.issuers, c.NotAfter)
			}
			f.signers[sig.Field] = signer
			continue
		}
		stamp := stampFacts{expiry: sig.Signer.NotAfter, root: root}
		for _, l := range lists {
			if l.CheckSignatureFrom(path[0]) == nil {
				stamp.lists = append(stamp.lists, listFacts{l.ThisUpdate, l.NextUpdate})
			}
		}
		f.stamps = append(f.stamps, stamp)
	}
	return f, nil
}

func isRoot(c *x509.Certificate) bool { return c.CheckSignatureFrom(c) == nil }

// findIssuers returns the issuers of a certificate as far as they are known, its own first, the root last.
func findIssuers(c *x509.Certificate, known []*x509.Certificate) (path []*x509.Certificate) {
	const longest = 8
	for !isRoot(c) && len(path) < longest {
		var issuer *x509.Certificate
		for _, k := range known {
			if c.CheckSignatureFrom(k) == nil {
				issuer = k
				break
			}
		}
		if issuer == nil {
			return path
		}
		path, c = append(path, issuer), issuer
	}
	return path
}

// hasExpiredIssuer reports whether a certificate between that of the signer of a field and the root has expired.
func (f *trustFacts) hasExpiredIssuer(field string, at time.Time) bool {
	for _, expiry := range f.signers[field].issuers {
		if at.After(expiry) {
			return true
		}
	}
	return false
}

// hasListAfterExpiry reports whether the certificate of a document timestamp's authority has expired, and the newest list of its issuer was
// current at a later time. It then holds for each signature of the file, as the chain of timestamps is the same for all.
func (f *trustFacts) hasListAfterExpiry(field string, at time.Time) bool {
	if _, known := f.signers[field]; !known {
		return false
	}
	for _, s := range f.stamps {
		var newest listFacts
		for _, l := range s.lists {
			if !l.issued.After(at) && l.issued.After(newest.issued) {
				newest = l
			}
		}
		if at.After(s.expiry) && newest.next.After(s.expiry) {
			return true
		}
	}
	return false
}
