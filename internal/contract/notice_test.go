package contract

import (
	"slices"
	"testing"
	"time"
)

// noticesOf returns the notices of a change as "kind to person".
func noticesOf(c Change) []string {
	all := []string{}
	for _, n := range c.Notices {
		all = append(all, string(n.Kind)+" to "+string(n.Person))
	}
	return all
}

func requireNotices(t *testing.T, c Change, err error, want ...string) *Document {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got := noticesOf(c); !slices.Equal(got, want) {
		t.Errorf("notices are %q, want %q", got, want)
	}
	jobs := slices.ContainsFunc(c.Jobs, func(j Job) bool { return j.Kind == JobNotify })
	if jobs != (len(want) > 0) {
		t.Errorf("the change has a job that delivers: %t", jobs)
	}
	return applyChange(t, c, nil)
}

// signChange returns the change that a signature is.
func signChange(t *testing.T, d *Document, by Actor) (Change, error) {
	t.Helper()
	c, err := IntendSign(d, ShownPages{}, by, t0)
	if err != nil {
		return c, err
	}
	d = requireNotices(t, c, nil)
	return Sign(d, nextRevision(d, 100), ShownPages{}, attestationOf(d, by), by, t0)
}

func TestPeopleAreInvitedWhenTheirTurnComes(t *testing.T) {
	t.Parallel()
	d := newDraft(t)
	d = placeBoxes(t, d, signRequest("first"), signRequest("second"))
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	d = requireNotices(t, c, err, "invite_sign to first")
	c, err = signChange(t, d, first)
	d = requireNotices(t, c, err, "invite_sign to second")
	c, err = signChange(t, d, second)
	requireNotices(t, c, err, "invite_view to viewer", "invite_view to guest")
}

func TestTheOwnerIsNotInvitedToWhatTheyJustFinalized(t *testing.T) {
	t.Parallel()
	d := placeBoxes(t, newDraft(t, ownerSigns), signRequest("owner"))
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	requireNotices(t, c, err)
}

func TestPeopleWithoutAnAddressGetNoNotice(t *testing.T) {
	t.Parallel()
	d := newDraft(t, inParallel, func(u *Upload) { u.Participants[0].Email = "" })
	d = placeBoxes(t, d, signRequest("first"), signRequest("second"))
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	requireNotices(t, c, err, "invite_sign to second")
}

func TestTheEndOfADocumentIsToldToThoseWhoHeardOfIt(t *testing.T) {
	t.Parallel()
	begin := func(with ...func(*Upload)) *Document { return signAs(t, finalizeDraft(t, newDraft(t, with...)), first) }
	d := begin()
	c, err := Reject(d, "Harga salah", second, Limits{Text: 255}, t0)
	requireNotices(t, c, err, "declined to owner", "declined to first")
	if c.Notices[0].By != second.Name {
		t.Errorf("the notice says that %q declined", c.Notices[0].By)
	}
	c, err = Cancel(d, "", owner, Limits{Text: 255}, t0)
	requireNotices(t, c, err, "canceled to first", "canceled to second")
	c, changed := Expire(begin(withDeadline), t0.Add(2*time.Hour))
	if !changed {
		t.Fatal("nothing expired")
	}
	requireNotices(t, c, nil, "expired to owner", "expired to first", "expired to second")
	draft, _ := Expire(newDraft(t, withDeadline), t0.Add(2*time.Hour))
	requireNotices(t, draft, nil)
}

func TestAReminderGoesToThoseInTurn(t *testing.T) {
	t.Parallel()
	c, err := Remind(finalizeDraft(t, newDraft(t)), owner, t0)
	requireNotices(t, c, err, "reminder to first")
	again := applyChange(t, c, err)
	c, err = Remind(again, owner, t0.Add(59*time.Minute))
	again = requireNotices(t, c, err) // recorded, not mailed
	again.RemindedAt = t0
	c, err = Remind(again, owner, t0.Add(time.Hour))
	again = applyChange(t, c, err)
	c, err = Remind(again, owner, t0.Add(time.Hour-time.Second)) // another node, whose clock is behind
	again = requireNotices(t, c, err)
	c, err = Remind(again, owner, t0.Add(-24*time.Hour)) // the clock was ahead
	requireNotices(t, c, err, "reminder to first")
	c, err = Remind(finalizeDraft(t, newDraft(t, inParallel)), owner, t0)
	requireNotices(t, c, err, "reminder to first", "reminder to second")
}

func TestKeptNoticesNeedNoJob(t *testing.T) {
	t.Parallel()
	c, err := Remind(finalizeDraft(t, newDraft(t)), owner, t0)
	if err != nil {
		t.Fatal(err)
	}
	before := c.Notices[0]
	kept := c
	kept.KeepNotices(func(Channel) bool { return false })
	if n := kept.Notices[0]; n.State != NoticeKept || !n.DoneAt.Equal(t0) || len(kept.Jobs) != 0 {
		t.Errorf("kept: %+v, jobs %v", n, kept.Jobs)
	}
	if c.Notices[0] != before {
		t.Error("the change that was copied is changed too")
	}
}

func TestAnInvitationHasNoPurposeOnceThePersonActed(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t))
	invite := Notice{Person: "first", Kind: NoticeInviteSigner}
	if !d.Needs(invite) {
		t.Error("before the signature it is needed")
	}
	if d = signAs(t, d, first); d.Needs(invite) {
		t.Error("after the signature it is needed still")
	}
}

func TestANoticeIsTriedForThreeDays(t *testing.T) {
	t.Parallel()
	n := Notice{OrderedAt: t0}
	now, last := t0, time.Duration(0)
	for n.Tries < 1000 {
		n.Tries++
		next, more := NextNoticeTry(n, now)
		if !more {
			break
		}
		if wait := next.Sub(now); wait < last || wait > 2*time.Hour {
			t.Fatalf("try %d is followed by a wait of %s after one of %s", n.Tries, wait, last)
		} else {
			last = wait
		}
		now = next
	}
	if d := now.Sub(t0); d < 72*time.Hour || d > 75*time.Hour || n.Tries < 30 {
		t.Errorf("%d tries in %s", n.Tries, d)
	}
}
