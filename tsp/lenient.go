package tsp

import (
	"errors"

	"segel/cms"
)

// ParseLenient parses a token from a file like Parse, and also accepts BER, which older authorities wrote; basic
// reports that. The TSTInfo must be DER in any case (RFC 3161 §2.4.2). Use Parse for new tokens.
func ParseLenient(b []byte) (t *Token, basic bool, err error) {
	t, err = Parse(b)
	if !errors.Is(err, cms.ErrMalformed) {
		return t, false, err
	}
	der, changed, berErr := cms.ConvertToDER(b)
	if berErr != nil || !changed {
		return nil, false, err
	}
	t, err = Parse(der)
	return t, err == nil, err
}
