package identity

import (
	"container/list"
	"context"
	"math"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"segel/internal/contract"
	"segel/internal/store"
)

// Rate allows Burst tries at once and one more every Every. The zero value of a member means its default.
type Rate struct {
	Burst int
	Every time.Duration
}

// Rates bound how often passwords are tried.
type Rates struct {
	// Pair bounds one address on one e-mail, and one known device and one known address on one account. It is the tight one: an
	// attacker meets it first, and the account's owner, at another address, does not. Default 10 and one every 10 seconds.
	Pair Rate
	// Account is how many tries all unknown callers have on one e-mail together before each further one is delayed. Default 100
	// and one every 2 seconds.
	Account Rate
	// Address bounds one address on all accounts; many people may share it. Default 100 and one a second.
	Address Rate
	// Delay is the longest time that a try is held up. Default 10 seconds.
	Delay time.Duration
	// Keys bounds how many accounts and addresses are remembered, each. Default 10,000.
	Keys int
}

// Bounds on tries that are held up at the same time: each takes a connection and a goroutine, no processor. An attacker
// has to hold that many connections open before anybody else's try is refused, and gets through no more than so many in
// each Delay.
const (
	maxHeldPerAccount = 32
	maxHeldLogins     = 1024
)

// limiter bounds how often something is done by key. The counts are in the process; several machines need an implementation
// that shares them.
type limiter interface {
	// takeToken counts one and returns 0, or returns how long to wait and counts nothing.
	takeToken(key string, now time.Time) time.Duration
	// reserveToken counts one and returns how long to hold it up, at most longest.
	reserveToken(key string, now time.Time, longest time.Duration) time.Duration
	// forgetKey forgets what was counted.
	forgetKey(key string)
}

// loginThrottle counts tries of passwords, and requests for a new one by themselves: a flood of one does not exhaust the other.
//
// Counts of callers that an account does not know are by e-mail, whether it has an account, several or none. Those of known
// callers are by account: one person may have an account to which they log in from everywhere, with the same e-mail as another
// person's in another organisation.
type loginThrottle struct {
	own, pair, account, address, forgot limiter

	longest time.Duration
	wait    func(ctx context.Context, d time.Duration) error
	delayed *heldLogins
}

func newLoginThrottle(r Rates, wait func(context.Context, time.Duration) error) loginThrottle {
	setDefault(&r.Pair, Rate{10, 10 * time.Second})
	setDefault(&r.Account, Rate{100, 2 * time.Second})
	setDefault(&r.Address, Rate{100, time.Second})
	setDefault(&r.Delay, 10*time.Second)
	setDefault(&r.Keys, 10_000)
	return loginThrottle{
		own: newBuckets(r.Pair, r.Keys), pair: newBuckets(r.Pair, r.Keys), account: newBuckets(r.Account, r.Keys),
		address: newBuckets(r.Address, r.Keys), forgot: newBuckets(r.Pair, r.Keys),
		longest: r.Delay, wait: wait, delayed: &heldLogins{on: map[string]int{}},
	}
}

// attempt is one login, as it is counted.
type attempt struct {
	loginThrottle
	email     string // folded
	from      store.Caller
	known     bool // some account knows the caller
	onAddress bool // it was counted on the address
}

// newAttempt returns a login that is not counted yet.
func (t loginThrottle) newAttempt(email string, from store.Caller) *attempt {
	return &attempt{loginThrottle: t, email: email, from: from}
}

// admitKnown counts the login on accounts that know the caller, and returns those with which the password may be compared at
// once: first those that know the device, then those that know the address. A device has a count of its own on each account,
// and so has an address: whatever others do, the owner is let in there. Where that count is exhausted, the caller is like an
// unknown one to the account.
func (a *attempt) admitKnown(known []store.Known, now time.Time) []contract.PersonID {
	var byDevice, byAddress []contract.PersonID
	a.known = len(known) > 0
	for _, k := range known {
		switch {
		case k.Device:
			if a.own.takeToken(deviceKey(k.Account, a.from), now) == 0 {
				byDevice = append(byDevice, k.Account)
			}
		case k.Address && a.countAddress(now) == 0:
			if a.own.takeToken(addressKey(k.Account, a.from), now) == 0 {
				byAddress = append(byAddress, k.Account)
			}
		}
	}
	return append(byDevice, byAddress...)
}

