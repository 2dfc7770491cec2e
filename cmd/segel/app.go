package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/admission"
	"segel/internal/api"
	"segel/internal/authority"
	"segel/internal/blob"
	"segel/internal/blob/encrypted"
	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/disk"
	"segel/internal/documents"
	"segel/internal/hashworker"
	"segel/internal/identity"
	"segel/internal/installation"
	"segel/internal/notify"
	"segel/internal/notify/webhook"
	"segel/internal/passkey"
	proc "segel/internal/process"
	"segel/internal/scim"
	"segel/internal/sso"
	"segel/internal/stamping"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/text"
	"segel/internal/tracing"
	"segel/internal/tracing/otlp"
	"segel/internal/workflow"
	"segel/pades/validate"
	"segel/revocation"
	"segel/tsp"
)

// app holds all parts. It is the only place where implementations are chosen and connected.
type app struct {
	conf        config.Config
	log         *slog.Logger
	clock       func() time.Time // that of compared, which all parts share
	compared    *proc.Clock      // of the machine, compared with the database's while the process is one of several nodes
	store       *sqlstore.Store
	answers     store.Answers    // the store; tests replace it
	masterKeys  store.MasterKeys // that an exchange writes to: the store; tests replace it
	files       authority.Files  // of the authority, see keyFiles; nil: where the configuration says. Tests replace them
	authority   *authority.Authority
	blobs       blob.Volume // plain, until the installation is open; then encrypted.Volume
	blobKeys    *encrypted.Keyring
	scratch     func() (blob.Scratch, error)
	diskSpace   *disk.Monitor
	identity    *identity.Service
	workflow    *workflow.Service
	stamping    *stamping.Stamping
	notices     *notify.Service
	webhooks    *webhook.Service
	sentMails   sync.Map // identifiers of mails about a disabled webhook, until all of its admins have theirs
	feed        *webhook.Feed
	sso         *sso.Service
	scim        *scim.Service
	sealer      *credential.Sealer
	derived     map[string][32]byte // by purpose, see readDerivedKeys
	timestamper tsp.Timestamper
	revocation  revocation.Source
	trust       *validate.Trust         // trust for validating files and for accepting timestamps
	process     proc.Process            // nil until joinProcesses
	refused     chan error              // has room for one: the installation must not be used any more, see requireSameKeys
	streams     *api.Streams            // nil until handler
	rates       *admission.RateExchange // of requests; nil until handler
	hashing     *hashworker.Client      // nil unless this is a service
	office      io.Closer               // nil until openOffice
	leases      *officeLeases           // of this process among the nodes of a database
	convert     io.Closer               // nil if nothing converts, or nothing needs closing
	metrics     *prometheus.Registry
	traces      *otlp.Provider
	leftOver    func(workflow.Collected) // counts what was collected
	keyLock     *os.File                 // of keys in a folder, see lockKeys; nil: of no folder, or only read
	dataLock    *os.File                 // of the data folder, see lockMasterKeys; nil: on PostgreSQL, or only read

	installation store.Installation // as read when it was opened

	storedPassword string // what is stored of the initial password, see removeSpentPassword; empty: its file is not needed

	afterEffect func() // is called after each effect of segel state copy and of segel adopt; nil: nothing. Tests end the process there
}

// openApp opens an installation with the access that the command has, and connects what commands and the service share. It
// starts nothing.
func openApp(ctx context.Context, conf config.Config, log *slog.Logger, to access) (*app, error) {
	return openAppAt(ctx, conf, log, systemClock(), conf.ClockTolerance, to)
}

// openAppAt is openApp with the clock of the machine. A commit is refused while that clock, or a time in the commit, is further from the clock of the database
// server than tolerance; 0: nothing is compared.
func openAppAt(ctx context.Context, conf config.Config, log *slog.Logger, clock func() time.Time, tolerance time.Duration, to access) (*app, error) {
	// Files that libraries create in the data folder are private too.
	syscall.Umask(0o077)
	compared := proc.NewClock(clock, tolerance)
	a := &app{conf: conf, log: log, clock: compared.Now, compared: compared, metrics: prometheus.NewRegistry(), refused: make(chan error, 1)}
	var err error
	if a.traces, err = newTraces(ctx, conf, a.metrics, log); err != nil {
		return nil, err
	}
	if a.store, err = openDatabase(ctx, conf, compared, to, a.traces.Tracer()); err != nil {
		return nil, errors.Join(err, a.stopTraces())
	}
	if err := a.openInstallation(ctx, to); err != nil {
		return nil, errors.Join(err, a.unlockKeys(), a.store.Close(), a.stopTraces())
	}
	a.answers, a.masterKeys = a.store, a.store
	a.leases = newOfficeLeases(a.store, func() proc.Process { return a.process }, log)
	if err := a.wireServices(); err != nil {
		return nil, errors.Join(err, a.unlockKeys(), a.store.Close(), a.stopTraces())
	}
	return a, nil
}

