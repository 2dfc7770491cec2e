package monitor

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/contract"
	"segel/internal/store"
)

// Bounds of what the figures cost the database. They are read at most once in readEvery, and at most a share of one in readShare of the
// time is spent with it: an installation in which a million documents wait has them less often.
const (
	readEvery = 10 * time.Second
	readShare = 20
	readWait  = 3 * time.Second // for the database
	oldest    = 2 * time.Minute // figures that are older are not shown
)

// listedQuotas is how many low quotas are shown by organisation.
const listedQuotas = 20

// Figures is a collector of the figures that the database has. Each process that shares the database shows the same ones. It is safe for
// concurrent use.
type Figures struct {
	read       func(context.Context, store.BacklogQuery) (store.Backlog, error)
	quotaBelow int
	log        *slog.Logger
	failures   prometheus.Counter

	reading sync.Mutex // held by the scrape that reads
	due     time.Time  // when they may be read again; guarded by reading

	mu   sync.Mutex // guards the fields below
	last store.Backlog
	at   time.Time // when last was read; zero: never, or the last reading failed
	took time.Duration
}

// NewFigures returns the collector of a store. Quotas with fewer units than quotaBelow are low.
func NewFigures(s store.Monitoring, quotaBelow int, log *slog.Logger) *Figures {
	return &Figures{read: s.ReadBacklog, quotaBelow: max(quotaBelow, 1), log: log, failures: prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "segel", Name: "figures_failures_total", Help: "Readings of the figures below that failed: the database did not answer in time.",
	})}
}

var (
	figuresAt   = newDesc("figures_timestamp_seconds", "When the figures of the database were read.")
	figuresTook = newDesc("figures_duration_seconds", "How long reading them took.")

	jobCount   = newDesc("jobs", "Unfinished jobs by kind and state: available (due), running, later (after a failure, or waiting for something).", "kind", "state")
	jobOldest  = newDesc("job_oldest_seconds", "Age of the oldest unfinished job.", "kind")
	jobOverdue = newDesc("job_overdue_seconds", "For how long the first job that is due has waited for a worker.", "kind")

	documentsWaiting = newDesc("documents_waiting", "Documents that wait for the service, by the reason they record.", "reason")
	documentOldest   = newDesc("document_waiting_seconds", "Time since the last progress of the one that waits longest.", "reason")
	documentsFailed  = newDesc("documents_failed", "Documents that failed, and were neither repaired nor canceled.")

	noticesWaiting    = newDesc("notices_waiting", "Messages to people that are to be delivered.")
	noticeOldest      = newDesc("notice_waiting_seconds", "Age of the oldest of them.")
	deliveriesWaiting = newDesc("webhook_deliveries_waiting", "Events that are to be sent to webhooks.")
	deliveryOldest    = newDesc("webhook_delivery_waiting_seconds", "Age of the oldest of them.")
	webhooksDisabled  = newDesc("webhooks_disabled", "Webhooks that the service disabled because they accept nothing.")

	quotaLeft = newDesc("quota_left", "Units left of the lowest quotas, by the identifier of their organisation; 20 at most.", "organisation", "unit")
	quotasLow = newDesc("quotas_low", "Quotas of active organisations below SEGEL_QUOTA_LOW.", "unit")

	renewalDue      = newDesc("renewal_due_timestamp_seconds", "When the first document timestamp has to be renewed; absent if there is none.")
	renewalsOverdue = newDesc("renewals_overdue", "Document timestamps that had to be renewed by now.")
	sealExpiry      = newDesc("seal_expiry_timestamp_seconds", "When the first certificate with which an organisation seals expires. The next seal replaces it; absent if there is none.")
	backupCompleted = newDesc("backup_completed_timestamp_seconds", "The end of the newest complete backup; 0 if there is none.")
)

func newDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("segel_"+name, help, labels, nil)
}

// Describe implements [prometheus.Collector].
func (f *Figures) Describe(to chan<- *prometheus.Desc) {
	f.failures.Describe(to)
	for _, d := range []*prometheus.Desc{
		figuresAt, figuresTook, jobCount, jobOldest, jobOverdue, documentsWaiting, documentOldest, documentsFailed, noticesWaiting, noticeOldest,
		deliveriesWaiting, deliveryOldest, webhooksDisabled, quotaLeft, quotasLow, renewalDue, renewalsOverdue, sealExpiry, backupCompleted,
	} {
		to <- d
	}
}

