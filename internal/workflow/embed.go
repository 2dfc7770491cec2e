package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// EmbedOrigins returns an organisation with the origins that are stored for it. They are in force while it is active. An empty identifier means the caller's own.
func (s *Service) EmbedOrigins(ctx context.Context, by contract.Actor, of contract.OrganisationID) (store.Organisation, []string, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminEmbedding, of)
	if err != nil {
		return o, nil, err
	}
	origins, err := s.Store.StoredEmbedOrigins(ctx, o.ID)
	return o, origins, err
}

// SetEmbedOrigins replaces the origins of an organisation. Pages that are open in one that is missing now end with their next request. Repeating a
// request changes nothing more.
func (s *Service) SetEmbedOrigins(ctx context.Context, by contract.Actor, of contract.OrganisationID, origins []string) (store.Organisation, []string, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetEmbedding, of)
	if err != nil {
		return o, nil, err
	}
	if origins, err = contract.CheckEmbedOrigins(origins); err != nil {
		return o, nil, err
	}
	former, err := s.Store.StoredEmbedOrigins(ctx, o.ID)
	if err != nil {
		return o, nil, err
	}
	if slices.Equal(former, origins) {
		return o, former, nil
	}
	now := s.Clock()
	e := withoutEmptyDetails(by.SignEvent(contract.Event{Type: contract.EventEmbeddingChanged, At: now, Details: map[string]string{
		"organisation": string(o.ID), "origins": strings.Join(origins, " "),
	}}))
	// Durable with this commit: the origins, and who set them.
	if err := s.Store.SetEmbedOrigins(ctx, o.ID, origins, now, e); err != nil {
		return o, nil, fmt.Errorf("store the origins of %s: %w", o.ID, err)
	}
	return o, origins, nil
}

// EmbedRequested is an address that was made for an embedded page.
type EmbedRequested struct {
	URL     string
	Address contract.EmbedAddress
	Person  contract.Person // who opens it
}

// RequestEmbed makes an address of an embedded page and returns it to the owner. One commit stores the event and the address, so every address is in
// the audit trail.
func (s *Service) RequestEmbed(ctx context.Context, by contract.Actor, id contract.DocumentID, in contract.EmbedRequest) (EmbedRequested, error) {
	var made EmbedRequested
	effectCtx := store.WithFinalAnswer(ctx, func(contract.Document) any { return made })
	_, err := s.ApplyRuleAs(effectCtx, by, id, func(d *contract.Document) (*contract.Change, error) {
		// Callers who may not have an address learn nothing about the organisation.
		if err := d.Authorise(by, contract.OpEmbed); err != nil {
			return nil, err
		}
		listed, err := s.Store.EmbedOrigins(ctx, d.Organisation)
		if err != nil {
			return nil, err
		}
		url, hash, err := s.Links.NewEmbedAddress(d.Organisation)
		if err != nil {
			return nil, err
		}
		c, err := contract.RequestEmbed(d, in, listed, hash, by, s.Clock())
		if err != nil {
			return nil, err
		}
		made = EmbedRequested{URL: url, Address: *c.Embed, Person: d.Owner}
		if p := d.Participant(c.Embed.Person); p != nil {
			made.Person = p.Person
		}
		return &c, nil
	})
	return made, err
}

// EmbedOpened is an embedded page that was opened. Token is in clear and cannot be read again later.
type EmbedOpened struct {
	Token        string
	Address      contract.EmbedAddress // with its Origin
	Person       contract.Person
	IsGuest      bool
	Organisation store.Organisation
}

// OpenEmbed exchanges an address, the hash of its secret, for a token. Origin is that of the page in which it is opened. By is the client: its address
// and what it calls itself.
//
// One commit uses the address up and stores the token and the event. If the process dies after it, the address is used up and the token is known to
// none: the program asks for another address.
func (s *Service) OpenEmbed(ctx context.Context, by contract.Actor, hash [32]byte, origin string) (EmbedOpened, error) {
	now := s.Clock()
	held, err := s.Store.EmbedOfAddress(ctx, hash, now)
	if errors.Is(err, store.ErrNotFound) {
		return EmbedOpened{}, contract.ErrEmbedAddress
	}
	if err != nil {
		return EmbedOpened{}, err
	}
	o, err := s.Store.Organisation(ctx, held.Organisation)
	if err != nil {
		return EmbedOpened{}, fmt.Errorf("read organisation %s: %w", held.Organisation, err)
	}
	if err := o.State.RequireActive(); err != nil { // the address is not used up
		return EmbedOpened{}, err
	}
	if held.OpenedAt.IsZero() && now.Before(held.ExpiresAt) && !held.IsGranted(now) {
		return EmbedOpened{}, contract.ErrEmbedEnded
	}
	token, tokenHash, err := s.Links.NewEmbedToken()
	if err != nil {
		return EmbedOpened{}, err
	}
	opened := EmbedOpened{Token: token, Address: held.EmbedAddress, Organisation: o}
	opened.Address.Origin = origin
	_, err = s.ApplyRule(ctx, held.Document, func(d *contract.Document) (*contract.Change, error) {
		p := d.Participant(held.Person)
		if opened.IsGuest = p != nil && p.Guest; !opened.IsGuest {
			u, err := s.Store.User(ctx, held.Person)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, fmt.Errorf("read user %s: %w", held.Person, err)
			}
			if err != nil || !u.DisabledAt.IsZero() || u.Organisation != held.Organisation {
				return nil, contract.ErrEmbedEnded
			}
		}
		opened.Person = d.Owner
		if p != nil {
			opened.Person = p.Person
		}
		c, err := contract.OpenEmbed(d, held.EmbedAddress, held.Listed, origin, tokenHash, by, s.Clock())
		return &c, err
	})
	if errors.Is(err, contract.ErrNotFound) { // the document was deleted
		err = contract.ErrEmbedEnded
	}
	return opened, err
}

// asksForProof reports whether a rule refused only because the caller has to prove who they are.
func asksForProof(err error) bool {
	return errors.Is(err, contract.ErrSignFactor) || errors.Is(err, contract.ErrEmbedProof)
}
