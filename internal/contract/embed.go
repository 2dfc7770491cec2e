package contract

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EmbedPurpose is what an embedded page is for. Values are stored and are part of the interface.
type EmbedPurpose string

// The purposes.
const (
	EmbedPlace EmbedPurpose = "place" // the owner places boxes on the pages of their draft
	EmbedSign  EmbedPurpose = "sign"  // a signer reads and signs or declines
	EmbedView  EmbedPurpose = "view"  // a person who may see the document reads it
)

// EmbedPurposes lists every purpose.
var EmbedPurposes = []EmbedPurpose{EmbedPlace, EmbedSign, EmbedView}

// embedOperations says which operations on its document each purpose includes. What is missing, an embedded page may not do.
var embedOperations = map[EmbedPurpose][]Operation{
	EmbedPlace: {OpDetail, OpStatus, OpSigners, OpPreview, OpPlace},
	EmbedSign:  {OpDetail, OpStatus, OpEvents, OpPreview, OpDownload, OpEvidence, OpConsent, OpSign, OpApprove, OpReject, OpCode, OpProveContact},
	EmbedView:  {OpDetail, OpStatus, OpEvents, OpPreview, OpDownload, OpEvidence, OpConsent, OpCode, OpProveContact},
}

// Includes reports whether a purpose includes an operation.
func (p EmbedPurpose) Includes(op Operation) bool { return slices.Contains(embedOperations[p], op) }

// Lifetimes of what is embedded.
const (
	EmbedAddressLifetime = 10 * time.Minute // of an address until it is opened
	EmbedSessionLifetime = time.Hour        // of the token for which it was exchanged
	EmbedRemembered      = 24 * time.Hour   // for which an address that was used or has expired is told from an unknown one
)

// Bounds on the origins of an organisation.
const (
	MaxEmbedOrigins   = 20
	maxEmbedOriginLen = 300 // bytes
)

// Refusals about embedded pages.
var (
	// ErrEmbedPurpose refuses what the purpose of an embedded page does not include.
	ErrEmbedPurpose = Refuse(Forbidden, "embed.purpose")
	// ErrEmbedAddress refuses an address that is unknown.
	ErrEmbedAddress = Refuse(NotFound, "embed.address_invalid")
	// ErrEmbedUsed refuses an address that was opened before. Its holder has the secret, so they may learn that, and the same of the next two.
	ErrEmbedUsed = Refuse(NotFound, "embed.address_used")
	// ErrEmbedExpired refuses an address that was not opened in time.
	ErrEmbedExpired = Refuse(NotFound, "embed.address_expired")
	// ErrEmbedEnded refuses an address whose requester or person may not use it any more.
	ErrEmbedEnded = Refuse(NotFound, "embed.address_ended")
	// ErrEmbedOrigin refuses a page of an origin in which the address may not be opened.
	ErrEmbedOrigin = Refuse(Forbidden, "embed.origin")
	// ErrEmbedNoOrigins refuses an address for an organisation that lists no origin.
	ErrEmbedNoOrigins = Refuse(Conflict, "embed.no_origins")
	// ErrEmbedProof refuses a signature of a person with an account in an embedded page who did not prove in it who they are.
	ErrEmbedProof = Refuse(Forbidden, "embed.proof_required")
	// ErrEmbedPassword refuses a wrong password in an embedded page, and one that the organisation does not accept.
	ErrEmbedPassword = Refuse(Malformed, "embed.password_wrong")
	// ErrNoEmbedPerson refuses an address for a person who does not take part in the document, or in the way that the purpose needs.
	ErrNoEmbedPerson = Refuse(Conflict, "embed.no_person")
)

// EmbedGrant restricts what an actor may do because they came from an embedded page. A nil grant restricts nothing.
type EmbedGrant struct {
	Document DocumentID
	Purpose  EmbedPurpose
	Origin   string // of the page in which it was opened
	By       Person // who asked for the address
	Key      KeyID  // the API key with which they did; empty: none
	KeyName  string
}

