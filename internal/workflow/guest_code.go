package workflow

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// OrderedCode says which code was ordered.
type OrderedCode struct {
	Channel contract.Channel
	Address string   // of the mailbox, or the phone number
	Digest  [32]byte // SHA-256 of the revision that can be signed with it
	At      time.Time
}

// OrderGuestCode orders a code to the mailbox or phone of the caller, a guest of the document. It returns [contract.ErrNoMailbox] if no mail
// server is configured, and [contract.ErrNoPhone] if no provider is.
func (s *Service) OrderGuestCode(ctx context.Context, by contract.Actor, id contract.DocumentID) (OrderedCode, error) {
	var made OrderedCode
	effectCtx := store.WithFinalAnswer(ctx, func(contract.Document) any { return made })
	_, err := s.ApplyRuleAs(effectCtx, by, id, func(d *contract.Document) (*contract.Change, error) {
		// Callers who may not have a code learn nothing about the configuration.
		if err := d.CheckCodeRequest(by, s.Clock()); err != nil {
			return nil, err
		}
		if channel, _ := d.Reach(by.ID); !s.Delivers(channel) {
			return nil, contract.CodeRefusal(channel)
		}
		last, err := s.Store.GuestCode(ctx, id, by.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		var nonce [16]byte
		if _, err := io.ReadFull(s.Random, nonce[:]); err != nil {
			return nil, fmt.Errorf("draw a nonce: %w", err)
		}
		// Of two requests at once, the second loses the race for the document's version, reads the code of the first here, and is
		// refused as too soon.
		c, err := contract.OrderCode(d, last, nonce, by, s.Clock())
		if err != nil {
			return nil, err
		}
		made = OrderedCode{Channel: c.Code.Channel, Address: c.Code.Address, Digest: c.Code.Digest, At: c.Code.CreatedAt}
		return &c, nil
	})
	return made, err
}

// ProveContact compares a code with the one that was sent to the caller, a guest of the document. If it is the same, the session of
// their token may sign the revision for which it was ordered.
//
// Each call is one try, which is durable before the codes are compared: a crash, and many calls at once, grant no further try. The
// commit that follows uses the code up.
func (s *Service) ProveContact(ctx context.Context, by contract.Actor, id contract.DocumentID, code string) (contract.Document, error) {
	d, err := s.LoadDocumentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	if err := d.CheckCodeRequest(by, s.Clock()); err != nil {
		return contract.Document{}, err
	}
	tried, err := s.Store.TryGuestCode(ctx, id, by.ID, s.Clock())
	if errors.Is(err, store.ErrNotFound) {
		return contract.Document{}, contract.ErrCodeEnded
	} else if err != nil {
		return contract.Document{}, err
	}
	want, err := s.Links.DeriveCode(tried)
	if err != nil {
		return contract.Document{}, err
	}
	given := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1 // people copy codes with spaces
		}
		return r
	}, code)
	if subtle.ConstantTimeCompare([]byte(given), []byte(want)) != 1 {
		if tried.Tries >= contract.CodeTries {
			return contract.Document{}, contract.ErrCodeEnded
		}
		return contract.Document{}, contract.ErrCodeWrong.With("left", contract.CodeTries-tried.Tries)
	}
	return s.ApplyRuleTo(documents.WithDocumentAnswer(ctx), d, func(d *contract.Document) (*contract.Change, error) {
		// Read again with each try of the commit: another session may have used the code, or ordered another one.
		now, err := s.Store.GuestCode(ctx, id, by.ID)
		if err != nil {
			return nil, err
		}
		if now.Nonce != tried.Nonce {
			return nil, contract.ErrCodeEnded
		}
		return documents.ChangeOf(contract.ProveContact(d, now, by, s.Clock()))
	})
}

// CorrectGuest changes the name, the address, the phone number or the channel of a guest who has not acted yet. See [contract.CorrectGuest].
func (s *Service) CorrectGuest(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID, to contract.GuestCorrection) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		c, err := contract.CorrectGuest(d, guest, to, by, s.Limits, s.Clock())
		if err == nil && to.Channel != nil && to.Channel.IsPhone() && !s.Delivers(*to.Channel) {
			err = contract.InvalidInput(contract.NewFieldError("channel", "channel.not_configured"))
		}
		if err != nil || to.Email == nil || c.After.Participant(guest).Email == "" {
			return documents.ChangeOf(c, err)
		}
		// As when people are named: a person with an account of the organisation takes part with it.
		member, err := s.Store.MemberByEmail(ctx, d.Organisation, c.After.Participant(guest).Email)
		switch {
		case err == nil && member.DisabledAt.IsZero():
			return nil, contract.InvalidInput(contract.NewFieldError("email", "guest.has_account"))
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return nil, fmt.Errorf("look up the address: %w", err)
		}
		return &c, nil
	})
}
