package storetest

import (
	"testing"

	"segel/internal/contract"
)

var scheduleTests = map[string]func(*testing.T, *fixture){
	"AnOrganisationHasTheLocaleThatWasSetLast": func(t *testing.T, b *fixture) {
		for _, l := range []contract.Locale{{Language: "en", Zone: "Asia/Makassar"}, {Zone: "UTC"}, {Language: "id"}, {}} {
			before := b.eventCount()
			b.must(b.SetLocale(b.ctx, owner.Organisation, l, b.now, contract.Event{Type: contract.EventLocaleChanged, At: b.now, Person: owner.Person}))
			o, err := b.Organisation(b.ctx, owner.Organisation)
			b.must(err)
			b.requireEqual("then", o.Locale, l)
			b.requireEqual("events", b.eventCount()-before, int64(1))
		}
		o, err := b.Organisation(b.ctx, otherOwner.Organisation)
		b.must(err)
		b.requireEqual("of another organisation", o.Locale, contract.Locale{})
	},
	"AnOrganisationHasTheRemindersThatWereSetLast": func(t *testing.T, b *fixture) {
		requireReminders := func(when string, want contract.Reminders) {
			t.Helper()
			o, err := b.Organisation(b.ctx, owner.Organisation)
			b.must(err)
			b.requireEqual(when, o.Reminders, want)
		}
		requireReminders("at first", contract.Reminders{})
		for _, r := range []contract.Reminders{{After: 3, Every: 7, Before: 1}, {Every: 365}, {}} {
			before := b.eventCount()
			b.must(b.SetReminders(b.ctx, owner.Organisation, r, b.now, contract.Event{Type: contract.EventRemindersChanged, At: b.now, Person: owner.Person}))
			requireReminders("then", r)
			b.requireEqual("events", b.eventCount()-before, int64(1))
		}
	},
}
