package cms

import (
	"crypto/x509"
	"runtime"
	"sync"
	weakly "weak"
)

// parsed are the certificates that somebody holds, by their bytes.
var parsed sync.Map // of string to weakly.Pointer[x509.Certificate]

// ParseCertificate reads a DER certificate. Whoever reads the same bytes again, while somebody still holds what came of
// them, gets the same certificate, which is not to be changed: those of authorities stand in every signature and every
// timestamp of a file. What nobody holds any more is forgotten.
func ParseCertificate(der []byte) (*x509.Certificate, error) {
	if known, ok := parsed.Load(string(der)); ok {
		if c := known.(weakly.Pointer[x509.Certificate]).Value(); c != nil {
			return c, nil
		}
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	key, held := string(der), weakly.Make(c)
	parsed.Store(key, held)
	runtime.AddCleanup(c, func(key string) { parsed.CompareAndDelete(key, held) }, key)
	return c, nil
}
