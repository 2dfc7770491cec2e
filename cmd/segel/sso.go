package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"segel/internal/contract"
	"segel/internal/oidc"
	"segel/internal/outbound"
	"segel/internal/scim"
	"segel/internal/sso"
	"segel/internal/text"
)

const (
	providerTimeout = 10 * time.Second // of one request to an identity provider
	providerAnswer  = 512 << 10        // bytes of its answer
)

// wireSSO connects logins at the identity providers of organisations.
func (a *app) wireSSO() {
	o := a.outboundOptions(providerTimeout)
	o.MaxBody = providerAnswer
	plain := len(a.conf.OutboundPrivate) > 0
	mayBePlain := func(host string) bool { return plain && contract.IsPrivateHost(host) }
	a.sso = &sso.Service{
		Store: a.store, Accounts: a.identity, Providers: &oidc.Providers{HTTP: newDirectClient(o), Clock: a.clock, Plain: mayBePlain}, Sealer: a.sealer,
		PublicURL: a.conf.BaseURL(), Plain: plain, Clock: a.clock, Random: rand.Reader, Log: a.log,
	}
	a.scim = &scim.Service{Store: a.store, Accounts: a.identity, Roles: a.sso, PublicURL: a.conf.BaseURL(), Clock: a.clock, Log: a.log}
	if a.conf.SSODomainsByDNS {
		a.sso.LookupTXT = func(ctx context.Context, name string) ([]string, error) { return outbound.LookupTXT(ctx, o, name) }
	}
}

type ssoCommand struct {
	Show   ssoShowCommand   `cmd:"" help:"Show the identity provider of an organisation and its mail domains."`
	Grant  ssoGrantCommand  `cmd:"" help:"Let a mail domain route the logins of an organisation. Check first that the domain is theirs."`
	Remove ssoRemoveCommand `cmd:"" help:"Remove a mail domain of an organisation: its people log in with passwords."`
	Off    ssoOffCommand    `cmd:"" help:"Switch the identity provider of an organisation off: its people log in with passwords."`
	Test   ssoTestCommand   `cmd:"" help:"Ask the identity provider of an organisation for its metadata."`
}

type ssoShowCommand struct {
	dataFlag
	organisationOrFirst
}

func (c ssoShowCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		s, err := a.sso.LoadSettings(w.ctx, contract.Actor{}, of)
		if err != nil {
			return plainError(err)
		}
		t := tabwriter.NewWriter(w.stdout, 0, 8, 2, ' ', 0)
		if s.Edits == 0 {
			fmt.Fprintln(t, "provider\tnone")
		} else {
			fmt.Fprintf(t, "provider\t%s\nclient\t%s\nenabled\t%t\npasswords\t%s\n", s.Issuer, s.ClientID, s.Enabled, map[bool]string{true: "off", false: "on"}[s.PasswordOff])
		}
		fmt.Fprintf(t, "redirect address\t%s\nlogout address\t%s\n", a.sso.CallbackURL(of), a.sso.LogoutURL(of))
		for _, d := range s.Domains {
			state := "not granted"
			if !d.GrantedAt.IsZero() {
				state = "granted by " + string(d.GrantedBy) + " at " + d.GrantedAt.UTC().Format(time.RFC3339)
			}
			fmt.Fprintf(t, "domain %s\t%s\n", d.Domain, state)
		}
		return t.Flush()
	})
}

type ssoGrantCommand struct {
	dataFlag
	organisationOrFirst
	Domain string `arg:"" help:"Such as contoh.id. It is named for the organisation if it was not yet."`
}

func (c ssoGrantCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		by := commandLineActor("sso grant")
		if _, err := a.sso.ClaimDomain(w.ctx, by, of, c.Domain); err != nil {
			return plainError(err)
		}
		d, err := a.sso.GrantDomain(w.ctx, by, of, c.Domain)
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "%s routes the logins of the organisation\n", d.Domain)
		return err
	})
}

type ssoRemoveCommand struct {
	dataFlag
	organisationOrFirst
	Domain string `arg:"" help:"As segel sso show names it."`
}

func (c ssoRemoveCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		if err := a.sso.RemoveDomain(w.ctx, commandLineActor("sso remove"), of, c.Domain); err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "%s was removed\n", strings.TrimSpace(c.Domain))
		return err
	})
}

type ssoOffCommand struct {
	dataFlag
	organisationOrFirst
}

func (c ssoOffCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		by := commandLineActor("sso off")
		if err := a.sso.DisableProvider(w.ctx, by, of); err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintln(w.stdout, "the identity provider is off; people log in with passwords")
		return err
	})
}

type ssoTestCommand struct {
	dataFlag
	organisationOrFirst
}

func (c ssoTestCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		problem, err := a.sso.TestProvider(w.ctx, contract.Actor{}, of)
		if err != nil {
			return plainError(err)
		}
		if problem != "" {
			return errors.New(text.Sentence(text.English, problem, nil))
		}
		_, err = fmt.Fprintln(w.stdout, "the identity provider answers")
		return err
	})
}
