package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"segel/internal/api"
	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/disk"
	"segel/internal/jobs"
	"segel/internal/monitor"
	proc "segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/workflow"
	"segel/web"
)

type serveCommand struct {
	dataFlag
	Listen    string `help:"Address to listen on; port 0 takes a free one." placeholder:"ADDR"`
	PublicURL string `name:"public-url" help:"Address under which clients reach the service." placeholder:"URL"`
	Pprof     string `help:"Loopback address that serves profiles of the process, such as 127.0.0.1:6060; for a developer." placeholder:"ADDR"`
	Role      string `help:"What the process does: api, worker and convert, separated by commas." placeholder:"ROLES"`
	Migrate   string `help:"auto: migrate the database first, unless other nodes use it; off: refuse to start if segel migrate is needed." placeholder:"auto|off"`
}

func (c serveCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, map[string]string{"SEGEL_LISTEN": c.Listen, "SEGEL_PUBLIC_URL": c.PublicURL, "SEGEL_MIGRATE": c.Migrate, "SEGEL_ROLE": c.Role})
	if err != nil {
		return err
	}
	log := w.newLogger(conf)
	setCollectorPercent(w.env)
	if limit, err := limitMemory(os.DirFS("/"), w.env, conf); err != nil {
		log.Warn("no memory limit is set; GOMEMLIMIT sets one", "error", err)
	} else if limit > 0 {
		log.Info("memory limit set from the available memory; GOMEMLIMIT overrides it", "bytes", limit)
	}
	l, err := openListeners(conf)
	if err != nil {
		return err
	}
	defer l.close()
	conf.Listen = l.main.Addr().String()
	// These need no installation. A first start that fails later has created one, with an authority and a first login.
	if err := checkCertificateFiles(conf); err != nil {
		return err
	}
	if c.Pprof != "" {
		profiles, err := serveProfiles(c.Pprof)
		if err != nil {
			return err
		}
		defer profiles.Close()
		fmt.Fprintf(w.stdout, "profiles at http://%s/debug/pprof/\n", profiles.Addr())
	}

	a, err := openApp(w.ctx, conf, log, creating)
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.makeFirstLogin(w); err != nil {
		return err
	}
	return a.serveRequests(w, l)
}

// Bounds on slow clients. Bodies and answers may take long; the HTTP server cuts off clients that make no progress.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	streamGrace   = time.Second // time for clients that are cut off at the end of the wait to notice
)

// serveRequests answers requests and runs jobs until the service is told to stop or cannot go on.
func (a *app) serveRequests(w *environment, l listeners) error {
	reload, stopReload := w.watchHangUp()
	defer stopReload()
	certs, err := a.openServiceParts(w.ctx, l.plain != nil)
	if err != nil {
		return err
	}
	stopping := make(chan struct{})
	ready := a.newReadiness(stopping)
	handler, err := a.newHandler(ready)
	if err != nil {
		return err
	}
	if err := a.logRestorations(w.ctx); err != nil {
		return err
	}
	runner, err := a.startJobs(w.ctx, ready)
	if err != nil {
		return err
	}
	// Requests end with the service at the latest. Each of their commits is applied completely or not at all.
	requests, endRequests := context.WithCancel(context.WithoutCancel(w.ctx))
	defer endRequests()
	systemd := supervisor{a.log}
	endBackground := a.startBackground(w.ctx, certs, systemd, handler)
	defer endBackground()
	server := a.newServer(handler)
	server.BaseContext = func(net.Listener) context.Context { return requests }
	failed, endPlain, err := a.startListening(w, l, certs, server)
	if err != nil {
		return err
	}
	defer endPlain()
	systemd.notify(w.ctx, daemon.SdNotifyReady)
	debug.FreeOSMemory() // starting takes several times what an idle service needs

	err = a.runUntilStopped(w, systemd, certs, reload, failed)

	systemd.notify(context.WithoutCancel(w.ctx), daemon.SdNotifyStopping)
	// From here on the process is not ready, and event streams end: browsers reconnect, to another process if there is one.
	close(stopping)
	a.streams.Stop()
	if err == nil {
		err = a.drainRequests(server, failed)
	}
	a.log.Info("stopping", "within", a.conf.ShutdownWait)
	err = errors.Join(err, a.shutDown(server, runner, endRequests))
	a.log.Info("stopped", "version", version)
	return err
}

