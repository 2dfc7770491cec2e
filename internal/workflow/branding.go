package workflow

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"segel/internal/branding"
	"segel/internal/contract"
	"segel/internal/store"
	"segel/pades/appearance"
)

// BrandingRequest changes the branding of an organisation.
type BrandingRequest struct {
	Colour string // #rrggbb; empty: that of the service
	// Logo is a PNG or JPEG file. Nil keeps the stored one, and an empty one removes it.
	Logo []byte
}

// Branding returns an organisation with its branding. Empty means the caller's own.
func (s *Service) Branding(ctx context.Context, by contract.Actor, of contract.OrganisationID) (store.Organisation, error) {
	return store.LoadAdministered(ctx, s.Store, by, contract.AdminBranding, of)
}

// SetBranding replaces the branding of an organisation. The request changes it as a whole, so repeating it changes nothing more.
func (s *Service) SetBranding(ctx context.Context, by contract.Actor, of contract.OrganisationID, r BrandingRequest) (store.Organisation, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetBranding, of)
	if err != nil {
		return store.Organisation{}, err
	}
	if err := contract.CheckColour(r.Colour); err != nil {
		return store.Organisation{}, err
	}
	now := s.Clock()
	b := store.StoredBranding{Organisation: o.ID, ChangedAt: now, KeepLogo: r.Logo == nil}
	b.Colour = strings.ToLower(r.Colour)
	if len(r.Logo) > 0 {
		logo, err := branding.ReadLogo(ctx, r.Logo)
		if err != nil {
			return store.Organisation{}, err
		}
		b.Logo, b.Image = logo.Address, logo.Image
	}
	eventOf := func(stored contract.Branding) contract.Event {
		return withoutEmptyDetails(by.SignEvent(contract.Event{Type: contract.EventBrandingChanged, At: now, Details: map[string]string{
			"organisation": string(o.ID), "colour": stored.Colour, "logo": stored.Logo,
		}}))
	}
	// Durable with this commit: the branding, and who set it. Guests see it from the next request on, on other processes within
	// organisationAge. Signatures made before keep what they show.
	stored, err := s.Store.SetBranding(ctx, b, eventOf)
	if err != nil {
		return store.Organisation{}, fmt.Errorf("store branding of %s: %w", o.ID, err)
	}
	s.organisations.forget(o.ID)
	o.Branding = stored
	return o, nil
}

// DeleteBranding removes the branding of an organisation. It succeeds if there is none.
func (s *Service) DeleteBranding(ctx context.Context, by contract.Actor, of contract.OrganisationID) error {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminDeleteBranding, of)
	if err != nil {
		return err
	}
	e := by.SignEvent(contract.Event{Type: contract.EventBrandingChanged, At: s.Clock(), Details: map[string]string{"organisation": string(o.ID)}})
	if err := s.Store.DeleteBranding(ctx, o.ID, e); err != nil {
		return fmt.Errorf("delete branding of %s: %w", o.ID, err)
	}
	s.organisations.forget(o.ID)
	return nil
}

func withoutEmptyDetails(e contract.Event) contract.Event {
	for name, value := range e.Details {
		if value == "" {
			delete(e.Details, name)
		}
	}
	return e
}

// errNoLogo says no more than that nothing has the address: a logo that was replaced looks like one that never was.
var errNoLogo = contract.Refuse(contract.NotFound, "logo.not_found")

// Logo returns the picture with an address. Anyone who knows the address may see it: it is in the detail of the organisation's
// documents, and does not change what it shows.
func (s *Service) Logo(ctx context.Context, address string) ([]byte, error) {
	if len(address) != 64 || strings.Trim(address, "0123456789abcdef") != "" {
		return nil, errNoLogo
	}
	image, err := s.Store.Logo(ctx, address)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNoLogo
	}
	return image, err
}

// organisationAge is how long a process shows an organisation as it read it. Names do not change, and a changed branding may
// appear a little later.
const organisationAge = 10 * time.Second

// organisationCache has organisations as they were read.
type organisationCache struct {
	mu   sync.Mutex
	read map[contract.OrganisationID]readOrganisation
}

type readOrganisation struct {
	store.Organisation
	at time.Time
}

func (c *organisationCache) find(id contract.OrganisationID, now time.Time) (store.Organisation, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.read[id]
	return o.Organisation, ok && !now.Before(o.at) && now.Sub(o.at) < organisationAge
}

func (c *organisationCache) store(o store.Organisation, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read == nil {
		c.read = map[contract.OrganisationID]readOrganisation{}
	}
	c.read[o.ID] = readOrganisation{o, now}
}

func (c *organisationCache) forget(id contract.OrganisationID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.read, id)
}

// ForgetOrganisation makes this process read an organisation again, after a part of it was changed by another package.
func (s *Service) ForgetOrganisation(id contract.OrganisationID) { s.organisations.forget(id) }

// Organisation returns an organisation with its branding, which may be a few seconds old.
func (s *Service) Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error) {
	now := s.Clock()
	if o, ok := s.organisations.find(id, now); ok {
		return o, nil
	}
	o, err := s.Store.Organisation(ctx, id)
	if err != nil {
		return store.Organisation{}, fmt.Errorf("read organisation %s: %w", id, err)
	}
	s.organisations.store(o, now)
	return o, nil
}

// logoCache has logos as signatures show them. Their addresses never change what they show.
type logoCache struct {
	mu    sync.Mutex
	known map[string]*appearance.Picture
}

// maxCachedLogos bounds the cache. A logo takes at most 12 KiB.
const maxCachedLogos = 500

// loadCard loads what the signatures on the documents of an organisation show of it and of the document.
func (s *Service) loadCard(ctx context.Context, o store.Organisation, id contract.DocumentID) (card, error) {
	c := card{organisation: o.Name, zone: o.Locale.Location()}
	if rgb, ok := o.Branding.RGB(); ok {
		c.accent = &appearance.Color{R: rgb[0], G: rgb[1], B: rgb[2]}
	}
	if s.VerifyURL != "" {
		c.code = s.VerifyURL + "?document=" + strconv.FormatInt(int64(id), 10)
	}
	if o.Branding.Logo == "" {
		return c, nil
	}
	var err error
	c.logo, err = s.logos.load(ctx, s.Store, o.Branding.Logo)
	return c, err
}

// load returns a logo; nil if it was replaced a moment ago. One that cannot be decoded, because the row was changed in some other
// way, is nil too: it must not keep people from signing, and fsck finds it.
func (c *logoCache) load(ctx context.Context, from store.Brandings, address string) (*appearance.Picture, error) {
	c.mu.Lock()
	p := c.known[address]
	c.mu.Unlock()
	if p != nil {
		return p, nil
	}
	stored, err := from.Logo(ctx, address)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read logo %s: %w", address, err)
	}
	if p, err = branding.CardPicture(stored); err != nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxCachedLogos {
		c.known = map[string]*appearance.Picture{}
	}
	c.known[address] = p
	return p, nil
}
