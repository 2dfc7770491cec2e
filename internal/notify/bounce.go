package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/store"
)

// Bounce is a notification of a mail server about one message that it had accepted (RFC 3464).
type Bounce struct {
	To     []string // addresses to which the notification came; the envelope sender of the message may be among them
	Failed bool     // the message was not delivered and will not be
	Reason string   // status and words of the server; not trusted
}

// BounceAddresses makes the envelope senders of messages, one for each notice and recipient: the local part, "+", the notice and a MAC. Only the
// holder of the key can make one, so a bounce that arrives at such an address is about a message that was sent to the recipient's server.
type BounceAddresses struct {
	Address string // SEGEL_MAIL_BOUNCES
	Key     [32]byte
}

// bounceWords writes bytes in letters and digits that stay the same if a server changes upper and lower case.
var bounceWords = base32.StdEncoding.WithPadding(base32.NoPadding)

// Lengths in an envelope sender: of a notice, and of the bytes of its MAC.
const (
	bounceNotice = 26 // 16 bytes
	bounceMAC    = 10
)

// sender returns the envelope sender of a notice to that address; empty if its identifier is no UUID.
func (b *BounceAddresses) sender(id contract.NoticeID, to string) string {
	notice, err := uuid.Parse(string(id))
	if err != nil {
		return ""
	}
	local, domain, _ := strings.Cut(b.Address, "@")
	return local + "+" + strings.ToLower(bounceWords.EncodeToString(notice[:])+b.mac(notice, to)) + "@" + domain
}

func (b *BounceAddresses) mac(notice uuid.UUID, to string) string {
	h := hmac.New(sha256.New, b.Key[:])
	h.Write(notice[:])
	h.Write([]byte(strings.ToLower(to)))
	return bounceWords.EncodeToString(h.Sum(nil)[:bounceMAC])
}

// parse returns the notice and the MAC in an envelope sender.
func (b *BounceAddresses) parse(address string) (id uuid.UUID, mac string, ok bool) {
	local, domain, _ := strings.Cut(b.Address, "@")
	rest, found := strings.CutSuffix(strings.ToUpper(strings.Trim(address, "<> ")), strings.ToUpper("@"+domain))
	rest, prefixed := strings.CutPrefix(rest, strings.ToUpper(local+"+"))
	if !found || !prefixed || len(rest) != bounceNotice+bounceWords.EncodedLen(bounceMAC) {
		return id, "", false
	}
	n, err := bounceWords.DecodeString(rest[:bounceNotice])
	if err != nil || len(n) != len(id) {
		return id, "", false
	}
	return uuid.UUID(n), rest[bounceNotice:], true
}

// ErrNoBounceAddress means that no address for bounces is configured.
var ErrNoBounceAddress = errors.New("SEGEL_MAIL_BOUNCES is not set")

// TakeBounce records that a message was not delivered, and its event, and returns the notice. A notification about a delay or a success, and one
// that came before, change nothing. It returns [contract.ErrNoNotice] if the notification came to no address that this service made for a
// notice and the address it was sent to last.
func (s *Service) TakeBounce(ctx context.Context, b Bounce) (contract.Notice, error) {
	if s.Bounces == nil {
		return contract.Notice{}, ErrNoBounceAddress
	}
	for _, to := range b.To {
		id, mac, ok := s.Bounces.parse(to)
		if !ok {
			continue
		}
		n, err := s.Store.Notice(ctx, contract.NoticeID(id.String()))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return n, fmt.Errorf("read notice %s: %w", id, err)
		}
		if hmac.Equal([]byte(mac), []byte(s.Bounces.mac(id, n.Address))) {
			return s.recordBounce(ctx, n, b)
		}
	}
	return contract.Notice{}, contract.ErrNoNotice
}

func (s *Service) recordBounce(ctx context.Context, n contract.Notice, b Bounce) (contract.Notice, error) {
	if !b.Failed || n.State != contract.NoticeSent {
		return n, nil
	}
	// Durable with this commit: that the message was refused, and the event of it. A crash before it leads to another try of the mail server's pipe.
	bounced := n
	bounced.State, bounced.Problem, bounced.DoneAt = contract.NoticeFailed, b.Reason, s.Clock()
	err := s.Store.RefuseNotice(ctx, bounced, refusalEvent(bounced))
	if errors.Is(err, store.ErrConflict) { // recorded meanwhile, or ordered again
		return n, nil
	}
	return bounced, err
}