// openServiceParts opens what only a service uses, and then makes this process known to the others of the installation. It returns the certificates
// of the listener; nil: it has none. ListensPlain is whether there is a second listener, for plain HTTP.
func (a *app) openServiceParts(ctx context.Context, listensPlain bool) (certificates, error) {
	certs, err := a.openCertificates(listensPlain)
	if err != nil {
		return nil, err
	}
	if certs != nil {
		if err := a.metrics.Register(certificateGauge{certs}); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	if err := a.openOffice(); err != nil {
		return nil, err
	}
	if err := a.openHashing(); err != nil {
		return nil, err
	}
	if err := a.openConverter(ctx); err != nil {
		return nil, err
	}
	if err := a.openPagePictures(ctx); err != nil {
		return nil, err
	}
	if err := a.joinProcesses(ctx); err != nil {
		return nil, err
	}
	// Master keys, where keys are used, and the authority may have changed before the others knew of this process.
	return certs, a.checkInstallation(ctx)
}

// startBackground starts what a service does besides requests and jobs. It goes on after ctx has ended, for the requests and
// jobs that still run, until end is called, which waits for it.
func (a *app) startBackground(ctx context.Context, certs certificates, systemd supervisor, handler http.Handler) (end func()) {
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	process := a.process // shutDown may set it to nil
	running.Go(func() { a.renewClaims(background, process) })
	// Events are sent to webhooks until the requests and jobs that make them have ended.
	if a.conf.HasRole(config.RoleWorker) {
		running.Go(func() { proc.RunInTerms(background, process, a.webhooks.Run) })
	}
	running.Go(func() { a.identity.RunLimitedLogins(background) })
	running.Go(func() { a.runPasswordRemoval(background) })
	running.Go(func() { a.followSuccessors(background) })
	if a.conf.HasRole(config.RoleAPI) {
		running.Go(func() { a.workflow.FollowChanges(background, a.store) })
		running.Go(func() { exchangeRates(background, a.rates, a.store) })
	}
	if certs != nil {
		running.Go(func() { certs.Run(background) })
	}
	running.Go(func() { systemd.runWatchdog(background, handler) })
	running.Go(func() { a.watchDiskSpace(background) })
	running.Go(func() { a.releaseStartMemory(background) })
	return func() { cancel(); running.Wait() }
}

// startListening serves requests on the listeners and prints their addresses. Failed receives the error of a listener that fails; endPlain ends
// the one for plain HTTP, if there is one.
func (a *app) startListening(w *environment, l listeners, certs certificates, server *http.Server) (failed <-chan error, endPlain func(), err error) {
	ended := make(chan error, 2)
	endPlain = func() {}
	if l.plain != nil {
		plain, err := a.newPlainServer(certs)
		if err != nil {
			return nil, nil, err
		}
		endPlain = func() { _ = plain.Close() } // it only redirects, and a client tries again
		go func() { ended <- plain.Serve(l.plain) }()
		fmt.Fprintf(w.stdout, "segel %s redirects http://%s to %s\n", version, l.plain.Addr(), a.conf.PublicURL)
	}
	scheme := "http"
	if certs != nil {
		scheme, server.TLSConfig = "https", certs.TLSConfig()
		go func() { ended <- server.ServeTLS(l.main, "", "") }()
	} else {
		go func() { ended <- server.Serve(l.main) }()
	}
	fmt.Fprintf(w.stdout, "segel %s listens on %s://%s\n", version, scheme, l.main.Addr())
	a.log.Info("started", "version", version, "address", l.main.Addr().String(), "roles", a.conf.Roles, "process", a.process.Name())
	return ended, endPlain, nil
}

// drainRequests goes on answering requests for DrainWait, in which load balancers learn that this process is not ready and send it no more. It returns the
// error of a listener that fails meanwhile.
func (a *app) drainRequests(server *http.Server, failed <-chan error) error {
	if a.conf.DrainWait <= 0 {
		return nil
	}
	a.log.Info("no longer ready; the listener closes after the wait", "wait", a.conf.DrainWait)
	server.SetKeepAlivesEnabled(false)
	drained := time.NewTimer(a.conf.DrainWait)
	defer drained.Stop()
	select {
	case err := <-failed:
		return err
	case <-drained.C:
		return nil
	}
}

// logRestorations records in the audit log that the service begins again with an older state, so that auditors learn that events are missing. While the
// clock is in doubt it does not, because the events would have a wrong time; a later start does.
func (a *app) logRestorations(ctx context.Context) error {
	clock, err := a.workflow.ClockFinding(ctx) // it logs what it finds
	if err != nil || clock.State != contract.ClockFine {
		return err
	}
	logged, err := a.store.LogRestorations(ctx, func(r store.Restoration) contract.Event {
		return contract.Event{
			Type:   contract.EventRestored,
			At:     a.clock(),
			Person: contract.Person{Name: "segel"},
			Details: map[string]string{
				"backup":      r.Backup,
				"snapshot_at": r.SnapshotAt.UTC().Format(time.RFC3339),
				"restored_at": r.RestoredAt.UTC().Format(time.RFC3339),
				"events":      strconv.FormatInt(r.Events, 10),
			},
		}
	})
	for _, r := range logged {
		a.log.WarnContext(ctx, "the service was restored to an older state; the audit log says so now", "snapshot_at", r.SnapshotAt, "events", r.Events, "backup", r.Backup)
	}
	return err
}

// watchHangUp returns the signals SIGHUP until stop is called. A terminal sends it when it is closed, and ends the process with it; elsewhere it
// asks for the certificate to be read again. Call it before systemd is told that the service is ready: a signal that comes before ends the process.
func (w *environment) watchHangUp() (reload <-chan os.Signal, stop func()) {
	signals := make(chan os.Signal, 1)
	if !w.hasTerminal() {
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals, func() { signal.Stop(signals) }
}

// runUntilStopped waits until the service is told to stop, a listener fails, or its keys are not used any more, and reads the certificate again when it is asked to.
func (a *app) runUntilStopped(w *environment, systemd supervisor, certs certificates, reload <-chan os.Signal, failed <-chan error) error {
	for {
		select {
		case err := <-failed:
			return err
		case err := <-a.refused:
			return err
		case <-w.ctx.Done():
			return nil
		case <-reload:
			systemd.reload(w.ctx, func() {
				if certs != nil {
					certs.Reload(w.ctx)
				}
			})
		}
	}
}

// shutDown waits for requests and jobs, both within ShutdownWait, and cancels those that have not ended.
func (a *app) shutDown(server *http.Server, runner *jobs.Runner, endRequests func()) error {
	ctx, cancel := context.WithTimeout(context.Background(), a.conf.ShutdownWait)
	defer cancel()
	var stopped error
	var working sync.WaitGroup
	if runner != nil {
		working.Go(func() { stopped = runner.Stop(ctx) })
	}
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		endRequests()
		grace, cancel := context.WithTimeout(context.Background(), streamGrace)
		defer cancel()
		if err = server.Shutdown(grace); errors.Is(err, context.DeadlineExceeded) {
			err = nil
			_ = server.Close() // cuts off clients that still stream
		}
	}
	working.Wait()
	if stopped != nil {
		a.process = nil // a job may still run, so the name stays taken until the process has ended, or its lease has
	}
	return errors.Join(err, stopped)
}

// renewClaims renews the leases of this process's claims until ctx ends. Processes that share the data folder or the database
// observe whether this one has ended; only processes of earlier releases rely on the leases of claims.
func (a *app) renewClaims(ctx context.Context, process proc.Process) {
	tick := time.NewTicker(store.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := a.store.RenewClaims(ctx, process.Name(), a.clock()); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "claims on idempotency keys are not renewed", "error", err)
			}
		}
	}
}

