package contract

import (
	"fmt"
	"time"
)

// RecordEvidenceRenewal returns the event that a later timestamp was added to the evidence certificate of a document, which has that SHA-256 now.
func RecordEvidenceRenewal(d *Document, digest [32]byte, now time.Time) (Event, error) {
	e, err := RecordEvidence(d, digest, now)
	e.Type = EventEvidenceRenewed
	return e, err
}

// RecordEvidence returns the event that an evidence certificate with that SHA-256 was made. Only a completed document has one.
func RecordEvidence(d *Document, digest [32]byte, now time.Time) (Event, error) {
	if d.State != Completed {
		return Event{}, ErrNotCompleted
	}
	if d.IsRemoved() {
		return Event{}, ErrRemoved
	}
	return Event{Type: EventEvidenceMade, Document: d.ID, At: now, Details: map[string]string{"evidence": fmt.Sprintf("%x", digest)}}, nil
}
