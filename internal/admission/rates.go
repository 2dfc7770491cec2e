package admission

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// maxRateKeys bounds how many keys are remembered. Above it all are forgotten, which errs in the clients' favour.
const maxRateKeys = 100_000

// Rates bounds how often the requests of each key are admitted in the long run. Processes that exchange their counts
// bound it together; see [RateExchange]. It is safe for concurrent use.
type Rates struct {
	name     string
	rate     float64 // requests a second; 0: unlimited
	burst    int     // requests at once, after a pause
	exchange *RateExchange

	mu      sync.Mutex // guards the fields below; held briefly
	keys    map[string]*keyRate
	names   map[string]*keyRate // the same, and those of which only other processes have told, by what stands for a key in messages
	counted map[*keyRate]bool   // those with requests of which the others may not know
}

// keyRate is the token bucket of a key. Tokens are taken for the requests of all processes that are known.
type keyRate struct {
	name  string // in messages
	fresh int    // admitted here and in no message yet
	sent  int    // admitted here and in the last message, which may still be under way
	*rate.Limiter
}

// Take admits one request of a key, or returns how long it has to wait.
//
// Of requests that others do not know of, each process admits its share of the rate, and beyond that as many as it could if all others had as many. So
// in t seconds n processes admit burst + rate·t together, and once more at most what a burst and four seconds allow, for counts that are under way:
// what was admitted too much is owed.
func (r *Rates) Take(key string, now time.Time) (wait time.Duration) {
	if r.rate <= 0 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.bucketOf(key)
	others := int(r.exchange.others.Load())
	tokens, share := k.TokensAt(now), int(2*r.rate*ExchangeEvery.Seconds())/(others+1)
	if tokens < 1 {
		return time.Duration((1 - tokens) / r.rate * float64(time.Second))
	}
	if unknown := k.fresh + k.sent - share; unknown > 0 && tokens < float64(1+others*(unknown+1)) {
		return ExchangeEvery
	}
	k.ReserveN(now, 1)
	if others > 0 {
		k.fresh++
		r.counted[k] = true
	}
	return 0
}

// bucketOf returns the bucket of a key. The caller holds the lock.
func (r *Rates) bucketOf(key string) *keyRate {
	k := r.keys[key]
	if k == nil {
		k = r.bucketNamed(r.exchange.nameOf(key))
		r.keys[key] = k
	}
	return k
}

// bucketNamed is bucketOf for what stands for the key in messages.
func (r *Rates) bucketNamed(name string) *keyRate {
	if r.names == nil || len(r.names) >= maxRateKeys {
		r.keys, r.names, r.counted = map[string]*keyRate{}, map[string]*keyRate{}, map[*keyRate]bool{}
	}
	k := r.names[name]
	if k == nil {
		k = &keyRate{name: name, Limiter: rate.NewLimiter(rate.Limit(r.rate), r.burst)}
		r.names[name] = k
	}
	return k
}

// deduct takes the tokens of requests that another process admitted. A bucket owes no more than a burst and what is admitted in three intervals, so that
// counts that arrive late shut out a key for no longer than that lasts.
func (r *Rates) deduct(name string, n int, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.bucketNamed(name)
	left := k.TokensAt(now) + float64(r.burst) + 3*r.rate*ExchangeEvery.Seconds()
	for n = min(n, max(int(left), 0)); n > 0; n -= r.burst {
		k.ReserveN(now, min(n, r.burst))
	}
}

// forgetSent forgets which requests the others may not know of: either they know, or the message is lost.
func (r *Rates) forgetSent(alone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.counted {
		if k.sent = 0; alone {
			k.fresh = 0
		}
		if k.fresh == 0 {
			delete(r.counted, k)
		}
	}
}

// freshCounts returns the counts that are in no message yet.
func (r *Rates) freshCounts() (all []freshCount) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.counted {
		all = append(all, freshCount{r, k, k.fresh})
	}
	return all
}

type freshCount struct {
	of  *Rates
	key *keyRate
	n   int
}

func (c freshCount) markSent() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.key.fresh -= c.n // more may have been admitted meanwhile
	c.key.sent = c.n
}

// ExchangeEvery is the interval in which [RateExchange.Collect] is called.
const ExchangeEvery = time.Second

