package contract

import (
	"fmt"
	"testing"
	"time"
)

// The people of the tests. Owner and user belong to one organisation, outsider to another.
var (
	t0       = time.Date(2026, 3, 2, 3, 4, 5, 0, time.UTC)
	owner    = newActor("owner", "org")
	first    = newActor("first", "org")
	second   = newActor("second", "org")
	viewer   = newActor("viewer", "org")
	guest    = Actor{Person: newPerson("guest"), Guest: 7}
	user     = newActor("user", "org")
	outsider = newActor("stranger", "other")
	limits   = Limits{}.Defaults()
)

func newPerson(id string) Person {
	return Person{ID: PersonID(id), Name: "Name of " + id, Email: id + "@example.test"}
}

func newActor(id, org string) Actor {
	return Actor{Person: newPerson(id), Organisation: OrganisationID(org), IP: "192.0.2.1"}
}

func newParticipant(id string, r Role, number int) Participant {
	return Participant{Person: newPerson(id), Role: r, Number: number}
}

func nextRevision(from *Document, n int64) Revision {
	begin := from.Current().End
	return Revision{Tail: File{Key: fmt.Sprint("tail", begin), Size: n}, Begin: begin, End: begin + n, Digest: [32]byte{byte(len(from.Revisions) + 1)}}
}

// newDraft makes a document with two signers in sequence, a viewer after both, and a guest viewer at the end.
func newDraft(t *testing.T, with ...func(*Upload)) *Document {
	t.Helper()
	u := Upload{
		Title: "Perjanjian", Filename: "perjanjian.pdf", Pages: 2,
		Base: Revision{Kind: RevisionBase, Tail: File{Key: "base", Size: 1000}, End: 1000, Digest: [32]byte{1}},
		Participants: []Participant{
			newParticipant("first", Signer, 1), newParticipant("second", Signer, 2), newParticipant("viewer", Viewer, 3),
			{Person: newPerson("guest"), Role: Viewer, Number: 4, Guest: true},
		},
	}
	for _, w := range with {
		w(&u)
	}
	c, err := Create(u, owner, limits, t0)
	if err != nil {
		t.Fatal(err)
	}
	d := c.After
	d.ID = 7
	return &d
}

func inParallel(u *Upload)    { u.Parallel = true }
func asWord(u *Upload)        { u.Word = true }
func withoutPeople(u *Upload) { u.Participants = nil }
func withDeadline(u *Upload)  { u.ExpiresAt = t0.Add(time.Hour) }
func ownerSigns(u *Upload)    { u.Participants = []Participant{newParticipant("owner", Signer, 1)} }

var page = PageSize{Width: 595, Height: 842}

func a4(n int) (PageSize, bool) { return page, n == 1 || n == 2 }

func stampRequest(id string) PlaceRequest {
	return PlaceRequest{Kind: PlaceStamp, Page: 1, Person: PersonID(id), Emet: &Box{100, 100, 160, 160}}
}

func signRequest(id string) PlaceRequest {
	return PlaceRequest{Kind: PlaceSignature, Page: 2, Person: PersonID(id), Sign: &Box{100, 100, 260, 160}}
}

// applyChange applies a rule and returns what the document has become.
func applyChange(t *testing.T, c Change, err error) *Document {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	d := c.After
	d.Version++
	return &d
}

func placeBoxes(t *testing.T, d *Document, r ...PlaceRequest) *Document {
	t.Helper()
	c, _, err := Place(d, r, a4, owner, limits, t0)
	return applyChange(t, c, err)
}

func finalizeDraft(t *testing.T, d *Document) *Document {
	t.Helper()
	c, changed, err := Finalize(d, FinalizeOptions{}, owner, t0)
	if err == nil && !changed {
		t.Fatal("finalized before")
	}
	return applyChange(t, c, err)
}

// attestationOf is what is known about a participant who signs.
func attestationOf(d *Document, by Actor) Attestation {
	p := d.Participant(by.ID)
	if p == nil {
		return Attestation{}
	}
	return d.AttestParticipant(*p, "PT Contoh", by.Proved)
}

func signAs(t *testing.T, d *Document, by Actor) *Document {
	t.Helper()
	c, err := IntendSign(d, ShownPages{}, by, t0)
	d = applyChange(t, c, err)
	c, err = Sign(d, nextRevision(d, 10), ShownPages{}, attestationOf(d, by), by, t0)
	return applyChange(t, c, err)
}

func bindNextStamp(t *testing.T, d *Document) *Document {
	t.Helper()
	i := d.NextStamp()
	c, err := OrderSerial(d, i, fmt.Sprint("order", i), t0)
	d = applyChange(t, c, err)
	c, err = BindSerial(d, i, StampSerial{Serial: fmt.Sprint("SPESIMEN-", i)}, true, t0)
	return applyChange(t, c, err)
}

func affixNextStamp(t *testing.T, d *Document) *Document {
	t.Helper()
	d = bindNextStamp(t, d)
	c, err := AffixStamp(d, d.NextStamp(), nextRevision(d, 10), t0)
	return applyChange(t, c, err)
}

func completeDocument(t *testing.T, d *Document) *Document {
	t.Helper()
	r := nextRevision(d, 10)
	r.Kind = RevisionSeal
	c, err := Complete(d, []Revision{r}, t0)
	return applyChange(t, c, err)
}
