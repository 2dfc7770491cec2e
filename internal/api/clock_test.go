package api

import (
	"testing"

	"segel/internal/contract"
	"segel/internal/process"
)

// clockInDoubt is a process whose clock disagrees with that of the processes with which it shares the database.
type clockInDoubt struct{ process.Process }

func (clockInDoubt) CheckClock() error { return contract.ErrClock }

func TestAProcessWhoseClockIsInDoubtReadsAndChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.Process = clockInDoubt{o.Process} })
	if w := b.ask("GET", "/v1/econtract/web_app/document/status/1", ""); w.Code == 503 {
		t.Errorf("read: %d %s", w.Code, w.Body)
	}
	refused(t, b.ask("POST", sBase+"upload-docs-base64", uploadBody), 503, "server.clock")
	refused(t, b.ask("POST", "/v1/auth/login", `{}`), 503, "server.clock")
	if w := b.ask("GET", "/authority/crl", ""); w.Code != 503 {
		t.Errorf("the authority signed: %d", w.Code)
	}
	// By a wrong clock any token may seem to have ended.
	refused(t, b.ask("GET", "/v1/econtract/web_app/document/status/1", "", "X-Access-Token", "ended"), 503, "server.clock")
}
