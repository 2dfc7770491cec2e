package notify

import (
	"context"

	"segel/internal/contract"
	"segel/internal/text"
)

// TextMessage is a short message to a phone, as a whole and in the parts that providers with templates of their own ask for. Name, Sender,
// Organisation and Title come from people and are not trusted.
type TextMessage struct {
	ID           string // of the notice; the same for each try
	Channel      contract.Channel
	Number       string // of the recipient, such as +628123456789 (E.164)
	Name         string // of the recipient
	Kind         contract.NoticeKind
	Language     text.Language
	Sender       string // name of the owner of the document
	Organisation string
	Title        string
	Link         string
	Code         string // empty unless the message carries one
	Text         string // the whole message, with its link
}

// TextSender delivers text messages. Its error is a *Refusal if a provider refused the message for good, so that another try is useless. No
// error contains the link or the code of the message. It is safe for concurrent use.
type TextSender interface {
	SendText(ctx context.Context, m TextMessage) error
}