func (a *app) wireServices() error {
	// Without passkeys the service is complete: people who ask for one are told what the public address lacks.
	passkeys, err := passkey.New(a.conf.BaseURL(), "Segel")
	if err != nil {
		a.log.Debug("passkeys are not offered", "reason", err)
	}
	a.identity = identity.New(a.identityOptions(passkeys))
	if err := a.wireTrust(); err != nil {
		return err
	}
	a.diskSpace = &disk.Monitor{Folders: []string{a.fileDir()}, Reserve: int64(a.conf.DiskReserve), Warning: int64(a.conf.DiskWarning)}
	if path, ok := sqlstore.SQLitePath(databaseDSN(a.conf)); ok {
		a.diskSpace.Folders = append(a.diskSpace.Folders, filepath.Dir(path))
	}
	docs := &documents.Documents{
		Store:             a.store,
		Blobs:             a.blobs,
		BlobsOf:           a.blobsOf,
		RequireDiskSpace:  a.diskSpace.Require,
		Trust:             a.trust,
		Limits:            a.conf.Limits().Defaults(),
		Clock:             a.clock,
		MachineClock:      a.compared.Machine,
		ClockTolerance:    a.conf.ClockTolerance,
		Random:            rand.Reader,
		Log:               a.log,
		Alarm:             alarmMetrics(a.metrics),
		KeepNotices:       len(a.conf.MailServers) == 0,
		PhoneChannels:     a.phoneChannels(),
		EvidenceOnRequest: a.conf.Evidence == config.EvidenceOnRequest,
	}
	a.leftOver = leftOverMetrics(a.metrics)
	a.stamping = &stamping.Stamping{
		Documents:     docs,
		Store:         a.store,
		TestOffice:    &testOffice{a: a},
		InDoubtPeriod: a.conf.StampSettle + max(a.conf.StampTimeout, a.conf.StampFileTimeout),
		OrderKey:      a.derived[ordersPurpose],
	}
	restorations, err := a.store.Restorations(context.Background())
	if err != nil {
		return err
	}
	if n := len(restorations); n > 0 {
		a.stamping.RestoredAt = restorations[n-1].RestoredAt
	}
	verify := "" // without a public address, a code on a page would lead nowhere
	if a.conf.PublicURL != "" {
		verify = a.conf.PublicURL + "/verify"
	}
	logKey, _ := a.auditKey()
	a.workflow = &workflow.Service{
		Documents:             docs,
		Stamping:              a.stamping,
		Store:                 a.store,
		Scratch:               a.scratch,
		Issuer:                issuer{a.authority},
		Sealer:                a.sealer,
		LogKey:                logKey,
		Timestamper:           a.timestamper,
		Revocation:            a.revocation,
		Certificates:          a.trust.Roots(validate.ForAll),
		AuthorityCertificates: func() []workflow.CertificateLine { return ownCertificates(a.authority) },
		FileRevocation:        a.authority,
		Links:                 a.identity,
		Factors:               a.identity,
		QuietHours:            contract.QuietHours(a.conf.QuietHours),
		StampOnly:             a.conf.StampOnly,
		RenewBefore:           a.conf.RenewBefore,
		LeastRetention:        a.conf.RetentionLeast,
		DiskSpace:             a.findDiskSpace,
		VerifyURL:             verify,
		ConsentTexts:          text.ConsentTexts,
	}
	if err := a.wireMail(); err != nil {
		return err
	}
	if err := a.wirePhone(); err != nil {
		return err
	}
	if err := a.wireWebhooks(); err != nil {
		return err
	}
	a.wireSSO()
	return nil
}

// passwordCost is the cost of a password hash. It is the default; only the test program sets another.
var passwordCost identity.Cost

