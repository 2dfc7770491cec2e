package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Bounds on logins that the rates refused. A refusal costs neither a read nor a write: it is counted in memory, and recorded once a minute.
const (
	maxLimitedLogins   = 1000 // e-mails and networks of an hour that are counted one by one; those beyond are counted together
	maxLimitedEmail    = 320  // bytes; no account has a longer one
	limitedBatch       = 100  // records that one transaction writes
	recordLimitedEvery = time.Minute
	lastRecording      = 5 * time.Second // for recording what was counted when the process ends
)

// limitedKey is what refused logins are counted by. The zero e-mail and person: of no account; the zero network: of further networks.
type limitedKey struct {
	email   string // folded
	person  contract.PersonID
	network string
	period  time.Time
}

// limitedLogins counts logins that the rates refused. The zero value counts none yet.
type limitedLogins struct {
	mu  sync.Mutex // guards all; held only briefly
	all map[limitedKey]contract.Login
}

// countLogins counts logins, together with those of the same key. If there are too many keys, they are counted as those of no account and of further networks.
func (l *limitedLogins) countLogins(k limitedKey, more contract.Login) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[limitedKey]contract.Login{}
	}
	if _, ok := l.all[k]; !ok && len(l.all) >= maxLimitedLogins {
		k = limitedKey{period: k.period}
		more.Network = ""
	}
	l.all[k] = addLogins(l.all[k], more)
}

// addLogins returns a record of the logins of both; the zero record has none. The last one gives address and device.
func addLogins(a, b contract.Login) contract.Login {
	if b.LastAt.Before(a.LastAt) {
		a, b = b, a
	}
	b.Times += a.Times
	return b
}

// takeCounts returns what was counted, and counts from nothing.
func (l *limitedLogins) takeCounts() map[limitedKey]contract.Login {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.all
	l.all = nil
	return taken
}

// countLimited counts a login that the rates refused before anything was compared. It does the same for an e-mail with an account and for one without.
func (s *Service) countLimited(refused error, email string, person contract.PersonID, from Client) {
	if contract.KindOf(refused) != contract.TooMany {
		return
	}
	if email = foldEmail(email); len(email) > maxLimitedEmail {
		email = "" // of no account
	}
	l := contract.NewLogin("", "", contract.LoginLimited, "", s.clock())
	l.Network, l.IP, l.UserAgent = Network(from.IP), from.IP, contract.CleanUserAgent(from.UserAgent)
	s.limited.countLogins(limitedKey{email, person, l.Network, l.Period}, l)
}

// RecordLimitedLogins records the logins that the rates refused since the last call: with the accounts that have the e-mail, or as those of no account.
// What cannot be recorded is kept for the next call. If the process dies before, they are lost, those of a minute at most.
func (s *Service) RecordLimitedLogins(ctx context.Context) error {
	taken := s.limited.takeCounts()
	var failed []error
	accounts := map[[2]string][]store.User{}
	records := map[limitedKey]contract.Login{} // by organisation instead of e-mail: those of e-mails without an account are one record for each network
	for k, l := range taken {
		who := [2]string{k.email, string(k.person)}
		found, ok := accounts[who]
		if !ok {
			var err error
			if found, err = s.limitedAccounts(ctx, k); err != nil {
				s.limited.countLogins(k, l)
				failed = append(failed, err)
				continue
			}
			accounts[who] = found
		}
		if len(found) == 0 {
			found = []store.User{{}}
		}
		for _, u := range found {
			l.Organisation, l.Person = u.Organisation, u.ID
			k := limitedKey{string(u.Organisation), u.ID, l.Network, l.Period}
			records[k] = addLogins(records[k], l)
		}
	}
	// Logins without a network come last. Those of networks beyond the most that are recorded are added to them, so they must not take the place of a network.
	inOrder := slices.SortedFunc(maps.Values(records), func(a, b contract.Login) int { return cmp.Compare(b.Network, a.Network) })
	for some := range slices.Chunk(inOrder, limitedBatch) {
		if err := s.store.RecordLogins(ctx, some...); err != nil {
			failed = append(failed, fmt.Errorf("record logins that were refused: %w", err))
			for _, l := range some {
				s.limited.countLogins(limitedKey{"", l.Person, l.Network, l.Period}, l)
			}
		}
	}
	return errors.Join(failed...)
}

// limitedAccounts returns the accounts at which a refused login was aimed.
func (s *Service) limitedAccounts(ctx context.Context, k limitedKey) ([]store.User, error) {
	switch {
	case k.person != "":
		u, err := s.store.User(ctx, k.person)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		return []store.User{u}, err
	case k.email != "":
		return s.store.UsersByEmail(ctx, emailSpellings(k.email)...)
	}
	return nil, nil
}

// RunLimitedLogins records the logins that the rates refused, once a minute until ctx ends, and then the rest.
func (s *Service) RunLimitedLogins(ctx context.Context) {
	tick := time.NewTicker(recordLimitedEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			s.recordLimitedOrLog(ctx)
		case <-ctx.Done():
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRecording)
	defer cancel()
	s.recordLimitedOrLog(last)
}

func (s *Service) recordLimitedOrLog(ctx context.Context) {
	if err := s.RecordLimitedLogins(ctx); err != nil {
		s.log.WarnContext(ctx, "logins that the rates refused are not recorded yet", "error", err)
	}
}
