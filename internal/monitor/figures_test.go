package monitor

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"segel/internal/contract"
	"segel/internal/store"
)

// slowStore takes a while to read what waits.
type slowStore struct {
	takes time.Duration
	err   error
	reads int
	store.Backlog
}

func (s *slowStore) ReadBacklog(ctx context.Context, _ store.BacklogQuery) (store.Backlog, error) {
	s.reads++
	select {
	case <-time.After(s.takes):
		return s.Backlog, s.err
	case <-ctx.Done():
		return store.Backlog{}, ctx.Err()
	}
}

func newFigures(t *testing.T, s *slowStore) (*Figures, *prometheus.Registry) {
	t.Helper()
	f, r := NewFigures(s, 10, slog.New(slog.DiscardHandler)), prometheus.NewPedanticRegistry()
	if err := r.Register(f); err != nil {
		t.Fatal(err)
	}
	return f, r
}

func count(t *testing.T, r *prometheus.Registry, names ...string) int {
	t.Helper()
	n, err := testutil.GatherAndCount(r, names...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFiguresAreReadSeldomAndForAShareOfTheTime(t *testing.T) {
	t.Parallel()
	for takes, want := range map[time.Duration]int{10 * time.Millisecond: 60, time.Second: 29} {
		synctest.Test(t, func(t *testing.T) {
			s := &slowStore{takes: takes}
			_, r := newFigures(t, s)
			for began := time.Now(); time.Since(began) < 10*time.Minute; time.Sleep(time.Second) {
				if count(t, r, "segel_documents_failed") != 1 {
					t.Fatal("there are no figures")
				}
			}
			if s.reads < want*9/10 || s.reads > want {
				t.Errorf("%d readings of %v in ten minutes, want %d", s.reads, takes, want)
			}
		})
	}
}

func TestADatabaseThatDoesNotAnswerDelaysAScrapeByThreeSecondsAndShowsNoOldFigures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{}
		f, r := newFigures(t, s)
		if count(t, r, "segel_jobs") == 0 {
			t.Fatal("there are no figures")
		}
		time.Sleep(readEvery)
		s.takes = time.Hour
		began := time.Now()
		if n := count(t, r, "segel_jobs"); n != 0 {
			t.Errorf("%d former figures are shown", n)
		}
		if took := time.Since(began); took > readWait {
			t.Errorf("the scrape took %v", took)
		}
		began = time.Now()
		if count(t, r, "segel_jobs"); time.Since(began) > 0 {
			t.Error("the next scrape asks at once")
		}
		if got := testutil.ToFloat64(f.failures); got != 1 {
			t.Errorf("%v failures", got)
		}
		time.Sleep(time.Minute)
		s.takes, s.err = 0, errors.New("refused")
		if count(t, r, "segel_jobs"); testutil.ToFloat64(f.failures) != 2 {
			t.Error("an error is not a failure")
		}
		time.Sleep(time.Minute)
		s.err = nil
		if count(t, r, "segel_jobs") == 0 {
			t.Error("there are no figures when the database answers again")
		}
	})
}

func TestFiguresSayWhatWaitsAndForHowLong(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
	_, r := newFigures(t, &slowStore{Backlog: store.Backlog{
		At: now,
		Jobs: []store.JobBacklog{
			{Kind: "stamp", State: store.JobAvailable, Count: 3, Oldest: now.Add(-time.Hour), Due: now.Add(-time.Minute)},
			{Kind: "stamp", State: store.JobLater, Count: 2, Oldest: now.Add(-2 * time.Hour), Due: now.Add(time.Minute)},
		},
		Documents: []store.DocumentBacklog{{Reason: contract.WaitsForOffice, Count: 5, Oldest: now.Add(-2 * time.Hour)}},
		Quotas:    []store.LowQuota{{Organisation: "o1", Unit: contract.UnitStamp, Left: 3}}, LowQuotas: map[contract.Unit]int{contract.UnitStamp: 1},
	}})
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			got[name] = max(m.GetGauge().GetValue(), m.GetCounter().GetValue())
		}
	}
	for name, want := range map[string]float64{
		"segel_jobs stamp available": 3, "segel_jobs stamp later": 2, "segel_jobs stamp running": 0, "segel_jobs convert available": 0, "segel_jobs periodic later": 0,
		"segel_job_oldest_seconds stamp": 7200, "segel_job_overdue_seconds stamp": 60, "segel_job_overdue_seconds complete": 0,
		"segel_documents_waiting office": 5, "segel_document_waiting_seconds office": 7200, "segel_documents_waiting clock": 0, "segel_document_waiting_seconds clock": 0,
		"segel_quota_left o1 emet": 3, "segel_quotas_low emet": 1, "segel_quotas_low base": 0, "segel_backup_completed_timestamp_seconds": 0,
	} {
		if v, found := got[name]; !found || v < want || v > want+1 {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	for name := range got {
		if strings.HasPrefix(name, "segel_renewal_due") || strings.HasPrefix(name, "segel_seal_expiry") {
			t.Errorf("%s is shown although there is none", name)
		}
	}
}
