package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var commitTests = map[string]func(*testing.T, *fixture){
	"ADocumentIsReadAsItWasCommittedAllItsLife": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner, withExpiry(b.now.Add(48*time.Hour)), func(u *contract.Upload) {
			u.Participants = append(u.Participants, contract.Participant{Person: newPerson("guest"), Phone: "+62 811", Role: contract.Viewer, Number: 4, Guest: true})
		})
		b.requireStored(d)
		d = b.requireStored(b.commitChange(contract.SetParticipants(&d, []contract.Participant{participantAs(contract.Signer, 1, second), participantAs(contract.Signer, 1, first)}, nil, nil, owner, limits, b.now)))
		title, until := "Judul Baru", b.now.Add(72*time.Hour)
		d = b.requireStored(b.commitChange(contract.Describe(&d, contract.Description{Title: &title, ExpiresAt: &until}, owner, limits, b.now)))
		d = b.requireStored(b.placeStamps(d, owner, 3))
		d = b.requireStored(b.placeStamps(d, owner, 2))
		d = b.requireStored(b.finalizeDraft(d, owner))
		d = b.requireStored(b.signAs(d, first))
		d = b.requireStored(b.commitChange(contract.Remind(&d, owner, b.advance(time.Minute).now)))
		d = b.requireStored(b.signAs(d, second))
		d = b.requireStored(b.affixStamp(b.requireStored(b.bindSerial(d, "A1"))))
		d = b.requireStored(b.bindSerial(d, "A2"))
		d = b.requireStored(b.commitChange(contract.RecordStampFailure(&d, 1, contract.Failure{Class: "refused", Code: "82", Text: "the office says no", Final: true}, b.now)))
		d = b.requireStored(b.commitChange(contract.Restamp(&d, contract.RestampOptions{}, owner, b.now)))
		d = b.requireStored(b.affixStamp(d))
		d = b.requireStored(b.completeDocument(d))
		if d.State != contract.Completed || len(d.Revisions) != 6 || !d.Specimen {
			t.Fatalf("at the end: %s with %d revisions", d.State, len(d.Revisions))
		}
	},
	"ADocumentInvolvesItsOwnerAndOnceFinalizedItsParticipants": func(t *testing.T, b *fixture) {
		involved := func(id contract.DocumentID) (who []contract.PersonID) {
			for _, p := range []contract.Actor{owner, first, viewer, {Person: newPerson("nobody")}} {
				d, err := b.DocumentFor(b.ctx, id, p.ID)
				if errors.Is(err, store.ErrNotFound) {
					continue
				}
				b.must(err)
				b.requireStored(d)
				who = append(who, p.ID)
			}
			return who
		}
		d := b.uploadDraft(owner)
		b.requireEqual("a draft", involved(d.ID), []contract.PersonID{owner.ID})
		d = b.finalizeDraft(b.placeStamps(d, owner, 1), owner)
		b.requireEqual("a document in work", involved(d.ID), []contract.PersonID{owner.ID, first.ID, viewer.ID})
		for o, want := range map[contract.OrganisationID]bool{d.Organisation: true, "another": false} {
			found, err := b.DocumentForAuditor(b.ctx, d.ID, "auditor", o)
			if want {
				b.must(err)
				b.requireStored(found)
			} else {
				b.requireError("to an auditor elsewhere", err, store.ErrNotFound)
			}
		}
		for _, id := range []contract.DocumentID{d.ID, b.uploadDraft(owner).ID} {
			found, err := b.DocumentOf(b.ctx, id, d.Organisation)
			b.must(err)
			b.requireStored(found)
			_, err = b.DocumentOf(b.ctx, id, "another")
			b.requireError("to an administrator elsewhere", err, store.ErrNotFound)
		}
		_, err := b.DocumentOf(b.ctx, d.ID+1000, d.Organisation)
		b.requireError("no document to an administrator", err, store.ErrNotFound)
		_, err = b.DocumentForAuditor(b.ctx, d.ID, first.ID, "another")
		b.must(err) // they take part in it
		_, err = b.DocumentForAuditor(b.ctx, b.uploadDraft(owner).ID, "auditor", d.Organisation)
		b.requireError("a draft to an auditor", err, store.ErrNotFound)
		b.requireEqual("no document", involved(d.ID+1000), []contract.PersonID(nil))
	},
	"AWordDocumentGetsItsFileWhenItIsConverted": func(t *testing.T, b *fixture) {
		word := func(u *contract.Upload) { u.Word = true }
		d, hopeless := b.requireStored(b.uploadDraft(owner, word)), b.requireStored(b.uploadDraft(owner, word))
		if d.Conversion.State != contract.Converting || len(d.Revisions) != 0 {
			t.Fatalf("as uploaded: %+v, %d revisions", d.Conversion, len(d.Revisions))
		}
		requireRead(b, "stuck", []contract.DocumentID{d.ID, hopeless.ID})(stuckDocuments(b, b.now.Add(time.Second)))
		warned := []contract.Warning{{Field: "document", Code: "document.fonts_replaced", Args: map[string]any{"fonts": "Fonta \"A\", B"}}, {Field: "document", Code: "x"}}
		found := []contract.Finding{contract.NewFinding(contract.FindingJavaScript, 0)}
		c, _, err := contract.Convert(&d, b.newBase(), 3, found, warned, limits, b.now)
		d = b.requireStored(b.commitChange(c, err))
		b.requireEqual("warnings", d.Conversion.Warnings, warned)
		b.requireEqual("findings", d.Findings, found)
		c, _ = contract.RecordConvertFailure(&hopeless, "file.word_damaged", b.now)
		b.requireStored(b.commitChange(c, nil))
		if stuck, err := stuckDocuments(b, b.now.Add(time.Second)); err != nil || len(stuck) != 0 {
			t.Fatalf("stuck when nothing is owed: %v, %v", stuck, err)
		}
		b.requireStored(b.finalizeDraft(b.placeStamps(d, owner, 1), owner))
	},
	"FindingsStayWithTheDocumentWhenItsFileIsRewritten": func(t *testing.T, b *fixture) {
		found := []contract.Finding{
			contract.NewFinding(contract.FindingLaunch, 3, "pages", "3, 5–7", "what", "A\"\x00\xff <é>"),
			contract.NewFinding(contract.FindingMedia, 0),
		}
		d := b.uploadDraft(owner, func(u *contract.Upload) { u.Findings = found })
		stored, err := b.Document(b.ctx, d.ID)
		b.must(err)
		found[0].Args["what"] = "A\"\x00\uFFFD <é>" // encodings must not change a byte
		b.requireEqual("findings", stored.Findings, found)
		if !stored.Examined || !stored.Findings[0].Refused || stored.Findings[1].Refused {
			t.Fatalf("%+v, examined %v", stored.Findings, stored.Examined)
		}
		if plain := b.requireStored(b.uploadDraft(owner)); !plain.Examined || len(plain.Findings) != 0 {
			t.Fatalf("a file without findings: %+v, examined %v", plain.Findings, plain.Examined)
		}
		r := contract.Revision{Kind: contract.RevisionBase, Tail: d.Original, End: d.Original.Size + 1, Digest: [32]byte{9}, Midstate: d.Revisions[0].Midstate, At: b.now}
		r.Tail.Key, r.Tail.Size, r.Tail.Digest = "rewritten", r.End, r.Digest
		c, err := contract.SetParticipants(&stored, stored.Participants, nil, nil, owner, limits, b.now)
		b.must(err)
		b.must(c.ReplaceBase(r, contract.NormalisedOffice, owner, b.now))
		c.After.Findings[0].Accepted = true
		d = b.requireStored(b.commitChange(c, nil))
		found[0].Accepted = true
		b.requireEqual("findings of the rewriting", d.Findings, found)
	},
	"NumbersAscendFromOneAndAreNeverReused": func(t *testing.T, b *fixture) {
		for want := range contract.DocumentID(3) {
			if d := b.uploadDraft(owner); d.ID != want+1 || d.Version != 1 {
				t.Fatalf("document %d at version %d, want %d at 1", d.ID, d.Version, want+1)
			}
		}
		d, err := b.Document(b.ctx, 3)
		b.must(err)
		b.commitChange(contract.Delete(&d, owner, b.now))
		if d := b.uploadDraft(owner); d.ID != 4 {
			t.Fatalf("after document 3 was deleted comes %d", d.ID)
		}
	},
	"ADeletedDraftIsGoneAndItsEventsStay": func(t *testing.T, b *fixture) {
		d := b.placeStamps(b.uploadDraft(owner), owner, 1)
		c, err := contract.Delete(&d, owner, b.now)
		b.commitChange(c, err)
		_, err = b.Document(b.ctx, d.ID)
		b.requireError("read a deleted document", err, store.ErrNotFound)
		if l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox}); l.Total != 0 || len(l.Documents) != 0 {
			t.Fatalf("listed after it was deleted: %d", l.Total)
		}
		b.requireEqual("events", b.eventTypes(d.ID), []contract.EventType{contract.EventUploaded, contract.EventPlaced, contract.EventDeleted})
		_, err = b.Commit(b.ctx, c)
		b.requireError("deleted again", err, store.ErrNotFound)
	},
	"OfManyWhoChangeADocumentEachBuildsOnTheOthers": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		const crowd = 10
		b.runCrowd(crowd, nil, func(int) error {
			for {
				now, err := b.Document(b.ctx, d.ID)
				if err != nil {
					return err
				}
				c, err := contract.Remind(&now, owner, b.now)
				if err != nil {
					return err
				}
				if _, err = b.Commit(b.ctx, c); !errors.Is(err, store.ErrConflict) {
					return err
				}
			}
		})
		now, err := b.Document(b.ctx, d.ID)
		b.must(err)
		if now.Version != d.Version+crowd || b.eventCount() != 2+crowd {
			t.Fatalf("version %d with %d events after %d changes of version %d", now.Version, b.eventCount(), crowd, d.Version)
		}
	},
	"ManyCreateAtTheSameTime": func(t *testing.T, b *fixture) {
		const crowd = 12
		var changes []contract.Change
		for i := range crowd {
			c, err := b.uploadChange(owner, withTitle(fmt.Sprint("crowd ", i)))
			b.must(err)
			changes = append(changes, c)
		}
		b.commitCrowd(changes, nil)
		l := b.listPage(store.ListQuery{Person: owner.ID, Box: store.Outbox})
		if l.Total != crowd || len(l.Documents) != crowd {
			t.Fatalf("%d of %d listed, counted as %d", len(l.Documents), crowd, l.Total)
		}
		for i, d := range l.Documents {
			if want := contract.DocumentID(crowd - i); d.ID != want {
				t.Fatalf("document %d at place %d, want %d", d.ID, i, want)
			}
		}
	},
}

