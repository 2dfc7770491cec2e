// Package authstatement has the signed attribute in which the service states, in each signature that it makes for a person with an account,
// how that person was authenticated. The format is docs/formats/authentication.md.
//
// The attribute is a claim of the signer like every signed attribute. It is a statement of the service only where the service holds the
// signer's key, which follows from the certificate: callers have to check that.
package authstatement

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"segel/cms"
)

// OID identifies the attribute.
var OID = asn1.ObjectIdentifier{2, 25, 1879048192, 3, 1}

// Statement says how a signer was authenticated.
type Statement struct {
	Factor       string // a value of contract.Factor; readers meet values of later releases
	ForSignature bool   // it was proved for this signature, or for those of one consent; else at the login
	Key          string // the name of the API key, as the person chose it; empty for other factors
}

// version is the first element of the value.
const version = 1

// Limits of a statement, in characters.
const (
	maxFactor = 40
	maxKey    = 100
)

// ErrMalformed is an attribute that is not in the format.
var ErrMalformed = errors.New("malformed statement of authentication")

// encodedStatement is the value of the attribute in ASN.1.
type encodedStatement struct {
	Version      int
	Factor       string `asn1:"utf8"`
	ForSignature bool   `asn1:"optional"` // DEFAULT FALSE
	Key          string `asn1:"utf8,optional,omitempty,tag:0"`
}

// checkLimits returns ErrMalformed for a statement that is outside the limits. Factors are codes, so that no text in their place can read as a sentence
// of a report.
func (s Statement) checkLimits() error {
	if s.Factor == "" || len(s.Factor) > maxFactor || strings.Trim(s.Factor, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return ErrMalformed
	}
	if !utf8.ValidString(s.Key) || utf8.RuneCountInString(s.Key) > maxKey {
		return ErrMalformed
	}
	return nil
}

// Attribute returns the signed attribute. It returns ErrMalformed for a statement without a factor, or with a text that is too long.
func (s Statement) Attribute() (cms.Attribute, error) {
	if err := s.checkLimits(); err != nil {
		return cms.Attribute{}, err
	}
	value, err := asn1.Marshal(encodedStatement{version, s.Factor, s.ForSignature, s.Key})
	if err != nil {
		return cms.Attribute{}, fmt.Errorf("encode statement of authentication: %w", err)
	}
	return cms.NewAttribute(OID, value), nil
}

// Find returns the statement among the signed attributes of a signature; nil if there is none. It returns ErrMalformed for one that is not in
// the format, and for several.
func Find(signed []cms.Attribute) (*Statement, error) {
	value, present, err := cms.FindAttributeValue(signed, OID)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	case !present:
		return nil, nil
	}
	return parseStatement(value)
}

// parseStatement parses the value of the attribute. Only the encoding that Attribute makes is accepted, so that each statement has one.
func parseStatement(value []byte) (*Statement, error) {
	var e encodedStatement
	if rest, err := asn1.Unmarshal(value, &e); err != nil || len(rest) > 0 || e.Version != version {
		return nil, ErrMalformed
	}
	s := Statement{e.Factor, e.ForSignature, e.Key}
	if err := s.checkLimits(); err != nil {
		return nil, err
	}
	if again, err := asn1.Marshal(e); err != nil || !bytes.Equal(again, value) {
		return nil, ErrMalformed
	}
	return &s, nil
}
