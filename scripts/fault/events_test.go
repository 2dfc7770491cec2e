package main

import "testing"

// reported returns an event of a document.
func reported(id, kind string, document int64) event {
	e := event{ID: id, Type: kind}
	e.Data.Document = document
	return e
}

func TestEventsThatAreLostDisorderedOrUnknownAreFound(t *testing.T) {
	t.Parallel()
	feed := []event{reported("a", "document.created", 1), reported("b", "document.created", 2), reported("c", "document.completed", 1), reported("d", "document.completed", 2)}
	orders := []*order{{id: 1, state: "completed"}, {id: 2, state: "completed"}}
	for name, c := range map[string]struct {
		accepted map[string]int
		feed     []event
		faults   int
	}{
		"complete":                      {map[string]int{"a": 0, "b": 3, "c": 1, "d": 4}, feed, 0},
		"lost":                          {map[string]int{"a": 0, "b": 3, "c": 1}, feed, 1},
		"out of order":                  {map[string]int{"a": 1, "b": 3, "c": 0, "d": 4}, feed, 1},
		"unknown":                       {map[string]int{"a": 0, "b": 3, "c": 1, "d": 4, "e": 5}, feed, 1},
		"a completion is not reported":  {map[string]int{"a": 0, "b": 3, "c": 1}, feed[:3], 1},
		"a completion is reported anew": {map[string]int{"a": 0, "b": 3, "c": 1, "d": 4, "e": 5}, append(feed[:4:4], reported("e", "document.completed", 2)), 1},
	} {
		r := &receiver{accepted: c.accepted}
		if got := r.compareEvents(c.feed, orders); got.countFaults() != c.faults {
			t.Errorf("%s: %d faults, want %d: %v", name, got.countFaults(), c.faults, got)
		}
	}
}
