package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var credentialTests = map[string]func(*testing.T, *fixture){
	"TheNewestCredentialStillValidIsFound": func(t *testing.T, b *fixture) {
		at := b.now.Truncate(time.Microsecond)
		older := store.SealedCredential{ID: "1", Holder: "u1", Key: []byte{1}, Chain: [][]byte{{1}, {2}, {3}}, NotBefore: at.Add(-time.Minute), NotAfter: at.Add(3 * time.Hour), CreatedAt: at}
		newer := store.SealedCredential{ID: "2", Holder: "u1", Key: []byte{2}, Chain: [][]byte{{4}}, NotBefore: at.Add(59 * time.Minute), NotAfter: at.Add(2 * time.Hour), CreatedAt: at.Add(time.Hour)}
		b.must(b.AddCredential(b.ctx, older))
		b.must(b.AddCredential(b.ctx, newer))
		for after, want := range map[time.Duration]store.SealedCredential{time.Hour: newer, 2 * time.Hour: older} {
			requireRead(b, "credential", want)(b.Credential(b.ctx, "u1", at.Add(after), at.Add(after)))
		}
		_, err1 := b.Credential(b.ctx, "u1", at.Add(3*time.Hour), at.Add(3*time.Hour))
		_, err2 := b.Credential(b.ctx, "u2", at, at)
		if !errors.Is(err1, store.ErrNotFound) || !errors.Is(err2, store.ErrNotFound) {
			t.Fatal(err1, err2)
		}
		if err := b.AddCredential(b.ctx, older); err == nil {
			t.Fatal("a credential was added twice")
		}
	},
	"ACertificateIsRevokedOnce": func(t *testing.T, b *fixture) {
		at := b.now.Truncate(time.Microsecond)
		good := contract.Certificate{Serial: "0a", Subject: "CN=One", DER: []byte{1}, IssuedAt: at, NotAfter: at.AddDate(1, 0, 0), Holder: "u1",
			Assurance: contract.AssuranceGuest, NamedBy: "Sari", Organisation: "PT Contoh", Email: "one@example.test"}
		bad := contract.Certificate{Serial: "0b", Subject: "CN=Two", DER: []byte{2}, IssuedAt: at, NotAfter: at.AddDate(1, 0, 0)}
		b.must(b.AddCertificate(b.ctx, good))
		b.must(b.AddCertificate(b.ctx, bad))
		b.requireError("added a serial twice", b.AddCertificate(b.ctx, bad), store.ErrExists)
		e := contract.Event{Type: contract.EventCertificateRevoked, At: at, Details: map[string]string{"serial": "0b"}}
		b.must(b.RevokeCertificate(b.ctx, "0b", 1, at, e))
		b.must(b.RevokeCertificate(b.ctx, "0b", 4, at.Add(time.Hour), e))
		b.requireEqual("log", b.eventTypes(0), []contract.EventType{contract.EventCertificateRevoked})
		b.must(b.CheckLog(b.ctx))
		bad.RevokedAt, bad.Reason = at, 1
		requireRead(b, "revoked", []contract.Certificate{bad})(b.RevokedCertificates(b.ctx))
		requireRead(b, "certificate", good)(b.Certificate(b.ctx, "0a"))
		two, err := b.Certificates(b.ctx, "0c", "0b", "0a", "0b")
		slices.SortFunc(two, func(x, y contract.Certificate) int { return strings.Compare(x.Serial, y.Serial) })
		requireRead(b, "those that were issued", []contract.Certificate{good, bad})(two, err)
		none, err := b.Certificates(b.ctx)
		requireRead(b, "none", []contract.Certificate{})(none, err)
		_, err1 := b.Certificate(b.ctx, "0c")
		err2 := b.RevokeCertificate(b.ctx, "0c", 1, at, e)
		if !errors.Is(err1, store.ErrNotFound) || !errors.Is(err2, store.ErrNotFound) {
			t.Fatal(err1, err2)
		}
		n, err := b.Revocations(b.ctx)
		// Two events recorded the certificates, one the revocation.
		if err != nil || n != 1 || b.eventCount() != 3 {
			t.Fatalf("%d revoked, %d events, %v", n, b.eventCount(), err)
		}
		var seen []contract.Certificate
		b.must(b.EachCertificate(b.ctx, func(c contract.Certificate) bool { seen = append(seen, c); return true }))
		b.requireEqual("all, by serial", seen, []contract.Certificate{good, bad})
		b.must(b.EachCertificate(b.ctx, func(contract.Certificate) bool { n--; return false }))
		if n != 0 {
			t.Fatal("continued after yield returned false")
		}
	},
	"ACertificateIsRecordedWithTheChangeForWhichItWasIssuedOrNotAtAll": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		at := b.now.Truncate(time.Microsecond)
		intend := func(d contract.Document, serial string) contract.Change {
			c, err := contract.IntendSign(&d, contract.ShownPages{}, first, b.now)
			b.must(err)
			c.Certificate = &contract.Certificate{Serial: serial, Subject: "CN=" + serial, DER: []byte(serial), IssuedAt: at, NotAfter: at.AddDate(1, 0, 0), Holder: string(first.ID),
				Assurance: contract.AssuranceGuest, NamedBy: "Sari", Organisation: "PT Contoh", Email: "one@example.test"}
			return c
		}
		events := b.eventCount()
		won := intend(d, "0a")
		b.commitChange(won, nil)
		requireRead(b, "certificate", *won.Certificate)(b.Certificate(b.ctx, "0a"))
		if n := b.eventCount() - events; n != 1 {
			t.Fatalf("the intention and the certificate are %d events", n)
		}
		_, err := b.Commit(b.ctx, intend(d, "0b"))
		b.requireError("a change that lost its race", err, store.ErrConflict)
		now, err := b.Document(b.ctx, d.ID)
		b.must(err)
		_, err = b.Commit(b.ctx, intend(now, "0a"))
		b.requireError("a serial twice", err, store.ErrExists)
		b.requireStored(now)
		refused := intend(now, "0c")
		refused.Quota = []contract.QuotaMove{{Organisation: "org", Document: d.ID, Unit: contract.UnitSignature, Op: contract.QuotaReserve, Count: 1_000_000}}
		_, err = b.Commit(b.ctx, refused)
		b.requireError("a change that is refused", err, contract.ErrQuota)
		for _, serial := range []string{"0b", "0c"} {
			_, err := b.Certificate(b.ctx, serial)
			b.requireError("certificate "+serial, err, store.ErrNotFound)
		}
		b.must(b.CheckLog(b.ctx))
	},
	"WhatASignatureNeedsIsReadTogether": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		at := b.now.Truncate(time.Microsecond)
		o, err := b.Organisation(b.ctx, d.Organisation)
		b.must(err)
		read := func(id contract.DocumentID, who contract.PersonID, after time.Duration) (store.Signing, error) {
			r, err := b.ReadSigning(b.ctx, store.SigningQuery{Document: id, Person: who, Begun: at.Add(after), Until: at.Add(after)})
			r.Clock.Database = time.Time{} // it runs
			return r, err
		}
		times, err := b.Times(b.ctx)
		b.must(err)
		times.Database = time.Time{}
		want := store.Signing{Document: d, Clock: times, Organisation: o}
		requireRead(b, "of a signer", want)(read(d.ID, first.ID, 0))
		requireRead(b, "of an organisation without a credential", want)(read(d.ID, "", 0))
		for who, id := range map[contract.PersonID]contract.DocumentID{otherOwner.ID: d.ID, first.ID: d.ID + 1000, "": d.ID + 1000} {
			_, err := read(id, who, 0)
			b.requireError("document for "+string(who), err, store.ErrNotFound)
		}

		holder := string(d.Organisation)
		older := store.SealedCredential{ID: "1", Holder: holder, Key: []byte{1}, Chain: [][]byte{{1}, {2}, {3}}, NotBefore: at.Add(-time.Minute), NotAfter: at.Add(3 * time.Hour), CreatedAt: at}
		newer := store.SealedCredential{ID: "2", Holder: holder, Key: []byte{2}, NotBefore: at.Add(59 * time.Minute), NotAfter: at.Add(2 * time.Hour), CreatedAt: at.Add(time.Hour)}
		another := store.SealedCredential{ID: "3", Holder: string(first.ID), Key: []byte{3}, Chain: [][]byte{{9}}, NotBefore: at.Add(-time.Minute), NotAfter: at.Add(3 * time.Hour), CreatedAt: at}
		for _, c := range []store.SealedCredential{older, newer, another} {
			b.must(b.AddCredential(b.ctx, c))
		}
		requireCredential := func(what string, after time.Duration, want store.SealedCredential) {
			t.Helper()
			r, err := read(d.ID, "", after)
			b.must(err)
			b.requireEqual(what, r.Credential, want)
			requireRead(b, what+", by itself", want)(b.Credential(b.ctx, holder, at.Add(after), at.Add(after)))
		}
		requireCredential("the credential valid now", 0, older)
		requireCredential("a newer one without a chain", time.Hour, newer)
		// The ledger has the certificate of another holder, one that is not the first of the chain, and then the first.
		b.must(b.AddCertificate(b.ctx, contract.Certificate{Serial: "0a", DER: []byte{1}, Holder: string(first.ID), IssuedAt: at, NotAfter: at}))
		b.must(b.AddCertificate(b.ctx, contract.Certificate{Serial: "0b", DER: []byte{2}, Holder: holder, IssuedAt: at, NotAfter: at}))
		requireCredential("one that is not recorded", 0, older)
		b.must(b.AddCertificate(b.ctx, contract.Certificate{Serial: "0c", DER: []byte{1}, Holder: holder, IssuedAt: at, NotAfter: at}))
		older.Recorded = true
		requireCredential("a recorded one", 0, older)
		b.must(b.RevokeCertificate(b.ctx, "0c", 1, at, contract.Event{Type: contract.EventCertificateRevoked, At: at}))
		older.RevokedAt = at
		requireCredential("a revoked one", 0, older)
	},
}
