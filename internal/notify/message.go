// Package notify decides which messages go to whom and when, and delivers them. Adapters send mails and text messages.
package notify

import (
	"context"
	"net/mail"
	"strings"

	"segel/internal/contract"
)

// Message is a mail as it is sent: its addresses, its subject, and the same text as plain text and as HTML.
type Message struct {
	Channel     contract.Channel // that of a text message that an operator reads; its To has a phone number
	ID          string           // Message-ID without angle brackets; the same for each try, so that mail programs drop a duplicate
	From, To    mail.Address
	Envelope    string       // the sender that mail servers return the message to; empty: the address of From
	ReplyTo     mail.Address // zero: none
	Subject     string
	Text, HTML  string
	Link        string            // where the message leads
	Inline      []Attachment      // pictures that the HTML shows by "cid:" and their name; it shows no remote ones
	Attachments []Attachment      // files
	Headers     map[string]string // further headers, such as List-Unsubscribe
}

// Recipient returns the name of the recipient with the address or the phone number.
func (m Message) Recipient() string {
	if m.Channel.IsPhone() {
		return strings.TrimSpace(m.To.Name + " " + m.To.Address)
	}
	return m.To.String()
}

// Attachment is a file in a message.
type Attachment struct {
	Name, Type string // file name, media type
	Bytes      []byte
}

// Sender delivers a message. Its error is a *Refusal if a server refused the message for good, so that another try is useless.
// It is safe for concurrent use.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// Refusal is the final refusal of a message by a mail server or a provider.
type Refusal struct {
	Recipient bool   // the address was refused, not the message
	Reason    string // the words of the server or the provider
	Err       error
}

func (r *Refusal) Error() string { return "refused: " + r.Reason }

func (r *Refusal) Unwrap() error { return r.Err }

// Unsent is a mail that no server accepted in a try, and that another try may send.
type Unsent struct {
	Said string // what each server answered, or why it did not, on one line for operators: without secrets, and bounded
	Err  error
}

func (u *Unsent) Error() string { return "send mail: " + u.Said }

func (u *Unsent) Unwrap() error { return u.Err }
