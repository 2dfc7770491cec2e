package monitor

import (
	"context"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/api"
	"segel/internal/disk"
	"segel/internal/store"
)

// Parts is a collector of the state of what the process uses. Its functions are called at each scrape, and answer at once or are bounded.
type Parts struct {
	Version      string
	Connections  func() []store.Connections
	Certificates func() map[string]time.Time // ends of the certificates of the embedded authority, by role; nil: there is none
	Disks        map[string]string           // folders by what they are for
	Reserve      int64                       // bytes that are kept free
	Ready        func(context.Context) api.Readiness
}

var (
	buildInfo = newDesc("build_info", "1, with the version of Segel and of Go.", "version", "go")

	connections       = newDesc("database_connections", "Connections to the database.", "pool", "state")
	connectionsMax    = newDesc("database_connections_max", "How many there may be.", "pool")
	connectionWaits   = newDesc("database_connection_waits_total", "How often a transaction waited for a connection.", "pool")
	connectionSeconds = newDesc("database_connection_wait_seconds_total", "For how long, in all.", "pool")

	certificateExpiry = newDesc("certificate_expiry_timestamp_seconds", "When a certificate of the embedded authority expires, by role.", "role")

	diskFree    = newDesc("disk_free_bytes", "Space that is free on the disk of a folder.", "folder")
	diskSize    = newDesc("disk_size_bytes", "Size of that disk.", "folder")
	diskReserve = newDesc("disk_reserve_bytes", "SEGEL_DISK_RESERVE: with less free space, uploads are refused.")

	checkState = newDesc("check_state", "What /readyz found: 0 ok, 1 degraded, 2 failed.", "check")
)

// Describe implements [prometheus.Collector].
func (p Parts) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		buildInfo, connections, connectionsMax, connectionWaits, connectionSeconds, certificateExpiry, diskFree, diskSize, diskReserve, checkState,
	} {
		to <- d
	}
}

// checkWait bounds how long a scrape waits for the checks, which are bounded themselves.
const checkWait = 4 * time.Second

// Collect implements [prometheus.Collector]. It leaves out what cannot be read.
func (p Parts) Collect(to chan<- prometheus.Metric) {
	show := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	show(buildInfo, prometheus.GaugeValue, 1, p.Version, runtime.Version())
	for _, c := range p.Connections() {
		show(connections, prometheus.GaugeValue, float64(c.InUse), c.Pool, "in_use")
		show(connections, prometheus.GaugeValue, float64(c.Idle), c.Pool, "idle")
		show(connectionsMax, prometheus.GaugeValue, float64(c.Max), c.Pool)
		show(connectionWaits, prometheus.CounterValue, float64(c.Waits), c.Pool)
		show(connectionSeconds, prometheus.CounterValue, c.WaitedTime.Seconds(), c.Pool)
	}
	for role, end := range p.Certificates() {
		show(certificateExpiry, prometheus.GaugeValue, float64(end.Unix()), role)
	}
	for name, folder := range p.Disks {
		if space, err := disk.ReadSpace(folder); err == nil {
			show(diskFree, prometheus.GaugeValue, float64(space.Free), name)
			show(diskSize, prometheus.GaugeValue, float64(space.Total), name)
		}
	}
	show(diskReserve, prometheus.GaugeValue, float64(p.Reserve))
	ctx, cancel := context.WithTimeout(context.Background(), checkWait)
	defer cancel()
	for _, c := range p.Ready(ctx).Checks {
		show(checkState, prometheus.GaugeValue, map[api.CheckState]float64{api.CheckOK: 0, api.CheckDegraded: 1, api.CheckFailed: 2}[c.State], c.Name)
	}
}
