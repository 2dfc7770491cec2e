package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// The numbers of documents at which lists are measured: the base, and what DOCUMENTS says.
const (
	baseDocuments    = 100_000
	defaultDocuments = 10_000_000
)

// Of the generated documents, one in ten belongs to one person, a hundred to another, and the rest to people with about a hundred.
const (
	largeShare = 10
	smallList  = 100
)

// measureLists measures pages and searches of lists over HTTP on one database, which the environment chooses by DATABASE (sqlite or
// postgres), at 100,000 documents and at DOCUMENTS. The documents are written to the tables directly, and counted with
// the statements of the migration that made the counts from the lists.
func measureLists(binary, dir string) error {
	documents, err := strconv.Atoi(cmpEnv("DOCUMENTS", strconv.Itoa(defaultDocuments)))
	if err != nil || documents < baseDocuments || documents > 20_000_000 {
		return fmt.Errorf("DOCUMENTS is a number from %d to 20000000", baseDocuments)
	}
	database := cmpEnv("DATABASE", "sqlite")
	if database != "sqlite" && database != "postgres" {
		return errors.New("DATABASE is sqlite or postgres")
	}
	var columns []listColumn
	for _, n := range slices.Compact([]int{documents, baseDocuments}) {
		c, err := measureListsOf(binary, filepath.Join(dir, fmt.Sprint("lists-", n)), database, n)
		if err != nil {
			return err
		}
		columns = append([]listColumn{c}, columns...)
	}
	printLists(database, columns)
	return nil
}

