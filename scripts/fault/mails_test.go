package main

import (
	"testing"
	"time"
)

func TestMailsThatAreLostRepeatedLateOrUnknownAreFound(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return time.Unix(1_800_000_000+int64(seconds), 0) }
	notices := map[string]noticeRow{
		"done": {1, "completed", "sent", "saksi@example.test"}, "invited": {2, "invite_sign", "sent", "mitra@example.test"},
		"canceled": {2, "canceled", "sent", "mitra@example.test"},
	}
	mails := []receipt{{"done", "saksi@example.test", at(1)}, {"invited", "mitra@example.test", at(2)}, {"canceled", "mitra@example.test", at(30)}}
	orders := []*order{{id: 1, state: "completed", witness: "saksi@example.test", letter: &letter{mailbox: "mitra@example.test", id: 2}}}
	without := func(id, state string) map[string]noticeRow {
		changed := map[string]noticeRow{}
		for k, n := range notices {
			if k == id {
				n.state = state
			}
			changed[k] = n
		}
		return changed
	}
	again := receipt{"done", "saksi@example.test", at(70)}
	for name, c := range map[string]struct {
		notices   map[string]noticeRow
		mails     []receipt
		disturbed []time.Time
		faults    int
	}{
		"all are mailed":                         {notices, mails, nil, 0},
		"one is lost, and its recipient with it": {notices, mails[1:], nil, 2},
		"one is not recorded":                    {without("done", "ordered"), mails, nil, 1},
		"an invitation is dropped":               {without("invited", "dropped"), mails, nil, 0},
		"a completion is dropped":                {without("done", "dropped"), mails, nil, 1},
		"repeated after a kill":                  {notices, append(mails[:3:3], again), []time.Time{at(1)}, 0},
		"repeated without a reason":              {notices, append(mails[:3:3], again), []time.Time{at(80)}, 1},
		"repeated long after a kill":             {notices, append(mails[:3:3], again), []time.Time{at(-60)}, 1},
		"an invitation is late":                  {notices, append(mails[:3:3], receipt{"invited", "mitra@example.test", at(40)}), []time.Time{at(5)}, 1},
		"at another address":                     {notices, append(mails[1:3:3], receipt{"done", "mitra@example.test", at(1)}), nil, 2},
		"that no notice ordered":                 {notices, append(mails[:3:3], receipt{"another", "saksi@example.test", at(9)}), nil, 1},
	} {
		m := &mailServer{receipts: c.mails}
		if got := m.compareMails(c.notices, orders, c.disturbed, false); got.countFaults() != c.faults {
			t.Errorf("%s: %d faults, want %d: %v", name, got.countFaults(), c.faults, got)
		}
	}
}
