package workflow

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
	"io"
	"math/big"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"segel/cms"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/revocation"
	"segel/tsp"
)

// requireCompletable makes in memory, with throwaway keys, the updates that complete a file: fields, a signature with a
// mark, a stamp on the last page, validation data and a document timestamp. It refuses the file with [documents.ErrDamaged]
// if an update cannot be made, or if our validation would call it a forbidden change.
//
// It finds what no list of oddities covers: an update of one object may change another that refers to it. If finalize
// or completion were the first to detect this, people would have signed in vain.
func (s *Service) requireCompletable(ctx context.Context, f io.ReaderAt, base contract.Revision, doc *pdf.Document, budget *pdf.Budget) error {
	watched := &readErrors{r: f}
	src := pades.Source{R: watched, Size: base.End, Midstate: base.Midstate, OpenOptions: pdf.Options{NextObject: base.NextObject, Random: s.Random, Budget: budget}}
	err := s.tryCompletion(ctx, src, base, doc, budget)
	if failed := watched.first.Load(); failed != nil {
		return fmt.Errorf("read file: %w", *failed)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	return documents.ErrDamaged.WithCause(fmt.Errorf("file cannot be completed: %w", err))
}

// readErrors records the first error of a reader, to separate read errors from faults of the file.
type readErrors struct {
	r     io.ReaderAt
	first atomic.Pointer[error]
}

// ReadAt implements io.ReaderAt.
func (e *readErrors) ReadAt(p []byte, at int64) (int, error) {
	n, err := e.r.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) {
		e.first.CompareAndSwap(nil, &err)
	}
	return n, err
}

// tryCompletion makes the updates one after the other and checks the final state.
func (s *Service) tryCompletion(ctx context.Context, src pades.Source, base contract.Revision, doc *pdf.Document, budget *pdf.Budget) error {
	throwaway, err := s.throwaways.credentialsAt(s.Clock())
	if err != nil {
		return err
	}
	pages, err := doc.PageCount()
	if err != nil {
		return err
	}
	visible := documents.RequirePermission(doc, true) == nil // a certification may permit only invisible fields
	suffix := fmt.Sprintf("-%x", throwaway.serial)           // random, so that no field of the file has these names
	signature, seal := pades.FieldSpec{Name: "signature" + suffix}, pades.FieldSpec{Name: "seal" + suffix}
	// Not on the last page: fields there could hide a problem of the stamp.
	mark := pades.FieldSpec{Name: "mark" + suffix, Page: 1, Mark: true, Rect: trialBox}
	forSigner := []pades.FieldSpec{signature}
	if visible {
		signature.Page, signature.Rect = 1, trialBox
		forSigner = []pades.FieldSpec{signature, mark}
	}
	if seal.Lock, err = buildSealFieldLock(doc, forSigner); err != nil {
		return err
	}
	tail, err := pades.AddFields(doc, slices.Insert(forSigner, 1, seal))
	if err != nil {
		return fmt.Errorf("add fields: %w", err)
	}
	hash, err := blob.ResumeDigester(src.Midstate, src.Size, base.Digest)
	if err != nil {
		return err
	}
	hash.Write(tail.Bytes)
	src.Opened = doc
	src = src.WithTail(tail.Bytes)
	src.Midstate = hash.Digest().Midstate
	// Without timestamps: they are inside of the containers, and the containers do not change the structure of the file.
	options := func(field string) pades.Options {
		return pades.Options{Field: field, Key: throwaway.key, Chain: throwaway.chain, Random: s.Random, Time: throwaway.at, Name: "-"}
	}
	sign := options(signature.Name)
	type step func(pades.Source) (*pades.Result, error)
	steps := []step{func(src pades.Source) (*pades.Result, error) { return pades.Sign(ctx, src, sign) }}
	if visible {
		sign.Appearance, sign.Marks = trialAppearance{}, map[string]pades.Appearance{mark.Name: trialAppearance{}}
		stamp := options("")
		stamp.NewField, stamp.Appearance = &pades.FieldSpec{Name: "stamp" + suffix, Page: pages, Rect: trialBox}, trialAppearance{}
		steps = append(steps, func(src pades.Source) (*pades.Result, error) { return pades.Sign(ctx, src, stamp) })
	}
	steps = append(steps,
		func(src pades.Source) (*pades.Result, error) {
			o := options(seal.Name)
			if o.LockFields, err = listFieldsToLock(src); err != nil {
				return nil, err
			}
			return pades.Sign(ctx, src, o)
		},
		func(src pades.Source) (*pades.Result, error) {
			return pades.AddDSS(ctx, src, pades.ValidationOptions{Source: throwaway, Required: []string{signature.Name, seal.Name}})
		},
		func(src pades.Source) (*pades.Result, error) {
			return pades.DocumentTimestamp(ctx, src, throwaway.timestamper, pades.Clock{})
		},
	)
	for _, step := range steps {
		r, err := step(src)
		if err != nil {
			return err
		}
		src = src.WithResult(r)
	}
	return checkTrial(ctx, src, budget, func(field string) bool { return strings.HasSuffix(field, suffix) }, len(steps)-1, pages)
}