// Collect implements [prometheus.Collector]. While the database does not answer, only the count of failures is shown.
func (f *Figures) Collect(to chan<- prometheus.Metric) {
	f.refresh()
	f.failures.Collect(to)
	f.mu.Lock()
	b, at, took := f.last, f.at, f.took
	f.mu.Unlock()
	if at.IsZero() || time.Since(at) > oldest {
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	now := b.At.Add(time.Since(at))
	age := func(d *prometheus.Desc, since time.Time, labels ...string) {
		seconds := 0.0
		if !since.IsZero() {
			seconds = max(0, now.Sub(since).Seconds())
		}
		gauge(d, seconds, labels...)
	}
	moment := func(d *prometheus.Desc, t time.Time) {
		if !t.IsZero() {
			gauge(d, float64(t.UnixMicro())/1e6)
		}
	}
	moment(figuresAt, at)
	gauge(figuresTook, took.Seconds())
	collectJobs(b.Jobs, gauge, age)

	byReason := map[contract.WaitingReason]store.DocumentBacklog{}
	for _, d := range b.Documents {
		byReason[d.Reason] = d
	}
	for _, reason := range contract.WaitingReasons {
		gauge(documentsWaiting, float64(byReason[reason].Count), string(reason))
		age(documentOldest, byReason[reason].Oldest, string(reason))
	}
	gauge(documentsFailed, float64(b.Failed))

	gauge(noticesWaiting, float64(b.Notices))
	age(noticeOldest, b.OldestNotice)
	gauge(deliveriesWaiting, float64(b.Deliveries))
	age(deliveryOldest, b.OldestSend)
	gauge(webhooksDisabled, float64(b.WebhooksEnded))

	for _, q := range b.Quotas {
		gauge(quotaLeft, float64(q.Left), string(q.Organisation), string(q.Unit))
	}
	for _, unit := range []contract.Unit{contract.UnitStamp, contract.UnitSignature} {
		gauge(quotasLow, float64(b.LowQuotas[unit]), string(unit))
	}

	moment(renewalDue, b.RenewalDue)
	gauge(renewalsOverdue, float64(b.RenewalsMissed))
	moment(sealExpiry, b.SealExpires)
	if b.LastBackup.IsZero() {
		gauge(backupCompleted, 0)
	} else {
		moment(backupCompleted, b.LastBackup)
	}
}

// collectJobs shows every kind of job in every state, so that a kind without jobs is 0 and not missing.
func collectJobs(jobs []store.JobBacklog, gauge func(*prometheus.Desc, float64, ...string), age func(*prometheus.Desc, time.Time, ...string)) {
	type kindState struct {
		kind  string
		state store.JobState
	}
	counts := map[kindState]int{}
	first, due := map[string]time.Time{periodic: {}}, map[string]time.Time{}
	for _, k := range contract.JobKinds {
		first[string(k)] = time.Time{}
	}
	for _, j := range jobs {
		counts[kindState{j.Kind, j.State}] = j.Count
		if t := first[j.Kind]; t.IsZero() || j.Oldest.Before(t) {
			first[j.Kind] = j.Oldest
		}
		if j.State == store.JobAvailable {
			due[j.Kind] = j.Due
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(first)) {
		for _, state := range []store.JobState{store.JobAvailable, store.JobRunning, store.JobLater} {
			gauge(jobCount, float64(counts[kindState{kind, state}]), kind, string(state))
		}
		age(jobOldest, first[kind], kind)
		age(jobOverdue, due[kind], kind)
	}
}

// periodic is the kind of all periodic work in the queue.
const periodic = "periodic"

// refresh reads the figures if they are due. Of concurrent scrapes one reads; the others show what there is.
func (f *Figures) refresh() {
	if !f.reading.TryLock() {
		return
	}
	defer f.reading.Unlock()
	if time.Now().Before(f.due) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), readWait)
	defer cancel()
	began := time.Now()
	b, err := f.read(ctx, store.BacklogQuery{QuotaBelow: f.quotaBelow, Quotas: listedQuotas})
	took := time.Since(began)
	f.due = time.Now().Add(max(readEvery, readShare*took))
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.failures.Inc()
		f.log.Warn("figures for monitors cannot be read", "error", err)
		f.at = time.Time{}
		return
	}
	f.last, f.at, f.took = b, time.Now(), took
}
