package identity

import (
	"errors"
	"slices"
	"testing"

	"segel/internal/contract"
)

func TestAWeakPasswordIsRefusedAndSaysWhy(t *testing.T) {
	t.Parallel()
	words := []string{"siti.rahma@notaris-contoh.id", "Siti Rahmawati", "PT Maju Bersama"}
	for password, want := range map[string]string{
		"unbelievable": "password.common", "Password1234!": "password.common", "P@ssw0rd2024": "password.common", "passwordpassword": "password.common",
		"!!rahasia2024": "password.common", "Kata Sandi 123": "password.common", "Administrator": "password.common", "1qaz2wsx3edc": "password.common",
		"aaaaaaaaaaaaaa": "password.repetitive", "abcdefghijkl": "password.repetitive", "123456789012345": "password.repetitive",
		"qwertyuiopas": "password.repetitive", "xk7!xk7!xk7!": "password.repetitive", "aaaabbbbccccdddd": "password.repetitive",
		"siti.rahma@notaris-contoh.id": "password.personal", "SitiRahma2024!": "password.personal", "rahmawati-17-08": "password.personal",
		"maju bersama 99": "password.personal", "segelsegel2026": "password.personal", "NotarisContoh12": "password.personal",

		"kata sandi yang panjang": "", "correct horse battery staple": "", "siti menanam 7 pohon jambu": "", "vT9#qLm2@xRw": "",
		"hujan turun di bulan juni": "", "ÆØÅ keramik Łódź 88": "", "8fk3-q9zd-77aa-pp2m": "",
	} {
		bad := checkWeak("new", password, words...)
		got := ""
		if bad != nil {
			got = bad.Code
		}
		if got != want {
			t.Errorf("%q is %q, want %q", password, got, want)
		}
	}
}

func TestEveryWayOfSettingAPasswordRefusesAWeakOne(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	by := h.alive(t, h.login(t).Access)
	by.IP = home
	for way, set := range map[string]func(password string) error{
		"add": func(p string) error {
			_, err := h.AddUser(t.Context(), NewUser{Name: "Siti Dua", Email: "siti2@contoh.id", Password: p, Organisation: "Contoh"})
			return err
		},
		"reset":  func(p string) error { _, err := h.ResetPassword(t.Context(), console, siti, "", p); return err },
		"change": func(p string) error { return h.ChangePassword(t.Context(), by, password, p) },
	} {
		for p, code := range map[string]string{"Password1234!": "password.common", "Siti-Contoh-1": "password.personal", "zzzzzzzzzzzz": "password.repetitive"} {
			var e *contract.Error
			if err := set(p); !errors.As(err, &e) || !slices.ContainsFunc(e.Fields, func(f contract.FieldError) bool { return f.Code == code }) {
				t.Errorf("%s to %q: %v", way, p, err)
			}
		}
	}
	if _, err := h.ResetPassword(t.Context(), console, siti, "", password); contract.KindOf(err) != contract.Invalid {
		t.Errorf("a reset to the present password: %v", err)
	}
}

func FuzzCheckWeak(f *testing.F) {
	f.Add("kata sandi yang panjang", "Siti")
	f.Add("\xff\xfe", "")
	f.Fuzz(func(t *testing.T, password, word string) {
		if len(password) > maxPassword {
			return
		}
		if bad := checkWeak("new", password, word); bad != nil && bad.Code == "" {
			t.Errorf("%q is refused without a code", password)
		}
	})
}
