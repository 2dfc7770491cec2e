package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"segel/internal/blob/file"
	"segel/internal/config"
	"segel/internal/convert/gotenberg"
	"segel/internal/convert/libreoffice"
	"segel/internal/credential"
	"segel/internal/disk"
	"segel/internal/doctor"
	"segel/internal/notify/smtp"
	"segel/internal/outbound"
	"segel/internal/store/sqlstore"
	"segel/tsp"
)

type doctorCommand struct {
	dataFlag
	JSON    bool          `name:"json" help:"Print one JSON object per line: each finding, and a summary."`
	Timeout time.Duration `default:"15s" help:"How long one check may take."`
}

// doctorSummary is the last line of the JSON output.
type doctorSummary struct {
	OK       int `json:"ok"`
	Warnings int `json:"warnings"`
	Problems int `json:"problems"`
}

// Run examines everything that the service needs, while it runs or is stopped. The exit status is 1 if there is a problem.
func (c doctorCommand) Run(w *environment) error {
	if c.Timeout < time.Second {
		return errors.New("--timeout must be at least 1s")
	}
	found := c.examine(w)
	count := map[doctor.State]int{}
	out := json.NewEncoder(w.stdout)
	for _, f := range found {
		count[f.State]++
		var err error
		if c.JSON {
			err = out.Encode(f)
		} else {
			_, err = fmt.Fprintln(w.stdout, f)
		}
		if err != nil {
			return err
		}
	}
	s := doctorSummary{count[doctor.OK], count[doctor.Warning], count[doctor.Problem]}
	var err error
	if c.JSON {
		err = out.Encode(s)
	} else {
		_, err = fmt.Fprintf(w.stdout, "%d ok, %d warnings, %d problems\n", s.OK, s.Warnings, s.Problems)
	}
	if err == nil && s.Problems > 0 {
		return exitStatus(1)
	}
	return err
}

// examine opens what can be opened, for reading alone, and runs all checks.
func (c doctorCommand) examine(w *environment) []doctor.Finding {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		var found []doctor.Finding
		for line := range strings.Lines(err.Error()) {
			found = append(found, doctor.Finding{Check: "configuration", State: doctor.Problem, Text: strings.TrimSpace(line), Remedy: "Correct the setting; segel config prints all of them. Nothing else was examined"})
		}
		return found
	}
	environ, err := c.readEnvironment(w)
	if err != nil {
		return []doctor.Finding{{Check: "configuration", State: doctor.Problem, Text: err.Error(), Remedy: "Correct --config or SEGEL_CONFIG"}}
	}
	d := &diagnosis{conf: conf, secrets: config.SecretFiles(environ)}
	if path := c.settingsFile(w); path != "" {
		d.secrets = append(d.secrets, config.SecretFile{Setting: "the file of settings", Path: path})
	}
	defer d.close()
	opened := doctor.Run(w.ctx, c.Timeout, []doctor.Check{{Name: "installation", Run: func(ctx context.Context) []doctor.Finding { return d.open(ctx, w) }}})
	return slices.Concat(opened, doctor.Run(w.ctx, c.Timeout, d.checks()))
}

// diagnosis is what the checks of segel doctor examine.
type diagnosis struct {
	conf    config.Config
	secrets []config.SecretFile
	app     *app  // nil: the installation cannot be opened
	closed  error // why not
}

func (d *diagnosis) close() {
	if d.app != nil {
		d.app.close()
	}
}

// open opens the installation for reading.
func (d *diagnosis) open(ctx context.Context, w *environment) []doctor.Finding {
	quiet := d.conf
	quiet.LogLevel = 100 // findings say what the log would
	opened := make(chan *app, 1)
	failed := make(chan error, 1)
	go func() {
		// Parts keep this context, so it is that of the program.
		a, err := openApp(w.ctx, d.conf, w.newLogger(quiet), reading)
		if err != nil {
			failed <- err
			return
		}
		opened <- a
	}()
	select {
	case d.app = <-opened:
		return []doctor.Finding{{State: doctor.OK, Text: "database, keys and files belong to installation " + d.app.installation.ID}}
	case d.closed = <-failed:
	case <-ctx.Done():
		d.closed = fmt.Errorf("it cannot be opened in time: %w", context.Cause(ctx))
	}
	return []doctor.Finding{{State: doctor.Problem, Text: d.closed.Error(), Remedy: "Correct this first: most checks need it. segel serve creates a new installation"}}
}

