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
	Recipient    contract.Person
	Guest        bool            // the recipient has no account
	Sender       contract.Person // the owner of the document
	Organisation string
	Colour       string // #rrggbb; empty: that of the service
	Logo         []byte // PNG or JPEG; nil: none
	Title        string
	Pages        int
	Message      string    // from the sender to everyone; empty: none
	Link         string    // where the button leads
	Deadline     time.Time // zero: none
	Reason       string    // why it was declined or canceled
	By           string    // who declined or canceled
	Code         string    // a code to be entered, for messages that carry one
	Attached     bool      // the finished file is attached
}
