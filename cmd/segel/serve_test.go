package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAFirstStartThatCannotListenAsConfiguredCreatesNothing(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.pem")
	for name, c := range map[string]struct{ env, args []string }{
		"a certificate": {env: []string{"SEGEL_PUBLIC_URL=https://segel.example.com", "SEGEL_TLS_CERT=" + missing, "SEGEL_TLS_KEY=" + missing}},
		"authorities of the ACME server": {env: []string{
			"SEGEL_PUBLIC_URL=https://segel.example.com", "SEGEL_ACME_DIRECTORY=https://acme.example.com/directory", "SEGEL_ACME_CA=" + missing,
		}},
		"an address of profiles": {args: []string{"--pprof", "192.0.2.1:6060"}},
	} {
		data := filepath.Join(t.TempDir(), "data")
		env := append([]string{"SEGEL_LISTEN=127.0.0.1:0", "SEGEL_CONVERT=off", "SEGEL_PAGE_PICTURES=off"}, c.env...)
		if got := runProgram(t, env, append([]string{"serve", "--data", data}, c.args...)...); got.status == 0 {
			t.Errorf("%s: status %d, %s", name, got.status, got.text)
		}
		if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the data folder was created: %v", name, err)
		}
	}
}
