package storetest

import (
	"crypto/sha256"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// completedWithEvidence returns a document that was completed now, with its evidence certificate of 7 bytes. The file as it was uploaded and the finished one have digests that no other file has.
func (b *fixture) completedWithEvidence(by contract.Actor) (contract.Document, store.EvidenceFile) {
	b.t.Helper()
	draft := b.uploadDraft(by, func(u *contract.Upload) { u.Base.Digest = [32]byte{7, byte(b.n)} })
	d := b.signAs(b.signAs(b.finalizeDraft(draft, by), first), second)
	seal := b.newTail(&d, contract.RevisionSeal)
	seal.Digest = [32]byte{8, byte(b.n)}
	d = b.commitChange(contract.Complete(&d, []contract.Revision{seal}, b.now))
	key := "evidence of " + d.Name
	v := store.EvidenceFile{Document: d.ID, File: contract.File{Key: key, Size: 7, Digest: sha256.Sum256([]byte(key)), Sums: []byte("sums")}, MadeAt: b.storedNow()}
	e, err := contract.RecordEvidence(&d, v.File.Digest, b.now)
	b.must(err)
	b.must(b.AddEvidenceFile(b.ctx, v, contract.TrustedTime{}, e))
	return d, v
}

func (b *fixture) setRetention(o contract.OrganisationID, years int) contract.Retention {
	b.t.Helper()
	r := contract.Retention{Years: years}
	b.must(b.SetRetention(b.ctx, o, r, contract.Event{Type: contract.EventRetentionChanged, At: b.now}))
	return r
}

func (b *fixture) hold(id contract.HoldID, document contract.DocumentID) contract.Hold {
	b.t.Helper()
	h := contract.Hold{ID: id, Organisation: "org", Document: document, Reason: "a case", SetAt: b.storedNow()}
	b.must(b.AddHold(b.ctx, h, contract.Event{Type: contract.EventHoldSet, At: b.now}))
	return h
}

func (b *fixture) lift(id contract.HoldID) {
	b.t.Helper()
	b.must(b.LiftHold(b.ctx, "org", id, b.now, func(contract.Hold) contract.Event { return contract.Event{Type: contract.EventHoldLifted, At: b.now} }))
}

// removal returns the change that removes the files of a document that is due.
func (b *fixture) removal(d *contract.Document, r contract.Retention, evidence [32]byte) contract.Change {
	b.t.Helper()
	c, changed := contract.RemoveFiles(d, r, evidence, b.now)
	b.requireEqual("due", changed, true)
	return c
}

// tell announces the removal of what is due to an owner, and returns how many documents they are told of.
func (b *fixture) tell(by contract.Actor, completedBy time.Time, limit int) (told int) {
	b.t.Helper()
	b.must(b.AnnounceRemovals(b.ctx, "org", by.ID, completedBy, b.now, limit, func(a store.Announcement) (contract.Notice, contract.Event) {
		told = a.Documents
		b.requireEqual("the owner", a.Owner, by.ID)
		return contract.Notice{Organisation: "org", Person: by.ID, Kind: contract.NoticeRemoval, State: contract.NoticeOrdered, OrderedAt: b.now, DueAt: b.now},
			contract.Event{Type: contract.EventRemovalAnnounced, At: b.now}
	}))
	return told
}

var retentionTests = map[string]func(*testing.T, *fixture){
	"AnOrganisationHasTheRetentionThatWasSetLast": func(t *testing.T, b *fixture) {
		requireRead(b, "at first", contract.Retention{})(b.Retention(b.ctx, "org"))
		for _, years := range []int{10, 1, 0, 5} {
			before := b.eventCount()
			r := b.setRetention("org", years)
			requireRead(b, "then", r)(b.Retention(b.ctx, "org"))
			b.requireEqual("events", b.eventCount()-before, int64(1))
		}
		b.setRetention("other", 0)
		requireRead(b, "all that end", map[contract.OrganisationID]contract.Retention{"org": {Years: 5}})(b.Retentions(b.ctx))
		b.requireError("an unknown organisation", b.SetRetention(b.ctx, "unknown", contract.Retention{Years: 1}, contract.Event{Type: contract.EventRetentionChanged, At: b.now}), store.ErrNotFound)
	},
	"TheFilesOfADocumentAreRemovedAndItsRecordsStay": func(t *testing.T, b *fixture) {
		empty, err := b.Storage(b.ctx, "org")
		b.must(err)
		d, v := b.completedWithEvidence(owner)
		kept, _ := b.completedWithEvidence(owner)
		keptBytes := contract.Storage{Bytes: empty.Bytes + kept.Storage().Bytes + 7, Drafts: empty.Drafts}
		r := b.setRetention("org", 1)
		_, err = b.Removal(b.ctx, d.ID)
		b.requireError("before", err, store.ErrNotFound)
		_, early := contract.RemoveFiles(&d, r, v.File.Digest, d.EndedAt.AddDate(1, 0, 0).Add(-time.Microsecond))
		b.requireEqual("a moment too early", early, false)
		b.advance(366 * 24 * time.Hour)
		_, err = b.Commit(b.ctx, b.removal(&d, r, v.File.Digest))
		b.requireError("before its owner was told", err, store.ErrConflict)
		b.requireEqual("told of", b.tell(owner, b.now, 10), 2)
		b.advance(contract.RemovalNotice - time.Second)
		_, err = b.Commit(b.ctx, b.removal(&d, r, v.File.Digest))
		b.requireError("soon after its owner was told", err, store.ErrConflict)
		b.advance(time.Second)
		_, err = b.Commit(b.ctx, b.removal(&d, r, [32]byte{1}))
		b.requireError("with another evidence certificate", err, store.ErrConflict)
		_, err = b.Commit(b.ctx, b.removal(&d, r, [32]byte{}))
		b.requireError("without its evidence certificate", err, store.ErrConflict)
		renewed := d // a renewal of its timestamp that was under way

		change := b.removal(&d, r, v.File.Digest)
		won := b.runCrowd(4, store.ErrConflict, func(int) error {
			_, err := b.Commit(b.ctx, change)
			return err
		})
		b.requireEqual("removals", won, 1)
		after, err := b.Document(b.ctx, d.ID)
		b.must(err)
		b.requireEqual("removed", after.IsRemoved(), true)
		b.requireEqual("digests", [3]any{after.Original.Digest, after.Current().Digest, after.Current().Tail.Digest}, [3]any{d.Original.Digest, d.Current().Digest, d.Current().Tail.Digest})
		b.requireEqual("revisions", len(after.Revisions), len(d.Revisions))
		b.requireEqual("title", after.Title, d.Title)
		requireRead(b, "storage", keptBytes)(b.Storage(b.ctx, "org"))
		requireRead(b, "usage", contract.Usage{Storage: keptBytes, Documents: 2, Originals: kept.Original.Size, Evidence: 7})(b.Usage(b.ctx, "org"))
		events := b.eventTypes(d.ID)
		b.requireEqual("last event", events[len(events)-1], contract.EventRemoved)
		want := contract.Removal{Document: d.ID, At: b.storedNow(), Years: 1, Digest: d.Current().Digest, Evidence: v.File.Digest}
		requireRead(b, "the removal", want)(b.Removal(b.ctx, d.ID))

		keys := []string{d.Original.Key, v.File.Key}
		for _, r := range d.Revisions {
			keys = append(keys, r.Tail.Key)
		}
		for _, key := range keys {
			requireRead(b, "whether "+key+" is used", false)(b.RefersToFile(b.ctx, key))
		}
		b.must(b.Files(b.ctx, func(f contract.File) bool {
			if f.IsRemoved() {
				t.Errorf("%s is a file", f.Key)
			}
			return true
		}))
		b.must(b.EachEvidenceFile(b.ctx, func(e store.EvidenceFile) bool {
			b.requireEqual("whether the evidence certificate is removed", e.File.IsRemoved(), e.Document == d.ID)
			return true
		}))

		// What is under way elsewhere adds nothing any more.
		if _, err := contract.RecordEvidence(&after, [32]byte{2}, b.now); err == nil {
			t.Error("evidence is recorded of a document whose files were removed")
		}
		e := contract.Event{Type: contract.EventEvidenceMade, Document: d.ID, At: b.now}
		other := store.EvidenceFile{Document: d.ID, File: contract.File{Key: "later", Size: 1, Sums: []byte{1}}, MadeAt: b.now}
		b.requireError("another evidence certificate", b.AddEvidenceFile(b.ctx, other, contract.TrustedTime{}, e), contract.ErrRemoved)
		b.requireError("a renewed evidence certificate", b.ReplaceEvidenceFile(b.ctx, v, other, contract.TrustedTime{}, e), contract.ErrRemoved)
		var c contract.Change
		c.After = after
		b.requireError("another revision", c.AppendRevision(b.newTail(&renewed, contract.RevisionTimestamp)), contract.ErrRemoved)
		if _, changed := contract.RemoveFiles(&after, r, v.File.Digest, b.now); changed {
			t.Error("files are removed twice")
		}
		b.must(b.CheckLog(b.ctx))
	},
	"AFileThatWasRemovedIsRecognisedByItsDigest": func(t *testing.T, b *fixture) {
		d, v := b.completedWithEvidence(owner)
		r := b.setRetention("org", 1)
		digests := map[string][32]byte{}
		for _, v := range d.Revisions {
			digests[string(v.Kind)] = v.Digest
		}
		find := func(what string, digest [32]byte, want error) {
			b.t.Helper()
			found, err := b.RemovalByDigest(b.ctx, digest)
			b.requireError(what, err, want)
			if want == nil {
				b.requireEqual(what, found.Document, d.ID)
			}
		}
		find("a file that is there", digests["seal"], store.ErrNotFound)
		b.advance(366 * 24 * time.Hour)
		b.requireEqual("told of", b.tell(owner, b.now, 10), 1)
		b.advance(contract.RemovalNotice)
		b.commitChange(b.removal(&d, r, v.File.Digest), nil)
		find("the finished file", digests["seal"], nil)
		find("a signed state", digests["signature"], nil)
		find("the file as it was uploaded", digests["base"], store.ErrNotFound)
		find("another file", [32]byte{9}, store.ErrNotFound)
	},
	"NothingThatALegalHoldCoversIsDeletedErasedOrRemoved": func(t *testing.T, b *fixture) {
		for _, u := range []contract.Actor{owner, first} {
			b.must(b.CreateUser(b.ctx, store.User{Person: u.Person, Organisation: "org", Password: "p", CreatedAt: b.now}))
		}
		d, v := b.completedWithEvidence(owner)
		draft, canceled := b.uploadDraft(owner), b.finalizeDraft(b.uploadDraft(owner), owner)
		c, err := contract.Cancel(&canceled, "", owner, limits, b.now)
		canceled = b.commitChange(c, err)
		r := b.setRetention("org", 1)
		b.advance(400 * 24 * time.Hour)
		b.requireEqual("told of", b.tell(owner, b.now, 10), 1)
		b.advance(contract.RemovalNotice)
		erasable, _ := contract.EraseParticipant(&canceled, first.ID, b.now)
		deletion, err := contract.Delete(&draft, owner, b.now)
		b.must(err)
		changes := map[contract.DocumentID]contract.Change{d.ID: b.removal(&d, r, v.File.Digest), draft.ID: deletion, canceled.ID: erasable}
		refused := func(when string, all ...contract.DocumentID) {
			b.t.Helper()
			for _, id := range all {
				_, err := b.Commit(b.ctx, changes[id])
				b.requireError(when, err, contract.ErrHeld)
			}
		}
		due := func(want ...contract.DocumentID) {
			b.t.Helper()
			all, _, err := b.DueRemovals(b.ctx, store.RemovalQuery{Organisation: "org", CompletedBy: b.now, AnnouncedBy: b.now, Limit: 10})
			b.must(err)
			got := []contract.DocumentID{}
			for _, d := range all {
				got = append(got, d.Document)
			}
			b.requireEqual("due", got, append([]contract.DocumentID{}, want...))
		}
		due(d.ID)

		b.requireError("a document of another organisation", b.AddHold(b.ctx, contract.Hold{ID: "x", Organisation: "other", Document: d.ID, SetAt: b.now}, contract.Event{Type: contract.EventHoldSet, At: b.now}), contract.ErrNotFound)
		var holds []contract.Hold
		for i, id := range []contract.DocumentID{d.ID, draft.ID, canceled.ID} {
			holds = append([]contract.Hold{b.advance(time.Second).hold(contract.HoldID(string(rune('a'+i))), id)}, holds...)
		}
		due()
		refused("by a hold of the document", d.ID, draft.ID, canceled.ID)
		got, total, err := b.Holds(b.ctx, "org", 0, 2)
		b.must(err)
		b.requireEqual("holds", got, holds[:2])
		b.requireEqual("how many", total, 3)
		b.requireError("to lift that of another organisation", b.LiftHold(b.ctx, "other", "a", b.now, nil), store.ErrNotFound)
		begun := contract.Event{Type: contract.EventErasureBegun, At: b.now}
		b.requireError("to erase the owner", b.BeginErasure(b.ctx, contract.Erasure{Person: owner.ID, Organisation: "org", At: b.now}, begun), contract.ErrHeld)
		b.must(b.BeginErasure(b.ctx, contract.Erasure{Person: first.ID, Organisation: "org", At: b.now}, begun)) // who owns nothing
		found, err := b.ErasableParticipants(b.ctx, store.ErasableParticipant{}, 10)
		b.must(err)
		b.requireEqual("people to erase from documents", found, []store.ErasableParticipant{})

		all := b.hold("all", 0)
		for _, h := range holds {
			b.lift(h.ID)
		}
		b.requireError("to lift it twice", b.LiftHold(b.ctx, "org", "a", b.now, nil), store.ErrNotFound)
		due()
		refused("by a hold of the organisation", d.ID, draft.ID, canceled.ID)
		b.requireError("to erase rows", b.EraseRows(b.ctx, first.ID, contract.Event{Type: contract.EventPersonErased, At: b.now}), contract.ErrHeld)
		b.requireError("to erase a guest", b.EraseGuest(b.ctx, "org", contract.GuestContact{Email: "tamu@example.test"}, b.now, nil), contract.ErrHeld)

		b.lift(all.ID)
		due() // what its owner was told before the holds does not count
		_, err = b.Commit(b.ctx, changes[d.ID])
		b.requireError("before its owner was told again", err, store.ErrConflict)
		b.requireEqual("told again of", b.tell(owner, b.now, 10), 1)
		b.advance(contract.RemovalNotice)
		due(d.ID)
		changes[d.ID] = b.removal(&d, r, v.File.Digest)
		for id, c := range changes {
			if _, err := b.Commit(b.ctx, c); err != nil {
				t.Errorf("document %d, after the holds were lifted: %v", id, err)
			}
		}
		b.must(b.EraseRows(b.ctx, first.ID, contract.Event{Type: contract.EventPersonErased, At: b.now}))
		b.must(b.CheckLog(b.ctx))
	},
	"OwnersAreToldOfWhatIsDueBeforeItIsRemoved": func(t *testing.T, b *fixture) {
		var docs []contract.Document
		for range 3 {
			d, _ := b.advance(time.Hour).completedWithEvidence(owner)
			docs = append(docs, d)
		}
		b.setRetention("org", 1)
		b.advance(400 * 24 * time.Hour)
		toTell := func(what string, since time.Time, want ...contract.PersonID) {
			b.t.Helper()
			requireRead(b, what, append([]contract.PersonID{}, want...))(b.OwnersToTell(b.ctx, "org", b.now, since, 10))
		}
		due := func(announcedBy time.Time, after store.DueRemoval) (found []contract.DocumentID) {
			b.t.Helper()
			all, _, err := b.DueRemovals(b.ctx, store.RemovalQuery{Organisation: "org", CompletedBy: b.now, AnnouncedBy: announcedBy, After: after, Limit: 10})
			b.must(err)
			for _, d := range all {
				found = append(found, d.Document)
			}
			return found
		}
		toTell("at first", b.now, owner.ID)
		requireRead(b, "of what was completed before", []contract.PersonID{})(b.OwnersToTell(b.ctx, "org", docs[0].EndedAt.Add(-time.Second), b.now, 10))
		won := 0
		b.runCrowd(4, nil, func(int) error {
			return b.AnnounceRemovals(b.ctx, "org", owner.ID, b.now, b.now, 2, func(a store.Announcement) (contract.Notice, contract.Event) {
				won += a.Documents
				b.requireEqual("the latest completion", a.Last.Equal(docs[1].EndedAt.Truncate(time.Microsecond)), true)
				return contract.Notice{Organisation: "org", Person: owner.ID, Kind: contract.NoticeRemoval, State: contract.NoticeOrdered, OrderedAt: b.now, DueAt: b.now}, contract.Event{Type: contract.EventRemovalAnnounced, At: b.now}
			})
		})
		p, err := b.ListNotices(b.ctx, store.NoticeQuery{Organisation: "org", Limit: 100})
		b.must(err)
		messages := 0
		for _, n := range p.Notices {
			if n.Kind == contract.NoticeRemoval {
				messages++
			}
		}
		b.requireEqual("messages", messages, 1)
		toTell("within the month", b.now.Add(-time.Hour))
		toTell("of the rest, later", b.now, owner.ID)
		b.requireEqual("due", due(b.now, store.DueRemoval{}), []contract.DocumentID{docs[0].ID, docs[1].ID})
		b.requireEqual("due behind the first", due(b.now, store.DueRemoval{Document: docs[0].ID, CompletedAt: docs[0].EndedAt}), []contract.DocumentID{docs[1].ID})
		b.requireEqual("told earlier", due(b.now.Add(-time.Hour), store.DueRemoval{}), []contract.DocumentID(nil))
		all, total, err := b.DueRemovals(b.ctx, store.RemovalQuery{Organisation: "org", CompletedBy: b.now, Offset: 1, Limit: 10})
		b.must(err)
		b.requireEqual("all", [2]int{len(all), total}, [2]int{2, 3})
		b.requireEqual("of whom the owner was told", [2]bool{all[0].AnnouncedAt.IsZero(), all[1].AnnouncedAt.IsZero()}, [2]bool{false, true})

		// Who owns the document now was not told.
		c, _, err := contract.Transfer(&docs[0], owner.ID, first.Person, nil, contract.Actor{}, b.now)
		b.commitChange(c, err)
		b.requireEqual("due after a transfer", due(b.now, store.DueRemoval{}), []contract.DocumentID{docs[1].ID})
		toTell("after a transfer", b.now.Add(-time.Hour), first.ID)
		b.requireEqual("the next owner is told of", b.tell(first, b.now, 10), 1)
		b.setRetention("org", 2)
		b.requireEqual("due under another retention", due(b.now, store.DueRemoval{}), []contract.DocumentID(nil))
	},
}
