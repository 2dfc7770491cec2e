package identity

import (
	"errors"
	"testing"

	"segel/internal/contract"
)

const newer = "kata sandi lain sekali"

// TestAChangedPasswordIsTheOnlyOneAndEndsEverySession logs in before and after the change.
func TestAChangedPasswordIsTheOnlyOneAndEndsEverySession(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	if err := h.ChangePassword(t.Context(), h.alive(t, s.Access), password, newer); err != nil {
		t.Fatal(err)
	}
	if last := h.store.events[len(h.store.events)-1]; last.Type != contract.EventPasswordChange {
		t.Errorf("the log says %+v", last)
	}
	if _, err := h.Authenticate(t.Context(), s.Access); !errors.Is(err, contract.ErrUnauthenticated) {
		t.Errorf("the token it was asked with: %v", err)
	}
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("its refresh token: %v", err)
	}
	if _, err := h.Login(t.Context(), siti, password, "", at(home)); !errors.Is(err, ErrCredentials) {
		t.Errorf("the old password: %v", err)
	}
	if _, err := h.Login(t.Context(), siti, newer, "", at(home)); err != nil {
		t.Errorf("the new one: %v", err)
	}
}

func TestAFirstPasswordThatWasChangedIsNoneAnyMore(t *testing.T) {
	t.Parallel()
	h := empty(t)
	first, err := h.Bootstrap(t.Context(), "Contoh", siti, nil)
	if err != nil || !first.Account.MustReset {
		t.Fatalf("%+v, %v", first, err)
	}
	s, err := h.Login(t.Context(), siti, first.Password, "", at(home))
	if err != nil {
		t.Fatal(err)
	}
	if by := h.alive(t, s.Access); by.MustChoosePassword {
		t.Error("nobody gave the first account its password, and programs log in by it")
	}
	if err := h.ChangePassword(t.Context(), h.alive(t, s.Access), first.Password, newer); err != nil {
		t.Fatal(err)
	}
	if s, err = h.Login(t.Context(), siti, newer, "", at(home)); err != nil || s.Account.MustReset {
		t.Errorf("%+v, %v", s.Account, err)
	}
}

func TestAPasswordIsChangedByWhoKnowsItAndToABetterOne(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	by := h.alive(t, s.Access)
	by.IP = home
	for _, test := range []struct{ current, next, field, code string }{
		{"salah", newer, "current", "password.wrong"},
		{password, password, "new", "password.same"},
		{password, "Kata Sandi yang Panjang!1", "new", "password.same"},
		{password, "pendek", "new", "password.too_short"},
		{password, "Password1234!", "new", "password.common"},
		{password, "siti@contoh.id", "new", "password.personal"},
		{password, "Contoh-2026-Siti", "new", "password.personal"},
	} {
		err := h.ChangePassword(t.Context(), by, test.current, test.next)
		var e *contract.Error
		if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Field != test.field || e.Fields[0].Code != test.code {
			t.Errorf("%+v: %v", test, err)
		}
	}
	guest := by
	guest.Guest = 7
	if err := h.ChangePassword(t.Context(), guest, password, newer); !errors.Is(err, contract.ErrNotAllowed) {
		t.Errorf("a guest: %v", err)
	}
	h.alive(t, s.Access) // none of these refusals ended the session
	var err error
	for range 20 {
		err = h.ChangePassword(t.Context(), by, "salah", newer)
	}
	if contract.KindOf(err) != contract.TooMany {
		t.Errorf("guessing is not bounded: %v", err)
	}
}

// TestALoginThatIsUnderWayDoesNotOutliveThePassword changes the password after a login has read the account and before it
// stores its tokens.
func TestALoginThatIsUnderWayDoesNotOutliveThePassword(t *testing.T) {
	t.Parallel()
	for name, login := range map[string]func(h *fixture) error{
		"tokens": func(h *fixture) error { _, err := h.Login(t.Context(), siti, password, "", at(home)); return err },
		"cookie": func(h *fixture) error {
			_, err := h.LoginSession(t.Context(), Credentials{Email: siti, Password: password}, at(home))
			return err
		},
	} {
		h := inhabited(t)
		h.store.afterByEmail = func() {
			if _, err := h.ResetPassword(t.Context(), console, siti, "", newer); err != nil {
				t.Error(err)
			}
		}
		if err := login(h); !errors.Is(err, ErrCredentials) || len(h.store.tokens) != 0 {
			t.Errorf("%s: %v, %d tokens are alive", name, err, len(h.store.tokens))
		}
	}
}

// TestChangeWithTheOldPasswordDoesNotUndoAResetInProgress resets the password while a change with the old password is in progress.
func TestChangeWithTheOldPasswordDoesNotUndoAResetInProgress(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	by := h.alive(t, h.login(t).Access)
	h.store.afterByEmail = func() {
		if _, err := h.ResetPassword(t.Context(), console, siti, "", newer); err != nil {
			t.Error(err)
		}
	}
	if err := h.ChangePassword(t.Context(), by, password, "kata sandi orang lain"); !errors.Is(err, contract.ErrUnauthenticated) {
		t.Error(err)
	}
	if _, err := h.Login(t.Context(), siti, newer, "", at(home)); err != nil {
		t.Errorf("what the operator gave: %v", err)
	}
}
