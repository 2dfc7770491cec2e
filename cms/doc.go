// Package cms builds, parses and verifies CMS SignedData (RFC 5652) as PAdES and RFC 3161 use it: one signer, signed
// attributes, certificates included, DER throughout.
//
// Building is split for remote keys. [NewSignature] fixes what is signed; [Signature.Digest] is what the key signs;
// [Signature.Finish] builds the container from the signature value. The attributes are encoded only once, so the
// container holds exactly the bytes that were signed.
package cms
