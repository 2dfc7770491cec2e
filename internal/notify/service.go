package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/mail"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/process"
	"segel/internal/store"
	"segel/internal/text"
)

// Store is what delivery reads and writes.
type Store interface {
	store.Notices
	Document(ctx context.Context, id contract.DocumentID) (contract.Document, error)
	Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
	Logo(ctx context.Context, logo string) ([]byte, error)
	Erasure(ctx context.Context, id contract.PersonID) (contract.Erasure, error)
	Enqueue(ctx context.Context, jobs ...contract.Job) error
	LogEvents(ctx context.Context, events ...contract.Event) error
}

// Composer writes the subject, the text and the HTML of a message, with the pictures that the HTML shows. It leaves the addresses to
// the service.
type Composer interface {
	Compose(f Facts) (Message, error)
	// ComposeText writes a text message for a phone, with its link.
	ComposeText(f Facts) (string, error)
}

// Links makes the links and the codes of guests.
type Links interface {
	MailedLink(ctx context.Context, id contract.DocumentID, guest contract.PersonID) (url string, err error)
	// MailedCode returns the code that was ordered at that moment, and until when it can be entered. Its refusal means that it cannot
	// be entered any more.
	MailedCode(ctx context.Context, d *contract.Document, guest contract.PersonID, ordered time.Time) (code string, until time.Time, err error)
}

// Files reads the files of completed documents.
type Files interface {
	// ReadFinished returns the finished file of a document, or nil if it has more than limit bytes.
	ReadFinished(ctx context.Context, d *contract.Document, limit int64) ([]byte, error)
	// ReadEvidence returns the evidence certificate of a document, or nil if it has more than limit bytes. It makes one if there is none yet.
	ReadEvidence(ctx context.Context, d *contract.Document, limit int64) ([]byte, error)
}

// Service delivers notices as mails and text messages. All fields are required, unless they say otherwise. It is safe for concurrent use.
type Service struct {
	Store    Store
	Composer Composer
	Links    Links
	Accounts Accounts
	Files    Files
	// Sender delivers mails. Nil: no mail server is configured. Then notices are kept by the commits that order them.
	Sender Sender
	// Texts deliver text messages, by channel. Notices by other channels are kept.
	Texts     map[contract.Channel]TextSender
	From      mail.Address
	Senders   map[contract.OrganisationID]string // addresses that replace that of From in the mails of an organisation
	Bounces   *BounceAddresses                   // of envelope senders; nil: the address in From
	PublicURL string                             // base of links, without a slash at its end
	Language  text.Language
	Lease     time.Duration // how long one try takes at most; default 2 minutes. Meanwhile no other job tries the same notice, unless this node ends
	Clock     func() time.Time
	Log       *slog.Logger
	// Observe records the result of one try. Nil: results are not recorded.
	Observe func(contract.Channel, contract.NoticeState)
}

const defaultLease = 2 * time.Minute

// heldPause is how long a notice waits that is due by the clock of this process, and that another one still sends by the database's.
const heldPause = 5 * time.Second

// suspendedPause is how long a message of a suspended organisation waits before it is looked at again.
const suspendedPause = time.Hour

// reminderWait is how long a reminder of a suspended organisation waits.
const reminderWait = 24 * time.Hour

// Deliver sends the notices of a document that are due, in the order in which they were ordered; those about accounts have the document 0. If
// notices remain that are due later, it returns a *contract.Later.
//
// Each try is recorded before the message is sent, and its result afterwards. A crash between the two, or the end of the node, leads to another try, so a message
// may arrive twice, with the same identifier, and is never lost.
func (s *Service) Deliver(ctx context.Context, id contract.DocumentID) error {
	if id == accountDocument {
		return s.deliverAccountNotices(ctx)
	}
	ordered, err := s.Store.OrderedNotices(ctx, id)
	if err != nil || len(ordered) == 0 {
		return err
	}
	d, err := s.Store.Document(ctx, id)
	if err != nil {
		return fmt.Errorf("read document %d: %w", id, err)
	}
	o, err := s.Store.Organisation(ctx, d.Organisation)
	if err != nil {
		return fmt.Errorf("read organisation %s: %w", d.Organisation, err)
	}
	files := &finishedFiles{of: &d}
	return s.deliverDue(ctx, ordered, func(ctx context.Context, n contract.Notice) (contract.Notice, error) {
		if o.State != contract.OrganisationActive {
			return s.withholdNotice(ctx, n, o.State)
		}
		return s.deliverNotice(ctx, &d, n, files)
	})
}

