package emeterai

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"segel/pdf"
)

// proofLists are the arrays of streams in a security store, and entryLists those in an entry of its /VRI
// (ISO 32000-2 §12.8.4).
var (
	proofLists = []pdf.Name{"Certs", "OCSPs", "CRLs"}
	entryLists = []pdf.Name{"Cert", "OCSP", "CRL"}
)

// keepsProof checks that a security store still holds what it held: without it, earlier signatures could no
// longer be validated. Old is the store in the one document, now that in the other; more may have come to it.
func keepsProof(before, after *pdf.Document, old, now pdf.Object) error {
	had, err := before.Dict(old)
	if err != nil {
		return fmt.Errorf("security store: %w", err)
	}
	has, err := after.Dict(now)
	if err != nil {
		return fmt.Errorf("security store: %w", err)
	}
	for _, key := range proofLists {
		if err := keepsStreams(before, after, had[key], has[key]); err != nil {
			return fmt.Errorf("/%s of the security store: %w", key, err)
		}
	}
	entries, err := before.Dict(had["VRI"])
	if err != nil {
		return fmt.Errorf("/VRI: %w", err)
	}
	kept, err := after.Dict(has["VRI"])
	if err != nil {
		return fmt.Errorf("/VRI: %w", err)
	}
	for key := range entries {
		if err := keepsEntry(before, after, entries[key], kept[key]); err != nil {
			return fmt.Errorf("/VRI of signature %s: %w", key, err)
		}
	}
	return nil
}

// keepsEntry checks the entry of one signature.
func keepsEntry(before, after *pdf.Document, old, now pdf.Object) error {
	had, err := before.Dict(old)
	if err != nil {
		return err
	}
	has, err := after.Dict(now)
	if err != nil {
		return err
	}
	if has == nil {
		return errors.New("it is lost")
	}
	for _, key := range entryLists {
		if err := keepsStreams(before, after, had[key], has[key]); err != nil {
			return fmt.Errorf("/%s: %w", key, err)
		}
	}
	return nil
}

// keepsStreams checks that every stream of one array is in the other, as the same object or as another one that
// says the same: some programs write their store anew.
func keepsStreams(before, after *pdf.Document, old, now pdf.Object) error {
	had, err := before.Array(old)
	if err != nil {
		return err
	}
	has, err := after.Array(now)
	if err != nil {
		return err
	}
	refs := map[pdf.Object]bool{}
	for _, o := range has {
		if r, ok := o.(pdf.Ref); ok {
			refs[r] = true
		}
	}
	var said map[[32]byte]bool // read when it is first needed
	for _, o := range had {
		if r, ok := o.(pdf.Ref); ok && refs[r] {
			continue
		}
		if said == nil {
			if said, err = digests(after, has); err != nil {
				return err
			}
		}
		d, err := digest(before, o)
		if err != nil {
			return err
		}
		if !said[d] {
			return fmt.Errorf("%v is lost", o)
		}
	}
	return nil
}

func digests(d *pdf.Document, a pdf.Array) (map[[32]byte]bool, error) {
	all := make(map[[32]byte]bool, len(a))
	for _, o := range a {
		sum, err := digest(d, o)
		if err != nil {
			return nil, err
		}
		all[sum] = true
	}
	return all, nil
}

// digest returns the SHA-256 of what a stream says.
func digest(d *pdf.Document, o pdf.Object) ([32]byte, error) {
	s, err := d.Stream(o)
	if err != nil || s == nil {
		return [32]byte{}, errors.Join(fmt.Errorf("%v is no stream", o), err)
	}
	b, err := d.Decode(s)
	return sha256.Sum256(b), err
}
