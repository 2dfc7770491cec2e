package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var committing = map[string]func(*testing.T, *bench){
	"ADocumentIsReadAsItWasCommittedAllItsLife": func(t *testing.T, b *bench) {
		d := b.upload(owner, expiring(b.now.Add(48*time.Hour)), func(u *contract.Upload) {
			u.Participants = append(u.Participants, contract.Participant{Person: human("guest"), Phone: "+62 811", Role: contract.Viewer, Number: 4, Guest: true})
		})
		b.reads(d)
		d = b.reads(b.commit(contract.SetParticipants(&d, []contract.Participant{as(contract.Signer, 1, second), as(contract.Signer, 1, first)}, nil, owner, limits, b.now)))
		title, until := "Judul Baru", b.now.Add(72*time.Hour)
		d = b.reads(b.commit(contract.Describe(&d, contract.Description{Title: &title, ExpiresAt: &until}, owner, limits, b.now)))
		d = b.reads(b.place(d, owner, 3))
		d = b.reads(b.place(d, owner, 2))
		d = b.reads(b.finalize(d, owner))
		d = b.reads(b.sign(d, first))
		d = b.reads(b.commit(contract.Remind(&d, owner, b.later(time.Minute).now)))
		d = b.reads(b.sign(d, second))
		d = b.reads(b.affix(b.reads(b.bind(d, "A1"))))
		d = b.reads(b.bind(d, "A2"))
		d = b.reads(b.commit(contract.RecordStampFailure(&d, 1, contract.Failure{Class: "refused", Code: "82", Text: "the office says no", Final: true}, b.now)))
		d = b.reads(b.commit(contract.Restamp(&d, contract.RestampOptions{}, owner, b.now)))
		d = b.reads(b.affix(d))
		d = b.reads(b.complete(d))
		if d.State != contract.Completed || len(d.Revisions) != 6 || !d.Specimen {
			t.Fatalf("at the end: %s with %d revisions", d.State, len(d.Revisions))
		}
	},
	"ADocumentInvolvesItsOwnerAndOnceFinalizedItsParticipants": func(t *testing.T, b *bench) {
		involved := func(id contract.DocumentID) (who []contract.PersonID) {
			for _, p := range []contract.Actor{owner, first, viewer, {Person: human("nobody")}} {
				is, err := b.Involves(b.ctx, id, p.ID)
				b.must(err)
				if is {
					who = append(who, p.ID)
				}
			}
			return who
		}
		d := b.upload(owner)
		b.same("a draft", involved(d.ID), []contract.PersonID{owner.ID})
		d = b.finalize(b.place(d, owner, 1), owner)
		b.same("a document in work", involved(d.ID), []contract.PersonID{owner.ID, first.ID, viewer.ID})
		b.same("no document", involved(d.ID+1000), []contract.PersonID(nil))
	},
	"AWordDocumentGetsItsFileWhenItIsConverted": func(t *testing.T, b *bench) {
		word := func(u *contract.Upload) { u.Word = true }
		d, hopeless := b.reads(b.upload(owner, word)), b.reads(b.upload(owner, word))
		if d.Conversion.State != contract.Converting || len(d.Revisions) != 0 {
			t.Fatalf("as uploaded: %+v, %d revisions", d.Conversion, len(d.Revisions))
		}
		stuck, err := b.Stuck(b.ctx, b.now.Add(time.Second), 10)
		b.must(err)
		b.same("stuck", stuck, []contract.DocumentID{d.ID, hopeless.ID})
		warned := []contract.Warning{{Field: "document", Code: "document.fonts_replaced", Args: map[string]any{"fonts": "Fonta \"A\", B"}}, {Field: "document", Code: "x"}}
		found := []contract.Finding{contract.NewFinding(contract.FindingJavaScript, 0)}
		c, _, err := contract.Convert(&d, b.base(), 3, found, warned, limits, b.now)
		d = b.reads(b.commit(c, err))
		b.same("warnings", d.Conversion.Warnings, warned)
		b.same("findings", d.Findings, found)
		c, _ = contract.RecordConvertFailure(&hopeless, "file.word_damaged", b.now)
		b.reads(b.commit(c, nil))
		if stuck, err := b.Stuck(b.ctx, b.now.Add(time.Second), 10); err != nil || len(stuck) != 0 {
			t.Fatalf("stuck when nothing is owed: %v, %v", stuck, err)
		}
		b.reads(b.finalize(b.place(d, owner, 1), owner))
	},
	"FindingsStayWithTheDocumentWhenItsFileIsRewritten": func(t *testing.T, b *bench) {
		found := []contract.Finding{
			contract.NewFinding(contract.FindingLaunch, 3, "pages", "3, 5–7", "what", "A\"\x00\xff <é>"),
			contract.NewFinding(contract.FindingXFA, 0),
		}
		d := b.upload(owner, func(u *contract.Upload) { u.Findings = found })
		stored, err := b.Document(b.ctx, d.ID)
		b.must(err)
		found[0].Args["what"] = "A\"\x00\uFFFD <é>" // no byte of another encoding is stored
		b.same("findings", stored.Findings, found)
		if !stored.Examined || !stored.Findings[0].Refused || stored.Findings[1].Refused {
			t.Fatalf("%+v, examined %v", stored.Findings, stored.Examined)
		}
		if plain := b.reads(b.upload(owner)); !plain.Examined || len(plain.Findings) != 0 {
			t.Fatalf("a file without findings: %+v, examined %v", plain.Findings, plain.Examined)
		}
		r := contract.Revision{Kind: contract.RevisionBase, Tail: d.Original, End: d.Original.Size + 1, Digest: [32]byte{9}, Midstate: d.Revisions[0].Midstate, At: b.now}
		r.Tail.Key, r.Tail.Size, r.Tail.Digest = "rewritten", r.End, r.Digest
		c, err := contract.SetParticipants(&stored, stored.Participants, nil, owner, limits, b.now)
		b.must(err)
		b.must(c.ReplaceBase(r, contract.NormalisedOffice, owner, b.now))
		c.After.Findings[0].Accepted = true
		d = b.reads(b.commit(c, nil))
		found[0].Accepted = true
		b.same("findings of the rewriting", d.Findings, found)
	},
	"NumbersAscendFromOneAndAreNeverReused": func(t *testing.T, b *bench) {
		for want := range contract.DocumentID(3) {
			if d := b.upload(owner); d.ID != want+1 || d.Version != 1 {
				t.Fatalf("document %d at version %d, want %d at 1", d.ID, d.Version, want+1)
			}
		}
		d, err := b.Document(b.ctx, 3)
		b.must(err)
		b.commit(contract.Delete(&d, owner, b.now))
		if d := b.upload(owner); d.ID != 4 {
			t.Fatalf("after document 3 was deleted comes %d", d.ID)
		}
	},
	"ADeletedDraftIsGoneAndItsEventsStay": func(t *testing.T, b *bench) {
		d := b.place(b.upload(owner), owner, 1)
		c, err := contract.Delete(&d, owner, b.now)
		b.commit(c, err)
		if _, err := b.Document(b.ctx, d.ID); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("read a deleted document: %v", err)
		}
		if l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox}); l.Total != 0 || len(l.Documents) != 0 {
			t.Fatalf("listed after it was deleted: %d", l.Total)
		}
		b.same("events", b.logged(d.ID), []contract.EventType{contract.EventUploaded, contract.EventPlaced, contract.EventDeleted})
		if _, err := b.Commit(b.ctx, c); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("deleted again: %v", err)
		}
	},
	"OfManyWhoChangeADocumentEachBuildsOnTheOthers": func(t *testing.T, b *bench) {
		d := b.finalize(b.upload(owner), owner)
		const crowd = 10
		var all sync.WaitGroup
		for range crowd {
			all.Go(func() {
				for {
					now, err := b.Document(b.ctx, d.ID)
					if err != nil {
						t.Error(err)
						return
					}
					c, err := contract.Remind(&now, owner, b.now)
					if err != nil {
						t.Error(err)
						return
					}
					if _, err = b.Commit(b.ctx, c); !errors.Is(err, store.ErrConflict) {
						if err != nil {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		all.Wait()
		now, err := b.Document(b.ctx, d.ID)
		b.must(err)
		if now.Version != d.Version+crowd || b.size() != 2+crowd {
			t.Fatalf("version %d with %d events after %d changes of version %d", now.Version, b.size(), crowd, d.Version)
		}
	},
	"ManyCreateAtTheSameTime": func(t *testing.T, b *bench) {
		const crowd = 12
		var changes []contract.Change
		for i := range crowd {
			c, err := b.uploading(owner, titled(fmt.Sprint("crowd ", i)))
			b.must(err)
			changes = append(changes, c)
		}
		var all sync.WaitGroup
		for _, c := range changes {
			all.Go(func() {
				if _, err := b.Commit(b.ctx, c); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		l := b.list(store.ListQuery{Person: owner.ID, Box: store.Outbox})
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

// refusing are changes of which nothing must be left.
var refusing = map[string]func(*testing.T, *bench){
	"OfTwoChangesOfOneVersionTheSecondLeavesNothing": func(t *testing.T, b *bench) {
		d := b.upload(owner)
		late := b.finalizing(d, owner)
		b.place(d, owner, 1)
		b.leavesNothing(t, late, store.ErrConflict, d.ID)
	},
	"WithoutQuotaFinalizeLeavesNothing": func(t *testing.T, b *bench) {
		b.grant("org", contract.UnitStamp, -999, "correction", owner)
		d := b.place(b.upload(owner), owner, 2)
		b.leavesNothing(t, b.finalizing(d, owner), contract.ErrQuota, d.ID)
	},
	"AnOrganisationWithoutAnyQuotaReservesNone": func(t *testing.T, b *bench) {
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "poor", Name: "Poor", CreatedAt: b.now}))
		d := b.upload(actor("owner", "poor"))
		b.leavesNothing(t, b.finalizing(d, actor("owner", "poor")), contract.ErrQuota, d.ID)
	},
	"ASerialBelongsToOneStampOnly": func(t *testing.T, b *bench) {
		due := func() contract.Document {
			return b.sign(b.sign(b.finalize(b.place(b.upload(owner), owner, 1), owner), first), second)
		}
		b.bind(due(), "TWICE")
		d := due()
		d = b.commit(contract.OrderSerial(&d, 0, "order", b.now))
		c, err := contract.BindSerial(&d, 0, contract.StampSerial{Serial: "TWICE"}, true, b.now)
		b.must(err)
		b.leavesNothing(t, c, store.ErrConflict, d.ID)
	},
	"TwoDocumentsNeverShareAFile": func(t *testing.T, b *bench) {
		d := b.upload(owner)
		c, err := b.uploading(owner, func(u *contract.Upload) { u.Base = d.Revisions[0] })
		b.must(err)
		b.leavesNothing(t, c, nil, d.ID)
	},
	"RevisionsAreAppendedAndNothingElse": func(t *testing.T, b *bench) {
		d := b.sign(b.finalize(b.upload(owner), owner), first)
		for _, change := range []func(*contract.Document){
			func(d *contract.Document) { d.Revisions = d.Revisions[:1] },
			func(d *contract.Document) { d.Revisions[1].Tail.Key = "other" },
			func(d *contract.Document) { d.Revisions[0].Digest[0]++ },
		} {
			c, err := contract.Remind(&d, owner, b.now)
			b.must(err)
			change(&c.After)
			b.leavesNothing(t, c, nil, d.ID)
		}
	},
	"TheFileOfADraftIsRewrittenOnceAndItsOriginalKept": func(t *testing.T, b *bench) {
		d := b.upload(owner)
		rewriting := func(key string) contract.Revision {
			r := contract.Revision{Kind: contract.RevisionBase, Tail: d.Original, End: d.Original.Size + 1, Digest: [32]byte{9}, Midstate: d.Revisions[0].Midstate, At: b.now}
			r.Tail.Key, r.Tail.Size, r.Tail.Digest = key, r.End, r.Digest
			return r
		}
		c, err := contract.SetParticipants(&d, d.Participants, nil, owner, limits, b.now)
		b.must(err)
		b.must(c.ReplaceBase(rewriting("rewritten"), contract.NormalisedDamaged, owner, b.now))
		lost := c
		lost.After.Original = contract.File{Key: "not what was uploaded"}
		b.leavesNothing(t, lost, nil, d.ID)

		uploaded := d.Original
		d = b.commit(c, nil)
		if d, err := b.Document(b.ctx, d.ID); err != nil || d.Original.Key != uploaded.Key || len(d.Revisions) != 1 || d.Revisions[0].Tail.Key != "rewritten" || !d.Normalised() {
			t.Fatalf("%+v, %v", d, err)
		}
		c, err = contract.SetParticipants(&d, d.Participants, nil, owner, limits, b.now)
		b.must(err)
		if err := c.ReplaceBase(rewriting("again"), contract.NormalisedDamaged, owner, b.now); err == nil {
			t.Error("a rule rewrites a file twice")
		}
		c.After.Revisions = []contract.Revision{rewriting("again")}
		b.leavesNothing(t, c, nil, d.ID)
	},
	"ADocumentThatNeverWasCannotBeChanged": func(t *testing.T, b *bench) {
		d := b.upload(owner)
		c, _, err := contract.Place(&d, nil, nil, owner, limits, b.now)
		b.must(err)
		before := *c.Before
		before.ID = 99
		c.Before, c.After.ID = &before, 99
		if _, err := b.Commit(b.ctx, c); !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
	},
}

// leavesNothing commits a change that must be refused, with that error if one is given, and checks that all is
// as it was before.
func (b *bench) leavesNothing(t *testing.T, c contract.Change, want error, id contract.DocumentID) {
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
		a.events, a.size = b.logged(id), b.size()
		a.quota, err = b.Quota(b.ctx, "org")
		b.must(err)
		for _, who := range []contract.PersonID{owner.ID, first.ID, second.ID, viewer.ID} {
			for _, box := range []store.Box{store.Inbox, store.Outbox} {
				a.lists = append(a.lists, b.list(store.ListQuery{Person: who, Box: box}))
			}
		}
		a.due, err = b.Due(b.ctx, b.now.AddDate(1, 0, 0), 100)
		b.must(err)
		return a
	}
	before := look()
	_, err := b.Commit(b.ctx, c)
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Fatalf("committed: %v, want %v", err, want)
	}
	if want == nil && (errors.Is(err, store.ErrConflict) || errors.Is(err, contract.ErrQuota) || errors.Is(err, store.ErrNotFound)) {
		t.Fatalf("a mistake of the program is told as %v", err)
	}
	after := look()
	b.same("document", after.document, before.document)
	b.same("events", after.events, before.events)
	b.same("size of the log", after.size, before.size)
	b.same("quota", after.quota, before.quota)
	b.same("lists", after.lists, before.lists)
	b.same("documents that are due", after.due, before.due)
	b.must(b.CheckLog(b.ctx))
}