// deliverDue delivers those of some notices that are due.
func (s *Service) deliverDue(ctx context.Context, ordered []contract.Notice, deliver func(context.Context, contract.Notice) (contract.Notice, error)) error {
	var next time.Time
	for _, n := range ordered {
		if s.Clock().Before(n.DueAt) {
			next = earlier(next, n.DueAt)
			continue
		}
		n, err := deliver(ctx, n)
		switch {
		case errors.Is(err, store.ErrConflict):
			// Another process sent it meanwhile, or is at it. By the database's clock it may be at it for longer than by ours, and its job may have been lost with it.
			read, err := s.Store.Notice(ctx, n.ID)
			switch {
			case errors.Is(err, store.ErrNotFound):
			case err != nil:
				return fmt.Errorf("read notice %s: %w", n.ID, err)
			case read.State == contract.NoticeOrdered:
				next = earlier(next, later(read.DueAt, s.Clock().Add(heldPause)))
			}
		case err != nil:
			return err
		case n.State == contract.NoticeOrdered:
			next = earlier(next, n.DueAt)
		}
	}
	if next.IsZero() {
		return nil
	}
	return &contract.Later{After: max(next.Sub(s.Clock()), time.Second)}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// withholdNotice keeps back a notice of an organisation that is not active: its links open nothing. While the organisation is suspended, the notice
// waits, but a reminder only for a day, so that no heap of them follows; of one that was closed it is dropped.
func (s *Service) withholdNotice(ctx context.Context, n contract.Notice, state contract.OrganisationState) (contract.Notice, error) {
	if state != contract.OrganisationSuspended || n.Kind == contract.NoticeReminder && s.Clock().Sub(n.OrderedAt) > reminderWait {
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemNotNeeded})
	}
	n.DueAt = s.Clock().Add(suspendedPause)
	return s.endTry(ctx, n, contract.NoticeOrdered, contract.Problem{Code: contract.ProblemSuspended})
}

// deliverNotice sends one notice and returns it with the result.
func (s *Service) deliverNotice(ctx context.Context, d *contract.Document, n contract.Notice, files *finishedFiles) (contract.Notice, error) {
	channel, address := d.Reach(n.Person)
	n.Channel = channel
	switch {
	case address == "" && channel.IsPhone():
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemNoNumber})
	case address == "":
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemNoAddress})
	case !d.Needs(n):
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemNotNeeded})
	}
	// The document keeps the address of a person whose data were erased as evidence, not to write to them.
	switch _, err := s.Store.Erasure(ctx, n.Person); {
	case err == nil:
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemNotNeeded})
	case !errors.Is(err, store.ErrNotFound):
		return n, err
	}
	return s.tryNotice(ctx, n, address, func(n contract.Notice) error { return s.sendNotice(ctx, d, n, files) })
}

