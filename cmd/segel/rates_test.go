package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// untilBothAnnounce waits until two processes have announced themselves n times each.
func untilBothAnnounce(t *testing.T, s *service, n int) {
	t.Helper()
	ctx, enough := context.WithTimeout(t.Context(), time.Minute)
	defer enough()
	heard := map[string]int{}
	_ = s.store.ListenForAnnouncements(ctx, rateChannel, func() {}, func(m string) {
		var in struct{ Process string }
		if err := json.Unmarshal([]byte(m), &in); err != nil {
			t.Error(err)
		}
		heard[in.Process]++
		several := 0
		for _, times := range heard {
			if times >= n {
				several++
			}
		}
		if several == 2 {
			enough()
		}
	})
	if len(heard) != 2 {
		t.Fatalf("%d processes announced themselves", len(heard))
	}
}

// admittedBy asks all at the same time for a while and returns how many requests were admitted.
func admittedBy(during time.Duration, path string, all ...*client) (admitted int, took time.Duration) {
	began := time.Now()
	each := make([]int, len(all))
	var asking sync.WaitGroup
	for i, c := range all {
		asking.Go(func() {
			for time.Since(began) < during {
				if c.do("GET", path, nil).status != http.StatusTooManyRequests {
					each[i]++
				}
			}
		})
	}
	asking.Wait()
	for _, n := range each {
		admitted += n
	}
	return admitted, time.Since(began)
}

// twoServices are on one database behind a proxy, and exchange the counts of their rates.
func twoServices(t *testing.T, set ...string) (first, second *service, proxy *pgtest.Proxy) {
	t.Helper()
	proxy, err := pgtest.NewProxy(pgtest.Database(t, sqlstore.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	how := starting{set: append(set, "SEGEL_DATABASE", proxy.DSN()), idle: true, data: newDataFolder(t), log: io.Discard}
	first, second = how.start(t), how.start(t)
	var exchanging sync.WaitGroup
	ctx, end := context.WithCancel(context.Background())
	for _, s := range []*service{first, second} {
		exchanging.Go(func() { exchangeRates(ctx, s.rates, s.store) })
	}
	t.Cleanup(func() { end(); exchanging.Wait() })
	return first, second, proxy
}

// limitOfTwo is what two processes admit at most: what one would, and once more what a burst and four seconds allow.
func limitOfTwo(perSecond, burst int, took time.Duration) int {
	return burst + int(float64(perSecond)*took.Seconds()) + burst + 4*perSecond + 2
}

func TestAKeyThatIsUsedAtTwoServicesGetsTheRateOfOne(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	t.Parallel()
	first, second, _ := twoServices(t, "SEGEL_KEY_REQUESTS_PER_SECOND", "4")
	key, _ := first.person(t, "Siti", "").keyWith(nil, contract.ScopeRead)
	untilBothAnnounce(t, first, 3)
	const perSecond, burst = 4, 41
	admitted, took := admittedBy(3*time.Second, "/v1/auth/me", key, key.on(second))
	if most := limitOfTwo(perSecond, burst, took); admitted > most || admitted < burst/2 {
		t.Errorf("the key was admitted %d times in %v, want at least %d and at most %d", admitted, took, burst/2, most)
	}
	// What was admitted too much is owed: from now on it is the rate.
	admitted, took = admittedBy(4*time.Second, "/v1/auth/me", key, key.on(second))
	if most := limitOfTwo(perSecond, 0, took); admitted > most {
		t.Errorf("then it was admitted %d times in %v, want at most %d", admitted, took, most)
	}
}

func TestRatesOfAddressesHoldForTwoServicesAndForEachWhileTheDatabaseIsAway(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	t.Parallel()
	const perSecond, burst = 20, 40
	first, second, proxy := twoServices(t, "SEGEL_REQUESTS_PER_SECOND", "20", "SEGEL_REQUESTS_AT_ONCE", "40")
	untilBothAnnounce(t, first, 3)
	one, other := &client{service: first, t: t}, &client{service: second, t: t}
	admitted, took := admittedBy(3*time.Second, "/healthz", one, other)
	if most := limitOfTwo(perSecond, burst, took); admitted > most || admitted < burst {
		t.Errorf("the address was admitted %d times in %v, want at least %d and at most %d", admitted, took, burst, most)
	}
	if err := proxy.Set(pgtest.Refuse); err != nil {
		t.Fatal(err)
	}
	admittedBy(6*time.Second, "/healthz", one, other) // until each takes the other for gone and owes nothing
	admitted, took = admittedBy(3*time.Second, "/healthz", one, other)
	if fewest := int(1.5 * perSecond * took.Seconds()); admitted < fewest {
		t.Errorf("without the database, the services admitted %d requests in %v, want the rate of each: at least %d", admitted, took, fewest)
	}
}
