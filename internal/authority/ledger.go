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
	RevokedAt time.Time // zero: good
	Reason    int       // RFC 5280 §5.3.1
	Holder    string    // our identifier of whom it is made out to

	// What was verified about the holder, who named a guest, the organisation and the holder's e-mail, as they were given.
	// Empty for certificates that were made before this was recorded.
	Assurance    Assurance
	NamedBy      string
	Organisation string
	Email        string
}

// Ledger remembers what was issued and revoked. A certificate is in the ledger before anybody gets it.
type Ledger interface {
	Issued(ctx context.Context, r Record) error
	Lookup(ctx context.Context, serial string) (Record, error) // ErrUnknown
	Revoked(ctx context.Context) ([]Record, error)
	// Revocations counts what Revoked lists, cheaply.
	Revocations(ctx context.Context) (int, error)
	// Revoke marks a certificate revoked since a moment, once: of one that is, time and reason stay. It is durable on
	// return. ErrUnknown for a serial that was never issued.
	Revoke(ctx context.Context, serial string, reason int, at time.Time) error
}

// Memory is a ledger that lasts as long as the program, for one signature or a test.
type Memory struct {
	mu      sync.Mutex // guards records
	records map[string]Record
}

// Issued adds a record.
func (m *Memory) Issued(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records == nil {
		m.records = map[string]Record{}
	}
	m.records[r.Serial] = r
	return nil
}

// Lookup returns the record of a serial.
func (m *Memory) Lookup(_ context.Context, serial string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[serial]
	if !ok {
		return Record{}, ErrUnknown
	}
	return r, nil
}

// Revoked lists the revoked records.
func (m *Memory) Revoked(context.Context) ([]Record, error) {
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

// Revocations counts the revoked records.
func (m *Memory) Revocations(ctx context.Context) (int, error) {
	all, err := m.Revoked(ctx)
	return len(all), err
}

// Revoke marks a serial revoked.
func (m *Memory) Revoke(_ context.Context, serial string, reason int, at time.Time) error {
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