// tryNotice sends one notice to an address and returns it with the result.
func (s *Service) tryNotice(ctx context.Context, n contract.Notice, address string, send func(contract.Notice) error) (contract.Notice, error) {
	if !s.Delivers(n.Channel) { // it was configured when the notice was ordered
		return s.endTry(ctx, n, contract.NoticeKept, contract.Problem{})
	}
	// Durable from here on: that a message to this address may be on its way. A crash leads to another try.
	n, err := s.Store.BeginTry(ctx, n, address, s.Clock(), cmp.Or(s.Lease, defaultLease))
	if err != nil {
		return n, err
	}
	// A process that was suspended here sends nothing: another node has begun the next try.
	if err := process.Check(ctx); err != nil {
		return n, err
	}
	err = s.recoverSend(ctx, n, send)
	var refused *Refusal
	switch {
	case err == nil:
		return s.endTry(ctx, n, contract.NoticeSent, contract.Problem{})
	case ctx.Err() != nil:
		// The job is stopped. The next one tries again, at once if this is stored or the node has ended, else after the lease.
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		n.DueAt = s.Clock()
		n, err := s.endTry(ending, n, contract.NoticeOrdered, contract.Problem{})
		return n, errors.Join(ctx.Err(), err)
	case errors.Is(err, contract.ErrCodeEnded):
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemNotNeeded})
	case contract.KindOf(err) != 0: // the owner revoked the guest's links
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemLinkRevoked})
	case errors.As(err, &refused):
		return s.endTry(ctx, n, contract.NoticeFailed, contract.Problem{Detail: refused.Reason})
	}
	s.Log.WarnContext(ctx, "message was not delivered", "notice", n.ID, "channel", cmp.Or(n.Channel, "mail"), "try", n.Tries, "error", err)
	again, givenUp := contract.Problem{Code: contract.ProblemNoServer}, contract.Problem{Code: contract.ProblemServerGaveUp}
	if n.Channel.IsPhone() {
		again.Code, givenUp.Code = contract.ProblemNoProvider, contract.ProblemProviderGaveUp
	}
	if unsent := (*Unsent)(nil); errors.As(err, &unsent) {
		again.Detail, givenUp.Detail = unsent.Said, unsent.Said
	}
	due, more := contract.NextNoticeTry(n, s.Clock())
	if !more {
		return s.endTry(ctx, n, contract.NoticeFailed, givenUp)
	}
	n.DueAt = due
	return s.endTry(ctx, n, contract.NoticeOrdered, again)
}

// recoverSend sends a notice. A panic is an error of its try, whose result is recorded: otherwise the notice would be tried every two minutes for ever, and each time
// the notices behind it would wait for another run.
func (s *Service) recoverSend(ctx context.Context, n contract.Notice, send func(contract.Notice) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			s.Log.ErrorContext(ctx, "sending a message panicked", "notice", n.ID, "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("send notice %s: panic: %v", n.ID, v)
		}
	}()
	return send(n)
}

// Delivers reports whether messages by a channel are sent, and not kept.
func (s *Service) Delivers(c contract.Channel) bool {
	if c.IsPhone() {
		return s.Texts[c] != nil
	}
	return s.Sender != nil
}

// sendNotice sends the message of a notice by its channel.
func (s *Service) sendNotice(ctx context.Context, d *contract.Document, n contract.Notice, files *finishedFiles) error {
	if !n.Channel.IsPhone() {
		m, err := s.composeMessage(ctx, d, n, files)
		if err != nil {
			return err
		}
		return s.Sender.Send(ctx, m)
	}
	f, _, err := s.collectFacts(ctx, d, n)
	if err != nil {
		return err
	}
	said, err := s.Composer.ComposeText(f)
	if err != nil {
		return fmt.Errorf("compose notice %s: %w", n.ID, err)
	}
	return s.Texts[n.Channel].SendText(ctx, TextMessage{
		ID: string(n.ID), Channel: n.Channel, Number: n.Address, Name: f.Recipient.Name, Kind: n.Kind, Language: f.Language,
		Sender: f.Sender.Name, Organisation: f.Organisation, Title: f.Title, Link: f.Link, Code: f.Code, Text: said,
	})
}

