package main

import (
	"math/rand/v2"
	"sync"
	"time"

	"segel/scripts/running"
)

// killMoment is where in its work the service is when it is killed.
type killMoment string

// The moments. Those of the office tell of the two calls that cost or cannot be undone.
const (
	anyTime      killMoment = "at a random time"
	starting     killMoment = "while it starts"
	acknowledged killMoment = "when it has acknowledged an order"
	asking       killMoment = "when it asks the office, which acts all the same"
	answered     killMoment = "when the office has acted, before the answer arrives"
	told         killMoment = "right after the office's answer"
)

var moments = []killMoment{anyTime, starting, acknowledged, asking, answered, told}

// shotPlan is when one life of the service is to end.
type shotPlan struct {
	at    killMoment
	call  string        // of the office; empty: any that costs or cannot be undone
	nth   int           // how many such moments of this life are let pass, from 0
	delay time.Duration // from that moment to the shot; of anyTime and starting from the launch
}

// The two calls that cost or cannot be undone.
const (
	callTake  = "stampv2"
	callStamp = "docSigningZ"
)

// patience is how long a life may wait for the moment it is to end at.
const patience = 4 * time.Second

// drawShot chooses how a life ends. Most shots are aimed; in a tenth the service has hardly begun.
func drawShot(r *rand.Rand) shotPlan {
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
		a.call = []string{callTake, callStamp}[r.IntN(2)]
	}
	return a
}

// killer ends lives.
type killer struct {
	victim *running.Program
	shot   chan killMoment // of the life that is under way: when it ended

	mu    sync.Mutex // guards all below
	aim   shotPlan
	armed bool
}

// armShot waits for a moment of the next life.
func (k *killer) armShot(a shotPlan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.aim, k.armed, k.shot = a, true, make(chan killMoment, 1)
}

// observeMoment tells what just happens, and kills if that is the moment. It returns after the shot.
func (k *killer) observeMoment(m killMoment, call string) {
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
	k.killVictim(m)
}

// isArmed reports whether the shot is still to come.
func (k *killer) isArmed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.armed
}

// killVictim kills. The caller holds mu.
func (k *killer) killVictim(m killMoment) {
	k.armed = false
	k.victim.Kill()
	k.shot <- m
}

// waitForDeath lets the service, which was just launched, live until its moment, or until patience ends. It returns the moment
// that it died at.
func (k *killer) waitForDeath() killMoment {
	k.mu.Lock()
	wait, m, shot := patience, anyTime, k.shot
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
		k.killVictim(m)
	}
	k.mu.Unlock()
	return <-shot
}
