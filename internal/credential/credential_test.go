package credential

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

func newTestSealer(t *testing.T) *Sealer {
	t.Helper()
	s, err := OpenSealer(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealedBytesOpenUnderTheSameKeyAndIDOnly(t *testing.T) {
	t.Parallel()
	s := newTestSealer(t)
	plain := []byte("a private key")
	sealed, err := s.Seal("sari", plain)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, plain) {
		t.Fatal("not sealed at all")
	}
	if got, err := s.Open("sari", sealed); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("%q %v", got, err)
	}
	if _, err := s.Open("budi", sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("under another id: %v", err)
	}
	if _, err := newTestSealer(t).Open("sari", sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("under another key: %v", err)
	}
	for i := range sealed {
		b := bytes.Clone(sealed)
		b[i] ^= 1
		if _, err := s.Open("sari", b); !errors.Is(err, ErrSealed) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	for n := range sealed {
		if _, err := s.Open("sari", sealed[:n]); !errors.Is(err, ErrSealed) {
			t.Errorf("%d bytes of it: %v", n, err)
		}
	}
}

func TestMasterKeyIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	var all sync.WaitGroup
	sealed := make([][]byte, 8)
	for i := range sealed {
		all.Go(func() {
			s, err := OpenSealer(file)
			if err != nil {
				t.Error(err)
				return
			}
			if sealed[i], err = s.Seal("x", []byte{byte(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, err := OpenSealer(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range sealed {
		if _, err := s.Open("x", b); err != nil {
			t.Errorf("starter %d had another key: %v", i, err)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSealer(file); err == nil {
		t.Error("a master key that others can read was used")
	}
}

func TestPKCS12GivesKeyAndChainInOrder(t *testing.T) {
	t.Parallel()
	root, rootCert := newCertificate(t, "Root", nil, nil)
	key, cert := newCertificate(t, "Sari", rootCert, root)
	file, err := pkcs12.Modern.Encode(key, cert, []*x509.Certificate{rootCert}, "rahasia")
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadPKCS12(bytes.NewReader(file), "rahasia")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Chain) != 2 || !c.Chain[0].Equal(cert) || !c.Chain[1].Equal(rootCert) || !key.PublicKey.Equal(c.Public()) {
		t.Errorf("%d certificates", len(c.Chain))
	}
	if _, err := ReadPKCS12(bytes.NewReader(file), "salah"); err == nil {
		t.Error("opened with a wrong password")
	}
}

func newCertificate(t *testing.T, name string, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), IsCA: parent == nil, BasicConstraintsValid: true}
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return key, cert
}

func TestFirstFormOfASealedKeyStillOpens(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/formats/sealed-key-1.hex")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSealer(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := s.Open("sari", sealed); err != nil || string(plain) != "a private key" {
		t.Errorf("%q %v", plain, err)
	}
}

// TestADerivedKeyStaysWhatItWas compares with a value from another implementation of RFC 5869.
func TestADerivedKeyStaysWhatItWas(t *testing.T) {
	t.Parallel()
	s, err := NewSealer(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	const purpose = "audit checkpoint 1"
	if key := s.DeriveKey(purpose); hex.EncodeToString(key[:]) != "aaeb78704522c32f67d43e9b704d9ddb3427ce82424af51215f73c31b384c4e1" {
		t.Errorf("%x", key)
	}
	if s.DeriveKey(purpose) == s.DeriveKey("audit checkpoint 2") {
		t.Error("two purposes have one key")
	}
}

func TestReadSealerMakesNoKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if _, err := ReadSealer(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that does not exist: %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was made: %v", err)
	}
	if _, err := OpenSealer(file); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSealer(file); err != nil {
		t.Error(err)
	}
}

// newExchange returns sealers of two keys: with the former one alone, and with both, of which the new one seals.
func newExchange(t *testing.T) (former, both *Sealer) {
	t.Helper()
	former, current := newTestSealer(t), newTestSealer(t)
	return former, current.WithFormer(former).Naming()
}

func TestASealerWithSeveralKeysSealsWithOneAndOpensWithEach(t *testing.T) {
	t.Parallel()
	former, both := newExchange(t)
	named, err := both.SealingWith(former.ID())
	if err != nil {
		t.Fatal(err)
	}
	for about, by := range map[string]*Sealer{"the former key, which it does not name": former, "the former key": named, "the current key": both} {
		sealed, err := by.Seal("sari", []byte("a private key"))
		if err != nil {
			t.Fatal(err)
		}
		if plain, under, err := both.OpenWithKey("sari", sealed); err != nil || string(plain) != "a private key" || under != by.ID() {
			t.Errorf("sealed under %s: %q under %s, %v", about, plain, under, err)
		}
		want := error(nil)
		if by != both {
			want = ErrSealed
		}
		if _, err := both.Alone().Open("sari", sealed); !errors.Is(err, want) {
			t.Errorf("sealed under %s, opened with the current key alone: %v", about, err)
		}
		for i := range sealed {
			b := bytes.Clone(sealed)
			b[i] ^= 1
			if _, err := both.Open("sari", b); !errors.Is(err, ErrSealed) {
				t.Errorf("sealed under %s, byte %d changed: %v", about, i, err)
			}
			if _, err := both.Open("sari", sealed[:i]); !errors.Is(err, ErrSealed) {
				t.Errorf("sealed under %s, %d bytes of it: %v", about, i, err)
			}
		}
		if _, err := both.Open("budi", sealed); !errors.Is(err, ErrSealed) {
			t.Errorf("sealed under %s, opened for another: %v", about, err)
		}
	}
	if _, err := both.SealingWith(newTestSealer(t).ID()); !errors.Is(err, ErrOtherKey) {
		t.Errorf("a key that it does not have: %v", err)
	}
}

func TestSealedDataSaysWhichKeyIsMissing(t *testing.T) {
	t.Parallel()
	former, both := newExchange(t)
	sealed, err := both.Seal("sari", []byte("a private key"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := former.Open("sari", sealed); !errors.Is(err, ErrOtherKey) || !errors.Is(err, ErrSealed) {
		t.Error(err)
	}
	// One key cannot claim what another sealed: the name is authenticated.
	named, former2 := bytes.Clone(sealed), former.ID()
	copy(named[1:], former2[:])
	if _, err := both.Open("sari", named); !errors.Is(err, ErrSealed) || errors.Is(err, ErrOtherKey) {
		t.Errorf("with the name of another key: %v", err)
	}
	// Nor can a named value be passed off as one without a name.
	if _, err := both.Open("sari", append([]byte{unnamedVersion}, sealed[9:]...)); !errors.Is(err, ErrSealed) {
		t.Errorf("without its name: %v", err)
	}
}

func TestAnIdentifierOfAMasterKeyIsParsedAsItIsPrinted(t *testing.T) {
	t.Parallel()
	id := newTestSealer(t).ID()
	if got, err := ParseKeyID(id.String()); err != nil || got != id {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"", "00", "0011223344556677 ", "00112233445566GG", "AABBCCDDEEFF0011", id.String() + "00"} {
		if _, err := ParseKeyID(bad); err == nil {
			t.Errorf("%q was parsed", bad)
		}
	}
}

func TestSecondFormOfASealedKeyStillOpens(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/formats/sealed-key-2.hex")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSealer(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	if plain, under, err := s.OpenWithKey("sari", sealed); err != nil || string(plain) != "a private key" || under.String() != "b4aa9b9ef839819c" {
		t.Errorf("%q under %s, %v", plain, under, err)
	}
}

// FuzzOpenSealed opens arbitrary bytes with two keys: only what one of them sealed opens, and nothing panics.
func FuzzOpenSealed(f *testing.F) {
	var keys [2]*Sealer
	for i := range keys {
		var err error
		if keys[i], err = NewSealer(bytes.Repeat([]byte{byte(i + 1)}, 32)); err != nil {
			f.Fatal(err)
		}
	}
	both := keys[0].WithFormer(keys[1]).Naming()
	for _, by := range []*Sealer{keys[0], keys[1], both} {
		sealed, err := by.Seal("id", []byte("plain"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add("id", sealed)
		f.Add("other", sealed)
		f.Add("id", sealed[:9])
	}
	f.Add("", []byte{})
	f.Fuzz(func(t *testing.T, id string, sealed []byte) {
		plain, under, err := both.OpenWithKey(id, sealed)
		if err != nil {
			if !errors.Is(err, ErrSealed) {
				t.Error(err)
			}
			return
		}
		if !both.Has(under) || len(plain) >= len(sealed) {
			t.Errorf("%d bytes from %d, under %s", len(plain), len(sealed), under)
		}
		if _, err := both.Open(id+"x", sealed); err == nil {
			t.Error("it opens under another id")
		}
	})
}
