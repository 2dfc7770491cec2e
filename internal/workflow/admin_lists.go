package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

// CertificateList returns one page of the certificates that the embedded authority issued, with the authority's own
// certificates.
func (s *Service) CertificateList(ctx context.Context, by contract.Actor, q store.CertificateQuery) (CertificatePage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminCertificates, q.Organisation)
	if err != nil {
		return CertificatePage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.CertificateList(ctx, q)
	if err != nil {
		return CertificatePage{}, err
	}
	page := CertificatePage{Own: s.AuthorityCertificates, Total: p.Total, Lines: make([]CertificateLine, len(p.Certificates))}
	for i, c := range p.Certificates {
		page.Lines[i] = CertificateLine{Certificate: c, Role: "person"}
		if _, seal := scope.Organisations[contract.OrganisationID(c.Holder)]; seal {
			page.Lines[i].Role = "seal"
		}
	}
	return page, nil
}

// AuditLog returns one page of events, newest first. Without an organisation, an operator sees the events of all.
func (s *Service) AuditLog(ctx context.Context, by contract.Actor, q store.LogQuery) (LogPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAuditLog, q.Organisation)
	if err != nil {
		return LogPage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.AuditLog(ctx, q)
	if err != nil {
		return LogPage{}, err
	}
	titles, err := titlesOf(ctx, s, p.Events, func(e store.Logged) []contract.DocumentID { return []contract.DocumentID{e.Document} })
	if err != nil {
		return LogPage{}, err
	}
	page := LogPage{Total: p.Total, Lines: make([]LogLine, len(p.Events))}
	for i, e := range p.Events {
		page.Lines[i] = LogLine{Logged: e, Title: titles[e.Document]}
	}
	return page, nil
}