// checkTrial requires that the validation finds the added signatures and the timestamp intact, with no forbidden
// changes after them.
func checkTrial(ctx context.Context, src pades.Source, budget *pdf.Budget, ours func(field string) bool, added, pages int) error {
	file, err := facts.ReadStructure(ctx, src.R, src.Size, facts.Options{Budget: budget, Opened: src.Opened})
	if err != nil {
		return err
	}
	if file.Pages != pages {
		return fmt.Errorf("%d pages became %d", pages, file.Pages)
	}
	found := 0
	for i, g := range file.Signatures {
		if !ours(g.Field) && i != len(file.Signatures)-1 { // the timestamp is the last
			continue
		}
		found++
		if g.Coverage.State == facts.Broken {
			return fmt.Errorf("signature in %q: %v", g.Field, g.Coverage.Reasons)
		}
		for _, later := range g.Later {
			for _, i := range later.Denied {
				return fmt.Errorf("change after signature in %q: %v", g.Field, later.Changes[i])
			}
		}
	}
	if found != added {
		return fmt.Errorf("found %d of %d signatures", found, added)
	}
	return nil
}

// trialBox is the rectangle of trial fields. Its place on the page does not matter.
var trialBox = pdf.Rect{LLX: 10, LLY: 10, URX: 60, URY: 60}

// trialAppearance is an appearance without resources.
type trialAppearance struct{}

// Form implements pades.Appearance.
func (trialAppearance) Form(u *pdf.Update, f appearance.Frame) (pdf.Ref, error) {
	return u.Add(&pdf.Stream{
		Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: f.Width, URY: f.Height}.Array(), "Resources": pdf.Dict{}},
		Data: []byte("q Q"),
	}), nil
}

// throwawayCache creates the keys and certificates of trial completions and reuses them for a while: nothing that is made with them
// leaves the process. The zero value is ready to use.
type throwawayCache struct {
	mu     sync.Mutex // guards latest
	latest *throwawayCredentials
}

// throwawayLifetime is how long certificates are reused. They are valid for an hour after their creation.
const throwawayLifetime = 30 * time.Minute

// credentialsAt returns credentials for the given time, with unique field names.
func (t *throwawayCache) credentialsAt(now time.Time) (*throwawayCredentials, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.latest == nil || now.Before(t.latest.at) || now.Sub(t.latest.at) > throwawayLifetime {
		made, err := newThrowawayCredentials(now)
		if err != nil {
			return nil, err
		}
		t.latest = made
	}
	next := *t.latest
	next.at, next.serial = now, make([]byte, 8)
	rand.Read(next.serial) // never fails
	responder := *next.timestamper
	responder.Clock = func() time.Time { return now }
	next.timestamper = &responder
	return &next, nil
}

// throwawayCredentials is a key with untrusted certificates, a time-stamp authority, and revocation data for both.
type throwawayCredentials struct {
	key         crypto.Signer
	chain       []*x509.Certificate
	timestamper *tsp.Responder
	list        []byte // revocation list of the issuer, DER
	serial      []byte
	at          time.Time
}

func newThrowawayCredentials(now time.Time) (*throwawayCredentials, error) {
	t := &throwawayCredentials{at: now, serial: make([]byte, 8)}
	rand.Read(t.serial) // never fails
	rootKey, root, err := t.issueCertificate(nil, nil, 1, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign
	})
	if err != nil {
		return nil, err
	}
	signerKey, signer, err := t.issueCertificate(root, rootKey, 2, func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment })
	if err != nil {
		return nil, err
	}
	clockKey, clock, err := t.issueCertificate(root, rootKey, 3, func(c *x509.Certificate) {
		c.KeyUsage = x509.KeyUsageDigitalSignature
		c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: timeStampingOnly}}
	})
	if err != nil {
		return nil, err
	}
	t.key, t.chain = signerKey, []*x509.Certificate{signer, root}
	t.timestamper = &tsp.Responder{Key: clockKey, Chain: []*x509.Certificate{clock, root}, Policy: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 0}, Clock: func() time.Time { return now }, Random: rand.Reader}
	t.list, err = x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour)}, root, rootKey)
	return t, err
}

// timeStampingOnly is the extended key usage of a time-stamp authority, DER (RFC 3161 §2.3).
var timeStampingOnly = []byte{0x30, 0x0A, 0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x08}

func (t *throwawayCredentials) issueCertificate(issuer *x509.Certificate, by *ecdsa.PrivateKey, number int64, shape func(*x509.Certificate)) (*ecdsa.PrivateKey, *x509.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: fmt.Sprintf("Trial %x %d", t.serial, number)},
		NotBefore: t.at.Add(-time.Hour), NotAfter: t.at.Add(time.Hour),
	}
	shape(c)
	if issuer == nil {
		issuer, by = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, issuer, key.Public(), by)
	if err != nil {
		return nil, nil, err
	}
	cert, err := cms.ParseStrictCertificate(der)
	return key, cert, err
}

// Revocation implements revocation.Source. It only knows the certificates of its own issuer.
func (t *throwawayCredentials) Revocation(_ context.Context, _, issuer *x509.Certificate) (revocation.Data, error) {
	if !issuer.Equal(t.chain[1]) {
		return revocation.Data{}, errors.New("not fetched: the certificate came with the file")
	}
	return revocation.Data{CRL: t.list}, nil
}
