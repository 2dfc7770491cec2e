package pades

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/certpath"
	"segel/cms"
	"segel/pdf"
	"segel/revocation"
	"segel/tsp"
)

// validationData is the validation data of one signature, as DER.
type validationData struct{ certificates, ocsps, crls [][]byte }

// dataCollector collects validation data. It queries each certificate at most once. The file may come from an attacker,
// so verifications and queries are limited for signatures that are not required.
type dataCollector struct {
	o           ValidationOptions
	paths       *certpath.Builder // the caller's certificates come first, then those of required signatures
	roots       certpath.Anchors  // of signatures that are not required
	revocations revocation.Store
	queriesLeft int // for signatures that are not required
}

const (
	// maxChecks limits the verifications for signatures that are not required. One costs at most some milliseconds,
	// with the largest key that package cms accepts.
	maxChecks = 2000
	// parsingChecks is how many verifications the parsing of one such signature counts as.
	parsingChecks = 4
	// maxQueries limits the certificates of such signatures for which the source is queried, perhaps over the network.
	maxQueries = 40
	// maxConcurrentQueries limits the queries of one signature that run at a time.
	maxConcurrentQueries = 8
	// maxResponderDepth limits the responders that have responders.
	maxResponderDepth = 10
)

// collectValidationData returns the validation data of each signature, and of the authority of the next timestamp. What is required comes first, so
// that the rest cannot use up its time.
func collectValidationData(ctx context.Context, o ValidationOptions, s *securityStore, signatures []*pdf.Signature) (data []validationData, following validationData, err error) {
	g := &dataCollector{o: o, queriesLeft: maxQueries}
	g.paths = certpath.NewBuilder(&g.roots, certpath.Limits{})
	for _, c := range o.Roots {
		g.roots.Add(c)
	}
	g.paths.Add(slices.Concat(o.Roots, o.Certificates, o.Following)...)
	isRequired := func(s *pdf.Signature) bool { return o.Required == nil || slices.Contains(o.Required, s.Field.Name) }
	parsed := make([]signingCertificates, len(signatures))
	for i, sig := range signatures {
		if !isRequired(sig) {
			continue
		}
		if parsed[i], err = g.parseSigningCertificates(sig); err != nil {
			return nil, following, fmt.Errorf("field %q: %w: %w", sig.Field.Name, ErrRevocationData, err)
		}
	}
	if source, ok := o.Source.(revocation.BatchSource); ok {
		var leaves []*x509.Certificate
		for _, p := range parsed { // of those that are required
			leaves = append(leaves, p.leaves...)
		}
		if ahead, err := source.ReadAhead(ctx, leaves...); err == nil { // else it is asked about each
			g.o.Source = ahead
		}
	}
	// An upload can bring a store with many certificates of the same names. They come last, so that they do not hide
	// the issuers of required signatures.
	g.paths.Add(s.parseCertificates()...)
	g.revocations.Add(revocation.NewItems(s.lists["OCSPs"].der, s.lists["CRLs"].der, revocation.Item{Origin: revocation.FromDSS})...)
	data = make([]validationData, len(signatures))
	timeout := cmp.Or(o.Timeout, DefaultTimeout)
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if len(o.Following) > 0 {
		// No time is proven yet, so nothing in the file is new enough, and the source is queried.
		if following, err = g.collectForSignature(timed, signingCertificates{leaves: o.Following[:1]}, true); err != nil {
			return nil, following, fmt.Errorf("time-stamp authority %q: %w", o.Following[0].Subject.CommonName, err)
		}
	}
	for _, required := range []bool{true, false} {
		phase := timed
		if !required {
			optional, cancel := context.WithTimeout(timed, timeout/3)
			defer cancel()
			phase, g.paths.Limits.Checks = optional, g.paths.Checks+maxChecks
		}
		for i, sig := range signatures {
			if isRequired(sig) != required {
				continue
			}
			if !required && g.paths.Spend(parsingChecks) { // parsing also verifies a timestamp
				parsed[i], _ = g.parseSigningCertificates(sig) // of one that cannot be parsed, no data is collected
			}
			p, err := g.collectForSignature(phase, parsed[i], required)
			if err == nil {
				err = ctx.Err() // if only our own limit has expired, data is missing but ctx goes on
			}
			if err != nil {
				return nil, following, fmt.Errorf("field %q: %w", sig.Field.Name, err)
			}
			data[i] = p
		}
	}
	return data, following, nil
}