// withApp returns a check that needs the open installation.
func (d *diagnosis) withApp(check func(ctx context.Context, a *app) []doctor.Finding) func(context.Context) []doctor.Finding {
	return func(ctx context.Context) []doctor.Finding {
		if d.app == nil {
			return doctor.NotExamined(d.closed)
		}
		return check(ctx, d.app)
	}
}

func (d *diagnosis) checks() []doctor.Check {
	conf := d.conf
	return []doctor.Check{
		{Name: "secrets", Run: func(context.Context) []doctor.Finding { return doctor.CheckSecretFiles(d.secretFiles()) }},
		{Name: "first login", Run: func(context.Context) []doctor.Finding {
			return doctor.CheckInitialPassword(filepath.Join(conf.DataDir, initialPasswordFile), time.Now())
		}},
		{Name: "master key", Run: d.withApp(func(ctx context.Context, a *app) []doctor.Finding {
			known, err := a.store.MasterKeys(ctx)
			return doctor.CheckMasterKeys(known, a.masterKeyIDs(), err)
		})},
		{Name: "migrations", Run: d.checkMigrations},
		{Name: "database", Run: d.withApp(checkDatabaseServer)},
		{Name: "clock", Run: d.withApp(func(ctx context.Context, a *app) []doctor.Finding {
			return doctor.CheckClock(a.workflow.ClockFinding(ctx))
		})},
		{Name: "timestamps", Run: d.withApp(func(ctx context.Context, a *app) []doctor.Finding {
			return doctor.CheckTimestamps(ctx, a.timestampServers())
		})},
		{Name: "certificates", Run: d.withApp(checkOwnCertificates)},
		{Name: "files", Run: func(ctx context.Context) []doctor.Finding { return d.checkBlobs(ctx) }},
		{Name: "backup", Run: d.withApp(func(ctx context.Context, a *app) []doctor.Finding {
			last, err := a.store.LastBackup(ctx)
			return doctor.CheckBackup(last, err, a.clock())
		})},
		{Name: "disk", Run: func(context.Context) []doctor.Finding {
			return doctor.CheckDisk(d.folders(), int64(conf.DiskReserve), disk.ReadSpace)
		}},
		{Name: "open files", Run: d.checkOpenFiles},
		{Name: "public address", Run: func(ctx context.Context) []doctor.Finding { return publicAddress(conf).Check(ctx) }},
		{Name: "mail", Run: func(ctx context.Context) []doctor.Finding { return checkMailServers(ctx, conf) }},
		{Name: "sandbox", Run: func(ctx context.Context) []doctor.Finding {
			return doctor.CheckSandbox(ctx, max(convertNeed(conf), pictureNeed(conf)), doctor.RunSandboxed)
		}},
		{Name: "conversion", Run: func(ctx context.Context) []doctor.Finding { return checkConversion(ctx, conf) }},
		{Name: "fonts", Run: func(ctx context.Context) []doctor.Finding {
			return doctor.CheckFonts(ctx, max(convertNeed(conf), pictureNeed(conf)), doctor.ListFonts)
		}},
	}
}

// secretFiles lists the files that hold secrets, as far as the configuration names them.
func (d *diagnosis) secretFiles() []doctor.SecretFile {
	all := []doctor.SecretFile{{Path: d.conf.DataDir, What: "the data folder"}, {Path: filepath.Join(d.conf.DataDir, initialPasswordFile), What: "the password of the first login"}}
	if f, ok := masterKeyOf(d.conf).(credential.KeyFile); ok {
		all = append(all, doctor.SecretFile{Path: string(f), What: "the master key"})
	}
	if f, ok := formerMasterKeyOf(d.conf).(credential.KeyFile); ok {
		all = append(all, doctor.SecretFile{Path: string(f), What: "the former master key"})
	}
	if d.conf.State == config.StateFolder {
		all = append(all, doctor.SecretFile{Path: string(keyFolder(d.conf)), What: "the keys of the authority"})
	}
	if path, ok := sqlstore.SQLitePath(databaseDSN(d.conf)); ok {
		all = append(all, doctor.SecretFile{Path: path, What: "the database"})
	}
	if d.conf.TLSKey != "" {
		all = append(all, doctor.SecretFile{Path: d.conf.TLSKey, What: "SEGEL_TLS_KEY"})
	}
	for _, f := range d.secrets {
		all = append(all, doctor.SecretFile{Path: f.Path, What: f.Setting})
	}
	return all
}

