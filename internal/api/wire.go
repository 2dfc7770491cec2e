package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/workflow"
)

// The interface has odd member names: speciment, emet, userid, createAt, data_token, info_restamping, isRestamping. The
// types of this package carry them; the code translates them into the project's terms here and in the files of the
// operations. Only the errors of placements name members outside of this package, see [contract.PlaceRequest].

// personIn is a participant as a client names them.
type personIn struct {
	ID       phrase  `json:"id" required:"false" doc:"UUID of a user of the organisation" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name     phrase  `json:"name" required:"false" example:"Siti Rahma"`
	Email    phrase  `json:"email" required:"false" nullable:"true" example:"siti@contoh.id"`
	Role     phrase  `json:"role" required:"true" doc:"signer, viewer, or a capacity: approver approves in turn without a signature, witness signs after those with a smaller number, copy sees nothing before the completion and then receives the document" enum:"signer,viewer,approver,witness,copy" example:"signer"`
	ActsAs   phrase  `json:"acts_as" required:"false" doc:"as answers have it beside role; it must agree with role, and role may say it instead" enum:"signer,viewer,approver,witness,copy" example:"approver"`
	Number   integer `json:"number" required:"false" doc:"from 1; the smallest acts first, equal numbers act in the same step; the position in the list when missing, or for further members of a group the number of its first"`
	Group    integer `json:"group" required:"false" nullable:"true" doc:"from 1: any one of the signers or approvers with this group acts for all of them, and the others become viewers then. They need the same role and number. Missing, null or 0: they act for themselves" example:"1"`
	Phone    phrase  `json:"phone" required:"false" doc:"for messages by whatsapp or sms" example:"+628123456789"`
	Language phrase  `json:"language" required:"false" doc:"of messages to this person: id or en; that of the organisation when missing" enum:"id,en" example:"en"`
	Channel  phrase  `json:"channel" required:"false" doc:"by which messages and codes reach this person: mail, or whatsapp or sms, which need a phone number and a provider that the operator configured; mail when missing" enum:"mail,whatsapp,sms" example:"whatsapp"`
	Fills    phrase  `json:"fills" required:"false" doc:"UUID of a placeholder of the document whose place the person takes, with its boxes; role and number are those given here" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
}

