package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/pades"
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

// PersonRequest names somebody who shall take part: a user by id or e-mail, or a guest.
type PersonRequest struct {
	ID     contract.PersonID
	Name   string
	Email  string
	Phone  string
	Role   contract.Role
	Number int
	Guest  bool
}

// Upload makes a draft of a staged file. One that is damaged is rewritten once, if that is possible without
// guessing: the rewriting is what will be signed, and what was uploaded is kept as the original.
//
// The files are durable before the document that refers to them. When anything refuses the document, they are
// removed again; after a crash in between they stay behind for fsck.
func (s *Service) Upload(ctx context.Context, by contract.Actor, r UploadRequest) (d contract.Document, err error) {
	if by.Guest != 0 {
		return contract.Document{}, contract.ErrNotAllowed
	}
	people, unknown, err := s.people(ctx, by, nil, r.People)
	if err != nil {
		return contract.Document{}, err
	}
	u := contract.Upload{Title: r.Title, Filename: r.Filename, Parallel: r.Parallel, Participants: people, ExpiresAt: r.ExpiresAt}
	if _, err := io.ReadFull(s.Random, u.Entropy[:]); err != nil {
		return contract.Document{}, fmt.Errorf("draw document name: %w", err)
	}
	base, err := r.File.keep()
	if err != nil {
		return contract.Document{}, err
	}
	now := s.Clock()
	base.At = now
	if r.File.word {
		return s.uploadWord(ctx, by, u, base, unknown)
	}
	facts, mended, err := s.takeIn(ctx, base)
	if err != nil {
		return contract.Document{}, errors.Join(err, s.discard(ctx, base.Tail.Key))
	}
	stored := append(mended, base)
	base.NextObject = facts.nextObject
	u.Base, u.Pages, u.Findings = base, facts.pages, facts.findings
	c, err := contract.Create(u, by, s.Limits, now)
	err = contract.Also(err, unknown)
	if err == nil && len(mended) > 0 {
		err = c.Rebase(mended[0], contract.NormalisedDamaged, by, now)
	}
	if err == nil {
		d, err = s.commit(effect(ctx), c)
	}
	if err != nil {
		return contract.Document{}, s.disown(ctx, err, stored...)
	}
	return d, nil
}

// takeIn examines a file. If it is damaged, the rewriting that takes its place comes back with what is known of it.
func (s *Service) takeIn(ctx context.Context, base contract.Revision) (examined, []contract.Revision, error) {
	release, err := s.reading.acquire(ctx)
	if err != nil {
		return examined{}, nil, err
	}
	defer release()
	// All readings of one upload share what it may cost, its rewriting included, and end when the client goes.
	budget := pdf.FileBudget(ctx, base.End)
	facts, err := s.examine(ctx, base, budget)
	if !errors.Is(err, errDamaged) {
		return facts, nil, err
	}
	mended, err := s.normalise(ctx, base, budget)
	if err != nil {
		return examined{}, nil, err
	}
	if facts, err = s.examine(ctx, mended, budget); err != nil {
		return examined{}, nil, errors.Join(err, s.discard(ctx, mended.Tail.Key))
	}
	return facts, []contract.Revision{mended}, nil
}

// examined is what has to be known of a file before it is taken in.
type examined struct {
	pages      int
	findings   []contract.Finding
	nextObject uint32 // see contract.Revision
}

// examine refuses a file that cannot be signed soundly, or whose signatures could not be validated.
func (s *Service) examine(ctx context.Context, base contract.Revision, budget *pdf.Budget) (examined, error) {
	f, err := s.open(ctx, []contract.Revision{base})
	if err != nil {
		return examined{}, err
	}
	defer f.Close()
	doc, err := pdf.Open(f, f.Size(), signingOptions(f.Size(), budget))
	if err != nil {
		return examined{}, refusal(err)
	}
	if err := doc.Check(); err != nil {
		return examined{}, refusal(err)
	}
	pages, err := doc.PageCount()
	if err != nil {
		return examined{}, refusal(err)
	}
	switch facts := doc.Facts(); {
	case facts.HeaderOffset > 0:
		return examined{}, errDamaged.Because(fmt.Errorf("%d bytes of junk before the header", facts.HeaderOffset))
	case facts.DocMDP == 1:
		return examined{}, errCertified
	case pages == 0:
		return examined{}, errNoPages
	}
	if _, err := doc.Signatures(); err != nil {
		return examined{}, refusal(fmt.Errorf("read form: %w", err)) // fields could not be added to it later
	}
	if err := permits(doc, false); err != nil {
		return examined{}, err
	}
	if base.NextObject, err = doc.NextObject(); err != nil {
		return examined{}, refusal(err)
	}
	findings, err := findIn(ctx, doc)
	if err != nil {
		return examined{}, refusal(err)
	}
	earlier, err := s.checkSignable(ctx, f, f.Size(), budget)
	if err != nil {
		return examined{}, err
	}
	if earlier.signed && earlier.digest != base.Digest {
		return examined{}, errFileChanged
	}
	if err := s.requireCompletable(ctx, f, base, doc, budget); err != nil {
		return examined{}, err
	}
	return examined{pages: pages, findings: append(findings, earlier.findings...), nextObject: base.NextObject}, nil
}

