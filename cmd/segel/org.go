package main

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

type orgCommand struct {
	List      orgListCommand      `cmd:"" help:"List the organisations."`
	Add       orgAddCommand       `cmd:"" help:"Create an organisation, without people."`
	Rename    orgRenameCommand    `cmd:"" help:"Rename an organisation. What was signed and sealed keeps the former name."`
	Locale    orgLocaleCommand    `cmd:"" help:"Set the language and the time zone of an organisation."`
	Usage     orgUsageCommand     `cmd:"" help:"Print what an organisation uses: documents, bytes of files, stamps and signatures."`
	Retention orgRetentionCommand `cmd:"" help:"Set for how many years an organisation keeps the files of completed documents."`
	Hold      orgHoldCommand      `cmd:"" help:"Set a legal hold: nothing that it covers is deleted, erased or removed."`
	Holds     orgHoldsCommand     `cmd:"" help:"List the legal holds of an organisation."`
	Lift      orgLiftCommand      `cmd:"" help:"Lift a legal hold."`
	Suspend   orgSuspendCommand   `cmd:"" help:"Refuse the people of an organisation, their API keys and the guests of its documents. Work that was ordered is completed."`
	Resume    orgResumeCommand    `cmd:"" help:"Resume a suspended organisation."`
	Close     orgCloseCommand     `cmd:"" help:"Close an organisation for ever. Its documents and evidence stay."`
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

// findOrganisation returns the organisation that the flags name.
func (f orgFlags) findOrganisation(w *environment, a *app) (store.Organisation, error) {
	return a.findOrganisationByName(w.ctx, f.Org)
}

// change runs a change of the organisation as the command line, and says what was done.
func (f orgFlags) change(w *environment, verb, said string, change func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error)) error {
	return f.withApp(w, writing, func(a *app) error {
		o, err := f.findOrganisation(w, a)
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

type orgUsageCommand struct{ orgFlags }

func (c orgUsageCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		o, err := c.findOrganisation(w, a)
		if err != nil {
			return err
		}
		u, err := a.workflow.Usage(w.ctx, commandLineActor("org usage"), o.ID)
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "documents   %d, of which %d drafts\nbytes       %d\n  originals %d\n  signed    %d\n  evidence  %d\nstamps      %d\nsignatures  %d\n",
			u.Documents, u.Drafts, u.Bytes, u.Originals, u.Signed(), u.Evidence, u.Spent[contract.UnitStamp], u.Spent[contract.UnitSignature])
		return err
	})
}

type orgRetentionCommand struct {
	orgFlags
	Years int `required:"" help:"After the completion; 0: for ever." placeholder:"N"`
}

func (c orgRetentionCommand) Run(w *environment) error {
	return c.change(w, "retention", "set the retention of", func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error) {
		r, err := a.workflow.SetRetention(w.ctx, by, id, contract.Retention{Years: c.Years})
		return r.Organisation, err
	})
}

type orgHoldCommand struct {
	orgFlags
	Document contract.DocumentID `help:"Number of the document; default: all of the organisation, and the accounts of its people." placeholder:"N"`
	Reason   string              `required:"" help:"Such as the number of a case." placeholder:"R"`
}

func (c orgHoldCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		o, err := c.findOrganisation(w, a)
		if err != nil {
			return err
		}
		h, err := a.workflow.SetHold(w.ctx, commandLineActor("org hold"), o.ID, c.Document, c.Reason)
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "set the legal hold %s\n", h.ID)
		return err
	})
}

type orgHoldsCommand struct{ orgFlags }

func (c orgHoldsCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		o, err := c.findOrganisation(w, a)
		if err != nil {
			return err
		}
		all, err := a.workflow.Holds(w.ctx, commandLineActor("org holds"), o.ID, 0, contract.MaxHolds)
		if err != nil {
			return plainError(err)
		}
		for _, h := range all.Lines {
			what := "all documents"
			if h.Document != 0 {
				what = fmt.Sprintf("document %d", h.Document)
			}
			fmt.Fprintf(w.stdout, "%s  %s  %-14s  %s\n", h.ID, h.SetAt.UTC().Format(time.DateOnly), what, h.Reason)
		}
		return nil
	})
}

type orgLiftCommand struct {
	orgFlags
	Hold   contract.HoldID `required:"" help:"Its identifier, which org holds prints." placeholder:"ID"`
	Reason string          `required:"" help:"For the audit log." placeholder:"R"`
}

func (c orgLiftCommand) Run(w *environment) error {
	return c.change(w, "lift", "lifted a legal hold of", func(a *app, by contract.Actor, id contract.OrganisationID) (store.Organisation, error) {
		if err := a.workflow.LiftHold(w.ctx, by, id, c.Hold, c.Reason); err != nil {
			return store.Organisation{}, err
		}
		return a.store.Organisation(w.ctx, id)
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
