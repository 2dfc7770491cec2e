package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"segel/internal/contract"
	"segel/internal/oidc"
	"segel/internal/outbound"
	"segel/internal/scim"
	"segel/internal/sso"
	"segel/internal/store"
	"segel/internal/text"
)

const (
	providerTimeout = 10 * time.Second // of one request to an identity provider
	providerAnswer  = 512 << 10        // bytes of its answer
)

// wireSSO connects logins at the identity providers of organisations.
func (a *app) wireSSO() {
	o := a.organisationOutbound(providerTimeout)
	o.MaxBody = providerAnswer
	plain := len(a.conf.OrganisationNetworks) > 0
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
	List   ssoListCommand   `cmd:"" help:"List the organisations that have an identity provider or name mail domains."`
	Show   ssoShowCommand   `cmd:"" help:"Show the identity provider of an organisation and its mail domains."`
	Set    ssoSetCommand    `cmd:"" help:"Set the identity provider of an organisation. Settings that are not given stay."`
	Grant  ssoGrantCommand  `cmd:"" help:"Let a mail domain route the logins of an organisation. Check first that the domain is theirs."`
	Remove ssoRemoveCommand `cmd:"" help:"Remove a mail domain of an organisation: its people log in with passwords."`
	Off    ssoOffCommand    `cmd:"" help:"Switch the identity provider of an organisation off: its people log in with passwords."`
	Delete ssoDeleteCommand `cmd:"" help:"Delete the identity provider of an organisation, with its secret: its people log in with passwords."`
	Test   ssoTestCommand   `cmd:"" help:"Ask the identity provider of an organisation for its metadata."`
}

type ssoListCommand struct{ dataFlag }

func (c ssoListCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		all, err := a.store.Organisations(w.ctx)
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(w.stdout, 0, 8, 2, ' ', 0)
		for _, o := range all {
			s, err := a.sso.LoadSettings(w.ctx, contract.Actor{}, o.ID)
			if err != nil {
				return plainError(err)
			}
			if s.Edits == 0 && len(s.Domains) == 0 {
				continue
			}
			state := map[bool]string{true: "on", false: "off"}[s.Enabled]
			if s.Edits == 0 {
				s.Issuer, state = "no provider", "-"
			}
			var domains []string
			for _, d := range s.Domains {
				name := d.Domain
				if d.GrantedAt.IsZero() {
					name += " (not granted)"
				}
				domains = append(domains, name)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", o.Name, s.Issuer, state, strings.Join(domains, ", "))
		}
		return t.Flush()
	})
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
		return a.printSSO(w, of, s)
	})
}

