package main

import (
	"net/http"
	"reflect"
	"testing"
)

// remindOf returns the reminders of a document in days: after, every, before.
func (c *client) remindOf(id int64) []any {
	c.t.Helper()
	r := c.get("detail", id).ok().object("data", "delivery", "remind")
	return []any{r["after"], r["every"], r["before"]}
}

func TestNewDocumentsGetTheRemindersOfTheirOrganisation(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, set...)
		admin := s.administrator(t, "Admin", "PT Satu")
		owner, other := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Lain", "PT Dua")
		requireReminders := func(c *client, id int64, after, every, before float64) {
			t.Helper()
			if got := c.remindOf(id); !reflect.DeepEqual(got, []any{after, every, before}) {
				t.Errorf("document %d has the reminders %v", id, got)
			}
		}
		const path = "/v1/admin/reminders"
		set3 := object{"after": 3, "every": 7}
		earlier := owner.upload(simple())
		owner.do("PUT", path, object{"remind": set3}).is(http.StatusForbidden)
		admin.do("PUT", path, object{}).is(http.StatusUnprocessableEntity, "remind")
		admin.do("PUT", path, object{"remind": object{"after": 366}}).is(http.StatusUnprocessableEntity, "remind.after")
		admin.do("PUT", path, object{"remind": object{"before": -1}}).is(http.StatusUnprocessableEntity, "remind.before")
		for range 2 { // the second one changes nothing
			if got := admin.do("PUT", path, object{"remind": set3}).ok().object("response", "data", "remind"); got["after"] != 3.0 || got["every"] != 7.0 || got["before"] != 0.0 {
				t.Errorf("set: %v", got)
			}
		}
		if got := admin.do("GET", path, nil).ok().object("data"); got["remind"].(object)["after"] != 3.0 || got["organisation"].(object)["name"] != "PT Satu" {
			t.Errorf("read: %v", got)
		}
		if got := admin.do("GET", "/v1/admin/audit-log?type=reminders_changed", nil).ok().object("data")["events"].([]any); len(got) != 1 ||
			got[0].(object)["description"] != "Mengubah jadwal pengingat untuk dokumen baru; pertama setelah 3 hari; kemudian setiap 7 hari" {
			t.Errorf("the audit log: %v", got)
		}

		taken := owner.upload(simple())
		requireReminders(owner, earlier, 0, 0, 0)
		requireReminders(owner, taken, 3, 7, 0)
		requireReminders(owner, owner.uploadWith(object{"remind": object{"after": 1}}, simple()), 1, 0, 0)
		requireReminders(owner, owner.uploadWith(object{"remind": object{"after": 0, "every": 0, "before": 0}}, simple()), 0, 0, 0)
		requireReminders(owner, owner.uploadWith(object{"remind": object{}}, simple()), 0, 0, 0)
		requireReminders(other, other.upload(simple()), 0, 0, 0)

		// A document keeps what it took.
		admin.do("PUT", path, object{"remind": object{"before": 2}}).ok()
		requireReminders(owner, taken, 3, 7, 0)
		requireReminders(owner, owner.upload(simple()), 0, 0, 2)
		admin.do("PUT", path, object{"remind": object{}}).ok()
		requireReminders(owner, owner.upload(simple()), 0, 0, 0)
		fsck(t, s, 0)
	})
}
