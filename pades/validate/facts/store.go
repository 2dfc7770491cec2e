package facts

import (
	"fmt"

	"segel/pdf"
)

// Store is the document security store (ISO 32000-2 §12.8.4.3).
type Store struct {
	Certs, OCSPs, CRLs []Proof
	VRI                []VRI
}

// Proof is one certificate, OCSP response or CRL as DER. What it says is not judged.
type Proof struct {
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

// store reads the document security store. What cannot be read is left out, with a warning.
func (r *reader) store() error {
	_, root, err := r.d.Root()
	if err != nil {
		return nil
	}
	dss, err := r.d.Dict(root["DSS"])
	if err != nil {
		r.warn(Warning{Code: WarnStore, Detail: err.Error()})
	}
	if dss == nil {
		return nil
	}
	b := &storeReader{reader: r, known: map[pdf.Ref][]byte{}, spare: r.o.Limits.ProofBytes}
	store := &Store{}
	for _, l := range []struct {
		key pdf.Name
		to  *[]Proof
	}{{"Certs", &store.Certs}, {"OCSPs", &store.OCSPs}, {"CRLs", &store.CRLs}} {
		b.each(string(l.key), dss[l.key], func(ref pdf.Ref, der []byte) { *l.to = append(*l.to, Proof{DER: der, Ref: ref}) })
	}
	vri, err := r.d.Dict(dss["VRI"])
	if err != nil {
		r.warn(Warning{Code: WarnStore, Detail: "/VRI: " + err.Error()})
	}
	for key, o := range vri {
		if entry, err := r.d.Dict(o); err == nil && len(store.VRI) < r.o.Limits.Proofs {
			store.VRI = append(store.VRI, b.vri(key, entry))
		}
	}
	r.file.DSS = store
	r.noteUnsignable(b.checkReserve())
	for ref := range b.known {
		r.born[ref.Number] = 1
	}
	return b.err
}

// storeReader reads proof, each object once.
type storeReader struct {
	*reader
	known map[pdf.Ref][]byte
	count int
	spare int64 // bytes still to be taken
	err   error // of the file's reader
}

// each reads the streams of a list.
func (b *storeReader) each(name string, list pdf.Object, take func(pdf.Ref, []byte)) {
	items, err := b.d.Array(list)
	if err != nil {
		b.warn(Warning{Code: WarnStore, Detail: "/" + name + ": " + err.Error()})
	}
	for _, o := range items {
		der, err := b.proof(o)
		if err != nil {
			b.warn(Warning{Code: WarnStore, Ref: refOf(o), Detail: "/" + name + ": " + err.Error()})
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
	if b.count > l.Proofs-l.Proofs/4 || b.spare < l.ProofBytes/4 {
		return tooLarge("proof of more than three quarters of %d items or %d bytes", l.Proofs, l.ProofBytes)
	}
	return nil
}

func (b *storeReader) proof(o pdf.Object) ([]byte, error) {
	ref := refOf(o)
	if der, known := b.known[ref]; known && !ref.IsZero() {
		return der, nil
	}
	st, err := b.d.Stream(o)
	if err != nil {
		return nil, err
	}
	if b.count++; st == nil || b.count > b.o.Limits.Proofs || st.Len() > b.spare {
		return nil, &pdf.Error{Kind: pdf.TooLarge, Offset: -1, Msg: fmt.Sprintf("no stream, more than %d items or too many bytes", b.o.Limits.Proofs)}
	}
	der, err := b.decode(st)
	if err != nil {
		return nil, err
	}
	if b.spare -= int64(len(der)); b.spare < 0 {
		return nil, &pdf.Error{Kind: pdf.TooLarge, Offset: -1, Msg: "too many bytes of proof"}
	}
	b.known[ref] = der
	return der, nil
}

// decode decodes proof as readers do, and remembers that it is sound, for whoever asks about the revision that brought
// it.
func (b *storeReader) decode(st *pdf.Stream) ([]byte, error) {
	der, err := b.d.DecodeStrict(st)
	if err != nil {
		return b.d.Decode(st)
	}
	if at, plain := spanOf(st); plain {
		b.sound[at] = len(der)
	}
	return der, nil
}

// span is where data stands in the file.
type span struct{ start, end int64 }

// spanOf returns where the data of a stream stands, and whether what it decodes to depends on that alone, and not on
// objects that another revision may have elsewhere.
func spanOf(st *pdf.Stream) (at span, plain bool) {
	at.start, at.end = st.FileRange()
	return at, at.end > 0 && st.Dict["Filter"] == pdf.Object(pdf.Name("FlateDecode")) && st.Dict["DecodeParms"] == nil
}

// soundLen tells how long proof is that is known to be sound, or 0.
func (r *reader) soundLen(st *pdf.Stream) int {
	at, plain := spanOf(st)
	if !plain {
		return 0
	}
	return r.sound[at]
}

func (b *storeReader) vri(key pdf.Name, entry pdf.Dict) VRI {
	v := VRI{Key: key}
	for _, l := range []struct {
		key pdf.Name
		to  *[][]byte
	}{{"Cert", &v.Certs}, {"OCSP", &v.OCSPs}, {"CRL", &v.CRLs}} {
		b.each("VRI/"+string(l.key), entry[l.key], func(_ pdf.Ref, der []byte) { *l.to = append(*l.to, der) })
	}
	if tu, err := b.d.String(entry["TU"]); err == nil {
		v.TU = tu.Text()
	}
	return v
}
