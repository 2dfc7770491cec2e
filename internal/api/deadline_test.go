package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"segel/internal/contract"
	"segel/internal/outage"
)

func TestTimeStandsStillWhileTheClientIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, d, done := newDeadline(t.Context(), time.Minute)
		defer done()
		slow := timedBody{io.NopCloser(readerFunc(func(p []byte) (int, error) { time.Sleep(10 * time.Minute); return copy(p, "x"), nil })), d}
		for range 3 {
			if _, err := slow.Read(make([]byte, 1)); err != nil || ctx.Err() != nil {
				t.Fatalf("%v, %v", err, ctx.Err())
			}
			time.Sleep(59 * time.Second)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !outage.TimedOut(ctx) {
			t.Errorf("a minute after the last of the body: %v, because of %v", ctx.Err(), context.Cause(ctx))
		}
	})
}

func TestLiftedDeadlineNeverEndsAContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, d, done := newDeadline(t.Context(), time.Minute)
		defer done()
		d.removeLimit()
		d.restart()
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Error(context.Cause(ctx))
		}
		forever, _, end := newDeadline(t.Context(), 0)
		defer end()
		time.Sleep(time.Hour)
		if forever.Err() != nil {
			t.Error(context.Cause(forever))
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestOutagesAreAnsweredWithTheirOwnCodesAndAnInvitation(t *testing.T) {
	t.Parallel()
	s := &server{Options: Options{}.withDefaults()}
	refusal := contract.Refuse(contract.Invalid, "input.invalid")
	lost := &outage.Error{Part: outage.Database, Err: errors.New("gone")}
	for _, c := range []struct {
		err    error
		status int
		code   string
		after  string
	}{
		{lost, 503, "server.unavailable", "5"},
		{&outage.Error{Part: outage.Blobs, Err: errors.New("gone")}, 503, "server.unavailable", "5"},
		{&outage.Error{Part: outage.Disk, Err: errors.New("full")}, 503, "server.disk_full", "60"},
		{contract.ErrNotFound.WithCause(lost), 503, "server.unavailable", "5"}, // an outage wins over the refusal that wraps it
		{errors.Join(refusal, lost), 422, "input.invalid", ""},                 // the outage only occurred while cleaning up after the refusal
		{context.DeadlineExceeded, 503, "server.timeout", "5"},
		{errors.New("a defect"), 500, "server.error", ""},
	} {
		w := httptest.NewRecorder()
		s.writeError(w, httptest.NewRequest("GET", "/", nil), c.err)
		var got failure
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if w.Code != c.status || got.Error.Code != c.code || w.Header().Get("Retry-After") != c.after || got.Error.Retryable != (c.status == 503) {
			t.Errorf("%v: %d %s, Retry-After %q, retryable %v", c.err, w.Code, got.Error.Code, w.Header().Get("Retry-After"), got.Error.Retryable)
		}
	}
}

func TestHungOperationIsAnsweredWithinItsTime(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.AnswerTimeout = 2 * time.Second })
	b.store.on(func(ctx context.Context, _ string) error {
		<-ctx.Done()
		return ctx.Err()
	})
	refused(t, b.ask("GET", documentBase+"detail/1207", ""), http.StatusServiceUnavailable, "server.timeout")
}

func TestEveryEndpointSaysHowLongItMayTake(t *testing.T) {
	t.Parallel()
	s := &server{Options: Options{UploadWait: time.Second, ConvertWait: time.Second, LoginDelay: time.Second}.withDefaults()}
	s.registerEndpoints()
	for _, e := range s.endpoints {
		within := s.timeoutOf(e.timeLimit)
		switch {
		case e.id == "admin-reconcile":
			if within != 0 {
				t.Errorf("%s is cut off after %v, but calls to the stamp office may take longer", e.id, within)
			}
		case within <= 0 || within > 3*time.Minute:
			t.Errorf("%s %s may take %v", e.method, e.path, within)
		case strings.HasPrefix(e.id, "list") && within > 5*time.Second, (e.id == "detail" || e.id == "status") && within > 5*time.Second:
			t.Errorf("%s may take %v", e.id, within)
		}
	}
}
