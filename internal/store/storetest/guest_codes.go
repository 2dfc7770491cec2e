package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// orderCode commits a code for the document's guest, who has that token.
func (b *fixture) orderCode(d contract.Document, g contract.GuestCode) contract.Document {
	b.t.Helper()
	before := d
	return b.commitChange(contract.Change{Before: &before, After: before, At: b.now, Code: &g}, nil)
}

var guestCodeTests = map[string]func(*testing.T, *fixture){
	"ACodeIsReplacedAndTriedAFewTimesInItsTime": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		_, err := b.GuestCode(b.ctx, d.ID, "guest")
		b.requireError("before the first code", err, store.ErrNotFound)
		_, err = b.TryGuestCode(b.ctx, d.ID, "guest", b.now)
		b.requireError("a try without a code", err, store.ErrNotFound)
		want := contract.GuestCode{
			Document: d.ID, Person: "guest", Digest: [32]byte{1, 2}, Nonce: [16]byte{3}, Channel: contract.ChannelWhatsApp, Address: "+628123456789", CreatedAt: b.storedNow(),
			Ordered: 1, DayBegan: b.storedNow(),
		}
		d = b.orderCode(d, want)
		requireRead(b, "code", want)(b.GuestCode(b.ctx, d.ID, "guest"))
		// Of many tries at once, exactly the permitted ones are granted.
		granted := b.runCrowd(12, store.ErrNotFound, func(int) error {
			_, err := b.TryGuestCode(b.ctx, d.ID, "guest", b.now)
			return err
		})
		b.requireEqual("tries", granted, contract.CodeTries)
		want.Nonce, want.Ordered = [16]byte{4}, 2
		d = b.orderCode(d, want)
		requireRead(b, "the next code", want)(b.GuestCode(b.ctx, d.ID, "guest"))
		_, err = b.TryGuestCode(b.ctx, d.ID, "guest", b.now.Add(contract.CodeLifetime))
		b.requireError("a try after its time", err, store.ErrNotFound)
		want.Tries++
		requireRead(b, "a try", want)(b.TryGuestCode(b.ctx, d.ID, "guest", b.now.Add(contract.CodeLifetime-time.Second)))
		want.UsedAt = b.storedNow()
		d = b.orderCode(d, want)
		_, err = b.TryGuestCode(b.ctx, d.ID, "guest", b.now)
		b.requireError("a try of a used code", err, store.ErrNotFound)
		_, err = b.TryGuestCode(b.ctx, d.ID+1, "guest", b.now)
		b.requireError("a try on another document", err, store.ErrNotFound)
	},
	"AProvedContactBelongsToOneTokenAndGoesWithIt": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		before := d
		d = b.commitChange(contract.Change{Before: &before, After: before, At: b.now, GuestLink: &contract.GuestLink{Guest: "guest", Hash: [32]byte{7}}}, nil)
		for n := byte(1); n <= 2; n++ {
			k := newToken(n, store.GuestToken, "guest", "link-x")
			k.Document = d.ID
			b.must(b.AddGuestToken(b.ctx, store.GuestLink{Hash: [32]byte{7}}, k))
		}
		for n := range 2 { // the second time for another revision
			before = d
			proved := contract.Contact{Channel: []contract.Channel{contract.ChannelMail, contract.ChannelSMS}[n], Address: "guest@example.test", Digest: [32]byte{byte(n)}, At: b.storedNow()}
			d = b.commitChange(contract.Change{Before: &before, After: before, At: b.now, Proved: &contract.ProvedContact{Token: [32]byte{1}, Contact: proved}}, nil)
			held, err := b.TokenWithHolder(b.ctx, [32]byte{1})
			b.must(err)
			b.requireEqual("what was proved", held.Guest.Proved, proved)
		}
		held, err := b.TokenWithHolder(b.ctx, [32]byte{2})
		b.must(err)
		b.requireEqual("what another token proved", held.Guest.Proved, contract.Contact{})
		b.must(b.PurgeTokens(b.ctx, b.now.Add(10*365*24*time.Hour)))
		k := newToken(1, store.GuestToken, "guest", "link-x")
		k.Document = d.ID
		b.must(b.AddGuestToken(b.ctx, store.GuestLink{Hash: [32]byte{7}}, k))
		held, err = b.TokenWithHolder(b.ctx, [32]byte{1})
		b.must(err)
		b.requireEqual("what a purged token left", held.Guest.Proved, contract.Contact{})
	},
	"HowPeopleAreReachedIsStoredWithTheDocument": func(t *testing.T, b *fixture) {
		want := contract.Delivery{
			Message: "Mohon ditandatangani\nsebelum Jumat.", Code: contract.CodeToRead, Silent: true, Attach: true, HideAddresses: true,
			Languages: map[contract.PersonID]string{first.ID: "en"}, Channels: map[contract.PersonID]contract.Channel{first.ID: contract.ChannelSMS},
		}
		d := b.uploadDraft(owner, func(u *contract.Upload) {
			u.Delivery, u.Participants[0].Phone = want, "+628123456789"
		})
		b.requireEqual("delivery", b.requireStored(d).Delivery, want)
		silent := false
		d = b.requireStored(b.commitChange(contract.Describe(&d, contract.Description{Silent: &silent}, owner, limits, b.now)))
		want.Silent = false
		b.requireEqual("delivery after a change", d.Delivery, want)
		b.requireEqual("the default", b.requireStored(b.uploadDraft(owner)).Delivery, contract.Delivery{})
	},
	"AnotherSignerTakesThePlaceOfOneWhoPassedTheirPartOn": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner, func(u *contract.Upload) { u.Delivery.Delegation = true }), owner)
		to := contract.Participant{Person: contract.Person{ID: "delegate", Name: "Dewi", Email: "dewi@example.test"}, Phone: "0812", Guest: true}
		c, err := contract.Delegate(&d, to, "en", "Ia yang berwenang.", first, limits, b.now)
		d = b.requireStored(b.commitChange(c, err))
		b.requireEqual("delegations", d.Delegations, []contract.Delegation{{From: first.ID, To: "delegate", At: b.storedNow(), Reason: "Ia yang berwenang."}})
		for _, who := range []contract.PersonID{first.ID, "delegate"} {
			l, err := b.List(b.ctx, store.ListQuery{Person: who, Box: store.Inbox, Limit: 10})
			b.must(err)
			b.requireEqual("inbox of "+string(who), b.documentIDs(l), []contract.DocumentID{d.ID})
		}
		b.requireEqual("the former signer", d.Participant(first.ID).Role, contract.Viewer)
	},
	"LinksThatAreRenewedEndAndLetTheNextMessageHaveAnother": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		l := store.GuestLink{Document: d.ID, Person: "guest", CreatedAt: b.storedNow(), Hash: [32]byte{5}, Mailed: true}
		b.must(b.AddMailedLink(b.ctx, l))
		k := newToken(1, store.GuestToken, "guest", store.MailedFamily+"x")
		k.Document = d.ID
		b.must(b.AddGuestToken(b.ctx, l, k))
		before := d
		b.commitChange(contract.Change{Before: &before, After: before, At: b.now, GuestLink: &contract.GuestLink{Guest: "guest", Renewed: true}}, nil)
		b.requireGone(t, 1, 1)
		_, err := b.MailedLinkOf(b.ctx, d.ID, "guest")
		b.requireError("the former link", err, store.ErrNotFound)
		former, err := b.FormerGuestLink(b.ctx, l.Hash)
		b.must(err)
		b.requireEqual("the former link is revoked", former.Revoked, true)
		l.Hash = [32]byte{6}
		b.must(b.AddMailedLink(b.ctx, l))
		requireRead(b, "the next link", l)(b.MailedLinkOf(b.ctx, d.ID, "guest"))
	},
}
