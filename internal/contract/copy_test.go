package contract

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// copied is the file of a copy of d, with another identifier for the guest.
func copied(d *Document) CopiedFile {
	f := CopiedFile{
		Participants: slices.Clone(d.Participants),
		Original:     Revision{Kind: RevisionBase, Tail: File{Key: "again", Size: 1000}, End: 1000, Digest: [32]byte{1}},
		PDF:          &ExaminedPDF{Pages: 2, Findings: []Finding{NewFinding(FindingJavaScript, 1)}},
	}
	for i := range f.Participants {
		p := &f.Participants[i]
		*p = Participant{Person: p.Person, Role: p.Role, Number: p.Number, Guest: p.Guest}
		if p.Guest {
			p.ID = "another guest"
		}
	}
	return f
}

func TestACopyHasTheFileThePeopleAndTheirBoxesAndNothingThatWasDone(t *testing.T) {
	t.Parallel()
	guestStamp := stampRequest("guest")
	guestStamp.Emet = &Box{300, 100, 360, 160}
	d := finalizeDraft(t, placeBoxes(t, newDraft(t, withDeadline), stampRequest("first"), signRequest("second"), guestStamp))
	d = signAs(t, signAs(t, d, first), second)
	d = completeDocument(t, affixNextStamp(t, affixNextStamp(t, d)))
	later := t0.Add(2 * time.Hour)
	c, err := Copy(d, copied(d), owner, limits, later)
	if err != nil {
		t.Fatal(err)
	}
	made := c.After
	if c.Before != nil || made.ID != 0 || made.State != Draft || made.Title != d.Title || made.Filename != d.Filename || made.Name == d.Name || made.Pages != 2 || made.Owner != d.Owner {
		t.Errorf("the copy is %+v", made)
	}
	if len(made.Revisions) != 1 || made.Current().Tail.Key != "again" || made.Original.Key != "again" || len(made.Findings) != 1 || !made.Examined {
		t.Errorf("its file: %+v, original %+v, findings %v", made.Revisions, made.Original, made.Findings)
	}
	if len(made.Stamps) != 0 || len(made.Serials()) != 0 || len(c.Quota) != 0 || len(c.Serials) != 0 || len(c.Jobs) != 0 {
		t.Errorf("stamps %v, quota %v, serials %v, jobs %v", made.Stamps, c.Quota, c.Serials, c.Jobs)
	}
	for _, p := range made.Participants {
		if !p.SignedAt.IsZero() || !p.ViewedAt.IsZero() || !p.IntentAt.IsZero() || p.Field != "" {
			t.Errorf("%s has acted: %+v", p.ID, p)
		}
	}
	if len(made.Participants) != len(d.Participants) || !made.ExpiresAt.IsZero() || !made.FinalizedAt.IsZero() || !made.LastSignedAt.IsZero() || !made.EndedAt.IsZero() {
		t.Errorf("people %v, deadline %v, finalized %v", made.Participants, made.ExpiresAt, made.FinalizedAt)
	}
	want := slices.Clone(d.Placements)
	want[2].Person = "another guest"
	if !slices.Equal(made.Placements, want) {
		t.Errorf("boxes %v, want %v", made.Placements, want)
	}
	if e := c.Events[0]; len(c.Events) != 1 || e.Type != EventUploaded || e.Details["copy_of"] != "7" {
		t.Errorf("events %+v", c.Events)
	}
	if c.StorageLimit == nil {
		t.Error("the storage of the organisation is not limited")
	}

	canceled := finalizeDraft(t, newDraft(t, withDeadline))
	c, err = Cancel(canceled, "", owner, limits, t0)
	canceled = applyChange(t, c, err)
	if c, err = Copy(canceled, copied(canceled), owner, limits, t0); err != nil || !c.After.ExpiresAt.Equal(canceled.ExpiresAt) {
		t.Errorf("a deadline that has not passed is lost: %v, %v", c.After.ExpiresAt, err)
	}
}

