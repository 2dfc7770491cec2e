package contract

import "time"

// Reminders says when the service reminds those whose turn it is, in days of 24 hours from 1 to 365; 0: not.
type Reminders struct {
	After  int // after the turn of the last person began
	Every  int // after the last reminder
	Before int // before the document expires
}

const maxReminderDays = 365

// CheckReminders checks a schedule that is not part of a document.
func CheckReminders(r Reminders) error {
	var bad fieldErrors
	r.check(&bad)
	return bad.asError()
}

func (r Reminders) check(bad *fieldErrors) {
	for field, days := range map[string]int{"after": r.After, "every": r.Every, "before": r.Before} {
		if days < 0 || days > maxReminderDays {
			bad.add("remind."+field, "number.not_in_range", "least", 0, "most", maxReminderDays)
		}
	}
}

// NextReminder returns when the service is to remind those whose turn it is; zero: never, as things are now.
func (d *Document) NextReminder() time.Time {
	if !d.AwaitsSigners() || d.Delivery.Silent {
		return time.Time{}
	}
	const day = 24 * time.Hour
	r, turn := d.Delivery.Reminders, d.FinalizedAt
	for _, acted := range []time.Time{d.LastSignedAt, d.lastApproval()} {
		if acted.After(turn) {
			turn = acted
		}
	}
	var next time.Time
	switch {
	case r.After > 0 && !d.RemindedAt.After(turn):
		next = turn.Add(time.Duration(r.After) * day)
	case r.Every > 0 && d.RemindedAt.After(turn):
		next = d.RemindedAt.Add(time.Duration(r.Every) * day)
	}
	if r.Before > 0 && !d.ExpiresAt.IsZero() {
		// Not if the turn began, or a reminder was sent, since then.
		before := d.ExpiresAt.Add(-time.Duration(r.Before) * day)
		if before.After(turn) && before.After(d.RemindedAt) && (next.IsZero() || before.Before(next)) {
			next = before
		}
	}
	return next
}

// RemindBySchedule reminds those whose turn it is, if a reminder is due. Changed is false if none is.
func RemindBySchedule(d *Document, now time.Time) (c Change, changed bool) {
	next := d.NextReminder()
	if next.IsZero() || now.Before(next) || d.IsOverdue(now) {
		return Change{}, false
	}
	c = newChange(d)
	c.After.RemindedAt = now
	c.addEvent(EventReminded, Actor{}, now)
	for _, p := range c.After.Participants {
		if c.After.InTurn(p.ID) {
			c.addNotice(NoticeReminder, p.Person, Actor{}, now)
		}
	}
	return c, true
}

// reminderPause is the shortest time between two reminders about a document that are mailed, so that they flood no mailbox.
const reminderPause = time.Hour

// Remind records that the owner asked for the signers in turn to be reminded, and orders a notice to each of them who has an
// address, unless those in turn were reminded within the last hour. The audit trail records the request here, and each delivery when it is made. A request that
// reminds no one does not put the next reminder off.
func Remind(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpRemind); err != nil {
		return Change{}, err
	}
	switch {
	case !d.AwaitsSigners():
		return Change{}, ErrNotActive
	case d.IsOverdue(now):
		return Change{}, ErrExpired
	}
	c := newChange(d)
	c.addEvent(EventReminded, by, now)
	// In either direction: clocks of nodes differ, and one that was further ahead at the last reminder was set back.
	if now.Sub(d.RemindedAt).Abs() < reminderPause {
		return c, nil
	}
	c.After.RemindedAt = now
	for _, p := range c.After.Participants {
		if c.After.InTurn(p.ID) {
			c.addNotice(NoticeReminder, p.Person, by, now)
		}
	}
	return c, nil
}

// QuietHours are the hours of a day in the time zone of an organisation, from 0 to 24, in which the service sends no scheduled reminders. From may be later than Until: then
// they include midnight. Equal hours: none.
type QuietHours struct{ From, Until int }

// Include reports whether a moment is in the quiet hours of a time zone.
func (q QuietHours) Include(now time.Time, zone *time.Location) bool {
	hour := now.In(zone).Hour()
	if q.From <= q.Until {
		return hour >= q.From && hour < q.Until
	}
	return hour >= q.From || hour < q.Until
}
