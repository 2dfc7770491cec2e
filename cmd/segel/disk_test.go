package main

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"segel/internal/contract"
	"segel/internal/disk"
)

// TestScarceSpaceIsLoggedAndShownToAdministratorsBeforeFilesAreRefused: each state is logged once, and a signature under way ends while new files are refused.
func TestScarceSpaceIsLoggedAndShownToAdministratorsBeforeFilesAreRefused(t *testing.T) {
	t.Parallel()
	var free atomic.Int64
	free.Store(50 << 30)
	var log bytes.Buffer
	s := starting{set: []string{"SEGEL_DISK_WARNING", "10GiB", "SEGEL_DISK_RESERVE", "1GiB"}, idle: true, log: &log, adjust: func(a *app) {
		a.diskSpace.Look = func(string) (disk.Space, error) { return disk.Space{Total: 100 << 30, Free: free.Load()}, nil }
	}}.start(t)
	operator, admin := s.administrator(t, "Operator", ""), s.administrator(t, "Admin", "PT Satu")
	signer := s.person(t, "Penanda", "")
	id := operator.upload(simple(), signer.as("signer", 1))
	operator.verb("finalize-docs", id).ok()
	last := contract.DiskFine
	for _, c := range []struct {
		free  int64
		state contract.DiskState
		says  string
	}{{50 << 30, "fine", ""}, {10<<30 - 1, "scarce", "free space is scarce"}, {1<<30 - 1, "low", "free space has run out"}, {50 << 30, "fine", "enough free space again"}} {
		free.Store(c.free)
		log.Reset()
		for range 2 {
			last = s.logDiskSpace(t.Context(), last)
		}
		if n := strings.Count(log.String(), "disk="); last != c.state || n != min(1, len(c.says)) || !strings.Contains(log.String(), c.says) {
			t.Errorf("%d bytes free: %s, logged %d times: %s", c.free, last, n, &log)
		}
		shown := operator.do("GET", "/v1/admin/stuck", nil).ok().object("data", "disk")
		if shown["state"] != string(c.state) || (shown["msg"] != nil) != (c.state != contract.DiskFine) || shown["free_bytes"] != float64(c.free) {
			t.Errorf("%d bytes free: an operator sees %v", c.free, shown)
		}
		if shown := admin.do("GET", "/v1/admin/stuck", nil).ok().object("data", "disk"); shown["state"] != string(c.state) || shown["free_bytes"] != nil {
			t.Errorf("%d bytes free: an admin sees %v", c.free, shown)
		}
		body := object{"document_base64": "JVBERi0xLjcK", "filename": "x.pdf"}
		if refused := operator.do("POST", "/v1/econtract/layanan/sign/upload-docs-base64", body).status == http.StatusServiceUnavailable; refused != (c.state == contract.DiskLow) {
			t.Errorf("%d bytes free: new files are refused: %t", c.free, refused)
		}
	}
	free.Store(1<<30 - 1)
	signer.verb("sign-docs", id, "consent", signer.consentOf(id, "id")).ok()
}
