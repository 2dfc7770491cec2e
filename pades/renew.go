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

// Renew extends the life of a B-LTA file before its newest document timestamp becomes invalid, because a certificate
// expires or an algorithm weakens: it adds the validation data of that timestamp and then a new timestamp over the
// whole file. Call it while the old timestamp still validates. The two updates are one tail, and Result.Field is the
// field of the new timestamp.
//
// Without Required fields, the newest timestamp is the required one; data for the others is optional. Errors:
// ErrNoTimestamp, ErrRevocationData, ErrTimestamp, ErrEncrypted.
func Renew(ctx context.Context, src Source, t tsp.Timestamper, clock Clock, o ValidationOptions) (*Result, error) {
	newest, err := findNewestTimestamp(src)
	if err != nil {
		return nil, err
	}
	if o.Required == nil {
		o.Required = []string{newest}
	}
	dss, err := AddDSS(ctx, src, o)
	if err != nil {
		return nil, err
	}
	r, err := DocumentTimestamp(ctx, src.WithResult(dss), t, clock)
	if err != nil {
		return nil, err
	}
	r.Tail = slices.Concat(dss.Tail, r.Tail)
	return r, nil
}

// findNewestTimestamp returns the field name of the document timestamp that covers the most bytes.
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
