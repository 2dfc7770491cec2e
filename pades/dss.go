package pades

import (
	"cmp"
	"context"
	"crypto"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/cms"
	"segel/pdf"
	"segel/revocation"
)

// ValidationOptions of AddDSS.
type ValidationOptions struct {
	// Source is asked about certificates, and for issuers that are missing if it is a revocation.IssuerSource. Required.
	Source revocation.Source
	// Certificates are issuers that the file may lack, such as the roots of time-stamp authorities.
	Certificates []*x509.Certificate
	// Required are the fields whose certificates must all be proved; nil means every signed field. What cannot be
	// proved about the others is left out: a file may arrive with signatures of issuers that are gone.
	Required []string
	// Roots bound what others can make the program connect to. A certificate of a signature that is not required is
	// asked about only if its chain ends in one of them: anybody can put a certificate that names any address into a
	// file. Issuers are never fetched for such a certificate. Without roots nothing is asked about it.
	Roots []*x509.Certificate
	// Timeout bounds the time that all questions take together; 0 is a minute. Those about signatures that are not
	// required come last, and take a third of it at most.
	Timeout time.Duration
}

// DefaultWithin is [ValidationOptions.Within] where it is 0.
const DefaultWithin = time.Minute

// AddDSS adds to the file what proves its signatures and timestamps later (level B-LT): the certificates of
// signers and time-stamp authorities, and for each that has an issuer the proof that it was not revoked, or that it
// was revoked after the time that a timestamp proves. A document security store that is there is added to: what it
// has stays, and is not added a second time. Errors: ErrProof, and with it revocation.ErrRevoked where a certificate
// was revoked before it was used; ErrEncrypted.
func AddDSS(ctx context.Context, src Source, o ValidationOptions) (*Result, error) {
	d, err := openSource(src)
	if err != nil {
		return nil, err
	}
	s, err := readStore(d)
	if err != nil {
		return nil, fmt.Errorf("document security store: %w", err)
	}
	signatures, err := d.Signatures()
	if err != nil {
		return nil, err
	}
	proofs, err := collectValidationData(ctx, o, s, signatures)
	if err != nil {
		return nil, err
	}
	u := d.NewUpdate()
	for i, sig := range signatures {
		s.addEntry(u, vriKey(sig.Contents), proofs[i])
	}
	if err := s.writeStore(u); err != nil {
		return nil, fmt.Errorf("document security store: %w", err)
	}
	if err := raiseExtension(d, u, levelValidation); err != nil {
		return nil, err
	}
	tail, err := u.Build()
	if err != nil {
		return nil, err
	}
	if src, _, err = src.hashFile(crypto.SHA256); err != nil {
		return nil, err
	}
	return src.buildResult(tail.Bytes, "")
}

// vriKey names a signature in the store: the SHA-1 of its /Contents, padding included (ISO 32000-2 §12.8.4.3).
// Nothing rests on the strength of that hash.
func vriKey(contents []byte) pdf.Name {
	sum := sha1.Sum(contents)
	return pdf.Name(strings.ToUpper(hex.EncodeToString(sum[:])))
}

// collectValidationData returns what proves each signature. Those that are required come first, so that nothing that came with the file
// uses up their time.
func collectValidationData(ctx context.Context, o ValidationOptions, s *securityStore, signatures []*pdf.Signature) ([]validationData, error) {
	g := newDataCollector(o, s)
	proofs := make([]validationData, len(signatures))
	within := cmp.Or(o.Timeout, DefaultWithin)
	all, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for _, required := range []bool{true, false} {
		g.ctx = all
		if !required {
			others, cancel := context.WithTimeout(all, within/3)
			defer cancel()
			g.ctx = others
		}
		for i, sig := range signatures {
			if (o.Required == nil || slices.Contains(o.Required, sig.Field.Name)) != required {
				continue
			}
			p, err := g.collectForSignature(sig, required)
			if err == nil {
				err = ctx.Err() // what ended only our own time is missing, not wrong
			}
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", sig.Field.Name, err)
			}
			proofs[i] = p
		}
	}
	return proofs, nil
}

// securityStore is the document security store of a file, and what is added to it.
type securityStore struct {
	d     *pdf.Document
	lists map[pdf.Name]*storeList // Certs, OCSPs, CRLs
	vri   pdf.Dict                // new entries
}

// storeList is one kind of evidence.
type storeList struct {
	known map[[32]byte]pdf.Ref // by SHA-256
	der   [][]byte             // of what the file has
	added pdf.Array
}

