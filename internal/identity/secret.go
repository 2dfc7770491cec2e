package identity

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"strings"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/store"
)

// A secret is <prefix><43 characters: 256 random bits><6 characters: CRC-32 of all characters before>, in base
// 62. Scanners of repositories and logs can find a leaked secret by its prefix. With the checksum, a secret that was
// mistyped or cut off is refused without a database query. See docs/formats/secret.md.
const (
	prefixAccess   = "sgl_at_"
	prefixRefresh  = "sgl_rt_"
	prefixGuest    = "sgl_gt_"
	prefixSession  = "sgl_ss_"
	prefixLink     = "sgl_gl_"
	prefixMailed   = "sgl_ml_"
	prefixDevice   = "sgl_dv_"
	prefixReset    = "sgl_pr_"
	prefixEmbed    = "sgl_ea_" // an address of an embedded page
	prefixEmbedded = "sgl_et_" // the token for which it is exchanged

	prefixInvitation = "sgl_iv_"

	prefixKey      = "sgl_ak_" // an API key
	prefixTestKey  = "sgl_tk_" // an API key for test documents
	prefixKeyToken = "sgl_kt_" // an access token of an API key

	prefixDirectory = "sgl_sc_" // the directory of an organisation (SCIM)

	prefixLen   = len(prefixAccess)
	randomLen   = 43 // base 62 digits of 256 bits
	checksumLen = 6  // base 62 digits of 32 bits
	secretLen   = prefixLen + randomLen + checksumLen
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// prefixes are the prefixes by kind of token. Guest links and the secrets of devices are not tokens.
var prefixes = map[store.TokenKind]string{
	store.AccessToken:   prefixAccess,
	store.RefreshToken:  prefixRefresh,
	store.GuestToken:    prefixGuest,
	store.SessionToken:  prefixSession,
	store.EmbeddedToken: prefixEmbedded,
}

// newSecret returns a random secret in clear, which is shown once, and the hash to store.
func newSecret(random io.Reader, prefix string) (clear string, hash [32]byte, err error) {
	var b [32]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", hash, fmt.Errorf("draw a secret: %w", err)
	}
	body := prefix + encodeBase62(new(big.Int).SetBytes(b[:]), randomLen)
	clear = body + checksum(body)
	return clear, sha256.Sum256([]byte(clear)), nil
}

// checkSecret returns the hash of a secret, and whether its prefix, length and checksum are right.
func checkSecret(clear, prefix string) (hash [32]byte, ok bool) {
	if len(clear) != secretLen || !strings.HasPrefix(clear, prefix) {
		return hash, false
	}
	body, sum := clear[:secretLen-checksumLen], clear[secretLen-checksumLen:]
	if checksum(body) != sum {
		return hash, false
	}
	return sha256.Sum256([]byte(clear)), true
}

// NewDirectorySecret returns a random secret for the directory of an organisation in clear, which is shown once, the hash to store, and the first
// characters, by which people recognise it.
func (s *Service) NewDirectorySecret() (clear string, hash [32]byte, hint string, err error) {
	clear, hash, err = newSecret(s.random, prefixDirectory)
	if err != nil {
		return "", hash, "", err
	}
	return clear, hash, clear[:hintLen], nil
}

// CheckDirectorySecret returns the hash of a secret of [Service.NewDirectorySecret], and whether it can be one.
func CheckDirectorySecret(clear string) (hash [32]byte, ok bool) {
	return checkSecret(clear, prefixDirectory)
}

// checkToken applies checkSecret for several kinds of token, and returns the kind that matches.
func checkToken(clear string, kinds ...store.TokenKind) (kind store.TokenKind, hash [32]byte, ok bool) {
	for _, k := range kinds {
		if hash, ok := checkSecret(clear, prefixes[k]); ok {
			return k, hash, true
		}
	}
	return "", hash, false
}

func checksum(body string) string {
	return encodeBase62(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(body)))), checksumLen)
}

// encodeBase62 writes n in base 62 with exactly width digits; n must fit.
func encodeBase62(n *big.Int, width int) string {
	radix, digit := big.NewInt(62), new(big.Int)
	b := make([]byte, width)
	for i := range b {
		n.DivMod(n, radix, digit)
		b[width-1-i] = base62[digit.Int64()]
	}
	return string(b)
}

// newUUID returns a random version 4 UUID in lower case (RFC 9562 §5.4).
func newUUID(random io.Reader) (string, error) {
	id, err := uuid.NewRandomFromReader(random)
	if err != nil {
		return "", fmt.Errorf("draw a UUID: %w", err)
	}
	return id.String(), nil
}

// NewPersonID returns a random identifier for a new user or guest.
func (s *Service) NewPersonID() (contract.PersonID, error) {
	id, err := newUUID(s.random)
	return contract.PersonID(id), err
}
