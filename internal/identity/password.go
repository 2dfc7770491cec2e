package identity

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"segel/internal/admission"
	"segel/internal/contract"
	"segel/internal/store"
)

// Cost is the cost of a password hash (Argon2id). A zero field means its default: 19 MiB, two passes, one lane.
type Cost struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// String returns the cost as the parameters of a PHC string.
func (c Cost) String() string { return fmt.Sprintf("m=%d,t=%d,p=%d", c.Memory, c.Passes, c.Threads) }

// Bounds on stored hashes: a hash that was planted in the database must not be able to use up the machine's memory.
const (
	maxMemory  = 256 << 10 // KiB
	maxPasses  = 32
	maxThreads = 16
	saltLen    = 16
	keyLen     = 32
)

// maxPassword bounds a password in bytes, so that all passwords cost about the same to hash.
const maxPassword = 1024

// errHash is returned for a stored hash that cannot be parsed.
var errHash = errors.New("stored password hash is not one of Argon2id")

// hasher hashes passwords, a bounded number at a time: the memory in use is at most the queue's slots times the memory of one
// hash. The queue serves origins in turn.
type hasher struct {
	cost   Cost
	queue  *admission.Queue
	derive DeriveKey
}

// DeriveKey derives a key from a password by Argon2id, as [argon2.IDKey] does. The memory is in KiB and the length in bytes.
type DeriveKey func(password, salt []byte, passes, memory uint32, threads uint8, length uint32) []byte

// Bounds on callers that wait for a hash, in all and of one address, which many people may share. A hash takes about 50 ms of
// processor time, so with one slot the last caller of an address waits about six seconds.
const (
	waitingForHash          = 512
	waitingForHashPerOrigin = 128
)

// callerOrigin is where a caller of the hasher comes from. Origins take turns.
type callerOrigin struct {
	key   string // network of the address; the person or organisation if the caller is logged in
	known bool   // logged in, or known to the account from an earlier login: goes ahead of unknown callers
}

// newHasher returns a hasher with so many slots. A derive of nil means [argon2.IDKey].
func newHasher(c Cost, slots int, derive DeriveKey) hasher {
	if derive == nil {
		derive = argon2.IDKey
	}
	setDefault(&c.Memory, 19<<10)
	setDefault(&c.Passes, 2)
	setDefault(&c.Threads, 1)
	return hasher{cost: c, derive: derive, queue: admission.NewQueue(admission.Limits{
		Slots: slots, Waiting: max(waitingForHash, slots), WaitingPerKey: max(waitingForHashPerOrigin, slots),
	})}
}

// deriveKey waits for a slot and hashes.
func (h hasher) deriveKey(ctx context.Context, from callerOrigin, password string, salt []byte, c Cost) ([]byte, error) {
	acquire := h.queue.Acquire
	if from.known {
		acquire = h.queue.AcquireAhead
	}
	release, err := acquire(ctx, from.key)
	if err != nil {
		return nil, contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry().WithCause(err)
	}
	defer release()
	// Two keyboards may encode the same letters differently. They must be the same password.
	return h.derive(norm.NFC.Bytes([]byte(password)), salt, c.Passes, c.Memory, c.Threads, keyLen), nil
}

