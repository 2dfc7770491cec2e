package main

import (
	"fmt"
	"os"

	"segel/internal/identity"
)

type userCommand struct {
	Add   userAddCommand   `cmd:"" help:"Add a user."`
	Reset userResetCommand `cmd:"" help:"Give a user another password; this ends all sessions of the user."`
}

type userAddCommand struct {
	dataFlag
	Email        string `required:"" help:"E-mail, with which the user logs in." placeholder:"E"`
	Name         string `required:"" help:"Name, as signatures show it." placeholder:"N"`
	Org          string `help:"Organisation by name, created if it does not exist; default: the first one." placeholder:"O"`
	Role         string `enum:"admin,member" default:"member" help:"admin or member."`
	PasswordFile string `required:"" help:"File whose first line is the password; - for standard input." placeholder:"F"`
}

func (c userAddCommand) Run(w *environment) error {
	password, err := readPassword(c.PasswordFile)
	if err != nil {
		return err
	}
	return c.withApp(w, writing, func(a *app) error {
		added, err := a.identity.AddUser(w.ctx, identity.NewUser{
			Name: c.Name, Email: c.Email, Password: password, Organisation: c.Org, Admin: c.Role == "admin",
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

type userResetCommand struct {
	dataFlag
	Email        string `required:"" help:"E-mail, with which the user logs in." placeholder:"E"`
	Org          string `help:"Organisation of the user by name; needed if the e-mail has accounts in several." placeholder:"O"`
	PasswordFile string `required:"" help:"File whose first line is the password; - for standard input." placeholder:"F"`
}

func (c userResetCommand) Run(w *environment) error {
	password, err := readPassword(c.PasswordFile)
	if err != nil {
		return err
	}
	return c.withApp(w, writing, func(a *app) error {
		account, err := a.identity.ResetPassword(w.ctx, commandLineActor("user reset"), c.Email, c.Org, password)
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "reset the password of %s <%s>\n", account.Name, account.Email)
		return err
	})
}

// readPassword reads the first line of a file, or of standard input for "-".
func readPassword(name string) (string, error) {
	in := os.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	password, err := identity.ReadPassword(in)
	if err != nil {
		return "", fmt.Errorf("password: %w", err)
	}
	return password, nil
}
