package facts

import (
	"segel/pdf"
)

// Store is the document security store (ISO 32000-2 §12.8.4.3).
type Store struct {
	Certs, OCSPs, CRLs []Proof
	VRI                []VRI
}

// Proof is one certificate, OCSP response or CRL as DER. What it says is not judged.
type Proof struct {
	DER      []byte
	Ref      pdf.Ref
	Revision int // in which it was first there, from 1; 0 if that is not known
}

// VRI is what the store says belongs to one signature.
type VRI struct {
	Key                pdf.Name // upper-case hexadecimal SHA-1 of /Contents
	Certs, OCSPs, CRLs [][]byte
	TU                 string // time of its making, as stated
	Revision           int
}