// endTry records the result of a try, and its event: that a message was sent or refused.
func (s *Service) endTry(ctx context.Context, n contract.Notice, result contract.NoticeState, problem contract.Problem) (contract.Notice, error) {
	now := s.Clock()
	n.State, n.Problem = result, problem.String()
	if result != contract.NoticeOrdered {
		n.DoneAt = now
	}
	var events []contract.Event
	switch result {
	case contract.NoticeSent:
		events = append(events, noticeEvent(contract.EventNoticeSent, n, now))
	case contract.NoticeFailed:
		events = append(events, refusalEvent(n))
	}
	if s.Observe != nil {
		s.Observe(n.Channel, result)
	}
	return n, s.Store.EndTry(ctx, n, events...)
}

func noticeEvent(t contract.EventType, n contract.Notice, now time.Time) contract.Event {
	if n.ConcernsAccount() {
		return accountNoticeEvent(map[contract.EventType]contract.EventType{
			contract.EventNoticeSent: contract.EventAccountNoticeSent, contract.EventNoticeRefused: contract.EventAccountNoticeRefused,
		}[t], n, now)
	}
	e := contract.Event{Type: t, Document: n.Document, At: now, Details: map[string]string{
		"notice": string(n.Kind), "recipient": string(n.Person), "address": n.Address,
	}}
	if n.Channel.IsPhone() {
		e.Details["channel"] = string(n.Channel)
	}
	return e
}

// refusalEvent returns the event that a message was refused for good, during its delivery or later. People of a document read it: it has no words that are for operators.
func refusalEvent(n contract.Notice) contract.Event {
	e := noticeEvent(contract.EventNoticeRefused, n, n.DoneAt)
	e.Details["reason"] = n.Problem
	if p := contract.ParseProblem(n.Problem); p.Code.ConcernsNotice() {
		e.Details["reason"] = string(p.Code)
	}
	return e
}

// collectFacts returns what the message of a notice says, without a logo, and the organisation of the document. It makes the link of a guest, and the code of a message that carries one.
func (s *Service) collectFacts(ctx context.Context, d *contract.Document, n contract.Notice) (Facts, store.Organisation, error) {
	o, err := s.Store.Organisation(ctx, d.Organisation)
	if err != nil {
		return Facts{}, o, fmt.Errorf("read organisation %s: %w", d.Organisation, err)
	}
	to, guest := d.Recipient(n)
	f := Facts{
		Kind: n.Kind, Language: cmp.Or(text.Language(d.Delivery.Languages[to.ID]), text.Language(o.Locale.Language), s.Language), Zone: o.Locale.Location(), Message: d.Delivery.Message, Recipient: to, Guest: guest, Sender: d.Owner, Organisation: o.Name, Colour: o.Branding.Colour,
		Title: d.Title, Pages: d.Pages, Deadline: d.ExpiresAt, By: n.By, Link: s.PublicURL + "/document/" + strconv.FormatInt(int64(d.ID), 10),
	}
	if p := d.Participant(to.ID); p != nil {
		f.Capacity = p.Capacity
	}
	shown := d.AsShownTo(contract.Actor{Person: to})
	for i, p := range d.Participants {
		if p.Name == n.By { // an address may have been entered as their name
			f.By = shown.Participants[i].Name
		}
	}
	for _, p := range shown.GroupOf(to.ID) {
		if p.ID != to.ID {
			f.Others = append(f.Others, p.DisplayName())
		}
	}
	f.Approvals = slices.ContainsFunc(d.Participants, contract.Participant.MustApprove)
	if n.Kind == contract.NoticeDeclined || n.Kind == contract.NoticeCanceled {
		f.Reason = d.Reason
	}
	if g := d.DelegationTo(to.ID); g != nil {
		f.DelegatedBy = shown.Participant(g.From).Name
	}
	if n.Kind == contract.NoticeDelegated {
		for _, g := range d.Delegations {
			if g.At.Equal(n.OrderedAt) {
				to := d.Participant(g.To)
				f.Delegate, f.Reason, f.Capacity = to.Name, g.Reason, to.Capacity
			}
		}
	}
	switch {
	case n.Kind == contract.NoticeCode:
		f.Link = s.PublicURL + guestPath // without a secret: the page that asks for the code is open
		if f.Code, f.Deadline, err = s.Links.MailedCode(ctx, d, n.Person, n.OrderedAt); err != nil {
			return Facts{}, o, err
		}
	case guest:
		if f.Link, err = s.Links.MailedLink(ctx, d.ID, n.Person); err != nil {
			return Facts{}, o, err
		}
	}
	return f, o, nil
}

