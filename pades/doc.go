// Package pades signs PDF files as PAdES asks for (ETSI EN 319 142-1, ISO 32000-2 §12.8), from level B-B to
// B-LTA, by incremental updates only: every function returns a tail to append and never changes a byte that was
// there.
//
// The steps of a signed document are
//
//	AddFields          every signature field in one update, before the first signature
//	Sign               fills one field: B-B, or B-T with a Timestamper
//	AddDSS             adds certificates and revocation proof in a document security store: B-LT
//	DocumentTimestamp  a timestamp over all of it: B-LTA
//	Renew              proof of the newest timestamp and another one, before it ages
//
// Sign is Prepare, a key, a Timestamper and Prepared.Finish in a row. A Prepared can be kept while a remote key
// takes its time.
//
// The file is a Source: random access, a length and the SHA-256 midstate of all of its bytes. With the midstate
// only the tail is hashed, so the n-th signature costs the same on 100 KB and on 1 GB.
//
// What the file asks of a signature is heeded. Certifications and locks of earlier signatures may forbid it
// (ErrCertified, ErrFieldLocked; Permits tells beforehand), and so may the seed values of its field (ErrSeedValue).
//
// Boxes are in points of default user space as pdf.Page.ToUser makes them, sizes and offsets in bytes. Errors are named
// for errors.Is: those here, and those of package pdf for the file itself.
//
// What was made is checked before it is returned: see Check.
package pades
