package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/jobs"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/workflow"
	"segel/pdf/pdftest"
)

// service is the complete service, connected like in the program, on a folder that is removed with the test.
type service struct {
	*app
	url    string
	runner *jobs.Runner // nil without jobs
	stop   func()       // ends everything; the end of the test does it too
	http   *http.Client // nil: the default one
}

func (s *service) httpClient() *http.Client { return cmp.Or(s.http, http.DefaultClient) }

// start runs a service with its jobs. Set changes the configuration.
func start(t testing.TB, set ...string) *service {
	t.Helper()
	return starting{set: set}.start(t)
}

// blobDir is the folder of files in the data folder, unless SEGEL_BLOBS_FOLDER names another one.
const blobDir = "blobs"

// starting says how to start a service.
type starting struct {
	set   []string         // names and values of the configuration
	data  string           // folder; empty: a new one
	clock func() time.Time // nil: the real one
	idle  bool             // without jobs and stamp office: outstanding work is not done
	log   io.Writer        // gets all that is logged, from the level debug; nil: the log of the test gets warnings

	adjust func(*app) // changes the parts before anything is served; nil: nothing
}

func (o starting) start(t testing.TB) *service {
	t.Helper()
	if o.data == "" {
		o.data = newDataFolder(t)
	}
	moved := o.clock != nil
	if !moved {
		o.clock = time.Now
	}
	flags := map[string]string{"SEGEL_DATA_DIR": o.data, "SEGEL_MIN_PASSWORD": "8"}
	for i := 0; i+1 < len(o.set); i += 2 {
		flags[o.set[i]] = o.set[i+1]
	}
	server := httptest.NewUnstartedServer(nil)
	flags["SEGEL_LISTEN"] = server.Listener.Addr().String()
	conf, err := config.Load(nil, flags)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if o.log != nil {
		log = slog.New(slog.NewTextHandler(o.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	tolerance := conf.ClockTolerance
	if moved {
		tolerance = 0 // the clock of the database server does not move
	}
	a, err := openAppAt(context.Background(), conf, log, o.clock, tolerance, creating)
	if err != nil {
		t.Fatal(err)
	}
	if moved {
		a.replaceStore(sameMachine{a.workflow.Store, o.clock})
	}
	if o.adjust != nil {
		o.adjust(a)
	}
	s := &service{app: a}
	s.stop = sync.OnceFunc(func() {
		server.Close()
		s.stopJobs(t)
		a.close()
	})
	t.Cleanup(s.stop)
	if err := a.makeFirstLogin(&environment{ctx: context.Background(), stdout: io.Discard, stderr: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if o, err := a.store.FirstOrganisation(context.Background()); err != nil {
		t.Fatal(err)
	} else {
		s.endow(t, o.ID)
	}
	if conf.Convert != config.ConvertAuto { // tests that convert Word documents set it
		if err := a.openConverter(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if conf.PagePictures != config.PicturesAuto {
		if err := a.openPagePictures(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.joinProcesses(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := a.logRestorations(context.Background()); err != nil {
		t.Fatal(err)
	}
	ready := a.newReadiness(nil)
	ready.every = 0 // tests check right after a change
	if server.Config.Handler, err = a.newHandler(ready); err != nil {
		t.Fatal(err)
	}
	if !o.idle {
		if err := a.openOffice(); err != nil {
			t.Fatal(err)
		}
		if s.runner, err = a.startJobs(context.Background(), ready); err != nil {
			t.Fatal(err)
		}
	}
	server.Start()
	s.url = server.URL
	return s
}

// endow grants an organisation what a new one gets with the sandbox, and with another office what an operator would grant.
func (s *service) endow(t testing.TB, o contract.OrganisationID) {
	t.Helper()
	ctx := context.Background()
	if err := s.grantInitial(ctx, o); err != nil {
		t.Fatal(err)
	}
	if s.conf.StampOffice == sandboxOffice {
		return
	}
	has, err := s.store.Quota(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	for unit, n := range map[contract.Unit]int{contract.UnitStamp: s.conf.GrantStamps, contract.UnitSignature: s.conf.GrantSignatures} {
		if has[unit].Granted > 0 || n == 0 {
			continue
		}
		if _, err := s.store.Grant(ctx, o, unit, n, "test", contract.Actor{}, s.clock()); err != nil {
			t.Fatal(err)
		}
	}
}

// sameMachine is a store whose database runs on the machine of the service, and shares its clock.
type sameMachine struct {
	workflow.Store
	clock func() time.Time
}

func (s sameMachine) Times(ctx context.Context) (contract.ClockReading, error) {
	r, err := s.Store.Times(ctx)
	if !r.Database.IsZero() {
		r.Database = s.clock()
	}
	return r, err
}

// ReadSigning is changed as Times is.
func (s sameMachine) ReadSigning(ctx context.Context, q store.SigningQuery) (store.Signing, error) {
	r, err := s.Store.ReadSigning(ctx, q)
	if !r.Clock.Database.IsZero() {
		r.Clock.Database = s.clock()
	}
	return r, err
}

// stopJobs waits for running jobs and starts no more.
func (s *service) stopJobs(t testing.TB) {
	t.Helper()
	if s.runner == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.runner.Stop(ctx); err != nil {
		t.Error("stop jobs:", err)
	}
	s.runner = nil
}

// testLog writes the service's log to the test's log.
type testLog struct{ t testing.TB }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimRight(string(b), "\n"))
	return len(b), nil
}

// client makes the requests of one person.
type client struct {
	*service
	t     testing.TB
	token string
	id    string
	name  string
	email string
}

const password = "kata sandi uji"

// person adds a user and logs them in.
func (s *service) person(t testing.TB, name, organisation string) *client {
	t.Helper()
	email := strings.ToLower(strings.ReplaceAll(name, " ", ".")) + "@example.test"
	added, err := s.identity.AddUser(context.Background(), identity.NewUser{Name: name, Email: email, Password: password, Organisation: organisation})
	if err != nil {
		t.Fatal(err)
	}
	if added.NewOrganisation {
		s.endow(t, added.Account.Organisation)
	}
	c := &client{service: s, t: t, name: name, email: email}
	in := c.do("POST", "/v1/auth/login", object{"email": email, "password": password}).ok().object("data")
	c.token = in["token"].(string)
	c.id = in["account"].(object)["id"].(string)
	return c
}

type object = map[string]any

// answer is a completely read response.
type answer struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   []byte
}

// do sends a request; a body that is not a []byte is encoded as JSON.
func (c *client) do(method, path string, body any, header ...string) *answer {
	c.t.Helper()
	b, raw := body.([]byte)
	if body != nil && !raw {
		var err error
		if b, err = json.Marshal(body); err != nil {
			c.t.Fatal(err)
		}
	}
	return c.send(method, path, bytes.NewReader(b), header...)
}

func (c *client) send(method, path string, body io.Reader, header ...string) *answer {
	c.t.Helper()
	r, err := http.NewRequest(method, c.url+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("x-access-token", c.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	a, err := c.httpClient().Do(r)
	if err != nil {
		c.t.Fatal(method, path, err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		c.t.Fatal(method, path, err)
	}
	return &answer{c.t, method + " " + path, a.StatusCode, a.Header, b}
}

// firstEvent reads a stream of events up to the end of the first one, or a complete refusal.
func (c *client) firstEvent(path string) *answer {
	c.t.Helper()
	r, err := http.NewRequest("GET", c.url+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		r.Header.Set("x-access-token", c.token)
	}
	a, err := c.httpClient().Do(r)
	if err != nil {
		c.t.Fatal(path, err)
	}
	defer a.Body.Close()
	var b bytes.Buffer
	for lines := bufio.NewScanner(a.Body); lines.Scan() && lines.Text() != ""; {
		b.WriteString(lines.Text() + "\n")
	}
	return &answer{c.t, "GET " + path, a.StatusCode, a.Header, b.Bytes()}
}

// is requires a status and, if one is given, the stable code of the refusal.
func (a *answer) is(status int, code ...string) *answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: %d, want %d: %.600s", a.what, a.status, status, a.body)
	}
	if len(code) > 0 && !strings.Contains(string(a.body), `"`+code[0]+`"`) {
		a.t.Fatalf("%s: want %s: %.600s", a.what, code[0], a.body)
	}
	return a
}

func (a *answer) ok() *answer {
	a.t.Helper()
	return a.is(http.StatusOK)
}

// object returns a member of the JSON answer.
func (a *answer) object(path ...string) object {
	a.t.Helper()
	var v object
	if err := json.Unmarshal(a.body, &v); err != nil {
		a.t.Fatalf("%s: %v: %.300s", a.what, err, a.body)
	}
	for _, p := range path {
		next, ok := v[p].(object)
		if !ok {
			a.t.Fatalf("%s: no object %s: %.600s", a.what, p, a.body)
		}
		v = next
	}
	return v
}

const (
	signPath     = "/v1/econtract/layanan/sign/"
	documentPath = "/v1/econtract/web_app/document/"
)

// verb posts an operation on a document.
func (c *client) verb(verb string, id int64, more ...any) *answer {
	c.t.Helper()
	body := object{"document_id": id}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return c.do("POST", signPath+verb, body)
}

func (c *client) get(what string, id int64) *answer {
	c.t.Helper()
	return c.do("GET", fmt.Sprint(documentPath, what, "/", id), nil)
}

// as returns the person as a participant.
func (c *client) as(role string, number int) object {
	return object{"id": c.id, "name": c.name, "email": c.email, "role": role, "number": number}
}

// upload creates a draft of a file and returns its id.
func (c *client) upload(file []byte, people ...object) int64 {
	c.t.Helper()
	return c.uploadWith(object{"signer": people}, file)
}

func (c *client) uploadWith(body object, file []byte) int64 {
	c.t.Helper()
	body["filename"] = "kontrak.pdf"
	body["document_base64"] = base64.StdEncoding.EncodeToString(file)
	return int64(c.do("POST", signPath+"upload-docs-base64", body).ok().object("response", "data")["document_id"].(float64))
}

// at returns a placement in a box of points from the lower left of page 1.
func (c *client) at(kind string, llx, lly, urx, ury float64) object {
	return object{"page": 1, "type": kind, "user": object{"userid": c.id}, "emet": object{"llx": llx, "lly": lly, "urx": urx, "ury": ury}}
}

func (c *client) place(id int64, entries ...object) *answer {
	c.t.Helper()
	return c.verb("placement-docs", id, "signers", entries)
}

// completed waits until the document is completed, and returns its status.
func (c *client) completed(id int64) object {
	c.t.Helper()
	return c.reaches(id, "completed")
}

// reaches follows the document's events, like a client that does not poll.
func (c *client) reaches(id int64, state string) object {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	by, err := c.identity.Authenticate(ctx, c.token)
	if err != nil {
		c.t.Fatal(err)
	}
	version := int64(0)
	for {
		now := c.get("status", id).ok().object("data")
		if now["status"] == state {
			return now
		}
		d, err := c.workflow.WaitForChange(ctx, by, docID(id), version)
		if err != nil {
			c.t.Fatalf("document %d did not become %s: %v; it is %v: %s", id, state, err, now, c.get("detail", id).body)
		}
		version = d.Version
	}
}

func (c *client) download(id int64) []byte {
	c.t.Helper()
	return c.get("download", id).ok().body
}

// guest exchanges a link for the token of a guest.
func (c *client) guest(id int64, person string) *client {
	c.t.Helper()
	url := c.verb("guest-link-docs", id, "user_id", person).ok().object("response", "data")["url"].(string)
	g := &client{service: c.service, t: c.t, id: person}
	g.token = g.do("POST", "/v1/auth/guest", object{"link": url}).ok().object("data")["token"].(string)
	return g
}

// simple returns a small contract.
func simple() []byte { return pdftest.Table(2) }

// openSQLite opens the database of a data folder beside the service that uses it. The test closes it.
func openSQLite(t testing.TB, data string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, "segel.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// withAnotherLetter returns a secret of which one letter differs. It is not the last: some bits of that mean nothing in Base64.
func withAnotherLetter(secret string) string {
	at, letter := len(secret)-8, "A"
	if secret[at] == 'A' {
		letter = "B"
	}
	return secret[:at] + letter + secret[at+1:]
}

// runTool runs an external program and returns its output.
func runTool(t testing.TB, name string, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is needed to check what we sign: %v", name, err)
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	return string(out), err
}

// replaceStore replaces the store of all parts of the workflow.
func (a *app) replaceStore(s workflow.Store) {
	a.workflow.Store, a.workflow.Documents.Store, a.workflow.Stamping.Store = s, s, s
}

// newDataFolder returns the data folder of a service that starts for the first time, with a database that has its tables already: creating
// them takes longer than the rest of the start. Installation, keys and accounts are made by the service.
func newDataFolder(t testing.TB) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	storetest.CreateSQLite(t, filepath.Join(data, "segel.db"), sqlstore.Migrate)
	return data
}