// composeMessage writes the mail of a notice. Without files, it attaches none.
func (s *Service) composeMessage(ctx context.Context, d *contract.Document, n contract.Notice, files *finishedFiles) (Message, error) {
	f, o, err := s.collectFacts(ctx, d, n)
	if err != nil {
		return Message{}, err
	}
	to := f.Recipient
	if f.Logo, err = s.readLogo(ctx, o); err != nil {
		return Message{}, err
	}
	var attached []Attachment
	if n.Kind == contract.NoticeCompleted && d.Delivery.Attach && d.State == contract.Completed && files != nil {
		if attached, err = s.readAttachments(ctx, files); err != nil {
			return Message{}, err
		}
		if d.Delivery.HideAddresses && n.Person != d.Owner.ID && len(attached) > 1 {
			attached = attached[:1] // the evidence certificate has the addresses of all
		}
	}
	f.Attached, f.EvidenceAttached = len(attached) > 0, len(attached) > 1
	m, err := s.Composer.Compose(f)
	if err != nil {
		return Message{}, fmt.Errorf("compose notice %s: %w", n.ID, err)
	}
	m.Link, m.Attachments = f.Link, attached
	s.addressMessage(&m, n, o, mail.Address{Name: to.Name, Address: cmp.Or(n.Address, to.Email)})
	if d.Owner.Email != to.Email {
		m.ReplyTo = mail.Address{Name: d.Owner.Name, Address: d.Owner.Email}
	}
	return m, nil
}

// addressMessage sets the identifier, the sender and the recipient of the mail of a notice.
func (s *Service) addressMessage(m *Message, n contract.Notice, o store.Organisation, to mail.Address) {
	m.ID = string(n.ID) + "@" + s.host()
	m.From = s.From
	m.From.Name, m.From.Address = cmp.Or(o.Name, s.From.Name), cmp.Or(s.Senders[o.ID], s.From.Address)
	m.To = to
	if s.Bounces != nil {
		m.Envelope = s.Bounces.sender(n.ID, m.To.Address)
	}
}

// guestPath is the page that asks guests for codes.
const guestPath = "/guest"

// maxAttached is how many bytes the attached files have at most: mail servers refuse much larger mails, which are a third longer than
// their files.
const maxAttached = 5 << 20

// evidenceWait is how long a message waits for an evidence certificate that has to be made. It is shorter than the lease of a try.
const evidenceWait = 30 * time.Second

// finishedFiles has the attachments of a completed document, for all messages of one run.
type finishedFiles struct {
	of       *contract.Document
	read     bool
	attached []Attachment // the finished file and the evidence certificate; the second or both may be missing
}

// readAttachments returns the finished file, if it is small enough, and the evidence certificate, if it can be made soon and still fits.
func (s *Service) readAttachments(ctx context.Context, files *finishedFiles) ([]Attachment, error) {
	if files.read {
		return files.attached, nil
	}
	d := files.of
	finished, err := s.Files.ReadFinished(ctx, d, maxAttached)
	if err != nil {
		return nil, fmt.Errorf("read the file of document %d: %w", d.ID, err)
	}
	if finished != nil {
		files.attached = []Attachment{{Name: export.SignedStem(d) + ".pdf", Type: "application/pdf", Bytes: finished}}
		waiting, cancel := context.WithTimeout(ctx, evidenceWait)
		certificate, err := s.Files.ReadEvidence(waiting, d, maxAttached-int64(len(finished)))
		cancel()
		switch {
		case ctx.Err() != nil:
			files.attached = nil
			return nil, ctx.Err()
		case err != nil: // the mail with the contract is worth more than the certificate, which can be downloaded
			s.Log.WarnContext(ctx, "the evidence certificate is not attached", "document", d.ID, "error", err)
		case certificate != nil:
			files.attached = append(files.attached, Attachment{Name: export.EvidenceStem(d) + ".pdf", Type: "application/pdf", Bytes: certificate})
		}
	}
	files.read = true
	return files.attached, nil
}

