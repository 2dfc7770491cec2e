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

// A document security store says nothing about the signed content. It holds validation data, which its issuers signed, and a
// verdict uses what any state of the file held: an item that a later writer leaves out is still in the file, and a new item
// counts from its own revision on. So a store may grow, and may be replaced by another one (ISO 32000-2 §12.8.4.3), as
// programs do that write the store again for each signature. A revision must not remove validation data, or replace it
// with something else.
//
// The store is compared as a whole: a writer may keep its dictionary, lists and entries as separate objects or direct
// ones, and replace any of them.

// storeLists are the lists of a store, with their keys in an entry about one signature.
var storeLists = []struct{ list, entry pdf.Name }{{"Certs", "Cert"}, {"OCSPs", "OCSP"}, {"CRLs", "CRL"}}

// storeItems is the validation data of one store, or of one entry about a signature: arrays of references by the name
// of the store's list.
type storeItems map[pdf.Name]pdf.Array

// storeState is the store in one state of the file.
type storeState struct {
	dict    pdf.Dict // nil if there is none
	items   storeItems
	entries map[pdf.Name]storeItems // by signature
	stated  map[pdf.Name]pdf.Dict   // the same entries as dictionaries
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
	s.items, s.entries, s.stated = storeItems{}, map[pdf.Name]storeItems{}, map[pdf.Name]pdf.Dict{}
	for _, l := range storeLists {
		if s.items[l.list], err = d.Array(s.dict[l.list]); err != nil {
			return s, fmt.Errorf("/%s: %w", l.list, err)
		}
	}
	vri, err := d.Dict(s.dict["VRI"])
	if err != nil {
		return s, fmt.Errorf("/VRI: %w", err)
	}
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), vri) {
		if k == "Type" {
			continue
		}
		entry, err := d.Dict(vri[k])
		if err != nil {
			return s, fmt.Errorf("/VRI/%s: %w", k, err)
		}
		s.stated[k], s.entries[k] = entry, storeItems{}
		for _, l := range storeLists {
			if s.entries[k][l.list], err = d.Array(entry[l.entry]); err != nil {
				return s, fmt.Errorf("/VRI/%s/%s: %w", k, l.entry, err)
			}
		}
	}
	return s, nil
}

// storeRule checks every object of a store except the items.
func storeRule(r *revision, _ *changedObject, _ node) verdict { return r.storeVerdict() }

// storeItemRule checks an item of a store. An item that cannot be decoded is not validation data, and its bytes may
// serve another purpose.
func storeItemRule(r *revision, m *changedObject, _ node) verdict {
	st, ok := m.new.(*pdf.Stream)
	if !ok {
		return deny(CodeStoreChanged, "proof")
	}
	if r.c.itemBytes > maxItemBytes {
		return deny(CodeTooMuch, "proof")
	}
	size, err := r.c.checkItemStream(r.new, st)
	if err != nil {
		return deny(CodeUnreadable, "proof: "+err.Error())
	}
	r.c.itemBytes += size
	return r.storeVerdict()
}

// storeVerdict compares the store of this revision with the one before, once.
func (r *revision) storeVerdict() verdict {
	if r.storeResult == nil {
		v := r.compareStores()
		r.storeResult = &v
	}
	return *r.storeResult
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
	if v := checkStoreKeys(old, new); v.isDenied() {
		return v
	}
	replaced := false
	compare := func(had, has storeItems, spare ...storeItems) verdict {
		what, v := r.compareItems(had, has, spare...)
		replaced = replaced || what
		return v
	}
	if v := compare(old.items, new.items); v.isDenied() {
		return v
	}
	for _, k := range slices.Sorted(maps.Keys(old.stated)) {
		// The lists, or another entry, may hold the items of an entry that was removed.
		scope, spare := new.entries[k], []storeItems(nil)
		if scope == nil {
			scope, replaced = new.items, true
			spare = append(spare, old.items)
		}
		if v := compare(old.entries[k], scope, spare...); v.isDenied() {
			v.detail = "/VRI/" + string(k) + ": " + v.detail
			return v
		}
	}
	for _, k := range slices.Sorted(maps.Keys(new.stated)) {
		if old.entries[k] != nil {
			continue
		}
		if v := compare(nil, new.entries[k]); v.isDenied() {
			return v
		}
	}
	if replaced {
		return allow("document security store", LTA, CodeStoreReplaced)
	}
	return allow("document security store", LTA, CodeStore)
}

