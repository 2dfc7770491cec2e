package workflow

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// AuditTrail returns the events of a document, oldest first.
func (s *Service) AuditTrail(ctx context.Context, by contract.Actor, id contract.DocumentID) ([]contract.Event, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpAuditTrail, id)
	if err != nil {
		return nil, err
	}
	return s.Store.Events(ctx, d.ID)
}

// Balance returns the quota of the caller's organisation.
func (s *Service) Balance(ctx context.Context, by contract.Actor) (map[contract.Unit]store.Quota, error) {
	if by.Guest != 0 {
		return nil, contract.ErrNotAllowed
	}
	return s.Store.Quota(ctx, by.Organisation)
}

// OrganisationName returns the name of an organisation.
func (s *Service) OrganisationName(ctx context.Context, id contract.OrganisationID) (string, error) {
	if name, ok := s.organisationNames.Load(id); ok {
		return name.(string), nil
	}
	o, err := s.Store.Organisation(ctx, id)
	if err != nil {
		return "", fmt.Errorf("read organisation %s: %w", id, err)
	}
	s.organisationNames.Store(id, o.Name)
	return o.Name, nil
}

// ListRequest selects one page of one of the caller's lists. Pages are numbered from 1.
type ListRequest struct {
	Box    store.Box
	State  contract.State
	Period store.Period
	Search string
	Page   int
	Limit  int
}

// List returns one page of the caller's inbox or outbox, newest first. A page out of range is empty.
func (s *Service) List(ctx context.Context, by contract.Actor, r ListRequest) (store.List, error) {
	if by.Guest != 0 {
		return store.List{}, contract.ErrNotAllowed
	}
	return s.Store.List(ctx, store.ListQuery{
		Person: by.ID, Box: r.Box, State: r.State, Period: r.Period, Search: r.Search,
		Offset: (r.Page - 1) * r.Limit, Limit: r.Limit, Now: s.Clock(),
	})
}

// Preview opens the current revision for an actor who may see it. The first view of a viewer is recorded.
func (s *Service) Preview(ctx context.Context, by contract.Actor, id contract.DocumentID) (*documents.Content, error) {
	d, err := s.recordView(ctx, by, id)
	if err != nil {
		return nil, err
	}
	return s.OpenContent(ctx, d, d.Revisions)
}

// recordView returns the document for an actor who may see its pages, and records the first view of a viewer.
func (s *Service) recordView(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return s.ApplyRuleAs(ctx, by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeIf(contract.View(d, by, s.Clock()))
	})
}

// Download opens the finished file.
func (s *Service) Download(ctx context.Context, by contract.Actor, id contract.DocumentID) (*documents.Content, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpDownload, id)
	if err != nil {
		return nil, err
	}
	if d.State != contract.Completed {
		return nil, contract.ErrNotCompleted
	}
	return s.OpenContent(ctx, d, d.Revisions)
}

// Original opens the file as it was uploaded.
func (s *Service) Original(ctx context.Context, by contract.Actor, id contract.DocumentID) (*documents.Content, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpOriginal, id)
	if err != nil {
		return nil, err
	}
	return s.OpenContent(ctx, d, []contract.Revision{{Tail: d.Original, End: d.Original.Size, Digest: d.Original.Digest, At: d.CreatedAt}})
}
