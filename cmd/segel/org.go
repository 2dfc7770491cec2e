package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

type orgCommand struct {
	List    orgListCommand    `cmd:"" help:"List the organisations."`
	Add     orgAddCommand     `cmd:"" help:"Create an organisation, without people."`
	Rename  orgRenameCommand  `cmd:"" help:"Rename an organisation. What was signed and sealed keeps the former name."`
	Locale  orgLocaleCommand  `cmd:"" help:"Set the language and the time zone of an organisation."`
	Suspend orgSuspendCommand `cmd:"" help:"Stop the people of an organisation, their API keys and the guests of its documents. What was ordered is finished."`
	Resume  orgResumeCommand  `cmd:"" help:"Resume a suspended organisation."`
	Close   orgCloseCommand   `cmd:"" help:"Close an organisation for ever. Its documents and evidence stay."`
}

type orgListCommand struct{ dataFlag }

func (c orgListCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		all, err := a.workflow.OrganisationList(w.ctx, commandLineActor("org list"), workflow.OrganisationQuery{Limit: math.MaxInt})
		if err != nil {
			return plainError(err)
		}
		for _, o := range all.Lines {
			fmt.Fprintf(w.stdout, "%s  %-9s  %s\n", o.ID, cmp.Or(o.State, "active"), o.Name)
		}
		return nil
	})
}

type orgAddCommand struct {
	dataFlag
	Name string `required:"" help:"Its name." placeholder:"N"`
}

func (c orgAddCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		o, err := a.workflow.AddOrganisation(w.ctx, commandLineActor("org add"), c.Name)
		if err != nil {
			return plainError(err)
		}
		if err := a.grantInitial(w.ctx, o.ID); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "added %s %s\n", o.ID, o.Name)
		return err
	})
}

// orgFlags name an organisation.
type orgFlags struct {
	dataFlag
	Org string `required:"" help:"Organisation by name." placeholder:"NAME"`
}

// change runs a change of the organisation as the command line, and says what was done.
func (f orgFlags) change(w *environment, verb, said string, change func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error)) error {
	return f.withApp(w, writing, func(a *app) error {
		o, err := a.store.OrganisationByName(w.ctx, f.Org)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("there is no organisation %q", f.Org)
		}
		if err != nil {
			return err
		}
		if o, err = change(a, commandLineActor("org "+verb), o.ID); err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "%s %s\n", said, o.Name)
		return err
	})
}

type orgRenameCommand struct {
	orgFlags
	Name string `required:"" help:"The new name." placeholder:"N"`
}

func (c orgRenameCommand) Run(w *environment) error {
	return c.change(w, "rename", "renamed "+c.Org+" to", func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error) {
		return a.workflow.RenameOrganisation(w.ctx, by, id, c.Name)
	})
}

type orgLocaleCommand struct {
	orgFlags
	Language string `enum:"id,en," default:"" help:"Language of messages to people for whom none is chosen: id or en; default: that of the service."`
	TimeZone string `default:"" help:"Name in the IANA time zone database; default: Asia/Jakarta." placeholder:"Asia/Makassar"`
}

func (c orgLocaleCommand) Run(w *environment) error {
	return c.change(w, "locale", "set the language and time zone of", func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error) {
		return a.workflow.SetLocale(w.ctx, by, id, contract.Locale{Language: c.Language, Zone: c.TimeZone})
	})
}

type orgSuspendCommand struct {
	orgFlags
	Reason string `help:"For operators and the audit log." placeholder:"R"`
}

func (c orgSuspendCommand) Run(w *environment) error {
	return c.change(w, "suspend", "suspended", func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error) {
		return a.workflow.SuspendOrganisation(w.ctx, by, id, c.Reason)
	})
}

type orgResumeCommand struct{ orgFlags }

func (c orgResumeCommand) Run(w *environment) error {
	return c.change(w, "resume", "resumed", func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error) {
		return a.workflow.ResumeOrganisation(w.ctx, by, id)
	})
}

type orgCloseCommand struct {
	orgFlags
	Confirm string `required:"" help:"The name of the organisation again." placeholder:"NAME"`
	Reason  string `help:"For operators and the audit log." placeholder:"R"`
}

func (c orgCloseCommand) Run(w *environment) error {
	return c.change(w, "close", "closed", func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error) {
		return a.workflow.CloseOrganisation(w.ctx, by, id, c.Confirm, c.Reason)
	})
}
