package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/convert/sniff"
	"segel/internal/documents"
	"segel/internal/store"
)

// UploadRequest is a new document.
type UploadRequest struct {
	Title     string
	Filename  string
	Parallel  bool
	People    []PersonRequest
	ExpiresAt time.Time
	Delivery  contract.Delivery   // its languages are those of People, and its reminders those of Remind
	Remind    *contract.Reminders // nil: those of the caller's organisation
	// HideAddresses is nil for what the caller's organisation chose.
	HideAddresses *bool
	Team          contract.TeamID // of the caller, with which the document is shared from the start; empty: none
	File          *Staging

	// UploadID is the resumable upload whose bytes become the file, which is empty until then. Empty: File has the bytes.
	UploadID contract.UploadID
	Sink     io.Writer // writes to File and counts what the caller may write; nil: File
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

	Capacity contract.Capacity
	Group    int // see [contract.Participant]

	Placeholder bool              // a role that a person is to fill, with a name alone; Guest is true
	Fills       contract.PersonID // the placeholder of the document whose place they take; empty: none

	contract.PersonalDelivery
}

// Upload makes a draft from a staged file. A damaged file is rewritten once, if that is possible without guessing:
// people sign the rewritten file, and the upload is kept as the original.
//
// The files are durable before the document that refers to them. If the document is refused, they are removed. If the
// process dies in between, fsck finds them.
func (s *Service) Upload(ctx context.Context, by contract.Actor, r UploadRequest) (contract.Document, error) {
	if err := by.AuthoriseAccount(contract.AccountSend); err != nil {
		return contract.Document{}, err
	}
	if _, err := by.RequireTeam(r.Team); err != nil {
		return contract.Document{}, err
	}
	if r.UploadID != "" {
		return s.uploadResumable(ctx, by, r)
	}
	return s.createDraft(ctx, by, r)
}

// createDraft makes a draft of the bytes in the staging of a request.
func (s *Service) createDraft(ctx context.Context, by contract.Actor, r UploadRequest) (contract.Document, error) {
	// The people are looked up while the bytes become durable and are examined: one waits for the database, the others for the disk and the
	// processor.
	var u contract.Upload
	var unknown []contract.FieldError
	var undescribed error
	var describing sync.WaitGroup
	describing.Go(func() { u, unknown, undescribed = s.describeDraft(ctx, by, r) })
	defer describing.Wait()
	base, err := r.File.storeUpload()
	if err != nil {
		return contract.Document{}, err
	}
	base.At = s.Clock()
	create := func(fill func(*contract.Upload)) (contract.Change, error) {
		if describing.Wait(); undescribed != nil {
			return contract.Change{}, undescribed
		}
		fill(&u)
		c, err := contract.Create(u, by, s.Limits, base.At)
		c.Upload = r.UploadID
		return c, contract.JoinFieldErrors(err, unknown)
	}
	if r.File.isWord {
		return s.uploadWord(ctx, by, base, func() (contract.Change, error) {
			return create(func(u *contract.Upload) { u.Base, u.Word = base, true })
		})
	}
	return s.uploadPDF(ctx, by, base, func(uploaded contract.Revision, found examination) (contract.Change, error) {
		return create(func(u *contract.Upload) { u.Base, u.Pages, u.Findings = uploaded, found.pages, found.findings })
	})
}

// describeDraft returns the draft that a request describes, without its file, and what is wrong with its people.
func (s *Service) describeDraft(ctx context.Context, by contract.Actor, r UploadRequest) (contract.Upload, []contract.FieldError, error) {
	people, unknown, err := s.resolveParticipants(ctx, by, nil, r.People)
	if err != nil {
		return contract.Upload{}, nil, err
	}
	u := contract.Upload{Title: r.Title, Filename: r.Filename, Parallel: r.Parallel, Participants: people, Delivery: r.Delivery, ExpiresAt: r.ExpiresAt, Team: r.Team}
	u.Delivery.SetPersonal(personalDelivery(people, r.People))
	if u.Delivery.Reminders, err = s.chooseReminders(ctx, by, r.Remind); err != nil {
		return contract.Upload{}, nil, err
	}
	if u.Delivery.HideAddresses, err = s.chooseHidden(ctx, by, r.HideAddresses); err != nil {
		return contract.Upload{}, nil, err
	}
	if _, err := io.ReadFull(s.Random, u.Entropy[:]); err != nil {
		return contract.Upload{}, nil, fmt.Errorf("generate document name: %w", err)
	}
	return u, unknown, nil
}

