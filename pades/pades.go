// Package pades signs PDF files as PAdES (ETSI EN 319 142-1, ISO 32000-2 §12.8), from level B-B to B-LTA. It uses
// incremental updates only: every function returns a tail to append and never changes existing bytes.
//
// The steps of a signed document are
//
//	AddFields          every signature field in one update, before the first signature
//	Sign               fills one field: B-B, or B-T with a Timestamper
//	AddDSS             adds certificates and revocation data in a document security store: B-LT
//	DocumentTimestamp  a timestamp over the whole file: B-LTA
//
// Before the newest document timestamp expires, AddDSS and DocumentTimestamp renew the file.
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
// Every result is verified before it is returned: see VerifyTail.
package pades

import (
	"errors"
	"fmt"

	"segel/pdf"
)

// Errors of this package, for errors.Is. Defects of the file are errors of package pdf.
var (
	// ErrNoField is a field that does not exist or is not a signature field.
	ErrNoField = errors.New("no such signature field")
	// ErrFieldExists is a new field whose name is taken.
	ErrFieldExists = errors.New("field exists already")
	// ErrFieldSigned is a field that is signed already.
	ErrFieldSigned = errors.New("field is signed already")
	// ErrFieldLocked is a field that an earlier signature locked.
	ErrFieldLocked = errors.New("field is locked by an earlier signature")
	// ErrCertified is a change that the certification of the file forbids.
	ErrCertified = errors.New("certification of the file forbids this")
	// ErrSeedValue is a signature that does not meet the seed values of its field.
	ErrSeedValue = errors.New("signature does not meet the seed values of its field")
	// ErrNotFirst is a certification after another signature.
	ErrNotFirst = errors.New("only the first signature can certify")
	// ErrEncrypted is a file that needs a password or an unknown security handler.
	ErrEncrypted = errors.New("file is encrypted")
	// ErrContainerSize is a container that is larger than the space reserved for it.
	ErrContainerSize = errors.New("container is larger than the reserved size")
	// ErrTimestamp is a timestamp that was not obtained. Without it the signature is not made.
	ErrTimestamp = errors.New("no timestamp")
	// ErrRevocationData is a certificate that is revoked or whose revocation data is missing.
	ErrRevocationData = errors.New("no usable revocation data of a certificate")
	// ErrCheck is a new signature that does not verify.
	ErrCheck = errors.New("signature does not verify")
)

// ContainerSizeError is ErrContainerSize with the sizes of the container in bytes: call Prepare again with
// Options.ReservedSize set to Need.
type ContainerSizeError struct{ Need, Have int }

func (e *ContainerSizeError) Error() string {
	return fmt.Sprintf("%v: %d bytes for %d", ErrContainerSize, e.Have, e.Need)
}

// Is makes it ErrContainerSize.
func (e *ContainerSizeError) Is(target error) bool { return target == ErrContainerSize }

// openSource opens the source and reports encrypted files as ErrEncrypted.
func openSource(src Source) (*pdf.Document, error) {
	d, err := src.Open()
	if errors.Is(err, pdf.ErrEncrypted) || errors.Is(err, pdf.ErrPasswordNeeded) {
		return nil, fmt.Errorf("%w: %w", ErrEncrypted, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return d, nil
}
