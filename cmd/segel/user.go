package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
)

type userCommand struct {
	Add        userAddCommand        `cmd:"" help:"Add a user."`
	Invite     userInviteCommand     `cmd:"" help:"Invite a person by mail, who then sets their own password."`
	Reset      userResetCommand      `cmd:"" name:"reset-password" aliases:"reset" help:"Give a user another password; this ends all sessions of the user."`
	Factors    userFactorsCommand    `cmd:"" name:"reset-factors" help:"Remove the second factors of a user who lost them; this ends all sessions of the user."`
	Disable    userDisableCommand    `cmd:"" help:"Disable an account; this ends all sessions of the user."`
	Enable     userEnableCommand     `cmd:"" help:"Enable a disabled account."`
	Transfer   userTransferCommand   `cmd:"" help:"Give the documents of a user, drafts too, to another user of the organisation."`
	Erase      userEraseCommand      `cmd:"" help:"Erase the data of a user whose account is disabled, for ever. What proves who signed remains."`
	EraseGuest userEraseGuestCommand `cmd:"" name:"erase-guest" help:"Erase the data of a person without an account from drafts and from documents that ended without a signature."`
	Role       userRoleCommand       `cmd:"" help:"Give a user another role."`
	Rename     userRenameCommand     `cmd:"" help:"Change the name of a user. What was signed keeps the former name."`
}

type userAddCommand struct {
	dataFlag
	Email        string `required:"" help:"E-mail, with which the user logs in." placeholder:"E"`
	Name         string `required:"" help:"Name, as signatures show it." placeholder:"N"`
	Org          string `help:"Organisation by name, created if it does not exist; default: the first one." placeholder:"O"`
	Role         string `enum:"member,sender,admin,auditor" default:"sender" help:"member (signs), sender (also sends documents), admin or auditor."`
	PasswordFile string `required:"" help:"File whose first line is the password; - for standard input." placeholder:"F"`
}

func (c userAddCommand) Run(w *environment) error {
	password, err := readPassword(c.PasswordFile)
	if err != nil {
		return err
	}
	return c.withApp(w, writing, func(a *app) error {
		added, err := a.identity.AddUser(w.ctx, identity.NewUser{
			Name: c.Name, Email: c.Email, Password: password, Organisation: c.Org, Role: contract.AccountRole(c.Role),
		})
		if err != nil {
			return plainError(err)
		}
		if added.NewOrganisation {
			if err := a.grantInitial(w.ctx, added.Account.Organisation); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(w.stdout, "added %s <%s> to %s\n", added.Account.Name, added.Account.Email, added.Account.OrganisationName)
		return err
	})
}

type userInviteCommand struct {
	dataFlag
	organisationOrFirst
	Email    string `required:"" help:"E-mail of the person." placeholder:"E"`
	Name     string `help:"Name of the person, who may choose another one." placeholder:"N"`
	Role     string `enum:"member,sender,admin,auditor" default:"sender" help:"member (signs), sender (also sends documents), admin or auditor."`
	Language string `enum:"id,en," default:"" help:"Language of the message: id or en; default: that of the organisation."`
}

func (c userInviteCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		i, err := a.identity.Invite(w.ctx, commandLineActor("user invite"), identity.NewInvitation{
			Name: c.Name, Email: c.Email, Role: contract.AccountRole(c.Role), Language: c.Language, Organisation: of,
		})
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "invited %s, with a link that is valid until %s\n", i.Email, i.ExpiresAt.Format(time.RFC3339))
		return err
	})
}

// accountFlags name an account.
type accountFlags struct {
	dataFlag
	Email string `required:"" help:"E-mail, with which the user logs in." placeholder:"E"`
	Org   string `help:"Organisation of the user by name; needed if the e-mail has accounts in several." placeholder:"O"`
}

// change runs a change of the account as the command line, and says what was done.
func (f accountFlags) change(w *environment, verb, said string, change func(a *app, by contract.Actor, id contract.PersonID) (identity.Member, error)) error {
	return f.withApp(w, writing, func(a *app) error {
		id, err := a.identity.FindPerson(w.ctx, f.Email, f.Org)
		if err != nil {
			return plainError(err)
		}
		m, err := change(a, commandLineActor("user "+verb), id)
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "%s %s <%s>\n", said, m.Name, m.Email)
		return err
	})
}

type userResetCommand struct {
	accountFlags
	PasswordFile string `help:"File whose first line is the password; - for standard input. Default: a random one, which is printed once and which the user must change." placeholder:"F"`
}

func (c userResetCommand) Run(w *environment) error {
	if c.PasswordFile == "" {
		return c.change(w, "reset-password", "reset the password of", func(a *app, by contract.Actor, id contract.PersonID) (identity.Member, error) {
			given, err := a.identity.ResetPersonPassword(w.ctx, by, id)
			if err != nil {
				return identity.Member{}, err
			}
			_, err = fmt.Fprintln(w.stdout, "initial password:", given.Password)
			return given.Member, err
		})
	}
	password, err := readPassword(c.PasswordFile)
	if err != nil {
		return err
	}
	return c.withApp(w, writing, func(a *app) error {
		account, err := a.identity.ResetPassword(w.ctx, commandLineActor("user reset-password"), c.Email, c.Org, password)
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "reset the password of %s <%s>\n", account.Name, account.Email)
		return err
	})
}

