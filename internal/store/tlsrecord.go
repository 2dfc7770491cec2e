package store

import (
	"context"
	"time"
)

// TLSRecords stores what nodes share about the TLS certificate of their listener. The caller seals the content.
type TLSRecords interface {
	// TLSRecord returns the content of a record, or ErrNotFound.
	TLSRecord(ctx context.Context, name string) ([]byte, error)

	// StoreTLSRecord stores a record in place of one of that name. Durable on return.
	StoreTLSRecord(ctx context.Context, name string, content []byte, at time.Time) error
}
