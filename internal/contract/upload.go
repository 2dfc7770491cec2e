package contract

import (
	"fmt"
	"math/big"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Upload is what an owner sends to make a document.
type Upload struct {
	Title        string // empty: the stem of the file name
	Filename     string // empty: the title
	Parallel     bool
	Participants []Participant
	Delivery     Delivery
	ExpiresAt    time.Time // zero: never
	Base         Revision  // the stored file
	Word         bool      // it is a Word document that has to be converted first; Pages is not known yet
	Pages        int
	Entropy      [16]byte  // randomness of the document's name
	Test         bool      // a copy of a test document
	Findings     []Finding // findings in the file; none are known yet for a Word document
	Team         TeamID    // of the owner, with which the document is shared from the start; empty: none
}

// Create makes a draft of an uploaded file. ErrNoTeam for a team of others.
func Create(u Upload, by Actor, l Limits, now time.Time) (Change, error) {
	team, err := by.RequireTeam(u.Team)
	if err != nil {
		return Change{}, err
	}
	var bad fieldErrors
	title, filename := CleanText(u.Title), CleanFilename(u.Filename)
	if filename == "" {
		filename = CleanFilename(title)
	}
	if filename == "" {
		filename = "dokumen.pdf"
	}
	if title == "" {
		title = fileStem(filename)
	}
	if utf8.RuneCountInString(title) > l.Text {
		bad.add("document_title", "text.too_long", "limit", l.Text)
	}
	if utf8.RuneCountInString(filename) > l.Text {
		bad.add("filename", "text.too_long", "limit", l.Text)
	}
	if !u.ExpiresAt.IsZero() && !u.ExpiresAt.After(now) {
		bad.add("expired_at", "time.not_future")
	}
	if u.Pages > l.Pages {
		bad.add("document_base64", "document.too_many_pages", "limit", l.Pages, "pages", u.Pages)
	}
	people := checkParticipants(u.Participants, u.Delivery.Channels, l, &bad)
	delivery := checkDelivery(u.Delivery, &bad)
	if err := bad.asError(); err != nil {
		return Change{}, err
	}
	d := Document{
		Organisation: by.Organisation, Owner: by.Person,
		Name: NewName(filename, now, u.Entropy), Title: title, Filename: filename,
		State: Draft, Parallel: u.Parallel, Pages: u.Pages,
		Participants: people, Original: u.Base.Tail, Revisions: []Revision{u.Base},
		CreatedAt: now, ExpiresAt: u.ExpiresAt,
	}
	d.Test = by.Key != nil && by.Key.Test || u.Test
	d.Specimen = d.Test
	d.Findings, d.Examined = u.Findings, true
	d.Delivery = delivery
	d.Delivery.Languages, d.Delivery.Channels = d.keepLanguages(delivery.Languages), d.keepChannels(delivery.Channels)
	c := Change{After: d, StorageLimit: &l.Storage}
	if u.Word {
		c.After.Revisions, c.After.Conversion.State = nil, Converting
		c.After.Findings, c.After.Examined = nil, false
		c.addJob(JobConvert)
	}
	test := ""
	if d.Test {
		test = "true"
	}
	c.addEvent(EventUploaded, by, now, "filename", filename, "digest", fmt.Sprintf("%x", u.Base.Digest), "findings", findingCodes(u.Findings), "test", test)
	if team.ID != "" {
		c.setTeam(team, by, now)
	}
	return c, nil
}

// CheckDraftVersion refuses a change of a draft that was made from another version than the current one, so that the later of two
// writers does not undo, without knowing it, what the earlier one changed. Seen is the version that the caller read; 0: they do not
// say, and their change replaces whatever is there. The change itself is checked by its own rule.
func CheckDraftVersion(d *Document, seen int64, by Actor, op Operation) error {
	// First, so that callers who may not see the document learn nothing from the version.
	if err := d.Authorise(by, op); err != nil {
		return err
	}
	if d.State != Draft {
		return ErrNotDraft
	}
	if seen != 0 && seen != d.Version {
		return ErrVersionChanged
	}
	return nil
}

// SetParticipants replaces the people of a draft. Placements of people who are removed are removed too.
// Personal is how each of them is reached.
func SetParticipants(d *Document, people []Participant, personal map[PersonID]PersonalDelivery, parallel *bool, by Actor, l Limits, now time.Time) (Change, error) {
	return FillParticipants(d, people, personal, nil, parallel, by, l, now)
}

// FillParticipants is SetParticipants when some of the people take the place of placeholders of the draft: they get their boxes.
func FillParticipants(d *Document, people []Participant, personal map[PersonID]PersonalDelivery, fills []FilledPlaceholder, parallel *bool, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpParticipants); err != nil {
		return Change{}, err
	}
	if d.State != Draft {
		return Change{}, ErrNotDraft
	}
	var bad fieldErrors
	d.checkFills(fills, &bad)
	delivery := d.Delivery
	delivery.SetPersonal(personal)
	people = checkParticipants(people, delivery.Channels, l, &bad)
	delivery = checkDelivery(delivery, &bad)
	if err := bad.asError(); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.After.Participants = people
	c.After.Delivery.Languages, c.After.Delivery.Channels = c.After.keepLanguages(delivery.Languages), c.After.keepChannels(delivery.Channels)
	if parallel != nil {
		c.After.Parallel = *parallel
	}
	c.After.fillBoxes(fills)
	c.After.holdBoxes(d)
	c.After.Placements = slices.DeleteFunc(c.After.Placements, func(p Placement) bool {
		who := c.After.Participant(p.Person)
		return !p.isAllowedFor(&c.After, who)
	})
	c.addEvent(EventPeopleChanged, by, now)
	return c, nil
}

