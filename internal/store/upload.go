package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// ResumableUploads stores files that arrive in parts. Each part is a blob that is durable before its row; the row makes it part of
// the upload. A document takes an upload by Change.Upload. An upload that has ended is like one that does not exist: its blobs are
// removed, and then its rows.
type ResumableUploads interface {
	// AddUpload stores a new upload, or returns the error of contract.CheckOpenUploads if the open uploads of the person or
	// the organisation would exceed the limits.
	AddUpload(ctx context.Context, u contract.ResumableUpload, l contract.Limits) error

	// ResumableUpload reads an upload that has not ended, even if it has expired.
	ResumableUpload(ctx context.Context, id contract.UploadID) (contract.ResumableUpload, error)

	// AppendPart adds a part that begins where the upload ended when it was read. It stores Received, Digest and Midstate of after,
	// which include the part. It returns ErrConflict if the upload has another length by now, belongs to a document, or has
	// ended.
	AppendPart(ctx context.Context, received int64, after contract.ResumableUpload, part contract.File) error

	// UploadParts returns the parts of an upload in their order, also after it has ended.
	UploadParts(ctx context.Context, id contract.UploadID) ([]contract.File, error)

	// EachPart calls yield with each part and its upload until yield returns false. No transaction is open while yield runs.
	EachPart(ctx context.Context, yield func(contract.UploadID, contract.File) bool) error

	// EndUpload ends an upload. What became a document stays a document. Ending it again changes nothing.
	EndUpload(ctx context.Context, id contract.UploadID) error

	// ForgetParts deletes the rows of an upload's parts, whose blobs are removed, and the upload itself once it has ended. It does
	// nothing to an upload that can be continued.
	ForgetParts(ctx context.Context, id contract.UploadID) error

	// UnneededUploads returns up to limit uploads that have expired at that moment or ended, and those that became a document and still
	// have parts.
	UnneededUploads(ctx context.Context, now time.Time, limit int) ([]contract.UploadID, error)
}
