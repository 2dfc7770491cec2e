package storetest

import (
	"errors"
	"sync"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// collect requires whether a file is collected.
func (b *fixture) collect(key string, want bool) {
	b.t.Helper()
	requireRead(b, "whether file "+key+" is collected", want)(b.CollectFile(b.ctx, key, b.now))
}

// requireUncollectable requires that a call which refers to a file that was collected is refused, and that nothing refers to it afterwards.
func (b *fixture) requireUncollectable(what, key string, call func() error) {
	b.t.Helper()
	b.collect(key, true)
	b.requireError(what, call(), store.ErrFileCollected)
	requireRead(b, "whether anything refers to the file of "+what, false)(b.RefersToFile(b.ctx, key))
	b.collect(key, true) // again
}

var collectTests = map[string]func(*testing.T, *fixture){
	"NothingRefersToAFileThatWasCollected": func(t *testing.T, b *fixture) {
		commit := func(c contract.Change, err error) func() error {
			b.must(err)
			return func() error {
				_, err := b.Commit(b.ctx, c)
				return err
			}
		}
		base := b.newBase()
		b.requireUncollectable("a new document", base.Tail.Key, commit(b.uploadChange(owner, func(u *contract.Upload) { u.Base = base })))

		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		d = b.commitChange(contract.IntendSign(&d, contract.ShownPages{}, first, b.now))
		sign := func(tail contract.Revision) (contract.Change, error) {
			return contract.Sign(&d, tail, contract.ShownPages{}, d.AttestParticipant(*d.Participant(first.ID), "PT Contoh", first.Proved), first, b.now)
		}
		tail := b.newTail(&d, contract.RevisionSignature)
		b.requireUncollectable("a signature", tail.Tail.Key, commit(sign(tail)))
		b.requireStored(d)
		d = b.commitChange(sign(b.newTail(&d, contract.RevisionSignature))) // with another file

		stamped := b.bindSerial(b.stampDue(1), "S")
		b.requireUncollectable("what the stamp office sent", "sent", commit(contract.RecordStampFailure(&stamped, stamped.NextStamp(), contract.Failure{Class: "quarantine", Quarantine: true, Final: true, Evidence: evidenceFile("sent")}, b.now)))

		done := b.completeDocument(b.signAs(d, second))
		certificate := func(key string) (store.EvidenceFile, contract.Event) {
			v := store.EvidenceFile{Document: done.ID, File: evidenceFile(key), MadeAt: b.storedNow()}
			e, err := contract.RecordEvidence(&done, v.File.Digest, b.now)
			b.must(err)
			return v, e
		}
		v, e := certificate("certificate")
		b.requireUncollectable("an evidence certificate", "certificate", func() error { return b.AddEvidenceFile(b.ctx, v, contract.TrustedTime{}, e) })
		former, e := certificate("first certificate")
		b.must(b.AddEvidenceFile(b.ctx, former, contract.TrustedTime{}, e))
		v, e = certificate("second certificate")
		b.requireUncollectable("another evidence certificate", "second certificate", func() error { return b.ReplaceEvidenceFile(b.ctx, former, v, contract.TrustedTime{}, e) })
		requireRead(b, "evidence certificate", former)(b.EvidenceFile(b.ctx, done.ID))

		u := b.addUpload(owner)
		after, part := b.withPart(u)
		b.requireUncollectable("a part of an upload", part.Key, func() error { return b.AppendPart(b.ctx, 0, after, part) })
		b.requireUpload(u)
	},
	"AFileThatIsUsedIsNotCollected": func(t *testing.T, b *fixture) {
		d, v := b.completedWithEvidence(owner)
		u := b.addUpload(owner)
		after, part := b.withPart(u)
		b.must(b.AppendPart(b.ctx, 0, after, part))
		b.failStamp(b.bindSerial(b.stampDue(1), "S"), contract.Failure{Class: "quarantine", Quarantine: true, Evidence: evidenceFile("sent")})
		for _, key := range []string{d.Original.Key, d.Current().Tail.Key, v.File.Key, part.Key, "sent"} {
			b.collect(key, false)
		}
		next := store.EvidenceFile{Document: d.ID, File: evidenceFile("another certificate"), MadeAt: b.storedNow()}
		e, err := contract.RecordEvidence(&d, next.File.Digest, b.now)
		b.must(err)
		b.must(b.ReplaceEvidenceFile(b.ctx, v, next, contract.TrustedTime{}, e))
		b.collect(v.File.Key, true) // nothing refers to it any more
	},
	"OfACommitAndACollectionAtTheSameMomentOneSucceeds": func(t *testing.T, b *fixture) {
		for range 10 {
			base := b.newBase()
			c, err := b.uploadChange(owner, func(u *contract.Upload) { u.Base = base })
			b.must(err)
			var collected bool
			var committed, failed error
			var both sync.WaitGroup
			both.Go(func() { _, committed = b.Commit(b.ctx, c) })
			both.Go(func() { collected, failed = b.CollectFile(b.ctx, base.Tail.Key, b.now) })
			both.Wait()
			b.must(failed)
			used, err := b.RefersToFile(b.ctx, base.Tail.Key)
			b.must(err)
			if collected == used || used != (committed == nil) || committed != nil && !errors.Is(committed, store.ErrFileCollected) {
				t.Errorf("collected %v, used %v, %v", collected, used, committed)
			}
		}
	},
}
