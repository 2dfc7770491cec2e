package cms

import (
	"crypto/x509"
	"fmt"
	"runtime"
	"sync"
	weakly "weak"
)

// certificateCache are the certificates that somebody holds, by their bytes.
var certificateCache sync.Map // of string to weakly.Pointer[x509.Certificate]

// ParseCertificate reads a DER certificate. Whoever reads the same bytes again, while somebody still holds what came of
// them, gets the same certificate, which is not to be changed: those of authorities stand in every signature and every
// timestamp of a file. What nobody holds any more is forgotten.
//
// It also reads certificates that crypto/x509 refuses for one part of them, such as a negative serial number or a string
// of an unusual type: see [CheckEncoding]. Keys of kinds that crypto/x509 does not know are read as far as this package
// can verify with them, and are an [UnsupportedKey] otherwise. Errors: those of crypto/x509.
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

// CheckEncoding returns why crypto/x509 does not read a certificate that [ParseCertificate] reads, or nil.
func CheckEncoding(c *x509.Certificate) error {
	if _, err := x509.ParseCertificate(c.Raw); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	return nil
}
