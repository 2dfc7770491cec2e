package contract

import (
	"slices"
	"time"
)

// Errors of operations on notices.
var (
	// ErrNoNotice refuses a notice that does not exist or that the caller does not administer.
	ErrNoNotice = Refuse(NotFound, "notice.not_found")
	// ErrCodeHidden refuses to show a message with a code: only its recipient may know it.
	ErrCodeHidden = Refuse(Conflict, "notice.code_hidden")
	// ErrNoMailServer refuses to send a mail while no mail server is configured.
	ErrNoMailServer = Refuse(Conflict, "notice.no_mail_server")
	// ErrNoPhoneProvider refuses to send a text message while no provider is configured for its channel.
	ErrNoPhoneProvider = Refuse(Conflict, "notice.no_phone_provider")
)

// NoticeID is the UUID (version 7) of a notice. Identifiers of one process ascend.
type NoticeID string

// Notice is a message to a person that a change makes necessary. The commit that stores the change stores it too; a job delivers it.
type Notice struct {
	ID           NoticeID   // assigned by the store
	Document     DocumentID // 0 in a Change that creates; the store fills it in. 0 for one about an account
	Organisation OrganisationID
	Person       PersonID // the recipient: the owner or a participant, or the holder of an account
	Kind         NoticeKind
	By           string // name of the person whose act is reported; empty: the service itself

	State     NoticeState
	OrderedAt time.Time
	DueAt     time.Time // when it is tried next; zero: at once, because the process that sent it ended
	DoneAt    time.Time // when its state became final; zero: not yet
	Tries     int       // deliveries that were begun
	Channel   Channel   // how the person was reached when it was ordered, or how the last try sent it
	Address   string    // the address or phone number to which the last try sent it
	Problem   string    // why the last try failed, or why it was dropped: the text of a [Problem], whose detail is for operators where it has a code

	Account AccountFacts // of a notice about an account, whose Document is 0
}

// NoticeKind is what a notice says. Values are stored permanently.
type NoticeKind string

// The kinds of notice.
const (
	NoticeInviteSigner NoticeKind = "invite_sign" // it is the person's turn to sign
	NoticeInviteViewer NoticeKind = "invite_view" // the person may view the document now
	NoticeCode         NoticeKind = "code"        // a code that a guest asked for
	NoticeReminder     NoticeKind = "reminder"    // the owner reminds them that it is their turn
	NoticeDelegated    NoticeKind = "delegated"   // a signer passed their part to another person
	NoticeDeclined     NoticeKind = "declined"    // a signer declined
	NoticeCanceled     NoticeKind = "canceled"    // the owner canceled the document
	NoticeExpired      NoticeKind = "expired"     // the deadline passed
	NoticeCompleted    NoticeKind = "completed"   // the finished file can be downloaded
)

// NoticeKinds lists every kind.
var NoticeKinds = []NoticeKind{NoticeInviteSigner, NoticeInviteViewer, NoticeCode, NoticeReminder, NoticeDelegated, NoticeDeclined, NoticeCanceled, NoticeExpired, NoticeCompleted}

// NoticeState is what became of a notice. Values are stored permanently.
type NoticeState string

// The states. All but ordered are final; a retry makes a failed or kept notice an ordered one again.
const (
	NoticeOrdered NoticeState = "ordered" // to be delivered
	NoticeSent    NoticeState = "sent"    // a mail server or a provider accepted it
	NoticeKept    NoticeState = "kept"    // no mail server or provider is configured for it: an operator can read it and pass it on
	NoticeDropped NoticeState = "dropped" // it had become pointless before it was delivered
	NoticeFailed  NoticeState = "failed"  // a mail server or a provider refused it for good, or none accepted it in time
)

// NoticeStates lists every state.
var NoticeStates = []NoticeState{NoticeOrdered, NoticeSent, NoticeKept, NoticeDropped, NoticeFailed}

// addNotice orders a notice to a person, unless nothing reaches them or they caused the change, or the owner wants no messages.
func (c *Change) addNotice(k NoticeKind, to Person, by Actor, now time.Time) {
	channel, address := c.After.Reach(to.ID)
	if address == "" || to.ID == by.ID || c.After.Delivery.Silent && k != NoticeCode {
		return
	}
	n := Notice{Document: c.After.ID, Person: to.ID, Kind: k, By: by.Name, State: NoticeOrdered, OrderedAt: now, DueAt: now, Channel: channel}
	n.Organisation = c.After.Organisation
	c.Notices = append(c.Notices, n)
	if len(c.Notices) == 1 {
		c.addJob(JobNotify)
	}
}

