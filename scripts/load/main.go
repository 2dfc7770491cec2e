// Command load takes documents through the whole job on a service that it starts: upload, finalize, guest link, guest login,
// signature, completion. It prints documents a second, the times of each operation, what a document costs in processor time,
// allocations, statements, transactions and syncs, and the floor of the same machine in the same run: once with an evidence certificate
// for each document, and once without. With -stamps it finalizes stamping orders at once. With -against it compares two programs. With -nodes
// it measures several nodes on PostgreSQL and an S3 server, and what a document takes of these. With -batch too, it measures how long single orders
// of one organisation take while another one has a batch of orders waiting. A flag that what is measured does not use is an error.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"segel/internal/config"
	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// options are what to measure.
type options struct {
	binary    string
	documents int
	clients   int
	size      int64         // of a document in bytes
	postgres  bool          // instead of SQLite
	roundTrip time.Duration // of the connection to PostgreSQL
	stamps    bool          // measure stamping orders instead of signatures
	profile   string        // file for a profile of the processor time; that of allocations is written beside it; empty: none
	evidence  string        // when evidence certificates are made (SEGEL_EVIDENCE); empty: measure both
	against   string        // another program to compare with; empty: none
	rounds    int           // of a comparison
	batch     int           // orders of one organisation that wait while another one orders single stamps; 0: no such measurement
	office    time.Duration // how long the stamp office takes to answer a call then
	slots     int           // and how many documents it works on
	jobs      int           // and how many jobs a node works on
	nodes     string        // numbers of nodes to compare, such as 1,2,3; empty: one service without a bucket
}

