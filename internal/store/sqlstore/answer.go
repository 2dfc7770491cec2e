package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"segel/internal/store"
)

const thisKey = `account = $1 AND path = $2 AND idempotency_key = $3`

// Claim implements [store.Answers].
func (s *Store) Claim(ctx context.Context, c store.Claim, keep time.Duration) (store.Claimed, error) {
	var claimed store.Claimed
	err := s.db.withTx(ctx, func(t tx) (err error) {
		claimed, err = s.claimKey(ctx, t, c, keep)
		return err
	})
	return claimed, wrapf(err, "claim key of %s on %s", c.Account, c.Path)
}

func (s *Store) claimKey(ctx context.Context, t tx, c store.Claim, keep time.Duration) (claimed store.Claimed, err error) {
	now, err := s.leaseClock(ctx, t, c.At)
	if err != nil {
		return claimed, err
	}
	for {
		// One statement, so that only one of many concurrent requests claims. It waits for the transaction of an effect that is ending
		// the claim. It takes over a claim whose lease has expired: the check in endClaim stops that request if it still runs.
		n, err := t.exec(ctx, `INSERT INTO claim (account, path, idempotency_key, token, process, claimed_at, lease_until) VALUES (`+placeholders(1, 7)+`)
			ON CONFLICT (account, path, idempotency_key) DO UPDATE
				SET token = excluded.token, process = excluded.process, claimed_at = excluded.claimed_at, lease_until = excluded.lease_until
				WHERE claim.lease_until < $8`,
			c.Account, c.Path, c.Key, c.Token, c.Process, toMicros(c.At), toMicros(now.Add(store.Lease)), toMicros(now))
		if err != nil {
			return claimed, err
		}
		if n == 1 {
			break
		}
		err = queryOne(ctx, t, []any{&claimed.Holder, &claimed.HolderToken}, `SELECT process, token FROM claim WHERE `+thisKey, c.Account, c.Path, c.Key)
		if !errors.Is(err, store.ErrNotFound) { // otherwise it has just ended, and the key is free or answered
			return claimed, err
		}
	}
	// Read after the claim is made, so that the answer of an effect that ended the previous claim is visible.
	claimed.Answer, err = readAnswer(ctx, t, c, c.At.Add(-keep))
	if errors.Is(err, store.ErrNotFound) {
		return claimed, nil
	}
	if err == nil {
		_, err = t.exec(ctx, `DELETE FROM claim WHERE `+thisKey+` AND token = $4`, c.Account, c.Path, c.Key, c.Token)
	}
	return claimed, err
}

// leaseClock returns the time by which leases are measured: the database server's, because processes on several machines
// compare it, or that of the process if the database has no clock.
func (s *Store) leaseClock(ctx context.Context, q querier, local time.Time) (time.Time, error) {
	var now time.Time
	if s.db.embedded() {
		return local, nil
	}
	err := queryOne(ctx, q, []any{scanServerTime(&now)}, `SELECT `+s.db.serverClock())
	if err == nil && now.IsZero() {
		now = local
	}
	return now, err
}

// readAnswer reads an answer by the hash of its key, or one stored before migration 0015 by the key itself, unless it was
// made before oldest.
func readAnswer(ctx context.Context, q querier, c store.Claim, oldest time.Time) (*store.Answer, error) {
	var a store.Answer
	var header string
	err := queryOne(ctx, q, []any{scanDigest(&a.Body), &a.Status, &header, scanBytes(&a.Content), &a.Sealed, scanTime(&a.At)},
		`SELECT body, status, header, content, sealed, kept_at FROM answer
		WHERE account = $1 AND path = $2 AND (idempotency_key = $3 AND sealed OR idempotency_key = $4 AND NOT sealed) AND kept_at >= $5`,
		c.Account, c.Path, c.Key, c.ClearKey, toMicros(oldest))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(header), &a.Header); err != nil {
		return nil, fmt.Errorf("header of the answer: %w", err)
	}
	return &a, nil
}