// guestIn is a guest as a client names them.
type guestIn struct {
	Name        phrase  `json:"name" required:"true" example:"Budi Tamu"`
	Email       phrase  `json:"email" required:"false" doc:"required unless channel is whatsapp or sms, or placeholder is 1" example:"budi@contoh.id"`
	Phone       phrase  `json:"phone" required:"false" doc:"required if channel is whatsapp or sms: with a country code, or an Indonesian number" example:"+628123456789"`
	Role        phrase  `json:"role" required:"true" doc:"signer, viewer, or a capacity: approver approves in turn without a signature, witness signs after those with a smaller number, copy sees nothing before the completion and then receives the document" enum:"signer,viewer,approver,witness,copy" example:"signer"`
	ActsAs      phrase  `json:"acts_as" required:"false" doc:"as answers have it beside role; it must agree with role, and role may say it instead" enum:"signer,viewer,approver,witness,copy" example:"approver"`
	Number      integer `json:"number" required:"false" doc:"from 1; the position in the list when missing, or for further members of a group the number of its first"`
	Group       integer `json:"group" required:"false" nullable:"true" doc:"as in signer; groups have members in both lists" example:"1"`
	Language    phrase  `json:"language" required:"false" doc:"of messages to this person: id or en; that of the organisation when missing" enum:"id,en" example:"en"`
	Channel     phrase  `json:"channel" required:"false" doc:"by which messages and codes reach this person: mail, or whatsapp or sms, which need a phone number and a provider that the operator configured; mail when missing" enum:"mail,whatsapp,sms" example:"whatsapp"`
	Placeholder binary  `json:"placeholder" required:"false" doc:"1: a role, such as Tenant, that a person fills before the document is finalized. Name is that of the role; address, phone, language and channel are left out"`
	Fills       phrase  `json:"fills" required:"false" doc:"UUID of a placeholder of the document whose place the person takes, with its boxes; role and number are those given here" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
}

// parsePeople reads participants and guests, guests last. A missing number is the position in its list.
func parsePeople(signers list[personIn], guests oneOrMore[guestIn], limit int, bad *problems) []workflow.PersonRequest {
	if len(signers.items)+len(guests.items) > limit {
		// The rule would refuse this too; checking here avoids parsing a million entries first.
		bad.add("signer", "participants.too_many", "limit", limit)
		return nil
	}
	var all []workflow.PersonRequest
	first := map[int]int{} // numbers of the first members of groups
	placeInGroup := func(group, number integer, at string, i int) (int, int) {
		g := int(min(group.checkedValue(at+"group", 0, bad), math.MaxInt32))
		n := parseNumber(number, at, i, bad)
		if g == 0 {
			return g, n
		}
		if _, found := first[g]; !found {
			first[g] = n
		} else if !number.given {
			n = first[g]
		}
		return g, n
	}
	for i, p := range signers.checkedValue("signer", bad) {
		at := fmt.Sprintf("signer[%d].", i)
		role, capacity := parseRole(p.Role, p.ActsAs, at, bad)
		group, number := placeInGroup(p.Group, p.Number, at, i)
		all = append(all, workflow.PersonRequest{
			ID:   parsePersonID(p.ID.checkedValue(at+"id", bad)),
			Name: p.Name.checkedValue(at+"name", bad), Email: trimEmail(p.Email.checkedValue(at+"email", bad)),
			Role: role, Capacity: capacity, Group: group, Number: number, Phone: strings.TrimSpace(p.Phone.checkedValue(at+"phone", bad)),
			PersonalDelivery: contract.PersonalDelivery{Language: parseMessageLanguage(p.Language, at, bad), Channel: parseChannel(p.Channel, at, bad)},
			Fills:            parsePersonID(p.Fills.checkedValue(at+"fills", bad)),
		})
	}
	for i, g := range guests.checkedValue("guest", bad) {
		at := fmt.Sprintf("guest[%d].", i)
		role, capacity := parseRole(g.Role, g.ActsAs, at, bad)
		group, number := placeInGroup(g.Group, g.Number, at, i)
		all = append(all, workflow.PersonRequest{
			Name: g.Name.checkedValue(at+"name", bad), Email: trimEmail(g.Email.checkedValue(at+"email", bad)), Phone: strings.TrimSpace(g.Phone.checkedValue(at+"phone", bad)),
			Role: role, Capacity: capacity, Group: group, Number: number, Guest: true,
			PersonalDelivery: contract.PersonalDelivery{Language: parseMessageLanguage(g.Language, at, bad), Channel: parseChannel(g.Channel, at, bad)},
			Placeholder:      g.Placeholder.checkedValue(at+"placeholder", bad), Fills: parsePersonID(g.Fills.checkedValue(at+"fills", bad)),
		})
	}
	return all
}

func parsePersonID(s string) contract.PersonID {
	return contract.PersonID(strings.ToLower(strings.TrimSpace(s)))
}

// trimEmail returns an address without surrounding spaces. The rules check it.
func trimEmail(s string) string { return strings.TrimSpace(s) }

// parseRole, parseMessageLanguage, parseChannel and parseNumber check what the rules would check too, so that these problems are reported together with
// those of the format.
func parseRole(role, actsAs phrase, at string, bad *problems) (contract.Role, contract.Capacity) {
	r, c := roleOf(role.checkedValue(at+"role", bad))
	if r == "" && !role.bad {
		bad.add(at+"role", "role.unknown")
	}
	name := actsAs.checkedValue(at+"acts_as", bad)
	if name == "" {
		return r, c
	}
	switch as, capacity := roleOf(name); {
	case as == "" && !actsAs.bad:
		bad.add(at+"acts_as", "role.unknown")
	case as != r && r != "" || c != "" && c != capacity:
		bad.add(at+"acts_as", "capacity.other_role")
	default:
		c = capacity
	}
	return r, c
}

// roleOf returns the role and the capacity with a name; no role if there is none.
func roleOf(name string) (contract.Role, contract.Capacity) {
	if r := contract.Role(name); r == contract.Signer || r == contract.Viewer {
		return r, ""
	}
	c := contract.Capacity(name)
	return c.Role(), c
}

func parseMessageLanguage(p phrase, at string, bad *problems) string {
	l := p.checkedValue(at+"language", bad)
	if l != "" && !slices.Contains(contract.MessageLanguages, l) && !p.bad {
		bad.add(at+"language", "value.not_one_of", "allowed", strings.Join(contract.MessageLanguages, ", "))
		return ""
	}
	return l
}

// parseChannel checks the name of a channel. At begins the name of the field.
func parseChannel(p phrase, at string, bad *problems) contract.Channel {
	name := p.checkedValue(at+"channel", bad)
	c := contract.Channel(name)
	switch {
	case name == "" || name == channelMail:
		return contract.ChannelMail
	case !c.IsPhone():
		bad.add(at+"channel", "value.not_one_of", "allowed", "mail, whatsapp, sms")
		return contract.ChannelMail
	}
	return c
}

// channelMail is the name of [contract.ChannelMail] in the interface.
const channelMail = "mail"

func nameChannel(c contract.Channel) string { return cmp.Or(string(c), channelMail) }

func parseNumber(n integer, at string, i int, bad *problems) int {
	v := n.checkedValue(at+"number", int64(i+1), bad)
	if v < 1 && !n.bad {
		bad.add(at+"number", "number.not_positive")
	}
	return int(min(v, math.MaxInt32))
}

// personOut is a participant in the answer to an upload.
type personOut struct {
	ID      contract.PersonID `json:"id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name    string            `json:"name" example:"Siti Rahma"`
	Email   *string           `json:"email" example:"siti@contoh.id"`
	Role    contract.Role     `json:"role" enum:"signer,viewer" example:"signer"`
	ActsAs  string            `json:"acts_as" doc:"what the person does: their role, or more exactly" enum:"signer,viewer,approver,witness,copy" example:"signer"`
	Number  string            `json:"number" doc:"a string here" example:"1"`
	Group   int               `json:"group,omitempty" doc:"of whom any one acts for all; missing: they act for themselves" example:"1"`
	IsGuest bool              `json:"is_guest"`

	Placeholder bool `json:"placeholder,omitempty" doc:"a role that a person is to fill; name is that of the role"`
}

