package main

import (
	"math/rand/v2"
	"sync"
	"time"

	"segel/scripts/running"
)

// killMoment is the moment at which the service is killed.
type killMoment string

// The moments. Those of the office are about the two calls that cost money or cannot be undone. Those of mails and webhooks are between
// what was sent and the record of it.
const (
	anyTime      killMoment = "at a random time"
	starting     killMoment = "while it starts"
	acknowledged killMoment = "when it has acknowledged an order"
	asking       killMoment = "when it asks the office, which acts all the same"
	answered     killMoment = "when the office has acted, before the answer arrives"
	told         killMoment = "right after the office's answer"
	mailed       killMoment = "when the mail server has a mail, before its answer arrives"
	notified     killMoment = "when the webhook has an event, before its answer arrives"
)

var moments = []killMoment{anyTime, starting, acknowledged, asking, answered, told, mailed, notified}

// shotPlan is when one life of the service ends.
type shotPlan struct {
	at    killMoment
	call  string        // of the office; empty: any that costs money or cannot be undone
	nth   int           // how many such moments of this life to skip
	delay time.Duration // from that moment to the kill; for anyTime and starting, from the launch
}

// momentTimeout is how long to wait for the planned moment of a life.
const momentTimeout = 4 * time.Second

// drawShot chooses how the life number k ends. Most kills are aimed: one in eight at a mail, one in eight at an event for the webhook, and
// most others at the office; a tenth of these happen right after the start.
func drawShot(r *rand.Rand, k int) shotPlan {
	switch k % 8 {
	case 3:
		return shotPlan{at: notified, nth: r.IntN(12)}
	case 5:
		return shotPlan{at: mailed, nth: r.IntN(3)}
	}
	a := shotPlan{nth: r.IntN(12)}
	switch n := r.IntN(20); {
	case n < 2:
		return shotPlan{at: starting, delay: time.Duration(r.IntN(400)) * time.Millisecond}
	case n < 7:
		return shotPlan{at: anyTime, delay: time.Duration(300+r.IntN(1700)) * time.Millisecond}
	case n < 9:
		a.at, a.nth = acknowledged, r.IntN(8)
	case n < 12:
		a.at = asking
	case n < 15:
		a.at = answered
	default:
		a.at, a.delay = told, time.Duration(r.IntN(8000))*time.Microsecond
	}
	if a.at != acknowledged {
		a.call = []string{running.CallTake, running.CallStamp}[r.IntN(2)]
	}
	return a
}

// killer kills one node of the service.
type killer struct {
	draw   func() *node    // returns a node that runs, or nil
	killed func()          // reports each kill
	shot   chan killMoment // of the present life: when it ended

	mu    sync.Mutex // guards the fields below
	aim   shotPlan
	armed bool
}

// armShot prepares the kill of the next life.
func (k *killer) armShot(a shotPlan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.aim, k.armed, k.shot = a, true, make(chan killMoment, 1)
}

// observeMoment reports what happens now, and kills if that is the planned moment: the node that it happens to, or any if that is nil. It
// returns after the kill.
func (k *killer) observeMoment(m killMoment, call string, of *node) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.armed || k.aim.at != m || k.aim.call != "" && k.aim.call != call {
		return
	}
	if k.aim.nth > 0 {
		k.aim.nth--
		return
	}
	time.Sleep(k.aim.delay)
	k.kill(of, m)
}

// isArmed reports whether the kill is still to come.
func (k *killer) isArmed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.armed
}

// kill kills the node, or any if it is nil. The caller holds mu.
func (k *killer) kill(victim *node, m killMoment) {
	k.armed = false
	k.killed()
	if victim == nil {
		victim = k.draw()
	}
	if victim != nil {
		victim.Kill()
	}
	k.shot <- m
}

// waitForDeath waits until the service, just launched, is killed at its moment or after momentTimeout. It returns the moment of the
// kill.
func (k *killer) waitForDeath() killMoment {
	k.mu.Lock()
	wait, m, shot := momentTimeout, anyTime, k.shot
	if k.aim.at == anyTime || k.aim.at == starting {
		wait, m = k.aim.delay, k.aim.at
	}
	k.mu.Unlock()
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case m := <-shot:
		return m
	case <-t.C:
	}
	k.mu.Lock()
	if k.armed {
		k.kill(nil, m)
	}
	k.mu.Unlock()
	return <-shot
}