// loadFrameOrigins reads the origins whose pages may show those of an organisation in frames. If they cannot be read, none may.
func (a *app) loadFrameOrigins(ctx context.Context, organisation string) []string {
	origins, err := a.store.EmbedOrigins(ctx, contract.OrganisationID(organisation))
	if err != nil {
		a.log.WarnContext(ctx, "the origins of an organisation cannot be read", "organisation", organisation, "error", err)
		return nil
	}
	return origins
}

// parts returns the collector of the state of what this process uses.
func (a *app) parts(ready *readiness) monitor.Parts {
	p := monitor.Parts{
		Version:     version,
		Connections: a.store.Connections,
		Reserve:     int64(a.conf.DiskReserve),
		Ready:       ready.currentReadiness,
		Disks:       map[string]string{"data": a.conf.DataDir, "spool": a.fileDir()},
		Certificates: func() map[string]time.Time {
			ends := map[string]time.Time{}
			for _, own := range a.authority.OwnCertificates() {
				ends[own.Role] = own.Certificate.NotAfter
			}
			return ends
		},
	}
	if path, ok := sqlstore.SQLitePath(databaseDSN(a.conf)); ok {
		p.Disks["database"] = filepath.Dir(path)
	}
	return p
}

func (a *app) newHandler(ready *readiness) (http.Handler, error) {
	for _, c := range []prometheus.Collector{
		clockGauges{a.workflow}, costCounters{a.store}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		monitor.NewFigures(a.store, a.conf.QuotaLow, a.log), a.parts(ready),
	} {
		if err := a.metrics.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	a.streams, a.rates = api.NewStreams(), a.newRateExchange()
	return api.New(api.Options{
		Workflow:     a.workflow,
		Identity:     a.identity,
		Notices:      a.notices,
		Webhooks:     a.webhooks,
		Feed:         a.feed,
		SSO:          a.sso,
		SCIM:         a.scim,
		Answers:      a.answers,
		Process:      a.process,
		Rates:        a.rates,
		AnswerSecret: a.derived[answersPurpose],
		Ready:        ready.currentReadiness,

		AnswerTimeout: a.conf.AnswerWithin,
		WorkTimeout:   a.conf.WorkWithin,
		LoginDelay:    a.conf.LoginDelay,

		Authority: a.authority.Handler(),
		Streams:   a.streams,
		Web:       web.Handler(a.conf.BasePath(), a.loadFrameOrigins),
		Log:       a.log,
		Tracer:    a.traces.Tracer(),
		Metrics:   a.metrics,

		Version:   version,
		PublicURL: a.conf.BaseURL(),
		Service:   a.conf.ServiceSegment,
		Paths:     a.conf.Paths,

		HealthOnly:   !a.conf.HasRole(config.RoleAPI),
		Origins:      a.conf.CORSOrigins,
		Proxies:      prefixesOf(a.conf.TrustedProxies),
		MetricsToken: a.conf.MetricsToken,

		Rate:  float64(a.conf.RequestsPerSecond),
		Burst: a.conf.RequestsAtOnce,

		MaxVerifies: a.conf.MaxVerifications,
		VerifyRate:  float64(a.conf.VerificationsPerMinute) / 60,
		VerifyBurst: a.conf.VerificationsPerMinute,

		StampRate:   float64(a.conf.TimestampsPerMinute) / 60,
		StampBurst:  a.conf.TimestampsPerMinute,
		StatusRate:  float64(a.conf.StatusesPerMinute) / 60,
		StatusBurst: a.conf.StatusesPerMinute,

		ConvertWait: a.conf.ConvertWait,
		UploadWait:  a.conf.UploadWait,
		VerifyWait:  a.conf.VerifyWait,
		KeepAnswers: a.conf.IdempotencyLifetime,

		MinRate: int64(a.conf.LeastRate),
		Limits:  a.conf.Limits(),

		MaxUploads:                 a.conf.MaxUploads,
		MaxUploadsPerOrganisation:  a.conf.MaxUploadsPerOrganisation,
		MaxSpool:                   int64(a.conf.MaxSpool),
		MaxSpoolPerOrganisation:    int64(a.conf.MaxSpoolPerOrganisation),
		MaxVerifyUploads:           a.conf.MaxVerifyUploads,
		MaxVerifyUploadsPerAddress: a.conf.MaxVerifyUploadsPerAddress,
		MaxVerifySpool:             int64(a.conf.MaxVerifySpool),
		MaxVerifySpoolPerAddress:   int64(a.conf.MaxVerifySpoolPerAddress),

		MaxAnonymous:           a.conf.MaxAnonymous,
		MaxAnonymousPerAddress: a.conf.MaxAnonymousPerAddress,
		MaxRequestsPerPerson:   a.conf.MaxRequestsPerPerson,
		MaxRequestsPerKey:      a.conf.MaxRequestsPerKey,
		KeyRate:                float64(a.conf.KeyRequestsPerSecond),

		MaxStreams:                a.conf.MaxStreams,
		MaxStreamsPerOrganisation: a.conf.MaxStreamsPerOrganisation,
		MaxStreamsPerPerson:       a.conf.MaxStreamsPerPerson,
	})
}

// tasks returns the jobs that the roles of this process run.
func (a *app) tasks() (t jobs.Tasks) {
	if a.conf.HasRole(config.RoleConvert) {
		t |= jobs.Conversions
	}
	if a.conf.HasRole(config.RoleWorker) {
		t |= jobs.AllButConversions
	}
	return t
}

// startJobs starts to run jobs; nil: the roles of this process run none.
func (a *app) startJobs(ctx context.Context, ready *readiness) (*jobs.Runner, error) {
	if a.tasks() == 0 {
		return nil, nil
	}
	periodic := []jobs.Periodic{
		{Name: "expire", Every: time.Minute, Run: a.workflow.Expire},
		{Name: "remind", Every: time.Minute, Run: a.workflow.RemindDue},
		{Name: "resume", Every: time.Minute, Run: a.workflow.Resume},
		{Name: "notices", Every: time.Minute, Run: a.notices.Resume},
		{Name: "quota", Every: time.Minute, Run: a.reportLowQuota},
		{Name: "erase", Every: time.Minute, Run: a.workflow.ContinueErasures},
		{Name: "logins", Every: time.Minute, Run: a.identity.ReportFailedLogins},
		{Name: "titles", Every: time.Minute, Run: a.store.IndexTitles},
		{Name: "purge", Every: time.Hour, Run: a.purgeExpired},
		{Name: "collect", Every: 24 * time.Hour, Run: a.collectLeftOver},
		{Name: "renew", Every: time.Hour, Run: a.renewTimestamps},
		{Name: "retention", Every: 24 * time.Hour, Run: a.applyRetention},
		{Name: "successors", Every: 24 * time.Hour, Run: a.authority.Succeed},
	}
	if a.conf.ReconcileEvery > 0 {
		periodic = append(periodic, jobs.Periodic{Name: "reconcile", Every: min(a.conf.ReconcileEvery, time.Hour), Run: a.reconcileDue})
	}
	observe, err := monitor.CountJobs(a.metrics)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return jobs.Start(ctx, a.store, jobs.Handlers{
		Convert: func(ctx context.Context, id contract.DocumentID) error {
			return spareReserve(a.workflow.Convert(ctx, id))
		},
		// After the last stamp the document is completed, which does nothing as long as stamps or signatures are missing.
		Stamp: func(ctx context.Context, id contract.DocumentID) error {
			if err := a.stamping.Stamp(ctx, id); err != nil {
				return err
			}
			return a.workflow.Complete(ctx, id)
		},
		Complete: a.workflow.Complete,
		Sweep:    a.workflow.Sweep,
		Notify:   a.notices.Deliver,
		Evidence: func(ctx context.Context, id contract.DocumentID) error {
			return spareReserve(a.workflow.MakeEvidence(ctx, id))
		},
		Periodic: periodic,
	}, jobs.Options{
		Tasks:   a.tasks(),
		Workers: a.conf.MaxJobs,
		Log:     a.log,
		Observe: observe,
		Tracer:  a.traces.Tracer(),
		Process: a.process,
		Working: ready.requireWorking,
	})
}

// reserveWait is after how long a job is repeated that found only the disk reserve free.
const reserveWait = time.Minute

// spareReserve postpones a job that found only the disk reserve free and may wait. For other jobs this is not an outage: they may use
// the reserve and go on.
func spareReserve(err error) error {
	if errors.Is(err, disk.ErrReserve) {
		return &jobs.Later{After: reserveWait, Err: err}
	}
	return err
}

// reportLowQuota tells organisations which quotas have few units left.
func (a *app) reportLowQuota(ctx context.Context) error {
	_, err := a.store.ReportLowQuota(ctx, a.conf.QuotaLow, a.clock())
	return err
}

// renewTimestamps renews timestamps whose protection is about to expire.
func (a *app) renewTimestamps(ctx context.Context) error {
	done, err := a.workflow.RenewDue(ctx)
	if done != (workflow.Renewed{}) {
		a.log.Info("timestamps of documents", "renewed", done.Renewed, "put_off", done.PutOff)
	}
	return err
}

// applyRetention tells owners which files are due to be removed, and removes those that are due.
func (a *app) applyRetention(ctx context.Context) error {
	done, err := a.workflow.ApplyRetention(ctx)
	if done != (workflow.Removed{}) {
		a.log.Info("retention of documents", "removed", done.Removed, "owners_told", done.Told)
	}
	return err
}

// reconcileDue compares the office's account with the register of serials, if it is due.
func (a *app) reconcileDue(ctx context.Context) error {
	r, err := a.workflow.ReconcileDue(ctx, a.conf.ReconcileEvery)
	switch {
	case err != nil:
		return err
	case r.Problem != "":
		return fmt.Errorf("reconcile with the stamp office: %s", r.Problem)
	case r.Unexplained > 0:
		a.log.WarnContext(ctx, "the stamp office's account and our register differ, and nothing explains it",
			"reconciliation", r.Number, "unexplained", r.Unexplained)
	}
	return nil
}

// keepNodes is how long nodes that ended are listed.
const keepNodes = 7 * 24 * time.Hour

// purgeExpired deletes expired data.
func (a *app) purgeExpired(ctx context.Context) error {
	now := a.clock()
	return errors.Join(a.identity.Purge(ctx), a.store.PurgeAnswers(ctx, now.Add(-a.conf.IdempotencyLifetime)), a.store.PurgeNodes(ctx, keepNodes), a.workflow.RemoveUnneededUploads(ctx), a.workflow.FinishErasures(ctx), a.webhooks.Purge(ctx), a.sso.Purge(ctx), a.removeAbandonedUploads(ctx))
}