// require refuses another document like one that does not exist, and an operation that the purpose does not include.
func (g *EmbedGrant) require(d *Document, op Operation) error {
	switch {
	case g == nil:
		return nil
	case g.Document != d.ID:
		return ErrNotFound
	case !g.Purpose.Includes(op):
		return ErrEmbedPurpose
	}
	return nil
}

// eventDetails returns where an act happened, as details of its event.
func (g *EmbedGrant) eventDetails() []string {
	if g == nil {
		return nil
	}
	return []string{"embed_origin", g.Origin, "embed_by", g.By.DisplayName(), "embed_key_name", g.KeyName}
}

// EmbedAddress is an address for an embedded page.
type EmbedAddress struct {
	Hash         [32]byte // SHA-256 of its secret
	Organisation OrganisationID
	Document     DocumentID
	Person       PersonID // who opens it
	Purpose      EmbedPurpose
	Origins      []string // in whose pages it may be opened
	By           Person   // who asked for it
	Session      string   // the family of their session; empty: they came with an API key
	Key          KeyID
	KeyName      string
	CreatedAt    time.Time
	ExpiresAt    time.Time
	OpenedAt     time.Time // zero: not yet
	Origin       string    // of the page in which it was opened
}

// Grant returns what the address permits to those who opened it.
func (a *EmbedAddress) Grant() *EmbedGrant {
	return &EmbedGrant{Document: a.Document, Purpose: a.Purpose, Origin: a.Origin, By: a.By, Key: a.Key, KeyName: a.KeyName}
}

// eventDetails returns details of an event about the address.
func (a *EmbedAddress) eventDetails(d *Document) []string {
	name := d.Owner.DisplayName()
	if p := d.Participant(a.Person); p != nil {
		name = p.DisplayName()
	}
	return []string{"person", string(a.Person), "name", name, "purpose", string(a.Purpose)}
}

// OpenedEmbed is an address that is being opened.
type OpenedEmbed struct {
	Address   [32]byte // SHA-256 of its secret
	Person    PersonID
	Token     [32]byte // SHA-256 of the token for which it is exchanged
	Origin    string
	ExpiresAt time.Time // of the token
}

// EmbedRequest is what an owner asks for.
type EmbedRequest struct {
	Person  PersonID // empty: the owner
	Purpose EmbedPurpose
	Origins []string // a part of those that the organisation lists; empty: all of them
}

// RequestEmbed makes an address for a person of the document. Listed are the origins of the organisation; Hash is that of the secret.
//
// Durable with the commit: the address, and that the owner has it.
func RequestEmbed(d *Document, in EmbedRequest, listed []string, hash [32]byte, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpEmbed); err != nil {
		return Change{}, err
	}
	if len(listed) == 0 {
		return Change{}, ErrEmbedNoOrigins
	}
	a := EmbedAddress{
		Hash: hash, Organisation: d.Organisation, Document: d.ID, Person: in.Person, Purpose: in.Purpose, By: by.Person, Session: by.Session,
		CreatedAt: now, ExpiresAt: now.Add(EmbedAddressLifetime),
	}
	if a.Person == "" {
		a.Person = d.Owner.ID
	}
	if by.Key != nil {
		a.Session, a.Key, a.KeyName = "", by.Key.ID, by.Key.Name
	}
	var bad fieldErrors
	if !slices.Contains(EmbedPurposes, a.Purpose) {
		bad.add("purpose", "value.not_one_of", "allowed", joinValues(EmbedPurposes))
	}
	for i, text := range in.Origins {
		origin, ok := ParseOrigin(text)
		if !ok || !slices.Contains(listed, origin) {
			bad.add("origins["+strconv.Itoa(i)+"]", "embed.origin_unlisted")
		} else if !slices.Contains(a.Origins, origin) {
			a.Origins = append(a.Origins, origin)
		}
	}
	if err := bad.asError(); err != nil {
		return Change{}, err
	}
	if len(in.Origins) == 0 {
		a.Origins = slices.Clone(listed)
	}
	if err := a.checkPerson(d, now); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.Embed = &a
	c.addEvent(EventEmbedRequested, by, now, append(a.eventDetails(d), "origins", strings.Join(a.Origins, " "))...)
	return c, nil
}