func cmpEnv(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// listColumn is what was measured with a number of documents.
type listColumn struct {
	documents int
	took      map[string][]time.Duration // of each case, sorted
	rows      []string                   // the cases in order
	note      string
}

// listBench is a service whose database is filled with documents.
type listBench struct {
	binary, data string
	env          []string
	db           *sql.DB
	postgres     bool
	file         string // of the database; empty on PostgreSQL
	documents    int
	size         func() (int64, error) // of the database in bytes
	filled       time.Duration         // how long it took to write and count the documents

	organisation, large, small string
}

func measureListsOf(binary, dir, database string, documents int) (c listColumn, err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &listBench{binary: binary, data: filepath.Join(dir, "data"), documents: documents, postgres: database == "postgres"}
	b.env = []string{"SEGEL_LOG_LEVEL=warn", "SEGEL_CONVERT=off", "SEGEL_STATUSES_PER_MINUTE=0"}
	if b.postgres {
		server, dsn, err := pgtest.NewServerIn(context.Background(), os.TempDir())
		if err != nil {
			return c, err
		}
		defer server.Close()
		b.env = append(b.env, "SEGEL_DATABASE="+dsn)
		b.db, err = sql.Open("pgx", dsn)
		if err != nil {
			return c, err
		}
		b.size = func() (n int64, err error) {
			return n, b.db.QueryRow(`SELECT pg_database_size(current_database())`).Scan(&n)
		}
	}
	clients, err := b.createPeople()
	if err != nil {
		return c, err
	}
	if !b.postgres {
		files, err := filepath.Glob(filepath.Join(b.data, "*.db"))
		if err != nil || len(files) != 1 {
			return c, fmt.Errorf("the data folder has the databases %v, %w", files, err)
		}
		pragmas := url.Values{"_pragma": {"journal_mode(OFF)", "synchronous(OFF)", "cache_size(-3000000)", "busy_timeout(10000)", "temp_store(MEMORY)"}}
		if b.db, err = sql.Open("sqlite", "file:"+files[0]+"?"+pragmas.Encode()); err != nil {
			return c, err
		}
		b.file = files[0]
		b.size = func() (n int64, err error) {
			return n, b.db.QueryRow(`SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`).Scan(&n)
		}
	}
	defer b.db.Close()
	b.db.SetMaxOpenConns(1)
	if err := b.generate(); err != nil {
		return c, err
	}
	return b.measure(clients)
}

// createPeople starts the service once, so that there are tables, an organisation and the two people.
func (b *listBench) createPeople() ([]*running.Client, error) {
	s, err := running.Start(b.binary, b.data, b.env...)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	var clients []*running.Client
	for _, name := range []string{"banyak", "sedikit"} {
		c, err := s.AddPerson("", name+"@example.test", name)
		if err != nil {
			return nil, err
		}
		clients = append(clients, c)
	}
	b.large, b.small = clients[0].ID, clients[1].ID
	return clients, nil
}

// The words of titles. Every title has one of each list and a number.
var titleWords = [3][]string{
	{"Perjanjian", "Kontrak", "Surat Kuasa", "Berita Acara", "Addendum", "Nota Kesepahaman", "Perikatan", "Akta"},
	{"Sewa", "Jual Beli", "Kerja Sama", "Pinjaman", "Jasa", "Kendaraan", "Tanah", "Gedung", "Pengadaan", "Waralaba", "Lisensi"},
	{"PT Maju Jaya", "CV Sinar Abadi", "PT Nusantara", "Koperasi Makmur", "UD Berkah", "PT Cahaya Timur", "Yayasan Harapan"},
}

// chunk is how many documents one transaction writes.
const chunk = 100_000

// generate writes documents, participants and lists, and counts the lists as the migration does that made the counts.
func (b *listBench) generate() error {
	if err := b.db.QueryRow(`SELECT organisation FROM users WHERE id = $1`, b.large).Scan(&b.organisation); err != nil {
		return err
	}
	began := time.Now()
	setup := []string{`CREATE TEMPORARY TABLE word (list BIGINT, k BIGINT, text TEXT, PRIMARY KEY (list, k))`}
	for list, words := range titleWords {
		for k, w := range words {
			setup = append(setup, fmt.Sprintf(`INSERT INTO word VALUES (%d, %d, '%s')`, list, k, w))
		}
	}
	digest := `zeroblob(32)`
	if b.postgres {
		digest = `decode(repeat('00', 32), 'hex')`
		setup = append(setup, `SET work_mem = '512MB'`, `SET synchronous_commit = off`, `SET session_replication_role = replica`)
	}
	for _, s := range setup {
		if _, err := b.db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	others := b.documents / smallList
	now := time.Now().UnixMicro()
	const years3 = 3 * 365 * 24 * 3600 * 1_000_000
	r := strings.NewReplacer(
		"{organisation}", b.organisation, "{large}", b.large, "{small}", b.small, "{digest}", digest,
		"{others}", fmt.Sprint(others), "{start}", fmt.Sprint(now-years3), "{step}", fmt.Sprint(int64(years3)/int64(b.documents)),
		"{a}", fmt.Sprint(len(titleWords[0])), "{b}", fmt.Sprint(len(titleWords[1])), "{c}", fmt.Sprint(len(titleWords[2])))
	statements := []string{
		r.Replace(`INSERT INTO document (id, version, organisation, owner, owner_name, owner_email, name, title, title_folded, filename, state, mode, parallel, pages,
				original_key, original_size, original_digest, original_sums, created_at, finalized_at, ended_at, expires_at, last_signed_at, reminded_at,
				restamping, specimen, reason, due_at, waits_since)
			SELECT i, 3, '{organisation}', owner, 'Nama Pemilik', 'pemilik@example.test', 'sewa-' || CAST(created AS TEXT) || '-4VnJ2xQpR7sTyWbC' || CAST(i AS TEXT),
				title, lower(title), 'perjanjian.pdf', CASE (i / 10) % 20 WHEN 0 THEN 'draft' WHEN 1 THEN 'processing' WHEN 2 THEN 'canceled' ELSE 'completed' END,
				'signing', TRUE, 4, '0123456789abcdef0123456789abcdef' || CAST(1000000000 + i AS TEXT), 204800, {digest}, {digest}, created, created, created, 0, 0, 0, FALSE, FALSE, '', 0, 0
			FROM (
				WITH RECURSIVE n(i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $2)
				SELECT i, {start} + i * {step} AS created,
					CASE WHEN i % 10 = 0 THEN '{large}' WHEN i % {others} = 1 THEN '{small}'
						ELSE '00000000-0000-4000-8000-' || CAST(100000000000 + (i * 48271) % {others} AS TEXT) END AS owner,
					a.text || ' ' || b.text || ' ' || c.text || CASE WHEN i % ({others} * 20) = 0 THEN ' Zamrud ' ELSE ' ' END || CAST(i AS TEXT) AS title
				FROM n JOIN word a ON a.list = 0 AND a.k = (i / 7) % {a} JOIN word b ON b.list = 1 AND b.k = (i / 3) % {b} JOIN word c ON c.list = 2 AND c.k = (i / 11) % {c}
			) made`),
		r.Replace(`INSERT INTO participant (document, position, person, name, email, phone, role, number, guest, field, viewed_at, signed_at, intent_at)
			SELECT id, 0, CASE WHEN id % 200 = 15 THEN '{large}' ELSE '00000000-0000-4000-8000-' || CAST(100000000000 + (id * 69621 + 7) % {others} AS TEXT) END, 'Nama Peserta',
				CASE WHEN id % ({others} * 20) = 0 THEN 'jarang@example.test' ELSE 'peserta@example.test' END, '', 'signer', 1, FALSE, 'sign1',
				created_at, CASE WHEN id % 2000 = 15 THEN 0 ELSE created_at END, created_at FROM document WHERE id >= $1 AND id <= $2 AND id % 5 = 0`),
		`INSERT INTO box (person, box, document, state, day) SELECT owner, 'out', id, state, (created_at / 1000000 + 25200) / 86400 FROM document WHERE id >= $1 AND id <= $2`,
		`INSERT INTO box (person, box, document, state, day) SELECT p.person, 'in', d.id, d.state, (d.created_at / 1000000 + 25200) / 86400
			FROM document d JOIN participant p ON p.document = d.id WHERE d.id >= $1 AND d.id <= $2 AND d.state <> 'draft'`,
	}
	for from := 1; from <= b.documents; from += chunk {
		t, err := b.db.Begin()
		if err != nil {
			return err
		}
		for _, s := range statements {
			if _, err := t.Exec(s, from, min(from+chunk-1, b.documents)); err != nil {
				return errors.Join(fmt.Errorf("%.60s: %w", s, err), t.Rollback())
			}
		}
		if err := t.Commit(); err != nil {
			return err
		}
		if done := from + chunk - 1; done%1_000_000 == 0 {
			fmt.Fprintf(os.Stderr, "lists: %d documents after %.0f s\n", done, time.Since(began).Seconds())
		}
	}
	fmt.Fprintf(os.Stderr, "lists: %d documents and their lists after %.0f s\n", b.documents, time.Since(began).Seconds())
	counts, err := countStatements()
	if err != nil {
		return err
	}
	finish := append([]string{
		fmt.Sprint(`UPDATE document_number SET last = `, b.documents),
		`DELETE FROM box_span`, `DELETE FROM box_leaf`, `DELETE FROM box_titles`, `DELETE FROM box_index`, `DELETE FROM box_gram`, `UPDATE title_index SET next = 0`,
	}, counts...)
	if b.postgres {
		finish = append(finish, `VACUUM ANALYZE`)
	}
	for _, s := range finish {
		if _, err := b.db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	b.filled = time.Since(began)
	return nil
}

// countStatements returns the statements of the migration that counts the rows of lists by blocks.
func countStatements() ([]string, error) {
	const migration = "internal/store/sqlstore/migrations/0020_lists.sql"
	text, err := os.ReadFile(migration)
	if err != nil {
		return nil, err
	}
	var all []string
	for s := range strings.SplitSeq(string(text), ";\n") {
		if i := strings.Index(s, "INSERT INTO box_"); i >= 0 {
			all = append(all, s[i:])
		}
	}
	if len(all) != 4 {
		return nil, fmt.Errorf("%s has %d statements that count", migration, len(all))
	}
	return all, nil
}

// listCase is one kind of page.
type listCase struct {
	name  string
	query string // of the page
	pages func(total int) int
	total int // how many matches there are at least; 0: there are none
}

// The number of measured requests of a case, and of those before, which fill caches.
const (
	listRequests = 200
	listWarmUps  = 20
)

// listPath is the path of an owner's list.
const listPath = running.DocumentPath + "data?type=out&limit=20"

func firstPage(int) int      { return 1 }
func lastPage(total int) int { return max(1, (total+19)/20) }
func anyPage(total int) int  { return 1 + rand.IntN(lastPage(total)) }

// measure starts the service, waits until titles are stored, and measures. It starts the service once more for the time until it is ready.
func (b *listBench) measure(clients []*running.Client) (c listColumn, err error) {
	c = listColumn{documents: b.documents, took: map[string][]time.Duration{}}
	before, err := b.size()
	if err != nil {
		return c, err
	}
	began := time.Now()
	if b.postgres {
		if _, err := b.db.Exec(`SET max_parallel_workers_per_gather = 0`); err != nil {
			return c, err
		}
	}
	s, err := running.Start(b.binary, b.data, b.env...)
	if err != nil {
		return c, err
	}
	defer func() { s.Stop() }()
	for next := 0; next+4096 <= b.documents; time.Sleep(time.Second) {
		if err := b.db.QueryRow(`SELECT next FROM title_index`).Scan(&next); err != nil {
			return c, err
		}
		if time.Since(began) > time.Hour {
			return c, errors.New("the titles are not stored after an hour")
		}
	}
	// Spans are indexed once a search has missed the index.
	clients[0].URL = s.URL
	if err := clients[0].Get(listPath+"&search=zamrud", nil); err != nil {
		return c, err
	}
	for spans := 0; spans < b.documents/524288; time.Sleep(time.Second) {
		if err := b.db.QueryRow(`SELECT COUNT(*) FROM box_index`).Scan(&spans); err != nil {
			return c, err
		}
		if time.Since(began) > time.Hour {
			return c, errors.New("the titles are not indexed after an hour")
		}
	}
	indexed := time.Since(began)
	if b.postgres {
		if _, err := b.db.Exec(`VACUUM ANALYZE`); err != nil {
			return c, err
		}
	}
	after, err := b.size()
	if err != nil {
		return c, err
	}
	if err := readWhole(b.file); err != nil {
		return c, err
	}
	s.Stop()
	began = time.Now()
	if s, err = running.Start(b.binary, b.data, b.env...); err != nil {
		return c, err
	}
	if err := waitReady(s.URL); err != nil {
		return c, err
	}
	ready := time.Since(began)
	c.note = fmt.Sprintf("%d documents: %.1f GiB, %.1f of it for titles; written and counted in %.0f s, titles indexed %.0f s later; ready %.2f s after the start", b.documents,
		float64(after)/(1<<30), float64(after-before)/(1<<30), b.filled.Seconds(), indexed.Seconds(), ready.Seconds())
	fmt.Fprintf(os.Stderr, "lists: %s\n", c.note)
	for i, person := range clients {
		person.URL = s.URL
		who := []string{"long list", "short list"}[i]
		if err := b.measurePerson(&c, person, who); err != nil {
			return c, err
		}
	}
	return c, nil
}

// waitReady waits until the service at an address is ready.
func waitReady(address string) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		a, err := http.Get(address + "/readyz")
		if err != nil {
			return err
		}
		_ = a.Body.Close()
		if a.StatusCode == http.StatusOK {
			return nil
		}
	}
	return errors.New("the service is not ready after a minute")
}

// readWhole reads a file, so that the system has it in its cache as after days of use.
func readWhole(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

func (b *listBench) measurePerson(c *listColumn, person *running.Client, who string) error {
	status := fmt.Sprint(running.DocumentPath, "status/", 10*(b.documents/20))
	if who == "short list" {
		status = fmt.Sprint(running.DocumentPath, "status/", b.documents/smallList+1)
	}
	if err := b.measureCase(c, who+": status of a document", func() error { return person.Get(status, nil) }); err != nil {
		return err
	}
	for _, k := range []listCase{
		{"page 1", "", firstPage, 1},
		{"any page", "", anyPage, 1},
		{"last page", "", lastPage, 1},
		{"a state, any page", "status=processing", anyPage, 1},
		{"a year, any page", "periode=1y", anyPage, 1},
		{"a year, last page", "periode=1y", lastPage, 1},
		{"30 days and a state, any page", "periode=30d&status=completed", anyPage, 0},
		{"search, frequent", "search=perjanjian+sewa", firstPage, 0},
		{"search, frequent, any page", "search=perjanjian", anyPage, 1},
		{"search, frequent, and a state", "search=perjanjian&status=completed", firstPage, 1},
		{"search, frequent, and a year", "search=perjanjian&periode=1y", firstPage, 1},
		{"search, rare", "search=zamrud", firstPage, 0},
		{"search, none, unknown letters", "search=qwxyzzy", firstPage, 0},
		{"search, none, known words", "search=kendaraan+perjanjian", firstPage, 0},
		{"search, one letter", "search=a", firstPage, 1},
		{"search, two letters", "search=ke", firstPage, 1},
		{"search, two letters, none", "search=qz", firstPage, 0},
		{"waiting for the person", "waiting=me", firstPage, 1},
		{"a person with few documents", "person=jarang@example.test", firstPage, 1},
		{"a person with many documents", "person=peserta@example.test", firstPage, 1},
		{"by title", "sort=title", firstPage, 1},
	} {
		path := listPath + "&" + k.query
		if strings.HasPrefix(k.query, "waiting") {
			path = strings.Replace(path, "type=out", "type=in", 1)
		}
		var page struct {
			Data struct {
				Pagination struct {
					Total int `json:"total_data"`
				}
			}
		}
		if err := person.Get(path, &page); err != nil {
			return err
		}
		total := page.Data.Pagination.Total
		if who == "long list" && total < k.total || strings.Contains(k.name, "none") && total > 0 {
			return fmt.Errorf("%s: %d documents", k.name, total)
		}
		err := b.measureCase(c, who+": "+k.name, func() error { return person.Get(fmt.Sprint(path, "&page=", k.pages(total)), nil) })
		if err != nil {
			return err
		}
	}
	return nil
}

// measureCase measures requests of one kind. It stops early if they take long.
func (b *listBench) measureCase(c *listColumn, name string, request func() error) error {
	var took []time.Duration
	began := time.Now()
	for i := range listWarmUps + listRequests {
		start := time.Now()
		if err := request(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i >= listWarmUps {
			took = append(took, time.Since(start))
		}
		if time.Since(began) > 20*time.Second && len(took) > 10 {
			break
		}
	}
	slices.Sort(took)
	c.took[name], c.rows = took, append(c.rows, name)
	fmt.Fprintf(os.Stderr, "lists: %s: %.1f, %.1f ms\n", name, toMillis(took[len(took)/2]), toMillis(took[len(took)*99/100]))
	return nil
}

// printLists prints a table of medians and 99ths of 100, the medians also as multiples of the status call.
func printLists(database string, columns []listColumn) {
	fmt.Printf("| %s: half; 99 of 100 within (times the status call) |", database)
	for _, c := range columns {
		fmt.Printf(" %d documents |", c.documents)
	}
	fmt.Printf("\n|---|%s\n", strings.Repeat("---|", len(columns)))
	for _, row := range columns[0].rows {
		fmt.Printf("| %s |", row)
		who, _, _ := strings.Cut(row, ":")
		for _, c := range columns {
			t, status := c.took[row], c.took[who+": status of a document"]
			p50 := t[len(t)/2]
			fmt.Printf(" %.1f; %.1f ms (%.1f) |", toMillis(p50), toMillis(t[len(t)*99/100]), float64(p50)/float64(status[len(status)/2]))
		}
		fmt.Println()
	}
	for _, c := range columns {
		fmt.Println("\n" + c.note)
	}
}
