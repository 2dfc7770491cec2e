package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"segel/internal/contract"
)

type participantsIn struct {
	DocumentID integer            `json:"document_id" required:"true"`
	Signer     list[personIn]     `json:"signer" required:"false" doc:"registered participants"`
	Guest      oneOrMore[guestIn] `json:"guest" required:"false" doc:"participants without an account; a single object is accepted"`
	Parallel   binary             `json:"parallel" required:"false" doc:"unchanged if missing"`
	Version    integer            `json:"version" required:"false" doc:"version of the draft that was read. 409 document.version_changed if it has another one now. Missing: the change replaces whatever is there" example:"4"`
}

func (c *call) setParticipants(in *participantsIn) (done[verbData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	everybody := parsePeople(in.Signer, in.Guest, c.Limits.Participants, &bad)
	var parallel *bool
	if v := in.Parallel.checkedValue("parallel", &bad); in.Parallel.given {
		parallel = &v
	}
	seen := parseSeenVersion(in.Version, &bad)
	return runDocumentOperation(c, id, bad, "done.participants", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.SetParticipants(ctx, c.by, id, seen, everybody, parallel)
	})
}

type signersData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Version    int64               `json:"version" doc:"of the document; rises with every change" example:"4"`
	Signer     []signersItem       `json:"signer" doc:"participants by number"`
}

// signersItem is a participant with everything the interface shows.
type signersItem struct {
	UserID        contract.PersonID `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name          string            `json:"name" example:"Siti Rahma"`
	Email         *string           `json:"email" example:"siti@contoh.id"`
	Phone         *string           `json:"phone"`
	Avatar        string            `json:"avatar" doc:"address of a picture"`
	Role          contract.Role     `json:"role" enum:"signer,viewer" example:"signer"`
	ActsAs        string            `json:"acts_as" doc:"what the person does: their role, or more exactly" enum:"signer,viewer,approver,witness,copy" example:"signer"`
	Number        int               `json:"number" example:"1"`
	Group         int               `json:"group,omitempty" doc:"of whom any one acts for all, also of those who became viewers when another member acted; missing: they act for themselves" example:"1"`
	IsGuest       bool              `json:"is_guest"`
	Placeholder   bool              `json:"placeholder,omitempty" doc:"a role that a person is to fill; name is that of the role"`
	IsOwner       bool              `json:"is_owner"`
	IsSigning     bool              `json:"is_signing" doc:"it is their turn now"`
	Status        bool              `json:"status" doc:"has acted: signed, approved, or viewed for a viewer"`
	SigningStatus bool              `json:"signing_status" doc:"has signed"`
	ActedFor      *string           `json:"acted_for,omitempty" doc:"name of the member who acted for their group; missing: none, or they act themselves" example:"Siti Rahma"`
	SignedAt      *string           `json:"signed_at" doc:"of an approver: when they approved"`
	ViewedAt      *string           `json:"viewed_at"`
	Mail          []noticeOut       `json:"mail" doc:"the newest message of each kind to this person, for the owner; empty for others"`
	Language      *string           `json:"language" doc:"of messages to this person; null: that of the organisation" example:"en"`
	DelegatedTo   *delegationOut    `json:"delegated_to,omitempty" doc:"whom they passed their part to"`
	DelegatedFrom *delegationOut    `json:"delegated_from,omitempty" doc:"from whom they have their part"`
	Channel       string            `json:"channel" doc:"by which messages reach this person" enum:"mail,whatsapp,sms" example:"mail"`
	LinkCreatedAt *string           `json:"link_created_at" doc:"when the guest's current link was created, for the owner; null: there is none"`
}

func (c *call) loadSigners() (signersData, error) {
	id, err := c.pathDocumentID()
	if err != nil {
		return signersData{}, err
	}
	d, err := c.Workflow.LoadAuthorised(c.r.Context(), c.by, c.endpoint.access.op, id)
	if err != nil {
		return signersData{}, err
	}
	var links map[contract.PersonID]time.Time
	if c.by.ID == d.Owner.ID && slices.ContainsFunc(d.Participants, func(p contract.Participant) bool { return p.Guest }) {
		if links, err = c.Identity.GuestLinkTimes(c.r.Context(), id); err != nil {
			return signersData{}, err
		}
	}
	mail := map[contract.PersonID][]noticeOut{}
	if c.by.ID == d.Owner.ID && !d.FinalizedAt.IsZero() {
		notices, err := c.Notices.ListNewestNotices(c.r.Context(), id)
		if err != nil {
			return signersData{}, err
		}
		for _, n := range notices {
			mail[n.Person] = append(mail[n.Person], c.noticeOf(n))
		}
	}
	shown := d.AsShownTo(c.by)
	return signersData{DocumentID: d.ID, Version: d.Version, Signer: convertAll(shown.Participants, func(p contract.Participant) signersItem {
		to, from := delegationsOf(shown, p.ID)
		return signersItem{
			DelegatedTo: to, DelegatedFrom: from,
			UserID: p.ID, Name: p.Name, Email: orNull(p.Email), Phone: orNull(p.Phone), Avatar: c.avatarURL(p.Person),
			Role: p.Role, ActsAs: p.ActsAs(), Number: p.Number, Group: p.Group, IsGuest: p.Guest, Placeholder: p.Placeholder, IsOwner: p.ID == d.Owner.ID, IsSigning: d.InTurn(p.ID),
			Status: d.HasActed(p), SigningStatus: d.HasSigned(p), ActedFor: actedFor(shown, p.ID), SignedAt: isoOrNull(p.SignedAt), ViewedAt: isoOrNull(p.ViewedAt),
			LinkCreatedAt: isoOrNull(links[p.ID]), Mail: append([]noticeOut{}, mail[p.ID]...),
			Language: orNull(d.Delivery.Languages[p.ID]), Channel: nameChannel(d.Delivery.Channels[p.ID]),
		}
	})}, nil
}

// directoryAnswer has no success member, unlike other answers.
type directoryAnswer struct {
	Code int           `json:"code" doc:"equals the HTTP status" example:"200"`
	Data directoryData `json:"data"`
}

type directoryData struct {
	User       []directoryUser `json:"user"`
	Pagination pagination      `json:"pagination"`
}

type directoryUser struct {
	ID     contract.PersonID `json:"id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name   string            `json:"name" example:"Siti Rahma"`
	Email  string            `json:"email" example:"siti@contoh.id"`
	Avatar string            `json:"avatar" doc:"address of a picture" example:"https://segel.contoh.id/v1/avatar/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01?initials=SR"`
}

