package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// AuditTrail returns the events of a document, oldest first, as the caller may see them.
func (s *Service) AuditTrail(ctx context.Context, by contract.Actor, id contract.DocumentID) ([]contract.Event, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpAuditTrail, id)
	if err != nil {
		return nil, err
	}
	all, err := s.Store.Events(ctx, d.ID)
	return d.EventsAsShownTo(by, all), err
}

// Balance returns the quota of the caller's organisation.
func (s *Service) Balance(ctx context.Context, by contract.Actor) (map[contract.Unit]store.Quota, error) {
	if err := by.AuthoriseAccount(contract.AccountBalance); err != nil {
		return nil, err
	}
	return s.Store.Quota(ctx, by.Organisation)
}

// maxSuggestions bounds the guests that are suggested at once.
const maxSuggestions = 20

// SuggestGuests returns guests whom the caller entered on their newest documents, the newest first. What other members of the
// organisation entered is not read.
func (s *Service) SuggestGuests(ctx context.Context, by contract.Actor, search string) ([]contract.GuestContact, error) {
	if err := by.AuthoriseAccount(contract.AccountDirectory); err != nil {
		return nil, err
	}
	entered, err := s.Store.EnteredGuests(ctx, by.ID)
	if err != nil {
		return nil, fmt.Errorf("read the guests that %s entered: %w", by.ID, err)
	}
	return contract.SuggestGuests(entered, search, maxSuggestions), nil
}

// ListRequest selects one page of one of the caller's lists. Pages are numbered from 1. The members are those of [store.ListQuery].
type ListRequest struct {
	Box     store.Box
	Team    contract.TeamID
	State   contract.State
	Without contract.State
	Waiting bool
	With    string
	Label   contract.LabelID
	Folder  contract.FolderID
	Period  store.Period
	Search  string
	Order   store.Order
	Page    int
	Limit   int
}

// listQuery returns the query for a list of the caller, or of a team of theirs; [contract.ErrNoTeam] for another team.
func (s *Service) listQuery(by contract.Actor, r ListRequest) (store.ListQuery, error) {
	if err := by.AuthoriseAccount(contract.AccountLists); err != nil {
		return store.ListQuery{}, err
	}
	if _, isMember := by.FindTeam(r.Team); r.Team != "" && !isMember {
		return store.ListQuery{}, contract.ErrNoTeam
	}
	return store.ListQuery{
		Person: by.ID, Mailbox: by.Mailbox, Box: r.Box, Team: r.Team, State: r.State, Without: r.Without, Waiting: r.Waiting, With: r.With, Label: r.Label, Folder: r.Folder, View: filingView(by, r.Team), Period: r.Period, Search: r.Search, Order: r.Order,
		Offset: (r.Page - 1) * r.Limit, Limit: r.Limit, Now: s.Clock(),
	}, nil
}

// List returns one page of the caller's inbox or outbox, or of the documents of a team, without placements and revisions. A page out of
// range is empty.
func (s *Service) List(ctx context.Context, by contract.Actor, r ListRequest) (store.List, error) {
	q, err := s.listQuery(by, r)
	if err != nil {
		return store.List{}, err
	}
	q.Summary = true
	return s.Store.List(ctx, q)
}

// CountList counts the documents of the list. Page, limit, order, state and waiting of the request have no effect.
func (s *Service) CountList(ctx context.Context, by contract.Actor, r ListRequest) (store.ListCounts, error) {
	q, err := s.listQuery(by, r)
	if err != nil {
		return store.ListCounts{}, err
	}
	return s.Store.CountList(ctx, q)
}

// Contacts returns up to limit people with whom the caller shares one of their newest documents, and whose name or address contains a
// text in any letter case; those of the newest documents first.
func (s *Service) Contacts(ctx context.Context, by contract.Actor, search string, limit int) ([]store.Contact, error) {
	if err := by.AuthoriseAccount(contract.AccountLists); err != nil {
		return nil, err
	}
	all, err := s.Store.ListContacts(ctx, by.ID)
	found, part := []store.Contact{}, strings.ToLower(search)
	for _, c := range all {
		if len(found) < limit && !strings.EqualFold(c.Email, by.Email) && (strings.Contains(strings.ToLower(c.Name), part) || strings.Contains(c.Email, part)) {
			found = append(found, c)
		}
	}
	return found, err
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

// DownloadCheck says whether a document can be downloaded now.
type DownloadCheck struct {
	ID       contract.DocumentID
	Document contract.Document // zero if the caller may not see it
	Problem  *contract.Error   // nil: it can be downloaded
}

// CheckDownloads checks for each document whether [Service.Download] would open it. A document that the caller may not see has the
// problem of one that does not exist. Any error other than a refusal ends the check.
func (s *Service) CheckDownloads(ctx context.Context, by contract.Actor, ids []contract.DocumentID) ([]DownloadCheck, error) {
	checks := make([]DownloadCheck, 0, len(ids))
	for _, id := range ids {
		d, err := s.checkDownload(ctx, by, id)
		check := DownloadCheck{ID: id, Document: d}
		if err != nil && !errors.As(err, &check.Problem) {
			return nil, err
		}
		checks = append(checks, check)
	}
	return checks, nil
}

func (s *Service) checkDownload(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpDownload, id)
	if err != nil {
		return contract.Document{}, err
	}
	if d.State != contract.Completed {
		return d, contract.ErrNotCompleted
	}
	content, err := s.OpenContent(ctx, d, d.Revisions)
	if err != nil {
		return d, err
	}
	return d, content.Close()
}

// Original opens the file as it was uploaded.
func (s *Service) Original(ctx context.Context, by contract.Actor, id contract.DocumentID) (*documents.Content, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpOriginal, id)
	if err != nil {
		return nil, err
	}
	return s.OpenContent(ctx, d, []contract.Revision{{Tail: d.Original, End: d.Original.Size, Digest: d.Original.Digest, At: d.CreatedAt}})
}
