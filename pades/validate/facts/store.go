package facts

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"segel/cms"
	"segel/pades/validate/diff"
	"segel/pdf"
	"segel/revocation"
)

// Store is the document security store (ISO 32000-2 §12.8.4.3).
type Store struct {
	Certs, OCSPs, CRLs []StoreItem
	VRI                []VRI
}

// StoreItem is one certificate, OCSP response or CRL in DER. Its content is not checked.
type StoreItem struct {
	DER []byte
	Ref pdf.Ref
	// Revision is the first one that is known to have this content, from 1; 0 if unknown.
	Revision int
}

// VRI is the entry of the store about one signature.
type VRI struct {
	Key                pdf.Name // upper-case hexadecimal SHA-1 of /Contents
	Certs, OCSPs, CRLs [][]byte
	TU                 string // creation time, as stated
}

// readStore reads the document security store. Unreadable items are left out with a warning.
func (r *reader) readStore() error {
	_, root, err := r.d.Root()
	if err != nil {
		return nil
	}
	dss, err := r.d.Dict(root["DSS"])
	if err != nil {
		r.addWarning(Warning{Code: WarnStore, Detail: err.Error()})
	}
	if dss == nil {
		return nil
	}
	b := &storeReader{reader: r, known: map[pdf.Ref][]byte{}, bytesLeft: r.o.Limits.StoreBytes}
	store := &Store{
		Certs: b.readItems("Certs", dss["Certs"]), OCSPs: b.readItems("OCSPs", dss["OCSPs"]), CRLs: b.readItems("CRLs", dss["CRLs"]),
	}
	vri, err := r.d.Dict(dss["VRI"])
	if err != nil {
		r.addWarning(Warning{Code: WarnStore, Detail: "/VRI: " + err.Error()})
	}
	for _, key := range slices.Sorted(maps.Keys(vri)) { // the limits leave out the same entries each time
		if entry, err := r.d.Dict(vri[key]); err == nil && len(store.VRI) < r.o.Limits.StoreItems {
			store.VRI = append(store.VRI, b.readVRI(key, entry))
		}
	}
	r.file.DSS = store
	r.noteUnsignable(b.checkReserve())
	for ref := range b.known {
		r.lastWritten[ref.Number] = 1
	}
	return b.err
}

// dateStoreItems sets the revision of each item of the newest store: the one that last wrote it, or an earlier one that
// had the same content.
func (r *reader) dateStoreItems() {
	if r.file.DSS == nil || len(r.file.Revisions) == 0 {
		return
	}
	for _, list := range [][]StoreItem{r.file.DSS.Certs, r.file.DSS.OCSPs, r.file.DSS.CRLs} {
		for i := range list {
			item := &list[i]
			item.Revision = r.lastWritten[item.Ref.Number]
			if r.earlier == nil {
				continue
			}
			if first := r.earlier.firstHeld[sha256.Sum256(item.DER)]; first > 0 {
				item.Revision = min(item.Revision, first)
			}
		}
	}
}

// storeReader reads items, each object once.
type storeReader struct {
	*reader
	known     map[pdf.Ref][]byte
	count     int
	bytesLeft int64 // for further items
	err       error // of the file's reader
}

// readItems reads the streams of a list.
func (b *storeReader) readItems(name string, list pdf.Object) []StoreItem {
	refs, err := b.d.Array(list)
	if err != nil {
		b.addWarning(Warning{Code: WarnStore, Detail: "/" + name + ": " + err.Error()})
	}
	var items []StoreItem
	for _, o := range refs {
		der, err := b.readItem(o)
		if err != nil {
			b.addWarning(Warning{Code: WarnStore, Ref: pdf.AsRef(o), Detail: "/" + name + ": " + err.Error()})
			if !pdf.IsFault(err) {
				b.err = err
				return items
			}
			continue
		}
		items = append(items, StoreItem{DER: der, Ref: pdf.AsRef(o)})
	}
	return items
}

// checkReserve returns an error if less than a quarter of the limits for validation data is left for signing: items
// beyond the limits are not read.
func (b *storeReader) checkReserve() error {
	l := b.o.Limits
	if b.count > l.StoreItems-l.StoreItems/4 || b.bytesLeft < l.StoreBytes/4 {
		return newTooLargeError("validation data of more than three quarters of %d items or %d bytes", l.StoreItems, l.StoreBytes)
	}
	return nil
}

