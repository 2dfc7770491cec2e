package pades

import (
	"context"
	"errors"
	"slices"

	"segel/pdf"
	"segel/tsp"
)

// ErrNoTimestamp is a file without a document timestamp to renew.
var ErrNoTimestamp = errors.New("no document timestamp")

// Renew carries a file of level B-LTA over the end of what its newest document timestamp rests on, a certificate that
// expires or an algorithm that weakens: it adds what proves that timestamp, and then a new one over all of it. It has
// to be done while the old one can still be proved. The two updates are one tail, and Result.Field is the new
// timestamp's.
//
// With no Required fields the newest timestamp is the one that has to be proved. What the file has about the others
// is taken as it is. Errors: ErrNoTimestamp, ErrProof, ErrTimestamp, ErrEncrypted.
func Renew(ctx context.Context, src Source, t tsp.Timestamper, clock Clock, o ValidationOptions) (*Result, error) {
	newest, err := findNewestTimestamp(src)
	if err != nil {
		return nil, err
	}
	if o.Required == nil {
		o.Required = []string{newest}
	}
	proof, err := AddDSS(ctx, src, o)
	if err != nil {
		return nil, err
	}
	r, err := DocumentTimestamp(ctx, src.WithResult(proof), t, clock)
	if err != nil {
		return nil, err
	}
	r.Tail = slices.Concat(proof.Tail, r.Tail)
	return r, nil
}

// findNewestTimestamp names the field of the document timestamp that covers most.
func findNewestTimestamp(src Source) (string, error) {
	d, err := openSource(src)
	if err != nil {
		return "", err
	}
	signatures, err := d.Signatures()
	if err != nil {
		return "", err
	}
	var newest *pdf.Signature
	for _, s := range signatures {
		if s.SubFilter == subFilterTimestamp && (newest == nil || s.ContentsAt > newest.ContentsAt) {
			newest = s
		}
	}
	if newest == nil {
		return "", ErrNoTimestamp
	}
	return newest.Field.Name, nil
}
