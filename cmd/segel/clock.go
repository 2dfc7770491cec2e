package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/tsp"
)

type clockCommand struct {
	Show    clockShowCommand    `cmd:"" help:"Show what the clock is compared with. Ends with 1 while the clock prevents signing."`
	Confirm clockConfirmCommand `cmd:"" help:"Confirm that the clock of this machine is right although a recorded event lies in the future; works beside a running service."`
}

type clockShowCommand struct{ dataFlag }

func (c clockShowCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		f, wrong, err := a.showClock(w)
		if err != nil {
			return err
		}
		if f.State != contract.ClockFine || wrong {
			return exitStatus(1)
		}
		return nil
	})
}

type clockConfirmCommand struct {
	dataFlag
	Yes bool `help:"Confirm without being asked."`
}

func (c clockConfirmCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		f, wrong, err := a.showClock(w)
		switch {
		case err != nil:
			return err
		case wrong || f.State == contract.ClockDisagrees:
			return errors.New("the clock is not confirmed: another clock disagrees. Correct the wrong one first")
		case f.State == contract.ClockFine:
			_, err := fmt.Fprintln(w.stdout, "there is nothing to confirm")
			return err
		}
		if !c.Yes {
			question := fmt.Sprintf("Is %s the right time? Signing goes on if you type yes: ", formatTime(a.clock()))
			if err := w.confirm(question, "the clock is not confirmed"); err != nil {
				return err
			}
		}
		by := commandLineActor("clock confirm")
		by.Person.Name += ", " + whoAmI()
		done, err := a.workflow.ConfirmClock(w.ctx, by)
		if err != nil {
			return plainError(err)
		}
		return printConfirmed(w.stdout, done)
	})
}

// showClock prints what the clock is compared with, and the conclusion. Wrong reports whether time-stamp authorities have just
// shown that it is wrong.
func (a *app) showClock(w *environment) (f contract.ClockFinding, wrong bool, err error) {
	if f, err = a.workflow.ClockFinding(w.ctx); err != nil {
		return f, false, err
	}
	line := func(what string, at time.Time, none string) {
		said := none
		if !at.IsZero() {
			said = fmt.Sprintf("%s (%s)", formatTime(at), formatOffset(at.Sub(f.Local)))
		}
		fmt.Fprintf(w.stdout, "%-26s%s\n", what+":", said)
	}
	fmt.Fprintf(w.stdout, "%-26s%s\n", "local time:", formatTime(f.Local))
	line("database:", f.Database, "has no clock")
	line("last recorded event:", f.LastEvent, "none since the clock was confirmed last")
	line("last timestamp:", f.Timestamp.At, "none since the clock was confirmed last")
	if len(a.conf.TimestampURLs) > 0 {
		at, err := a.workflow.FetchTrustedTime(w.ctx)
		var one *tsp.ClockError
		switch {
		case err == nil:
			line("time-stamp authority:", at.At, "")
		case errors.As(err, new(*tsp.LocalClockError)):
			wrong = true
			fmt.Fprintf(w.stdout, "%-26s%v\n", "time-stamp authorities:", err)
		case errors.As(err, &one):
			line("time-stamp authority:", one.Time, "")
		default:
			fmt.Fprintf(w.stdout, "%-26scannot be queried: %v\n", "time-stamp authority:", err)
		}
	}
	for _, own := range a.authority.OwnCertificates() {
		if c := own.Certificate; c.NotBefore.After(f.Local) {
			fmt.Fprintf(w.stdout, "%-26s%s begins at %s: it was made while the clock was ahead, and signs nothing before. docs/decisions/0029-clock.md\n", "embedded authority:", own.Role, formatTime(c.NotBefore))
		}
	}
	if f.State == contract.ClockFine && !wrong {
		_, err = fmt.Fprintln(w.stdout, "the clock can be relied on")
	} else if f.State != contract.ClockFine {
		_, err = fmt.Fprintln(w.stdout, f.Error())
	}
	return f, wrong, err
}

// formatOffset formats the difference of a time from the local clock.
func formatOffset(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < 0:
		return d.Abs().String() + " ago"
	case d > 0:
		return d.String() + " ahead"
	}
	return "now"
}

func printConfirmed(out io.Writer, c workflow.ConfirmedClock) error {
	var b strings.Builder
	b.WriteString("the clock is confirmed; signing goes on\n")
	if c.InAll > 0 {
		var ids []string
		for _, id := range c.Dated {
			ids = append(ids, fmt.Sprint(id))
		}
		if c.InAll > len(c.Dated) {
			ids = append(ids, "...")
		}
		fmt.Fprintf(&b, "%d documents have a time in the future: %s\n", c.InAll, strings.Join(ids, ", "))
		b.WriteString("Those that wait go on when that time has come. Readers do not accept a completed one before it. docs/decisions/0029-clock.md\n")
	}
	fmt.Fprintf(&b, "%d documents that wait for the service are tried again\n", c.Resumed)
	_, err := io.WriteString(out, b.String())
	return err
}

// whoAmI returns the name of the user who runs this program, for the audit log.
func whoAmI() string {
	name := fmt.Sprintf("uid %d", os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}

// clockGauges are metrics of the clock, read at each scrape.
type clockGauges struct{ workflow *workflow.Service }

var (
	clockFine  = prometheus.NewDesc("segel_clock_fine", "1 if the clock can be relied on, 0 while nothing is signed because of it.", nil, nil)
	clockAhead = prometheus.NewDesc("segel_clock_ahead_seconds", "By how much the clock is ahead of what it disagrees with; negative: behind.", nil, nil)
)

// clockTimeout bounds how long a scrape waits for the database.
const clockTimeout = 3 * time.Second

// Describe implements [prometheus.Collector].
func (g clockGauges) Describe(to chan<- *prometheus.Desc) {
	to <- clockFine
	to <- clockAhead
}

// Collect implements [prometheus.Collector]. If the database does not respond, it reports no value.
func (g clockGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), clockTimeout)
	defer cancel()
	f, err := g.workflow.ClockFinding(ctx)
	if err != nil {
		return
	}
	fine := 0.0
	if f.State == contract.ClockFine {
		fine = 1
	}
	to <- prometheus.MustNewConstMetric(clockFine, prometheus.GaugeValue, fine)
	to <- prometheus.MustNewConstMetric(clockAhead, prometheus.GaugeValue, f.Ahead.Seconds())
}
