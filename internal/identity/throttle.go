package identity

import (
	"container/list"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"segel/internal/contract"
	"segel/internal/store"
)

// Rate allows Burst tries at once and one more in each period Every. The zero value of a field means its default.
type Rate struct {
	Burst int
	Every time.Duration
}

// Rates bound how often passwords can be tried.
type Rates struct {
	// Pair bounds one address on one e-mail, and one known device and one known address on one account. It is the strictest
	// rate: an attacker exhausts it first, without effect on the account's owner at another address. Default 10 and one every
	// 10 seconds.
	Pair Rate
	// Account bounds the tries of all unknown callers together on one e-mail. Each try beyond it is delayed. Default 100 and one
	// every 2 seconds. The same rate bounds all tries in embedded pages on one account together; each beyond it is refused.
	Account Rate
	// Address bounds one address on all accounts; many people may share it. Default 100 and one a second.
	Address Rate
	// Forgotten bounds the requests for a new password of one e-mail. Default 3 and one every 10 minutes.
	Forgotten Rate
	// Invited bounds the invitations of one address to one organisation. Default 3 and one every 10 minutes.
	Invited Rate
	// Inviting bounds all invitations to one organisation. Default 200 and one every 30 seconds.
	Inviting Rate
	// Delay is the longest time that a try is delayed. Default 10 seconds.
	Delay time.Duration
	// Keys bounds the number of keys in each of the counts. Default 10,000.
	Keys int
}

// Bounds on tries that are delayed at the same time. A delayed try takes a connection and a goroutine, but no processor time.
// An attacker must keep that many connections open before other callers' tries are refused, and gets at most that many tries in
// each Delay.
const (
	maxHeldPerAccount = 32
	maxHeldLogins     = 1024
)

// loginThrottle counts tries of passwords and, separately, requests for a new password: a flood of one does not exhaust the
// other. The counts are in the database: all processes share them, and a restart forgets none.
//
// Unknown callers are counted by e-mail, whether it has one account, several or none. Known callers are counted by account:
// two persons may have accounts with the same e-mail in two organisations, and a login to one account must not make the caller
// known to the other.
type loginThrottle struct {
	own, pair, account, embedded, address, forgot, forgotten, invited, inviting tryCount

	longest time.Duration
	wait    func(ctx context.Context, d time.Duration) error
	delayed *heldLogins
}

func newLoginThrottle(s store.Tries, r Rates, wait func(context.Context, time.Duration) error) loginThrottle {
	setDefault(&r.Pair, Rate{10, 10 * time.Second})
	setDefault(&r.Account, Rate{100, 2 * time.Second})
	setDefault(&r.Address, Rate{100, time.Second})
	setDefault(&r.Forgotten, Rate{3, 10 * time.Minute})
	setDefault(&r.Invited, Rate{3, 10 * time.Minute})
	setDefault(&r.Inviting, Rate{200, 30 * time.Second})
	setDefault(&r.Delay, 10*time.Second)
	setDefault(&r.Keys, 10_000)
	count := func(kind string, of Rate) tryCount {
		setDefault(&of.Burst, 1)
		setDefault(&of.Every, time.Second)
		return tryCount{store: s, kind: kind, rate: of, keys: r.Keys}
	}
	return loginThrottle{
		own: count("own", r.Pair), pair: count("pair", r.Pair), account: count("account", r.Account),
		embedded: count("embedded", r.Account), address: count("address", r.Address), forgot: count("forgot", r.Pair), forgotten: count("forgotten", r.Forgotten),
		invited: count("invited", r.Invited), inviting: count("inviting", r.Inviting),
		longest: r.Delay, wait: wait, delayed: &heldLogins{on: map[string]int{}},
	}
}

// tryCount bounds how often something is tried for each key.
type tryCount struct {
	store store.Tries
	kind  string
	rate  Rate
	keys  int
}

