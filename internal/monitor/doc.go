// Package monitor makes the metrics that monitors read at /metrics, beside those that other packages count themselves: what waits for the
// service, what expires, and what jobs, messages and conversions do. docs/metrics.md lists all.
//
// A label never has a value that callers choose, so the number of series is bounded, and no series has personal data.
package monitor