// checkPerson refuses an address with which its person could not do what it is for.
func (a *EmbedAddress) checkPerson(d *Document, now time.Time) error {
	p := d.Participant(a.Person)
	switch {
	case p == nil && a.Person != d.Owner.ID:
		return ErrNoEmbedPerson
	case a.Purpose == EmbedPlace && a.Person != d.Owner.ID:
		return ErrNoEmbedPerson
	case a.Purpose == EmbedPlace && d.State != Draft:
		return ErrNotDraft
	case a.Purpose == EmbedPlace:
		return nil
	case !d.IsVisibleTo(a.Person):
		if d.State == Draft {
			return ErrNotActive
		}
		return ErrNotInTurn
	case a.Purpose == EmbedView:
		return nil
	case d.State != Processing:
		return ErrNotActive
	case p == nil || p.Role != Signer || d.Mode != Signing:
		return ErrNoEmbedPerson
	case !p.SignedAt.IsZero():
		return p.alreadyActed()
	case d.IsOverdue(now):
		return ErrExpired
	case !d.InTurn(a.Person):
		return ErrNotInTurn
	}
	return nil
}

// OpenEmbed exchanges an address for a token. Origin is that of the page in which it is opened, as its browser states it, and listed are the
// origins of the organisation now. By is the client, who proved nothing but that they have the address.
//
// Durable with the commit: that the address is used, the token, and the event. If the answer is lost, the address stays used.
func OpenEmbed(d *Document, a EmbedAddress, listed []string, origin string, token [32]byte, by Actor, now time.Time) (Change, error) {
	switch {
	case !a.OpenedAt.IsZero():
		return Change{}, ErrEmbedUsed
	case !now.Before(a.ExpiresAt):
		return Change{}, ErrEmbedExpired
	case d.ID != a.Document:
		return Change{}, ErrEmbedAddress
	case !slices.Contains(a.Origins, origin) || !slices.Contains(listed, origin):
		return Change{}, ErrEmbedOrigin
	}
	if err := a.checkPerson(d, now); err != nil {
		return Change{}, err
	}
	a.Origin = origin
	by.Person = d.Owner
	if p := d.Participant(a.Person); p != nil {
		by.Person = p.Person
	}
	by.Embed = a.Grant()
	c := newChange(d)
	c.OpenedEmbed = &OpenedEmbed{Address: a.Hash, Person: a.Person, Token: token, Origin: origin, ExpiresAt: now.Add(EmbedSessionLifetime)}
	c.addEvent(EventEmbedOpened, by, now, "purpose", string(a.Purpose))
	return c, nil
}

// ParseOrigin returns an origin in the form in which browsers write it (RFC 6454 §6.1): scheme, host, and the port if it is not that of the scheme.
// Ok is false for anything else than https, or http and a private host.
func ParseOrigin(text string) (origin string, ok bool) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || len(text) > maxEmbedOriginLen || u.Opaque != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#") || u.Path != "" && u.Path != "/" {
		return "", false
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if !isOriginHost(host) || scheme != "https" && !(scheme == "http" && IsPrivateHost(host)) {
		return "", false
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return "", false
		}
	}
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return scheme + "://" + host, true
}

// isOriginHost reports whether a host can stand in a Content-Security-Policy as it is: an address, or a name of letters, digits, hyphens and dots.
// Wildcards and names in other scripts are none; browsers write the latter as xn--.
func isOriginHost(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Zone() == "" && a.String() == host
	}
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
		for _, r := range label {
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
				return false
			}
		}
	}
	return true
}

// CheckEmbedOrigins checks the origins that an admin lists, and returns them normalised, each once, in the order given.
func CheckEmbedOrigins(texts []string) ([]string, error) {
	var bad fieldErrors
	origins := []string{}
	for i, text := range texts {
		switch origin, ok := ParseOrigin(text); {
		case !ok:
			bad.add("origins["+strconv.Itoa(i)+"]", "embed.bad_origin")
		case !slices.Contains(origins, origin):
			origins = append(origins, origin)
		}
	}
	if len(origins) > MaxEmbedOrigins {
		bad.add("origins", "value.too_many", "limit", MaxEmbedOrigins)
	}
	return origins, bad.asError()
}
