package pades

import (
	"errors"
	"fmt"

	"segel/pdf"
)

// Errors of this package, for errors.Is. Errors of the file itself are those of package pdf.
var (
	// ErrNoField is a field that is missing, or is no signature field.
	ErrNoField = errors.New("no such signature field")
	// ErrFieldExists is a new field whose name is taken.
	ErrFieldExists = errors.New("field exists already")
	// ErrFieldSigned is a field that has a signature.
	ErrFieldSigned = errors.New("field is signed already")
	// ErrFieldLocked is a field that an earlier signature locked.
	ErrFieldLocked = errors.New("field is locked by an earlier signature")
	// ErrCertified is a change that the certification of the file forbids.
	ErrCertified = errors.New("certification of the file forbids this")
	// ErrSeedValue is a signature that is not what its field asks for.
	ErrSeedValue = errors.New("field asks for another signature")
	// ErrNotFirst is a certification behind another signature.
	ErrNotFirst = errors.New("only the first signature can certify")
	// ErrEncrypted is a file that does not open without a password, or by no handler that is known.
	ErrEncrypted = errors.New("file is encrypted")
	// ErrContainerSize is a container that is larger than what was reserved for it.
	ErrContainerSize = errors.New("no room for the signature")
	// ErrTimestamp is trusted time that could not be had. No signature is made without the timestamp it
	// was to have.
	ErrTimestamp = errors.New("no timestamp")
	// ErrRevocationData is a certificate that was revoked, or whose good standing could not be proved.
	ErrRevocationData = errors.New("no proof of a certificate")
	// ErrCheck is a signature that was made and does not hold.
	ErrCheck = errors.New("signature does not hold")
)

// ContainerSizeError is ErrNoRoom with the sizes, in bytes of the container: Prepare again with Options.Room set to Need.
type ContainerSizeError struct{ Need, Have int }

func (e *ContainerSizeError) Error() string {
	return fmt.Sprintf("%v: %d bytes for %d", ErrContainerSize, e.Have, e.Need)
}

// Is makes it ErrNoRoom.
func (e *ContainerSizeError) Is(target error) bool { return target == ErrContainerSize }

// openSource opens the source and tells encrypted files apart.
func openSource(src Source) (*pdf.Document, error) {
	d, err := pdf.Open(src.R, src.Size, src.File)
	if errors.Is(err, pdf.ErrEncrypted) || errors.Is(err, pdf.ErrPasswordNeeded) {
		return nil, fmt.Errorf("%w: %w", ErrEncrypted, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return d, nil
}
