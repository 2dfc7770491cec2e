package main

import (
	"crypto/rand"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"segel/internal/emeterai/sandbox"
)

// officeOf serves the sandbox office of a service's authority over the office's protocol, on the loopback address, and
// returns the configuration to use it.
func officeOf(t *testing.T, form string, p sandbox.Plan) []string {
	t.Helper()
	return bureauOf(t, form, p).conf
}

// bureau is an office on the loopback address.
type bureau struct {
	url, shared string
	conf        []string // to use it
}

func bureauOf(t *testing.T, form string, p sandbox.Plan) bureau {
	t.Helper()
	dir := t.TempDir()
	behind := starting{idle: true, data: filepath.Join(dir, "office")}.start(t)
	office, err := sandbox.Open(filepath.Join(dir, "journal"), sandbox.Options{
		Issuer: behind.authority, Timestamper: behind.authority.Timestamper(), Revocation: behind.authority, Sealer: behind.sealer,
		PublicURL: "http://office.test", Clock: time.Now, Random: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	desk, err := office.Serve(sandbox.ServeOptions{Users: map[string]string{"u": "p"}, Folder: filepath.Join(dir, "uploads"), Shared: filepath.Join(dir, "shared"), Faults: p, Control: true})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(desk)
	t.Cleanup(func() {
		server.Close()
		if err := desk.Close(); err != nil {
			t.Error(err)
		}
		if err := office.Close(); err != nil {
			t.Error(err)
		}
	})
	return bureau{server.URL, filepath.Join(dir, "shared"), []string{
		"SEGEL_STAMP_OFFICE", form, "SEGEL_STAMP_LOGIN_URL", server.URL, "SEGEL_STAMP_USER", "u", "SEGEL_STAMP_PASSWORD", "p", "SEGEL_STAMP_NETWORKS", "127.0.0.0/8",
		"SEGEL_STAMP_ADAPTERS", server.URL, "SEGEL_STAMP_SHARED_DIR", filepath.Join(dir, "shared"), "SEGEL_STAMP_SETTLE", "1ms", "SEGEL_STAMP_TIMEOUT", "5s",
	}}
}

func TestDocumentIsStampedThroughTheOfficesProtocolInBothForms(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"adapter", "cloud"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			s := start(t, officeOf(t, form, sandbox.Plan{})...)
			owner := s.person(t, "Pemilik", "")
			id := owner.upload(simple(), owner.as("signer", 1))
			owner.place(id, owner.at("emet", 100, 100, 160, 160), owner.at("emet", 200, 100, 260, 160)).ok()
			owner.verb("finalize-docs", id).ok()
			if serials := owner.completed(id)["serial_number"].([]any); len(serials) != 2 || serials[0] == serials[1] {
				t.Errorf("serials %v", serials)
			}
			soundSignatures(t, owner.download(id))
		})
	}
}
