package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// plainSocketName is the FileDescriptorName of a socket unit whose socket takes the place of LISTEN_HTTP. Any other socket takes that of LISTEN.
const plainSocketName = "http"

// inheritedListeners returns the sockets that systemd passed to this process (sd_listen_fds); those that it did not pass are nil. The
// sockets outlive the process: connections wait while it starts again.
func inheritedListeners() (l listeners, err error) {
	for _, f := range activation.Files(true) {
		socket, err := net.FileListener(f)
		err = errors.Join(err, f.Close()) // the listener has a copy
		if err != nil {
			return l, errors.Join(fmt.Errorf("socket %s of systemd: %w", f.Name(), err), l.close())
		}
		place := &l.main
		if f.Name() == plainSocketName {
			place = &l.plain
		}
		_, isTCP := socket.Addr().(*net.TCPAddr)
		switch {
		case !isTCP:
			err = fmt.Errorf("socket %s of systemd: %s is not an address of TCP", f.Name(), socket.Addr())
		case *place != nil:
			err = fmt.Errorf("socket %s of systemd: there is one already; name that for plain HTTP %q", f.Name(), plainSocketName)
		}
		if err != nil {
			return l, errors.Join(err, socket.Close(), l.close())
		}
		*place = socket
	}
	return l, nil
}

// supervisor tells systemd what the service does (sd_notify). Without systemd it does nothing.
type supervisor struct{ log *slog.Logger }

// notify sends a state. What fails is logged: the service goes on, and systemd decides.
func (s supervisor) notify(ctx context.Context, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.log.WarnContext(ctx, "systemd is not told what the service does", "error", err)
	}
}

// reload tells that the service reads its certificate again while it does.
func (s supervisor) reload(ctx context.Context, do func()) {
	s.notify(ctx, daemon.SdNotifyReloading+"\n"+daemon.SdNotifyMonotonicUsec())
	do()
	s.notify(ctx, daemon.SdNotifyReady)
}

// runWatchdog tells systemd, twice in each interval that it set (WatchdogSec), that requests are answered, until ctx ends. What is asked
// needs no other part: starting the service again does not help while a database does not respond.
func (s supervisor) runWatchdog(ctx context.Context, handler http.Handler) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		s.log.WarnContext(ctx, "the watchdog of systemd is not answered", "error", err)
	}
	if interval <= 0 {
		return
	}
	tick := time.NewTicker(interval / 2)
	defer tick.Stop()
	for {
		if answersHealth(ctx, handler) {
			s.notify(ctx, daemon.SdNotifyWatchdog)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// answersHealth reports whether a handler answers /healthz with 200.
func answersHealth(ctx context.Context, handler http.Handler) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/healthz", http.NoBody)
	if err != nil {
		return false
	}
	w := &statusWriter{header: http.Header{}}
	handler.ServeHTTP(w, r)
	return w.status == http.StatusOK
}

// statusWriter keeps the status of an answer.
type statusWriter struct {
	header http.Header
	status int
}

func (w *statusWriter) Header() http.Header { return w.header }

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return len(p), nil
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
}
