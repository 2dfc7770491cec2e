package contract

import (
	"errors"
	"testing"
	"time"
)

func TestRemindersFollowTheScheduleUntilThePersonHasActed(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	d := newDraft(t, func(u *Upload) {
		u.Delivery.Reminders, u.ExpiresAt = Reminders{After: 3, Every: 7, Before: 1}, t0.Add(30*day)
	})
	if next := d.NextReminder(); !next.IsZero() {
		t.Errorf("a draft reminds at %v", next)
	}
	d = placeBoxes(t, d, signRequest("first"), signRequest("second"))
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	d = applyChange(t, c, err)
	for _, due := range []time.Duration{3 * day, 10 * day, 17 * day, 24 * day} {
		if next := d.NextReminder(); !next.Equal(t0.Add(due)) {
			t.Fatalf("the next reminder is at %v, want %v", next.Sub(t0), due)
		}
		if _, changed := RemindBySchedule(d, t0.Add(due-time.Second)); changed {
			t.Fatalf("a reminder was sent before it was due, at %v", due)
		}
		c, changed := RemindBySchedule(d, t0.Add(due))
		if !changed {
			t.Fatalf("no reminder at %v", due)
		}
		d = requireNotices(t, c, nil, "reminder to first")
	}
	if next := d.NextReminder(); !next.Equal(t0.Add(29 * day)) { // before the deadline
		t.Errorf("the last reminder is at %v", next.Sub(t0))
	}
	if _, changed := RemindBySchedule(d, t0.Add(30*day)); changed {
		t.Error("a reminder was sent after the deadline")
	}
	// A reminder by hand counts too, and a signature begins the count anew.
	c, err = Remind(d, owner, t0.Add(25*day))
	d = applyChange(t, c, err)
	if next := d.NextReminder(); !next.Equal(t0.Add(29 * day)) {
		t.Errorf("after a reminder by hand: %v", next.Sub(t0))
	}
	d.Delivery.Silent = true
	if next := d.NextReminder(); !next.IsZero() {
		t.Errorf("a silent document reminds at %v", next)
	}
	d.Delivery.Silent, d.LastSignedAt = false, t0.Add(26*day-time.Hour)
	if next := d.NextReminder(); !next.Equal(t0.Add(29*day - time.Hour)) {
		t.Errorf("after a signature: %v", next.Sub(t0))
	}
	d.Delivery.Reminders = Reminders{Before: 2}
	d.LastSignedAt = t0.Add(29 * day)
	if next := d.NextReminder(); !next.IsZero() {
		t.Errorf("a turn that begins after the last reminder reminds at %v", next.Sub(t0))
	}
}

func TestASecondReminderOfTheSameDayIsNotScheduled(t *testing.T) {
	t.Parallel()
	d := placeBoxes(t, newDraft(t, func(u *Upload) { u.Delivery.Reminders = Reminders{After: 1} }), signRequest("first"))
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	d = applyChange(t, c, err)
	change, changed := RemindBySchedule(d, t0.Add(24*time.Hour))
	if !changed {
		t.Fatal("no reminder was due")
	}
	d = applyChange(t, change, nil)
	if next := d.NextReminder(); !next.IsZero() {
		t.Errorf("another reminder is at %v", next)
	}
}

func TestRemindersOutOfRangeAreRefused(t *testing.T) {
	t.Parallel()
	d := newDraft(t)
	for _, r := range []Reminders{{After: -1}, {Every: 366}, {Before: 1000}} {
		var e *Error
		if _, err := Describe(d, Description{Reminders: &r}, owner, limits, t0); !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Code != "number.not_in_range" {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestQuietHoursMayIncludeMidnight(t *testing.T) {
	t.Parallel()
	for q, quiet := range map[QuietHours]string{
		{20, 8}: "########............####", {1, 5}: ".####...................", {0, 0}: "........................",
		{22, 24}: "......................##", {24, 2}: "##......................",
	} {
		for hour := range 24 {
			if got := q.Include(time.Date(2026, 11, 23, hour, 30, 0, 0, Jakarta), Jakarta); got != (quiet[hour] == '#') {
				t.Errorf("%v includes %d: %t", q, hour, got)
			}
		}
	}
}

func TestRequestsThatRemindNoOnePutNoReminderOff(t *testing.T) {
	t.Parallel()
	d := placeBoxes(t, newDraft(t, func(u *Upload) { u.Delivery.Reminders = Reminders{Every: 7} }), signRequest("first"), signRequest("second"))
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	d = applyChange(t, c, err)
	var last time.Time
	for i, reminds := range []bool{true, false, true, false, true} {
		now := t0.Add(time.Duration(i+1) * 50 * time.Minute)
		c, err := Remind(d, owner, now)
		var want []string
		if reminds {
			last, want = now, []string{"reminder to first"}
		}
		d = requireNotices(t, c, err, want...)
		if next, want := d.NextReminder(), last.Add(7*24*time.Hour); !next.Equal(want) {
			t.Errorf("after request %d the next reminder is at %v, want %v", i+1, next.Sub(t0), want.Sub(t0))
		}
	}
}
