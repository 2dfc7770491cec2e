package diff

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"segel/pdf"
)

// A document security store says nothing about what was signed. It holds proof that others verify, and whoever judges a
// signature takes what any state of the file held: what a later writer leaves out of it is still in the file, and what it
// puts in counts from then on. So a store may grow, and may be replaced by another one (ISO 32000-2 §12.8.4.3), as
// programs do that write it anew for each signature. What a revision must not do is take proof away, or put something in
// its place that is none.
//
// The store is judged as a whole, since a writer may keep its dictionary, its lists and its entries as objects of their
// own or within one another, and replace any of them.

// storeLists are the lists of a store, and the key that an entry about one signature has each under.
var storeLists = []struct{ list, entry pdf.Name }{{"Certs", "Cert"}, {"OCSPs", "OCSP"}, {"CRLs", "CRL"}}

// proofSet is the proof of one store, or of one entry about a signature: arrays of references by the name of the store's
// list.
type proofSet map[pdf.Name]pdf.Array

// storeState is a store as one state of the file has it.
type storeState struct {
	dict    pdf.Dict // nil if there is none
	proofs  proofSet
	entries map[pdf.Name]proofSet // by signature
	stated  map[pdf.Name]pdf.Dict // the same as dictionaries
}

// readStore reads the store of a state.
func readStore(d *pdf.Document) (s storeState, err error) {
	_, root, err := d.Root()
	if err != nil {
		return s, err
	}
	if s.dict, err = d.Dict(root["DSS"]); err != nil || s.dict == nil {
		return s, err
	}
	s.proofs, s.entries, s.stated = proofSet{}, map[pdf.Name]proofSet{}, map[pdf.Name]pdf.Dict{}
	for _, l := range storeLists {
		if s.proofs[l.list], err = d.Array(s.dict[l.list]); err != nil {
			return s, fmt.Errorf("/%s: %w", l.list, err)
		}
	}
	vri, err := d.Dict(s.dict["VRI"])
	if err != nil {
		return s, fmt.Errorf("/VRI: %w", err)
	}
	for k, o := range vri {
		if k == "Type" {
			continue
		}
		entry, err := d.Dict(o)
		if err != nil {
			return s, fmt.Errorf("/VRI/%s: %w", k, err)
		}
		s.stated[k], s.entries[k] = entry, proofSet{}
		for _, l := range storeLists {
			if s.entries[k][l.list], err = d.Array(entry[l.entry]); err != nil {
				return s, fmt.Errorf("/VRI/%s/%s: %w", k, l.entry, err)
			}
		}
	}
	return s, nil
}

// storeRule judges every object of a store but proof itself.
func storeRule(r *revision, _ *moved, _ node) verdict { return r.store() }

