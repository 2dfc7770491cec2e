package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
	"segel/pdf"
)

// UploadRequest is a new document.
type UploadRequest struct {
	Title     string
	Filename  string
	Parallel  bool
	People    []PersonRequest
	ExpiresAt time.Time
	File      *Staging
}

// PersonRequest names a participant: a user by id or e-mail, or a guest.
type PersonRequest struct {
	ID     contract.PersonID
	Name   string
	Email  string
	Phone  string
	Role   contract.Role
	Number int
	Guest  bool
}

// Upload makes a draft from a staged file. A damaged file is rewritten once, if that is possible without guessing:
// people sign the rewritten file, and the upload is kept as the original.
//
// The files are durable before the document that refers to them. If the document is refused, they are removed. If the
// process dies in between, fsck finds them.
func (s *Service) Upload(ctx context.Context, by contract.Actor, r UploadRequest) (d contract.Document, err error) {
	if by.Guest != 0 {
		return contract.Document{}, contract.ErrNotAllowed
	}
	people, unknown, err := s.resolveParticipants(ctx, by, nil, r.People)
	if err != nil {
		return contract.Document{}, err
	}
	u := contract.Upload{Title: r.Title, Filename: r.Filename, Parallel: r.Parallel, Participants: people, ExpiresAt: r.ExpiresAt}
	if _, err := io.ReadFull(s.Random, u.Entropy[:]); err != nil {
		return contract.Document{}, fmt.Errorf("generate document name: %w", err)
	}
	base, err := r.File.storeUpload()
	if err != nil {
		return contract.Document{}, err
	}
	now := s.Clock()
	base.At = now
	if r.File.word {
		return s.uploadWord(ctx, by, u, base, unknown)
	}
	facts, rewritten, err := s.examineOrRepair(ctx, by.Organisation, base)
	if err != nil {
		return contract.Document{}, errors.Join(err, s.RemoveBlob(ctx, base.Tail.Key))
	}
	stored := append(rewritten, base)
	base.NextObject = facts.nextObject
	u.Base, u.Pages, u.Findings = base, facts.pages, facts.findings
	c, err := contract.Create(u, by, s.Limits, now)
	err = contract.JoinFieldErrors(err, unknown)
	if err == nil && len(rewritten) > 0 {
		err = c.ReplaceBase(rewritten[0], contract.NormalisedDamaged, by, now)
	}
	if err == nil {
		d, err = s.CommitChange(documents.WithDocumentAnswer(ctx), c)
	}
	if err != nil {
		return contract.Document{}, s.RemoveUncommitted(ctx, err, stored...)
	}
	return d, nil
}

// examineOrRepair examines an upload. If it is damaged, it also returns the rewritten file that replaces it, and the
// examination is of that file.
func (s *Service) examineOrRepair(ctx context.Context, organisation contract.OrganisationID, base contract.Revision) (examination, []contract.Revision, error) {
	release, err := s.fileSlots.acquire(ctx, organisation)
	if err != nil {
		return examination{}, nil, err
	}
	defer release()
	// All readings of one upload, including its rewriting, share one budget and end when the client leaves.
	budget := pdf.FileBudget(ctx, base.End)
	f, doc, err := s.openToSign(ctx, []contract.Revision{base}, budget)
	var facts examination
	if err == nil {
		facts, err = s.examineFile(ctx, f, doc, base, budget)
		err = errors.Join(err, f.Close())
	}
	if !errors.Is(err, documents.ErrDamaged) {
		return facts, nil, err
	}
	rewritten, err := s.normaliseFile(ctx, base, budget)
	if err != nil {
		return examination{}, nil, err
	}
	facts, err = s.examineFile(ctx, rewritten.file, rewritten.doc, rewritten.base, budget)
	if err = errors.Join(err, rewritten.file.Close()); err != nil {
		return examination{}, nil, errors.Join(err, s.RemoveBlob(ctx, rewritten.base.Tail.Key))
	}
	return facts, []contract.Revision{rewritten.base}, nil
}

// examination is what must be known about a file before it is accepted.
type examination struct {
	pages      int
	findings   []contract.Finding
	nextObject uint32 // see contract.Revision
}