func peopleOut(d *contract.Document) []personOut {
	return convertAll(d.Participants, func(p contract.Participant) personOut {
		return personOut{ID: p.ID, Name: p.Name, Email: orNull(p.Email), Role: p.Role, ActsAs: p.ActsAs(), Number: fmt.Sprint(p.Number), Group: p.Group, IsGuest: p.Guest, Placeholder: p.Placeholder}
	})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// parseDocumentID reads the member of a body that names the document.
func parseDocumentID(n integer, bad *problems) contract.DocumentID {
	if !n.given {
		bad.add("document_id", "value.required")
		return 0
	}
	return contract.DocumentID(n.checkedValue("document_id", 0, bad))
}

// parseSeenVersion reads the version of a draft from which the caller made their change. It returns 0 when none is given.
func parseSeenVersion(n integer, bad *problems) int64 { return n.checkedValue("version", 0, bad) }

// pathDocumentID returns the document that the path names. A path value that is not a number matches no document.
func (c *call) pathDocumentID() (contract.DocumentID, error) {
	id, ok := parseInteger(c.r.PathValue("document_id"))
	if !ok || id < 1 || strings.ContainsAny(c.r.PathValue("document_id"), " .eE+") {
		return 0, contract.ErrNotFound
	}
	return contract.DocumentID(id), nil
}

// verbData is the answer of the verbs of /sign/.
type verbData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Status     contract.State      `json:"status" example:"processing"`
	Mode       contract.Mode       `json:"mode,omitempty" doc:"missing for a draft" enum:"signing,stamping" example:"signing"`
	Version    int64               `json:"version" doc:"of the document; rises with every change" example:"5"`
}

func verbDataOf(d *contract.Document) verbData { return verbData{d.ID, d.State, d.Mode, d.Version} }

// raw is a JSON value of any type, unchanged; null when it is missing.
type raw struct{ json.RawMessage }

func (raw) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

func (r raw) MarshalJSON() ([]byte, error) {
	if len(r.RawMessage) == 0 {
		return []byte("null"), nil
	}
	return r.RawMessage, nil
}

const isoLayout = "2006-01-02T15:04:05.000Z"

// formatISO formats a time in UTC with milliseconds.
func formatISO(t time.Time) string { return t.UTC().Format(isoLayout) }

// isoOrNull is like formatISO, but returns nil for the zero time.
func isoOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := formatISO(t)
	return &s
}

// parseISO reads a time with its zone, such as 2026-01-31T00:00:00Z.
func parseISO(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(s))
	return t, err == nil
}

// maybe is an object or null. The specification would show a plain pointer as an object that is never null.
type maybe[T any] struct{ is *T }

func (m maybe[T]) MarshalJSON() ([]byte, error) { return json.Marshal(m.is) }

func (maybe[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

// convertAll converts each of list. The result is never nil, since the interface has no null in place of a list.
func convertAll[In, Out any](list []In, convert func(In) Out) []Out {
	out := make([]Out, len(list))
	for i, v := range list {
		out[i] = convert(v)
	}
	return out
}