func (b *storeReader) readItem(o pdf.Object) ([]byte, error) {
	ref := pdf.AsRef(o)
	if der, known := b.known[ref]; known && !ref.IsZero() {
		return der, nil
	}
	st, err := b.d.Stream(o)
	if err != nil {
		return nil, err
	}
	if b.count++; st == nil || b.count > b.o.Limits.StoreItems || st.Len() > b.bytesLeft {
		return nil, &pdf.Error{Kind: pdf.TooLarge, Offset: -1, Msg: fmt.Sprintf("no stream, more than %d items or too many bytes", b.o.Limits.StoreItems)}
	}
	der, err := b.decodeItem(st)
	if err != nil {
		return nil, err
	}
	if b.bytesLeft -= int64(len(der)); b.bytesLeft < 0 {
		return nil, &pdf.Error{Kind: pdf.TooLarge, Offset: -1, Msg: "too many bytes of validation data"}
	}
	b.known[ref] = der
	return der, nil
}

// decodeItem decodes an item as readers do, and records whether it is sound for the later comparison of its revision.
func (b *storeReader) decodeItem(st *pdf.Stream) ([]byte, error) {
	der, err := b.d.DecodeStrict(st)
	if err != nil {
		return b.d.Decode(st)
	}
	if at, plain := streamRange(st); plain {
		b.knownLengths[at] = len(der)
	}
	return der, nil
}

// byteRange is the range of stored data in the file.
type byteRange struct{ start, end int64 }

// streamRange returns the range of a stream's data, and whether its decoded value depends on that alone, and not on
// objects that another revision may have changed.
func streamRange(st *pdf.Stream) (at byteRange, plain bool) {
	at.start, at.end = st.FileRange()
	return at, at.end > 0 && st.Dict["Filter"] == pdf.Object(pdf.Name("FlateDecode")) && st.Dict["DecodeParms"] == nil
}

// knownLength returns the decoded length of an item known to be sound, or 0.
func (r *reader) knownLength(st *pdf.Stream) int {
	at, plain := streamRange(st)
	if !plain {
		return 0
	}
	return r.knownLengths[at]
}

func (b *storeReader) readVRI(key pdf.Name, entry pdf.Dict) VRI {
	v := VRI{Key: key, Certs: b.readEntry(entry, "Cert"), OCSPs: b.readEntry(entry, "OCSP"), CRLs: b.readEntry(entry, "CRL")}
	if tu, err := b.d.String(entry["TU"]); err == nil {
		v.TU = tu.Text()
	}
	return v
}

// readEntry reads the streams of a list about one signature.
func (b *storeReader) readEntry(entry pdf.Dict, list pdf.Name) (all [][]byte) {
	for _, item := range b.readItems("VRI/"+string(list), entry[list]) {
		all = append(all, item.DER)
	}
	return all
}

// A later revision may replace the document security store. The validation data of earlier states is still in the file, and a
// verdict on an earlier signature rests on it. It is collected too, so that no signature becomes trusted or untrusted
// because a later writer left items out.

// maxEarlier bounds the items examined in the stores of all states.
const maxEarlier = 100_000

// earlierStore collects the items that the store of an earlier state holds and the newest one does not. It reads a
// store again only if a revision changed one of the objects of the previous store.
type earlierStore struct {
	parts map[uint32]bool // numbers of the objects of the previous store and its catalog
	root  pdf.Ref         // of that catalog
	// firstHeld is the first state that was found to hold an item, by its hash; 0: the newest store holds it.
	firstHeld map[[sha256.Size]byte]int
	seen      map[byteRange]bool // ranges of items already examined
	itemCount int
	bytesLeft int64 // for further items
}

// collectState collects the items of one state.
func (e *earlierStore) collectState(r *reader, number int, state *pdf.State) error {
	ref := state.Trailer().Ref("Root")
	if e.parts != nil && ref == e.root && !slices.ContainsFunc(state.Changes, func(m pdf.ObjectChange) bool { return e.parts[m.Number] }) && !state.Truncated {
		return nil
	}
	e.parts, e.root = map[uint32]bool{ref.Number: true}, ref
	_, root, err := state.Root()
	if err != nil {
		return pdf.IgnoreFault(err)
	}
	dss, err := state.Dict(e.notePart(root["DSS"]))
	if err != nil || dss == nil {
		return pdf.IgnoreFault(err)
	}
	earlier := &r.file.Earlier
	if err := e.collectLists(earlier, number, state, dss, "Certs", "OCSPs", "CRLs"); err != nil {
		return err
	}
	vri, err := state.Dict(e.notePart(dss["VRI"]))
	if pdf.IgnoreFault(err) != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(vri)) {
		entry, err := state.Dict(e.notePart(vri[key]))
		if pdf.IgnoreFault(err) != nil {
			return err
		}
		if err := e.collectLists(earlier, number, state, entry, "Cert", "OCSP", "CRL"); err != nil {
			return err
		}
	}
	return nil
}