func TestACopyOfAWordDocumentKeepsThePDFOnWhichTheBoxesWerePlaced(t *testing.T) {
	t.Parallel()
	d := newDraft(t, asWord)
	warnings := []Warning{{Field: "document", Code: "document.tracked_changes"}}
	c, _, err := Convert(d, nextRevision(&Document{}, 9), 2, nil, warnings, limits, t0)
	d = finalizeDraft(t, placeBoxes(t, applyChange(t, c, err), signRequest("second")))
	c, err = Reject(d, "no", first, limits, t0)
	d = applyChange(t, c, err)
	f := copied(d)
	f.PDF.Base = Revision{Kind: RevisionBase, Tail: File{Key: "pdf again", Size: 9}, End: 9, Digest: [32]byte{2}}
	c, err = Copy(d, f, owner, limits, t0)
	if err != nil {
		t.Fatal(err)
	}
	made := c.After
	if made.Original.Key != "again" || len(made.Revisions) != 1 || made.Current().Tail.Key != "pdf again" || made.Conversion.State != ConvertedWell || len(made.Conversion.Warnings) != 1 || made.Pages != 2 {
		t.Errorf("original %q, revisions %v, conversion %+v", made.Original.Key, made.Revisions, made.Conversion)
	}
	if len(c.Jobs) != 0 || len(made.Placements) != 1 || len(c.Events) != 2 || c.Events[1].Type != EventConverted {
		t.Errorf("jobs %v, boxes %v, events %+v", c.Jobs, made.Placements, c.Events)
	}

	expired, _ := Expire(newDraft(t, asWord, withDeadline), t0.Add(2*time.Hour))
	unconverted := applyChange(t, expired, nil)
	f = copied(unconverted)
	f.PDF = nil
	c, err = Copy(unconverted, f, owner, limits, t0.Add(2*time.Hour))
	if err != nil || c.After.Conversion.State != Converting || len(c.Jobs) != 1 || c.Jobs[0].Kind != JobConvert || len(c.After.Revisions) != 0 {
		t.Errorf("a Word document that was not converted: %+v, jobs %v, %v", c.After.Conversion, c.Jobs, err)
	}
}

func TestACopyIsRefusedToOthersBeforeTheEndAndAboveTheLimits(t *testing.T) {
	t.Parallel()
	open := finalizeDraft(t, placeBoxes(t, newDraft(t), stampRequest("first"), signRequest("second")))
	if _, err := Copy(open, copied(open), owner, limits, t0); !errors.Is(err, ErrNotEnded) {
		t.Errorf("before the end: %v", err)
	}
	c, err := Reject(open, "no", first, limits, t0)
	ended := applyChange(t, c, err)
	for want, by := range map[error]Actor{ErrNotOwner: first, ErrNotFound: outsider} {
		if _, err := Copy(ended, copied(ended), by, limits, t0); !errors.Is(err, want) {
			t.Errorf("as %s: %v, want %v", by.ID, err, want)
		}
	}
	for code, l := range map[string]Limits{"placements.too_many": {Placements: 1}, "participants.too_many": {Participants: 3}, "document.too_many_pages": {Pages: 1}} {
		var refusal *Error
		_, err := Copy(ended, copied(ended), owner, l.Defaults(), t0)
		if !errors.As(err, &refusal) || refusal.Kind != Invalid || len(refusal.Fields) == 0 || refusal.Fields[0].Code != code {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestABoxOfAPersonWhoMayNoLongerHaveOneIsNotCopied(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, placeBoxes(t, newDraft(t), stampRequest("owner"), signRequest("second")))
	c, err := Reject(d, "no", first, limits, t0)
	d = applyChange(t, c, err)
	f := copied(d)
	f.Participants[1].Role = Viewer
	c, err = Copy(d, f, owner, limits, t0)
	if err != nil || len(c.After.Placements) != 1 || c.After.Placements[0].Kind != PlaceStamp || c.After.Placements[0].Person != "owner" {
		t.Errorf("boxes %v, %v", c.After.Placements, err)
	}
}

func TestACopyKeepsAGuestWithoutAnAddressAndLeavesOutAPersonWithoutAnIdentifier(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, placeBoxes(t, newDraft(t), signRequest("first"), signRequest("second")))
	ended, err := Cancel(d, "", owner, limits, t0)
	if err != nil {
		t.Fatal(err)
	}
	d = &ended.After
	f := copied(d)
	for i, p := range f.Participants {
		switch {
		case p.ID == second.ID:
			f.Participants[i].ID = ""
		case p.Guest:
			f.Participants[i].Email = ""
		}
	}
	c, err := Copy(d, f, owner, limits, t0)
	if err != nil {
		t.Fatal(err)
	}
	guests := 0
	for _, p := range c.After.Participants {
		if p.ID == "" || p.ID == second.ID {
			t.Errorf("%q takes part in the copy", p.ID)
		}
		if p.Guest && p.Email == "" {
			guests++
		}
	}
	if guests != 1 || len(c.After.Participants) != len(d.Participants)-1 {
		t.Errorf("people of the copy: %v", c.After.Participants)
	}
	if len(c.After.Placements) != 1 || c.After.Placements[0].Person != first.ID {
		t.Errorf("boxes of the copy: %v", c.After.Placements)
	}
}
