package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"segel/internal/authority"
	"segel/internal/credential"
	"segel/internal/durable"
	"segel/internal/installation"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

// Purposes of the keys that are derived from the master key. What was made with them stays valid when the master key is exchanged: see
// [app.readDerivedKeys].
const (
	auditPurpose   = "audit checkpoint 1" // seed of the key that signs checkpoints
	answersPurpose = "answers"            // secret of answers to repeated requests
	bouncesPurpose = "mail bounces"       // authenticates addresses for bounces
	factorsPurpose = "second factors"     // hashes codes
	linksPurpose   = "mailed links"       // derives links and codes that were sent
	ordersPurpose  = "stamp orders"       // derives identifiers of orders
	ratesPurpose   = "request rates"      // authenticates counts of requests among nodes
)

var derivedPurposes = []string{auditPurpose, answersPurpose, bouncesPurpose, factorsPurpose, linksPurpose, ordersPurpose, ratesPurpose}

// derivedID is what a derived key is sealed for.
func derivedID(purpose string) string { return "derived key " + purpose }

// openMasterKey decides which of the configured master keys seals, and which the derived keys are.
//
// The database says which keys values may be sealed under. All of them have to be configured, and the last one that was taken into use seals. The first
// service that is started with a new key takes it into use, once no other process is without it. Before the first exchange the database says nothing, and
// the key that opens the authority seals.
func (a *app) openMasterKey(ctx context.Context, to access) error {
	configured, err := readMasterKey(ctx, a.conf)
	if err != nil {
		return err
	}
	if to != reading {
		if err := a.lockMasterKeys(); err != nil {
			return err
		}
	}
	for {
		known, err := a.store.MasterKeys(ctx)
		if err != nil {
			return err
		}
		if a.sealer, err = a.chooseSealer(ctx, configured, known); err != nil {
			return err
		}
		isNew := !slices.ContainsFunc(known, func(k store.MasterKey) bool { return k.ID == configured.ID().String() && !k.UsedAt.IsZero() })
		if to != creating || !isNew || a.sealer.ID() == configured.ID() {
			break
		}
		if err := a.takeMasterKeyIntoUse(ctx, configured.ID(), known); err != nil {
			return err
		}
	}
	a.derived, err = a.readDerivedKeys(ctx, to)
	return err
}

// chooseSealer returns the sealer with the key that seals, and requires all keys that values may be sealed under.
func (a *app) chooseSealer(ctx context.Context, configured *credential.Sealer, known []store.MasterKey) (*credential.Sealer, error) {
	if len(known) == 0 {
		first, err := a.findFirstKey(ctx, configured)
		if err != nil {
			return nil, err
		}
		return configured.SealingWith(first) // which a release that knows one master key can open
	}
	if err := a.requireMasterKeys(configured, known); err != nil {
		return nil, err
	}
	id, err := credential.ParseKeyID(newestKey(known).ID)
	if err != nil {
		return nil, err
	}
	s, err := configured.SealingWith(id)
	if err != nil {
		return nil, err
	}
	return s.Naming(), nil
}

// newestKey returns the key that seals: that which was taken into use last.
func newestKey(known []store.MasterKey) (newest store.MasterKey) {
	for _, k := range known {
		if k.RetiredAt.IsZero() && !k.UsedAt.IsZero() && !k.UsedAt.Before(newest.UsedAt) {
			newest = k
		}
	}
	return newest
}

// requireMasterKeys requires all keys that values are sealed under, or will be.
func (a *app) requireMasterKeys(configured *credential.Sealer, known []store.MasterKey) error {
	for _, k := range known {
		id, err := credential.ParseKeyID(k.ID)
		if err != nil {
			return err
		}
		if k.RetiredAt.IsZero() && !configured.Has(id) {
			return &installation.Error{Problem: installation.MasterKeyNeeded, Path: masterKeyNames(a.conf), Other: k.ID}
		}
	}
	return nil
}

// checkMasterKeys is requireMasterKeys for a process that has just joined the others: a new key may have been taken into use since it read them.
func (a *app) checkMasterKeys(ctx context.Context) error {
	known, err := a.store.MasterKeys(ctx)
	if err != nil {
		return err
	}
	return a.requireMasterKeys(a.sealer, known)
}

// findFirstKey returns which of the configured keys opens the authority.
func (a *app) findFirstKey(ctx context.Context, configured *credential.Sealer) (credential.KeyID, error) {
	ids := configured.IDs()
	for _, id := range ids {
		s, err := configured.SealingWith(id)
		if err == nil {
			_, err = authority.OpenRoot(ctx, a.keyFiles(), s.Alone())
		}
		if err == nil || !errors.Is(err, credential.ErrSealed) {
			return id, err
		}
	}
	return ids[0], nil // openRoot says what is wrong
}