// uploadPDF examines a stored file and commits the draft that create makes of it. Create gets the file as it was
// uploaded and what was found in it, or in its rewritten form.
func (s *Service) uploadPDF(ctx context.Context, by contract.Actor, uploaded contract.Revision, create func(uploaded contract.Revision, found examination) (contract.Change, error)) (d contract.Document, err error) {
	found, rewritten, err := s.examineOrRepair(ctx, by.Organisation, uploaded)
	if err != nil {
		return contract.Document{}, errors.Join(err, s.RemoveBlob(ctx, uploaded.Tail.Key))
	}
	stored := []contract.Revision{found.base}
	if rewritten {
		stored = append(stored, uploaded)
	} else {
		uploaded = found.base
	}
	c, err := create(uploaded, found)
	if err == nil && rewritten {
		err = c.ReplaceBase(found.base, contract.NormalisedDamaged, by, uploaded.At)
	}
	if err != nil {
		return contract.Document{}, s.RemoveTails(ctx, err, stored)
	}
	if d, err = s.CommitChange(documents.WithDocumentAnswer(ctx), c); err != nil {
		return contract.Document{}, s.RemoveUncommitted(ctx, err, stored...)
	}
	return d, nil
}

// resolveParticipants resolves requests to participants. A registered participant is a user of the caller's
// organisation, by id or e-mail. A guest with the e-mail of such a user becomes that user. A guest with the e-mail of a
// user in another organisation stays a guest like any other, because the mailbox is not verified. A guest who is
// already on the document keeps their id. Unknown people, invalid guest addresses and channels that are not configured are returned as field errors.
func (s *Service) resolveParticipants(ctx context.Context, by contract.Actor, already []contract.Participant, in []PersonRequest) ([]contract.Participant, []contract.FieldError, error) {
	// The rule refuses more than the limit; do not look them all up first.
	in = slices.Clone(in[:min(len(in), s.Limits.Participants+1)])
	people := make([]contract.Participant, 0, len(in))
	var unknown []contract.FieldError
	codes := make([]string, len(in)) // what is wrong with the addresses of guests
	for i := range in {
		r := &in[i]
		if !r.Guest {
			continue
		}
		codes[i] = "text.missing"
		switch {
		case r.Placeholder:
			r.Email, r.Phone, r.PersonalDelivery, codes[i] = "", "", contract.PersonalDelivery{}, ""
		case r.Email != "":
			r.Email, codes[i] = contract.ParseEmail(r.Email)
		case r.Channel.IsPhone():
			codes[i] = "" // their number reaches them
		}
	}
	members, err := s.findActiveMembers(ctx, by.Organisation, already, in)
	if err != nil {
		return nil, nil, fmt.Errorf("look up participants: %w", err)
	}
	users, guests := 0, 0
	for i, r := range in {
		p := contract.Participant{Person: contract.Person{ID: r.ID, Name: r.Name, Email: r.Email}, Phone: r.Phone, Role: r.Role, Capacity: r.Capacity, Group: r.Group, Number: r.Number, Guest: r.Guest, Placeholder: r.Placeholder}
		where := fmt.Sprintf("signer[%d].id", users)
		if r.Guest {
			where = fmt.Sprintf("guest[%d].email", guests)
			guests++
			if codes[i] != "" {
				unknown = append(unknown, contract.NewFieldError(where, codes[i]))
			}
		} else {
			users++
		}
		switch {
		case members[i].ID != "":
			p.Person, p.Guest = members[i].Person, false
		case !r.Guest:
			unknown = append(unknown, contract.NewFieldError(where, "participant.unknown"))
		default:
			if p.ID, err = s.guestID(already, r); err != nil {
				return nil, nil, err
			}
		}
		if r.Channel.IsPhone() && !s.Delivers(r.Channel) {
			unknown = append(unknown, contract.NewFieldError(strings.TrimSuffix(strings.TrimSuffix(where, "id"), "email")+"channel", "channel.not_configured"))
		}
		people = append(people, p)
	}
	return people, unknown, nil
}

