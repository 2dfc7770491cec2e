package main

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"segel/internal/admission"
	"segel/internal/store"
)

// rateChannel is the channel on which nodes tell each other how many requests they admitted.
const rateChannel = "segel_rates"

// newRateExchange returns the exchange of this process.
func (a *app) newRateExchange() *admission.RateExchange {
	return admission.NewRateExchange(rand.Text(), a.derived[ratesPurpose])
}

// exchangeRates lets the rates of requests hold for all nodes until ctx ends. While the database does not answer, and where it runs in this process,
// they hold for this process alone.
func exchangeRates(ctx context.Context, e *admission.RateExchange, nodes store.Announcements) {
	var listening sync.WaitGroup
	defer listening.Wait()
	listening.Go(func() {
		for ctx.Err() == nil {
			err := nodes.ListenForAnnouncements(ctx, rateChannel, func() {}, func(m string) { e.Receive(m, time.Now()) })
			if errors.Is(err, errors.ErrUnsupported) {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(admission.ExchangeEvery):
			}
		}
	})
	tick := time.NewTicker(admission.ExchangeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		within, cancel := context.WithTimeout(ctx, admission.ExchangeEvery)
		err := announceAll(within, nodes, e.Collect(time.Now()))
		cancel()
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		// Another error is that of every other transaction too, and the next counts follow in a second.
	}
}

func announceAll(ctx context.Context, nodes store.Announcements, messages []string) error {
	for _, m := range messages {
		if err := nodes.Announce(ctx, rateChannel, m); err != nil {
			return err
		}
	}
	return nil
}
