package documents

import (
	"errors"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/outage"
	"segel/pdf"
)

// Refusals of a file.
var (
	ErrNotPDF        = contract.Refuse(contract.Unsupported, "file.unsupported")
	ErrEmpty         = contract.Refuse(contract.Unsupported, "file.empty")
	ErrTooLarge      = contract.Refuse(contract.TooLarge, "file.too_large")
	ErrDamaged       = contract.Refuse(contract.Invalid, "file.damaged")
	ErrEncrypted     = contract.Refuse(contract.Invalid, "file.encrypted")
	ErrPassword      = contract.Refuse(contract.Invalid, "file.password_needed")
	ErrNoPages       = contract.Refuse(contract.Invalid, "file.no_pages")
	ErrDamagedSigned = contract.Refuse(contract.Invalid, "file.damaged_signed")
	ErrComplex       = contract.Refuse(contract.Invalid, "file.too_complex")
	ErrCertified     = contract.Refuse(contract.Invalid, "file.certified")
)

// PDFRefusal maps errors of the PDF reader to refusals.
func PDFRefusal(err error) error {
	switch {
	case outage.Of(err) != nil: // the reader reports unreadable bytes as damage
		return err
	case errors.Is(err, pdf.ErrNotPDF):
		return ErrNotPDF.WithCause(err)
	case errors.Is(err, pdf.ErrPasswordNeeded):
		return ErrPassword.WithCause(err)
	case errors.Is(err, pdf.ErrEncrypted):
		return ErrEncrypted.WithCause(err)
	case errors.Is(err, pdf.ErrSigned):
		return ErrDamagedSigned.WithCause(err)
	case errors.Is(err, pdf.ErrTooLarge):
		return ErrComplex.WithCause(err)
	case errors.Is(err, pdf.ErrDamaged), errors.Is(err, pdf.ErrUnsupported):
		return ErrDamaged.WithCause(err)
	}
	return err
}

// Refusals of a document whose stored bytes are missing or changed. The operator has to restore them.
var (
	ErrFileMissing = contract.Refuse(contract.Unavailable, "document.file_missing")
	ErrFileChanged = contract.Refuse(contract.Unavailable, "document.file_changed")
)

// BlobRefusal turns errors of the blob store about missing or changed bytes into ErrFileMissing or ErrFileChanged. It
// returns other errors unchanged.
func BlobRefusal(err error) error {
	var corrupt *blob.CorruptError
	switch {
	case err == nil, errors.Is(err, ErrFileMissing), errors.Is(err, ErrFileChanged):
	case errors.Is(err, blob.ErrNotFound), errors.As(err, &corrupt) && corrupt.Chunk < 0:
		return ErrFileMissing.WithCause(err)
	case errors.As(err, &corrupt), errors.Is(err, blob.ErrKey), errors.Is(err, blob.ErrSegment):
		return ErrFileChanged.WithCause(err)
	}
	return err
}