// checkParticipants checks a list of participants, and that each has what their channel needs, and returns it ordered by number. In errors, participant i is called
// "signer[i]", or "guest[i]" for guests; each kind is counted separately.
func checkParticipants(in []Participant, channels map[PersonID]Channel, l Limits, bad *fieldErrors) []Participant {
	if len(in) > l.Participants {
		bad.add("signer", "participants.too_many", "limit", l.Participants)
		return nil
	}
	people := slices.Clone(in)
	seen := map[PersonID]bool{}
	mails, phones, roles := map[string]bool{}, map[string]bool{}, map[string]bool{}
	groups := map[int]*Participant{}
	users, guests := 0, 0
	for i := range people {
		p := &people[i]
		where := fmt.Sprintf("signer[%d]", users)
		if p.Guest {
			where = fmt.Sprintf("guest[%d]", guests)
			guests++
		} else {
			users++
		}
		p.Name = CleanText(p.Name)
		if p.Role != Signer && p.Role != Viewer {
			bad.add(where+".role", "role.unknown")
		}
		if p.Capacity != "" && p.Capacity.Role() != p.Role {
			bad.add(where+".acts_as", "capacity.other_role")
		}
		p.checkGroup(groups[p.Group], l, where+".group", bad)
		if groups[p.Group] == nil {
			groups[p.Group] = p
		}
		if p.Number < 1 {
			bad.add(where+".number", "number.not_positive")
		}
		if !HasVisibleText(p.Name) {
			bad.add(where+".name", "text.missing")
		}
		if utf8.RuneCountInString(p.Name) > l.Text {
			bad.add(where+".name", "text.too_long", "limit", l.Text)
		}
		if p.Placeholder {
			p.Guest, p.Email, p.Phone = true, "", ""
			if role := strings.ToLower(p.Name); roles[role] {
				bad.add(where+".name", "placeholder.twice")
			} else {
				roles[role] = true
			}
			if seen[p.ID] {
				bad.add(where+".name", "placeholder.twice")
			}
			seen[p.ID] = true
			continue
		}
		// The owner entered a guest's address, and it will be part of a message header one day. Users have the address
		// of their account, which was checked when the account was made.
		if p.Guest && p.Email != "" {
			address, code := ParseEmail(p.Email)
			if code != "" {
				bad.add(where+".email", code)
			}
			p.Email = address
		}
		checkPhone(p, channels[p.ID], where+".", l, bad)
		if channels[p.ID].IsPhone() && p.Phone != "" {
			// One code must not reach two people.
			if phones[p.Phone] {
				bad.add(where+".phone", "participant.twice")
			}
			phones[p.Phone] = true
		}
		mail := strings.ToLower(p.Email)
		if seen[p.ID] || mail != "" && mails[mail] {
			bad.add(where+".email", "participant.twice")
		}
		seen[p.ID], mails[mail] = true, true
	}
	slices.SortStableFunc(people, func(a, b Participant) int { return a.Number - b.Number })
	return people
}