// notePart records that an object is part of the store.
func (e *earlierStore) notePart(o pdf.Object) pdf.Object {
	if ref, ok := o.(pdf.Ref); ok {
		e.parts[ref.Number] = true
	}
	return o
}

// collectLists collects the new items of the three lists of a store, or of its entry about one signature.
func (e *earlierStore) collectLists(earlier *Store, number int, state *pdf.State, holder pdf.Dict, certs, ocsps, crls pdf.Name) error {
	newCerts, err := e.collectItems(number, state, holder[certs])
	if err != nil {
		return err
	}
	newOCSPs, err := e.collectItems(number, state, holder[ocsps])
	if err != nil {
		return err
	}
	newCRLs, err := e.collectItems(number, state, holder[crls])
	if err != nil {
		return err
	}
	earlier.Certs, earlier.OCSPs, earlier.CRLs = append(earlier.Certs, newCerts...), append(earlier.OCSPs, newOCSPs...), append(earlier.CRLs, newCRLs...)
	return nil
}

// collectItems returns the items of a list that are new.
func (e *earlierStore) collectItems(number int, state *pdf.State, list pdf.Object) (items []StoreItem, err error) {
	refs, err := state.Array(e.notePart(list))
	for _, o := range refs {
		der, err := e.readNewItem(number, state, e.notePart(o))
		if err != nil {
			return nil, err
		}
		if der != nil {
			items = append(items, StoreItem{DER: der, Ref: pdf.AsRef(o), Revision: number})
		}
	}
	return items, pdf.IgnoreFault(err)
}

// readNewItem returns an item; nil if it is known, cannot be read, or exceeds the limits.
func (e *earlierStore) readNewItem(number int, state *pdf.State, o pdf.Object) ([]byte, error) {
	if e.itemCount++; e.itemCount > maxEarlier {
		return nil, nil
	}
	st, err := state.Stream(o)
	if err != nil || st == nil {
		return nil, pdf.IgnoreFault(err)
	}
	start, end := st.FileRange()
	at := byteRange{start, end}
	if e.seen[at] || st.Len() > e.bytesLeft {
		return nil, nil
	}
	e.seen[at] = true
	der, err := state.Decode(st)
	if err != nil {
		return nil, pdf.IgnoreFault(err)
	}
	id := sha256.Sum256(der)
	first, known := e.firstHeld[id]
	if first == 0 {
		e.firstHeld[id] = number
	}
	if known {
		return nil, nil
	}
	if e.bytesLeft -= int64(len(der)); e.bytesLeft < 0 {
		return nil, nil
	}
	return der, nil
}

// newEarlierStore returns a collection that knows the items of the newest store.
func (r *reader) newEarlierStore() *earlierStore {
	e := &earlierStore{firstHeld: map[[sha256.Size]byte]int{}, seen: map[byteRange]bool{}, bytesLeft: r.o.Limits.StoreBytes}
	if s := r.file.DSS; s != nil {
		for _, list := range [][]StoreItem{s.Certs, s.OCSPs, s.CRLs} {
			for _, p := range list {
				e.firstHeld[sha256.Sum256(p.DER)] = 0
			}
		}
	}
	for at := range r.knownLengths {
		e.seen[at] = true
	}
	return e
}

// storedCertificates returns the certificates of the store and of its earlier states.
func (r *reader) storedCertificates() []StoreItem {
	if r.file.DSS == nil {
		return r.file.Earlier.Certs
	}
	return slices.Concat(r.file.DSS.Certs, r.file.Earlier.Certs)
}

// describeItem returns what an item of a store's list is about, and whether it is of the kind that the list holds.
func describeItem(list pdf.Name, der []byte) (about []diff.Subject, sound bool) {
	var subjects []revocation.Subject
	var err error
	switch list {
	case "Certs":
		_, err = cms.ParseCertificate(der)
	case "OCSPs":
		subjects, err = revocation.OCSPSubjects(der)
	case "CRLs":
		subjects = make([]revocation.Subject, 1)
		subjects[0], err = revocation.CRLSubject(der)
	}
	for _, s := range subjects {
		about = append(about, diff.Subject(s))
	}
	return about, err == nil
}