// SendPlain sends a message about no document, whose text has no formatting. ID is the first part of its Message-ID. A refusal of the mailbox
// for good is no error: another try would be useless. It needs a Sender.
func (s *Service) SendPlain(ctx context.Context, to contract.Person, id, subject, body string) error {
	err := s.Sender.Send(ctx, Message{
		ID: id + "@" + s.host(), From: s.From, To: mail.Address{Name: to.Name, Address: to.Email}, Subject: subject, Text: body + "\n",
		HTML: "<!DOCTYPE html><html><body><p>" + html.EscapeString(body) + "</p></body></html>",
	})
	var refused *Refusal
	if errors.As(err, &refused) {
		s.Log.WarnContext(ctx, "mail was refused", "to", to.ID, "error", err)
		return nil
	}
	return err
}

// host returns the host of the service, for Message-IDs. They may have no address of IPv6 (RFC 5322 §3.6.4), and need not lead anywhere.
func (s *Service) host() string {
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.Hostname() == "" || strings.Contains(u.Hostname(), ":") {
		return "localhost"
	}
	return u.Hostname()
}

// overdue is after how long a due notice is enqueued again. Its job is stored with it, so it is lost only if an operator emptied the
// queue or restored a backup.
const overdue = 5 * time.Minute

// Resume enqueues the delivery of notices that are overdue.
func (s *Service) Resume(ctx context.Context) error {
	ids, err := s.Store.DocumentsWithDueNotices(ctx, s.Clock().Add(-overdue), 100)
	if err != nil {
		return fmt.Errorf("read documents with due notices: %w", err)
	}
	for _, id := range ids {
		if err := s.Store.Enqueue(ctx, contract.Job{Kind: contract.JobNotify, Document: id}); err != nil {
			return fmt.Errorf("enqueue notices of document %d: %w", id, err)
		}
	}
	return nil
}

// List returns one page of notices for an administrator.
func (s *Service) List(ctx context.Context, by contract.Actor, q store.NoticeQuery) (store.NoticePage, error) {
	of, err := by.AuthoriseAdmin(contract.AdminMail, q.Organisation)
	if err != nil {
		return store.NoticePage{}, err
	}
	if q.Organisation = of; of != "" {
		if _, err := s.Store.Organisation(ctx, of); errors.Is(err, store.ErrNotFound) {
			return store.NoticePage{}, contract.ErrNoOrganisation
		} else if err != nil {
			return store.NoticePage{}, fmt.Errorf("read organisation %s: %w", of, err)
		}
	}
	return s.Store.ListNotices(ctx, q)
}

// ListNewestNotices returns the newest notice of each person and kind on a document. The caller has authorised it.
func (s *Service) ListNewestNotices(ctx context.Context, id contract.DocumentID) ([]contract.Notice, error) {
	return s.Store.NoticesOf(ctx, id)
}