func (c *call) listUsers() (directoryAnswer, error) {
	q := c.parseQuery()
	p, search := q.parsePage(directoryLimit), q.parseSearch()
	if err := q.bad.asError(); err != nil {
		return directoryAnswer{}, err
	}
	people, total, err := c.Identity.Directory(c.r.Context(), c.by, search, int(p.number), p.limit)
	if err != nil {
		return directoryAnswer{}, err
	}
	data := directoryData{Pagination: paginate(p, total, len(people)), User: convertAll(people, func(u contract.Person) directoryUser {
		return directoryUser{ID: u.ID, Name: u.Name, Email: u.Email, Avatar: c.avatarURL(u)}
	})}
	data.Pagination.Limit = p.limit
	return directoryAnswer{Code: http.StatusOK, Data: data}, nil
}

type guestsData struct {
	Guest []guestContact `json:"guest" doc:"at most 20, the one entered last first, each e-mail once"`
}

type guestContact struct {
	Name  string  `json:"name" example:"Budi Santoso"`
	Email string  `json:"email" example:"budi@contoh.id"`
	Phone *string `json:"phone" example:"081234567890"`
}

func (c *call) suggestGuests() (guestsData, error) {
	q := c.parseQuery()
	search := q.parseSearch()
	if err := q.bad.asError(); err != nil {
		return guestsData{}, err
	}
	found, err := c.Workflow.SuggestGuests(c.r.Context(), c.by, search)
	if err != nil {
		return guestsData{}, err
	}
	return guestsData{convertAll(found, func(g contract.GuestContact) guestContact {
		return guestContact{Name: g.Name, Email: g.Email, Phone: orNull(g.Phone)}
	})}, nil
}

