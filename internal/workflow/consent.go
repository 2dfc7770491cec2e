package workflow

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// ConsentOf is the consent text for the signers of a document, and what the caller accepted of it.
type ConsentOf struct {
	Text     contract.ConsentText
	Required bool
	Accepted contract.Acceptance // by the caller, of this version; zero: not yet
}

// ShowConsent returns the consent text of a document's organisation.
func (s *Service) ShowConsent(ctx context.Context, by contract.Actor, id contract.DocumentID) (ConsentOf, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpConsent, id)
	if err != nil {
		return ConsentOf{}, err
	}
	o, err := s.Store.Organisation(ctx, d.Organisation)
	if err != nil {
		return ConsentOf{}, fmt.Errorf("read organisation %s: %w", d.Organisation, err)
	}
	return s.readConsent(ctx, by, o)
}

// readConsent returns the current text of an organisation, and the caller's acceptance of it.
func (s *Service) readConsent(ctx context.Context, by contract.Actor, o store.Organisation) (out ConsentOf, err error) {
	out.Required = o.Consent.Required
	if out.Text, err = s.currentConsent(ctx, o); err != nil {
		return ConsentOf{}, err
	}
	out.Accepted, err = s.Store.Acceptance(ctx, by.ID, o.ID, out.Text.Name())
	if errors.Is(err, store.ErrNotFound) {
		out.Accepted, err = contract.Acceptance{}, nil
	}
	return out, err
}

// currentConsent returns the text that the signers of an organisation's documents accept now.
func (s *Service) currentConsent(ctx context.Context, o store.Organisation) (contract.ConsentText, error) {
	if o.Consent.Version == 0 {
		return s.serviceConsent(len(s.ConsentTexts)), nil
	}
	return s.Store.ConsentText(ctx, o.ID, o.Consent.Version)
}

// serviceConsent returns a version of the text of the service.
func (s *Service) serviceConsent(version int) contract.ConsentText {
	return contract.ConsentText{Version: version, Texts: s.ConsentTexts[version-1]}
}

// findConsent returns a version of a consent text by the name that signature events state; [store.ErrNotFound] if this program does not have it.
func (s *Service) findConsent(ctx context.Context, o contract.OrganisationID, name string) (contract.ConsentText, error) {
	version, ofService, ok := contract.ParseConsentName(name)
	switch {
	case !ok || ofService && version > len(s.ConsentTexts):
		return contract.ConsentText{}, fmt.Errorf("consent text %q: %w", name, store.ErrNotFound)
	case ofService:
		return s.serviceConsent(version), nil
	default:
		return s.Store.ConsentText(ctx, o, version)
	}
}

// acceptConsent returns what a signer accepted with a request. It reads nothing for requests that say nothing, unless the organisation
// requires a text.
func (s *Service) acceptConsent(ctx context.Context, by contract.Actor, d *contract.Document, o store.Organisation, given []contract.GivenConsent, now time.Time) (contract.Acceptance, error) {
	if len(given) == 0 && !o.Consent.Required {
		return contract.Acceptance{}, nil
	}
	current, err := s.readConsent(ctx, by, o)
	if err != nil {
		return contract.Acceptance{}, err
	}
	return o.Consent.Accept(current.Text, given, current.Accepted, d, by, now)
}

// AdminConsent returns an organisation with its current consent text. An empty identifier means the caller's own.
func (s *Service) AdminConsent(ctx context.Context, by contract.Actor, of contract.OrganisationID) (store.Organisation, contract.ConsentText, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminConsent, of)
	if err != nil {
		return o, contract.ConsentText{}, err
	}
	text, err := s.currentConsent(ctx, o)
	return o, text, err
}

// SetConsent changes what an organisation demands. Texts that equal the current ones make no version, so repeating a request changes nothing
// more.
//
// Durable with the one commit: text, policy and who set them. Signatures that are under way with the former text are refused; the web app shows the
// new one.
func (s *Service) SetConsent(ctx context.Context, by contract.Actor, of contract.OrganisationID, r store.ConsentChange) (store.Organisation, contract.ConsentText, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetConsent, of)
	if err != nil {
		return o, contract.ConsentText{}, err
	}
	if len(r.Texts) > 0 {
		if r.Texts, err = contract.CheckConsentText(r.Texts); err != nil {
			return o, contract.ConsentText{}, err
		}
	}
	now := s.Clock()
	o.Consent, err = s.Store.SetConsent(ctx, o.ID, r, now, func(p contract.ConsentPolicy, texts map[string]string) contract.Event {
		text := s.serviceConsent(len(s.ConsentTexts))
		if p.Version != 0 {
			text = contract.ConsentText{Organisation: o.ID, Version: p.Version, Texts: texts}
		}
		return by.SignEvent(contract.Event{Type: contract.EventConsentChanged, At: now, Details: map[string]string{
			"organisation": string(o.ID), "version": text.Name(), "required": strconv.FormatBool(p.Required),
			"digest_id": fmt.Sprintf("%x", text.Digest("id")), "digest_en": fmt.Sprintf("%x", text.Digest("en")),
		}})
	})
	if err != nil {
		return o, contract.ConsentText{}, err
	}
	s.organisations.forget(o.ID)
	text, err := s.currentConsent(ctx, o)
	return o, text, err
}