// identityOptions returns the options of the service of accounts. Passkeys is nil where the public address allows none.
func (a *app) identityOptions(passkeys *passkey.RelyingParty) identity.Options {
	return identity.Options{
		Store:         a.store,
		Clock:         a.clock,
		Random:        rand.Reader,
		PublicURL:     a.conf.BaseURL(),
		Log:           a.log,
		LinkKey:       a.derived[linksPurpose],
		Delivers:      a.delivers,
		GuestAccounts: a.conf.GuestAccounts,
		FactorKey:     a.derived[factorsPurpose],
		Sealer:        a.sealer,
		Passkeys:      passkeys,
		Lifetimes: identity.Lifetimes{
			Access:  a.conf.AccessLifetime,
			Refresh: a.conf.RefreshLifetime,
			Guest:   a.conf.GuestLifetime,
			Session: a.conf.SessionLifetime,
			Grace:   a.conf.RefreshGrace,
			Known:   a.conf.KnownDeviceLifetime,
			Link:    a.conf.LinkLifetime,
		},
		Rates: identity.Rates{
			Pair:    identity.Rate{Burst: a.conf.LoginTries, Every: 10 * time.Second},
			Account: identity.Rate{Burst: a.conf.LoginTriesPerAccount, Every: 2 * time.Second},
			Address: identity.Rate{Burst: a.conf.LoginTriesPerAddress, Every: time.Second},
			Delay:   a.conf.LoginDelay,
		},
		Cost:      passwordCost,
		Hashers:   a.hashers(),
		DeriveKey: a.deriveKey,
		Password:  a.conf.MinPassword,
	}
}

// wireTrust connects the sources of time and revocation data.
func (a *app) wireTrust() error {
	var err error
	odd := func(name string) {
		a.log.Warn("a file in the folder of roots contains something other than certificates", "file", name)
	}
	if a.trust, err = readTrustedRoots(a.authority.Root(), a.conf.TrustDir, odd); err != nil {
		return err
	}
	declareIdentities(a.trust, a.authority.Issuers())
	client := outboundClient(a.conf)
	a.timestamper = a.authority.Timestamper()
	if len(a.conf.TimestampURLs) > 0 {
		a.timestamper = newTimestamper(a.conf, client, a.trust, a.clock)
	}
	// The embedded authority answers in process for its own certificates; others are checked with their own responders.
	a.revocation = revocation.Sources{a.authority, &revocation.Fetcher{HTTP: client, Clock: a.clock}}
	return nil
}

func (a *app) close() {
	a.streams.Close() // first: they read the database
	if err := a.closeConverter(); err != nil {
		a.log.Error("close converter", "error", err)
	}
	if err := a.closeOffice(); err != nil {
		a.log.Error("close stamp office", "error", err)
	}
	a.leases.close() // before the process leaves, which ends what is not released
	if a.hashing != nil {
		a.hashing.Close()
	}
	if a.process != nil {
		if err := a.process.Leave(); err != nil {
			a.log.Error("leave the processes of the installation", "error", err)
		}
	}
	if err := a.unlockKeys(); err != nil {
		a.log.Error("close the folder of keys", "error", err)
	}
	if err := a.store.Close(); err != nil {
		a.log.Error("close database", "error", err)
	}
	if err := a.stopTraces(); err != nil {
		a.log.Error("send the last traces", "error", err)
	}
}

// joinProcesses gives this process a name among those that share the installation. Call it before the first request and the first job.
//
// With SQLite they share the data folder: an earlier process may have had the name, so its claims on idempotency keys end, and the messages that it was sending are due again. With
// PostgreSQL they share the database: the node that an earlier process noted in the data folder ends, which puts all its work back.
func (a *app) joinProcesses(ctx context.Context) error {
	p, err := proc.JoinFolder(filepath.Join(a.conf.DataDir, "places"))
	if err != nil {
		return err
	}
	if _, embedded := sqlstore.SQLitePath(databaseDSN(a.conf)); !embedded {
		host, err := os.Hostname()
		if err != nil {
			a.log.WarnContext(ctx, "the name of this machine is not known", "error", err)
		}
		n, err := proc.JoinNodes(ctx, a.store, store.Node{
			Host:       host,
			Release:    version,
			Roles:      a.conf.Roles,
			MasterKeys: a.masterKeyIDs(),
		}, p, a.compared, a.requireSameKeys, a.log)
		if err != nil {
			return errors.Join(err, p.Leave())
		}
		a.process = n
		return nil
	}
	a.process = p
	return errors.Join(a.store.ReleaseClaims(ctx, p.Name()), a.store.PutBackMessages(ctx, p.Name()))
}

