package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"segel/internal/blob/s3/s3test"
	"segel/internal/store/storetest/pgtest"
)

// outage takes a part away from the service, and restores it.
type outage struct {
	name       string
	begin, end func() error
}

// The sizes of the trial's disk: the base, and the share of each order.
const (
	diskSize     = 64 << 20
	diskPerOrder = 512 << 10
)

// openParts starts what is taken away later: a database behind a proxy, if requested, and a separate disk for the data, if the
// system permits mounting one. It returns the environment that the service needs for them.
func (t *trial) openParts(ctx context.Context) (env []string, err error) {
	if t.options.nodes > 1 {
		program, err := findS3Server()
		if err != nil {
			return nil, err
		}
		if t.server, t.database, err = pgtest.NewServer(ctx); err != nil {
			return nil, err
		}
		bucket := filepath.Join(t.dir, "bucket")
		if err := os.MkdirAll(bucket, 0o700); err != nil {
			return nil, err
		}
		t.bucket, err = s3test.Launch(ctx, program, bucket)
		return nil, err
	}
	if t.options.outages > 0 {
		size := diskSize + diskPerOrder*t.options.orders
		if err := os.MkdirAll(t.data, 0o700); err != nil {
			return nil, err
		}
		if t.noDisk = syscall.Mount("segel-fault", t.data, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size)); t.noDisk == nil {
			t.mounted = true
		}
	}
	if !t.options.postgres {
		return nil, nil
	}
	if t.server, t.database, err = pgtest.NewServer(ctx); err != nil {
		return nil, err
	}
	if t.proxy, err = pgtest.NewProxy(t.database); err != nil {
		return nil, err
	}
	t.proxy.Slow = slowBy
	return []string{"SEGEL_DATABASE=" + t.proxy.DSN()}, nil
}

// slowBy is the delay of each piece of an answer from a slow database.
const slowBy = 300 * time.Millisecond

func (t *trial) closeParts() error {
	var all []error
	if t.proxy != nil {
		all = append(all, t.proxy.Close())
	}
	if t.server != nil {
		all = append(all, t.server.Close())
	}
	if t.bucket != nil {
		t.bucket.Stop()
	}
	if t.mounted {
		all = append(all, syscall.Unmount(t.data, syscall.MNT_DETACH))
	}
	return errors.Join(all...)
}

// outageKinds returns what can be taken away in this trial.
func (t *trial) outageKinds() []outage {
	blobs := filepath.Join(t.data, "blobs")
	all := []outage{{
		"the folder of the files is gone",
		func() error { return os.Rename(blobs, blobs+".away") },
		func() error { return os.Rename(blobs+".away", blobs) },
	}}
	if t.mounted {
		filler := filepath.Join(t.data, "filler")
		all = append(all, outage{"the disk is full", func() error { return fillDisk(filler) }, func() error { return os.Remove(filler) }})
	}
	if t.proxy == nil {
		return all
	}
	pass := func() error { return t.proxy.Set(pgtest.Pass) }
	for _, f := range []struct {
		name  string
		fault pgtest.Fault
	}{
		{"the database refuses connections", pgtest.Refuse},
		{"the database resets connections", pgtest.Reset},
		{"the database swallows everything", pgtest.Swallow},
		{fmt.Sprintf("the database is %v late with each piece", slowBy), pgtest.Delay},
		{"the database commits, and its answer is lost", pgtest.CutCommits},
	} {
		all = append(all, outage{f.name, func() error { return t.proxy.Set(f.fault) }, pass})
	}
	return append(all,
		outage{"the database server is stopped (SIGSTOP)", t.server.Freeze, t.server.Thaw},
		outage{"the database server crashes", func() error { t.server.Crash(); return nil }, t.server.Start},
	)
}

// fillDisk uses all free space on the disk of a file.
func fillDisk(name string) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(name), &s); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if n := int64(s.Bavail) * int64(s.Bsize); n > 0 { // the service uses some of it meanwhile
		_ = syscall.Fallocate(int(f.Fd()), 0, 0, n)
	}
	piece := make([]byte, 64<<10)
	for len(piece) > 0 {
		if _, err := f.Write(piece); errors.Is(err, syscall.ENOSPC) {
			piece = piece[:len(piece)/2]
		} else if err != nil {
			return err
		}
	}
	return nil
}

// How long an outage lasts: the first of each kind is short; the second is longer than the deadline of any short operation, and so
// is one in four of the others.
const (
	outageMin, outageMore = 500 * time.Millisecond, 2 * time.Second
	outageLong            = 7 * time.Second
)

// drawOutage chooses how long an outage lasts, and whether the service is killed during it. Before is the number of earlier
// outages of its kind.
func drawOutage(r *rand.Rand, before int) (lasts time.Duration, killed bool) {
	lasts = outageMin + time.Duration(r.Int64N(int64(outageMore)))
	if long := r.IntN(4) == 0; before == 1 || before > 1 && long {
		lasts = outageLong
	}
	return lasts, r.IntN(4) == 0 && before != 1
}

// runOutage puts the service through an outage while clients continue, and probes all operations meanwhile. It counts the answers
// and measures the time to recovery.
func (t *trial) runOutage(ctx context.Context, o outage) error {
	if t.nodes[0].PID() == 0 {
		if err := t.nodes[0].Start(); err != nil {
			return err
		}
	}
	if err := t.prober.prepareDocument(ctx); err != nil {
		return err
	}
	lasts, killed := drawOutage(t.random, t.outageCounts[o.name])
	t.disturbances.addNow()
	defer t.disturbances.addNow()
	if err := o.begin(); err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	stop := t.prober.startProbing(ctx, o.name)
	half := time.NewTimer(lasts / 2)
	defer half.Stop()
	<-half.C
	if killed {
		t.prober.stopCounting() // missing answers of a dead service do not count
		t.nodes[0].Kill()
	}
	half.Reset(lasts / 2)
	<-half.C
	if err := o.end(); err != nil {
		return fmt.Errorf("end of: %s: %w", o.name, err)
	}
	t.outageCounts[o.name]++
	if killed {
		t.killedMeanwhile++
		stop(false)
		return ctx.Err()
	}
	stop(true)
	return ctx.Err()
}
