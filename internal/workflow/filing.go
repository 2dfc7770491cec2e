package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// Labels returns the labels of the caller's organisation, by name.
func (s *Service) Labels(ctx context.Context, by contract.Actor) ([]contract.Label, error) {
	if err := by.AuthoriseAccount(contract.AccountLists); err != nil {
		return nil, err
	}
	return s.Store.Labels(ctx, by.Organisation)
}

// AdminLabels returns an organisation with its labels. An empty identifier means the caller's own.
func (s *Service) AdminLabels(ctx context.Context, by contract.Actor, of contract.OrganisationID) (store.Organisation, []contract.Label, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminLabels, of)
	if err != nil {
		return o, nil, err
	}
	all, err := s.Store.Labels(ctx, o.ID)
	return o, all, err
}

// AddLabel adds a label to an organisation. An empty identifier means the caller's own.
func (s *Service) AddLabel(ctx context.Context, by contract.Actor, of contract.OrganisationID, name string, colour contract.LabelColour) (contract.Label, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetLabel, of)
	if err != nil {
		return contract.Label{}, err
	}
	l, err := contract.CheckLabel(contract.Label{Organisation: o.ID, Name: name, Colour: colour, CreatedAt: s.Clock()})
	if err != nil {
		return contract.Label{}, err
	}
	id, err := uuid.NewRandomFromReader(s.Random)
	if err != nil {
		return contract.Label{}, fmt.Errorf("draw a UUID: %w", err)
	}
	l.ID = contract.LabelID(id.String())
	effectCtx := store.WithFinalAnswer(ctx, func(l contract.Label) any { return l })
	// Durable with this commit: the label, who added it, and the answer to a request with a key.
	if _, err = s.Store.AddLabel(effectCtx, l, s.labelEvent(by, contract.EventLabelAdded, l, "colour", string(l.Colour))); errors.Is(err, store.ErrExists) {
		return contract.Label{}, contract.ErrLabelExists
	}
	if err != nil {
		return contract.Label{}, documents.KeyRefusal(fmt.Errorf("add a label: %w", err))
	}
	return l, nil
}

// ChangeLabel replaces name and colour of a label. Repeating a request changes nothing more.
func (s *Service) ChangeLabel(ctx context.Context, by contract.Actor, id contract.LabelID, name string, colour contract.LabelColour) (contract.Label, error) {
	former, err := s.administeredLabel(ctx, by, id)
	if err != nil {
		return contract.Label{}, err
	}
	l := former
	l.Name, l.Colour = name, colour
	if l, err = contract.CheckLabel(l); err != nil || l == former {
		return l, err
	}
	details := []string{"colour", string(l.Colour)}
	if l.Name != former.Name {
		details = append(details, "new_name", l.Name)
	}
	err = s.Store.SetLabel(ctx, l, s.labelEvent(by, contract.EventLabelChanged, former, details...))
	switch {
	case errors.Is(err, store.ErrExists):
		return l, contract.ErrLabelExists
	case errors.Is(err, store.ErrNotFound): // deleted meanwhile
		return l, contract.ErrNoLabel
	case err != nil:
		return l, fmt.Errorf("change a label: %w", err)
	}
	return l, nil
}

// DeleteLabel deletes a label. Documents lose it.
func (s *Service) DeleteLabel(ctx context.Context, by contract.Actor, id contract.LabelID) error {
	l, err := s.administeredLabel(ctx, by, id)
	if err != nil {
		return err
	}
	err = s.Store.DeleteLabel(ctx, l.Organisation, l.ID, s.labelEvent(by, contract.EventLabelDeleted, l))
	if errors.Is(err, store.ErrNotFound) {
		return contract.ErrNoLabel
	}
	if err != nil {
		return fmt.Errorf("delete a label: %w", err)
	}
	return nil
}