// refusalTests are changes that must fail without effect.
var refusalTests = map[string]func(*testing.T, *fixture){
	"OfTwoChangesOfOneVersionTheSecondLeavesNothing": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		late := b.finalizeChange(d, owner)
		b.placeStamps(d, owner, 1)
		b.requireNoEffect(t, late, store.ErrConflict, d.ID)
	},
	"WithoutQuotaFinalizeLeavesNothing": func(t *testing.T, b *fixture) {
		b.grantQuota("org", contract.UnitStamp, -999, "correction", owner)
		d := b.placeStamps(b.uploadDraft(owner), owner, 2)
		b.requireNoEffect(t, b.finalizeChange(d, owner), contract.ErrQuota, d.ID)
	},
	"AnOrganisationWithoutAnyQuotaReservesNone": func(t *testing.T, b *fixture) {
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "poor", Name: "Poor", CreatedAt: b.now}))
		d := b.uploadDraft(newActor("owner", "poor"))
		b.requireNoEffect(t, b.finalizeChange(d, newActor("owner", "poor")), contract.ErrQuota, d.ID)
	},
	"ASerialBelongsToOneStampOnly": func(t *testing.T, b *fixture) {
		due := func() contract.Document {
			return b.signAs(b.signAs(b.finalizeDraft(b.placeStamps(b.uploadDraft(owner), owner, 1), owner), first), second)
		}
		b.bindSerial(due(), "TWICE")
		d := due()
		d = b.commitChange(contract.OrderSerial(&d, 0, "order", b.now))
		c, err := contract.BindSerial(&d, 0, contract.StampSerial{Serial: "TWICE"}, true, b.now)
		b.must(err)
		b.requireNoEffect(t, c, store.ErrConflict, d.ID)
	},
	"TwoDocumentsNeverShareAFile": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		c, err := b.uploadChange(owner, func(u *contract.Upload) { u.Base = d.Revisions[0] })
		b.must(err)
		b.requireNoEffect(t, c, nil, d.ID)
	},
	"RevisionsAreAppendedAndNothingElse": func(t *testing.T, b *fixture) {
		d := b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first)
		for _, change := range []func(*contract.Document){
			func(d *contract.Document) { d.Revisions = d.Revisions[:1] },
			func(d *contract.Document) { d.Revisions[1].Tail.Key = "other" },
			func(d *contract.Document) { d.Revisions[0].Digest[0]++ },
		} {
			c, err := contract.Remind(&d, owner, b.now)
			b.must(err)
			change(&c.After)
			b.requireNoEffect(t, c, nil, d.ID)
		}
	},
	"TheFileOfADraftIsRewrittenOnceAndItsOriginalKept": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		rewriting := func(key string) contract.Revision {
			r := contract.Revision{Kind: contract.RevisionBase, Tail: d.Original, End: d.Original.Size + 1, Digest: [32]byte{9}, Midstate: d.Revisions[0].Midstate, At: b.now}
			r.Tail.Key, r.Tail.Size, r.Tail.Digest = key, r.End, r.Digest
			return r
		}
		c, err := contract.SetParticipants(&d, d.Participants, nil, nil, owner, limits, b.now)
		b.must(err)
		b.must(c.ReplaceBase(rewriting("rewritten"), contract.NormalisedDamaged, owner, b.now))
		lost := c
		lost.After.Original = contract.File{Key: "not what was uploaded"}
		b.requireNoEffect(t, lost, nil, d.ID)

		uploaded := d.Original
		d = b.commitChange(c, nil)
		if d, err := b.Document(b.ctx, d.ID); err != nil || d.Original.Key != uploaded.Key || len(d.Revisions) != 1 || d.Revisions[0].Tail.Key != "rewritten" || !d.Normalised() {
			t.Fatalf("%+v, %v", d, err)
		}
		c, err = contract.SetParticipants(&d, d.Participants, nil, nil, owner, limits, b.now)
		b.must(err)
		if err := c.ReplaceBase(rewriting("again"), contract.NormalisedDamaged, owner, b.now); err == nil {
			t.Error("a rule rewrote a file twice")
		}
		c.After.Revisions = []contract.Revision{rewriting("again")}
		b.requireNoEffect(t, c, nil, d.ID)
	},
	"ADocumentThatNeverWasCannotBeChanged": func(t *testing.T, b *fixture) {
		d := b.uploadDraft(owner)
		c, _, err := contract.Place(&d, nil, nil, owner, limits, b.now)
		b.must(err)
		before := *c.Before
		before.ID = 99
		c.Before, c.After.ID = &before, 99
		_, err = b.Commit(b.ctx, c)
		b.requireError("changed", err, store.ErrNotFound)
	},
}

