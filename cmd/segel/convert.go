package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"segel/internal/admission"
	"segel/internal/config"
	"segel/internal/convert"
	"segel/internal/convert/gotenberg"
	"segel/internal/convert/libreoffice"
	"segel/internal/monitor"
	"segel/internal/outbound"
)

// conversionsWaiting is how many conversions of all organisations may wait in this process; further ones are retried later.
const conversionsWaiting = 256

// openConverter opens the converter for Word documents. If there is no safe one, Word documents are refused and the log says
// why; if the configuration explicitly requires one, the start fails.
func (a *app) openConverter(ctx context.Context) error {
	c, err := a.newConverter(ctx)
	if err != nil && a.conf.Convert == config.ConvertAuto {
		a.log.Warn("Word documents will be refused", "reason", err)
		return nil
	}
	if err != nil || c == nil {
		return err
	}
	if closer, ok := c.(io.Closer); ok {
		a.convert = closer
	}
	if a.workflow.Converter, err = monitor.CountConversions(a.metrics, c); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	a.workflow.Turns = admission.NewQueue(admission.Limits{
		Slots: a.conf.MaxConversions, Waiting: max(conversionsWaiting, a.conf.MaxConversionsWaiting), WaitingPerKey: a.conf.MaxConversionsWaiting,
	})
	return nil
}

// newConverter opens the converter that the configuration names; nil if it names none.
func (a *app) newConverter(ctx context.Context) (convert.Converter, error) {
	switch {
	case a.conf.Convert == config.ConvertOff:
		return nil, nil
	case strings.Contains(a.conf.Convert, "://"):
		return gotenberg.New(gotenberg.Options{
			URL: a.conf.Convert, Client: outbound.NewClient(converterOutbound(a.conf)), PDFA: a.conf.ConvertPDFA,
			Time: a.conf.ConvertTime, MaxSize: a.conf.Limits().Defaults().FileSize,
		})
	}
	open := libreoffice.OpenInBackground // the start does not wait for that of LibreOffice
	if a.conf.Convert == config.ConvertLibreOffice {
		open = libreoffice.Open // but fails if LibreOffice is unavailable, because the configuration requires it
	}
	o, err := open(ctx, libreoffice.Options{
		Spare: a.conf.MaxConversions, PDFA: a.conf.ConvertPDFA, Unsandboxed: a.conf.ConvertUnfenced == config.TrustEveryUploader,
		Limits: libreoffice.Limits{Time: a.conf.ConvertTime}, Log: a.log,
	})
	if err != nil {
		return nil, fmt.Errorf("LibreOffice: %w", err)
	}
	return o, nil
}

// converterOutbound permits the port of the conversion service, on the networks that the operator allows.
func converterOutbound(conf config.Config) outbound.Options {
	o := outbound.Options{
		Redirects: -1, Timeout: conf.ConvertTime + time.Minute, MaxBody: 2 * conf.Limits().Defaults().FileSize, Allowed: prefixesOf(conf.OutboundPrivate),
	}
	if p, ok := portOf(conf.Convert); ok {
		o.Ports = []uint16{p}
	}
	return o
}

// closeConverter ends the converter processes that wait for documents.
func (a *app) closeConverter() error {
	if a.convert == nil {
		return nil
	}
	return a.convert.Close()
}
