package cms

import (
	"crypto/x509"
	"fmt"
	"runtime"
	"sync"
	weakly "weak"
)

// certificateCache holds the certificates that are in use, by their bytes.
var certificateCache sync.Map // of string to weakly.Pointer[x509.Certificate]

// ParseCertificate parses a DER certificate. While a certificate is in use, parsing the same bytes again returns the
// same value, which must not be changed: the certificates of authorities occur in every signature and timestamp of a
// file. Unused certificates are garbage-collected.
//
// It also parses certificates that crypto/x509 refuses because of one part, such as a negative serial number or a
// string of an unusual type: see [CheckEncoding]. Keys of types that crypto/x509 does not support are parsed if this
// package can verify with them, and are an [UnsupportedKey] otherwise. Errors: those of crypto/x509.
func ParseCertificate(der []byte) (*x509.Certificate, error) {
	if known, ok := certificateCache.Load(string(der)); ok {
		if c := known.(weakly.Pointer[x509.Certificate]).Value(); c != nil {
			return c, nil
		}
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		var ok bool
		if c, ok = parseLenient(der); !ok {
			return nil, err
		}
	}
	if c.PublicKey == nil {
		c.PublicKey, c.PublicKeyAlgorithm = parseKey(c.RawSubjectPublicKeyInfo)
	}
	key, held := string(der), weakly.Make(c)
	certificateCache.Store(key, held)
	runtime.AddCleanup(c, func(key string) { certificateCache.CompareAndDelete(key, held) }, key)
	return c, nil
}

// CheckEncoding returns the reason why crypto/x509 refuses a certificate that [ParseCertificate] accepts, or nil.
func CheckEncoding(c *x509.Certificate) error {
	if _, err := x509.ParseCertificate(c.Raw); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	return nil
}
