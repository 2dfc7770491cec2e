package main

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// simultaneous is how many logins are in progress all the time.
const simultaneous = 200

// measureLogins measures what 200 logins at once, each from another address, cost those who work: the p99 of the status call, as a ratio within one run, and how
// long a person on a known device takes to log in meanwhile.
func measureLogins(binary, dir string) error {
	r, err := running.Start(binary, dir, "SEGEL_LOG_LEVEL=error", "SEGEL_TRUSTED_PROXIES=127.0.0.0/8", "SEGEL_CONVERT=off")
	if err != nil {
		return err
	}
	defer r.Stop()
	s := &attackRun{service: &service{Service: r}}
	for range 2 {
		if err := s.addPerson(""); err != nil {
			return err
		}
	}
	by := s.people[victim]
	id, err := s.uploadSized(by, pdftest.NewLarge(small, objects).Size(), 0, nil)
	if err != nil {
		return err
	}
	if err := s.victimLogin(); err != nil { // from now on the device is known
		return err
	}
	status := func(n int) (took []time.Duration, err error) {
		for range n {
			began := time.Now()
			if err := by.Get(fmt.Sprint(running.DocumentPath, "status/", id), nil); err != nil {
				return nil, err
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took, nil
	}
	if _, err := status(200); err != nil {
		return err
	}
	quiet, err := status(5000)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	var made atomic.Int64
	for i := range simultaneous {
		c := s.withAddress(fmt.Sprintf("198.51.%d.%d", 100+i/250, 1+i%250))
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				_ = c.Post(running.LoginPath, running.Object{"email": fmt.Sprintf("orang%d-%d@example.test", i, n), "password": "bukan kata sandinya"}, nil) // it is refused
				made.Add(1)
			}
		})
	}
	defer func() { close(stop); all.Wait() }()
	time.Sleep(time.Second) // until all are in progress
	began, before := time.Now(), made.Load()
	busy, err := status(5000)
	if err != nil {
		return err
	}
	rate := float64(made.Load()-before) / time.Since(began).Seconds()
	var logins []time.Duration
	for range 10 {
		began := time.Now()
		if err := s.victimLogin(); err != nil {
			return fmt.Errorf("a login on a known device: %w", err)
		}
		logins = append(logins, time.Since(began))
	}
	at := func(d []time.Duration) time.Duration { return d[len(d)*99/100] }
	fmt.Printf("%d logins at once (%.0f a second): status p99 %.2f times the quiet one (%.1f and %.1f ms); a login on a known device takes %.0f ms at most\n",
		simultaneous, rate, float64(at(busy))/float64(at(quiet)), toMillis(at(busy)), toMillis(at(quiet)), toMillis(slices.Max(logins)))
	return nil
}