// requireSameKeys requires that the keys that this process opened are still used. It looks after a time in which the process was cut off from the database: keys may have been moved, or the
// authority replaced, and what this process signs with the former one would not be valid. If so, it also ends the service.
func (a *app) requireSameKeys(ctx context.Context) error {
	err := a.requireUsedKeys(ctx)
	if err == nil {
		var recorded store.Installation
		if recorded, _, err = a.store.Installation(ctx); err == nil && recorded.Authority != a.installation.Authority {
			err = &installation.Error{Problem: installation.AuthorityOfAnother, Installation: installation.ID(recorded.ID), Path: partNames(a.conf).KeyDir}
		}
	}
	var refused *installation.Error
	if errors.As(err, &refused) {
		select {
		case a.refused <- err:
		default: // an earlier one ends it
		}
	}
	return err
}

// sandboxOffice is the kind of stamp office whose stamps have no legal value.
const sandboxOffice = "sandbox"

// recordStampOffice records the kind of stamp office that the service uses. Commands may run without the service's settings,
// and must not grant free units of a paid service.
func (a *app) recordStampOffice(ctx context.Context) error {
	for a.installation.StampOffice != a.conf.StampOffice {
		write := a.installation
		write.StampOffice = a.conf.StampOffice
		err := a.store.ReplaceInstallation(ctx, a.installation, write)
		if err == nil {
			a.installation = write
			return nil
		}
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		if a.installation, _, err = a.store.Installation(ctx); err != nil { // another process wrote first
			return err
		}
	}
	return nil
}

// grantInitial grants a new organisation its first units: specimens with the sandbox, nothing with a real stamp office.
// The store decides it once, so it may be repeated after a crash.
func (a *app) grantInitial(ctx context.Context, o contract.OrganisationID) error {
	units := map[contract.Unit]int{contract.UnitStamp: a.conf.GrantStamps, contract.UnitSignature: a.conf.GrantSignatures}
	for unit, n := range units {
		if a.conf.StampOffice != sandboxOffice || a.installation.StampOffice != sandboxOffice {
			n = 0
		}
		if err := a.store.GrantInitial(ctx, o, unit, n, "sandbox office", a.clock()); err != nil {
			return err
		}
	}
	return nil
}

// alarmMetrics counts alarms. Each label is present from the start, at 0.
func alarmMetrics(r *prometheus.Registry) func(documents.Alarm) {
	alarms := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "segel",
		Name:      "alarms_total",
		Help:      "Corruption that was found before it did harm; each is in the log.",
	}, []string{"alarm"})
	r.MustRegister(alarms) // cannot fail: the registry is new, and the name unique
	for _, a := range documents.Alarms {
		alarms.WithLabelValues(string(a))
	}
	return func(a documents.Alarm) { alarms.WithLabelValues(string(a)).Inc() }
}

// issuer adapts the embedded authority to the workflow.
type issuer struct{ a *authority.Authority }

func (i issuer) Certify(ctx context.Context, h workflow.Holder, key crypto.PublicKey) ([]*x509.Certificate, error) {
	chain, err := i.a.Certify(ctx, holderOf(h), key)
	return chain, certifyRefusal(err)
}

func (i issuer) IssueUnrecorded(h workflow.Holder, key crypto.PublicKey) ([]*x509.Certificate, contract.Certificate, error) {
	chain, r, err := i.a.IssueUnrecorded(holderOf(h), key)
	return chain, certificateOf(r), certifyRefusal(err)
}

// certifyRefusal turns an error of the authority into a refusal that the client may retry: the authority was created while the
// clock was ahead, or the clock is behind now.
func certifyRefusal(err error) error {
	if errors.Is(err, authority.ErrNotYetValid) {
		return contract.ErrClock.WithCause(err)
	}
	return err
}

func (i issuer) MatchesHolder(cert *x509.Certificate, h workflow.Holder) bool {
	return i.a.MatchesHolder(cert, holderOf(h))
}

func holderOf(h workflow.Holder) authority.Holder {
	return authority.Holder{
		ID:           h.ID,
		Name:         h.Name,
		Email:        h.Email,
		Organisation: h.Organisation,
		Assurance:    authority.Assurance(h.Assurance),
		NamedBy:      h.NamedBy,
		Contact:      h.Contact,
	}
}

