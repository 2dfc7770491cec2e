package workflow

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// OrganisationQuota is what an organisation has of each unit.
type OrganisationQuota struct {
	Organisation store.Organisation
	Quota        map[contract.Unit]store.Quota
}

// GrantRequest adds to what an organisation may spend; a negative count takes back.
type GrantRequest struct {
	Organisation contract.OrganisationID // empty: the caller's own
	Unit         contract.Unit
	Count        int
	Reason       string
}

// LedgerLine is one line of the ledger of quota, with the names of what it is about.
type LedgerLine struct {
	store.QuotaEntry
	Organisation store.Organisation
	Title        store.Title // zero: of no document, or of one that is gone
}

// LedgerPage is one page of the ledger and how many lines there are in all.
type LedgerPage struct {
	Lines []LedgerLine
	Total int
}

// AttemptLine is one call to the stamp office, with the names of what it is about.
type AttemptLine struct {
	contract.Attempt
	Organisation store.Organisation
	Title        store.Title          // zero: the document is gone
	SerialState  contract.SerialState // where its serial stands now; empty: it has none, or the register does not know it
}

// Page returns the page that the stamp was placed on; 0 when it is not known any more.
func (l AttemptLine) Page() int { return l.Title.Pages[l.Stamp] }

// AttemptPage is one page of attempts and how many there are in all.
type AttemptPage struct {
	Lines []AttemptLine
	Total int
}

// SerialLine is one serial of the register, with the names of what it is about.
type SerialLine struct {
	contract.StampSerial
	Organisation store.Organisation // zero: it is nobody's so far
	Title        store.Title        // of the document that has it
	FormerTitle  store.Title        // of the one that let go of it last
}

// SerialPage is one page of the register and how many serials there are in all.
type SerialPage struct {
	Lines []SerialLine
	Total int
}

// WaitingLine is a document that waits for the service or has failed.
type WaitingLine struct {
	Document     contract.Document
	Organisation store.Organisation
}

// WaitingPage is one page of documents that wait and how many there are in all.
type WaitingPage struct {
	Lines []WaitingLine
	Total int
	Clock contract.ClockFinding // for which all of them may wait
}

// CertificateLine is one certificate of the embedded authority.
type CertificateLine struct {
	store.Certificate
	Role string // of the authority's own: root, issuing, tsa, ocsp, guest_issuing or guest_ocsp; of what it issued: seal or person
}

// CertificatePage is one page of certificates and how many there are in all.
type CertificatePage struct {
	Own   []CertificateLine // the authority's, whatever the page
	Lines []CertificateLine
	Total int
}

// LogLine is one event of the audit log, with the name of its document.
type LogLine struct {
	store.Logged
	Title store.Title // zero: of no document, or of one that is gone
}

// LogPage is one page of the log and how many events there are; see [store.LogPage].
type LogPage struct {
	Lines []LogLine
	Total int
}

// organisationsByID are all there are, by their identifiers: for their names.
type organisationsByID map[contract.OrganisationID]store.Organisation

func (s *Service) loadOrganisations(ctx context.Context) (organisationsByID, error) {
	all, err := s.Store.Organisations(ctx)
	if err != nil {
		return nil, fmt.Errorf("read organisations: %w", err)
	}
	by := make(organisationsByID, len(all))
	for _, o := range all {
		by[o.ID] = o
	}
	return by, nil
}

// adminScope is whose affairs a caller administers.
type adminScope struct {
	organisation  contract.OrganisationID // the only organisation; empty: all of them
	organisations organisationsByID       // whosever affairs are meant
}

// authoriseAdmin decides whether the caller may, and that the organisation he names exists.
func (s *Service) authoriseAdmin(ctx context.Context, by contract.Actor, op contract.AdminOperation, of contract.OrganisationID) (adminScope, error) {
	of, err := by.AuthoriseAdmin(op, of)
	if err != nil {
		return adminScope{}, err
	}
	all, err := s.loadOrganisations(ctx)
	if err != nil {
		return adminScope{}, err
	}
	if _, known := all[of]; of != "" && !known {
		return adminScope{}, contract.ErrNoOrganisation
	}
	return adminScope{organisation: of, organisations: all}, nil
}