// maxInitials is how many letters an avatar shows.
const maxInitials = 2

// avatarURL returns the address of a person's avatar. It contains the letters, so drawing the avatar needs no look-up
// and reveals nothing that the address does not.
func (s *server) avatarURL(p contract.Person) string {
	a := s.PublicURL + "/v1/avatar/" + url.PathEscape(string(p.ID))
	if shown := initialsOf(cmp.Or(p.Name, p.Email)); shown != "" {
		a += "?initials=" + url.QueryEscape(shown)
	}
	return a
}

func (c *call) sendAvatar() error {
	h := c.w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'none'; sandbox")
	h.Set("Cache-Control", "public, max-age=604800, immutable")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	_, _ = c.w.Write(drawAvatar(c.r.PathValue("id"), firstLetters(c.r.URL.Query().Get("initials"))))
	return nil
}

// initialsOf returns the first letters of a name's first and last word.
func initialsOf(name string) string {
	words := strings.Fields(contract.CleanText(name))
	if len(words) > maxInitials {
		words = []string{words[0], words[len(words)-1]}
	}
	var all strings.Builder
	for _, word := range words {
		for _, r := range firstLetters(word) {
			all.WriteRune(r)
			break
		}
	}
	return all.String()
}

// firstLetters returns the first letters and digits of s, in capitals.
func firstLetters(s string) string {
	var all []rune
	for _, r := range s {
		if len(all) < maxInitials && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			all = append(all, unicode.ToUpper(r))
		}
	}
	return string(all)
}

// drawAvatar renders the SVG. Of the request it uses only the letters, escaped, and a hash.
func drawAvatar(id, shown string) []byte {
	hue := sha256.Sum256([]byte(id))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96" role="img">`)
	fmt.Fprintf(&b, `<rect width="96" height="96" rx="48" fill="hsl(%d 45%% 42%%)"/>`, (int(hue[0])<<8|int(hue[1]))%360)
	if shown == "" {
		b.WriteString(`<circle cx="48" cy="38" r="15" fill="#fff"/><path d="M20 82a28 26 0 0 1 56 0z" fill="#fff"/>`)
	} else {
		b.WriteString(`<text x="48" y="49" fill="#fff" font-family="sans-serif" font-size="38" font-weight="600" text-anchor="middle" dominant-baseline="central">`)
		_ = xml.EscapeText(&b, []byte(shown)) // a strings.Builder returns no error
		b.WriteString(`</text>`)
	}
	b.WriteString(`</svg>`)
	return []byte(b.String())
}

type guestLinkIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	UserID     phrase  `json:"user_id" required:"true" doc:"of a guest on the document" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
}

type guestLinkData struct {
	URL string `json:"url" doc:"shown only once" example:"https://segel.contoh.id/guest#segel_gl_..."`
}

func (c *call) createGuestLink(in *guestLinkIn) (done[guestLinkData], error) {
	id, person, bad := in.checkedIDs()
	if err := c.refuseInput(id, bad); err != nil {
		return done[guestLinkData]{}, err
	}
	return runOperation(c, func(ctx context.Context) (string, error) {
		return c.Workflow.GuestLink(ctx, c.by, id, person)
	}, func(url string) done[guestLinkData] {
		return doneAnswer(c, "done.guest_link", guestLinkData{url})
	})
}

func (in *guestLinkIn) checkedIDs() (id contract.DocumentID, person contract.PersonID, bad problems) {
	id, person = parseDocumentID(in.DocumentID, &bad), parsePersonID(in.UserID.checkedValue("user_id", &bad))
	if person == "" && !in.UserID.bad {
		bad.add("user_id", "value.required")
	}
	return id, person, bad
}

func (c *call) revokeGuestLink(in *guestLinkIn) (done[verbData], error) {
	id, person, bad := in.checkedIDs()
	return runDocumentOperation(c, id, bad, "done.guest_revoke", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.RevokeGuestLink(ctx, c.by, id, person)
	})
}
