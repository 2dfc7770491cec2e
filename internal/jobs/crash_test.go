package jobs_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/jobs"
	"segel/internal/process"
	"segel/internal/store/sqlstore"
)

// Environment variables of a process of this program that runs jobs until one kills it: the database, and the folder of processes.
const killed, killedPlaces = "SEGEL_TEST_RUN_UNTIL_KILLED", "SEGEL_TEST_PLACES"

// runUntilKilled runs jobs, of which each stamp kills the process.
func runUntilKilled(dsn, places string) error {
	ctx := context.Background()
	s, err := sqlstore.Open(ctx, dsn, sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		return err
	}
	p, err := process.JoinFolder(places)
	if err != nil {
		return err
	}
	h := jobs.Handlers{Stamp: func(context.Context, contract.DocumentID) error {
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}}
	if _, err := jobs.Start(ctx, s, h, jobs.Options{Process: p}); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	<-within.Done()
	return errors.New("no job killed the process")
}

// TestAJobThatKillsItsProcessWaitsLongerAfterEachTime brings the job forward after each time, as a person does who retries a document: only a job that waits counts
// how often it was the last.
func TestAJobThatKillsItsProcessWaitsLongerAfterEachTime(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		self, err := os.Executable()
		b.must(err)
		places, d := t.TempDir(), b.draft(contract.JobStamp)
		for n, longest := range []time.Duration{0, 5 * time.Second, 20 * time.Second, 80 * time.Second} {
			c := exec.CommandContext(t.Context(), self)
			c.Env, c.Stderr = append(os.Environ(), killed+"="+b.dsn, killedPlaces+"="+places), os.Stderr
			if status := (&exec.ExitError{}); !errors.As(c.Run(), &status) || status.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("the process was not killed: %v", status)
			}
			dead := join(t, places)
			before := time.Now()
			b.must(b.EndNode(t.Context(), dead.Name()))
			after := time.Now()
			b.must(dead.Leave())
			all, err := jobs.JobsOfKind(t.Context(), b, contract.JobStamp)
			b.must(err)
			if len(all) != 1 || all[0].FinalizedAt != nil {
				t.Fatalf("jobs after the process was killed: %+v", all)
			}
			const precision = time.Millisecond // of SQLite
			if due := all[0].ScheduledAt; due.Before(before.Add(longest/2-precision)) || due.After(after.Add(longest)) {
				t.Errorf("after time %d the job waits %s, want at most %s", n+1, due.Sub(before), longest)
			}
			b.must(b.EnqueueNow(t.Context(), contract.Job{Kind: contract.JobStamp, Document: d.ID}))
		}
	})
}