// administeredLabel loads the label that an operation of administration names; [contract.ErrNoLabel] for one that the caller does not administer.
func (s *Service) administeredLabel(ctx context.Context, by contract.Actor, id contract.LabelID) (contract.Label, error) {
	of, err := by.AuthoriseAdmin(contract.AdminSetLabel, "")
	if err != nil {
		return contract.Label{}, err
	}
	l, err := s.Store.Label(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && of != "" && l.Organisation != of {
		return contract.Label{}, contract.ErrNoLabel
	}
	if err != nil {
		return contract.Label{}, fmt.Errorf("read label %s: %w", id, err)
	}
	return l, nil
}

func (s *Service) labelEvent(by contract.Actor, t contract.EventType, l contract.Label, details ...string) contract.Event {
	e := contract.Event{Type: t, At: s.Clock(), Details: map[string]string{"organisation": string(l.Organisation), "label": string(l.ID), "name": l.Name}}
	for i := 0; i+1 < len(details); i += 2 {
		e.Details[details[i]] = details[i+1]
	}
	return by.SignEvent(e)
}

// FiledDocument is what became of one document of a request that labels or files several.
type FiledDocument struct {
	ID contract.DocumentID
	store.Filed
	Err error // a refusal: the document is as it was
}

// LabelDocuments adds labels of the caller's organisation to documents, and removes others. A refusal of one document does not stop the others. [contract.ErrNoLabel]: one of
// the labels to add does not exist, and nothing is changed. Removing a label that a document does not have changes nothing, so a request can be repeated.
//
// Durable with its one commit: the labels of all documents that are not refused.
func (s *Service) LabelDocuments(ctx context.Context, by contract.Actor, ids []contract.DocumentID, add, remove []contract.LabelID) ([]FiledDocument, error) {
	refused, allowed, err := s.authoriseEach(ctx, by, contract.OpLabel, ids, nil)
	if err != nil {
		return nil, err
	}
	known, err := s.Store.Labels(ctx, by.Organisation)
	if err != nil {
		return nil, err
	}
	for _, id := range add {
		if !slices.ContainsFunc(known, func(l contract.Label) bool { return l.ID == id }) {
			return nil, contract.ErrNoLabel
		}
	}
	found, err := s.Store.LabelDocuments(ctx, by.Organisation, allowed, func(id contract.DocumentID, has []contract.LabelID) []contract.LabelID {
		after, err := contract.ChangeLabels(has, add, remove)
		if refused[id] = err; err != nil {
			return has
		}
		return after
	})
	if err != nil {
		return nil, err
	}
	refuseDeleted(refused, allowed, found)
	return s.filedDocuments(ctx, by, "", ids, refused)
}

// Folders returns the folders of a team of the caller, by name, or with an empty identifier their own.
func (s *Service) Folders(ctx context.Context, by contract.Actor, team contract.TeamID) ([]contract.Folder, error) {
	space, err := by.FolderSpace(contract.AccountLists, team)
	if err != nil {
		return nil, err
	}
	return s.Store.Folders(ctx, space)
}

// AddFolder adds a folder of a team of the caller, or with an empty identifier of their own, unless one has the name already. It returns the folder that has it.
func (s *Service) AddFolder(ctx context.Context, by contract.Actor, team contract.TeamID, name string) (contract.Folder, error) {
	space, err := by.FolderSpace(contract.AccountFolders, team)
	if err != nil {
		return contract.Folder{}, err
	}
	if name, err = contract.CheckFolderName(name); err != nil {
		return contract.Folder{}, err
	}
	id, err := uuid.NewRandomFromReader(s.Random)
	if err != nil {
		return contract.Folder{}, fmt.Errorf("draw a UUID: %w", err)
	}
	f, err := s.Store.AddFolder(ctx, contract.Folder{ID: contract.FolderID(id.String()), Space: space, Name: name, CreatedAt: s.Clock()})
	if errors.Is(err, store.ErrNotFound) {
		return contract.Folder{}, contract.ErrNoTeam
	}
	return f, err
}

// folderToChange returns a folder that the caller may change; [contract.ErrNoFolder] for one that they do not see.
func (s *Service) folderToChange(ctx context.Context, by contract.Actor, id contract.FolderID) (contract.Folder, error) {
	if err := by.AuthoriseAccount(contract.AccountFolders); err != nil {
		return contract.Folder{}, err
	}
	f, err := s.Store.Folder(ctx, id)
	if err != nil || f.Space == by.ID {
		return f, refuseNoFolder(err)
	}
	_, err = by.FolderSpace(contract.AccountFolders, contract.TeamID(f.Space))
	if errors.Is(err, contract.ErrNoTeam) {
		err = contract.ErrNoFolder
	}
	return f, err
}

// RenameFolder renames a folder of the caller or of a team of theirs.
func (s *Service) RenameFolder(ctx context.Context, by contract.Actor, id contract.FolderID, name string) (contract.Folder, error) {
	f, err := s.folderToChange(ctx, by, id)
	if err != nil {
		return contract.Folder{}, err
	}
	if f.Name, err = contract.CheckFolderName(name); err != nil {
		return contract.Folder{}, err
	}
	if err = s.Store.RenameFolder(ctx, f); errors.Is(err, store.ErrExists) {
		return f, contract.ErrFolderExists
	}
	return f, refuseNoFolder(err)
}

// DeleteFolder deletes a folder of the caller or of a team of theirs. Its documents stay in their lists.
func (s *Service) DeleteFolder(ctx context.Context, by contract.Actor, id contract.FolderID) error {
	f, err := s.folderToChange(ctx, by, id)
	if err != nil {
		return err
	}
	return refuseNoFolder(s.Store.DeleteFolder(ctx, f.Space, id))
}

// FileDocuments puts documents of the list of a team of the caller, or with an empty identifier of their own lists, into a folder of the same; empty: into
// none. A refusal of one document does not stop the others. A request can be repeated.
//
// Durable with its one commit: where all documents are that are not refused.
func (s *Service) FileDocuments(ctx context.Context, by contract.Actor, ids []contract.DocumentID, team contract.TeamID, folder contract.FolderID) ([]FiledDocument, error) {
	space, err := by.FolderSpace(contract.AccountFolders, team)
	if err != nil {
		return nil, err
	}
	refused, allowed, err := s.authoriseEach(ctx, by, contract.OpFile, ids, func(d *contract.Document) error { return d.AuthoriseFiling(by, space) })
	if err != nil {
		return nil, err
	}
	found, err := s.Store.FileDocuments(ctx, space, folder, allowed)
	if err != nil {
		return nil, refuseNoFolder(err)
	}
	refuseDeleted(refused, allowed, found)
	return s.filedDocuments(ctx, by, team, ids, refused)
}

func refuseNoFolder(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return contract.ErrNoFolder
	}
	return err
}

