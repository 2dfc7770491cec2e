// Package pades signs PDF files as PAdES (ETSI EN 319 142-1, ISO 32000-2 §12.8), from level B-B to B-LTA. It uses
// incremental updates only: every function returns a tail to append and never changes existing bytes.
//
// The steps of a signed document are
//
//	AddFields          every signature field in one update, before the first signature
//	Sign               fills one field: B-B, or B-T with a Timestamper
//	AddDSS             adds certificates and revocation data in a document security store: B-LT
//	DocumentTimestamp  a timestamp over the whole file: B-LTA
//	Renew              validation data of the newest timestamp and another timestamp, before the old one expires
//
// Sign calls Prepare, a key, a Timestamper and Prepared.Finish. With a remote key, a Prepared can be stored until the
// key has answered.
//
// The file is a Source: random access, a length and the SHA-256 midstate of all its bytes. With the midstate only the
// tail is hashed, so the n-th signature costs the same on 100 KB and on 1 GB.
//
// Signing obeys the restrictions in the file. Certifications and locks of earlier signatures may forbid it
// (ErrCertified, ErrFieldLocked; RequireNewFieldPermitted checks this beforehand), and so may the seed values of the
// field (ErrSeedValue).
//
// Boxes are in points of default user space, as from pdf.Page.ToUser; sizes and offsets are in bytes. Errors are for
// errors.Is: those declared here, and those of package pdf for defects of the file.
//
// Every result is verified before it is returned: see Check.
package pades
