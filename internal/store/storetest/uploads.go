package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"segel/internal/contract"
	"segel/internal/store"
)

// newUpload returns an upload of 3,000 bytes of which nothing has arrived.
func (b *fixture) newUpload(by contract.Actor) contract.ResumableUpload {
	b.t.Helper()
	u, err := contract.NewResumableUpload(by, "kontrak.pdf", 3000, limits, b.now.Truncate(time.Microsecond))
	b.must(err)
	b.n++
	u.ID, u.Digest, u.Midstate, u.Announced = contract.UploadID(fmt.Sprintf("%032x", b.n)), [32]byte{7}, []byte("nothing"), [32]byte{8}
	return u
}

func (b *fixture) addUpload(by contract.Actor) contract.ResumableUpload {
	b.t.Helper()
	u := b.newUpload(by)
	b.must(b.AddUpload(b.ctx, u, limits))
	return u
}

// withPart returns an upload with 1,000 bytes more, and their file.
func (b *fixture) withPart(u contract.ResumableUpload) (contract.ResumableUpload, contract.File) {
	part := b.newBase().Tail
	u.Received, u.Digest, u.Midstate = u.Received+part.Size, [32]byte{9, byte(u.Received)}, []byte("midstate")
	return u, part
}

func (b *fixture) requireUpload(want contract.ResumableUpload) {
	b.t.Helper()
	got, err := b.ResumableUpload(b.ctx, want.ID)
	b.must(err)
	got.CreatedAt, got.ExpiresAt = got.CreatedAt.UTC(), got.ExpiresAt.UTC()
	if d := cmp.Diff(want, got); d != "" {
		b.t.Fatal(d)
	}
}

