package notify

import (
	"time"

	"segel/internal/contract"
	"segel/internal/text"
)

// Facts are what a message says. Title, Message, Reason and the names come from people and are not trusted.
type Facts struct {
	Kind         contract.NoticeKind
	Language     text.Language
	Zone         *time.Location // of the times; nil: Jakarta
	Recipient    contract.Person
	Guest        bool              // the recipient has no account
	Capacity     contract.Capacity // of the recipient; where a part was passed on, of that part
	Others       []string          // names of those of whom any one acts instead of the recipient; empty: the recipient alone is asked
	Approvals    bool              // the document has approvers
	Sender       contract.Person   // the owner of the document
	Organisation string
	Colour       string // #rrggbb; empty: that of the service
	Logo         []byte // PNG or JPEG; nil: none
	Title        string
	Pages        int
	Message      string    // from the sender to everyone; empty: none
	Link         string    // where the button leads
	Deadline     time.Time // zero: none
	Reason       string    // why it was declined, canceled or passed on
	By           string    // who declined, canceled, or passed their part on
	Delegate     string    // to whom they passed it
	DelegatedBy  string    // from whom the recipient has their part; empty: from the sender
	Code         string    // a code to be entered, for messages that carry one
	Attached     bool      // the finished file is attached

	EvidenceAttached bool // the evidence certificate too

	// Of a message about an account.
	At        time.Time // when it happened; zero: not stated
	IP        string    // from where; empty: not stated
	UserAgent string    // with what, as the client named itself
	About     string    // the API key or the account of another person that it is about; empty: none
}
