package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"segel/internal/blob/s3/s3test"
	"segel/internal/config"
	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// What a document takes of keys with the embedded authority (see measureFloor): signatures of the signer and of the seal, their certificates, and
// their timestamps with that of the document. The certificate of the seal serves for many documents.
const (
	keyOperations = floorSignatures - 1
	timestamps    = 3
)

// cluster is what several nodes share, and the nodes.
type cluster struct {
	options
	dir      string
	server   *pgtest.Server
	dsn      string
	database *pgx.Conn
	master   int // process of the database that starts the others
	bucket   *s3test.Server
	nodes    []*load
}

// measureNodes measures the job on several nodes. It first counts what one document takes of the database and of the bucket, and then compares
// the numbers of nodes in rounds in turn, because only ratios within one run mean something.
func measureNodes(ctx context.Context, o options) (err error) {
	var numbers []int
	for _, n := range strings.Split(o.nodes, ",") {
		number, err := strconv.Atoi(n)
		if err != nil || number < 1 {
			return fmt.Errorf("-nodes is a list of numbers, such as 1,2,3")
		}
		numbers = append(numbers, number)
	}
	dir, err := os.MkdirTemp("", "segel-load-")
	if err != nil {
		return err
	}
	c := &cluster{options: o, dir: dir}
	defer func() { err = errors.Join(err, c.close(), os.RemoveAll(dir)) }()
	if err := c.open(ctx, slices.Max(numbers)); err != nil {
		return err
	}
	fmt.Printf("%d documents of %d KiB with one guest signer in each round, %d clients, PostgreSQL and an S3 server, SEGEL_EVIDENCE=%s, on %d processors\n\n",
		o.documents, o.size>>10, o.clients, config.EvidenceAtCompletion, runtime.NumCPU())
	if err := c.countDocument(ctx); err != nil {
		return err
	}
	if err := c.measureLog(ctx); err != nil {
		return err
	}
	return c.compareNodes(ctx, numbers)
}

// open starts the database and the bucket, and prepares the nodes.
func (c *cluster) open(ctx context.Context, nodes int) error {
	var err error
	if c.server, c.dsn, err = pgtest.NewServer(ctx); err != nil {
		return err
	}
	if c.database, err = pgx.Connect(ctx, c.dsn); err != nil {
		return err
	}
	backend, err := c.number(ctx, "SELECT pg_backend_pid()")
	if err != nil {
		return err
	}
	if c.master, err = readParent(int(backend)); err != nil {
		return err
	}
	bucket := filepath.Join(c.dir, "bucket")
	if err := os.MkdirAll(bucket, 0o700); err != nil {
		return err
	}
	if c.bucket, err = s3test.Launch(ctx, "build/versitygw", bucket); err != nil {
		return fmt.Errorf("the S3 server, which scripts/s3server/setup builds: %w", err)
	}
	common, _, _, err := c.openDatabase(ctx) // the settings of a measurement
	if err != nil {
		return err
	}
	common = append(append(common, "SEGEL_EVIDENCE="+config.EvidenceAtCompletion), running.NodeEnv(running.NewMasterKey(), c.dsn, c.bucket.URL.String())...)
	at, err := running.FreeAddresses(nodes)
	if err != nil {
		return err
	}
	contract := encodeContract(c.size)
	for i, address := range at {
		data := filepath.Join(c.dir, fmt.Sprintf("node-%d", i+1))
		c.nodes = append(c.nodes, &load{
			Service: &running.Service{URL: "http://" + address, Data: data, Program: &running.Program{
				Binary: c.binary, Args: []string{"serve", "--data", data, "--listen", address}, Env: common, Log: filepath.Join(c.dir, fmt.Sprintf("node-%d.log", i+1)),
			}},
			options: c.options, contract: contract, waits: new(atomic.Int64),
		})
	}
	return nil
}

func (c *cluster) close() error {
	for _, n := range c.nodes {
		n.Stop()
	}
	if c.bucket != nil {
		c.bucket.Stop()
	}
	var err error
	if c.database != nil {
		err = c.database.Close(context.Background())
	}
	if c.server != nil {
		err = errors.Join(err, c.server.Close())
	}
	return err
}