// printSSO prints how an organisation logs in, without the secret of the client.
func (a *app) printSSO(w *environment, of contract.OrganisationID, s sso.Settings) error {
	t := tabwriter.NewWriter(w.stdout, 0, 8, 2, ' ', 0)
	if s.Edits == 0 {
		fmt.Fprintln(t, "provider\tnone")
	} else {
		fmt.Fprintf(t, "provider\t%s\nclient\t%s\nsecret\t%s\nenabled\t%t\npasswords\t%s\n", s.Issuer, s.ClientID,
			map[bool]string{true: "stored", false: "none"}[len(s.Secret) > 0], s.Enabled, map[bool]string{true: "off", false: "on"}[s.PasswordOff])
		for _, g := range s.Groups {
			fmt.Fprintf(t, "group %s\t%s\n", g.Group, g.Role)
		}
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
}

type ssoSetCommand struct {
	dataFlag
	organisationOrFirst
	Issuer         *string        `help:"Address of the provider. Its metadata is below it, at /.well-known/openid-configuration." placeholder:"URL"`
	ClientID       *string        `name:"client-id" help:"Of this service at the provider." placeholder:"ID"`
	SecretFile     string         `help:"File whose first line is the client secret; - for standard input." placeholder:"F" xor:"secret"`
	NoSecret       bool           `help:"Remove the client secret: the provider has registered a public client." xor:"secret"`
	Enabled        *bool          `negatable:"" help:"People log in with the provider. Test it before."`
	Create         *bool          `negatable:"" help:"People without an account get one at their first login."`
	GroupsClaim    *string        `help:"Claim that lists the groups of a person; groups if empty." placeholder:"NAME"`
	Group          []string       `help:"Role of the people in a group. May be repeated: the first group that a person is in counts. These replace the stored ones." placeholder:"GROUP=ROLE" sep:"none" xor:"groups"`
	NoGroups       bool           `help:"Groups give no roles." xor:"groups"`
	RequireGroup   *bool          `negatable:"" help:"People who are in none of the groups may not log in."`
	Passwords      *bool          `negatable:"" help:"People may also log in with passwords."`
	Exempt         []string       `help:"E-mail of an admin who may use a password in any case. May be repeated. These replace the stored ones." placeholder:"E" sep:"none"`
	ProviderFactor *bool          `negatable:"" help:"Accept a second factor that the provider states."`
	FactorACR      *string        `name:"factor-acr" help:"The acr that states a second factor; if empty, amr does." placeholder:"ACR"`
	MaxAge         *time.Duration `help:"People whose login at the provider is older log in there again; 0 for any age." placeholder:"D"`
}

func (c ssoSetCommand) Run(w *environment) error {
	var secret *string
	switch {
	case c.NoSecret:
		secret = new(string)
	case c.SecretFile != "":
		line, err := readSecretLine(c.SecretFile)
		if err != nil {
			return err
		}
		secret = &line
	}
	return c.withApp(w, writing, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		var exempt []contract.PersonID
		for _, email := range c.Exempt {
			u, err := a.store.MemberByEmail(w.ctx, of, email)
			if errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("%s has no account in the organisation", email)
			}
			if err != nil {
				return err
			}
			exempt = append(exempt, u.ID)
		}
		s, err := a.sso.ChangeSettings(w.ctx, commandLineActor("sso set"), of, func(to *contract.SSOSettings) { c.apply(to, exempt) }, secret)
		if err != nil {
			return plainError(err)
		}
		return a.printSSO(w, of, s)
	})
}

// apply changes the settings that were given.
func (c ssoSetCommand) apply(to *contract.SSOSettings, exempt []contract.PersonID) {
	for _, f := range []struct{ given, to *string }{{c.Issuer, &to.Issuer}, {c.ClientID, &to.ClientID}, {c.GroupsClaim, &to.GroupsClaim}, {c.FactorACR, &to.FactorACR}} {
		if f.given != nil {
			*f.to = *f.given
		}
	}
	for _, f := range []struct{ given, to *bool }{{c.Enabled, &to.Enabled}, {c.Create, &to.Create}, {c.RequireGroup, &to.RequireGroup}, {c.ProviderFactor, &to.ProviderFactor}} {
		if f.given != nil {
			*f.to = *f.given
		}
	}
	if c.Passwords != nil {
		to.PasswordOff = !*c.Passwords
	}
	if c.MaxAge != nil {
		to.MaxAge = *c.MaxAge
	}
	if len(exempt) > 0 {
		to.Exempt = exempt
	}
	if c.NoGroups || len(c.Group) > 0 {
		to.Groups = nil
	}
	for _, g := range c.Group {
		at := max(strings.LastIndexByte(g, '='), 0) // without one, the role is unknown, and refused
		to.Groups = append(to.Groups, contract.GroupRole{Group: g[:at], Role: contract.AccountRole(strings.TrimPrefix(g[at:], "="))})
	}
}

// readSecretLine reads the first line of a file, or of standard input for "-", within the bounds of a client secret.
func readSecretLine(name string) (string, error) {
	in, err := openInput(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, contract.MaxSSOSecret+3))
	if err != nil {
		return "", fmt.Errorf("read the client secret: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", errors.New("the client secret is empty; --no-secret removes the stored one")
	}
	return line, nil
}

type ssoDeleteCommand struct {
	dataFlag
	organisationOrFirst
}

func (c ssoDeleteCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		of, err := c.findOrFirst(w, a)
		if err != nil {
			return err
		}
		by := commandLineActor("sso delete")
		s, err := a.sso.LoadSettings(w.ctx, by, of)
		if err == nil && s.Edits == 0 {
			err = contract.ErrNoSSO
		}
		if err == nil {
			err = a.sso.DeleteSettings(w.ctx, by, of)
		}
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "deleted %s; people log in with passwords\n", s.Issuer)
		return err
	})
}

type ssoGrantCommand struct {
	dataFlag
	organisationOrFirst
	Domain string `arg:"" help:"Such as contoh.id. It is added to the organisation if necessary."`
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