// collectForSignature collects the validation data of a signature or document timestamp.
func (g *dataCollector) collectForSignature(ctx context.Context, s signingCertificates, required bool) (validationData, error) {
	w := pathWalk{dataCollector: g, ctx: ctx, required: required}
	if source, ok := g.o.Source.(certpath.IssuerSource); ok && required {
		w.issuers = source
	}
	if s.token != nil {
		w.provenTime, w.latestTime = s.token.Time, s.token.Time.Add(s.token.Accuracy)
	}
	w.fetchAhead(s.leaves)
	for i, leaf := range s.leaves {
		w.isTSA = s.token != nil && i == len(s.leaves)-1
		if err := w.collectForPath(leaf, maxResponderDepth); err != nil {
			return validationData{}, fmt.Errorf("%w: %w", ErrRevocationData, err)
		}
	}
	return w.data, nil
}

// signingCertificates are the certificates whose keys made a signature.
type signingCertificates struct {
	leaves []*x509.Certificate // the signer's, then the time-stamp authority's
	token  *tsp.Token          // proves the signing time; nil: there is no timestamp
}

// parseSigningCertificates parses a signature and adds the certificates in it to the candidates for issuers.
func (g *dataCollector) parseSigningCertificates(s *pdf.Signature) (signingCertificates, error) {
	sd, token, err := parseContainer(s.Contents)
	if sd != nil {
		g.paths.Add(sd.Certificates...)
	}
	if err != nil {
		return signingCertificates{}, err
	}
	signer := sd.Certificate(sd.Signers[0])
	if signer == nil {
		return signingCertificates{}, errors.New("the signer's certificate is not included")
	}
	if token == nil || sd.ContentType.Equal(cms.OIDTSTInfo) {
		return signingCertificates{[]*x509.Certificate{signer}, token}, nil
	}
	g.paths.Add(token.Chain...)
	return signingCertificates{[]*x509.Certificate{signer, token.Authority}, token}, nil
}

// pathWalk walks the certificate paths of one signature.
type pathWalk struct {
	*dataCollector
	ctx        context.Context
	data       validationData
	required   bool
	issuers    certpath.IssuerSource // nil unless required: a path without its issuers leads to no trust anchor
	provenTime time.Time             // time of the timestamp; zero: there is none
	latestTime time.Time             // provenTime plus the accuracy that the authority states
	isTSA      bool                  // the path is a time-stamp authority's
}

// fetchAhead queries the source concurrently for all certificates of a signature for which the file has no revocation
// data. findRevocationData then finds the answers.
func (w *pathWalk) fetchAhead(leaves []*x509.Certificate) {
	var queries []revocation.Query
	for _, leaf := range leaves {
		path := w.paths.BuildPath(w.ctx, leaf, w.issuers)
		for i, cert := range path[:len(path)-1] {
			if len(queries) == maxConcurrentQueries {
				break
			}
			_, known, _ := w.revocations.FetchResult(cert)
			known = known || hasNoCheck(cert) || slices.ContainsFunc(queries, func(q revocation.Query) bool { return q.Cert.Equal(cert) })
			if known {
				continue
			}
			if _, known = w.findInFile(cert, path[i+1]); !known && w.spendQuery(cert) {
				queries = append(queries, revocation.Query{Cert: cert, Issuer: path[i+1]})
			}
		}
	}
	w.revocations.Fetch(w.ctx, w.o.Source, queries...)
}

