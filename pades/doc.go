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
//
// Sign is Prepare, a key, a Timestamper and Prepared.Finish in a row. A Prepared can be kept while a remote key
// takes its time.
//
// The file is a Source: random access, a length and the SHA-256 midstate of all of its bytes. With the midstate
// only the tail is hashed, so the n-th signature costs the same on 100 KB and on 1 GB.
//
// What was made is checked before it is returned: see Check.
package pades