// keyOf returns under what a key is counted.
func (c tryCount) keyOf(key string) store.TryKey {
	return store.TryKey{Kind: c.kind, Key: sha256.Sum256([]byte(key))}
}

// atOnce is what the tries that are free at once spend.
func (c tryCount) atOnce() time.Duration { return time.Duration(c.rate.Burst) * c.rate.Every }

// takeToken counts a try and returns 0. If the key is used up, it counts nothing and returns how long to wait.
func (c tryCount) takeToken(ctx context.Context, key string, now time.Time) (time.Duration, error) {
	spent, ok, err := c.store.CountTry(ctx, store.Try{TryKey: c.keyOf(key), Every: c.rate.Every, Limit: c.atOnce(), Keys: c.keys}, now)
	if err != nil || ok {
		return 0, err
	}
	return max(spent.Add(c.rate.Every).Sub(now)-c.atOnce(), time.Millisecond), nil
}

// reserveToken counts a try, in advance if the key is used up, and returns how long it takes until it would have been free. If that is more than longest, it counts
// nothing and returns longest.
func (c tryCount) reserveToken(ctx context.Context, key string, now time.Time, longest time.Duration) (time.Duration, error) {
	spent, ok, err := c.store.CountTry(ctx, store.Try{TryKey: c.keyOf(key), Every: c.rate.Every, Limit: c.atOnce() + longest, Keys: c.keys}, now)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return longest, nil
	}
	return max(spent.Sub(now)-c.atOnce(), 0), nil
}

// attempt is one login and what was counted for it.
type attempt struct {
	loginThrottle
	email     string // folded
	from      store.Caller
	known     bool // some account knows the caller
	onAddress bool // the login was counted on the address
}

// newAttempt returns an attempt for which nothing is counted yet.
func (t loginThrottle) newAttempt(email string, from store.Caller) *attempt {
	return &attempt{loginThrottle: t, email: email, from: from}
}

// admitKnown counts the login on the accounts that know the caller, and returns those with which the password may be compared
// without delay: first those that know the device, then those that know the address. Each device and each address has its own
// count on each account, so other callers cannot lock the owner out there. If that count is exhausted, the account treats the
// caller as unknown.
func (a *attempt) admitKnown(ctx context.Context, known []store.Known, now time.Time) ([]contract.PersonID, error) {
	var byDevice, byAddress []contract.PersonID
	a.known = len(known) > 0
	if !a.known {
		// The same work as for an account that knows the caller: else people in the network of an account's holder could tell that it exists.
		_, err := a.own.takeToken(ctx, "none "+a.email+" "+a.from.Address, now)
		return nil, err
	}
	for _, k := range known {
		to, key := &byDevice, deviceKey(k.Account, a.from)
		if !k.Device {
			wait, err := a.countAddress(ctx, now)
			if err != nil {
				return nil, err
			}
			if wait > 0 {
				continue
			}
			to, key = &byAddress, addressKey(k.Account, a.from)
		}
		wait, err := a.own.takeToken(ctx, key, now)
		if err != nil {
			return nil, err
		}
		if wait == 0 {
			*to = append(*to, k.Account)
		}
	}
	return append(byDevice, byAddress...), nil
}

