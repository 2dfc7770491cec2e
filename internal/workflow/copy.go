package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
)

// Copy makes a draft of an ended document, with the same file, people and boxes. The uploaded bytes are stored again and
// examined like an upload, within the same limits: the rules may have become stricter, and a file may not be shared, so
// that deleting one document leaves the other whole.
//
// The files are durable before the document that refers to them. If the draft is refused, they are removed. If the
// process dies in between, fsck finds them.
func (s *Service) Copy(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	d, err := s.LoadDocumentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	if err := d.CheckCopyable(by); err != nil {
		return contract.Document{}, err
	}
	people, err := s.copyParticipants(ctx, by, &d, nil)
	if err != nil {
		return contract.Document{}, err
	}
	return s.copyDocument(ctx, by, d, contract.CopiedFile{Participants: people}, func(f contract.CopiedFile, now time.Time) (contract.Change, error) {
		return contract.Copy(&d, f, by, s.Limits, now)
	})
}

// copyRule makes a document of a copied file. It returns a new document.
type copyRule func(f contract.CopiedFile, now time.Time) (contract.Change, error)

// copyDocument stores the file of a document again and commits what the rule makes of it. F has the people.
func (s *Service) copyDocument(ctx context.Context, by contract.Actor, d contract.Document, f contract.CopiedFile, rule copyRule) (_ contract.Document, err error) {
	if _, err := io.ReadFull(s.Random, f.Entropy[:]); err != nil {
		return contract.Document{}, fmt.Errorf("generate document name: %w", err)
	}
	f.Original, err = s.storeAgain(ctx, by.Organisation, d, contract.Revision{Tail: d.Original, End: d.Original.Size, Digest: d.Original.Digest})
	switch {
	case err != nil:
		return contract.Document{}, err
	case !d.IsWord():
		return s.uploadPDF(ctx, by, f.Original, func(uploaded contract.Revision, found examination) (contract.Change, error) {
			f.Original, f.PDF = uploaded, &contract.ExaminedPDF{Base: uploaded, Pages: found.pages, Findings: found.findings}
			return rule(f, uploaded.At)
		})
	case len(d.Revisions) == 0:
		return s.uploadWord(ctx, by, f.Original, func() (contract.Change, error) { return rule(f, f.Original.At) })
	}
	return s.copyConverted(ctx, by, d, f, rule)
}

// copyConverted copies a Word document with the PDF of its conversion, on which the boxes were placed: another conversion
// may have other pages.
func (s *Service) copyConverted(ctx context.Context, by contract.Actor, d contract.Document, f contract.CopiedFile, rule copyRule) (contract.Document, error) {
	base, err := s.storeAgain(ctx, by.Organisation, d, d.Revisions[0])
	if err != nil {
		return contract.Document{}, errors.Join(err, s.RemoveBlob(ctx, f.Original.Tail.Key))
	}
	found, rewritten, err := s.examineOrRepair(ctx, by.Organisation, base)
	if err != nil {
		return contract.Document{}, errors.Join(err, s.RemoveBlob(ctx, base.Tail.Key), s.RemoveBlob(ctx, f.Original.Tail.Key))
	}
	if rewritten {
		err = s.RemoveBlob(ctx, base.Tail.Key)
	}
	var c contract.Change
	if err == nil {
		f.PDF = &contract.ExaminedPDF{Base: found.base, Pages: found.pages, Findings: found.findings}
		c, err = rule(f, f.Original.At)
	}
	var made contract.Document
	if err == nil {
		made, err = s.CommitChange(documents.WithDocumentAnswer(ctx), c)
	}
	if err != nil {
		return contract.Document{}, s.RemoveUncommitted(ctx, err, found.base, f.Original)
	}
	return made, nil
}

// storeAgain stores the bytes of a document's first revision, or of its upload, as a new file of an organisation. Every chunk is hashed
// before it is copied, and the limits on uploads apply.
func (s *Service) storeAgain(ctx context.Context, to contract.OrganisationID, d contract.Document, r contract.Revision) (contract.Revision, error) {
	content, err := s.OpenContent(ctx, d, []contract.Revision{r})
	if err != nil {
		return contract.Revision{}, err
	}
	defer content.Close()
	staging, err := s.Stage(ctx, to)
	if err != nil {
		return contract.Revision{}, err
	}
	defer staging.Abort()
	if _, err := io.Copy(staging, content); err != nil {
		return contract.Revision{}, documents.BlobRefusal(fmt.Errorf("copy file of document %d: %w", d.ID, err))
	}
	base, err := staging.storeUpload()
	base.At = s.Clock()
	return base, err
}

// copyParticipants returns the people of a document for its copy, in the same order. Replaced are those whose place another person or a
// placeholder takes, by the identifier of the former one. A member whose account ended has no identifier, and so is left out. So is a guest whose data were erased, also one who
// stays on the document as evidence. Another guest stays as they are, also without an address or with a channel that messages no longer take: the owner of the draft
// corrects them there.
func (s *Service) copyParticipants(ctx context.Context, by contract.Actor, d *contract.Document, replaced map[contract.PersonID]PersonRequest) ([]contract.Participant, error) {
	people, requests := make([]contract.Participant, len(d.Participants)), make([]PersonRequest, len(d.Participants))
	for i, p := range d.Participants {
		requests[i] = PersonRequest{ID: p.ID, Name: p.Name, Email: p.Email, Phone: p.Phone, Guest: p.Guest, Placeholder: p.Placeholder}
		if r, found := replaced[p.ID]; found {
			requests[i] = r
		}
	}
	members, err := s.findActiveMembers(ctx, by.Organisation, nil, requests)
	if err != nil {
		return nil, fmt.Errorf("look up participants: %w", err)
	}
	erased, err := s.Store.ErasedGuests(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	for i, p := range d.Participants {
		r := requests[i]
		_, isReplaced := replaced[p.ID]
		to := contract.Participant{
			Person: contract.Person{Name: r.Name, Email: r.Email}, Phone: r.Phone, Guest: r.Guest, Placeholder: r.Placeholder,
			Role: p.Role, Capacity: p.Capacity, Group: p.Group, Number: p.Number,
		}
		if acted := d.ActedFor(p.ID); acted != nil { // any member of the group may act on the copy
			to.Role, to.Capacity = acted.Role, acted.Capacity
		}
		switch {
		case members[i].ID != "":
			to.Person, to.Guest = members[i].Person, false
		case r.Guest && (isReplaced || !p.IsErased() && !slices.Contains(erased, p.ID)):
			if to.ID, err = s.guestID(nil, r); err != nil {
				return nil, err
			}
		}
		people[i] = to
	}
	return people, nil
}