// examineFile refuses a file that cannot be signed safely, or whose signatures could not be validated.
func (s *Service) examineFile(ctx context.Context, f *documents.File, doc *pdf.Document, base contract.Revision, budget *pdf.Budget) (examination, error) {
	if err := doc.Check(); err != nil {
		return examination{}, documents.FileRefusal(err)
	}
	pages, err := doc.PageCount()
	if err != nil {
		return examination{}, documents.FileRefusal(err)
	}
	switch facts := doc.Facts(); {
	case facts.HeaderOffset > 0:
		return examination{}, documents.ErrDamaged.WithCause(fmt.Errorf("%d bytes of junk before the header", facts.HeaderOffset))
	case facts.DocMDP == 1:
		return examination{}, documents.ErrCertified
	case pages == 0:
		return examination{}, documents.ErrNoPages
	}
	if _, err := doc.Signatures(); err != nil {
		return examination{}, documents.FileRefusal(fmt.Errorf("read form: %w", err)) // fields could not be added later
	}
	if err := documents.RequirePermission(doc, false); err != nil {
		return examination{}, err
	}
	if base.NextObject, err = doc.NextObject(); err != nil {
		return examination{}, documents.FileRefusal(err)
	}
	findings, err := listFindings(ctx, doc)
	if err != nil {
		return examination{}, documents.FileRefusal(err)
	}
	earlier, err := s.checkSignable(ctx, f, f.Size(), budget)
	if err != nil {
		return examination{}, err
	}
	if earlier.signed && earlier.digest != base.Digest {
		return examination{}, documents.ErrFileChanged
	}
	if err := s.requireCompletable(ctx, f, base, doc, budget); err != nil {
		return examination{}, err
	}
	return examination{pages: pages, findings: append(findings, earlier.findings...), nextObject: base.NextObject}, nil
}

// resolveParticipants resolves requests to participants. A registered participant is a user of the caller's
// organisation, by id or e-mail. A guest with the e-mail of such a user becomes that user. A guest with the e-mail of a
// user in another organisation stays a guest like any other, because the mailbox is not verified. A guest who is
// already on the document keeps their id. Unknown people and invalid guest addresses are returned as field errors.
func (s *Service) resolveParticipants(ctx context.Context, by contract.Actor, already []contract.Participant, in []PersonRequest) ([]contract.Participant, []contract.FieldError, error) {
	// The rule refuses more than the limit; do not look them all up first.
	in = in[:min(len(in), s.Limits.Participants+1)]
	people := make([]contract.Participant, 0, len(in))
	var unknown []contract.FieldError
	users, guests := 0, 0
	for _, r := range in {
		p := contract.Participant{Person: contract.Person{ID: r.ID, Name: r.Name, Email: r.Email}, Phone: r.Phone, Role: r.Role, Number: r.Number, Guest: r.Guest}
		where := fmt.Sprintf("signer[%d].id", users)
		if r.Guest {
			where = fmt.Sprintf("guest[%d].email", guests)
			guests++
			code := "text.missing"
			if r.Email != "" {
				r.Email, code = contract.ParseEmail(r.Email)
			}
			if code != "" {
				unknown = append(unknown, contract.NewFieldError(where, code))
			}
			p.Email = r.Email
		} else {
			users++
		}
		u, err := s.findMember(ctx, by.Organisation, r)
		switch {
		case err == nil:
			p.Person, p.Guest = u.Person, false
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return nil, nil, fmt.Errorf("look up participant: %w", err)
		case !r.Guest:
			unknown = append(unknown, contract.NewFieldError(where, "participant.unknown"))
		default:
			if p.ID, err = s.guestID(already, r.Email); err != nil {
				return nil, nil, err
			}
		}
		people = append(people, p)
	}
	return people, unknown, nil
}

// findMember finds a user of an organisation. A user of another organisation takes the same path as a person without an
// account: an owner must not learn who has an account elsewhere.
func (s *Service) findMember(ctx context.Context, o contract.OrganisationID, r PersonRequest) (store.User, error) {
	switch {
	case r.ID != "" && !r.Guest:
		u, err := s.Store.User(ctx, r.ID)
		if err == nil && u.Organisation != o {
			return store.User{}, store.ErrNotFound
		}
		return u, err
	case r.Email != "":
		return s.Store.MemberByEmail(ctx, o, r.Email)
	}
	return store.User{}, store.ErrNotFound
}

func (s *Service) guestID(already []contract.Participant, email string) (contract.PersonID, error) {
	for _, p := range already {
		if p.Guest && strings.EqualFold(p.Email, email) {
			return p.ID, nil
		}
	}
	id, err := uuid.NewRandomFromReader(s.Random)
	if err != nil {
		return "", fmt.Errorf("generate guest id: %w", err)
	}
	return contract.PersonID(id.String()), nil
}

// SetParticipants replaces the participants of a draft.
func (s *Service) SetParticipants(ctx context.Context, by contract.Actor, id contract.DocumentID, in []PersonRequest, parallel *bool) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		// Callers who may not see the document must not learn from the answer who is a user.
		if err := d.Authorise(by, contract.OpParticipants); err != nil {
			return nil, err
		}
		people, unknown, err := s.resolveParticipants(ctx, by, d.Participants, in)
		if err != nil {
			return nil, err
		}
		c, err := contract.SetParticipants(d, people, parallel, by, s.Limits, s.Clock())
		return documents.ChangeOf(c, contract.JoinFieldErrors(err, unknown))
	})
}
