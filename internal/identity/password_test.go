package identity

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"
)

func TestAPasswordIsKnownByItsHash(t *testing.T) {
	t.Parallel()
	h := newHasher(cheap, 1, nil)
	encoded, err := h.hashPassword(t.Context(), callerOrigin{}, "pa\u00dfwort e\u0301", rand.Reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(encoded, "$argon2id$v=19$m=16,t=1,p=1$") {
		t.Errorf("hash is %s", encoded)
	}
	for password, want := range map[string]bool{
		"pa\u00dfwort e\u0301": true,
		"pa\u00dfwort \u00e9":  true, // the same letters, composed
		"passwort e\u0301":     false,
		"":                     false,
	} {
		if ok, err := h.verifyPassword(t.Context(), callerOrigin{}, password, encoded); ok != want || err != nil {
			t.Errorf("%q: %v, %v", password, ok, err)
		}
	}
	again, err := h.hashPassword(t.Context(), callerOrigin{}, "pa\u00dfwort e\u0301", rand.Reader, nil)
	if err != nil || again == encoded {
		t.Errorf("the same hash twice: %s, %v", again, err)
	}
}

// The sample was written once, at the default cost. It proves that a password that was set years ago still works.
func TestHashesOfTheFirstFormatAreAlwaysRead(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/formats/password.txt")
	if err != nil {
		t.Fatal(err)
	}
	password, encoded, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	if ok, err := newHasher(Cost{}, 1, nil).verifyPassword(t.Context(), callerOrigin{}, password, encoded); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	if !strings.HasPrefix(encoded, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the sample is of another cost: %s", encoded)
	}
}

func TestAHashThatWouldTakeTheMachineIsRefused(t *testing.T) {
	t.Parallel()
	const tail = "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	if _, _, _, err := parseHash("$argon2id$v=19$m=16,t=1,p=1" + tail); err != nil {
		t.Fatal(err)
	}
	for _, encoded := range []string{
		"", "$", "password", "$argon2i$v=19$m=16,t=1,p=1" + tail, "$argon2id$v=16$m=16,t=1,p=1" + tail,
		"$argon2id$v=19$m=4294967295,t=1,p=1" + tail, "$argon2id$v=19$m=16,t=1000000,p=1" + tail, "$argon2id$v=19$m=16,t=1,p=255" + tail,
		"$argon2id$v=19$m=0,t=1,p=1" + tail, "$argon2id$v=19$m=16,t=0,p=1" + tail, "$argon2id$v=19$m=16,t=1,p=0" + tail,
		"$argon2id$v=19$m=-16,t=1,p=1" + tail, "$argon2id$v=19$t=1" + tail, "$argon2id$v=19$m=16,t=1,p=1,x=1" + tail,
		"$argon2id$v=19$m=16,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=16,t=1,p=1" + tail + "$",
		"$argon2id$v=19$m=16,t=1,p=1" + tail + "=",
	} {
		if c, _, _, err := parseHash(encoded); err == nil {
			t.Errorf("%s is read as %+v", encoded, c)
		}
	}
}

func TestAPasswordFileIsItsFirstLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"rahasia": "rahasia", "rahasia\n": "rahasia", "rahasia\r\nmore": "rahasia", " two words \n": " two words ", "": "",
	} {
		if got, err := ReadPassword(strings.NewReader(in)); got != want || err != nil {
			t.Errorf("%q is read as %q, %v", in, got, err)
		}
	}
	long, err := ReadPassword(strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil || len(long) <= maxPassword || len(long) > maxPassword+3 {
		t.Errorf("a very long one is read as %d bytes, %v", len(long), err)
	}
}

func TestGeneratedPasswordsAreNotAlike(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	letters := map[rune]int{}
	for range 200 {
		p, err := newPassword(rand.Reader)
		if err != nil || seen[p] {
			t.Fatalf("%s, %v", p, err)
		}
		seen[p] = true
		for _, r := range p {
			letters[r]++
		}
	}
	if len(letters) != len(passwordLetters)+1 { // and the hyphen
		t.Errorf("only %d letters occur", len(letters))
	}
}

func FuzzParseHash(f *testing.F) {
	f.Fuzz(func(t *testing.T, encoded string) {
		c, salt, key, err := parseHash(encoded)
		if err != nil {
			return
		}
		if c.Memory > maxMemory || c.Passes > maxPasses || c.Threads > maxThreads || len(salt) < 8 || len(key) != keyLen {
			t.Errorf("%q is read as %+v", encoded, c)
		}
	})
}
