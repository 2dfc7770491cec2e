package pades

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/cms"
	"segel/pdf"
	"segel/tsp"
)

// LatestTimestamp returns the latest time that a timestamp of the file states about those fields: of the signature in a
// field, or of a field that is a document timestamp itself. It is zero where none of them has a timestamp. Nothing of the
// file is verified: who made it knows that it holds, see [Check]. A field that is not signed is ErrNoField.
func LatestTimestamp(src Source, fields ...string) (time.Time, error) {
	var latest time.Time
	d, err := openSource(src)
	if err != nil {
		return latest, err
	}
	signatures, err := d.Signatures()
	if err != nil {
		return latest, err
	}
	found := 0
	for _, s := range signatures {
		if !slices.Contains(fields, s.Field.Name) {
			continue
		}
		found++
		token, err := parseToken(s.SubFilter, s.Contents)
		if err != nil {
			return latest, fmt.Errorf("field %q: %w", s.Field.Name, err)
		}
		if token != nil && token.Time.After(latest) {
			latest = token.Time
		}
	}
	if found < len(fields) {
		return latest, fmt.Errorf("%w: of %q only %d are signed", ErrNoField, fields, found)
	}
	return latest, nil
}

// parseToken returns the timestamp in the container of a signature, or that is one; nil if there is none.
func parseToken(kind pdf.Name, contents []byte) (*tsp.Token, error) {
	if kind == subFilterTimestamp {
		return tsp.Parse(contents)
	}
	sd, err := cms.Parse(contents)
	if err != nil {
		return nil, err
	}
	if len(sd.Signers) != 1 {
		return nil, errors.New("not a signature of one signer")
	}
	return parseSignatureTimestamp(sd.Signers[0])
}
