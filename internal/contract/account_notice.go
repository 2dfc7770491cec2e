package contract

import "time"

// The kinds of notice about an account. They concern no document and go by mail.
const (
	NoticeInvitation      NoticeKind = "invitation"       // a person without an account is to become a member of an organisation; with a link
	NoticePasswordReset   NoticeKind = "password_reset"   // the person asked for a new password; with a link
	NoticePasswordChanged NoticeKind = "password_changed" // the person replaced the password, with the former one or with such a link
	NoticeNewDevice       NoticeKind = "new_device"       // a login from a device that is not known
	NoticeFactorAdded     NoticeKind = "factor_added"     // a second factor was added
	NoticeFactorRemoved   NoticeKind = "factor_removed"   // a second factor was removed
	NoticeFactorsReset    NoticeKind = "factors_reset"    // an administrator removed all second factors
	NoticeKeyCreated      NoticeKind = "key_created"      // an API key was made that acts as the person
	NoticeKeyNetwork      NoticeKind = "key_new_network"  // an API key was used from a new network; to its person and to administrators
	NoticeLoginFailures   NoticeKind = "login_failures"   // many logins failed; to administrators
	NoticeTransferred     NoticeKind = "transferred"      // all documents of another person are the person's now
	NoticeRemoval         NoticeKind = "removal"          // files of the person's documents are due to be removed; Reference is the count and the last day
)

// AccountNoticeKinds lists every kind of notice about an account.
var AccountNoticeKinds = []NoticeKind{NoticeInvitation, NoticePasswordReset, NoticePasswordChanged, NoticeNewDevice, NoticeFactorAdded, NoticeFactorRemoved, NoticeFactorsReset, NoticeKeyCreated, NoticeKeyNetwork, NoticeLoginFailures, NoticeTransferred, NoticeRemoval}

// Events of these notices. Document is 0.
const (
	EventAccountNoticeSent    EventType = "account_notice_sent"    // a mail about an account ("notice", "person", "address") was sent
	EventAccountNoticeRefused EventType = "account_notice_refused" // it was refused, with the "reason"
	EventAccountNoticeShown   EventType = "account_notice_shown"   // an operator read it, to pass it on
)

// AccountFacts are what a notice about an account says besides its kind and its person. A member that its kind does not need is empty.
type AccountFacts struct {
	Language  string // of the request that caused it; empty: that of the service
	Reference string // identifies what a link in it opens, or what it is about
	Email     string // where it goes if the person has no account yet
	IP        string // from where the account was used
	UserAgent string // with what, as the client named itself
}

// ConcernsAccount reports whether a notice is about an account and not about a document.
func (n Notice) ConcernsAccount() bool { return n.Document == 0 }

// AccountMessage is what the message of a notice about an account says that is not stored with it.
type AccountMessage struct {
	To    Person // without an identifier if they have no account yet
	Link  string
	Until time.Time // when the link expires; zero: it does not
	About string    // the API key, or the account of another person, that the message is about; empty: none
}
