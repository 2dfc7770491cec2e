package diff

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"io"

	"segel/pdf"
)

// storeRule judges the document security store: proof may be added, and none goes (ISO 32000-2 §12.8.4.3).
func storeRule(r *revision, m *moved, n node) verdict {
	new, ok := m.new.(pdf.Dict)
	if m.added() || !ok {
		return r.byVouch(n, CodeStoreChanged)
	}
	old, _ := m.old.(pdf.Dict)
	return r.store(old, new)
}

func (r *revision) store(old, new pdf.Dict) verdict {
	if old != nil && new == nil {
		return deny(CodeStoreChanged, "it is gone")
	}
	v := allow("document security store", LTA, CodeStore)
	for _, k := range Differing(old, new) {
		switch k {
		case "Certs", "OCSPs", "CRLs":
			v = worse(v, r.moveProofs(old[k], new[k]))
		case "VRI":
			v = worse(v, r.moveDict(old[k], new[k], roleVRIs, r.vris))
		case "Type":
			if !same(new[k], pdf.Name("DSS")) {
				v = deny(CodeStoreChanged, keyDetail(k))
			}
		default:
			v = deny(CodeStoreChanged, keyDetail(k))
		}
	}
	return v
}

func (r *revision) moveProofs(old, new pdf.Object) verdict {
	before, err1 := r.old.Array(old)
	after, err2 := r.new.Array(new)
	if err1 != nil || err2 != nil {
		return deny(CodeStoreChanged, "a list cannot be read")
	}
	v := r.proofs(before, after)
	if refOf(old) == refOf(new) {
		return v
	}
	return r.moveAny(new, roleProofs, v)
}

// proofsRule judges a list of proof.
func proofsRule(r *revision, m *moved, n node) verdict {
	new, ok := m.new.(pdf.Array)
	if m.added() {
		return r.byVouch(n, CodeStoreChanged)
	}
	old, wasOK := m.old.(pdf.Array)
	if !ok || !wasOK {
		return deny(CodeStoreChanged, "no list")
	}
	return r.proofs(old, new)
}

// proofs lets a list gain new items, in any order. One that is gone may be there as another object that says the same:
// some programs write their store anew.
func (r *revision) proofs(old, new pdf.Array) verdict {
	had := map[pdf.Ref]bool{}
	for _, o := range old {
		had[refOf(o)] = true
	}
	for _, o := range new {
		ref := refOf(o)
		if ref.IsZero() {
			return deny(CodeStoreChanged, "a direct item")
		}
		if had[ref] {
			delete(had, ref)
			continue
		}
		if s, err := r.new.Stream(o); err != nil || s == nil {
			return deny(CodeStoreChanged, "an item is no stream")
		}
	}
	if len(had) > 0 {
		if ref, gone := r.missing(had, new); gone {
			return deny(CodeStoreChanged, ref.String()+" is gone")
		}
	}
	return allow("document security store", LTA, CodeStore)
}

// missing finds proof that no item of a list says. What cannot be read, or is more than the limits allow, is missing.
func (r *revision) missing(lost map[pdf.Ref]bool, list pdf.Array) (pdf.Ref, bool) {
	said := map[[sha256.Size]byte]bool{}
	for _, o := range list {
		if sum, ok := r.says(r.new, o); ok {
			said[sum] = true
		}
	}
	for ref := range lost {
		if sum, ok := r.says(r.old, ref); !ok || !said[sum] {
			return ref, true
		}
	}
	return pdf.Ref{}, false
}

// says sums up what an item of proof says.
func (r *revision) says(d *pdf.Document, o pdf.Object) (sum [sha256.Size]byte, ok bool) {
	st, err := d.Stream(o)
	if err != nil || st == nil || r.c.proofBytes > maxProofBytes {
		return sum, false
	}
	b, err := d.Decode(st)
	r.c.proofBytes += len(b)
	return sha256.Sum256(b), err == nil
}

// maxProofBytes bounds the decoded proof of all revisions of a file.
const maxProofBytes = 64 << 20

// proofRule lets proof be added and never replaced. What cannot be decoded is no proof of anything, and what its bytes
// are good for nobody can tell.
func proofRule(r *revision, m *moved, _ node) verdict {
	st, ok := m.new.(*pdf.Stream)
	if !ok || !m.added() {
		return deny(CodeStoreChanged, "proof")
	}
	if r.c.proofBytes > maxProofBytes {
		return deny(CodeTooMuch, "proof")
	}
	size, err := r.c.sound(r.new, st)
	if err != nil {
		return deny(CodeUnreadable, "proof: "+err.Error())
	}
	r.c.proofBytes += size
	return allow("document security store", LTA, CodeStore)
}

// vrisRule judges the dictionary of proof by signature.
func vrisRule(r *revision, m *moved, n node) verdict {
	new, ok := m.new.(pdf.Dict)
	if m.added() || !ok {
		return r.byVouch(n, CodeStoreChanged)
	}
	old, _ := m.old.(pdf.Dict)
	return r.vris(old, new)
}

// vris lets signatures gain an entry; one that is there stays as it is.
func (r *revision) vris(old, new pdf.Dict) verdict {
	v := allow("document security store", LTA, CodeStore)
	for _, k := range Differing(old, new) {
		if k == "Type" && same(new[k], pdf.Name("VRI")) {
			continue
		}
		if old[k] != nil {
			return deny(CodeStoreChanged, "/VRI"+keyDetail(k))
		}
		v = worse(v, r.moveDict(nil, new[k], roleVRI, func(_, entry pdf.Dict) verdict { return r.vri(entry) }))
	}
	return v
}

// vriRule judges what belongs to one signature.
func vriRule(r *revision, m *moved, n node) verdict {
	if m.added() {
		return r.byVouch(n, CodeStoreChanged)
	}
	return deny(CodeStoreChanged, "/VRI")
}

func (r *revision) vri(entry pdf.Dict) verdict {
	v := allow("document security store", LTA, CodeStore)
	for k, o := range entry {
		switch k {
		case "Cert", "OCSP", "CRL":
			v = worse(v, r.moveProofs(nil, o))
		case "Type", "TU", "TS":
		default:
			return deny(CodeStoreChanged, "/VRI"+keyDetail(k))
		}
	}
	return v
}

// maxProof bounds one piece of decoded proof.
const maxProof = 16 << 20

// sound tells how long proof is once it is decoded. Compressed proof is held against its check sum, which readers of
// pages forgive: proof that was tampered with is not proof that is there.
func (c *Comparer) sound(d *pdf.Document, st *pdf.Stream) (int, error) {
	filter, err := d.Name(st.Dict["Filter"])
	if compressed := err == nil && filter == "FlateDecode"; !compressed || st.Dict["DecodeParms"] != nil {
		if b, err := d.Decode(st); err != nil || !compressed {
			return len(b), err
		}
	} else if c.o.Sound != nil {
		if n := c.o.Sound(st); n > 0 {
			return n, nil
		}
	}
	raw, err := d.Raw(st)
	if err != nil {
		return 0, err
	}
	if z, used := c.inflater.(zlib.Resetter); used {
		err = z.Reset(bytes.NewReader(raw), nil)
	} else {
		c.inflater, err = zlib.NewReader(bytes.NewReader(raw))
	}
	if err != nil {
		c.inflater = nil // its state is unsure
		return 0, err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(c.inflater, maxProof+1))
	if err == nil && n > maxProof {
		err = fmt.Errorf("more than %d bytes", maxProof)
	}
	return int(n), err
}