// authoriseEach returns why the caller may not use an operation on some documents, and those on which they may. Also is asked about those that Authorise lets
// them use; nil: nothing more.
func (s *Service) authoriseEach(ctx context.Context, by contract.Actor, op contract.Operation, ids []contract.DocumentID, also func(*contract.Document) error) (refused map[contract.DocumentID]error, allowed []contract.DocumentID, err error) {
	refused = map[contract.DocumentID]error{}
	for _, id := range ids {
		d, err := s.LoadAuthorised(ctx, by, op, id)
		if err == nil && also != nil {
			err = also(&d)
		}
		var refusal *contract.Error
		switch {
		case err == nil:
			allowed = append(allowed, id)
		case errors.As(err, &refusal):
			refused[id] = err
		default:
			return nil, nil, err
		}
	}
	return refused, allowed, nil
}

// refuseDeleted refuses the documents that were deleted after the caller was authorised: those that the store did not find.
func refuseDeleted(refused map[contract.DocumentID]error, allowed, found []contract.DocumentID) {
	for _, id := range allowed {
		if !slices.Contains(found, id) {
			refused[id] = contract.ErrNotFound
		}
	}
}

// filedDocuments returns what became of documents, in their order, as the list of a team or the caller's own lists show them.
func (s *Service) filedDocuments(ctx context.Context, by contract.Actor, team contract.TeamID, ids []contract.DocumentID, refused map[contract.DocumentID]error) ([]FiledDocument, error) {
	done := slices.DeleteFunc(slices.Clone(ids), func(id contract.DocumentID) bool { return refused[id] != nil })
	filed, err := s.Store.Filing(ctx, filingView(by, team), done)
	if err != nil {
		return nil, err
	}
	all := make([]FiledDocument, len(ids))
	for i, id := range ids {
		all[i] = FiledDocument{ID: id, Filed: filed[id], Err: refused[id]}
	}
	return all, nil
}

// Filed returns where a document is filed, as the caller sees it: in a folder of theirs, or of its team if they see it only as a member. It is for documents
// that they may see.
func (s *Service) Filed(ctx context.Context, by contract.Actor, d *contract.Document) (store.Filed, error) {
	var team contract.TeamID
	if d.IsSharedWith(by) && !d.IsVisibleTo(by.ID) {
		team = d.Team.ID
	}
	filed, err := s.Store.Filing(ctx, filingView(by, team), []contract.DocumentID{d.ID})
	return filed[d.ID], err
}

// filingView returns what an actor sees of where documents are filed: with an account, the labels of their organisation, and the folders of a team of theirs in
// its list or their own.
func filingView(by contract.Actor, team contract.TeamID) store.FilingView {
	if by.Guest != 0 || by.Embed != nil || by.IsSystem() {
		return store.FilingView{}
	}
	space := by.ID
	if team != "" {
		space = contract.PersonID(team)
	}
	return store.FilingView{Organisation: by.Organisation, Space: space}
}
