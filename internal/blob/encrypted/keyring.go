package encrypted

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/store"
)

// Keyring makes the keys of organisations, and keeps them in memory. It is safe for concurrent use.
type Keyring struct {
	store  store.BlobKeys
	sealer *credential.Sealer // under the master key
	random io.Reader
	clock  func() time.Time

	mu     sync.Mutex // guards all below; not held while the store is asked
	opened map[string]Key
	newest map[string]current
}

// current is the newest key of an organisation as it was read.
type current struct {
	key    Key
	readAt time.Time
}

// Bounds on what is kept in memory. Keys do not change; which one is the newest is asked again after a while, because another process may have
// made one. Until then, files are encrypted under the former one, which stays valid.
const (
	maxHeld   = 10_000
	newestFor = time.Minute
)

// NewKeyring returns the keys of a store, which are sealed under the master key.
func NewKeyring(s store.BlobKeys, master *credential.Sealer, random io.Reader, clock func() time.Time) *Keyring {
	return &Keyring{store: s, sealer: master, random: random, clock: clock, opened: map[string]Key{}, newest: map[string]current{}}
}

// NewestKey implements [Keys]. Of two processes that make the first key of an organisation, one stores it, and both use that one.
func (k *Keyring) NewestKey(ctx context.Context, organisation string) (Key, error) {
	if organisation == "" {
		return Key{}, ErrNoOrganisation
	}
	now := k.clock()
	k.mu.Lock()
	c, ok := k.newest[organisation]
	k.mu.Unlock()
	if age := now.Sub(c.readAt); ok && age >= 0 && age < newestFor {
		return c.key, nil
	}
	stored, err := k.store.NewestBlobKey(ctx, contract.OrganisationID(organisation))
	if errors.Is(err, store.ErrNotFound) {
		if err := k.addKey(ctx, organisation, 1); err != nil && !errors.Is(err, store.ErrExists) {
			return Key{}, err
		}
		stored, err = k.store.NewestBlobKey(ctx, contract.OrganisationID(organisation))
	}
	if err != nil {
		return Key{}, err
	}
	key, err := k.openKey(stored)
	if err != nil {
		return Key{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.newest) >= maxHeld {
		clear(k.newest)
	}
	k.newest[organisation] = current{key, now}
	return key, nil
}

// AddKey gives an organisation another key. Files that this process writes use it at once, those of others after a minute at most. What was encrypted before stays
// as it is, under the key that its header names. [store.ErrExists]: another process did the same at the same moment.
func (k *Keyring) AddKey(ctx context.Context, organisation string) (generation int, err error) {
	stored, err := k.store.NewestBlobKey(ctx, contract.OrganisationID(organisation))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	if err := k.addKey(ctx, organisation, stored.Generation+1); err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.newest, organisation)
	return stored.Generation + 1, nil
}

// addKey makes a key of an organisation. Durable on return: the key. If the process dies here, it is used for later files.
func (k *Keyring) addKey(ctx context.Context, organisation string, generation int) error {
	var id [16]byte
	var secret [32]byte
	for _, b := range [][]byte{id[:], secret[:]} {
		if _, err := io.ReadFull(k.random, b); err != nil {
			return fmt.Errorf("draw the key of an organisation: %w", err)
		}
	}
	key := store.BlobKey{ID: hex.EncodeToString(id[:]), Organisation: contract.OrganisationID(organisation), Generation: generation, CreatedAt: k.clock()}
	var err error
	if key.Sealed, err = k.sealer.Seal(KeySealID(key), secret[:]); err != nil {
		return err
	}
	return k.store.AddBlobKey(ctx, key)
}

// KeySealID is what a key is sealed for: one in the row of another organisation does not open.
func KeySealID(k store.BlobKey) string {
	return fmt.Sprintf("blob key %s %d %s", k.ID, k.Generation, k.Organisation)
}

// FindKey implements [Keys].
func (k *Keyring) FindKey(ctx context.Context, id string) (Key, error) {
	k.mu.Lock()
	key, ok := k.opened[id]
	k.mu.Unlock()
	if ok {
		return key, nil
	}
	stored, err := k.store.BlobKey(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return Key{}, fmt.Errorf("%w: %w", ErrNoKey, err)
	}
	if err != nil {
		return Key{}, err
	}
	return k.openKey(stored)
}

// openKey opens a key under the master key.
func (k *Keyring) openKey(stored store.BlobKey) (Key, error) {
	key, err := k.Check(stored)
	if err != nil {
		return Key{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.opened) >= maxHeld {
		clear(k.opened)
	}
	k.opened[key.ID] = key
	return key, nil
}

// Check opens a stored key: [ErrNoKey] if it was sealed under another master key, or its row was changed.
func (k *Keyring) Check(stored store.BlobKey) (Key, error) {
	secret, err := k.sealer.Open(KeySealID(stored), stored.Sealed)
	if err != nil {
		return Key{}, fmt.Errorf("%w: key %s of organisation %s: %w", ErrNoKey, stored.ID, stored.Organisation, err)
	}
	s, err := credential.NewSealer(secret)
	if err != nil {
		return Key{}, fmt.Errorf("%w: key %s of organisation %s: %w", ErrNoKey, stored.ID, stored.Organisation, err)
	}
	return Key{ID: stored.ID, Sealer: s}, nil
}
