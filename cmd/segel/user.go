package main

import (
	"fmt"
	"os"

	"segel/internal/identity"
)

type userCommand struct {
	Add userAddCommand `cmd:"" help:"Add a user."`
}

type userAddCommand struct {
	dataFlag
	Email        string `required:"" help:"E-mail, with which he logs in." placeholder:"E"`
	Name         string `required:"" help:"Name, as it stands in signatures." placeholder:"N"`
	Org          string `help:"Organisation by name, made when there is none; default: the first one." placeholder:"O"`
	Role         string `enum:"admin,member" default:"member" help:"admin or member."`
	PasswordFile string `required:"" help:"File whose first line is the password; - for standard input." placeholder:"F"`
}

func (c userAddCommand) Run(w *world) error {
	conf, err := c.config(w, nil)
	if err != nil {
		return err
	}
	in := os.Stdin
	if c.PasswordFile != "-" {
		if in, err = os.Open(c.PasswordFile); err != nil {
			return err
		}
		defer in.Close()
	}
	password, err := identity.ReadPassword(in)
	if err != nil {
		return fmt.Errorf("password: %w", err)
	}
	a, err := open(w.ctx, conf, w.log(conf))
	if err != nil {
		return err
	}
	defer a.close()
	added, err := a.identity.AddUser(w.ctx, identity.NewUser{Name: c.Name, Email: c.Email, Password: password, Organisation: c.Org, Admin: c.Role == "admin"})
	if err != nil {
		return plain(err)
	}
	if added.NewOrganisation {
		if err := a.grant(w.ctx, added.Account.Organisation); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w.stdout, "added %s <%s> to %s\n", added.Account.Name, added.Account.Email, added.Account.OrganisationName)
	return err
}