func main() {
	var o options
	flag.StringVar(&o.binary, "segel", "build/segel", "the service to measure")
	flag.IntVar(&o.documents, "n", 400, "documents")
	flag.IntVar(&o.clients, "c", 8, "clients; each waits for its document before it sends the next")
	flag.Int64Var(&o.size, "size", 200<<10, "size of a document in bytes")
	flag.BoolVar(&o.postgres, "postgres", false, "measure on PostgreSQL instead of SQLite")
	flag.DurationVar(&o.roundTrip, "rtt", 0, "round trip to PostgreSQL, such as 2ms; 0: as it is")
	flag.BoolVar(&o.stamps, "stamps", false, "measure stamping orders that are finalized at once instead of signatures")
	flag.StringVar(&o.profile, "profile", "", "write a profile of the service's processor time to this file, and one of its allocations to it with .allocs added")
	flag.StringVar(&o.evidence, "evidence", "", "when evidence certificates are made, completion or request; empty: measure one after the other")
	flag.StringVar(&o.against, "against", "", "compare with this program, such as a build of an earlier commit, in rounds of -n documents in turn")
	flag.IntVar(&o.rounds, "rounds", 12, "rounds of a comparison")
	flag.StringVar(&o.nodes, "nodes", "", "measure so many nodes on PostgreSQL and a bucket, such as 3, or compare several numbers in rounds, such as 1,2,3")
	flag.IntVar(&o.batch, "batch", 0, "with -nodes 2: measure single orders of one organisation while another one has so many orders waiting; -n is the number of single orders")
	flag.DurationVar(&o.office, "office", officeTime, "with -batch: time of a call to the stamp office")
	flag.IntVar(&o.slots, "slots", 1, "with -batch: documents that the stamp office works on (SEGEL_STAMP_SLOTS)")
	flag.IntVar(&o.jobs, "jobs", 4, "with -batch: jobs that each node works on (SEGEL_MAX_JOBS)")
	flag.Parse()
	var given []string
	flag.Visit(func(f *flag.Flag) { given = append(given, f.Name) })
	if err := o.refuseUnusedFlags(given); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// refuseUnusedFlags refuses flags that contradict each other, and those of the given ones that what is measured does not use.
func (o options) refuseUnusedFlags(given []string) error {
	if o.documents < 1 || o.clients < 1 || o.size < 1 || o.rounds < 1 {
		return errors.New("-n, -c, -size and -rounds are at least 1")
	}
	if o.roundTrip > 0 && !o.postgres {
		return errors.New("-rtt needs -postgres")
	}
	what, uses := "the job", []string{"c", "postgres", "rtt", "profile", "evidence"}
	switch {
	case o.batch > 0:
		what, uses = "-batch", []string{"batch", "nodes", "office", "slots", "jobs"}
	case o.nodes != "":
		what, uses = "-nodes", []string{"nodes", "c", "rounds"}
	case o.against != "":
		what, uses = "-against", []string{"against", "c", "postgres", "rtt", "stamps", "rounds"}
	case o.stamps:
		what, uses = "-stamps", []string{"stamps", "c", "postgres", "rtt", "profile", "evidence"}
	}
	for _, name := range given {
		if !slices.Contains(uses, name) && !slices.Contains([]string{"segel", "n", "size"}, name) {
			return fmt.Errorf("-%s has no effect on the measurement of %s", name, what)
		}
	}
	return nil
}

func run(ctx context.Context, o options) error {
	if o.batch > 0 {
		nodes, err := strconv.Atoi(o.nodes)
		if err != nil || nodes < 1 {
			return fmt.Errorf("-batch needs a number of nodes, such as -nodes 2")
		}
		return measureFairness(ctx, o, nodes)
	}
	if o.nodes != "" {
		return measureNodes(ctx, o)
	}
	if o.against != "" {
		return compare(ctx, o)
	}
	if o.stamps {
		return measure(ctx, o, cmp.Or(o.evidence, config.EvidenceAtCompletion))
	}
	// With the evidence certificate of each document, which a job makes after the completion, and without.
	modes := []string{config.EvidenceAtCompletion, config.EvidenceOnRequest}
	if o.evidence != "" {
		modes = []string{o.evidence}
	}
	for _, evidence := range modes {
		if err := measure(ctx, o, evidence); err != nil {
			return err
		}
		if o.profile != "" {
			return nil // of one of them
		}
	}
	return nil
}

// measure measures a new service. Evidence is when it makes evidence certificates.
func measure(ctx context.Context, o options, evidence string) error {
	dir, err := os.MkdirTemp("", "segel-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	env, on, stop, err := o.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if o.stamps {
		return measureStamps(ctx, o, dir, env, on, evidence)
	}
	l, err := startLoad(o, filepath.Join(dir, "data"), append(env, "SEGEL_EVIDENCE="+evidence))
	if err != nil {
		return err
	}
	defer l.Stop()
	fmt.Printf("\n%d documents of %d KiB with one guest signer, %d clients, on %s, SEGEL_EVIDENCE=%s\n\n", o.documents, o.size>>10, o.clients, on, evidence)
	fmt.Println("| what | amount | from |\n|---|---|---|")
	if err := measureFloor(o, dir); err != nil {
		return err
	}
	if err := l.warmUp(ctx); err != nil {
		return err
	}
	if err := l.measureJob(ctx); err != nil {
		return err
	}
	return l.measurePhases(ctx)
}

// openDatabase starts what the database needs, and returns the environment of the service and the name of the database.
func (o options) openDatabase(ctx context.Context) (env []string, on string, stop func(), err error) {
	env = []string{
		"SEGEL_LOG_LEVEL=error", "SEGEL_CONVERT=off", "SEGEL_METRICS_TOKEN=" + metricsToken, "SEGEL_MAX_DRAFTS=1000000",
		"SEGEL_LOGIN_TRIES=1000000", "SEGEL_LOGIN_TRIES_PER_ADDRESS=1000000", "SEGEL_LOGIN_TRIES_PER_ACCOUNT=1000000",
	}
	if !o.postgres {
		return env, "SQLite", func() {}, nil
	}
	server, dsn, err := pgtest.NewServer(ctx)
	if err != nil {
		return nil, "", nil, err
	}
	on, stop = "PostgreSQL", func() { server.Close() }
	if o.roundTrip > 0 {
		on += fmt.Sprintf(" with a round trip of %v", o.roundTrip)
		proxy, err := pgtest.NewProxy(dsn)
		if err != nil {
			stop()
			return nil, "", nil, err
		}
		stop = func() { proxy.Close(); server.Close() }
		proxy.Slow = o.roundTrip / 2 // there and back
		if err := proxy.Set(pgtest.Delay); err != nil {
			stop()
			return nil, "", nil, err
		}
		dsn = proxy.DSN()
	}
	return append(env, "SEGEL_DATABASE="+dsn), on, stop, nil
}

// startLoad starts the service, and logs in the owner of all documents.
func startLoad(o options, data string, env []string) (*load, error) {
	s, err := running.StartWith(o.binary, data, []string{"--pprof", "127.0.0.1:0"}, env...)
	if err != nil {
		return nil, err
	}
	l := &load{Service: s, options: o, contract: encodeContract(o.size), waits: new(atomic.Int64)}
	err = s.Grant(data, "Segel", 1, 10*(o.documents+o.clients)+1000)
	if err == nil {
		l.owner, err = s.AddPerson("", "pemilik@example.test", "Pemilik")
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return l, nil
}