// silence is after how long without a message a process is taken for gone.
const silence = 3*ExchangeEvery + ExchangeEvery/2

// Bounds of what is sent in one interval. Those with the most requests are first, and others wait for the next one.
const (
	countsInMessage = 300 // each takes less than 26 bytes: PostgreSQL passes on less than 8,000
	maxMessages     = 4
)

// RateExchange is what processes tell each other of the requests that they admitted. It does no I/O: the caller passes the messages of
// [RateExchange.Collect] to all processes, and theirs to [RateExchange.Receive]. While it does not, each process counts by itself. It is safe for
// concurrent use.
type RateExchange struct {
	process string
	secret  []byte

	others atomic.Int32 // processes other than this one

	mu    sync.Mutex // guards the fields below
	rates map[string]*Rates
	heard map[string]time.Time // when another process was heard last
}

// NewRateExchange returns an exchange. Process is a name that no other process has. In messages, keys are hidden by the secret, which all processes
// share.
func NewRateExchange(process string, secret [32]byte) *RateExchange {
	return &RateExchange{process: process, secret: secret[:], rates: map[string]*Rates{}, heard: map[string]time.Time{}}
}

// NewRates returns rates that are exchanged under a name: requests a second, 0: unlimited; and requests at once after a pause, 0: those of ten
// seconds.
func (e *RateExchange) NewRates(name string, perSecond float64, burst int) *Rates {
	if burst <= 0 {
		burst = int(10*perSecond) + 1
	}
	r := &Rates{name: name, rate: perSecond, burst: burst, exchange: e}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rates[name] = r
	return r
}

// nameOf returns what stands for a key in messages.
func (e *RateExchange) nameOf(key string) string {
	h := hmac.New(sha256.New, e.secret)
	h.Write([]byte(key))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}

// rateMessage is a message as it is sent. Fields that a process does not know are ignored.
type rateMessage struct {
	Process string                    `json:"process"`
	Counts  map[string]map[string]int `json:"counts,omitempty"` // by the name of the rates and of the key
}

// Collect returns what the other processes have to know, in messages of less than 8,000 bytes: at least that this one is there.
func (e *RateExchange) Collect(now time.Time) (messages []string) {
	e.mu.Lock()
	maps.DeleteFunc(e.heard, func(_ string, at time.Time) bool { return now.Sub(at) > silence })
	others := len(e.heard)
	e.others.Store(int32(others))
	all := slices.Collect(maps.Values(e.rates))
	e.mu.Unlock()
	var counts []freshCount
	for _, r := range all {
		r.forgetSent(others == 0)
		counts = append(counts, r.freshCounts()...)
	}
	slices.SortFunc(counts, func(a, b freshCount) int { return cmp.Compare(b.n, a.n) })
	counts = counts[:min(len(counts), maxMessages*countsInMessage)]
	for len(messages) == 0 || len(counts) > 0 {
		m := rateMessage{Process: e.process, Counts: map[string]map[string]int{}}
		part := counts[:min(len(counts), countsInMessage)]
		counts = counts[len(part):]
		for _, c := range part {
			if m.Counts[c.of.name] == nil {
				m.Counts[c.of.name] = map[string]int{}
			}
			m.Counts[c.of.name][c.key.name] = c.n
			c.markSent()
		}
		b, err := json.Marshal(m)
		if err != nil { // it has nothing that cannot be marshalled
			return messages
		}
		messages = append(messages, string(b))
	}
	return messages
}

// Receive takes a message of a process, this one included. Anything else is ignored.
func (e *RateExchange) Receive(message string, now time.Time) {
	var m rateMessage
	if err := json.Unmarshal([]byte(message), &m); err != nil || m.Process == "" || m.Process == e.process {
		return
	}
	e.mu.Lock()
	e.heard[m.Process] = now
	e.others.Store(int32(len(e.heard)))
	rates := maps.Clone(e.rates)
	e.mu.Unlock()
	for name, counts := range m.Counts {
		r := rates[name]
		if r == nil || r.rate <= 0 {
			continue
		}
		for key, n := range counts {
			if n > 0 {
				r.deduct(key, n, now)
			}
		}
	}
}