// permits refuses a file whose signatures forbid ours. Whoever finds out later has reserved quota, asked people to
// sign, or paid for a stamp.
func permits(doc *pdf.Document, seen bool) error {
	const ours = "Segel" // no name that a lock lists, so what holds for it holds for all our fields
	err := pades.RequireNewFieldPermitted(doc, ours, seen)
	if errors.Is(err, pades.ErrCertified) || errors.Is(err, pades.ErrFieldLocked) {
		return errCertified.Because(err)
	}
	return err
}

// refusal says in our words what the reader of the file says in its own.
func refusal(err error) error {
	switch {
	case errors.Is(err, pdf.ErrNotPDF):
		return errNotPDF.Because(err)
	case errors.Is(err, pdf.ErrPasswordNeeded):
		return errPassword.Because(err)
	case errors.Is(err, pdf.ErrEncrypted):
		return errEncrypted.Because(err)
	case errors.Is(err, pdf.ErrSigned):
		return errLostCause.Because(err)
	case errors.Is(err, pdf.ErrTooLarge):
		return errComplex.Because(err)
	case errors.Is(err, pdf.ErrDamaged), errors.Is(err, pdf.ErrUnsupported):
		return errDamaged.Because(err)
	}
	return err
}

// people finds out who is meant. A registered participant is a user of the caller's organisation, by id or
// e-mail; a guest whose e-mail is such a user's becomes that user; one whose e-mail is a user's elsewhere stays a guest
// like any other, since the mailbox is not verified; a guest already on the document keeps their id. People who cannot be
// found, and addresses that are none of a guest, are told as field errors.
func (s *Service) people(ctx context.Context, by contract.Actor, already []contract.Participant, in []PersonRequest) ([]contract.Participant, []contract.FieldError, error) {
	// More than the limit is refused by the rule; looking them all up first would be work for nothing.
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
				unknown = append(unknown, contract.Wrong(where, code))
			}
			p.Email = r.Email
		} else {
			users++
		}
		u, err := s.member(ctx, by.Organisation, r)
		switch {
		case err == nil:
			p.Person, p.Guest = u.Person, false
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return nil, nil, fmt.Errorf("look up participant: %w", err)
		case !r.Guest:
			unknown = append(unknown, contract.Wrong(where, "participant.unknown"))
		default:
			if p.ID, err = s.guestID(already, r.Email); err != nil {
				return nil, nil, err
			}
		}
		people = append(people, p)
	}
	return people, unknown, nil
}

// member finds a user of an organisation. A user of another one is looked up exactly like a person without an account:
// an owner must not learn who has one elsewhere.
func (s *Service) member(ctx context.Context, o contract.OrganisationID, r PersonRequest) (store.User, error) {
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
	var b [16]byte
	if _, err := io.ReadFull(s.Random, b[:]); err != nil {
		return "", fmt.Errorf("draw guest id: %w", err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // RFC 9562 §5.4
	return contract.PersonID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])), nil
}

// SetParticipants replaces the people of a draft.
func (s *Service) SetParticipants(ctx context.Context, by contract.Actor, id contract.DocumentID, in []PersonRequest, parallel *bool) (contract.Document, error) {
	return s.applyAs(effect(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		// Who may not see the document must not learn from the answer who is a user.
		if err := d.Authorise(by, contract.OpParticipants); err != nil {
			return nil, err
		}
		people, unknown, err := s.people(ctx, by, d.Participants, in)
		if err != nil {
			return nil, err
		}
		c, err := contract.SetParticipants(d, people, parallel, by, s.Limits, s.Clock())
		return one(c, contract.Also(err, unknown))
	})
}