// proofRule judges an item of proof. What cannot be decoded is no proof of anything, and what its bytes are good for
// nobody can tell.
func proofRule(r *revision, m *moved, _ node) verdict {
	st, ok := m.new.(*pdf.Stream)
	if !ok {
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
	return r.store()
}

// store judges the store of this revision by that of the one before, once.
func (r *revision) store() verdict {
	if r.stored == nil {
		v := r.compareStores()
		r.stored = &v
	}
	return *r.stored
}

func (r *revision) compareStores() verdict {
	old, err := readStore(r.old)
	if err != nil {
		return deny(CodeUnreadable, err.Error())
	}
	new, err := readStore(r.new)
	if err != nil {
		return deny(CodeUnreadable, err.Error())
	}
	if old.dict != nil && new.dict == nil {
		return deny(CodeStoreChanged, "it is gone")
	}
	if v := checkStoreKeys(old, new); v.denied() {
		return v
	}
	replaced := false
	judge := func(had, has proofSet, spare ...proofSet) verdict {
		what, v := r.compareProofs(had, has, spare...)
		replaced = replaced || what
		return v
	}
	if v := judge(old.proofs, new.proofs); v.denied() {
		return v
	}
	for _, k := range slices.Sorted(maps.Keys(old.stated)) {
		// An entry that is gone has left its proof to the lists, or another entry took its place.
		scope, spare := new.entries[k], []proofSet(nil)
		if scope == nil {
			scope, replaced = new.proofs, true
			spare = append(spare, old.proofs)
		}
		if v := judge(old.entries[k], scope, spare...); v.denied() {
			v.detail = "/VRI/" + string(k) + ": " + v.detail
			return v
		}
	}
	for _, k := range slices.Sorted(maps.Keys(new.stated)) {
		if old.entries[k] != nil {
			continue
		}
		if v := judge(nil, new.entries[k]); v.denied() {
			return v
		}
	}
	if replaced {
		return allow("document security store", LTA, CodeStoreReplaced)
	}
	return allow("document security store", LTA, CodeStore)
}

// checkStoreKeys denies what no store and no entry about a signature has (ISO 32000-2 Table 261, Table 262).
func checkStoreKeys(old, new storeState) verdict {
	for _, k := range Differing(old.dict, new.dict) {
		switch k {
		case "Certs", "OCSPs", "CRLs", "VRI":
		case "Type":
			if new.dict[k] != nil && !same(new.dict[k], pdf.Name("DSS")) {
				return deny(CodeStoreChanged, keyDetail(k))
			}
		default:
			return deny(CodeStoreChanged, keyDetail(k))
		}
	}
	for _, entry := range slices.Sorted(maps.Keys(new.stated)) {
		for _, k := range Differing(old.stated[entry], new.stated[entry]) {
			switch k {
			case "Cert", "OCSP", "CRL", "Type", "TU", "TS":
			default:
				return deny(CodeStoreChanged, "/VRI"+keyDetail(k))
			}
		}
	}
	return verdict{}
}

// compareProofs judges what became of the proof of a store or an entry. New items are streams of their own. An item that
// is gone has to be there in another object that says the same, or something has to be there in its place: see
// replaces. The sets that are spare hold proof that is judged elsewhere, and needs no place here.
func (r *revision) compareProofs(had, has proofSet, spare ...proofSet) (replaced bool, v verdict) {
	for _, kinds := range [][]pdf.Name{{"Certs"}, {"OCSPs", "CRLs"}} {
		var lost, kept, arrived []proofItem
		for _, k := range kinds {
			before := references(had[k])
			for _, o := range has[k] {
				ref := refOf(o)
				if ref.IsZero() {
					if !slices.ContainsFunc(had[k], func(h pdf.Object) bool { return same(h, o) }) {
						return false, deny(CodeStoreChanged, "a direct item")
					}
					continue
				}
				item := proofItem{k, ref, r.new}
				if !before[ref] || r.rewritten(ref) {
					if s, err := r.new.Stream(o); err != nil || s == nil {
						return false, deny(CodeStoreChanged, "an item is no stream")
					}
				}
				if _, added := r.isAdded(o); added || r.rewritten(ref) {
					arrived = append(arrived, item)
				} else {
					kept = append(kept, item)
				}
			}
			now := references(has[k])
			for ref := range before {
				if !now[ref] || r.rewritten(ref) {
					lost = append(lost, proofItem{k, ref, r.old})
				}
			}
		}
		for _, s := range spare {
			for _, k := range kinds {
				lost = slices.DeleteFunc(lost, func(i proofItem) bool { return references(s[k])[i.object] })
			}
		}
		if len(lost) == 0 {
			continue
		}
		slices.SortFunc(lost, func(a, b proofItem) int { return int(a.object.Number) - int(b.object.Number) })
		if lost = r.unsaid(lost, append(kept, arrived...)); len(lost) == 0 {
			continue
		}
		switch item, ok := r.replaces(lost, kept, arrived); {
		case !ok && item.in == r.new:
			return true, deny(CodeStoreChanged, item.object.String()+" is not what its list says")
		case !ok:
			return true, deny(CodeStoreChanged, item.object.String()+" is gone")
		}
		replaced = true
	}
	return replaced, verdict{}
}

// proofItem is an item of a list, as one state of the file has it.
type proofItem struct {
	list   pdf.Name
	object pdf.Ref
	in     *pdf.Document
}

func references(a pdf.Array) map[pdf.Ref]bool {
	all := map[pdf.Ref]bool{}
	for _, o := range a {
		if ref := refOf(o); !ref.IsZero() {
			all[ref] = true
		}
	}
	return all
}

// rewritten reports whether this revision wrote another value under a reference that was there before.
func (r *revision) rewritten(ref pdf.Ref) bool {
	m := r.moves[ref.Number]
	return m != nil && !m.added() && !r.unchanged(m)
}

// unsaid returns those of the lost items that none of the others says. What cannot be read, or is more than the limits
// allow, is unsaid.
func (r *revision) unsaid(lost, others []proofItem) []proofItem {
	said := map[[sha256.Size]byte]bool{}
	for _, i := range others {
		if p := r.readProof(i); p.ok {
			said[p.sum] = true
		}
	}
	return slices.DeleteFunc(lost, func(i proofItem) bool {
		p := r.readProof(i)
		return p.ok && said[p.sum]
	})
}

// readProof tells what an item of proof says, and what it speaks of.
func (r *revision) readProof(i proofItem) proofSaid {
	if p, known := r.proofs[i]; known {
		return p
	}
	var p proofSaid
	st, err := i.in.Stream(i.object)
	if err == nil && st != nil && r.c.proofBytes <= maxProofBytes {
		var b []byte
		b, err = i.in.Decode(st)
		r.c.proofBytes += len(b)
		p.sum, p.ok = sha256.Sum256(b), err == nil
		if p.ok && r.c.o.Describe != nil {
			p.about, p.sound = r.c.o.Describe(i.list, b)
		}
	}
	r.proofs[i] = p
	return p
}

// proofSaid is what an item of proof says.
type proofSaid struct {
	sum   [sha256.Size]byte
	about []Subject
	ok    bool // it can be decoded
	sound bool // it is what its list says
}

// replaces reports whether there is proof in the place of what was lost. Either the revision brought some of the same
// kind, all of which is sound: it wrote its store anew. Or something that is kept speaks of the same, and is not older.
// The item is one that arrived and is not sound, or one that nothing replaces.
func (r *revision) replaces(lost, kept, arrived []proofItem) (item proofItem, ok bool) {
	if len(arrived) > 0 {
		for _, i := range arrived {
			if !r.readProof(i).sound {
				return i, false
			}
		}
		return proofItem{}, true
	}
	newest := map[string]time.Time{}
	for _, i := range kept {
		for _, a := range r.readProof(i).about {
			if at, known := newest[a.ID]; !known || a.At.After(at) {
				newest[a.ID] = a.At
			}
		}
	}
	for _, i := range lost {
		p := r.readProof(i)
		if !p.sound || len(p.about) == 0 {
			return i, false
		}
		for _, a := range p.about {
			if at, known := newest[a.ID]; !known || at.Before(a.At) {
				return i, false
			}
		}
	}
	return proofItem{}, true
}

// maxProofBytes bounds the decoded proof of all revisions of a file.
const maxProofBytes = 64 << 20

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
