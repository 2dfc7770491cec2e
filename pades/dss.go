package pades

import (
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

// ValidationOptions are the options of AddDSS.
type ValidationOptions struct {
	// Source is queried for revocation data, and for missing issuers if it is a revocation.IssuerSource. Required.
	Source revocation.Source
	// Certificates are issuers that the file may lack, such as the root certificates of time-stamp authorities.
	Certificates []*x509.Certificate
	// Required are the fields whose certificates must all have validation data; nil means every signed field. For other
	// fields missing data is left out: a file may contain signatures whose issuers no longer exist.
	Required []string
	// Following are the certificates of the authority that makes the next document timestamp, its own first. Their validation data is
	// required and added too, so that the timestamp can be validated without a network. Without them it is not added.
	Following []*x509.Certificate
	// Roots limit which hosts a file can make the program connect to. If a signature is not required, its certificates
	// are queried only if their chain leads to one of these roots, because a file may contain certificates with
	// arbitrary addresses. Their issuers are never fetched. Without roots they are not queried.
	Roots []*x509.Certificate
	// Timeout limits all queries together; 0 is one minute. Queries for signatures that are not required come last and
	// take at most a third of it.
	Timeout time.Duration
}

// DefaultTimeout is [ValidationOptions.Timeout] where it is 0.
const DefaultTimeout = time.Minute

// AddDSS adds the validation data of the file's signatures and timestamps (level B-LT): the certificates of signers and
// time-stamp authorities, and for each with an issuer the revocation data that shows that it was not revoked, or that
// it was revoked after the time of a timestamp. An existing document security store is extended; its entries stay and
// are not duplicated.
//
// Errors: ErrRevocationData, also revocation.ErrRevoked if a certificate was revoked before it was used; ErrEncrypted.
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
	data, following, err := collectValidationData(ctx, o, s, signatures)
	if err != nil {
		return nil, err
	}
	u := d.NewUpdate()
	s.addItems(u, following)
	for i, sig := range signatures {
		s.addEntry(u, vriKey(sig.Contents), data[i])
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
	return src.Append(tail.Bytes)
}

// vriKey is the key of a signature in the store: the SHA-1 of its /Contents, padding included (ISO 32000-2 §12.8.4.3).
// No security depends on that hash.
func vriKey(contents []byte) pdf.Name {
	sum := sha1.Sum(contents)
	return pdf.Name(strings.ToUpper(hex.EncodeToString(sum[:])))
}

// securityStore is the document security store of a file, with the entries to add.
type securityStore struct {
	d     *pdf.Document
	lists map[pdf.Name]*storeList // Certs, OCSPs, CRLs
	vri   pdf.Dict                // new entries
}

// storeList is one of the lists of the store.
type storeList struct {
	known map[[32]byte]pdf.Ref // by SHA-256
	der   [][]byte             // the items in the file, from the last of the list to the first
	added pdf.Array
}

var storeLists = [3]pdf.Name{"Certs", "OCSPs", "CRLs"}

// Limits for reading an existing store: items of a list, and bytes of all lists.
const (
	maxStoreItems = 10_000
	maxStoreBytes = 64 << 20
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
	var arrays [len(storeLists)]pdf.Array
	for i, key := range storeLists {
		s.lists[key] = &storeList{known: map[[32]byte]pdf.Ref{}}
		if arrays[i], err = d.Array(dss[key]); err != nil {
			return nil, fmt.Errorf("/%s: %w", key, err)
		}
	}
	// Items are appended to the lists. All lists are read from their ends, in step, so that those of an upload beyond
	// the limits do not keep newer ones from being read.
	left := maxStoreBytes
	for n := 1; n <= maxStoreItems; n++ {
		for i, key := range storeLists {
			if n > len(arrays[i]) || left <= 0 {
				continue
			}
			o := arrays[i][len(arrays[i])-n]
			st, err := d.Stream(o)
			if err != nil || st == nil {
				continue // an unreadable item is skipped, but stays in the store
			}
			der, err := d.Decode(st)
			if err != nil {
				continue
			}
			if left -= len(der); left < 0 {
				continue
			}
			l, hash := s.lists[key], sha256.Sum256(der)
			if _, known := l.known[hash]; !known {
				l.known[hash], _ = o.(pdf.Ref)
			}
			l.der = append(l.der, der)
		}
	}
	return s, nil
}

// parseCertificates returns the certificates in the order of the list.
func (s *securityStore) parseCertificates() []*x509.Certificate {
	var all []*x509.Certificate
	for _, der := range slices.Backward(s.lists["Certs"].der) {
		// A certificate whose key is too costly to verify with is skipped.
		if c, err := cms.ParseCertificate(der); err == nil && cms.CheckKey(c.PublicKey) == nil {
			all = append(all, c)
		}
	}
	return all
}

// addEntry adds the validation data of one signature and lists it under the signature's key.
func (s *securityStore) addEntry(u *pdf.Update, key pdf.Name, p validationData) {
	if entry := s.addItems(u, p); len(entry) > 0 {
		s.vri[key] = entry
	}
}

// addItems adds validation data, and returns an entry that lists it.
func (s *securityStore) addItems(u *pdf.Update, p validationData) pdf.Dict {
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
	return entry
}

// minCompressed is the number of bytes from which validation data is compressed. A certificate or an OCSP response becomes a fifth
// shorter, some hundred bytes, and compressing it takes longer than signing.
const minCompressed = 8 << 10

func (l *storeList) addItem(u *pdf.Update, der []byte) pdf.Ref {
	key := sha256.Sum256(der)
	if ref, ok := l.known[key]; ok {
		return ref
	}
	ref := u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: der, Plain: len(der) < minCompressed})
	l.known[key] = ref
	l.added = append(l.added, ref)
	return ref
}

// writeStore links the store from the catalog. A new store becomes an indirect object.
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
		if added := s.lists[key].added; len(added) > 0 {
			if err := u.AppendTo(dss, key, added...); err != nil {
				return err
			}
		}
	}
	return s.writeVRI(u, dss)
}

// writeVRI adds entries and keeps existing ones as they are: the lists hold all validation data anyway, and readers
// that compare revisions treat a changed entry as an attack.
func (s *securityStore) writeVRI(u *pdf.Update, dss pdf.Dict) error {
	o, err := u.Resolve(dss["VRI"])
	if err != nil {
		return err
	}
	vri, ok := o.(pdf.Dict)
	if !ok {
		vri = pdf.Dict{}
	}
	changed := false
	for key, entry := range s.vri {
		if _, there := vri[key]; !there {
			vri[key], changed = entry, true
		}
	}
	if !changed {
		return nil
	}
	if ref := dss.Ref("VRI"); ok && !ref.IsZero() {
		u.Set(ref, vri)
		return nil
	}
	dss["VRI"] = vri
	return nil
}
