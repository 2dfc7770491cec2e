package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/config"
	"segel/internal/https"
)

// listeners are the sockets of the service.
type listeners struct {
	main  net.Listener
	plain net.Listener // redirects to the public address; nil: none
}

// openListeners returns the sockets that systemd passed, and listens on the addresses of the configuration in place of others.
func openListeners(conf config.Config) (listeners, error) {
	l, err := inheritedListeners()
	if err != nil {
		return l, err
	}
	if l.main == nil {
		if l.main, err = net.Listen("tcp", conf.Listen); err != nil {
			return l, errors.Join(fmt.Errorf("listen: %w", err), l.close())
		}
	}
	if l.plain == nil && conf.ListenHTTP != "" {
		if l.plain, err = net.Listen("tcp", conf.ListenHTTP); err != nil {
			return l, errors.Join(fmt.Errorf("listen for plain HTTP: %w", err), l.close())
		}
	}
	if l.plain != nil && !strings.HasPrefix(conf.PublicURL, "https://") {
		return l, errors.Join(errors.New("a socket for plain HTTP needs a SEGEL_PUBLIC_URL with https, to which it redirects"), l.close())
	}
	return l, nil
}

// close closes the sockets. A server may have closed them before.
func (l listeners) close() (err error) {
	for _, socket := range []net.Listener{l.main, l.plain} {
		if socket == nil {
			continue
		}
		if e := socket.Close(); !errors.Is(e, net.ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// certificates has the certificate of the listener, which changes while the service runs.
type certificates interface {
	TLSConfig() *tls.Config
	NotAfter() time.Time
	Run(ctx context.Context)
	Reload(ctx context.Context) // at once; what fails is logged
}

// openCertificates returns where the certificate of the listener comes from; nil: the service answers plain HTTP. AnswersHTTP: it does so
// beside HTTPS.
func (a *app) openCertificates(answersHTTP bool) (certificates, error) {
	switch {
	case a.conf.ACMEDirectory != "":
		return a.openACME(answersHTTP)
	case a.conf.TLSCert == "":
		return nil, nil
	}
	o := https.FilesOptions{Certificate: a.conf.TLSCert, Key: a.conf.TLSKey, Clock: a.clock, Log: a.log}
	if u, err := url.Parse(a.conf.PublicURL); err == nil {
		o.Host = u.Hostname()
	}
	files, err := https.OpenFiles(o)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate: %w", err)
	}
	return files, nil
}

// checkCertificateFiles checks that the files can be read from which openCertificates makes the certificate of the listener.
func checkCertificateFiles(conf config.Config) error {
	switch {
	case conf.ACMEDirectory != "":
		_, err := acmeClient(conf)
		return err
	case conf.TLSCert == "":
		return nil
	}
	// It is opened without a host, so that another host is logged once, by openCertificates.
	if _, err := https.OpenFiles(https.FilesOptions{Certificate: conf.TLSCert, Key: conf.TLSKey, Clock: systemClock()}); err != nil {
		return fmt.Errorf("TLS certificate: %w", err)
	}
	return nil
}

// newServer returns a server with the bounds on slow clients that hold before the api has the request.
func (a *app) newServer(handler http.Handler) *http.Server {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10,
		// It logs what clients do wrong, such as handshakes that fail.
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	https.LimitHTTP2(server)
	return server
}

// newPlainServer returns the server of plain HTTP, which redirects and answers challenges of an ACME server.
func (a *app) newPlainServer(certs certificates) (*http.Server, error) {
	public, err := url.Parse(a.conf.BaseURL())
	if err != nil {
		return nil, err
	}
	handler := https.Redirect(public)
	if issued, ok := certs.(*https.ACME); ok {
		handler = issued.Challenges(handler)
	}
	server := a.newServer(handler)
	server.ReadTimeout, server.WriteTimeout = headerTimeout, headerTimeout
	return server, nil
}

// certificateGauge is a metric of the certificate that is served, read at each scrape.
type certificateGauge struct{ certificates }

var certificateExpiry = prometheus.NewDesc("segel_tls_certificate_expiry_timestamp_seconds", "When the TLS certificate of the listener expires, in seconds since 1970.", nil, nil)

// Describe implements [prometheus.Collector].
func (g certificateGauge) Describe(to chan<- *prometheus.Desc) { to <- certificateExpiry }

// Collect implements [prometheus.Collector]. Without a certificate it reports no value.
func (g certificateGauge) Collect(to chan<- prometheus.Metric) {
	if at := g.NotAfter(); !at.IsZero() {
		to <- prometheus.MustNewConstMetric(certificateExpiry, prometheus.GaugeValue, float64(at.Unix()))
	}
}
