// Package jobs works off what commits have ordered: stamping, sealing, sweeping, and what has to happen every
// so often. The queue is River's and lives in the database of the store, so that a job is ordered by the very
// transaction that makes it necessary.
//
// Delivery is at least once. A handler starts from what is stored, does what is still to be done and commits
// it; a job that finds nothing to do is done. What fails is tried again, ever more slowly, and never given up:
// the office may be away for days. What a process died over is taken up by the next one that starts in its place.
//
// Besides this room and cmd, only converters start goroutines.
package jobs