// countDocument prints what one document takes. The first node reaches the bucket through a proxy that counts, which the rounds leave out: it works
// in this process.
func (c *cluster) countDocument(ctx context.Context) error {
	counts := &bucketCounts{all: map[string]*bucketKind{}}
	proxy, err := counts.listen(c.bucket)
	if err != nil {
		return err
	}
	defer proxy.Close()
	n := c.nodes[0]
	direct := n.Env
	n.Env = append(slices.Clone(direct), "SEGEL_S3_ENDPOINT=http://"+proxy.Addr)
	if err := n.Start(); err != nil {
		return err
	}
	if err := n.Grant(n.Data, "Segel", 1, 1_000_000); err != nil {
		return err
	}
	if n.owner, err = n.AddPerson("", "pemilik@example.test", "Pemilik"); err != nil {
		return err
	}
	for _, other := range c.nodes[1:] {
		other.owner = &running.Client{URL: other.URL, Token: n.owner.Token, ID: n.owner.ID}
	}
	if err := n.warmUp(ctx); err != nil {
		return err
	}
	counts.takeCounts()
	before, err := c.readDatabase(ctx)
	if err != nil {
		return err
	}
	service, err := n.readCosts(ctx)
	if err != nil {
		return err
	}
	if _, err := n.runAll(ctx, slices.Concat(preparing, closing), make([]document, c.documents)); err != nil {
		return err
	}
	if err := c.waitIdle(ctx); err != nil {
		return err
	}
	after, err := c.readDatabase(ctx)
	if err != nil {
		return err
	}
	used, err := n.readCosts(ctx)
	if err != nil {
		return err
	}
	documents := float64(c.documents)
	used = used.minus(service)
	used = used.minus(n.wait.times(used.waits))
	fmt.Println("| a document with its evidence certificate takes | amount | |\n|---|---|---|")
	fmt.Printf("| statements | %.0f | %.1f transactions that write, %.1f round trips |\n", used.statements/documents, used.writes/documents, used.trips/documents)
	fmt.Printf("| rows that stay | %.1f | live rows of all tables |\n", (after.rows-before.rows)/documents)
	fmt.Printf("| WAL | %.1f KiB | full pages after a checkpoint included |\n", (after.wal-before.wal)/documents/1024)
	fmt.Printf("| growth of the database | %.1f KiB | tables and indexes, rows that wait for vacuum included |\n", (after.size-before.size)/documents/1024)
	for _, kind := range counts.takeCounts() {
		fmt.Printf("| S3 %s | %.2f | %.1f KiB sent, %.1f KiB received |\n", kind.method, kind.requests/documents, kind.sent/documents/1024, kind.received/documents/1024)
	}
	fmt.Printf("| key operations; of them timestamps | %d; %d | of the embedded authority, without the evidence certificate |\n\n", keyOperations, timestamps)
	n.Stop()
	n.Env = direct
	return nil
}

// logTime is how long transactions of the log are counted, and logWriters how many write at the same time.
const (
	logTime    = 3 * time.Second
	logWriters = 16
)

// measureLog prints how many transactions a second can hold the lock of the log, whatever the number of nodes: each holds it until it is committed. Far databases
// hold it for a round trip longer, so it is measured behind one too.
func (c *cluster) measureLog(ctx context.Context) error {
	if _, err := c.database.Exec(ctx, "CREATE TABLE load_log (line TEXT NOT NULL)"); err != nil {
		return err
	}
	fmt.Printf("| transactions of the log a second, one event each, %d writers | amount | |\n|---|---|---|\n", logWriters)
	for _, roundTrip := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond} {
		n, err := c.countLog(ctx, roundTrip)
		if err != nil {
			return err
		}
		fmt.Printf("| round trip of %v | %.0f | the lock is held for %.1f ms |\n", roundTrip, float64(n)/logTime.Seconds(), 1000*logTime.Seconds()/float64(n))
	}
	fmt.Println()
	return nil
}

