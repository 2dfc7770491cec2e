package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestAFlagThatAMeasurementDoesNotUseIsRefused(t *testing.T) {
	t.Parallel()
	few := options{documents: 1, clients: 1, size: 1, rounds: 1}
	with := func(change func(*options)) options { o := few; change(&o); return o }
	stamps := with(func(o *options) { o.stamps = true })
	against := with(func(o *options) { o.against = "build/before" })
	nodes := with(func(o *options) { o.nodes = "1,2" })
	batch := with(func(o *options) { o.nodes, o.batch = "2", 100 })
	for _, c := range []struct {
		o     options
		given string
		want  string // empty: none
	}{
		{few, "segel n c size postgres evidence profile", ""},
		{few, "rounds", "-rounds has no effect"},
		{few, "office", "-office has no effect"},
		{with(func(o *options) { o.clients = 0 }), "c", "at least 1"},
		{with(func(o *options) { o.roundTrip = time.Millisecond }), "rtt", "-rtt needs -postgres"},
		{stamps, "stamps n c profile evidence", ""},
		{against, "against n c rounds stamps postgres", ""},
		{against, "against profile", "-profile has no effect on the measurement of -against"},
		{against, "against evidence", "-evidence has no effect"},
		{nodes, "nodes n c rounds", ""},
		{nodes, "nodes stamps", "-stamps has no effect on the measurement of -nodes"},
		{nodes, "nodes postgres", "-postgres has no effect"},
		{batch, "segel nodes batch n size office slots jobs", ""},
		{batch, "nodes batch c", "-c has no effect on the measurement of -batch"},
	} {
		err := c.o.refuseUnusedFlags(strings.Fields(c.given))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.given, err, c.want)
		}
	}
}

func TestAComparisonOfStampingOrdersTakesOrdersThroughAndNotSignatures(t *testing.T) {
	t.Parallel()
	var done []string
	for _, p := range (options{stamps: true}).comparedPhases() {
		for _, o := range p.operations {
			done = append(done, o.name)
		}
		if p.wait != nil {
			done = append(done, "wait for all")
		}
	}
	if got := strings.Join(done, ", "); got != "upload and place, finalize, wait for all" {
		t.Error(got)
	}
	waited := false
	l := &load{options: options{clients: 1}}
	err := l.runPhase(t.Context(), phase{wait: func(*load, context.Context) error { waited = true; return nil }}, make([]document, 3))
	if err != nil || !waited {
		t.Errorf("a phase that waits for all documents did not: %v", err)
	}
}
