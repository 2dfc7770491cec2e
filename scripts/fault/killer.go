package main

import (
	"math/rand/v2"
	"sync"
	"time"

	"segel/scripts/running"
)

// moment is where in its work the service is when it is killed.
type moment string

// The moments. Those of the office tell of the two calls that cost or cannot be undone.
const (
	anyTime      moment = "at a random time"
	starting     moment = "while it starts"
	acknowledged moment = "when it has acknowledged an order"
	asking       moment = "when it asks the office, which acts all the same"
	answered     moment = "when the office has acted, before the answer arrives"
	told         moment = "right after the office's answer"
)

var moments = []moment{anyTime, starting, acknowledged, asking, answered, told}

// aim is when one life of the service is to end.
type aim struct {
	at    moment
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

// draw chooses how a life ends. Most shots are aimed; in a tenth the service has hardly begun.
func draw(r *rand.Rand) aim {
	a := aim{nth: r.IntN(12)}
	switch n := r.IntN(20); {
	case n < 2:
		return aim{at: starting, delay: time.Duration(r.IntN(400)) * time.Millisecond}
	case n < 7:
		return aim{at: anyTime, delay: time.Duration(300+r.IntN(1700)) * time.Millisecond}
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
	shot   chan moment // of the life that is under way: when it ended

	mu    sync.Mutex // guards all below
	aim   aim
	armed bool
}

// arm waits for a moment of the next life.
func (k *killer) arm(a aim) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.aim, k.armed, k.shot = a, true, make(chan moment, 1)
}

// see tells what just happens, and kills if that is the moment. It returns after the shot.
func (k *killer) see(m moment, call string) {
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
	k.fire(m)
}

// waits reports whether the shot is still to come.
func (k *killer) waits() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.armed
}

// fire kills. The caller holds mu.
func (k *killer) fire(m moment) {
	k.armed = false
	k.victim.Kill()
	k.shot <- m
}

// live lets the service, which was just launched, live until its moment, or until patience ends. It returns the moment
// that it died at.
func (k *killer) live() moment {
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
		k.fire(m)
	}
	k.mu.Unlock()
	return <-shot
}