func (c *cluster) countLog(ctx context.Context, roundTrip time.Duration) (n int64, err error) {
	dsn := c.dsn
	if roundTrip > 0 {
		proxy, err := pgtest.NewProxy(dsn)
		if err != nil {
			return 0, err
		}
		defer proxy.Close()
		proxy.Slow = roundTrip / 2 // there and back
		if err := proxy.Set(pgtest.Delay); err != nil {
			return 0, err
		}
		dsn = proxy.DSN()
	}
	var written atomic.Int64
	var all sync.WaitGroup
	failed := make([]error, logWriters)
	end := time.Now().Add(logTime)
	for i := range failed {
		all.Go(func() {
			conn, err := pgx.Connect(ctx, dsn)
			if err != nil {
				failed[i] = err
				return
			}
			for time.Now().Before(end) && err == nil {
				err = lockLog(ctx, conn)
				written.Add(1)
			}
			failed[i] = errors.Join(err, conn.Close(ctx))
		})
	}
	all.Wait()
	return written.Load(), errors.Join(failed...)
}

// logRow is about what one event adds to the log, with its leaf and hashes.
const logRow = 500

// lockLog holds the lock of the log as a transaction of the service does: one round trip locks it, and one writes and commits.
func lockLog(ctx context.Context, conn *pgx.Conn) error {
	lock, commit := &pgx.Batch{}, &pgx.Batch{}
	lock.Queue("BEGIN")
	lock.Queue("UPDATE log_size SET latest_at = latest_at WHERE id = 1")
	commit.Queue("INSERT INTO load_log (line) VALUES ($1)", strings.Repeat("-", logRow))
	commit.Queue("COMMIT")
	return errors.Join(conn.SendBatch(ctx, lock).Close(), conn.SendBatch(ctx, commit).Close())
}

// waitIdle waits until no job is due: evidence certificates are made after the completion.
func (c *cluster) waitIdle(ctx context.Context) error {
	for {
		left, err := c.number(ctx, "SELECT count(*) FROM river_job WHERE state IN ('available', 'running') AND kind <> 'periodic'")
		if err != nil || left == 0 {
			return err
		}
		time.Sleep(pollEvery) // polls, as clients do
	}
}

// databaseState is the database at one moment.
type databaseState struct{ rows, wal, size float64 }