// collectForPath adds a certificate, its issuers, and revocation data for each. If the path is too long, or an issuer or
// revocation data is missing, it returns an error for a required signature; for any other, the walk ends there.
func (w *pathWalk) collectForPath(leaf *x509.Certificate, depth int) error {
	path := w.paths.BuildPath(w.ctx, leaf, w.issuers)
	for i, cert := range path {
		if !appendNew(&w.data.certificates, cert.Raw) || certpath.IsSelfIssued(cert) && w.paths.IsSignedBy(cert, cert) {
			return nil
		}
		if depth == 0 || i == certpath.MaxPath {
			return w.errorIfRequired(fmt.Errorf("chain of certificate %x is too long", cert.SerialNumber))
		}
		issuer := w.findIssuerInPath(path, i)
		if issuer == nil {
			return w.errorIfRequired(fmt.Errorf("the issuer %q of certificate %x is not known", cert.Issuer.CommonName, cert.SerialNumber))
		}
		if hasNoCheck(cert) {
			continue
		}
		data, err := w.findRevocationData(cert, issuer)
		if err != nil {
			err = w.errorIfRequired(fmt.Errorf("certificate %x of %q: %w", cert.SerialNumber, cert.Subject.CommonName, err))
		} else {
			err = w.addRevocationData(data, cert, issuer, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// findIssuerInPath returns the issuer of a certificate of the path: the next certificate, or for the last one another of
// the path, if authorities certify each other; nil if there is none.
func (w *pathWalk) findIssuerInPath(path certpath.Path, i int) *x509.Certificate {
	if i < len(path)-1 {
		return path[i+1]
	}
	for _, c := range path[:i] {
		if bytes.Equal(c.RawSubject, path[i].RawIssuer) && w.paths.IsSignedBy(path[i], c) {
			return c
		}
	}
	return nil
}

// errorIfRequired returns err if the signature is required, else nil.
func (w *pathWalk) errorIfRequired(err error) error {
	if w.required {
		return err
	}
	return nil
}

// addRevocationData adds revocation data, and validation data of the responder that signed it.
func (w *pathWalk) addRevocationData(data revocation.Data, cert, issuer *x509.Certificate, depth int) error {
	if data.CRL != nil {
		appendNew(&w.data.crls, data.CRL)
	}
	if data.OCSP == nil {
		return nil
	}
	appendNew(&w.data.ocsps, data.OCSP)
	s, err := w.revocations.Verify(revocation.Data{OCSP: data.OCSP}, cert, issuer)
	if err != nil {
		return w.errorIfRequired(fmt.Errorf("OCSP response of %q: %w", issuer.Subject.CommonName, err))
	}
	if s.Responder.Equal(issuer) {
		return nil
	}
	w.paths.Add(s.Responder)
	return w.collectForPath(s.Responder, depth-1)
}

// findInFile returns revocation data of the file that is not older than the signature.
func (w *pathWalk) findInFile(cert, issuer *x509.Certificate) (revocation.Evidence, bool) {
	// Without a proven signing time, nothing in the file can show that it is new enough.
	if w.provenTime.IsZero() || !w.paths.Spend(1) {
		return revocation.Evidence{}, false
	}
	return w.revocations.FindNewest(cert, issuer, w.provenTime)
}

// findRevocationData returns revocation data that is not older than the signature: from the file, from an earlier
// query, or from the source. A revocation counts as validation data if the signature is proven to be older
// (docs/decisions/0021-revoked.md); otherwise it is an error.
func (w *pathWalk) findRevocationData(cert, issuer *x509.Certificate) (revocation.Data, error) {
	if e, ok := w.findInFile(cert, issuer); ok {
		return e.Data, w.requireGoodWhenSigned(cert, e.Status)
	}
	if _, known, _ := w.revocations.FetchResult(cert); !known {
		if !w.spendQuery(cert) {
			return revocation.Data{}, errors.New("not queried: the path leads to no root, or the limit of queries is reached")
		}
		w.revocations.Fetch(w.ctx, w.o.Source, revocation.Query{Cert: cert, Issuer: issuer})
	}
	data, _, err := w.revocations.FetchResult(cert)
	var revoked *revocation.RevokedError
	if errors.As(err, &revoked) && (data.OCSP != nil || data.CRL != nil) {
		return data, w.requireGoodWhenSigned(cert, revoked.Status)
	}
	return data, err
}

// requireGoodWhenSigned returns an error unless the certificate was good when the signature was made: it is still good,
// or it was revoked later. A time-stamp authority's certificate must also not be revoked for a reason that invalidates
// its earlier timestamps.
func (w *pathWalk) requireGoodWhenSigned(cert *x509.Certificate, s revocation.Status) error {
	if s.CertStatus != revocation.Revoked || !w.provenTime.IsZero() && !s.RevokedBy(w.latestTime) && !(w.isTSA && s.InvalidatesTimestamps()) {
		return nil
	}
	return &revocation.RevokedError{Serial: cert.SerialNumber, Status: s}
}

// spendQuery reports whether the source may be queried for a certificate, and counts the query. If the signature is not
// required, the path of the certificate must lead to a root.
func (w *pathWalk) spendQuery(cert *x509.Certificate) bool {
	if w.required {
		return true
	}
	if w.queriesLeft <= 0 || !slices.ContainsFunc(w.paths.BuildPath(w.ctx, cert, nil), w.roots.Contains) {
		return false
	}
	w.queriesLeft--
	return true
}

var oidNoCheck = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}

// hasNoCheck reports whether a responder's certificate has the extension id-pkix-ocsp-nocheck: its revocation is not
// checked (RFC 6960 §4.2.2.2.1).
func hasNoCheck(c *x509.Certificate) bool {
	return slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidNoCheck) })
}

// appendNew appends DER that the list does not have yet, and reports whether it did.
func appendNew(list *[][]byte, der []byte) bool {
	if slices.ContainsFunc(*list, func(b []byte) bool { return bytes.Equal(b, der) }) {
		return false
	}
	*list = append(*list, der)
	return true
}