type userFactorsCommand struct{ accountFlags }

func (c userFactorsCommand) Run(w *environment) error {
	return c.change(w, "reset-factors", "removed the second factors of", func(a *app, by contract.Actor, id contract.PersonID) (identity.Member, error) {
		return a.identity.ResetFactors(w.ctx, by, id)
	})
}

type userDisableCommand struct{ accountFlags }

func (c userDisableCommand) Run(w *environment) error {
	return c.change(w, "disable", "disabled", func(a *app, by contract.Actor, id contract.PersonID) (identity.Member, error) {
		m, err := a.identity.DisablePerson(w.ctx, by, id)
		if err == nil && m.Open > 0 {
			_, err = fmt.Fprintf(w.stdout, "%d documents in progress lack their signature\n", m.Open)
		}
		return m, err
	})
}

type userEnableCommand struct{ accountFlags }

func (c userEnableCommand) Run(w *environment) error {
	return c.change(w, "enable", "enabled", func(a *app, by contract.Actor, id contract.PersonID) (identity.Member, error) {
		return a.identity.EnablePerson(w.ctx, by, id)
	})
}

var errUnconfirmedErasure = errors.New("erasing cannot be undone: repeat the command with --yes")

type userEraseCommand struct {
	accountFlags
	Yes bool `help:"Confirm: this cannot be undone."`
}

func (c userEraseCommand) Run(w *environment) error {
	if !c.Yes {
		return errUnconfirmedErasure
	}
	return c.change(w, "erase", "erased the data, from now on:", func(a *app, by contract.Actor, id contract.PersonID) (identity.Member, error) {
		if _, err := a.workflow.ErasePerson(w.ctx, by, id); err != nil {
			return identity.Member{}, err
		}
		u, err := a.store.User(w.ctx, id)
		return identity.Member{Account: identity.Account{Person: u.Person}}, err
	})
}

type userEraseGuestCommand struct {
	dataFlag
	organisationOrFirst
	Email string `xor:"guest" required:"" help:"E-mail of the guest." placeholder:"E"`
	Phone string `xor:"guest" required:"" help:"Phone number of the guest." placeholder:"P"`
	Yes   bool   `help:"Confirm: this cannot be undone."`
}

func (c userEraseGuestCommand) Run(w *environment) error {
	if !c.Yes {
		return errUnconfirmedErasure
	}
	return c.withApp(w, writing, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		who := contract.GuestContact{Email: c.Email, Phone: c.Phone}
		if err := a.workflow.EraseGuest(w.ctx, commandLineActor("user erase-guest"), of, who); err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintln(w.stdout, "erased what was stored about the guest, apart from documents that were signed or are in progress")
		return err
	})
}

type userRoleCommand struct {
	accountFlags
	Role string `required:"" enum:"member,sender,admin,auditor" help:"member (signs), sender (also sends documents), admin or auditor." placeholder:"R"`
}

func (c userRoleCommand) Run(w *environment) error {
	return c.change(w, "role", "gave the role "+c.Role+" to", func(a *app, by contract.Actor, id contract.PersonID) (identity.Member, error) {
		return a.identity.SetRole(w.ctx, by, id, contract.AccountRole(c.Role))
	})
}

type userRenameCommand struct {
	accountFlags
	Name string `required:"" help:"The new name, as further signatures show it." placeholder:"N"`
}

func (c userRenameCommand) Run(w *environment) error {
	return c.change(w, "rename", "renamed to", func(a *app, by contract.Actor, id contract.PersonID) (identity.Member, error) {
		return a.identity.RenamePerson(w.ctx, by, id, c.Name)
	})
}

// readPassword reads the first line of a file, or of standard input for "-".
func readPassword(name string) (string, error) {
	in, err := openInput(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	password, err := identity.ReadPassword(in)
	if err != nil {
		return "", fmt.Errorf("password: %w", err)
	}
	return password, nil
}

// openInput opens a file, or standard input for "-".
func openInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	return os.Open(name)
}

type userTransferCommand struct {
	accountFlags
	To string `required:"" help:"E-mail of the person who gets the documents, in the same organisation." placeholder:"E"`
}

func (c userTransferCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		from, err := a.identity.FindPerson(w.ctx, c.Email, c.Org)
		if err != nil {
			return plainError(err)
		}
		u, err := a.store.User(w.ctx, from)
		if err != nil {
			return err
		}
		to, err := a.store.MemberByEmail(w.ctx, u.Organisation, c.To)
		if errors.Is(err, store.ErrNotFound) {
			return plainError(contract.ErrNoSuccessor)
		}
		if err != nil {
			return err
		}
		// Stopped in between, the command goes on where it was when it is run again.
		for moved := 0; ; {
			t, err := a.workflow.TransferDocuments(w.ctx, commandLineActor("user transfer"), from, to.ID)
			if err != nil {
				return plainError(err)
			}
			if moved += t.Moved; t.Left <= 0 {
				_, err := fmt.Fprintf(w.stdout, "transferred %d documents of %s <%s> to %s <%s>\n", moved, u.Name, u.Email, to.Name, to.Email)
				return err
			}
		}
	})
}
