package workflow

import (
	"segel/internal/contract"
	"segel/internal/store"
)

// OrganisationQuota is the quota of one organisation, by unit.
type OrganisationQuota struct {
	Organisation store.Organisation
	Quota        map[contract.Unit]store.Quota
}

// GrantRequest changes the quota of an organisation. A negative count takes quota back.
type GrantRequest struct {
	Organisation contract.OrganisationID // empty: the caller's own organisation
	Unit         contract.Unit
	Count        int
	Reason       string
}

// LedgerLine is one entry of the quota ledger, with the names of its organisation and document.
type LedgerLine struct {
	store.QuotaEntry
	Organisation store.Organisation
	Title        store.Title // zero: the entry has no document, or the document was deleted
}

// LedgerPage is one page of the ledger. Total counts the entries of all pages.
type LedgerPage struct {
	Lines []LedgerLine
	Total int
}

// AttemptLine is one call to the stamp office, with the names of its organisation and document.
type AttemptLine struct {
	contract.Attempt
	Organisation store.Organisation
	Title        store.Title          // zero: the document was deleted
	SerialState  contract.SerialState // current state of the serial; empty: the attempt has no serial, or the register does not know it
}

// Page returns the page of the stamp's placement, or 0 if it is no longer known.
func (l AttemptLine) Page() int { return l.Title.Pages[l.Stamp] }

// AttemptPage is one page of attempts. Total counts the attempts of all pages.
type AttemptPage struct {
	Lines []AttemptLine
	Total int
}

// SerialLine is one serial of the register, with the names of its organisation and documents.
type SerialLine struct {
	contract.StampSerial
	Organisation store.Organisation // zero: not assigned to an organisation
	Title        store.Title        // of the document that holds the serial
	FormerTitle  store.Title        // of the document that released the serial last
}

// SerialPage is one page of the register. Total counts the serials of all pages.
type SerialPage struct {
	Lines []SerialLine
	Total int
}

// WaitingLine is a document that waits for the service or has failed.
type WaitingLine struct {
	Document     contract.Document
	Organisation store.Organisation
}

// WaitingPage is one page of waiting documents. Total counts the documents of all pages.
type WaitingPage struct {
	Lines []WaitingLine
	Total int
	Clock contract.ClockFinding // a doubtful clock makes all of them wait
}

// CertificateLine is one certificate of the embedded authority.
type CertificateLine struct {
	store.Certificate
	Role string // authority's own: root, issuing, tsa, ocsp, guest_issuing or guest_ocsp; issued by it: seal or person
}

// CertificatePage is one page of certificates. Total counts the certificates of all pages.
type CertificatePage struct {
	Own   []CertificateLine // the authority's own, the same on every page
	Lines []CertificateLine
	Total int
}

// LogLine is one event of the audit log, with the name of its document.
type LogLine struct {
	store.Logged
	Title store.Title // zero: the event has no document, or the document was deleted
}

// LogPage is one page of the audit log; see [store.LogPage].
type LogPage struct {
	Lines []LogLine
	Total int
}