// hashPassword returns the password's hash in the PHC string format, $argon2id$v=19$m=..,t=..,p=..$salt$hash. The parameter
// beside holds the hashes of the other accounts with the same address. The new hash uses the salt of the first of them that has
// the same cost, else a random one. A login can then be compared with all of them at the cost of one hash, and its time does
// not show how many there are. The price: a person who reads the database sees which accounts of an address have the same
// password. Two accounts that are stored at the same moment, and accounts that were stored with different costs, have
// different salts until one of their passwords is changed.
func (h hasher) hashPassword(ctx context.Context, from callerOrigin, password string, random io.Reader, beside []string) (string, error) {
	salt := h.findSharedSalt(beside)
	if salt == nil {
		salt = make([]byte, saltLen)
		if _, err := io.ReadFull(random, salt); err != nil {
			return "", fmt.Errorf("draw a salt: %w", err)
		}
	}
	key, err := h.deriveKey(ctx, from, password, salt, h.cost)
	if err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$%s$%s$%s", argon2.Version, h.cost, b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// findSharedSalt returns the salt of the first hash that has the present cost, or nil. It skips a hash that cannot be parsed;
// a login to that account reports it.
func (h hasher) findSharedSalt(beside []string) []byte {
	for _, encoded := range beside {
		if c, salt, _, err := parseHash(encoded); err == nil && c == h.cost && len(salt) == saltLen {
			return salt
		}
	}
	return nil
}

// guess is a password that is compared with the hashes of several accounts. It is hashed once for each pair of salt and cost.
// For the accounts of one address that is usually once, see [hasher.hashPassword]. A guess is not safe for concurrent use.
type guess struct {
	hasher
	from     callerOrigin
	password string
	keys     map[string][]byte     // derived keys by cost and salt
	refuses  func(store.User) bool // accounts that never match; nil: none

	// stopped is the state of the organisation of an account that had the password and was not returned because of it.
	stopped contract.OrganisationState
}

func (h hasher) newGuess(from callerOrigin, password string) *guess {
	return &guess{hasher: h, from: from, password: password, keys: map[string][]byte{}}
}

// matches reports whether the encoded hash is that of the password. For an empty hash, as of an unknown account, and for a
// password that is too long, it returns false after the work of one hash with the present cost.
func (g *guess) matches(ctx context.Context, encoded string) (bool, error) {
	if encoded == "" || len(g.password) > maxPassword {
		_, err := g.deriveOnce(ctx, "no account", "", make([]byte, saltLen), g.cost)
		return false, err
	}
	c, salt, want, err := parseHash(encoded)
	if err != nil {
		return false, err
	}
	got, err := g.deriveOnce(ctx, c.String()+"$"+string(salt), g.password, salt, c)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// deriveOnce derives a key, or returns the one that it derived before under the same name.
func (g *guess) deriveOnce(ctx context.Context, name, password string, salt []byte, c Cost) ([]byte, error) {
	if key, ok := g.keys[name]; ok {
		return key, nil
	}
	key, err := g.deriveKey(ctx, g.from, password, salt, c)
	if err != nil {
		return nil, err
	}
	g.keys[name] = key
	return key, nil
}

// verifyPassword reports whether one encoded hash is that of the password, see [guess.matches].
func (h hasher) verifyPassword(ctx context.Context, from callerOrigin, password, encoded string) (bool, error) {
	return h.newGuess(from, password).matches(ctx, encoded)
}

// findAccount returns the first account that has the password and may use it, or nil: it is not disabled, its organisation is active, and a provider does not take the place of its password. Without accounts it does the same work as with one,
// unless the guess was hashed before.
func (g *guess) findAccount(ctx context.Context, accounts []store.User) (*store.User, error) {
	if len(accounts) == 0 && len(g.keys) == 0 {
		_, err := g.matches(ctx, "")
		return nil, err
	}
	var damaged error // a damaged hash of one account must not block logins to the others
	for i, u := range accounts {
		ok, err := g.matches(ctx, u.Password)
		switch {
		case errors.Is(err, errHash):
			damaged = errors.Join(damaged, fmt.Errorf("check the password of user %q: %w", u.ID, err))
		case err != nil:
			return nil, fmt.Errorf("check the password of user %q: %w", u.ID, err)
		case !ok || !u.DisabledAt.IsZero() || g.refuses != nil && g.refuses(u):
		case u.OrganisationState != contract.OrganisationActive:
			g.stopped = u.OrganisationState
		default:
			return &accounts[i], nil
		}
	}
	return nil, damaged
}

// otherHashes returns the password hashes of all accounts except one.
func otherHashes(accounts []store.User, except contract.PersonID) []string {
	var encoded []string
	for _, u := range accounts {
		if u.ID != except {
			encoded = append(encoded, u.Password)
		}
	}
	return encoded
}

func parseHash(encoded string) (c Cost, salt, key []byte, err error) {
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads); err != nil || parts[3] != c.String() {
		return c, nil, nil, errHash
	}
	if c.Memory == 0 || c.Memory > maxMemory || c.Passes == 0 || c.Passes > maxPasses || c.Threads == 0 || c.Threads > maxThreads {
		return c, nil, nil, errHash
	}
	b64 := base64.RawStdEncoding.Strict()
	if salt, err = b64.DecodeString(parts[4]); err != nil || len(salt) < 8 {
		return c, nil, nil, errHash
	}
	if key, err = b64.DecodeString(parts[5]); err != nil || len(key) != keyLen {
		return c, nil, nil, errHash
	}
	return c, salt, key, nil
}

// checkPassword returns what is wrong with a new password, or nil. The words are the person's own, see checkWeak.
func (s *Service) checkPassword(field, password string, words ...string) *contract.FieldError {
	switch n := utf8.RuneCountInString(password); {
	case n < s.password:
		return &contract.FieldError{Field: field, Code: "password.too_short", Args: map[string]any{"limit": s.password}}
	case len(password) > maxPassword:
		return &contract.FieldError{Field: field, Code: "password.too_long", Args: map[string]any{"limit": maxPassword}}
	case !utf8.ValidString(password):
		return &contract.FieldError{Field: field, Code: "text.not_utf8"}
	}
	return checkWeak(field, password, words...)
}

// ReadPassword reads a password from a file or standard input: the first line, without its line ending.
func ReadPassword(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPassword+3))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

// passwordLetters are the characters of generated passwords. Characters that are easily confused are left out.
const passwordLetters = "abcdefghjkmnpqrstuvwxyz23456789"

// newPassword returns a random password of 20 characters in groups of five, about 99 bits.
func newPassword(random io.Reader) (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for n := 0; n < 20; {
		if _, err := io.ReadFull(random, one); err != nil {
			return "", fmt.Errorf("draw a password: %w", err)
		}
		// Bytes past the last whole multiple would make some letters more likely than others.
		if int(one[0]) >= 256/len(passwordLetters)*len(passwordLetters) {
			continue
		}
		if n > 0 && n%5 == 0 {
			b.WriteByte('-')
		}
		b.WriteByte(passwordLetters[int(one[0])%len(passwordLetters)])
		n++
	}
	return b.String(), nil
}