var storeLists = [3]pdf.Name{"Certs", "OCSPs", "CRLs"}

// Bounds of what is read of a store to find what is there already: items of a list, and bytes of all of them.
const (
	maxEvidence      = 10_000
	maxEvidenceBytes = 64 << 20
)

func readStore(d *pdf.Document) (*securityStore, error) {
	s := &securityStore{d: d, lists: map[pdf.Name]*storeList{}, vri: pdf.Dict{}}
	_, catalog, err := d.Root()
	if err != nil {
		return nil, err
	}
	dss, err := d.Dict(catalog["DSS"])
	if err != nil {
		return nil, err
	}
	room := maxEvidenceBytes
	for _, key := range storeLists {
		l := &storeList{known: map[[32]byte]pdf.Ref{}}
		s.lists[key] = l
		items, err := d.Array(dss[key])
		if err != nil {
			return nil, fmt.Errorf("/%s: %w", key, err)
		}
		for i, o := range items {
			st, err := d.Stream(o)
			if err != nil || st == nil || i >= maxEvidence || room <= 0 {
				continue // what cannot be read is of no use, but stays
			}
			der, err := d.Decode(st)
			if err != nil {
				continue
			}
			if room -= len(der); room < 0 {
				continue
			}
			ref, _ := o.(pdf.Ref)
			l.known[sha256.Sum256(der)] = ref
			l.der = append(l.der, der)
		}
	}
	return s, nil
}

func (s *securityStore) parseCertificates() []*x509.Certificate {
	var all []*x509.Certificate
	for _, der := range s.lists["Certs"].der {
		// One whose key is too costly to verify with is of no use to us.
		if c, err := cms.ParseCertificate(der); err == nil && cms.CheckKey(c.PublicKey) == nil {
			all = append(all, c)
		}
	}
	return all
}

// addEntry takes up the evidence of one signature and lists it under its key.
func (s *securityStore) addEntry(u *pdf.Update, key pdf.Name, p validationData) {
	entry := pdf.Dict{}
	for i, of := range [3][][]byte{p.certificates, p.ocsps, p.crls} {
		var refs pdf.Array
		for _, der := range of {
			if ref := s.lists[storeLists[i]].addItem(u, der); !ref.IsZero() {
				refs = append(refs, ref)
			}
		}
		if refs != nil {
			entry[[3]pdf.Name{"Cert", "OCSP", "CRL"}[i]] = refs
		}
	}
	if len(entry) > 0 {
		s.vri[key] = entry
	}
}

func (l *storeList) addItem(u *pdf.Update, der []byte) pdf.Ref {
	key := sha256.Sum256(der)
	if ref, ok := l.known[key]; ok {
		return ref
	}
	ref := u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: der})
	l.known[key] = ref
	l.added = append(l.added, ref)
	return ref
}

// writeStore makes the catalog lead to the store, which stands for itself if it is new.
func (s *securityStore) writeStore(u *pdf.Update) error {
	root, catalog, err := s.d.Root()
	if err != nil {
		return err
	}
	dss, err := s.d.Dict(catalog["DSS"])
	if err != nil {
		return err
	}
	if dss == nil {
		edit, err := u.Edit(root)
		if err != nil {
			return err
		}
		edit["DSS"] = u.Add(pdf.Dict{"Type": pdf.Name("DSS")})
	}
	dss, err = u.EditIn(root, "DSS")
	if err != nil {
		return err
	}
	for _, key := range storeLists {
		if fresh := s.lists[key].added; len(fresh) > 0 {
			if err := u.AppendTo(dss, key, fresh...); err != nil {
				return err
			}
		}
	}
	return s.writeVRI(u, dss)
}

// writeVRI adds entries and keeps those that are there: what proves a signature is in the lists in any case, and
// readers that compare revisions take a changed entry for an attack.
func (s *securityStore) writeVRI(u *pdf.Update, dss pdf.Dict) error {
	o, err := u.Resolve(dss["VRI"])
	if err != nil {
		return err
	}
	vri, ok := o.(pdf.Dict)
	if !ok {
		vri = pdf.Dict{}
	}
	fresh := false
	for key, entry := range s.vri {
		if _, there := vri[key]; !there {
			vri[key], fresh = entry, true
		}
	}
	if !fresh {
		return nil
	}
	if ref := dss.Ref("VRI"); ok && !ref.IsZero() {
		u.Set(ref, vri)
		return nil
	}
	dss["VRI"] = vri
	return nil
}
