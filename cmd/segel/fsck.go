package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"segel/internal/blob"
	"segel/internal/config"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/workflow"
)

type fsckCommand struct {
	dataFlag
	Fast       bool   `help:"Do not validate the signatures of completed documents."`
	Remove     bool   `help:"Move files that neither a row nor the audit log names into the folder aside of the blobs. Nothing is moved while evidence is missing or changed."`
	PurgeAside int    `name:"purge-aside" placeholder:"DAYS" default:"-1" help:"Permanently remove files that were moved aside at least that many days ago. Nothing is removed while evidence is missing or changed."`
	Record     bool   `help:"Log the digests of rows for which the audit log has none. Needed once, after an update from a release that did not log them."`
	Repair     bool   `help:"Recompute derived data that is wrong: counters, lists, the index of titles, the queue. The log, the records of documents and files stay as they are. Nothing is repaired while evidence is missing or changed."`
	JSON       bool   `name:"json" help:"Print one JSON object per line: each finding, and a summary."`
	Scratch    string `type:"path" placeholder:"DIR" help:"Folder for a temporary index of the audit log, about 200 bytes per row; default: the folder of the system for temporary files."`
}

// maxUnrecorded is how many rows without a digest are printed; the others are counted.
const maxUnrecorded = 10

// fsckReport prints and counts discrepancies.
type fsckReport struct {
	out      io.Writer
	json     *json.Encoder // nil: text
	found    map[store.Severity]int
	moved    int   // files that were moved aside
	bytes    int64 // of them
	started  time.Time
	progress func(format string, args ...any)

	repairing bool // say of each finding why it is not repaired
	again     bool // the checks of derived data run again: count what they find, which was printed before
	derived   int  // of found, what these checks found
}

func (r *fsckReport) addDiscrepancy(d store.Discrepancy) {
	if r.found[d.Severity]++; r.again && d.Severity == store.SeverityDerived {
		return
	}
	switch {
	case !r.repairing:
		d.NotRepaired = ""
	case d.Severity == store.SeverityDerived:
	case d.Severity == store.SeverityUnrecorded, d.Severity == store.SeverityLeftover:
		d.NotRepaired = "it is not derived from anything"
	default:
		d.NotRepaired = "it is evidence, or belongs to it"
	}
	r.printLine(d)
}

func (r *fsckReport) printLine(d store.Discrepancy) {
	switch {
	case r.json != nil:
		_ = r.json.Encode(d) // as for all output, a closed pipe is not reported
	case d.Severity == store.SeverityUnrecorded && r.found[d.Severity] > maxUnrecorded:
	default:
		fmt.Fprintln(r.out, d)
	}
}

func (c fsckCommand) Run(w *environment) error {
	to := reading
	if c.Record {
		to = writing
	}
	return c.withApp(w, to, func(a *app) error {
		if c.Remove || c.PurgeAside >= 0 {
			if held, err := a.store.HoldsDeletions(w.ctx); err != nil {
				return err
			} else if held {
				return errors.New("a backup is under way: files can be moved and removed when it has ended")
			}
		}
		r := &fsckReport{out: w.stdout, found: map[store.Severity]int{}, started: time.Now(), progress: w.progressPrinter()}
		if r.repairing = c.Repair; c.JSON {
			r.json = json.NewEncoder(w.stdout)
		}
		return c.runChecks(w.ctx, a, r)
	})
}

// progressPrinter returns a function that prints the progress of a long command to standard error, at most every few seconds.
func (w *environment) progressPrinter() func(format string, args ...any) {
	const every = 5 * time.Second
	last := time.Now()
	return func(format string, args ...any) {
		if now := time.Now(); now.Sub(last) >= every {
			last = now
			fmt.Fprintf(w.stderr, format+"\n", args...)
		}
	}
}

