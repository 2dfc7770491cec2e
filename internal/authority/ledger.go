package authority

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrUnknown is a serial that was never issued.
var ErrUnknown = errors.New("certificate was not issued here")

// Record is one certificate in the ledger.
type Record struct {
	Serial    string // lower-case hexadecimal
	Subject   string
	DER       []byte
	IssuedAt  time.Time
	NotAfter  time.Time
	RevokedAt time.Time // zero: not revoked
	Reason    int       // RFC 5280 §5.3.1
	Holder    string    // our identifier of the holder

	// What was verified about the holder, who named a guest, the organisation and the holder's e-mail address, as
	// given. Empty for certificates from before this was recorded.
	Assurance    Assurance
	NamedBy      string
	Organisation string
	Email        string
}

// Ledger records which certificates were issued and revoked. A certificate is in the ledger before it is used or handed out.
type Ledger interface {
	RecordIssued(ctx context.Context, r Record) error
	// Lookup returns the records of these serials as they are at one moment. Those that were never issued are missing.
	Lookup(ctx context.Context, serials ...string) (map[string]Record, error)
	ListRevoked(ctx context.Context) ([]Record, error)
	// CountRevoked returns the number of records of ListRevoked, without reading them.
	CountRevoked(ctx context.Context) (int, error)
	// Revoke marks a certificate as revoked since a time, once: a second call changes neither time nor reason. Durable
	// on return. ErrUnknown for a serial that was never issued.
	Revoke(ctx context.Context, serial string, reason int, at time.Time) error
}

// MemoryLedger is a ledger in memory, for one signature or a test.
type MemoryLedger struct {
	mu      sync.Mutex // guards records
	records map[string]Record
}

// RecordIssued adds a record.
func (m *MemoryLedger) RecordIssued(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records == nil {
		m.records = map[string]Record{}
	}
	m.records[r.Serial] = r
	return nil
}

// Lookup returns the records of serials.
func (m *MemoryLedger) Lookup(_ context.Context, serials ...string) (map[string]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := map[string]Record{}
	for _, serial := range serials {
		if r, ok := m.records[serial]; ok {
			found[serial] = r
		}
	}
	return found, nil
}

// ListRevoked returns the revoked records.
func (m *MemoryLedger) ListRevoked(context.Context) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Record
	for _, r := range m.records {
		if !r.RevokedAt.IsZero() {
			out = append(out, r)
		}
	}
	return out, nil
}

// CountRevoked returns the number of revoked records.
func (m *MemoryLedger) CountRevoked(ctx context.Context) (int, error) {
	all, err := m.ListRevoked(ctx)
	return len(all), err
}

// Revoke marks a record as revoked.
func (m *MemoryLedger) Revoke(_ context.Context, serial string, reason int, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[serial]
	if !ok {
		return ErrUnknown
	}
	if r.RevokedAt.IsZero() {
		r.RevokedAt, r.Reason = at, reason
		m.records[serial] = r
	}
	return nil
}