// admitUnknown counts the login as a try on accounts that do not know the caller, whether the e-mail has such accounts or not.
//
// All unknown callers share the count of the e-mail. Beyond it they are delayed, not refused, so that the owner can log in from
// a new place too. They are refused if more are delayed than the bounds above allow.
func (a *attempt) admitUnknown(ctx context.Context, now time.Time) error {
	if wait, err := a.countAddress(ctx, now); err != nil || wait > 0 {
		return refuseWait(wait, err)
	}
	// A successful login does not reset this count. The separate key keeps typing errors that the owner made before the address
	// was known from counting afterwards.
	key := "unknown "
	if a.known {
		key = "known "
	}
	if wait, err := a.pair.takeToken(ctx, key+a.email+" "+a.from.Address, now); err != nil || wait > 0 {
		return refuseWait(wait, err)
	}
	hold, err := a.account.reserveToken(ctx, a.email, now, a.longest)
	if err != nil || hold == 0 {
		return err
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

// countAddress counts the login on the address, only once for each attempt, and returns 0 or how long to wait.
func (a *attempt) countAddress(ctx context.Context, now time.Time) (time.Duration, error) {
	if a.onAddress {
		return 0, nil
	}
	wait, err := a.address.takeToken(ctx, a.from.Address, now)
	a.onAddress = err == nil && wait == 0
	return wait, err
}

// admitHolder counts one try of a caller who has a token of the account.
func (t loginThrottle) admitHolder(ctx context.Context, id contract.PersonID, now time.Time) error {
	return refuseWait(t.own.takeToken(ctx, "token "+string(id), now))
}

// admitEmbedded counts one try of a password in an embedded page of a document: on the network, on the document together with the network, and on the
// person in all embedded pages. Others may hold the token of such a page, so nothing in it refuses or delays what the person does in their own sessions, and
// logins that others try refuse nothing in it. It never waits, because the caller holds the lock of the document.
func (t loginThrottle) admitEmbedded(ctx context.Context, id contract.PersonID, network string, document contract.DocumentID, now time.Time) error {
	for _, c := range []struct {
		count tryCount
		key   string
	}{
		{t.address, network},
		{t.pair, fmt.Sprintf("embedded %d %s %s", document, id, network)},
		{t.embedded, string(id)},
	} {
		if wait, err := c.count.takeToken(ctx, c.key, now); err != nil || wait > 0 {
			return refuseWait(wait, err)
		}
	}
	return nil
}

// forgiven returns the counts of a known caller on an account, which a successful login resets. Tries that were counted as an
// unknown caller's stay counted, even of this caller: otherwise the owner of one account could guess the password of another
// account with the same e-mail and log in to their own one in between to reset the count.
func (t loginThrottle) forgiven(id contract.PersonID, from store.Caller) []store.TryKey {
	return []store.TryKey{t.own.keyOf(deviceKey(id, from)), t.own.keyOf(addressKey(id, from))}
}

func deviceKey(id contract.PersonID, from store.Caller) string {
	return "device " + string(id) + " " + string(from.Device[:])
}

func addressKey(id contract.PersonID, from store.Caller) string {
	return "address " + string(id) + " " + from.Address
}

// refuseWait returns the error of a count, or that of a try that has to wait.
func refuseWait(wait time.Duration, err error) error {
	if err != nil {
		return err
	}
	return tooMany(wait)
}

// tooMany returns the error for a try that has to wait, or nil if wait is 0.
func tooMany(wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	return contract.Refuse(contract.TooMany, "rate.limited").With("retry_after", int(math.Ceil(wait.Seconds()))).WithRetry()
}

// heldLogins counts the tries that are being delayed.
type heldLogins struct {
	mu  sync.Mutex // guards all below; held only briefly
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

// waitFor waits for d, or returns the error of ctx if that ends first.
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

// Network returns the key under which an address is counted: the /64 of an IPv6 address, because one caller can use all
// addresses in it, else the address itself.
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

// buckets bounds how often a program does something for each key, with a token bucket for each that this process holds. When max is reached, the key that was idle longest is removed: its bucket
// has had the most time to refill.
type buckets struct {
	rate Rate
	max  int

	mu    sync.Mutex               // guards byKey and order; held only briefly
	byKey map[string]*list.Element // of *bucket
	order *list.List               // the most recently used at the front
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

// takeToken takes one token from the key's bucket and returns 0. If the bucket is empty, it takes nothing and returns how long
// to wait.
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

// limiterOf returns the limiter of a key, and creates it if necessary. The caller must hold b.mu.
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

func (b *buckets) removeBucket(e *list.Element) {
	delete(b.byKey, e.Value.(*bucket).key)
	b.order.Remove(e)
}
