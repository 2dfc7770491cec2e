// Command fault kills a service repeatedly while it accepts and processes stamping orders, with an office that loses one answer
// in ten, and takes its database, files and disk away for a while, and moves the clocks of single nodes. A mail server and a webhook refuse one message in ten. Then it checks
// against the office's journal, the database and the files that no order was lost, no serial used twice or unaccounted for, no quota
// leaked, no message lost or repeated without a reason, and that every file is sound. On several nodes, clients also contend for single documents, whose
// histories have to be linear.
// docs/emeterai.md describes its use. It exits with 1 if any check fails.
package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// options are the values of the command line.
type options struct {
	binary   string
	kills    int
	orders   int
	seed     uint64
	office   bool   // kill the office too
	outages  int    // how often a part is taken away
	postgres bool   // use PostgreSQL, behind a proxy that injects faults; else SQLite
	nodes    int    // nodes of the service; several use PostgreSQL and a bucket
	deleted  bool   // delete the data folder at the end
	keep     string // folder to keep all files in; empty: a temporary one
	mutant   string
}

func main() {
	var o options
	flag.StringVar(&o.binary, "segel", "build/segel", "the program")
	flag.IntVar(&o.kills, "kills", 200, "how often the service is killed")
	flag.IntVar(&o.orders, "orders", 2000, "stamping orders")
	flag.Uint64Var(&o.seed, "seed", 0, "of everything that is left to chance; 0: another one each time")
	flag.BoolVar(&o.office, "office", false, "kill the office as well, in one life of five")
	flag.IntVar(&o.outages, "outages", 0, "how often the database, the files or the disk are taken away for a while")
	flag.BoolVar(&o.postgres, "postgres", false, "use PostgreSQL, started for the purpose, instead of SQLite")
	flag.IntVar(&o.nodes, "nodes", 1, "nodes of the service; several share a PostgreSQL database and a bucket, and each is killed, paused, cut off and given a wrong clock alone; the program is built anew, with a clock that can be moved")
	flag.BoolVar(&o.deleted, "deleted", false, "delete the data folder under the running service in the end, and measure what that uses")
	flag.StringVar(&o.keep, "keep", "", "folder to leave everything in")
	flag.StringVar(&o.mutant, "mutant", "", "build the program with this fault, which has to be found: naive, mailed-first")
	flag.Parse()
	if o.nodes < 1 || o.nodes > 1 && (o.postgres || o.deleted) {
		fmt.Fprintln(os.Stderr, "fault: -nodes is 1 or more; several nodes always use PostgreSQL, and have no data folder to delete")
		os.Exit(2)
	}
	if o.seed == 0 {
		var b [8]byte
		_, _ = rand.Read(b[:]) // it never fails
		o.seed = binary.LittleEndian.Uint64(b[:]) >> 32
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p, err := run(ctx, o)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "fault:", err)
		os.Exit(1)
	case o.mutant != "" && p.countFaults() == 0:
		fmt.Println("NOT CAUGHT: the program with the fault passed")
		os.Exit(1)
	case o.mutant != "":
		fmt.Printf("caught: the fault shows in %d lines\n", p.countFaults())
	case p.countFaults() > 0:
		p.printFaults(os.Stderr, o.seed) // the table is long; its end may be all that a log keeps
		os.Exit(1)
	}
}

// run does all of it in a temporary folder.
func run(ctx context.Context, o options) (p resultTable, err error) {
	dir := o.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "segel-fault-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	fmt.Printf("%d nodes, %d orders, %d kills, %d outages, seed %d\n", o.nodes, o.orders, o.kills, o.outages, o.seed)
	var tags []string
	if o.nodes > 1 {
		tags = []string{"-tags", clockTag}
	}
	switch {
	case o.mutant != "":
		o.binary, err = buildMutant(o.mutant, dir, tags...)
	case tags != nil:
		o.binary, err = buildProgram(dir, clockTag, tags...)
	}
	if err != nil {
		return nil, err
	}
	t, err := openTrial(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	if err := t.submitAndKill(ctx); err != nil {
		return nil, err
	}
	if err := t.waitSettled(ctx); err != nil {
		return nil, err
	}
	if p, err = t.checkResults(ctx); err != nil || !o.deleted {
		return p, err
	}
	deleted, err := t.deleteData(ctx)
	if err != nil {
		return nil, err
	}
	deleted.printTable(os.Stdout)
	return append(p, deleted...), nil
}
