package contract

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// TestAnEmbeddedPageMayDoWhatItsPurposeIncludesOnItsDocumentAlone compares every operation as each purpose with what the same person may do without
// the page: a purpose takes away and adds nothing.
func TestAnEmbeddedPageMayDoWhatItsPurposeIncludesOnItsDocumentAlone(t *testing.T) {
	t.Parallel()
	sent := finalizeDraft(t, newDraft(t))
	draft := &Document{ID: sent.ID + 1, Organisation: sent.Organisation, Owner: owner.Person, State: Draft}
	other := *sent
	other.ID = sent.ID + 2
	people := map[string]Actor{"owner": owner, "signer": first, "guest": guest}
	included := 0
	for _, purpose := range EmbedPurposes {
		for who, plain := range people {
			for _, d := range []*Document{sent, draft, &other} {
				for _, op := range Operations {
					by := plain
					by.Embed = &EmbedGrant{Document: sent.ID, Purpose: purpose}
					if d == draft {
						by.Embed.Document = draft.ID
					}
					got, want := d.Authorise(by, op), d.Authorise(plain, op)
					switch {
					case by.Guest != 0 && by.Guest != d.ID, by.Embed.Document != d.ID:
						want = ErrNotFound
					case !purpose.Includes(op):
						want = ErrEmbedPurpose
					default:
						included++
					}
					if !errors.Is(got, want) {
						t.Errorf("%s of %d as %s in a page to %s: %v, want %v", op, d.ID, who, purpose, got, want)
					}
				}
			}
		}
	}
	if included < 50 {
		t.Errorf("only %d operations are included", included)
	}
	for _, op := range []Operation{OpDelegate, OpFinalize, OpCancel, OpAuditTrail, OpOriginal, OpGuestLink, OpEmbed, OpDelete} {
		if slices.ContainsFunc(EmbedPurposes, func(p EmbedPurpose) bool { return p.Includes(op) }) {
			t.Errorf("a purpose includes %s", op)
		}
	}
	by := owner
	by.Embed = &EmbedGrant{Document: sent.ID, Purpose: EmbedPlace}
	for _, op := range AccountOperations {
		if err := by.AuthoriseAccount(op); !errors.Is(err, ErrEmbedPurpose) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

func TestAPersonWithAnAccountProvesWhoTheyAreInAnEmbeddedPage(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t))
	page := first
	page.Embed = &EmbedGrant{Document: d.ID, Purpose: EmbedSign, Origin: "https://erp.contoh.id", By: owner.Person}
	if _, err := IntendSign(d, ShownPages{}, page, t0); !errors.Is(err, ErrEmbedProof) {
		t.Errorf("a signature: %v", err)
	}
	if _, err := Reject(d, "no", page, limits, t0); !errors.Is(err, ErrEmbedProof) {
		t.Errorf("declining: %v", err)
	}
	page.Signing = FactorPassword
	c, err := IntendSign(d, ShownPages{}, page, t0)
	if err != nil {
		t.Fatal(err)
	}
	said := c.Events[len(c.Events)-1].Details
	if said["embed_origin"] != "https://erp.contoh.id" || said["embed_by"] != owner.Name || said["factor"] != "password" || said["factor_for"] != ForSignature {
		t.Errorf("the event says %v", said)
	}
	page.SignFactor = true
	if _, err := IntendSign(d, ShownPages{}, page, t0); !errors.Is(err, ErrSignFactor) {
		t.Errorf("a password where a second factor is demanded: %v", err)
	}
	page.Signing = FactorTOTP
	if _, err := IntendSign(d, ShownPages{}, page, t0); err != nil {
		t.Errorf("the factor: %v", err)
	}
	page.Embed.Purpose = EmbedView
	if _, err := IntendSign(d, ShownPages{}, page, t0); !errors.Is(err, ErrEmbedPurpose) {
		t.Errorf("a page for reading signs: %v", err)
	}
}

