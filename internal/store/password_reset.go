package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// PasswordRequest is a request for a new password, for any address.
type PasswordRequest struct {
	ID        string // a UUID
	Email     string // as it was entered
	Language  string
	IP        string
	UserAgent string
	At        time.Time
}

// PasswordReset is a reset link, with which a person replaces their password once. Its secret is derived from the master key; only its SHA-256 is
// stored.
type PasswordReset struct {
	ID        string // a UUID
	Person    contract.PersonID
	Hash      [32]byte
	CreatedAt time.Time
	ExpiresAt time.Time
}

// PasswordResets stores requests for new passwords and the reset links that answer them. Each replacement of a password, and disabling the account,
// deletes the links of the person.
type PasswordResets interface {
	// AddPasswordRequest stores a request, logs the event and enqueues the delivery of account notices. It does the same work for every address.
	AddPasswordRequest(ctx context.Context, r PasswordRequest, e contract.Event) error
	// PasswordRequests returns up to limit requests, the oldest first.
	PasswordRequests(ctx context.Context, limit int) ([]PasswordRequest, error)
	// AnswerPasswordRequest deletes a request, and stores the links and the notices that answer it. ErrNotFound: another process has answered it.
	AnswerPasswordRequest(ctx context.Context, id string, resets []PasswordReset, notices []contract.Notice) error
	// PasswordReset returns a link by its identifier, and PasswordResetByHash by the hash of its secret, expired or not. ErrNotFound: there is none.
	PasswordReset(ctx context.Context, id string) (PasswordReset, error)
	PasswordResetByHash(ctx context.Context, hash [32]byte) (PasswordReset, error)
	// UsePasswordReset is SetPassword with a reset link of the person, and orders the notice. ErrNotFound: the link was used, had expired at the
	// time of the event, or was ended by another change of the password.
	// Keys says that the API keys of the person end too.
	UsePasswordReset(ctx context.Context, r PasswordReset, was, encoded string, keys bool, e contract.Event, n contract.Notice) error
}
