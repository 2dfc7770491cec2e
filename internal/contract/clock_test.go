package contract

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestClockIsComparedWithEveryOtherThereIs(t *testing.T) {
	t.Parallel()
	const tolerance = 2 * time.Minute
	now := t0
	six := now.Add(6 * time.Hour)
	for name, c := range map[string]struct {
		reading ClockReading
		state   ClockState
		with    string
		ahead   time.Duration
	}{
		"nothing to compare with":               {ClockReading{}, ClockFine, "", 0},
		"a past as it should be":                {ClockReading{LastEvent: now.Add(-time.Hour), Timestamp: TrustedTime{At: now.Add(-2 * time.Hour)}}, ClockFine, "", 0},
		"a database that agrees":                {ClockReading{Database: now.Add(-time.Second), LastEvent: now}, ClockFine, "", 0},
		"a database as far as is tolerated":     {ClockReading{Database: now.Add(tolerance)}, ClockFine, "", 0},
		"a database further ahead":              {ClockReading{Database: now.Add(tolerance + 1)}, ClockDisagrees, "database", -tolerance - 1},
		"a database far behind":                 {ClockReading{Database: now.Add(-6 * time.Hour), LastEvent: now}, ClockDisagrees, "database", 6 * time.Hour},
		"an event as far as is tolerated":       {ClockReading{LastEvent: now.Add(tolerance)}, ClockFine, "", 0},
		"an event further ahead":                {ClockReading{LastEvent: now.Add(tolerance + 1)}, ClockUnconfirmed, "events", -tolerance - 1},
		"an event ahead, the database agrees":   {ClockReading{Database: now, LastEvent: six}, ClockUnconfirmed, "events", -6 * time.Hour},
		"an event ahead, the database too":      {ClockReading{Database: six, LastEvent: six}, ClockDisagrees, "database", -6 * time.Hour},
		"a timestamp ahead":                     {ClockReading{LastEvent: now, Timestamp: TrustedTime{At: six, Accuracy: time.Second}}, ClockUnconfirmed, "timestamps", -6*time.Hour + time.Second},
		"a timestamp ahead within its accuracy": {ClockReading{Timestamp: TrustedTime{At: now.Add(tolerance + time.Minute), Accuracy: time.Minute}}, ClockFine, "", 0},
		"of two the one that is further":        {ClockReading{LastEvent: now.Add(time.Hour), Timestamp: TrustedTime{At: six}}, ClockUnconfirmed, "timestamps", -6 * time.Hour},
		"two years ahead":                       {ClockReading{LastEvent: now.AddDate(2, 0, 0)}, ClockUnconfirmed, "events", now.Sub(now.AddDate(2, 0, 0))},
		"a clock that lost its battery":         {ClockReading{Local: time.Unix(0, 0), LastEvent: now}, ClockUnconfirmed, "events", time.Unix(0, 0).Sub(now)},
	} {
		if c.reading.Local.IsZero() {
			c.reading.Local = now
		}
		f := CheckClock(c.reading, tolerance)
		if f.State != c.state || f.With != c.with || f.Ahead != c.ahead || f.ClockReading != c.reading {
			t.Errorf("%s: %+v, want %s with %q by %s", name, f, c.state, c.with, c.ahead)
		}
		err := f.Err()
		if (err == nil) != (c.state == ClockFine) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Kind != Unavailable || e.Code != "server.clock" || !e.Retryable || e.Args["retry_after"] != 60 {
			t.Errorf("%s: %+v", name, e)
		}
		if says := e.Err.Error(); strings.Contains(says, "segel clock confirm") != (c.state == ClockUnconfirmed) || !strings.Contains(says, f.Local.UTC().Format(time.RFC3339)) {
			t.Errorf("%s says %q", name, says)
		}
	}
}

func TestClockIsConfirmedWithWhatWasFound(t *testing.T) {
	t.Parallel()
	by := Actor{Person: Person{Name: "segel clock confirm"}}
	at := func(d time.Duration) string { return t0.Add(d).Format(time.RFC3339) }
	f := CheckClock(ClockReading{Local: t0, Database: t0.Add(time.Second), LastEvent: t0.Add(6 * time.Hour), Timestamp: TrustedTime{At: t0.Add(5 * time.Hour)}}, ClockTolerance)
	e, err := ConfirmClock(f, by)
	if err != nil || e.Type != EventClockConfirmed || !e.At.Equal(t0) || e.Person != by.Person {
		t.Fatalf("%+v, %v", e, err)
	}
	for name, want := range map[string]string{"by": by.Person.Name, "local": at(0), "database": at(time.Second), "last_event": at(6 * time.Hour), "timestamp": at(5 * time.Hour)} {
		if e.Details[name] != want {
			t.Errorf("%s: %q, want %q", name, e.Details[name], want)
		}
	}
	e, err = ConfirmClock(CheckClock(ClockReading{Local: t0}, ClockTolerance), by)
	if err != nil || len(e.Details) != 2 {
		t.Errorf("a clock that nothing is known against: %+v, %v", e, err)
	}
	f = CheckClock(ClockReading{Local: t0, Database: t0.Add(time.Hour), LastEvent: t0.Add(time.Hour)}, ClockTolerance)
	if _, err := ConfirmClock(f, by); !errors.Is(err, ErrClock) {
		t.Errorf("confirmed although the database says otherwise: %v", err)
	}
}

func TestSignatureThatLiesInTheFutureIsNotFollowed(t *testing.T) {
	t.Parallel()
	d := signAs(t, finalizedWithStamps(t), first)
	for _, c := range []struct {
		behind time.Duration // how far now is behind the first signature
		want   *Error        // nil: the second may sign
		wait   int
	}{{0, nil, 0}, {10 * time.Minute, nil, 0}, {10*time.Minute + 1, ErrSignedAhead, 600}, {6 * time.Hour, ErrSignedAhead, 21600}, {24 * time.Hour, ErrSignedAhead, 86400}, {24*time.Hour + 1, ErrSignedFarAhead, 0}, {2 * 365 * 24 * time.Hour, ErrSignedFarAhead, 0}} {
		_, err := IntendSign(d, ShownPages{}, second, t0.Add(-c.behind))
		if c.want == nil {
			if err != nil {
				t.Errorf("%s: %v", c.behind, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Code != c.want.Code || e.Retryable != c.want.Retryable || e.Args["until"] != d.LastSignedAt {
			t.Errorf("%s: %+v", c.behind, err)
			continue
		}
		if wait, told := e.Args["retry_after"]; told != (c.wait > 0) || told && wait != c.wait {
			t.Errorf("%s: retry after %v", c.behind, wait)
		}
	}
}

func TestDocumentWaitsForItsNewestTimestampOrFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wait    time.Duration
		problem string // its code; empty: it goes on
	}{{-time.Hour, ""}, {0, ""}, {1, "closing.clock"}, {6 * time.Hour, "closing.clock"}, {24 * time.Hour, "closing.clock"}, {24*time.Hour + 1, "closing.clock_far"}, {2 * 365 * 24 * time.Hour, "closing.clock_far"}} {
		if c.problem != "" {
			c.problem += ": " + t0.Add(c.wait).Format(time.RFC3339)
		}
		if problem := CheckNewestTime(t0.Add(c.wait), t0).String(); problem != c.problem {
			t.Errorf("%s: %q, want %q", c.wait, problem, c.problem)
		}
	}
}