// checkMigrations reports what segel migrate --check says.
func (d *diagnosis) checkMigrations(ctx context.Context) []doctor.Finding {
	state, err := sqlstore.ReadSchemaState(ctx, databaseDSN(d.conf), sqlstore.Options{Version: version, Timeout: d.conf.DatabaseTimeout})
	if err != nil {
		return []doctor.Finding{{State: doctor.Problem, Text: err.Error(), Remedy: "Correct SEGEL_DATABASE or the folder; segel serve creates a new installation"}}
	}
	return migrationFinding(state)
}

func migrationFinding(state sqlstore.SchemaState) []doctor.Finding {
	r, _ := reportSchema(state)
	f := doctor.Finding{State: doctor.OK, Text: fmt.Sprintf("the tables are those of segel %s (level %d)", state.Version, state.Level)}
	switch r.Result {
	case "downgrade_refused":
		f = doctor.Finding{State: doctor.Problem, Text: "a later release has closed the database to this program", Remedy: r.advice(state)}
	case "pending_stop", "pending":
		f = doctor.Finding{State: doctor.Problem, Text: fmt.Sprintf("migrations are pending: %d", len(state.Pending)), Remedy: r.advice(state)}
		if len(state.Pending) == 0 {
			f.Text = "the tables of the job queue are to be migrated"
		}
	case "later_release":
		f.Text = r.advice(state)
	}
	return []doctor.Finding{f}
}

func checkDatabaseServer(ctx context.Context, a *app) []doctor.Finding {
	settings, err := a.store.ServerSettings(ctx)
	if err != nil {
		return []doctor.Finding{{State: doctor.Problem, Text: err.Error(), Remedy: "Look at the database server"}}
	}
	nodes, now, err := a.store.ListNodes(ctx)
	if err != nil {
		return []doctor.Finding{{State: doctor.Problem, Text: err.Error(), Remedy: "Look at the database server"}}
	}
	living := 0
	for _, n := range nodes {
		if n.Runs(now) {
			living++
		}
	}
	return doctor.CheckServer(settings, max(living, 1))
}

// checkOwnCertificates examines the certificates of the authority that are in use. Those of people and seals are made anew when they have expired.
func checkOwnCertificates(ctx context.Context, a *app) []doctor.Finding {
	var all []doctor.Certificate
	for _, own := range a.authority.OwnCertificates() {
		all = append(all, doctor.Certificate{Role: own.Role, NotBefore: own.Certificate.NotBefore, NotAfter: own.Certificate.NotAfter})
	}
	const remedy = "segel serve creates successors three years ahead: look in its log for the work successors. Near the end of the root, which has none, plan a new authority: docs/operations.md#segelcertificateexpires"
	return doctor.CheckCertificates(all, remedy, a.clock())
}

// timestampServers returns the configured time-stamp authorities. Each try takes one timestamp.
func (a *app) timestampServers() (all []doctor.Server) {
	client := outboundClient(a.conf)
	for _, address := range a.conf.TimestampURLs {
		one := a.conf
		one.TimestampURLs = []string{address}
		all = append(all, doctor.Server{Name: config.MaskURL(address), Try: func(ctx context.Context) error {
			return tryTimestamp(ctx, newTimestamper(one, client, a.trust, a.clock))
		}})
	}
	return all
}

func tryTimestamp(ctx context.Context, t tsp.Timestamper) error {
	_, err := t.Timestamp(ctx, make([]byte, 32))
	return err
}

// checkBlobs tries the places of files: reading is not enough to see that they take more.
func (d *diagnosis) checkBlobs(ctx context.Context) (found []doctor.Finding) {
	places := []filePlace{currentPlace(d.conf)}
	if d.conf.BlobsFrom != "" {
		places = append(places, formerPlace(d.conf))
	}
	for _, place := range places {
		found = append(found, doctor.CheckBlobs(ctx, doctor.Server{Name: place.name(d.conf), Try: func(ctx context.Context) error {
			if place.kind != config.BlobsS3 {
				return file.Find(place.dir).Check(ctx)
			}
			bucket, err := newBucket(d.conf, place.prefix)
			if err != nil {
				return err
			}
			return bucket.Probe(ctx)
		}})...)
	}
	return found
}

