package identity

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"os"
	"regexp"
	"strings"
	"testing"

	"segel/internal/store"
)

func TestASecretHasItsPrefixAndChecksum(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^sgl_at_[0-9A-Za-z]{49}$`)
	seen := map[string]bool{}
	for range 100 {
		clear, hash, err := newSecret(rand.Reader, prefixAccess)
		if err != nil {
			t.Fatal(err)
		}
		if !shape.MatchString(clear) || seen[clear] || hash != sha256.Sum256([]byte(clear)) {
			t.Fatalf("drew %s", clear)
		}
		seen[clear] = true
		if got, ok := checkSecret(clear, prefixAccess); !ok || got != hash {
			t.Errorf("%s is not read back", clear)
		}
		if _, ok := checkSecret(clear, prefixRefresh); ok {
			t.Errorf("%s is taken for a refresh token", clear)
		}
	}
}

func TestAnyLetterChangedIsNoticed(t *testing.T) {
	t.Parallel()
	clear, _, err := newSecret(rand.Reader, prefixLink)
	if err != nil {
		t.Fatal(err)
	}
	for i := range clear {
		for _, c := range "0aZ_" {
			wrong := clear[:i] + string(c) + clear[i+1:]
			if _, ok := checkSecret(wrong, prefixLink); ok && wrong != clear {
				t.Errorf("%s is taken for %s", wrong, clear)
			}
		}
	}
}

// The sample was written once and is never regenerated. It proves that existing secrets stay valid.
func TestSecretsOfTheFirstFormatAreAlwaysRead(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/formats/secret.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, clear := range strings.Fields(string(b)) {
		if _, ok := checkSecret(clear, clear[:prefixLen]); !ok {
			t.Errorf("%s is not read", clear)
		}
	}
	// 256 one bits are the largest number that has to fit.
	clear, _, err := newSecret(bytes.NewReader(bytes.Repeat([]byte{0xFF}, 32)), prefixAccess)
	if err != nil || !strings.Contains(string(b), clear) {
		t.Errorf("%s is not in the sample, %v", clear, err)
	}
}

func TestRandomnessThatEndsIsAnError(t *testing.T) {
	t.Parallel()
	if _, _, err := newSecret(strings.NewReader("short"), prefixAccess); err == nil {
		t.Error("drew a secret of five bytes")
	}
	if _, err := newUUID(strings.NewReader("short")); err == nil {
		t.Error("drew a UUID of five bytes")
	}
	if _, err := newPassword(strings.NewReader("short")); err == nil {
		t.Error("drew a password of five bytes")
	}
}

func TestPeopleAreNumberedByUUID(t *testing.T) {
	t.Parallel()
	got, err := newUUID(bytes.NewReader(bytes.Repeat([]byte{0xFF}, 16)))
	if err != nil || got != "ffffffff-ffff-4fff-bfff-ffffffffffff" {
		t.Errorf("drew %s, %v", got, err)
	}
}

func FuzzSecret(f *testing.F) {
	f.Add("sgl_at_")
	f.Add("sgl_ak_")
	f.Add("sgl_kt_")
	f.Fuzz(func(t *testing.T, clear string) {
		kind, hash, ok := checkToken(clear, store.AccessToken, store.RefreshToken, store.GuestToken, store.SessionToken)
		if ok && (len(clear) != secretLen || !strings.HasPrefix(clear, prefixes[kind]) || hash != sha256.Sum256([]byte(clear))) {
			t.Errorf("%q is taken for a %s token", clear, kind)
		}
		if hash, ok := checkAPIKey(clear); ok && (len(clear) != secretLen || !IsAPIKey(clear) || hash != sha256.Sum256([]byte(clear))) {
			t.Errorf("%q is taken for an API key", clear)
		}
		if s := secretOf(clear); len(s) > secretLen+1 {
			t.Errorf("%q is the secret of %q", s, clear)
		}
	})
}
