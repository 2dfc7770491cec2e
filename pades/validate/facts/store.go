package facts

import (
	"fmt"

	"segel/pdf"
)

// Store is the document security store (ISO 32000-2 §12.8.4.3).
type Store struct {
	Certs, OCSPs, CRLs []StoreItem
	VRI                []VRI
}

// StoreItem is one certificate, OCSP response or CRL as DER. What it says is not judged.
type StoreItem struct {
	DER      []byte
	Ref      pdf.Ref
	Revision int // in which it was first there, from 1; 0 if that is not known
}

// VRI is what the store says belongs to one signature.
type VRI struct {
	Key                pdf.Name // upper-case hexadecimal SHA-1 of /Contents
	Certs, OCSPs, CRLs [][]byte
	TU                 string // time of its making, as stated
}

// readStore reads the document security store. What cannot be read is left out, with a warning.
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
	store := &Store{}
	for _, l := range []struct {
		key pdf.Name
		to  *[]StoreItem
	}{{"Certs", &store.Certs}, {"OCSPs", &store.OCSPs}, {"CRLs", &store.CRLs}} {
		b.readItems(string(l.key), dss[l.key], func(ref pdf.Ref, der []byte) { *l.to = append(*l.to, StoreItem{DER: der, Ref: ref}) })
	}
	vri, err := r.d.Dict(dss["VRI"])
	if err != nil {
		r.addWarning(Warning{Code: WarnStore, Detail: "/VRI: " + err.Error()})
	}
	for key, o := range vri {
		if entry, err := r.d.Dict(o); err == nil && len(store.VRI) < r.o.Limits.StoreItems {
			store.VRI = append(store.VRI, b.readVRI(key, entry))
		}
	}
	r.file.DSS = store
	r.noteUnsignable(b.checkReserve())
	for ref := range b.known {
		r.firstRevisions[ref.Number] = 1
	}
	return b.err
}

// storeReader reads proof, each object once.
type storeReader struct {
	*reader
	known     map[pdf.Ref][]byte
	count     int
	bytesLeft int64 // bytes still to be taken
	err       error // of the file's reader
}

// readItems reads the streams of a list.
func (b *storeReader) readItems(name string, list pdf.Object, take func(pdf.Ref, []byte)) {
	items, err := b.d.Array(list)
	if err != nil {
		b.addWarning(Warning{Code: WarnStore, Detail: "/" + name + ": " + err.Error()})
	}
	for _, o := range items {
		der, err := b.readItem(o)
		if err != nil {
			b.addWarning(Warning{Code: WarnStore, Ref: refOf(o), Detail: "/" + name + ": " + err.Error()})
			if !isFault(err) {
				b.err = err
				return
			}
			continue
		}
		take(refOf(o), der)
	}
}

// checkReserve returns an error if less than a quarter of the limits for validation data is left for what signing adds:
// items beyond the limits are not read.
func (b *storeReader) checkReserve() error {
	l := b.o.Limits
	if b.count > l.StoreItems-l.StoreItems/4 || b.bytesLeft < l.StoreBytes/4 {
		return newTooLargeError("proof of more than three quarters of %d items or %d bytes", l.StoreItems, l.StoreBytes)
	}
	return nil
}

func (b *storeReader) readItem(o pdf.Object) ([]byte, error) {
	ref := refOf(o)
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
		return nil, &pdf.Error{Kind: pdf.TooLarge, Offset: -1, Msg: "too many bytes of proof"}
	}
	b.known[ref] = der
	return der, nil
}

// decodeItem decodes proof as readers do, and remembers that it is sound, for whoever asks about the revision that brought
// it.
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

// byteRange is where data stands in the file.
type byteRange struct{ start, end int64 }

// streamRange returns where the data of a stream stands, and whether what it decodes to depends on that alone, and not on
// objects that another revision may have elsewhere.
func streamRange(st *pdf.Stream) (at byteRange, plain bool) {
	at.start, at.end = st.FileRange()
	return at, at.end > 0 && st.Dict["Filter"] == pdf.Object(pdf.Name("FlateDecode")) && st.Dict["DecodeParms"] == nil
}

// knownLength tells how long proof is that is known to be sound, or 0.
func (r *reader) knownLength(st *pdf.Stream) int {
	at, plain := streamRange(st)
	if !plain {
		return 0
	}
	return r.knownLengths[at]
}

func (b *storeReader) readVRI(key pdf.Name, entry pdf.Dict) VRI {
	v := VRI{Key: key}
	for _, l := range []struct {
		key pdf.Name
		to  *[][]byte
	}{{"Cert", &v.Certs}, {"OCSP", &v.OCSPs}, {"CRL", &v.CRLs}} {
		b.readItems("VRI/"+string(l.key), entry[l.key], func(_ pdf.Ref, der []byte) { *l.to = append(*l.to, der) })
	}
	if tu, err := b.d.String(entry["TU"]); err == nil {
		v.TU = tu.Text()
	}
	return v
}
