package monitor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"segel/internal/contract"
	"segel/internal/convert"
)

// failingConverter returns the errors that it is given.
type failingConverter struct {
	convert.Converter
	errs []error
}

func (c *failingConverter) Convert(ctx context.Context, _ convert.Kind, _ io.Reader, _ io.Writer) error {
	err := c.errs[0]
	c.errs = c.errs[1:]
	if err == io.EOF {
		return ctx.Err()
	}
	return err
}

func TestConversionsAreCountedByWhoseFaultTheyFail(t *testing.T) {
	t.Parallel()
	r := prometheus.NewPedanticRegistry()
	c, err := CountConversions(r, &failingConverter{errs: []error{nil, fmt.Errorf("x: %w", convert.ErrUnreadable), convert.ErrTooLong, convert.ErrTooLarge, convert.ErrUnavailable, convert.ErrMissing, io.EOF}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		ctx, cancel := context.WithCancel(t.Context())
		if i == 6 {
			cancel()
		}
		_ = c.Convert(ctx, convert.DOCX, nil, nil)
		cancel()
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetHistogram() != nil {
				got[m.GetLabel()[0].GetValue()] = m.GetHistogram().GetSampleCount()
			} else if m.GetGauge().GetValue() != 0 {
				t.Error("a conversion is still running")
			}
		}
	}
	if fmt.Sprint(got) != "map[converted:1 failed:2 refused:3 stopped:1]" {
		t.Errorf("%v", got)
	}
}

func TestTriesToDeliverAreCountedFromTheStart(t *testing.T) {
	t.Parallel()
	r := prometheus.NewPedanticRegistry()
	notice, err := CountNotices(r)
	if err != nil {
		t.Fatal(err)
	}
	delivery, err := CountDeliveries(r)
	if err != nil {
		t.Fatal(err)
	}
	notice("", contract.NoticeSent)
	notice(contract.ChannelWhatsApp, contract.NoticeFailed)
	delivery(contract.DeliveryDead)
	const want = `
		# HELP segel_webhook_tries_total Tries to send events to webhooks by their result: delivered, ordered (it is tried again) or dead.
		# TYPE segel_webhook_tries_total counter
		segel_webhook_tries_total{result="dead"} 1
		segel_webhook_tries_total{result="delivered"} 0
		segel_webhook_tries_total{result="ordered"} 0
`
	if err := testutil.GatherAndCompare(r, strings.NewReader(want), "segel_webhook_tries_total"); err != nil {
		t.Error(err)
	}
	if n := count(t, r, "segel_notice_tries_total"); n != len(contract.NoticeStates)+1 {
		t.Errorf("%d series of messages", n)
	}
}
