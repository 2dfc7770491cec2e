package storetest

import (
	"crypto/sha256"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var evidenceTests = map[string]func(*testing.T, *fixture){
	"ADocumentHasOneEvidenceCertificate": func(t *testing.T, b *fixture) {
		d := b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first), second)
		d = b.commitChange(contract.Complete(&d, []contract.Revision{b.newTail(&d, contract.RevisionSeal)}, b.now))
		newEvidence := func(key string) (store.EvidenceFile, contract.Event) {
			v := store.EvidenceFile{
				Document: d.ID, File: contract.File{Key: key, Size: 7, Digest: sha256.Sum256([]byte(key)), Sums: []byte("sums")}, MadeAt: b.storedNow(),
			}
			e, err := contract.RecordEvidence(&d, v.File.Digest, b.now)
			b.must(err)
			return v, e
		}
		_, err := b.EvidenceFile(b.ctx, d.ID)
		b.requireError("before it is made", err, store.ErrNotFound)

		before, err := b.Storage(b.ctx, "org")
		b.must(err)
		requireStored := func(when string, bytes int64) {
			t.Helper()
			requireRead(b, "storage "+when, contract.Storage{Bytes: before.Bytes + bytes})(b.Storage(b.ctx, "org"))
		}
		v, e := newEvidence("evidence-1")
		token := contract.TrustedTime{At: b.now.Add(time.Second), Accuracy: time.Second}
		b.must(b.AddEvidenceFile(b.ctx, v, token, e))
		requireRead(b, "evidence certificate", v)(b.EvidenceFile(b.ctx, d.ID))
		requireStored("with it", 7)
		events := b.eventTypes(d.ID)
		b.requireEqual("last event", events[len(events)-1], contract.EventEvidenceMade)
		used, err := b.RefersToFile(b.ctx, "evidence-1")
		b.must(err)
		b.requireEqual("whether the file is used", used, true)
		for _, key := range []string{"evidence-1", d.Original.Key, d.Current().Tail.Key} {
			requireRead(b, "organisation of file "+key, contract.OrganisationID("org"))(b.OrganisationOfFile(b.ctx, key))
		}
		_, err = b.OrganisationOfFile(b.ctx, "evidence-2")
		b.requireError("organisation of a file that nothing refers to", err, store.ErrNotFound)
		listed := false
		b.must(b.Files(b.ctx, func(f contract.File) bool {
			listed = listed || f.Key == "evidence-1"
			return true
		}))
		b.requireEqual("whether the file is listed", listed, true)

		second, e := newEvidence("evidence-2")
		b.requireError("another one", b.AddEvidenceFile(b.ctx, second, token, e), store.ErrExists)
		requireRead(b, "evidence certificate after another one", v)(b.EvidenceFile(b.ctx, d.ID))
		requireStored("after another one", 7)
		b.requireEqual("events after another one", len(b.eventTypes(d.ID)), len(events))
		var all []store.EvidenceFile
		b.must(b.EachEvidenceFile(b.ctx, func(v store.EvidenceFile) bool {
			all = append(all, v)
			return true
		}))
		b.requireEqual("all", all, []store.EvidenceFile{v})
		b.must(b.CheckLog(b.ctx))
	},
	"ARenewedEvidenceCertificateReplacesTheFormerOne": func(t *testing.T, b *fixture) {
		d := b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first), second)
		d = b.commitChange(contract.Complete(&d, []contract.Revision{b.newTail(&d, contract.RevisionSeal)}, b.now))
		newFile := func(key string, size int64) store.EvidenceFile {
			return store.EvidenceFile{
				Document: d.ID, File: contract.File{Key: key, Size: size, Digest: sha256.Sum256([]byte(key)), Sums: []byte("sums")}, MadeAt: b.storedNow(),
			}
		}
		former, renewed := newFile("evidence-1", 7), newFile("evidence-2", 12)
		e, err := contract.RecordEvidence(&d, former.File.Digest, b.now)
		b.must(err)
		b.must(b.AddEvidenceFile(b.ctx, former, contract.TrustedTime{}, e))
		before, err := b.Storage(b.ctx, "org")
		b.must(err)
		e, err = contract.RecordEvidenceRenewal(&d, renewed.File.Digest, b.now)
		b.must(err)
		won := b.runCrowd(4, store.ErrConflict, func(int) error { return b.ReplaceEvidenceFile(b.ctx, former, renewed, contract.TrustedTime{}, e) })
		b.requireEqual("renewals", won, 1)
		requireRead(b, "evidence certificate", renewed)(b.EvidenceFile(b.ctx, d.ID))
		requireRead(b, "storage", contract.Storage{Bytes: before.Bytes + 5})(b.Storage(b.ctx, "org"))
		events := b.eventTypes(d.ID)
		b.requireEqual("last events", events[len(events)-2:], []contract.EventType{contract.EventEvidenceMade, contract.EventEvidenceRenewed})
		used, err := b.RefersToFile(b.ctx, "evidence-1")
		b.must(err)
		b.requireEqual("whether the former file is used", used, false)
		b.must(b.CheckLog(b.ctx))
	},
	"OfWritersAtTheSameTimeOneMakesTheEvidenceCertificate": func(t *testing.T, b *fixture) {
		d := b.signAs(b.signAs(b.finalizeDraft(b.uploadDraft(owner), owner), first), second)
		d = b.commitChange(contract.Complete(&d, []contract.Revision{b.newTail(&d, contract.RevisionSeal)}, b.now))
		won := b.runCrowd(8, store.ErrExists, func(i int) error {
			v := store.EvidenceFile{Document: d.ID, File: contract.File{Key: string(rune('a' + i)), Size: 1, Sums: []byte{1}}, MadeAt: b.now}
			e, err := contract.RecordEvidence(&d, [32]byte{byte(i)}, b.now)
			if err != nil {
				return err
			}
			return b.AddEvidenceFile(b.ctx, v, contract.TrustedTime{}, e)
		})
		b.requireEqual("certificates", won, 1)
		b.must(b.CheckLog(b.ctx))
	},
}