// admitUnknown counts the login as one on accounts that do not know the caller, whether the e-mail has such accounts or not.
//
// All callers share the count of the e-mail. Beyond it they are held up, not refused, so that the owner gets in at a new place
// too; they are refused when more wait than the bounds above allow.
func (a *attempt) admitUnknown(ctx context.Context, now time.Time) error {
	if wait := a.countAddress(now); wait > 0 {
		return tooMany(wait)
	}
	// No login makes good what was counted here, so what an owner mistyped before the address was known does not count after.
	key := "unknown "
	if a.known {
		key = "known "
	}
	if wait := a.pair.takeToken(key+a.email+" "+a.from.Address, now); wait > 0 {
		return tooMany(wait)
	}
	hold := a.account.reserveToken(a.email, now, a.longest)
	if hold == 0 {
		return nil
	}
	if !a.delayed.enterHold(a.email) {
		return tooMany(a.longest)
	}
	defer a.delayed.leaveHold(a.email)
	if err := a.wait(ctx, hold); err != nil {
		return contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry().WithCause(err)
	}
	return nil
}

// countAddress counts the login on the address once, and returns 0 or how long to wait.
func (a *attempt) countAddress(now time.Time) time.Duration {
	if a.onAddress {
		return 0
	}
	wait := a.address.takeToken(a.from.Address, now)
	a.onAddress = wait == 0
	return wait
}

// admitHolder counts one try of somebody who has a token of the account.
func (t loginThrottle) admitHolder(id contract.PersonID, now time.Time) error {
	return tooMany(t.own.takeToken("token "+string(id), now))
}

// forgiveCaller forgets the tries that a known caller made on an account whose password it knew after all. What was counted as an
// unknown caller's still counts, of this caller too: the owner of one account must not be able to guess the password of another
// one with the same e-mail between two logins of theirs.
func (t loginThrottle) forgiveCaller(id contract.PersonID, from store.Caller) {
	t.own.forgetKey(deviceKey(id, from))
	t.own.forgetKey(addressKey(id, from))
}

func deviceKey(id contract.PersonID, from store.Caller) string {
	return "device " + string(id) + " " + string(from.Device[:])
}

func addressKey(id contract.PersonID, from store.Caller) string {
	return "address " + string(id) + " " + from.Address
}

// tooMany refuses a try that has to wait, unless it has not.
func tooMany(wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	return contract.Refuse(contract.TooMany, "rate.limited").With("retry_after", int(math.Ceil(wait.Seconds()))).WithRetry()
}

// heldLogins counts the tries that are held up.
type heldLogins struct {
	mu  sync.Mutex // guards all below, for a moment only
	on  map[string]int
	all int
}

func (d *heldLogins) enterHold(email string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all >= maxHeldLogins || d.on[email] >= maxHeldPerAccount {
		return false
	}
	d.all, d.on[email] = d.all+1, d.on[email]+1
	return true
}

func (d *heldLogins) leaveHold(email string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all--
	if d.on[email]--; d.on[email] == 0 {
		delete(d.on, email)
	}
}

// waitFor waits.
func waitFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func foldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Network returns what one caller can hold many of as one key: the /64 of an IPv6 address, else the address.
func Network(ip string) string {
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
	setDefault(&r.Burst, 1)
	setDefault(&r.Every, time.Second)
	return &buckets{rate: r, max: max, byKey: map[string]*list.Element{}, order: list.New()}
}

// takeToken takes one from the key's bucket. It returns 0, or how long to wait when the bucket is empty; nothing
// is taken then.
func (b *buckets) takeToken(key string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.limiterOf(key)
	if l.AllowN(now, 1) {
		return 0
	}
	missing := 1 - l.TokensAt(now)
	return max(time.Duration(missing*float64(b.rate.Every)), time.Millisecond)
}

// reserveToken takes one from the key's bucket, on credit when it is empty, and returns how long the credit lasts. Beyond longest
// it gives none: that is what is returned then, however often it is asked.
func (b *buckets) reserveToken(key string, now time.Time, longest time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.limiterOf(key).ReserveN(now, 1)
	d := r.DelayFrom(now)
	if d > longest {
		r.CancelAt(now)
		return longest
	}
	return d
}

// limiterOf returns that of a key. The caller holds the lock.
func (b *buckets) limiterOf(key string) *rate.Limiter {
	e, ok := b.byKey[key]
	if !ok {
		if b.order.Len() >= b.max {
			b.removeBucket(b.order.Back())
		}
		e = b.order.PushFront(&bucket{key, rate.NewLimiter(rate.Every(b.rate.Every), b.rate.Burst)})
		b.byKey[key] = e
	}
	b.order.MoveToFront(e)
	return e.Value.(*bucket).limiter
}

func (b *buckets) forgetKey(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.byKey[key]; ok {
		b.removeBucket(e)
	}
}

func (b *buckets) removeBucket(e *list.Element) {
	delete(b.byKey, e.Value.(*bucket).key)
	b.order.Remove(e)
}
