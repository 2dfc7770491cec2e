package passkey

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"segel/internal/passkey/passkeytest"
)

func TestPasskeysNeedAHostNameAndTLSOrLocalhost(t *testing.T) {
	t.Parallel()
	for address, allowed := range map[string]bool{
		"https://segel.contoh.id": true, "https://segel.contoh.id:8443/segel": true, "http://localhost:8080": true, "http://a.localhost": true, "https://localhost": true,
		"http://segel.contoh.id": false, "http://127.0.0.1:8080": false, "https://192.0.2.1": false, "https://[2001:db8::1]": false, "": false, "localhost:8080": false, "ftp://localhost": false,
	} {
		if _, err := New(address, "Segel"); (err == nil) != allowed || err != nil && !errors.Is(err, ErrAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

var siti = Account{Handle: []byte("8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"), Name: "siti@contoh.id", DisplayName: "Siti"}

// register returns a relying party and a passkey of siti.
func register(t *testing.T) (*RelyingParty, *passkeytest.Authenticator, Passkey) {
	t.Helper()
	p, err := New("https://segel.contoh.id/app", "Segel")
	if err != nil {
		t.Fatal(err)
	}
	a := passkeytest.New("segel.contoh.id", "https://segel.contoh.id")
	options, err := p.CreationOptions([32]byte{1}, siti, []byte("known"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"residentKey":"required"`, `"userVerification":"required"`, `"attestation":"none"`, `"excludeCredentials":[{"type":"public-key","id":"a25vd24"}]`} {
		if !strings.Contains(string(options), want) {
			t.Errorf("no %s in %s", want, options)
		}
	}
	k, err := p.VerifyRegistration([32]byte{1}, siti, a.Create(options))
	if err != nil {
		t.Fatal(err)
	}
	return p, a, k
}

func TestAPasskeyProvesItsAccountForOneChallengeAndOrigin(t *testing.T) {
	t.Parallel()
	p, a, k := register(t)
	options, err := p.RequestOptions([32]byte{2})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(options), "allowCredentials") || !strings.Contains(string(options), `"userVerification":"required"`) {
		t.Errorf("options are %s", options)
	}
	verify := func(challenge [32]byte, handle []byte, k Passkey) (Use, error) {
		parsed, err := ParseAssertion(a.Get(options))
		if err != nil {
			t.Fatal(err)
		}
		return p.VerifyAssertion(challenge, handle, k, parsed)
	}
	if use, err := verify([32]byte{2}, siti.Handle, k); err != nil || use != (Use{SignCount: 1}) {
		t.Fatalf("%+v, %v", use, err)
	}
	other := passkeytest.New("segel.contoh.id", "https://segel.contoh.id")
	for name, refused := range map[string]func() error{
		"another challenge": func() error { _, err := verify([32]byte{3}, siti.Handle, k); return err },
		"another account":   func() error { _, err := verify([32]byte{2}, []byte("budi"), k); return err },
		"another key": func() error {
			made, err := p.CreationOptions([32]byte{1}, siti)
			if err != nil {
				return err
			}
			wrong, err := p.VerifyRegistration([32]byte{1}, siti, other.Create(made))
			if err != nil {
				return err
			}
			wrong.ID = k.ID
			_, err = verify([32]byte{2}, siti.Handle, wrong)
			return err
		},
		"another origin": func() error {
			defer func() { a.Origin = "https://segel.contoh.id" }()
			a.Origin = "https://segel.contoh.id.jahat.example"
			_, err := verify([32]byte{2}, siti.Handle, k)
			return err
		},
		"another relying party": func() error {
			defer func() { a.RPID = "segel.contoh.id" }()
			a.RPID = "contoh.id"
			_, err := verify([32]byte{2}, siti.Handle, k)
			return err
		},
		"a user who was not verified": func() error {
			defer func() { a.Verified = true }()
			a.Verified = false
			_, err := verify([32]byte{2}, siti.Handle, k)
			return err
		},
		"a passkey that became one that is copied": func() error {
			defer func() { a.BackupEligible = false }()
			a.BackupEligible = true
			_, err := verify([32]byte{2}, siti.Handle, k)
			return err
		},
		"no account": func() error {
			defer func(was []byte) { a.Handle = was }(a.Handle)
			a.Handle = nil
			_, err := verify([32]byte{2}, siti.Handle, k)
			return err
		},
		"a creation instead": func() error {
			_, err := ParseAssertion(other.Create(options))
			return err
		},
		"a creation for another challenge": func() error {
			_, err := p.VerifyRegistration([32]byte{9}, siti, other.Create(options))
			return err
		},
		"a creation without verification": func() error {
			other.Verified = false
			_, err := p.VerifyRegistration([32]byte{2}, siti, other.Create(options))
			return err
		},
		"too much":    func() error { _, err := ParseAssertion(make([]byte, MaxAnswer+1)); return err },
		"not an JSON": func() error { _, err := ParseAssertion([]byte("{")); return err },
	} {
		if err := refused(); !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rsaKey returns a COSE_Key for RS256 with a modulus of so many bits: {1: 3, 3: -257, -1: n, -2: 65537}.
func rsaKey(bits int) []byte {
	n := make([]byte, (bits+7)/8)
	n[0], n[len(n)-1] = 1<<((bits-1)%8), n[len(n)-1]|1
	b := binary.BigEndian.AppendUint16([]byte{0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59}, uint16(len(n)))
	return append(append(b, n...), 0x21, 0x43, 1, 0, 1)
}

// A person may register any key. With one of 90,000 bits, each login would take a processor for seconds.
func TestAPasskeyWhoseSignaturesTakeLongToVerifyIsRefused(t *testing.T) {
	t.Parallel()
	p, a, _ := register(t)
	options, err := p.CreationOptions([32]byte{1}, siti)
	if err != nil {
		t.Fatal(err)
	}
	for bits, allowed := range map[int]bool{2048: true, 8192: true, 8193: false, 80_000: false} {
		a.PublicKey = rsaKey(bits)
		if _, err := p.VerifyRegistration([32]byte{1}, siti, a.Create(options)); (err == nil) != allowed || err != nil && !errors.Is(err, ErrAnswer) {
			t.Errorf("%d bits: %v", bits, err)
		}
	}
	// Nor is one verified with that was registered before.
	request, err := p.RequestOptions([32]byte{2})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := ParseAssertion(a.Get(request))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.VerifyAssertion([32]byte{2}, siti.Handle, Passkey{ID: a.ID, PublicKey: rsaKey(80_000)}, answer); !errors.Is(err, ErrAnswer) || !strings.Contains(err.Error(), "80000 bits") {
		t.Error(err)
	}
}

// Statements of authenticators about themselves are not asked for, and may have certificates with keys of any size.
func TestAttestationsAreIgnored(t *testing.T) {
	t.Parallel()
	p, a, _ := register(t)
	options, err := p.CreationOptions([32]byte{1}, siti)
	if err != nil {
		t.Fatal(err)
	}
	a.Attestation = []byte("not a signature")
	if k, err := p.VerifyRegistration([32]byte{1}, siti, a.Create(options)); err != nil || string(k.ID) != string(a.ID) {
		t.Errorf("%x: %v", k.ID, err)
	}
}

func FuzzAnswersAreParsedWithoutPanic(f *testing.F) {
	a := passkeytest.New("segel.contoh.id", "https://segel.contoh.id")
	f.Add([]byte(a.Get([]byte(`{"challenge":"AAAA"}`))))
	f.Add([]byte(a.Create([]byte(`{"challenge":"AAAA","user":{"id":"AAAA"}}`))))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := New("https://segel.contoh.id", "Segel")
		if err != nil {
			t.Fatal(err)
		}
		if a, err := ParseAssertion(b); err == nil {
			if _, err := p.VerifyAssertion([32]byte{1}, siti.Handle, Passkey{ID: a.ID}, a); err == nil {
				t.Error("an answer without a key was accepted")
			}
		}
		_, _ = p.VerifyRegistration([32]byte{1}, siti, b)
	})
}
