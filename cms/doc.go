// Package cms builds, parses and verifies CMS SignedData (RFC 5652) the way PAdES and RFC 3161 use it: one
// signer, signed attributes, certificates included, DER throughout.
//
// Building is split where a key may be far away. [NewSignature] fixes what is signed; [Signature.Digest] is
// what the key signs; [Signature.Finish] makes the container from the signature value. The attributes are
// encoded once and never again, so what was signed is what is sent.
package cms