// fsckSummary is the last line of the JSON output.
type fsckSummary struct {
	Evidence   int     `json:"evidence"`
	Derived    int     `json:"derived"`
	Unrecorded int     `json:"unrecorded"`
	Leftover   int     `json:"leftover"`
	Documents  int64   `json:"documents"`
	Records    int64   `json:"records"`
	Events     int64   `json:"events"`
	Root       string  `json:"root"` // of the audit log, in hexadecimal
	Signatures bool    `json:"signatures_validated"`
	MovedAside int     `json:"moved_aside"`
	Recorded   int     `json:"recorded"`
	Repaired   int     `json:"repaired"`
	FormerKey  int     `json:"former_master_key"` // values that another master key sealed than the current one
	Seconds    float64 `json:"seconds"`
}

// runChecks runs all checks, in order of dependency.
func (c fsckCommand) runChecks(ctx context.Context, a *app, r *fsckReport) (err error) {
	checker, err := a.store.NewChecker(ctx, c.Scratch, r.addDiscrepancy)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, checker.Close()) }()
	if err := c.checkDatabase(ctx, checker, r); err != nil {
		return err
	}
	for _, check := range []func(context.Context, func(store.Discrepancy)) error{a.checkKeys, a.checkOffice} {
		if err := check(ctx, r.addDiscrepancy); err != nil {
			return err
		}
	}
	summary := fsckSummary{Signatures: !c.Fast}
	if summary.FormerKey, err = a.checkSealed(ctx, r.addDiscrepancy); err != nil {
		return err
	}
	o := workflow.FsckOptions{Fast: c.Fast, Progress: func(n int) { r.progress("%d documents read", n) }}
	aside := a.blobs.NewAside(a.clock())
	defer func() { err = errors.Join(err, aside.Close()) }()
	if c.Remove {
		var to *sqlstore.Store
		if to, err = openToWrite(ctx, a.conf); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		o.SetAside = c.moveAside(a, to, aside, r)
	}
	if err := a.workflow.CheckFiles(ctx, o, checker, r.addDiscrepancy); err != nil {
		return err
	}
	if c.Record {
		if summary.Recorded, err = checker.RecordMissing(ctx); err != nil {
			return err
		}
	}
	// What was moved aside may be what is missing now.
	if c.PurgeAside >= 0 && r.found[store.SeverityEvidence] == 0 {
		if _, err := a.blobs.PurgeAside(ctx, a.clock().AddDate(0, 0, -c.PurgeAside)); err != nil {
			return err
		}
	}
	if c.Repair {
		if summary.Repaired, err = c.repair(ctx, a, checker, r); err != nil {
			return err
		}
	}
	summary.MovedAside = r.moved
	return c.printResult(checker, aside, r, summary)
}

func (c fsckCommand) checkDatabase(ctx context.Context, checker *sqlstore.Checker, r *fsckReport) error {
	checkRecords := func(ctx context.Context) error {
		return checker.CheckRecords(ctx, func() { r.progress("%d rows compared with the audit log", checker.Records) })
	}
	for _, check := range []func(context.Context) error{checker.CheckDatabase, checker.CheckLog, checkRecords} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return r.checkDerived(ctx, checker)
}

// repair makes derived data anew, on another connection: the installation was opened for reading, and neither its keys nor its files are
// opened for writing here. It returns how much it repaired, and counts again what is wrong.
func (c fsckCommand) repair(ctx context.Context, a *app, checker *sqlstore.Checker, r *fsckReport) (repaired int, err error) {
	switch {
	case r.found[store.SeverityEvidence] > 0:
		if r.json == nil {
			fmt.Fprintln(r.out, "nothing is repaired: evidence is missing or changed, and derived data would follow from it. Restore the evidence first")
		}
		return 0, nil
	case r.found[store.SeverityDerived] == 0:
		return 0, nil
	}
	to, err := openToWrite(ctx, a.conf)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	err = checker.Repair(ctx, to, func(d store.Discrepancy) {
		repaired++
		r.printLine(d)
		r.progress("%d repaired", repaired)
	})
	if err != nil {
		return repaired, err
	}
	r.again = true
	r.found[store.SeverityDerived] -= r.derived
	return repaired, r.checkDerived(ctx, checker)
}

