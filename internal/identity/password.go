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

	"segel/internal/contract"
)

// Cost is how hard a password hash is to compute. The zero value of a member means its default: 19 MiB, two
// passes, one lane.
type Cost struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// String writes the cost as the parameters of a PHC string.
func (c Cost) String() string { return fmt.Sprintf("m=%d,t=%d,p=%d", c.Memory, c.Passes, c.Threads) }

// Bounds on hashes read back: a hash in the database must not be able to take the machine's memory.
const (
	maxMemory  = 256 << 10 // KiB
	maxPasses  = 32
	maxThreads = 16
	saltLen    = 16
	keyLen     = 32
)

// maxPassword bounds a password in bytes, so that hashing one costs the same as hashing any other.
const maxPassword = 1024

// errHash says that a stored hash cannot be read.
var errHash = errors.New("stored password hash is not one of Argon2id")

// hasher hashes passwords, so many at once: memory in use is at most cap(slots) times the memory of one hash.
type hasher struct {
	cost  Cost
	slots chan struct{}
}

func newHasher(c Cost, slots int) hasher {
	fill(&c.Memory, 19<<10)
	fill(&c.Passes, 2)
	fill(&c.Threads, 1)
	return hasher{cost: c, slots: make(chan struct{}, slots)}
}

// key waits for a slot and hashes.
func (h hasher) key(ctx context.Context, password string, salt []byte, c Cost) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry().WithCause(ctx.Err())
	}
	defer func() { <-h.slots }()
	// The same letters typed on two keyboards must be the same password.
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, c.Passes, c.Memory, c.Threads, keyLen), nil
}

// hash returns the password's hash in the PHC string format, $argon2id$v=19$m=..,t=..,p=..$salt$hash.
func (h hasher) hash(ctx context.Context, password string, random io.Reader) (string, error) {
	salt := make([]byte, saltLen)
	if _, err := io.ReadFull(random, salt); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	key, err := h.key(ctx, password, salt, h.cost)
	if err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$%s$%s$%s", argon2.Version, h.cost, b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// verify reports whether the password is the one behind the encoded hash. For an empty hash, an unknown
// account's, it does the same work and says no.
func (h hasher) verify(ctx context.Context, password, encoded string) (bool, error) {
	known := encoded != "" && len(password) <= maxPassword
	if !known {
		_, err := h.key(ctx, "", make([]byte, saltLen), h.cost)
		return false, err
	}
	c, salt, want, err := parseHash(encoded)
	if err != nil {
		return false, err
	}
	got, err := h.key(ctx, password, salt, c)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
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

// checkPassword says what is wrong with a new password, or returns nil. The words are the person's own, see checkWeak.
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

// ReadPassword reads a password from a file or standard input: the first line, without its end.
func ReadPassword(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPassword+3))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

// plain are the letters of a generated password: none reads as another.
const plain = "abcdefghjkmnpqrstuvwxyz23456789"

// newPassword draws a password of 20 characters in groups, some 99 bits.
func newPassword(random io.Reader) (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for n := 0; n < 20; {
		if _, err := io.ReadFull(random, one); err != nil {
			return "", fmt.Errorf("draw a password: %w", err)
		}
		// Bytes past the last whole multiple would make some letters likelier than others.
		if int(one[0]) >= 256/len(plain)*len(plain) {
			continue
		}
		if n > 0 && n%5 == 0 {
			b.WriteByte('-')
		}
		b.WriteByte(plain[int(one[0])%len(plain)])
		n++
	}
	return b.String(), nil
}