func (c *cluster) readDatabase(ctx context.Context) (s databaseState, err error) {
	tables, err := c.database.Query(ctx, "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
	if err != nil {
		return s, err
	}
	names, err := pgx.CollectRows(tables, pgx.RowTo[string])
	if err != nil {
		return s, err
	}
	for _, name := range names {
		rows, err := c.number(ctx, "SELECT count(*) FROM "+name)
		if err != nil {
			return s, err
		}
		s.rows += rows
	}
	s.wal, err = c.number(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8")
	if err == nil {
		s.size, err = c.number(ctx, "SELECT pg_database_size(current_database())")
	}
	return s, err
}

// number returns the number that a query selects.
func (c *cluster) number(ctx context.Context, query string) (n float64, err error) {
	if err = c.database.QueryRow(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return n, nil
}

// shares are the processor times of the parts.
type shares struct{ took, service, database, bucket, client time.Duration }

// round is what one number of nodes did in one round.
type round struct {
	perSecond float64
	shares
}

// compareNodes measures each number of nodes once in each round, and prints the median.
func (c *cluster) compareNodes(ctx context.Context, numbers []int) error {
	results := map[int][]round{}
	for r := range c.rounds {
		for turn := range numbers {
			n := numbers[(r+turn)%len(numbers)]
			m, err := c.measureRound(ctx, n)
			if err != nil {
				return fmt.Errorf("%d nodes: %w", n, err)
			}
			results[n] = append(results[n], m)
		}
	}
	fmt.Printf("| nodes | documents a second, half of %d rounds; least; most | to %d nodes | processors busy | service | database | S3 server | client | database / all but client |\n|---|---|---|---|---|---|---|---|---|\n", c.rounds, numbers[0])
	first := 0.0
	for _, n := range slices.Sorted(maps.Keys(results)) {
		all := results[n]
		slices.SortFunc(all, func(a, b round) int { return int(1000 * (a.perSecond - b.perSecond)) })
		m := all[len(all)/2]
		if first == 0 {
			first = m.perSecond
		}
		part := func(d time.Duration) float64 { return 100 * d.Seconds() / m.took.Seconds() / float64(runtime.NumCPU()) }
		sum := m.service + m.database + m.bucket
		fmt.Printf("| %d | %.1f; %.1f; %.1f | %.2f | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.2f |\n", n, m.perSecond, all[0].perSecond, all[len(all)-1].perSecond,
			m.perSecond/first, part(sum+m.client), part(m.service), part(m.database), part(m.bucket), part(m.client), m.database.Seconds()/sum.Seconds())
	}
	fmt.Println("\nThe shares are of all processors, from /proc. What other programs take of them is missing from the sum.")
	return nil
}

// measureRound starts the first nodes, takes the documents through them in turn, and stops them.
func (c *cluster) measureRound(ctx context.Context, nodes int) (r round, err error) {
	defer func() {
		for _, n := range c.nodes {
			n.Stop()
		}
	}()
	for _, n := range c.nodes[:nodes] {
		if err := n.Start(); err != nil {
			return r, err
		}
		if _, err := n.runAll(ctx, slices.Concat(preparing, closing), make([]document, 2)); err != nil { // code is loaded, caches are filled
			return r, err
		}
	}
	if err := c.waitIdle(ctx); err != nil {
		return r, err
	}
	before, err := c.readShares(nodes)
	if err != nil {
		return r, err
	}
	began := time.Now()
	var all sync.WaitGroup
	failed := make([]error, nodes)
	for i, n := range c.nodes[:nodes] {
		part := *n
		part.clients = (c.clients + nodes - 1 - i) / nodes
		documents := make([]document, (c.documents+nodes-1-i)/nodes)
		all.Go(func() { _, failed[i] = part.runAll(ctx, slices.Concat(preparing, closing), documents) })
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return r, err
	}
	if err := c.waitIdle(ctx); err != nil { // the certificates belong to the documents
		return r, err
	}
	after, err := c.readShares(nodes)
	if err != nil {
		return r, err
	}
	r.shares = shares{time.Since(began), after.service - before.service, after.database - before.database, after.bucket - before.bucket, after.client - before.client}
	r.perSecond = float64(c.documents) / r.took.Seconds()
	return r, nil
}

func (c *cluster) readShares(nodes int) (s shares, err error) {
	for _, n := range c.nodes[:nodes] {
		used, err := n.CPUTime()
		if err != nil {
			return s, err
		}
		s.service += used
	}
	if s.bucket, err = running.CPUTimeOf(c.bucket.PID); err != nil {
		return s, err
	}
	s.client = running.OwnCPUTime()
	s.database, err = running.CPUTimeOfAll(c.master)
	return s, err
}

// readParent returns the process that started another.
func readParent(pid int) (int, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if parent, ok := strings.CutPrefix(line, "PPid:"); ok {
			return strconv.Atoi(strings.TrimSpace(parent))
		}
	}
	return 0, fmt.Errorf("process %d has no PPid", pid)
}

// bucketCounts counts requests to a bucket by method.
type bucketCounts struct {
	mu  sync.Mutex // guards the field below
	all map[string]*bucketKind
}

// bucketKind are the requests of one method, with the bytes of their bodies.
type bucketKind struct {
	method                   string
	requests, sent, received float64
}

// listen starts a proxy before the bucket. It leaves the requests as they are, because their signatures include the host.
func (b *bucketCounts) listen(bucket *s3test.Server) (*http.Server, error) {
	at, err := running.FreeAddresses(1)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(bucket.URL)
			r.Out.Host = r.In.Host
		},
		ModifyResponse: func(a *http.Response) error {
			b.countAnswer(a)
			return nil
		},
	}
	s := &http.Server{Addr: at[0], Handler: proxy}
	go func() { _ = s.ListenAndServe() }() // Close ends it
	return s, nil
}

func (b *bucketCounts) countAnswer(a *http.Response) {
	b.mu.Lock()
	defer b.mu.Unlock()
	method := a.Request.Method
	if method == http.MethodGet && a.Request.URL.Query().Has("list-type") {
		method = "LIST"
	}
	k := b.all[method]
	if k == nil {
		k = &bucketKind{method: method}
		b.all[method] = k
	}
	k.requests++
	k.sent += float64(max(a.Request.ContentLength, 0))
	if a.Request.Method != http.MethodHead {
		k.received += float64(max(a.ContentLength, 0))
	}
}

// takeCounts returns the counts by method, and starts anew.
func (b *bucketCounts) takeCounts() (all []*bucketKind) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, method := range slices.Sorted(maps.Keys(b.all)) {
		all = append(all, b.all[method])
	}
	b.all = map[string]*bucketKind{}
	return all
}