var uploadTests = map[string]func(*testing.T, *fixture){
	"AnUploadIsReadAsItWasAddedAndGrowsByItsParts": func(t *testing.T, b *fixture) {
		if _, err := b.ResumableUpload(b.ctx, "0123456789abcdef0123456789abcdef"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an upload that does not exist: %v", err)
		}
		u := b.addUpload(owner)
		b.requireUpload(u)
		var want []contract.File
		for range 3 {
			after, part := b.withPart(u)
			b.must(b.AppendPart(b.ctx, u.Received, after, part))
			b.requireUpload(after)
			u, want = after, append(want, part)
		}
		parts, err := b.UploadParts(b.ctx, u.ID)
		b.must(err)
		if d := cmp.Diff(want, parts); d != "" {
			t.Error(d)
		}
		each := map[string]contract.UploadID{}
		b.must(b.EachPart(b.ctx, func(id contract.UploadID, f contract.File) bool { each[f.Key] = id; return true }))
		if len(each) != len(want) || each[want[0].Key] != u.ID {
			t.Errorf("each part: %v", each)
		}
		found := map[string]bool{}
		b.must(b.Files(b.ctx, func(f contract.File) bool { found[f.Key] = true; return true }))
		for _, part := range want {
			used, err := b.RefersToFile(b.ctx, part.Key)
			b.must(err)
			requireRead(b, "organisation of the file of a part", u.Organisation)(b.OrganisationOfFile(b.ctx, part.Key))
			if !found[part.Key] || !used {
				t.Errorf("the file of a part is not among the files, or nothing refers to it: %v, %v", found[part.Key], used)
			}
		}
	},
	"OfTwoPartsAtOneOffsetOneIsAdded": func(t *testing.T, b *fixture) {
		u := b.addUpload(owner)
		const tries = 5
		errs := make(chan error, tries)
		var wait sync.WaitGroup
		for range tries {
			after, part := b.withPart(u)
			wait.Go(func() { errs <- b.AppendPart(b.ctx, u.Received, after, part) })
		}
		wait.Wait()
		close(errs)
		added := 0
		for err := range errs {
			switch {
			case err == nil:
				added++
			case !errors.Is(err, store.ErrConflict):
				t.Error(err)
			}
		}
		parts, err := b.UploadParts(b.ctx, u.ID)
		b.must(err)
		if added != 1 || len(parts) != 1 {
			t.Errorf("%d were added, there are %d parts", added, len(parts))
		}
	},
	"OneDocumentTakesAnUpload": func(t *testing.T, b *fixture) {
		u := b.addUpload(owner)
		after, part := b.withPart(u)
		b.must(b.AppendPart(b.ctx, 0, after, part))
		var changes []contract.Change
		for range 4 {
			c, err := b.uploadChange(owner)
			b.must(err)
			c.Upload = u.ID
			changes = append(changes, c)
		}
		results := make(chan contract.Document, len(changes))
		var wait sync.WaitGroup
		for _, c := range changes {
			wait.Go(func() {
				d, err := b.Commit(b.ctx, c)
				if err == nil {
					results <- d
				} else if !errors.Is(err, store.ErrConflict) {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		close(results)
		if len(results) != 1 {
			t.Fatalf("%d documents were made", len(results))
		}
		after.Document = (<-results).ID
		b.requireUpload(after)
		requireRead(b, "storage", contract.Storage{Drafts: 1, Bytes: 1000})(b.Storage(b.ctx, "org"))
		more, part := b.withPart(after)
		if err := b.AppendPart(b.ctx, after.Received, more, part); !errors.Is(err, store.ErrConflict) {
			t.Errorf("a part after the document: %v", err)
		}
	},
	"AnUploadThatHasEndedIsGone": func(t *testing.T, b *fixture) {
		d, u := b.uploadDraft(owner), b.addUpload(owner)
		after, part := b.withPart(u)
		b.must(b.AppendPart(b.ctx, 0, after, part))
		b.must(b.ForgetParts(b.ctx, u.ID)) // it can be continued: nothing happens
		b.requireUpload(after)
		b.must(b.EndUpload(b.ctx, u.ID))
		b.must(b.EndUpload(b.ctx, u.ID))
		if _, err := b.ResumableUpload(b.ctx, u.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("it is read: %v", err)
		}
		more, next := b.withPart(after)
		if err := b.AppendPart(b.ctx, after.Received, more, next); !errors.Is(err, store.ErrConflict) {
			t.Errorf("a part is added: %v", err)
		}
		c, err := b.uploadChange(owner)
		b.must(err)
		c.Upload = u.ID
		b.requireNoEffect(t, c, store.ErrConflict, d.ID)
		parts, err := b.UploadParts(b.ctx, u.ID)
		b.must(err)
		if len(parts) != 1 {
			t.Errorf("it has %d parts to remove", len(parts))
		}
		b.must(b.ForgetParts(b.ctx, u.ID))
		if parts, err = b.UploadParts(b.ctx, u.ID); err != nil || len(parts) != 0 {
			t.Errorf("%v, %v", parts, err)
		}
		b.must(b.ForgetParts(b.ctx, u.ID))
	},
	"UploadsAreUnneededOnceTheyExpiredEndedOrBecameADocument": func(t *testing.T, b *fixture) {
		ended, used, live := b.addUpload(owner), b.addUpload(owner), b.addUpload(owner)
		b.must(b.EndUpload(b.ctx, ended.ID))
		after, part := b.withPart(used)
		b.must(b.AppendPart(b.ctx, 0, after, part))
		c, err := b.uploadChange(owner)
		b.must(err)
		c.Upload = used.ID
		b.commitChange(c, nil)
		unneeded := func(at time.Time, want ...contract.UploadID) {
			t.Helper()
			got, err := b.UnneededUploads(b.ctx, at, 10)
			b.must(err)
			found := map[contract.UploadID]bool{}
			for _, id := range got {
				found[id] = true
			}
			ok := len(got) == len(want)
			for _, id := range want {
				ok = ok && found[id]
			}
			if !ok {
				t.Errorf("unneeded are %v, want %v", got, want)
			}
		}
		unneeded(b.now, ended.ID, used.ID)
		b.must(b.ForgetParts(b.ctx, ended.ID))
		b.must(b.ForgetParts(b.ctx, used.ID))
		unneeded(b.now)
		if u, err := b.ResumableUpload(b.ctx, used.ID); err != nil || u.Document == 0 {
			t.Errorf("the upload does not name its document any more: %+v, %v", u, err)
		}
		unneeded(live.ExpiresAt, used.ID, live.ID)
	},
	"OpenUploadsAreBoundedByPersonAndOrganisation": func(t *testing.T, b *fixture) {
		u := b.addUpload(owner)
		add := func(by contract.Actor, change func(*contract.Limits)) error {
			l := limits
			change(&l)
			return b.AddUpload(b.ctx, b.newUpload(by), l)
		}
		for code, change := range map[string]func(*contract.Limits){
			"upload.too_many":       func(l *contract.Limits) { l.PersonUploads.Count = 1 },
			"upload.too_many_bytes": func(l *contract.Limits) { l.PersonUploads.Bytes = 5999 },
		} {
			if err := add(owner, change); !errors.Is(err, contract.Refuse(contract.NoQuota, code)) {
				t.Errorf("%s: %v", code, err)
			}
		}
		for code, change := range map[string]func(*contract.Limits){
			"upload.organisation_too_many":       func(l *contract.Limits) { l.OrganisationUploads.Count = 1 },
			"upload.organisation_too_many_bytes": func(l *contract.Limits) { l.OrganisationUploads.Bytes = 5999 },
		} {
			if err := add(first, change); !errors.Is(err, contract.Refuse(contract.NoQuota, code)) {
				t.Errorf("%s: %v", code, err)
			}
		}
		one := func(l *contract.Limits) { l.OrganisationUploads.Count, l.PersonUploads.Count = 1, 1 }
		b.must(add(otherOwner, one))
		b.must(b.EndUpload(b.ctx, u.ID))
		b.must(add(owner, one)) // one that has ended does not count
		b.advance(limits.UploadLifetime)
		b.must(add(owner, one)) // nor one that has expired
	},
	"OfUploadsThatBeginAtOnceNoMoreAreAddedThanTheLimitAllows": func(t *testing.T, b *fixture) {
		l := limits
		l.PersonUploads.Count = 3
		var uploads []contract.ResumableUpload
		for range 8 {
			uploads = append(uploads, b.newUpload(owner))
		}
		errs := make(chan error, len(uploads))
		var wait sync.WaitGroup
		for _, u := range uploads {
			wait.Go(func() { errs <- b.AddUpload(b.ctx, u, l) })
		}
		wait.Wait()
		close(errs)
		added := 0
		for err := range errs {
			if err == nil {
				added++
			} else if contract.KindOf(err) != contract.NoQuota {
				t.Error(err)
			}
		}
		if added != 3 {
			t.Errorf("%d were added", added)
		}
	},
}
