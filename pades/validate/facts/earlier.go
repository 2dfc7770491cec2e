package facts

import (
	"crypto/sha256"
	"slices"

	"segel/cms"
	"segel/pades/validate/diff"
	"segel/pdf"
	"segel/revocation"
)

// A later revision may replace the document security store. The validation data of earlier states is still in the file, and a
// verdict on an earlier signature rests on it. It is collected too, so that no signature becomes trusted or untrusted
// because a later writer left items out.

// maxEarlier bounds the items that are looked at in the stores of all states.
const maxEarlier = 100_000

// earlierStore collects what the store of each state holds and that of the newest does not. It reads a store again only
// where a revision changed an object that the store of the state before was made of.
type earlierStore struct {
	parts     map[uint32]bool // numbers of the objects that the last store was made of, and of its catalog
	root      pdf.Ref         // of that catalog
	known     map[[sha256.Size]byte]bool
	seen      map[byteRange]bool // where items stand that were looked at
	itemCount int
	bytesLeft int64 // bytes still to be taken
}

// collectState looks at the store of a state.
func (e *earlierStore) collectState(r *reader, number int, state *pdf.State) error {
	ref := state.Trailer().Ref("Root")
	if e.parts != nil && ref == e.root && !slices.ContainsFunc(state.Changes, func(m pdf.ObjectChange) bool { return e.parts[m.Number] }) && !state.Truncated {
		return nil
	}
	e.parts, e.root = map[uint32]bool{ref.Number: true}, ref
	note := func(o pdf.Object) pdf.Object {
		if ref, ok := o.(pdf.Ref); ok {
			e.parts[ref.Number] = true
		}
		return o
	}
	_, root, err := state.Root()
	if err != nil {
		return ignoreFault(err)
	}
	dss, err := state.Dict(note(root["DSS"]))
	if err != nil || dss == nil {
		return ignoreFault(err)
	}
	take := func(holder pdf.Dict, key pdf.Name, to *[]StoreItem) error {
		items, err := state.Array(note(holder[key]))
		for _, o := range items {
			if err := e.collectItem(r, number, state, note(o), to); err != nil {
				return err
			}
		}
		return ignoreFault(err)
	}
	lists := []struct {
		list, entry pdf.Name
		to          *[]StoreItem
	}{{"Certs", "Cert", &r.file.Earlier.Certs}, {"OCSPs", "OCSP", &r.file.Earlier.OCSPs}, {"CRLs", "CRL", &r.file.Earlier.CRLs}}
	for _, l := range lists {
		if err := take(dss, l.list, l.to); err != nil {
			return err
		}
	}
	vri, err := state.Dict(note(dss["VRI"]))
	if ignoreFault(err) != nil {
		return err
	}
	for _, o := range vri {
		entry, err := state.Dict(note(o))
		if ignoreFault(err) != nil {
			return err
		}
		for _, l := range lists {
			if err := take(entry, l.entry, l.to); err != nil {
				return err
			}
		}
	}
	return nil
}

// collectItem collects one item, if it differs from all before.
func (e *earlierStore) collectItem(r *reader, number int, state *pdf.State, o pdf.Object, to *[]StoreItem) error {
	if e.itemCount++; e.itemCount > maxEarlier {
		return nil
	}
	st, err := state.Stream(o)
	if err != nil || st == nil {
		return ignoreFault(err)
	}
	start, end := st.FileRange()
	at := byteRange{start, end}
	if e.seen[at] || st.Len() > e.bytesLeft {
		return nil
	}
	e.seen[at] = true
	der, err := state.Decode(st)
	if err != nil {
		return ignoreFault(err)
	}
	id := sha256.Sum256(der)
	if e.known[id] {
		return nil
	}
	e.known[id] = true
	if e.bytesLeft -= int64(len(der)); e.bytesLeft < 0 {
		return nil
	}
	*to = append(*to, StoreItem{DER: der, Ref: refOf(o), Revision: number})
	return nil
}

// newEarlierStore knows what the newest store holds.
func (r *reader) newEarlierStore() *earlierStore {
	e := &earlierStore{known: map[[sha256.Size]byte]bool{}, seen: map[byteRange]bool{}, bytesLeft: r.o.Limits.StoreBytes}
	if s := r.file.DSS; s != nil {
		for _, list := range [][]StoreItem{s.Certs, s.OCSPs, s.CRLs} {
			for _, p := range list {
				e.known[sha256.Sum256(p.DER)] = true
			}
		}
	}
	for at := range r.knownLengths {
		e.seen[at] = true
	}
	return e
}

// ignoreFault returns err unless it is the file's fault.
func ignoreFault(err error) error {
	if err != nil && !isFault(err) {
		return err
	}
	return nil
}

// storedCertificates are the certificates that the store has, or had in an earlier state.
func (r *reader) storedCertificates() []StoreItem {
	if r.file.DSS == nil {
		return r.file.Earlier.Certs
	}
	return slices.Concat(r.file.DSS.Certs, r.file.Earlier.Certs)
}

// describeItem tells what an item of a list of the store is about, and whether it is what the list says.
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
