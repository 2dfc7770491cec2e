// Command failures causes each failure of the section "Failures" of docs/operations.md in a real service, with the database, the S3 server, the
// stamp office and the mail server that it needs. It requires that what the section states is seen while the failure lasts, applies
// the remedy, and requires that what the section states is seen afterwards, that no document was lost or changed, and that
// segel fsck finds nothing. It exits with 1 if one of these is not so.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"segel/scripts/running"
)

// options are the values of the command line.
type options struct {
	binary, clock string // the program, and one whose clock can be moved (build tag clockfault)
	bucket        string // the program of the S3 server
	docs          string
	only          string        // part of the titles to cause; empty: all
	within        time.Duration // how long a statement may take to come true
	keep          string        // folder to leave everything in; empty: a temporary one
}

func main() {
	var o options
	flag.StringVar(&o.binary, "segel", "build/segel", "the program")
	flag.StringVar(&o.clock, "segel-clock", "build/segel-clockfault", "the program built with -tags clockfault, whose clock can be moved")
	flag.StringVar(&o.bucket, "s3", "build/versitygw", "the S3 server")
	flag.StringVar(&o.docs, "docs", "docs/operations.md", "the page that states what is seen")
	flag.StringVar(&o.only, "only", "", "cause only failures whose title contains this")
	flag.DurationVar(&o.within, "within", 90*time.Second, "how long what is stated may take to be seen")
	flag.StringVar(&o.keep, "keep", "", "folder to leave everything in")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "failures:", err)
		os.Exit(1)
	}
}

// run causes the failures in the order of the page.
func run(ctx context.Context, o options) (err error) {
	for _, path := range []*string{&o.binary, &o.clock, &o.bucket, &o.docs} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	page, err := os.ReadFile(o.docs)
	if err != nil {
		return err
	}
	stated, err := readFailures(string(page))
	if err != nil {
		return fmt.Errorf("%s: %w", o.docs, err)
	}
	dir := o.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "segel-failures-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	// The server of PostgreSQL runs as another user, and has to reach its folder.
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o755)); err != nil {
		return err
	}
	certificates, err := newAuthority(filepath.Join(dir, "authority.pem"))
	if err != nil {
		return err
	}
	var failed []error
	began, caused := time.Now(), 0
	for i, f := range stated {
		if !strings.Contains(f.title, o.only) {
			continue
		}
		caused++
		start := time.Now()
		err := causeFailure(ctx, o, certificates, filepath.Join(dir, fmt.Sprint(i+1)), f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		result := "as stated"
		if err != nil {
			result = "NOT AS STATED"
			failed = append(failed, fmt.Errorf("%s: %w", f.title, err))
		}
		fmt.Printf("%-44s %s, %.1f s\n", f.title, result, time.Since(start).Seconds())
	}
	if caused == 0 {
		return fmt.Errorf("no failure has %q in its title", o.only)
	}
	fmt.Printf("%d failures caused, %d not as stated, %.0f s\n", caused, len(failed), time.Since(began).Seconds())
	return errors.Join(failed...)
}

// causeFailure causes one failure at a new site in a folder.
func causeFailure(ctx context.Context, o options, certificates *authority, dir string, f failure) (err error) {
	cause, ok := causes[f.title]
	if !ok {
		return errors.New("this program does not know how to cause it")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	s := &site{options: o, dir: dir, data: filepath.Join(dir, "data"), stated: f, scheme: "http", authority: certificates, guests: []running.Object{}, documents: map[int64][]byte{}}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := cause(ctx, s); err != nil {
		return err
	}
	if s.phase != len(f.phases) {
		return fmt.Errorf("%d of the %d blocks of the section were compared", s.phase, len(f.phases))
	}
	return s.requireIntact(ctx)
}