func TestAnAddressIsForAPersonWhoCanDoWhatItIsFor(t *testing.T) {
	t.Parallel()
	listed := []string{"https://erp.contoh.id", "http://localhost:3000"}
	sent := finalizeDraft(t, newDraft(t))
	draft := *sent
	draft.State, draft.FinalizedAt = Draft, time.Time{}
	ended := *sent
	ended.State = Canceled
	for what, c := range map[string]struct {
		d    *Document
		in   EmbedRequest
		want error
	}{
		"a signer in turn":            {sent, EmbedRequest{Person: first.ID, Purpose: EmbedSign}, nil},
		"a signer out of turn":        {sent, EmbedRequest{Person: second.ID, Purpose: EmbedSign}, ErrNotInTurn},
		"who reads before their turn": {sent, EmbedRequest{Person: second.ID, Purpose: EmbedView}, nil},
		"an owner who does not sign":  {sent, EmbedRequest{Purpose: EmbedSign}, ErrNoEmbedPerson},
		"an owner who reads":          {sent, EmbedRequest{Purpose: EmbedView}, nil},
		"an unknown person":           {sent, EmbedRequest{Person: "x", Purpose: EmbedView}, ErrNoEmbedPerson},
		"placing what was sent":       {sent, EmbedRequest{Purpose: EmbedPlace}, ErrNotDraft},
		"placing a draft":             {&draft, EmbedRequest{Purpose: EmbedPlace}, nil},
		"placing by a signer":         {&draft, EmbedRequest{Person: first.ID, Purpose: EmbedPlace}, ErrNoEmbedPerson},
		"signing a draft":             {&draft, EmbedRequest{Person: first.ID, Purpose: EmbedSign}, ErrNotActive},
		"signing what was cancelled":  {&ended, EmbedRequest{Person: first.ID, Purpose: EmbedSign}, ErrNotActive},
		"one origin":                  {sent, EmbedRequest{Purpose: EmbedView, Origins: []string{"HTTP://LOCALHOST:3000/"}}, nil},
	} {
		change, err := RequestEmbed(c.d, c.in, listed, [32]byte{1}, owner, t0)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
		if err == nil && (change.Embed == nil || len(change.Events) != 1 || change.Embed.ExpiresAt != t0.Add(EmbedAddressLifetime)) {
			t.Errorf("%s: %+v", what, change.Embed)
		}
	}
	for what, in := range map[string]EmbedRequest{"an unknown purpose": {Purpose: "sell"}, "an origin that is not listed": {Purpose: EmbedView, Origins: []string{"https://evil.example"}}} {
		if _, err := RequestEmbed(sent, in, listed, [32]byte{1}, owner, t0); KindOf(err) != Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := RequestEmbed(sent, EmbedRequest{Purpose: EmbedView}, nil, [32]byte{1}, owner, t0); !errors.Is(err, ErrEmbedNoOrigins) {
		t.Errorf("without origins: %v", err)
	}
	if _, err := RequestEmbed(sent, EmbedRequest{Purpose: EmbedView}, nil, [32]byte{1}, first, t0); !errors.Is(err, ErrNotOwner) {
		t.Errorf("as a signer: %v", err)
	}

	made, err := RequestEmbed(sent, EmbedRequest{Person: first.ID, Purpose: EmbedSign, Origins: listed[:1]}, listed, [32]byte{1}, owner, t0)
	if err != nil {
		t.Fatal(err)
	}
	signed := *sent
	signed.Participants = slices.Clone(sent.Participants)
	signed.Participant(first.ID).SignedAt = t0
	used := *made.Embed
	used.OpenedAt = t0
	for what, c := range map[string]struct {
		d      *Document
		a      EmbedAddress
		listed []string
		origin string
		after  time.Duration
		want   error
	}{
		"in time":                   {sent, *made.Embed, listed, listed[0], 9 * time.Minute, nil},
		"late":                      {sent, *made.Embed, listed, listed[0], 10 * time.Minute, ErrEmbedExpired},
		"again":                     {sent, used, listed, listed[0], 0, ErrEmbedUsed},
		"in another listed page":    {sent, *made.Embed, listed, listed[1], 0, ErrEmbedOrigin},
		"in a page not listed now":  {sent, *made.Embed, listed[1:], listed[0], 0, ErrEmbedOrigin},
		"in no page":                {sent, *made.Embed, listed, "", 0, ErrEmbedOrigin},
		"after they signed":         {&signed, *made.Embed, listed, listed[0], 0, ErrSigned},
		"after it was cancelled":    {&ended, *made.Embed, listed, listed[0], 0, ErrNotActive},
		"an address of another one": {&Document{ID: 99}, *made.Embed, listed, listed[0], 0, ErrEmbedAddress},
	} {
		change, err := OpenEmbed(c.d, c.a, c.listed, c.origin, [32]byte{2}, Actor{IP: "192.0.2.1"}, t0.Add(c.after))
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
		if err == nil && (change.OpenedEmbed == nil || change.Events[0].Person.ID != first.ID || change.Events[0].Details["embed_origin"] != c.origin) {
			t.Errorf("%s: %+v", what, change.Events)
		}
	}
}

func TestAnOriginIsWrittenAsBrowsersDo(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://erp.contoh.id": "https://erp.contoh.id", " HTTPS://ERP.contoh.id:443/ ": "https://erp.contoh.id", "https://erp.contoh.id:8443": "https://erp.contoh.id:8443",
		"http://localhost:3000": "http://localhost:3000", "http://127.0.0.1": "http://127.0.0.1", "http://[::1]:80": "http://[::1]", "http://10.1.2.3:8080": "http://10.1.2.3:8080",
		"https://xn--mnchen-3ya.example": "https://xn--mnchen-3ya.example",
	} {
		if got, ok := ParseOrigin(in); !ok || got != want {
			t.Errorf("%q: %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{
		"", "*", "https://*", "https://*.contoh.id", "http://erp.contoh.id", "https://erp.contoh.id/path", "https://erp.contoh.id?", "https://erp.contoh.id#", "https://a@erp.contoh.id",
		"https://erp.contoh.id:0", "https://erp.contoh.id:99999", "https://erp.contoh.id:08443", "javascript:alert(1)", "https://erp contoh.id", "https://a;script-src", "https://münchen.example", "null", "data:",
		"ftp://erp.contoh.id", "https://", "https://a..b", "https://-a.example", "https://a.example\nhttps://b.example", "//erp.contoh.id", "https://[::1%25lo]",
	} {
		if got, ok := ParseOrigin(in); ok {
			t.Errorf("%q: %q", in, got)
		}
	}
	if _, err := CheckEmbedOrigins(slices.Repeat([]string{"https://a.example"}, 50)); err != nil {
		t.Errorf("one origin fifty times: %v", err)
	}
}
