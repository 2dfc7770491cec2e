package admission

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var ratesBegin = time.Unix(1_800_000_000, 0)

// exchanging returns the rates of processes that know each other.
func exchanging(n int, perSecond float64, burst int) (all []*RateExchange, rates []*Rates) {
	for i := range n {
		e := NewRateExchange(fmt.Sprint("process ", i), [32]byte{1})
		all, rates = append(all, e), append(rates, e.NewRates("requests", perSecond, burst))
	}
	for _, e := range all {
		pass(e.Collect(ratesBegin), all, ratesBegin)
	}
	return all, rates
}

func pass(messages []string, to []*RateExchange, now time.Time) {
	for _, m := range messages {
		for _, e := range to {
			e.Receive(m, now)
		}
	}
}

func TestProcessesTogetherAdmitTheRateOfOneAndOnceWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		processes, perSecond, burst := 2+random.IntN(3), 1+random.Float64()*50, 1+random.IntN(100)
		all, rates := exchanging(processes, perSecond, burst)
		type letter struct {
			at       time.Time
			messages []string
		}
		underWay := map[int][]letter{}
		next := make([]time.Time, processes)
		for i := range next {
			next[i] = ratesBegin.Add(time.Duration(random.Int64N(int64(ExchangeEvery))))
		}
		admitted, end := 0, ratesBegin.Add(30*time.Second)
		for now := ratesBegin; now.Before(end); now = now.Add(50 * time.Millisecond) {
			for i, e := range all {
				if !now.Before(next[i]) {
					next[i] = now.Add(ExchangeEvery)
					m := e.Collect(now)
					for to := range all {
						underWay[to] = append(underWay[to], letter{now.Add(time.Duration(random.Int64N(int64(800 * time.Millisecond)))), m})
					}
				}
			}
			for to, letters := range underWay {
				left := letters[:0]
				for _, l := range letters {
					if now.Before(l.at) {
						left = append(left, l)
					} else {
						pass(l.messages, all[to:to+1], now)
					}
				}
				underWay[to] = left
			}
			for i := range 3 * processes {
				if i = random.IntN(processes); seed%5 == 0 {
					i = 0 // the key is used at one process alone
				}
				for range 1 + random.IntN(burst) {
					if rates[i].Take("key", now) == 0 {
						admitted++
					}
				}
			}
			underWay := float64(burst) + 4*perSecond
			if most := float64(burst) + perSecond*now.Sub(ratesBegin).Seconds() + underWay + float64(processes); float64(admitted) > most {
				t.Fatalf("seed %d: %d processes admitted %d requests in %v, more than %.0f", seed, processes, admitted, now.Sub(ratesBegin), most)
			}
		}
		fewest := perSecond * 20
		if float64(burst) < 3*perSecond { // counts arrive late, in one piece, and a small bucket overflows meanwhile
			fewest = perSecond * 10
		}
		if float64(admitted) < fewest {
			t.Errorf("seed %d: %d processes admitted %d requests in 30 s at %.1f a second", seed, processes, admitted, perSecond)
		}
	}
}

// drain returns how many requests are admitted at once.
func drain(r *Rates, key string, now time.Time) (n int) {
	for r.Take(key, now) == 0 {
		n++
	}
	return n
}

func TestAProcessThatHearsNoOtherCountsByItself(t *testing.T) {
	t.Parallel()
	all, rates := exchanging(2, 10, 20)
	if n := drain(rates[0], "key", ratesBegin); n != 15 {
		t.Errorf("one of two processes admitted %d requests at once, want its share of two seconds and a half of the rest: 15", n)
	}
	later := ratesBegin.Add(silence + time.Second)
	for _, e := range all { // what it collects is lost
		e.Collect(later)
	}
	for i, r := range rates {
		if n := drain(r, "key", later); n != 20 {
			t.Errorf("process %d admitted %d requests by itself, want 20", i, n)
		}
	}
	all[0].Receive(all[1].Collect(later)[0], later)
	later = later.Add(3 * time.Second)
	if n := drain(rates[0], "key", later); n != 15 {
		t.Errorf("it admitted %d requests after it heard the other again, want 15", n)
	}
}

func TestARateOfZeroIsUnlimited(t *testing.T) {
	t.Parallel()
	r := NewRateExchange("process", [32]byte{}).NewRates("requests", 0, 0)
	for range 10_000 {
		if r.Take("key", ratesBegin) != 0 {
			t.Fatal("refused")
		}
	}
}

func TestCountsThatComeLateShutOutAKeyForSecondsAlone(t *testing.T) {
	t.Parallel()
	_, rates := exchanging(2, 10, 20)
	name := rates[0].exchange.nameOf("key")
	for range 100 {
		rates[0].deduct(name, 1000, ratesBegin)
	}
	if rates[0].Take("key", ratesBegin.Add(5*time.Second)) == 0 {
		t.Error("a key that others used is admitted")
	}
	if wait := rates[0].Take("key", ratesBegin.Add(5200*time.Millisecond)); wait != 0 {
		t.Errorf("after 50 tokens it still waits %v", wait)
	}
}

func TestMessagesAreShortHideTheKeysAndTellOfAllInTheEnd(t *testing.T) {
	t.Parallel()
	all, rates := exchanging(2, 1, 20)
	const keys = maxMessages*countsInMessage + 10
	for i := range keys {
		rates[0].Take(fmt.Sprint("192.0.2.", i), ratesBegin)
	}
	for range 3 {
		rates[0].Take("busy", ratesBegin)
	}
	for round, want := range []int{maxMessages * countsInMessage, keys + 1} {
		messages := all[0].Collect(ratesBegin)
		for _, m := range messages {
			if len(m) > 7999 || strings.Contains(m, "192.0") {
				t.Errorf("a message of %d bytes: %.200s", len(m), m)
			}
		}
		pass(messages, all[1:], ratesBegin)
		if n := len(rates[1].names); n != want {
			t.Errorf("after %d messages the other process knows %d keys, want %d", len(messages), n, want)
		}
		if tokens := rates[1].bucketOf("busy").TokensAt(ratesBegin); round == 0 && tokens != 17 {
			t.Errorf("the key with the most requests has %.0f tokens left", tokens)
		}
	}
	if n := len(rates[0].counted); n != 11 {
		t.Errorf("%d keys are counted, want those of the last message", n)
	}
	for _, odd := range []string{"", "{", "null", `{"process":"x","counts":{"other":{"a":1},"requests":{"a":-5}}}`} {
		all[0].Receive(odd, ratesBegin)
	}
}

func BenchmarkTake(b *testing.B) {
	for others := range 2 {
		b.Run(fmt.Sprint("other processes ", others), func(b *testing.B) {
			_, rates := exchanging(1+others, 1e9, 1e9)
			for b.Loop() {
				rates[0].Take("key", ratesBegin)
			}
		})
	}
}