// runWithAnswer runs a transaction. If ctx makes it the effect of a request, the transaction also stores the request's answer,
// built from the result of fn.
//
// Durable on return: the effect of fn, with the answer. After a crash: both, and a repeated request gets the answer; or neither,
// and a repeated request runs once the claim is released.
func (s *Store) runWithAnswer(ctx context.Context, fn func(tx) (made any, err error)) error {
	e := store.EffectAnswerOf(ctx)
	err := s.db.withTx(ctx, func(t tx) error {
		if e == nil {
			_, err := fn(t)
			return err
		}
		// First, because others may wait for the claim's row: its lock is taken before the locks that every commit needs.
		if err := endClaim(ctx, t, e.Claim, e.Stores); err != nil {
			return err
		}
		made, err := fn(t)
		if err != nil {
			return err
		}
		a, err := e.Answer(made)
		if err != nil {
			return fmt.Errorf("build the answer: %w", err)
		}
		return storeAnswer(ctx, t, e.Claim, a)
	})
	if err == nil && e != nil {
		e.Stored = e.Stores
	}
	return err
}

// endClaim ends a claim, or for a provisional answer locks it until the transaction ends. It fences off a request whose claim
// was taken over: that request fails here and has no effect.
func endClaim(ctx context.Context, t tx, c store.Claim, keeps store.AnswerState) error {
	sql := `DELETE FROM claim WHERE ` + thisKey + ` AND token = $4`
	if keeps == store.ProvisionalAnswer {
		sql = `UPDATE claim SET lease_until = lease_until WHERE ` + thisKey + ` AND token = $4`
	}
	return t.addStatements(ctx, statement{sql: sql, args: []any{c.Account, c.Path, c.Key, c.Token}, done: func(n int64) error {
		if n == 0 {
			return store.ErrClaimLost
		}
		return nil
	}})
}

func storeAnswer(ctx context.Context, t tx, c store.Claim, a store.Answer) error {
	header, err := json.Marshal(a.Header)
	if err != nil {
		return fmt.Errorf("header of the answer: %w", err)
	}
	return t.addStatements(ctx, statement{
		sql: `INSERT INTO answer (account, path, idempotency_key, body, status, header, content, sealed, kept_at) VALUES (` + placeholders(1, 9) + `)
			ON CONFLICT (account, path, idempotency_key) DO UPDATE
				SET body = excluded.body, status = excluded.status, header = excluded.header, content = excluded.content, sealed = excluded.sealed, kept_at = excluded.kept_at`,
		args: []any{c.Account, c.Path, c.Key, a.Body[:], a.Status, string(header), bytesArg(a.Content), a.Sealed, toMicros(a.At)},
	})
}

// FinishClaim implements [store.Answers].
func (s *Store) FinishClaim(ctx context.Context, c store.Claim, a store.Answer) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := endClaim(ctx, t, c, store.FinalAnswer); err != nil {
			return err
		}
		return storeAnswer(ctx, t, c, a)
	})
	return wrapf(err, "finish key of %s on %s", c.Account, c.Path)
}

// DropClaim implements [store.Answers].
func (s *Store) DropClaim(ctx context.Context, c store.Claim) error {
	err := s.runStatement(ctx, `DELETE FROM claim WHERE `+thisKey+` AND token = $4`, c.Account, c.Path, c.Key, c.Token)
	return wrapf(err, "drop key of %s on %s", c.Account, c.Path)
}

// ReleaseClaims implements [store.Answers]. It waits for transactions of the process that the server is still ending.
func (s *Store) ReleaseClaims(ctx context.Context, process string) error {
	return wrapf(s.runStatement(ctx, `DELETE FROM claim WHERE process = $1`, process), "release the claims of process %s", process)
}

// maxRequestTime exceeds the duration of any request. An older claim is abandoned: its process was unable to end it.
const maxRequestTime = 15 * time.Minute

// RenewClaims implements [store.Answers].
func (s *Store) RenewClaims(ctx context.Context, process string, now time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		now, err := s.leaseClock(ctx, t, now)
		if err != nil {
			return err
		}
		_, err = t.exec(ctx, `UPDATE claim SET lease_until = $2 WHERE process = $1 AND claimed_at > $3`, process, toMicros(now.Add(store.Lease)), toMicros(now.Add(-maxRequestTime)))
		return err
	})
	return wrapf(err, "renew the claims of process %s", process)
}

// PurgeAnswers implements [store.Answers].
func (s *Store) PurgeAnswers(ctx context.Context, before time.Time) error {
	err := s.runPurges(ctx,
		purge{"claim", "account, path, idempotency_key", `claimed_at < $1 AND lease_until < $1`, []any{toMicros(before)}},
		purge{"answer", "account, path, idempotency_key", `kept_at < $1`, []any{toMicros(before)}})
	return wrapf(err, "purge answers")
}