// Show returns a notice with its message, for an operator who passes it on. The log records that a guest's link was handed out
// by the operator: such a link proves nothing about the mailbox or the phone.
func (s *Service) Show(ctx context.Context, by contract.Actor, id contract.NoticeID) (contract.Notice, Message, error) {
	n, err := s.administeredNotice(ctx, by, contract.AdminShowMail, id)
	if err != nil {
		return n, Message{}, err
	}
	if n.Kind == contract.NoticeCode { // it would prove nothing any more
		return n, Message{}, contract.ErrCodeHidden
	}
	if n.ConcernsAccount() {
		return s.showAccountNotice(ctx, by, n)
	}
	d, err := s.Store.Document(ctx, n.Document)
	if err != nil {
		return n, Message{}, fmt.Errorf("read document %d: %w", n.Document, err)
	}
	to, guest := d.Recipient(n)
	if to.ID == "" {
		return n, Message{}, contract.ErrNoNotice
	}
	m, err := s.composeShown(ctx, &d, n)
	if err != nil {
		return n, Message{}, err
	}
	if guest {
		err := s.Store.LogEvents(ctx, contract.Event{
			Type: contract.EventGuestLink, Document: d.ID, At: s.Clock(), Person: by.Person, IP: by.IP,
			Details: map[string]string{"guest": string(n.Person), "proof": "none: handed out by the operator"},
		})
		if err != nil {
			return n, Message{}, fmt.Errorf("log the link: %w", err)
		}
	}
	return n, m, nil
}

// composeShown writes the message of a notice for an operator. A text message has no subject and no HTML.
func (s *Service) composeShown(ctx context.Context, d *contract.Document, n contract.Notice) (Message, error) {
	channel, number := d.Reach(n.Person)
	if !channel.IsPhone() {
		if n.Channel.IsPhone() {
			n.Address = "" // the owner changed the channel after the last try
		}
		return s.composeMessage(ctx, d, n, nil)
	}
	f, _, err := s.collectFacts(ctx, d, n)
	if err != nil {
		return Message{}, err
	}
	said, err := s.Composer.ComposeText(f)
	if err != nil {
		return Message{}, fmt.Errorf("compose notice %s: %w", n.ID, err)
	}
	return Message{ID: string(n.ID), Channel: channel, To: mail.Address{Name: f.Recipient.Name, Address: number}, Text: said, Link: f.Link}, nil
}

// Retry orders a failed or kept notice again. It refuses while nothing is configured that sends messages by its channel.
func (s *Service) Retry(ctx context.Context, by contract.Actor, id contract.NoticeID) (contract.Notice, error) {
	n, err := s.administeredNotice(ctx, by, contract.AdminRetryMail, id)
	switch {
	case err != nil:
		return n, err
	case n.Channel.IsPhone() && !s.Delivers(n.Channel):
		return n, contract.ErrNoPhoneProvider
	case !s.Delivers(n.Channel):
		return n, contract.ErrNoMailServer
	case n.State == contract.NoticeOrdered || n.State == contract.NoticeSent: // repeated
		return n, nil
	}
	e := contract.Event{Type: contract.EventNoticeRetried, At: s.Clock(), Details: map[string]string{"organisation": string(n.Organisation), "notice": string(n.Kind)}}
	if n.Person != "" {
		e.Details["person"] = string(n.Person)
	}
	if n.Document != 0 {
		e.Details["document"] = fmt.Sprint(n.Document)
	}
	// Durable with this commit: that the notice is to be delivered, the job that does it, and who asked for it.
	n, err = s.Store.RetryNotice(ctx, id, e.At, by.SignEvent(e))
	if errors.Is(err, store.ErrNotFound) {
		return n, contract.ErrNoNotice
	}
	return n, err
}

// administeredNotice reads a notice for an operation of an administrator. One of another organisation is like one that does not
// exist.
func (s *Service) administeredNotice(ctx context.Context, by contract.Actor, op contract.AdminOperation, id contract.NoticeID) (contract.Notice, error) {
	of, err := by.AuthoriseAdmin(op, "")
	if err != nil {
		return contract.Notice{}, err
	}
	n, err := s.Store.Notice(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && of != "" && n.Organisation != of {
		return contract.Notice{}, contract.ErrNoNotice
	}
	return n, err
}