// openToWrite opens the database on other connections than those of an installation that was opened for reading.
func openToWrite(ctx context.Context, conf config.Config) (*sqlstore.Store, error) {
	return sqlstore.Open(ctx, databaseDSN(conf), sqlstore.Options{Mode: sqlstore.Writing, Version: version, Timeout: conf.DatabaseTimeout, ClockTolerance: conf.ClockTolerance})
}

// checkDerived runs the checks of what [sqlstore.Checker.Repair] repairs.
func (r *fsckReport) checkDerived(ctx context.Context, checker *sqlstore.Checker) error {
	before := r.found[store.SeverityDerived]
	for _, check := range []func(context.Context) error{checker.CheckDerived, checker.CheckQueue} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	r.derived = r.found[store.SeverityDerived] - before
	return nil
}

// moveAside returns the function that moves files aside. It refuses once evidence was found missing or changed: apparent
// leftovers may belong to lost rows.
func (c fsckCommand) moveAside(a *app, to *sqlstore.Store, aside blob.Aside, r *fsckReport) func(context.Context, blob.Info, string) (bool, error) {
	return func(ctx context.Context, b blob.Info, digest string) (bool, error) {
		if r.found[store.SeverityEvidence] > 0 {
			return false, nil
		}
		if taken, err := to.CollectFile(ctx, string(b.Key), a.clock()); err != nil || !taken {
			return false, err
		}
		// Durable now: no later commit can refer to the file.
		if err := aside.Move(ctx, b, digest, a.clock()); err != nil {
			return true, err
		}
		r.moved++
		r.bytes += b.Size
		return true, nil
	}
}

// printResult prints the summary. The exit status is 1 if evidence or derived data is wrong.
func (c fsckCommand) printResult(checker *sqlstore.Checker, aside blob.Aside, r *fsckReport, s fsckSummary) error {
	events, root, _ := checker.LogSize()
	s.Evidence, s.Derived = r.found[store.SeverityEvidence], r.found[store.SeverityDerived]
	s.Unrecorded, s.Leftover = r.found[store.SeverityUnrecorded], r.found[store.SeverityLeftover]
	s.Documents, s.Records, s.Events, s.Root = checker.Documents, checker.Records, events, fmt.Sprintf("%x", root)
	s.Seconds = time.Since(r.started).Seconds()
	if r.json != nil {
		if err := r.json.Encode(s); err != nil {
			return err
		}
	} else {
		c.printSummary(r, aside, s)
	}
	if s.Evidence+s.Derived > 0 {
		return exitStatus(1)
	}
	return nil
}

func (c fsckCommand) printSummary(r *fsckReport, aside blob.Aside, s fsckSummary) {
	out := r.out
	if s.Recorded > 0 {
		fmt.Fprintf(out, "logged the digests of %d rows\n", s.Recorded)
	}
	if s.Repaired > 0 {
		fmt.Fprintf(out, "repaired %d\n", s.Repaired)
	}
	if s.MovedAside > 0 {
		fmt.Fprintf(out, "moved %d files (%d bytes) into %s\n", s.MovedAside, r.bytes, aside.Dir())
	}
	if s.FormerKey > 0 {
		fmt.Fprintf(out, "%d values are sealed under a former master key: run segel master-key rotate\n", s.FormerKey)
	}
	if c.Fast {
		fmt.Fprintln(out, "signatures were not validated (--fast)")
	}
	fmt.Fprintf(out, "audit log: %d events, root %s\n", s.Events, s.Root)
	fmt.Fprintf(out, "%d documents, %d records compared in %.1f s\n", s.Documents, s.Records, s.Seconds)
	if s.Unrecorded > 0 {
		fmt.Fprintf(out, "%d rows have no digest in the audit log\n", s.Unrecorded)
	}
	if s.Derived > 0 {
		fmt.Fprintf(out, "%d errors in data derived from evidence\n", s.Derived)
	}
	fmt.Fprintf(out, "%d lost or changed, %d left over\n", s.Evidence, s.Leftover)
}
