// Package notify decides what is mailed to whom and when, and delivers it. Adapters send the mails.
package notify

import (
	"context"
	"net/mail"
)

// Message is a mail as it is sent: its addresses, its subject, and the same text as plain text and as HTML.
type Message struct {
	ID          string // Message-ID without angle brackets; the same for each try, so that mail programs drop a duplicate
	From, To    mail.Address
	ReplyTo     mail.Address // zero: none
	Subject     string
	Text, HTML  string
	Link        string            // where the message leads
	Inline      []Attachment      // pictures that the HTML shows by "cid:" and their name; it shows no remote ones
	Attachments []Attachment      // files
	Headers     map[string]string // further headers, such as List-Unsubscribe
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

// Refusal is the final refusal of a message by a mail server.
type Refusal struct {
	Recipient bool   // the address was refused, not the message
	Reason    string // the words of the server
	Err       error
}

func (r *Refusal) Error() string { return "refused by the mail server: " + r.Reason }

func (r *Refusal) Unwrap() error { return r.Err }