// takeMasterKeyIntoUse records that values may be sealed under a new master key, after checking that every process has it.
//
// Durable with the announcement: the derived keys as they are now, and that the key is needed to start. A process that starts later is refused without
// it; those that started before are asked here. If this process dies before the key is in use, nothing is sealed under it, and the next one that is
// started with the key checks again.
func (a *app) takeMasterKeyIntoUse(ctx context.Context, id credential.KeyID, known []store.MasterKey) error {
	if n := countUsable(known); n > 1 {
		return fmt.Errorf("another exchange of the master key is not complete: %d keys are in use. Complete it with segel master-key rotate before the next one", n)
	}
	if a.dataLock != nil {
		// All processes on SQLite share the data folder, and read which keys are in use after they have locked it.
		locked, err := durable.Lock(a.dataLock)
		if err != nil {
			return err
		}
		if !locked {
			return &installation.Error{Problem: installation.MasterKeyTooEarly, Path: id.String(), Other: "another process that uses " + a.conf.DataDir,
				Err: errors.New("or stop it while this one starts")}
		}
		defer func() { _, _ = durable.LockShared(a.dataLock) }()
	}
	var derived []store.DerivedKey
	for _, purpose := range derivedPurposes {
		k, err := a.sealDerivedKey(purpose)
		if err != nil {
			return err
		}
		derived = append(derived, k)
	}
	if err := a.store.AnnounceMasterKey(ctx, id.String(), a.sealer.ID().String(), derived, a.clock()); err != nil {
		return err
	}
	without, err := a.nodesWhere(ctx, func(keys []string) bool { return !slices.Contains(keys, id.String()) })
	if err != nil {
		return err
	}
	if len(without) > 0 {
		problem := &installation.Error{Problem: installation.MasterKeyTooEarly, Path: id.String(), Other: strings.Join(without, ", ")}
		return errors.Join(problem, a.store.WithdrawMasterKey(ctx, id.String(), a.clock()))
	}
	// Another process may have withdrawn it, or taken it into use: the caller reads again.
	if err := a.store.UseMasterKey(ctx, id.String(), a.clock()); !errors.Is(err, store.ErrNotFound) {
		if err == nil {
			a.log.InfoContext(ctx, "a new master key seals from now on: run segel master-key rotate when all processes use it", "key", id.String(), "former", a.sealer.ID().String())
		}
		return err
	}
	return nil
}

func countUsable(known []store.MasterKey) (n int) {
	for _, k := range known {
		if !k.UsedAt.IsZero() && k.RetiredAt.IsZero() {
			n++
		}
	}
	return n
}

// nodesWhere names the nodes that have not ended and whose master keys fulfil a condition.
func (a *app) nodesWhere(ctx context.Context, holds func(keys []string) bool) (names []string, err error) {
	all, now, err := a.store.ListNodes(ctx)
	for _, n := range all {
		if n.Runs(now) && holds(n.MasterKeys) {
			names = append(names, fmt.Sprintf("node %s on %s", n.Name, n.Host))
		}
	}
	return names, err
}

// masterKeyIDs returns the identifiers of the keys that this process has, that which seals first.
func (a *app) masterKeyIDs() (all []string) {
	for _, id := range a.sealer.IDs() {
		all = append(all, id.String())
	}
	return all
}

func (a *app) sealDerivedKey(purpose string) (store.DerivedKey, error) {
	key := a.sealer.DeriveKey(purpose)
	sealed, err := a.sealer.Seal(derivedID(purpose), key[:])
	return store.DerivedKey{Purpose: purpose, Sealed: sealed}, err
}

// readDerivedKeys returns the derived keys by their purpose.
//
// Until the master key is exchanged for the first time they are derived from it. Then they are stored, and stay the same: links that were sent, codes, the
// key of checkpoints and identifiers of orders remain valid. A purpose of a later release is derived from the key that seals when the first service
// needs it, and stored.
func (a *app) readDerivedKeys(ctx context.Context, to access) (map[string][32]byte, error) {
	stored, err := a.store.DerivedKeys(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string][32]byte{}
	for _, k := range stored {
		plain, err := a.sealer.Open(derivedID(k.Purpose), k.Sealed)
		if err != nil || len(plain) != 32 {
			return nil, &installation.Error{Problem: installation.KeysLocked, Path: masterKeyNames(a.conf), Other: "table derived_key of the database", Err: err}
		}
		all[k.Purpose] = [32]byte(plain)
	}
	for _, purpose := range derivedPurposes {
		if _, ok := all[purpose]; ok {
			continue
		}
		all[purpose] = a.sealer.DeriveKey(purpose)
		if len(stored) == 0 || to == reading {
			continue
		}
		k, err := a.sealDerivedKey(purpose)
		if err == nil {
			err = a.store.AddDerivedKey(ctx, k, a.clock())
		}
		if errors.Is(err, store.ErrExists) { // another process was first
			return a.readDerivedKeys(ctx, to)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// lockMasterKeys keeps another process on the same SQLite file from taking a new master key into use: this one would not have it. On PostgreSQL the
// rows of the nodes say which keys they have.
func (a *app) lockMasterKeys() error {
	if _, embedded := sqlstore.SQLitePath(databaseDSN(a.conf)); !embedded || a.dataLock != nil {
		return nil
	}
	dir, err := os.Open(a.conf.DataDir)
	if err != nil {
		return err
	}
	locked, err := durable.LockShared(dir)
	if err == nil && !locked {
		err = errors.New("another process takes a new master key into use at this moment")
	}
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	a.dataLock = dir
	return nil
}

// readFormerMasterKey adds the other key of an exchange, if there is one, to a sealer.
func readFormerMasterKey(ctx context.Context, from credential.MasterKey, to *credential.Sealer) (*credential.Sealer, error) {
	former, err := from.Read(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = &installation.Error{Problem: installation.KeyFileMissing, Path: from.Name()}
	}
	if err != nil {
		return nil, masterKeyProblem(from, err)
	}
	return to.WithFormer(former), nil
}