// personalDelivery returns how resolved people are reached, by person. Requests are in the same order; there may be more of them.
func personalDelivery(people []contract.Participant, in []PersonRequest) map[contract.PersonID]contract.PersonalDelivery {
	personal := map[contract.PersonID]contract.PersonalDelivery{}
	for i, p := range people {
		personal[p.ID] = in[i].PersonalDelivery
	}
	return personal
}

// filledPlaceholders returns which resolved people take the place of placeholders. Requests are in the same order; there may be more of them.
func filledPlaceholders(people []contract.Participant, in []PersonRequest) (fills []contract.FilledPlaceholder) {
	users, guests := 0, 0
	for i, p := range people {
		field := fmt.Sprintf("signer[%d].fills", users)
		if in[i].Guest {
			field = fmt.Sprintf("guest[%d].fills", guests)
			guests++
		} else {
			users++
		}
		if in[i].Fills != "" {
			fills = append(fills, contract.FilledPlaceholder{Placeholder: in[i].Fills, Person: p.ID, Field: field})
		}
	}
	return fills
}

// findActiveMembers finds the users of an organisation whom requests name, in their order and in one query; one without an ID where there
// is none. A user of another organisation takes the same path as a person without an account: an owner must not learn who has an account
// elsewhere. Disabled accounts are left out, except those of people who are already on the document: they stay on it. Others with a
// disabled account are like people without one, so they may be guests.
func (s *Service) findActiveMembers(ctx context.Context, o contract.OrganisationID, already []contract.Participant, in []PersonRequest) ([]store.User, error) {
	asked := make([]store.MemberQuery, len(in))
	for i, r := range in {
		asked[i].Email = r.Email
		if !r.Guest {
			asked[i].ID = r.ID
		}
	}
	members, err := s.Store.FindMembers(ctx, o, asked...)
	for i, u := range members {
		if !u.DisabledAt.IsZero() && !slices.ContainsFunc(already, func(p contract.Participant) bool { return p.ID == u.ID }) {
			members[i] = store.User{}
		}
	}
	return members, err
}

// guestID returns the identifier of a guest who is already on the document with the same address, or without an address and with the
// same phone number, and of a placeholder with the same name; else a new one.
func (s *Service) guestID(already []contract.Participant, r PersonRequest) (contract.PersonID, error) {
	phone, _ := contract.ParsePhone(r.Phone)
	for _, p := range already {
		if r.Placeholder && p.Placeholder && strings.EqualFold(p.Name, contract.CleanText(r.Name)) {
			return p.ID, nil
		}
		if p.Guest && strings.EqualFold(p.Email, r.Email) && (r.Email != "" || phone != "" && p.Phone == phone) {
			return p.ID, nil
		}
	}
	id, err := uuid.NewRandomFromReader(s.Random)
	if err != nil {
		return "", fmt.Errorf("generate guest id: %w", err)
	}
	return contract.PersonID(id.String()), nil
}

// SetParticipants replaces the participants of a draft. Seen is the version that the caller read; see
// [contract.CheckDraftVersion].
func (s *Service) SetParticipants(ctx context.Context, by contract.Actor, id contract.DocumentID, seen int64, in []PersonRequest, parallel *bool) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		// Callers who may not see the document must not learn from the answer who is a user.
		if err := contract.CheckDraftVersion(d, seen, by, contract.OpParticipants); err != nil {
			return nil, err
		}
		people, unknown, err := s.resolveParticipants(ctx, by, d.Participants, in)
		if err != nil {
			return nil, err
		}
		c, err := contract.FillParticipants(d, people, personalDelivery(people, in), filledPlaceholders(people, in), parallel, by, s.Limits, s.Clock())
		return documents.ChangeOf(c, contract.JoinFieldErrors(err, unknown))
	})
}

