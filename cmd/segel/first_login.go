package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/durable"
	"segel/internal/store"
)

// initialPasswordFile has the password of the first login in its first line, and the e-mail in its second.
const initialPasswordFile = "initial-password"

func (a *app) initialPasswordPath() string { return filepath.Join(a.conf.DataDir, initialPasswordFile) }

// makeFirstLogin creates the first organisation and login. The password is printed on a terminal. Elsewhere standard output is stored, in a
// log or a journal, so the password goes to a file in the data folder, which is removed when the password was used.
func (a *app) makeFirstLogin(w *environment) error {
	keep := a.keepPassword
	if w.hasTerminal() {
		keep = nil
	}
	first, err := a.identity.Bootstrap(w.ctx, a.conf.Organisation, a.conf.AdminEmail, keep)
	if err != nil {
		return fmt.Errorf("first login: %w", err)
	}
	o, err := a.store.FirstOrganisation(w.ctx)
	if err != nil {
		return err
	}
	if err := a.recordStampOffice(w.ctx); err != nil {
		return err
	}
	if err := a.grantInitial(w.ctx, o.ID); err != nil {
		return err
	}
	switch {
	case first == nil:
	case keep == nil:
		fmt.Fprintf(w.stdout, "first login: %s, password: %s (shown this once)\n", first.Account.Email, first.Password)
	default:
		fmt.Fprintf(w.stdout, "first login: %s, password in %s\n", first.Account.Email, a.initialPasswordPath())
	}
	a.storedPassword, err = a.removeSpentPassword(w.ctx, "")
	return err
}

// keepPassword stores the password of the first login before the account exists: if the process ends in between, the next start finds the
// file and gives the account the password in it. Two processes that start in one folder use the same password.
func (a *app) keepPassword(password string) (string, error) {
	if err := os.MkdirAll(a.conf.DataDir, 0o700); err != nil {
		return "", fmt.Errorf("data folder: %w", err)
	}
	switch kept, email, err := a.readKeptPassword(); {
	case err == nil && email == a.conf.AdminEmail:
		return kept, nil
	case err == nil: // of a start with another e-mail, which created nothing
		if err := os.Remove(a.initialPasswordPath()); err != nil {
			return "", err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	err := durable.WriteNew(a.initialPasswordPath(), []byte(password+"\n"+a.conf.AdminEmail+"\n"))
	if errors.Is(err, fs.ErrExist) { // another process was faster
		password, _, err = a.readKeptPassword()
	}
	return password, err
}

// readKeptPassword reads the file of the first login; fs.ErrNotExist: there is none.
func (a *app) readKeptPassword() (password, email string, err error) {
	b, err := os.ReadFile(a.initialPasswordPath())
	if err != nil {
		return "", "", err
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) < 2 || lines[0] == "" {
		return "", "", fmt.Errorf("%s does not have a password and an e-mail in two lines; remove it", a.initialPasswordPath())
	}
	return lines[0], lines[1], nil
}

// removeSpentPassword removes the file of the first login if its password was used or replaced. The login may have been at another node. It returns what is
// stored of the password while the file is needed; with that as known, the next call does not hash the password again.
func (a *app) removeSpentPassword(ctx context.Context, known string) (stored string, err error) {
	password, email, err := a.readKeptPassword()
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	holder, stored, err := a.identity.InitialPasswordHolder(ctx, email, password, known)
	if err != nil {
		return "", err
	}
	if holder != "" {
		logins, err := a.store.ListLogins(ctx, store.LoginQuery{Person: holder, Kind: contract.LoginDone, Limit: 1})
		if err != nil || logins.Total == 0 {
			return stored, err
		}
	}
	if err := os.Remove(a.initialPasswordPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	a.log.InfoContext(ctx, "the initial password was used or replaced; its file is removed", "file", a.initialPasswordPath())
	return "", nil
}

// removalEvery is how often it is looked whether the initial password was used, while its file exists.
const removalEvery = 15 * time.Second

// runPasswordRemoval removes the file of the first login when its password was used, and then ends.
func (a *app) runPasswordRemoval(ctx context.Context) {
	tick := time.NewTicker(removalEvery)
	defer tick.Stop()
	stored := a.storedPassword
	for {
		if _, err := os.Stat(a.initialPasswordPath()); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			var err error
			if stored, err = a.removeSpentPassword(ctx, stored); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "the file of the initial password is not removed", "error", err)
			}
		}
	}
}