// inviteNext orders invitations to the participants whose turn this change begins.
func (c *Change) inviteNext(by Actor, now time.Time) {
	for _, p := range c.After.Participants {
		if !c.After.mayAct(p) || c.Before.mayAct(*c.Before.Participant(p.ID)) {
			continue
		}
		kind := NoticeInviteSigner
		if p.Role == Viewer {
			kind = NoticeInviteViewer
		}
		c.addNotice(kind, p.Person, by, now)
	}
}

// announceEnd orders notices about the end of a document before its completion: to the owner, and to the participants whose
// turn had come. The others never heard of it.
func (c *Change) announceEnd(k NoticeKind, by Actor, now time.Time) {
	before := c.Before
	if before.State == Draft {
		return
	}
	c.addNotice(k, before.Owner, by, now)
	for _, p := range before.Participants {
		if p.ID != before.Owner.ID && (before.mayAct(p) || before.HasActed(p)) {
			c.addNotice(k, p.Person, by, now)
		}
	}
}

// announceCompletion orders notices about the completion to the owner and all participants.
func (c *Change) announceCompletion(now time.Time) {
	c.addNotice(NoticeCompleted, c.After.Owner, Actor{}, now)
	for _, p := range c.After.Participants {
		if p.ID != c.After.Owner.ID {
			c.addNotice(NoticeCompleted, p.Person, Actor{}, now)
		}
	}
}

// mayAct reports whether the turn of a participant has come: signers who can sign now, and viewers who have not viewed the
// document and before whom all signers have signed. Recipients of a copy have none before the completion.
func (d *Document) mayAct(p Participant) bool {
	switch {
	case d.State != Processing || d.Mode != Signing:
		return false
	case p.Role == Signer:
		return d.InTurn(p.ID)
	case p.Capacity == Recipient:
		return false
	}
	return !d.HasActed(p) && !d.hasUnsignedBefore(p.Number)
}

// Recipient returns the person that a notice goes to as the document names them now, and whether they are a guest. The zero
// Person: they are on the document no more.
func (d *Document) Recipient(n Notice) (p Person, guest bool) {
	if p := d.Participant(n.Person); p != nil {
		return p.Person, p.Guest
	}
	if n.Person == d.Owner.ID {
		return d.Owner, false
	}
	return Person{}, false
}

// Needs reports whether a notice that was ordered still has a purpose: an invitation and a reminder do until the person has acted or
// the document has ended.
func (d *Document) Needs(n Notice) bool {
	switch n.Kind {
	case NoticeInviteSigner, NoticeReminder:
		return d.InTurn(n.Person)
	case NoticeCode:
		return d.State != Rejected && d.State != Canceled && d.State != Expired
	case NoticeInviteViewer:
		p := d.Participant(n.Person)
		return p != nil && p.ViewedAt.IsZero() && d.State != Rejected && d.State != Canceled && d.State != Expired
	}
	return true
}

// The longest time for which a notice is tried.
const noticeLifetime = 72 * time.Hour

// NextNoticeTry returns when a notice whose try failed at that time is tried again: after a minute, then after twice as long up to two hours.
// The second result is false if it was ordered too long ago.
func NextNoticeTry(n Notice, now time.Time) (time.Time, bool) {
	if now.Sub(n.OrderedAt) >= noticeLifetime {
		return time.Time{}, false
	}
	const first, longest = time.Minute, 2 * time.Hour
	wait := longest
	if n.Tries < 8 {
		wait = min(first<<max(n.Tries-1, 0), longest)
	}
	return now.Add(wait), true
}

// KeepNotices keeps those notices of a change that cannot be delivered. Delivers reports whether something is configured that
// sends messages by a channel.
func (c *Change) KeepNotices(delivers func(Channel) bool) {
	c.Notices = slices.Clone(c.Notices)
	ordered := false
	for i := range c.Notices {
		n := &c.Notices[i]
		if delivers(n.Channel) {
			ordered = true
			continue
		}
		n.State, n.DoneAt = NoticeKept, n.OrderedAt
	}
	if !ordered {
		c.RemoveJobs(JobNotify)
	}
	c.AccountNotices = slices.Clone(c.AccountNotices)
	for i := range c.AccountNotices {
		if n := &c.AccountNotices[i]; !delivers(n.Channel) {
			n.State, n.DoneAt = NoticeKept, n.OrderedAt
		}
	}
}