// receivedFile takes the bytes of a file in a request. It hashes them, and refuses the file as soon as possible.
type receivedFile struct {
	to         io.Writer
	digest     *blob.Digester
	head       []byte // first bytes, until the kind of file is known
	known      bool
	acceptWord bool
	isWord     bool // once known: the file may be a Word document
	limit      int64
	space      documents.DiskSpace
}

// sniffLen is the number of bytes that decide the kind of a file. Readers accept a PDF header within that many bytes.
const sniffLen = 1024

// newReceivedFile starts a file, if the disk has space. The caller sets where its bytes go, which it opens only then.
func (s *Service) newReceivedFile(acceptWord bool) (receivedFile, error) {
	f := receivedFile{digest: blob.NewDigester(), acceptWord: acceptWord, limit: s.Limits.FileSize, space: documents.DiskSpace{Require: s.RequireDiskSpace}}
	return f, f.requireSpace(1)
}

func (f *receivedFile) requireSpace(n int) error {
	if err := f.space.RequireSpace(n); err != nil {
		return fmt.Errorf("receive file: %w", err)
	}
	return nil
}

// Write adds the next bytes of the file. It fails as soon as the file is too large or known to be of another kind.
func (f *receivedFile) Write(p []byte) (int, error) {
	if f.digest.Size()+int64(len(p)) > f.limit {
		return 0, documents.ErrTooLarge.With("limit", f.limit)
	}
	if !f.known {
		if f.head = append(f.head, p[:min(len(p), sniffLen-len(f.head))]...); len(f.head) == sniffLen {
			if err := f.checkKind(); err != nil {
				return 0, err
			}
		}
	}
	if err := f.requireSpace(len(p)); err != nil {
		return 0, err
	}
	f.digest.Write(p)
	return f.to.Write(p)
}

// checkKind determines the kind of the file from its first bytes, unless it is known. Call it after the last byte.
func (f *receivedFile) checkKind() error {
	if f.known {
		return nil
	}
	f.known = true
	f.isWord = f.acceptWord && sniff.MayBeWord(f.head) // before PDF, because any file may contain a PDF header in its first bytes
	switch {
	case len(f.head) == 0:
		return documents.ErrEmpty
	case !f.isWord && !bytes.Contains(f.head, []byte("%PDF-")):
		return documents.ErrNotPDF
	}
	return nil
}

// Staging receives the bytes of an upload and writes them to a blob that nothing refers to yet.
type Staging struct {
	receivedFile
	key blob.Key
	w   blob.Writer
}

// Stage starts an upload to an organisation. The caller must call Abort, which does nothing after Upload stored the file.
func (s *Service) Stage(ctx context.Context, of contract.OrganisationID) (*Staging, error) {
	file, err := s.newReceivedFile(true)
	if err != nil {
		return nil, err
	}
	key, err := blob.NewKey(s.Random)
	if err != nil {
		return nil, err
	}
	w, err := s.CreateBlob(ctx, of, key)
	if err != nil {
		return nil, fmt.Errorf("stage upload: %w", err)
	}
	file.to = w
	return &Staging{receivedFile: file, key: key, w: w}, nil
}

// storeUpload makes the uploaded bytes durable.
func (st *Staging) storeUpload() (contract.Revision, error) {
	if err := st.checkKind(); err != nil {
		return contract.Revision{}, err
	}
	if err := st.w.Commit(); err != nil {
		return contract.Revision{}, fmt.Errorf("store upload: %w", err)
	}
	d := st.digest.Digest()
	return documents.BaseRevision(contract.File{Key: string(st.key), Size: d.Size, Digest: d.BlobSum, Sums: d.ChunkSums}, d), nil
}

// Abort removes the bytes, unless the upload was stored.
func (st *Staging) Abort() {
	st.w.Abort()
}
