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

// TestADerivedKeyStaysWhatItWas has a value that another implementation of RFC 5869 gave.
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