// checkStoreKeys denies keys that a store or an entry about a signature does not have (ISO 32000-2 Table 261, Table
// 262).
func checkStoreKeys(old, new storeState) verdict {
	for _, k := range Differing(old.dict, new.dict) {
		switch k {
		case "Certs", "OCSPs", "CRLs", "VRI":
		case "Type":
			if new.dict[k] != nil && !equalObjects(new.dict[k], pdf.Name("DSS")) {
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

// compareItems compares the items of a store or an entry. New items are separate streams. A removed item must be
// there in another object with the same content, or be replaced: see checkReplacement. The spare sets hold items that
// another call compares, so they may be missing here.
func (r *revision) compareItems(had, has storeItems, spare ...storeItems) (replaced bool, v verdict) {
	for _, kinds := range [][]pdf.Name{{"Certs"}, {"OCSPs", "CRLs"}} {
		var lost, kept, arrived []storeItem
		for _, k := range kinds {
			before := referenceSet(had[k])
			for _, o := range has[k] {
				ref := pdf.AsRef(o)
				if ref.IsZero() {
					if !slices.ContainsFunc(had[k], func(h pdf.Object) bool { return equalObjects(h, o) }) {
						return false, deny(CodeStoreChanged, "a direct item")
					}
					continue
				}
				item := storeItem{k, ref, r.new}
				if !before[ref] || r.isRewritten(ref) {
					if s, err := r.new.Stream(o); err != nil || s == nil {
						return false, deny(CodeStoreChanged, "an item is not a stream")
					}
				}
				if _, added := r.isAdded(o); added || r.isRewritten(ref) {
					arrived = append(arrived, item)
				} else {
					kept = append(kept, item)
				}
			}
			now := referenceSet(has[k])
			for ref := range before {
				if !now[ref] || r.isRewritten(ref) {
					lost = append(lost, storeItem{k, ref, r.old})
				}
			}
		}
		for _, s := range spare {
			for _, k := range kinds {
				lost = slices.DeleteFunc(lost, func(i storeItem) bool { return referenceSet(s[k])[i.object] })
			}
		}
		if len(lost) == 0 {
			continue
		}
		slices.SortFunc(lost, func(a, b storeItem) int { return int(a.object.Number) - int(b.object.Number) })
		if lost = r.withoutEquivalents(lost, append(kept, arrived...)); len(lost) == 0 {
			continue
		}
		switch item, ok := r.checkReplacement(lost, kept, arrived); {
		case !ok && item.in == r.new:
			return true, deny(CodeStoreChanged, item.object.String()+" is not what its list says")
		case !ok:
			return true, deny(CodeStoreChanged, item.object.String()+" is gone")
		}
		replaced = true
	}
	return replaced, verdict{}
}

// storeItem is an item of a list in one state of the file.
type storeItem struct {
	list   pdf.Name
	object pdf.Ref
	in     *pdf.Document
}

func referenceSet(a pdf.Array) map[pdf.Ref]bool {
	all := map[pdf.Ref]bool{}
	for _, o := range a {
		if ref := pdf.AsRef(o); !ref.IsZero() {
			all[ref] = true
		}
	}
	return all
}

// isRewritten reports whether this revision wrote another value under a reference that existed before.
func (r *revision) isRewritten(ref pdf.Ref) bool {
	m := r.moves[ref.Number]
	return m != nil && !m.isAdded() && !r.isUnchanged(m)
}

// withoutEquivalents returns the lost items whose content none of the others has. An item that cannot be read, or is
// beyond the limits, has no equivalent.
func (r *revision) withoutEquivalents(lost, others []storeItem) []storeItem {
	said := map[[sha256.Size]byte]bool{}
	for _, i := range others {
		if p := r.readItem(i); p.ok {
			said[p.sum] = true
		}
	}
	return slices.DeleteFunc(lost, func(i storeItem) bool {
		p := r.readItem(i)
		return p.ok && said[p.sum]
	})
}

// readItem reads an item and what it is about.
func (r *revision) readItem(i storeItem) itemContent {
	if p, known := r.items[i]; known {
		return p
	}
	var p itemContent
	st, err := i.in.Stream(i.object)
	if err == nil && st != nil && r.c.itemBytes <= maxItemBytes {
		var b []byte
		b, err = i.in.Decode(st)
		r.c.itemBytes += len(b)
		p.sum, p.ok = sha256.Sum256(b), err == nil
		if p.ok && r.c.o.DescribeItem != nil {
			p.about, p.sound = r.c.o.DescribeItem(i.list, b)
		}
	}
	r.items[i] = p
	return p
}

// itemContent is the content of an item.
type itemContent struct {
	sum   [sha256.Size]byte
	about []Subject
	ok    bool // it can be decoded
	sound bool // it is of the kind that its list holds
}

// checkReplacement reports whether lost items were replaced. Either the revision added items of the same kind, all of
// which are sound: it wrote the store again. Or a kept item is about the same and not older. The returned item is an
// added one that is not sound, or a lost one without a replacement.
func (r *revision) checkReplacement(lost, kept, arrived []storeItem) (item storeItem, ok bool) {
	if len(arrived) > 0 {
		for _, i := range arrived {
			if !r.readItem(i).sound {
				return i, false
			}
		}
		return storeItem{}, true
	}
	newest := map[string]time.Time{}
	for _, i := range kept {
		for _, a := range r.readItem(i).about {
			if at, known := newest[a.ID]; !known || a.At.After(at) {
				newest[a.ID] = a.At
			}
		}
	}
	for _, i := range lost {
		p := r.readItem(i)
		if !p.sound || len(p.about) == 0 {
			return i, false
		}
		for _, a := range p.about {
			if at, known := newest[a.ID]; !known || at.Before(a.At) {
				return i, false
			}
		}
	}
	return storeItem{}, true
}

// maxItemBytes bounds the decoded items of all revisions of a file.
const maxItemBytes = 64 << 20

// maxItem bounds one decoded item.
const maxItem = 16 << 20

// checkItemStream returns the length of a decoded item. Compressed items must have the right checksum, which readers of
// pages ignore: a corrupt item is not validation data.
func (c *Comparer) checkItemStream(d *pdf.Document, st *pdf.Stream) (int, error) {
	filter, err := d.Name(st.Dict["Filter"])
	if compressed := err == nil && filter == "FlateDecode"; !compressed || st.Dict["DecodeParms"] != nil {
		if b, err := d.Decode(st); err != nil || !compressed {
			return len(b), err
		}
	} else if c.o.KnownLength != nil {
		if n := c.o.KnownLength(st); n > 0 {
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
		c.inflater = nil // its state is unknown
		return 0, err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(c.inflater, maxItem+1))
	if err == nil && n > maxItem {
		err = fmt.Errorf("more than %d bytes", maxItem)
	}
	return int(n), err
}