func (i issuer) IsRevoked(ctx context.Context, cert *x509.Certificate) (bool, error) {
	return i.a.IsRevoked(ctx, cert)
}

// ownCertificates returns the authority's certificates in use for display to administrators.
func ownCertificates(a *authority.Authority) []workflow.CertificateLine {
	var all []workflow.CertificateLine
	for _, o := range a.OwnCertificates() {
		c := o.Certificate
		all = append(all, workflow.CertificateLine{
			Role: o.Role,
			Certificate: contract.Certificate{
				Serial:   fmt.Sprintf("%x", c.SerialNumber),
				Subject:  c.Subject.String(),
				DER:      c.Raw,
				IssuedAt: c.NotBefore,
				NotAfter: c.NotAfter,
			},
		})
	}
	return all
}

// ledger stores the authority's records in the store.
type ledger struct {
	s     store.Certificates
	clock func() time.Time
}

func (l ledger) RecordIssued(ctx context.Context, r authority.Record) error {
	return l.s.AddCertificate(ctx, certificateOf(r))
}

func certificateOf(r authority.Record) contract.Certificate {
	return contract.Certificate{
		Serial:       r.Serial,
		Subject:      r.Subject,
		DER:          r.DER,
		IssuedAt:     r.IssuedAt,
		NotAfter:     r.NotAfter,
		RevokedAt:    r.RevokedAt,
		Reason:       r.Reason,
		Holder:       r.Holder,
		Assurance:    contract.Assurance(r.Assurance),
		NamedBy:      r.NamedBy,
		Organisation: r.Organisation,
		Email:        r.Email,
	}
}

func (l ledger) Lookup(ctx context.Context, serials ...string) (map[string]authority.Record, error) {
	all, err := l.s.Certificates(ctx, serials...)
	found := make(map[string]authority.Record, len(all))
	for _, c := range all {
		found[c.Serial] = recordOf(c)
	}
	return found, err
}

func recordOf(c contract.Certificate) authority.Record {
	return authority.Record{
		Serial:       c.Serial,
		Subject:      c.Subject,
		DER:          c.DER,
		IssuedAt:     c.IssuedAt,
		NotAfter:     c.NotAfter,
		RevokedAt:    c.RevokedAt,
		Reason:       c.Reason,
		Holder:       c.Holder,
		Assurance:    authority.Assurance(c.Assurance),
		NamedBy:      c.NamedBy,
		Organisation: c.Organisation,
		Email:        c.Email,
	}
}

func (l ledger) ListRevoked(ctx context.Context) ([]authority.Record, error) {
	all, err := l.s.RevokedCertificates(ctx)
	out := make([]authority.Record, len(all))
	for i, c := range all {
		out[i] = recordOf(c)
	}
	return out, err
}

func (l ledger) CountRevoked(ctx context.Context) (int, error) { return l.s.Revocations(ctx) }

func (l ledger) Revoke(ctx context.Context, serial string, reason int, at time.Time) error {
	e := contract.Event{
		Type:    contract.EventCertificateRevoked,
		At:      l.clock(),
		Details: map[string]string{"serial": serial, "reason": revocation.Reason(reason).String(), "since": at.UTC().Format(time.RFC3339)},
	}
	err := l.s.RevokeCertificate(ctx, serial, reason, at, e)
	if errors.Is(err, store.ErrNotFound) {
		return authority.ErrUnknown
	}
	return err
}

// newLogger returns the logger of the configuration. It writes to standard error; standard output is for the results
// of commands.
func (w *environment) newLogger(conf config.Config) *slog.Logger {
	o := &slog.HandlerOptions{Level: conf.LogLevel}
	var lines slog.Handler = slog.NewTextHandler(w.stderr, o)
	if conf.LogFormat == "json" {
		lines = slog.NewJSONHandler(w.stderr, o)
	}
	return slog.New(tracing.NewLogHandler(lines))
}

// plainError replaces a *contract.Error by its sentence for people, or by one sentence per input member if it is about
// members of the input.
func plainError(err error) error {
	var e *contract.Error
	if !errors.As(err, &e) {
		return err
	}
	if len(e.Fields) == 0 {
		return errors.New(text.Sentence(text.English, e.Code, e.Args))
	}
	var all []string
	for _, f := range e.Fields {
		all = append(all, f.Field+": "+text.Field(text.English, f))
	}
	return errors.New(strings.Join(all, " "))
}