// requireNoEffect commits a change that must be refused, with that error if one is given, and checks that nothing
// changed.
func (b *fixture) requireNoEffect(t *testing.T, c contract.Change, want error, id contract.DocumentID) {
	t.Helper()
	type all struct {
		document contract.Document
		events   []contract.EventType
		size     int64
		quota    map[contract.Unit]store.Quota
		lists    []store.List
		due      []contract.DocumentID
	}
	look := func() (a all) {
		var err error
		a.document, err = b.Document(b.ctx, id)
		b.must(err)
		a.events, a.size = b.eventTypes(id), b.eventCount()
		a.quota, err = b.Quota(b.ctx, "org")
		b.must(err)
		for _, who := range []contract.PersonID{owner.ID, first.ID, second.ID, viewer.ID} {
			for _, box := range []store.Box{store.Inbox, store.Outbox} {
				a.lists = append(a.lists, b.listPage(store.ListQuery{Person: who, Box: box}))
			}
		}
		a.due, err = b.PastDeadline(b.ctx, b.now.AddDate(1, 0, 0), 100)
		b.must(err)
		return a
	}
	before := look()
	_, err := b.Commit(b.ctx, c)
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Fatalf("committed: %v, want %v", err, want)
	}
	if want == nil && (errors.Is(err, store.ErrConflict) || errors.Is(err, contract.ErrQuota) || errors.Is(err, store.ErrNotFound)) {
		t.Fatalf("a defect of the program was reported as %v", err)
	}
	after := look()
	b.requireEqual("document", after.document, before.document)
	b.requireEqual("events", after.events, before.events)
	b.requireEqual("size of the log", after.size, before.size)
	b.requireEqual("quota", after.quota, before.quota)
	b.requireEqual("lists", after.lists, before.lists)
	b.requireEqual("documents that are due", after.due, before.due)
	b.must(b.CheckLog(b.ctx))
}
