package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"segel/internal/contract"
	"segel/internal/text"
)

// reconcileCommand does manually what a running service does every day.
type reconcileCommand struct {
	dataFlag
	JSON bool     `name:"json" help:"Print the report as JSON."`
	Give []string `help:"Before reconciling, assign a serial without an organisation, or one that the office reports unused and the register lacks, to an organisation." placeholder:"SERIAL=ORGANISATION" sep:"none"`
}

// Statuses of the command.
const (
	exitUnexplained = exitStatus(1)
	exitNotAsked    = exitStatus(2)
)

func (c reconcileCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		if err := a.openOfficeReadOnly(); err != nil {
			fmt.Fprintln(w.stderr, "segel: the stamp office cannot be reached:", err)
			return exitNotAsked
		}
		for _, give := range c.Give {
			if err := c.assignSerial(w, a, give); err != nil {
				return err
			}
		}
		r, err := a.workflow.Reconcile(w.ctx, commandLineActor("reconcile"))
		if err != nil {
			return plainError(err)
		}
		if err := c.printReport(w.stdout, r); err != nil {
			return err
		}
		switch {
		case r.Problem != "":
			return exitNotAsked
		case r.Unexplained > 0:
			return exitUnexplained
		}
		return nil
	})
}

func (c reconcileCommand) assignSerial(w *environment, a *app, give string) error {
	serial, name, ok := strings.Cut(give, "=")
	if !ok || serial == "" || name == "" {
		return fmt.Errorf("%q is not SERIAL=ORGANISATION", give)
	}
	to, err := organisationFlag{name}.findOrganisation(w, a)
	if err != nil {
		return err
	}
	if err := a.workflow.GiveSerial(w.ctx, commandLineActor("reconcile"), serial, to); err != nil {
		return plainError(err)
	}
	fmt.Fprintf(w.stderr, "gave %s to %s\n", serial, name)
	return nil
}

func (c reconcileCommand) printReport(out io.Writer, r contract.Reconciliation) error {
	if c.JSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "reconciliation %d, queried at %s\n", r.Number, formatTime(r.At))
	if r.Problem != "" {
		fmt.Fprintf(&b, "the office could not be queried: %s\n", r.Problem)
		_, err := io.WriteString(out, b.String())
		return err
	}
	n := r.Office
	fmt.Fprintf(&b, "office: %d units left, %d serials affixed, %d unused (%d as the balance says)\n", n.Left, n.Affixed, n.Unused, n.Reported)
	fmt.Fprintf(&b, "register: %d affixed, %d bound, %d free, %d taken, %d quarantined\n", r.Register[contract.SerialAffixed], r.Register[contract.SerialBound],
		r.Register[contract.SerialFree], r.Register[contract.SerialBought], r.Register[contract.SerialQuarantined])
	for _, d := range r.Differences {
		mark := "  "
		if !d.Kind.IsExplained() {
			mark = "! "
		}
		fmt.Fprintf(&b, "%s%s", mark, text.Difference(text.English, d))
		if d.OrganisationName != "" {
			fmt.Fprintf(&b, " (%s)", d.OrganisationName)
		}
		b.WriteByte('\n')
	}
	if r.Omitted > 0 {
		fmt.Fprintf(&b, "  and %d more\n", r.Omitted)
	}
	fmt.Fprintf(&b, "%d differences, %d unexplained\n", len(r.Differences)+r.Omitted, r.Unexplained)
	_, err := io.WriteString(out, b.String())
	return err
}