// CleanText returns s on one line, without control characters and without bidirectional formatting characters, which
// can make a name look like another one.
func CleanText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r), r == utf8.RuneError, isBidiMark(r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// HasVisibleText reports whether a text has anything visible: a letter, a digit or a sign, not only spaces, combining
// marks and characters without a glyph.
func HasVisibleText(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.IsMark(r) && r != utf8.RuneError
	})
}

// isBidiMark reports whether r is an embedding, override, isolate or invisible mark of the bidirectional algorithm.
func isBidiMark(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C
}

// CleanFilename returns the last element of a path of any operating system, as clean text; empty if nothing usable is
// left.
func CleanFilename(s string) string {
	s = CleanText(strings.ReplaceAll(s, `\`, "/"))
	if s = strings.TrimSpace(path.Base(s)); s == "." || s == ".." || s == "/" {
		return ""
	}
	return s
}

func fileStem(filename string) string {
	if s := strings.TrimSuffix(filename, path.Ext(filename)); s != "" {
		return s
	}
	return filename
}

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// NewName returns a document's internal name, <file stem>-<unix ms>-<22 base58 characters>. Its 128 random bits make
// the name unique.
func NewName(filename string, now time.Time, entropy [16]byte) string {
	n := new(big.Int).SetBytes(entropy[:])
	radix, digit := big.NewInt(58), new(big.Int)
	random := make([]byte, 22)
	for i := range random {
		n.DivMod(n, radix, digit)
		random[len(random)-1-i] = base58Alphabet[digit.Int64()]
	}
	return fmt.Sprintf("%s-%013d-%s", strings.ReplaceAll(fileStem(filename), " ", "_"), now.UnixMilli(), random)
}

// Description holds new values for a draft. A nil member keeps the old value.
type Description struct {
	Title     *string
	ExpiresAt *time.Time // zero: never

	// How people are reached; see [Delivery].
	Message        *string
	Code           *CodePolicy
	Silent, Attach *bool
	Delegation     *bool
	HideAddresses  *bool
	Reminders      *Reminders
}

// applyTo returns a delivery with the new values.
func (to Description) applyTo(d Delivery) Delivery {
	if to.Message != nil {
		d.Message = *to.Message
	}
	if to.Code != nil {
		d.Code = *to.Code
	}
	if to.Silent != nil {
		d.Silent = *to.Silent
	}
	if to.Attach != nil {
		d.Attach = *to.Attach
	}
	if to.Delegation != nil {
		d.Delegation = *to.Delegation
	}
	if to.HideAddresses != nil {
		d.HideAddresses = *to.HideAddresses
	}
	if to.Reminders != nil {
		d.Reminders = *to.Reminders
	}
	return d
}

// Describe changes the title and the deadline of a draft, and how its people are reached.
func Describe(d *Document, to Description, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpDescribe); err != nil {
		return Change{}, err
	}
	if d.State != Draft {
		return Change{}, ErrNotDraft
	}
	var bad fieldErrors
	c := newChange(d)
	if to.Title != nil {
		c.After.Title = CleanText(*to.Title)
		switch {
		case c.After.Title == "":
			bad.add("document_title", "text.missing")
		case utf8.RuneCountInString(c.After.Title) > l.Text:
			bad.add("document_title", "text.too_long", "limit", l.Text)
		}
	}
	if to.ExpiresAt != nil {
		c.After.ExpiresAt = *to.ExpiresAt
		switch {
		case to.ExpiresAt.IsZero():
		case d.Template:
			bad.add("expired_at", "template.deadline")
		case !to.ExpiresAt.After(now):
			bad.add("expired_at", "time.not_future")
		}
	}
	c.After.Delivery = checkDelivery(to.applyTo(c.After.Delivery), &bad)
	if err := bad.asError(); err != nil {
		return Change{}, err
	}
	c.addEvent(EventDescribed, by, now, "title", c.After.Title)
	return c, nil
}
