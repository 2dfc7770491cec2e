package tsp

import (
	"errors"

	"segel/cms"
)

// ParseLenient reads a token that is in a file: as Parse does, and by the basic encoding rules where it is not DER, as older
// authorities wrote them. Basic tells so. The statement itself has to be DER all the same (RFC 3161 §2.4.2). A token that
// was asked for just now is for Parse.
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
