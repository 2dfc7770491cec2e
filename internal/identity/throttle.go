package identity

import (
	"container/list"
	"math"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"segel/internal/contract"
)

// Rate allows Burst tries at once and one more every Every. The zero value of a member means its default.
type Rate struct {
	Burst int
	Every time.Duration
}

// Rates bound how often passwords are tried.
type Rates struct {
	// Pair bounds one address on one account. It is the tight one: whoever guesses meets it first, and the
	// account's owner, at another address, does not. Default 10 and one every 10 seconds.
	Pair Rate
	// Account bounds all addresses together on one account. Default 100 and one every 2 seconds.
	Account Rate
	// Address bounds one address on all accounts; a whole office may share it. Default 100 and one a second.
	Address Rate
	// Keys bounds how many accounts and addresses are remembered, each. Default 10,000.
	Keys int
}

// tries counts tries of passwords, and asks for a new one by themselves: who floods the one does not lock
// anybody out of the other.
type tries struct{ pair, account, address, forgot *buckets }

func newTries(r Rates) tries {
	fill(&r.Pair, Rate{10, 10 * time.Second})
	fill(&r.Account, Rate{100, 2 * time.Second})
	fill(&r.Address, Rate{100, time.Second})
	fill(&r.Keys, 10_000)
	return tries{
		pair: newBuckets(r.Pair, r.Keys), account: newBuckets(r.Account, r.Keys),
		address: newBuckets(r.Address, r.Keys), forgot: newBuckets(r.Pair, r.Keys),
	}
}

// take counts one try, whether the account exists or not, and refuses one too many.
func (t tries) take(email, ip string, now time.Time) error {
	email, ip = foldEmail(email), network(ip)
	wait := t.address.take(ip, now)
	if wait == 0 {
		wait = t.pair.take(email+" "+ip, now)
	}
	if wait == 0 {
		wait = t.account.take(email, now)
	}
	if wait == 0 {
		return nil
	}
	return contract.Refuse(contract.TooMany, "rate.limited").With("retry_after", int(math.Ceil(wait.Seconds()))).Again()
}

// forgive forgets the tries of somebody who knew the password after all.
func (t tries) forgive(email, ip string) {
	email, ip = foldEmail(email), network(ip)
	t.pair.drop(email + " " + ip)
	t.account.drop(email)
}

func foldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// network returns what one caller can hold many of as one key: the /64 of an IPv6 address, else the address.
func network(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return ip
	}
	return p.String()
}

// buckets holds a token bucket a key. When it is full, the key that was idle longest is forgotten: its bucket
// has refilled most.
type buckets struct {
	rate Rate
	max  int

	mu    sync.Mutex               // guards byKey and order; held for no longer than a look
	byKey map[string]*list.Element // of *bucket
	order *list.List               // the one used last at the front
}

type bucket struct {
	key     string
	limiter *rate.Limiter
}

func newBuckets(r Rate, max int) *buckets {
	fill(&r.Burst, 1)
	fill(&r.Every, time.Second)
	return &buckets{rate: r, max: max, byKey: map[string]*list.Element{}, order: list.New()}
}

// take takes one from the key's bucket. It returns 0, or how long to wait when the bucket is empty; nothing
// is taken then.
func (b *buckets) take(key string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.byKey[key]
	if !ok {
		if b.order.Len() >= b.max {
			b.remove(b.order.Back())
		}
		e = b.order.PushFront(&bucket{key, rate.NewLimiter(rate.Every(b.rate.Every), b.rate.Burst)})
		b.byKey[key] = e
	}
	b.order.MoveToFront(e)
	l := e.Value.(*bucket).limiter
	if l.AllowN(now, 1) {
		return 0
	}
	missing := 1 - l.TokensAt(now)
	return max(time.Duration(missing*float64(b.rate.Every)), time.Millisecond)
}

func (b *buckets) drop(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.byKey[key]; ok {
		b.remove(e)
	}
}

func (b *buckets) remove(e *list.Element) {
	delete(b.byKey, e.Value.(*bucket).key)
	b.order.Remove(e)
}