// folders are those in which files grow.
func (d *diagnosis) folders() []doctor.Folder {
	all := []doctor.Folder{{Path: growingDir(d.conf), What: "files and uploads", Room: int64(d.conf.MaxSpool + d.conf.MaxVerifySpool)}}
	if path, ok := sqlstore.SQLitePath(databaseDSN(d.conf)); ok {
		all = append(all, doctor.Folder{Path: filepath.Dir(path), What: "the database"})
	}
	return append(all, doctor.Folder{Path: os.TempDir(), What: "temporary files"})
}

func (d *diagnosis) checkOpenFiles(context.Context) []doctor.Finding {
	limit, err := doctor.OpenFileLimit()
	if err != nil {
		return []doctor.Finding{{State: doctor.Warning, Text: err.Error(), Remedy: "Look at ulimit -n"}}
	}
	return doctor.CheckOpenFiles(limit, uint64(d.conf.MaxStreams+d.conf.MaxAnonymous+d.conf.MaxUploads+d.conf.MaxVerifyUploads))
}

// publicAddress says how the public address is tried.
func publicAddress(conf config.Config) doctor.Address {
	o := outbound.Options{Ports: []uint16{80, 443}, MaxBody: 64 << 10, Allowed: prefixesOf(conf.OutboundPrivate)}
	if p, ok := portOf(conf.PublicURL); ok {
		o.Ports = append(o.Ports, p)
	}
	if u, err := url.Parse(conf.PublicURL); err == nil && doctor.IsLocal(u.Hostname()) { // the operator named this machine
		o.Allowed = append(o.Allowed, loopback...)
	}
	return doctor.Address{
		Public: conf.PublicURL, Default: conf.BaseURL(), HTTP: outbound.NewClient(o), Now: systemClock(),
		Resolve: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return outbound.LookupHost(ctx, o, host)
		},
		Runs: func(ctx context.Context) bool { return listens(ctx, conf.Listen) },
	}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// listens reports whether a program takes connections at an address of this machine.
func listens(ctx context.Context, address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	o := outbound.Options{Allowed: slices.Clone(loopback)}
	if p, ok := portOf("http://" + net.JoinHostPort("localhost", port)); ok {
		o.Ports = []uint16{p}
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	} else if err == nil {
		o.Allowed = append(o.Allowed, netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen()))
	}
	conn, err := outbound.NewDialer(o)(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}

// checkMailServers connects to the mail servers as the service does.
func checkMailServers(ctx context.Context, conf config.Config) []doctor.Finding {
	if len(conf.MailServers) == 0 {
		return doctor.CheckMail(ctx, nil)
	}
	sender, servers, err := newMailSender(conf)
	if err != nil {
		return []doctor.Finding{{State: doctor.Problem, Text: err.Error(), Remedy: "Correct SEGEL_MAIL_SERVERS"}}
	}
	var all []doctor.Server
	for _, s := range servers {
		all = append(all, doctor.Server{Name: s.String(), Unprotected: s.Security == smtp.Unprotected, Try: func(ctx context.Context) error { return sender.CheckServer(ctx, s) }})
	}
	return doctor.CheckMail(ctx, all)
}

// convertNeed says how much this process needs LibreOffice on this machine.
func convertNeed(conf config.Config) doctor.Need {
	switch {
	case conf.Convert == config.ConvertLibreOffice:
		return doctor.Required
	case conf.Convert == config.ConvertAuto && conf.HasRole(config.RoleConvert):
		return doctor.Wanted
	}
	return doctor.NotNeeded
}

func pictureNeed(conf config.Config) doctor.Need {
	switch conf.PagePictures {
	case config.PicturesPoppler:
		return doctor.Required
	case config.PicturesOff:
		return doctor.NotNeeded
	}
	return doctor.Wanted
}

// checkConversion examines LibreOffice, or the service that converts in its place.
func checkConversion(ctx context.Context, conf config.Config) []doctor.Finding {
	if !strings.Contains(conf.Convert, "://") {
		return doctor.CheckLibreOffice(convertNeed(conf), func() (string, error) {
			return libreoffice.Version(ctx, conf.ConvertUnfenced == config.TrustEveryUploader)
		})
	}
	return doctor.CheckConverter(ctx, doctor.Server{Name: config.MaskPassword(conf.Convert), Try: func(ctx context.Context) error {
		c, err := gotenberg.New(gotenberg.Options{URL: conf.Convert, Client: outbound.NewClient(converterOutbound(conf))})
		if err != nil {
			return err
		}
		return c.CheckHealth(ctx)
	}})
}
