package main

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"segel/internal/https/httpstest"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

func TestTheCertificateOfAnACMEServerIsServedAndOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	pebble := httpstest.StartPebble(t)
	data := newDataFolder(t)
	set := []string{
		"SEGEL_ACME_DIRECTORY=" + pebble.Directory, "SEGEL_ACME_CA=" + pebble.CA, "SEGEL_PUBLIC_URL=https://segel.example.test", "SEGEL_ACME_HOSTS=www.example.test",
		"SEGEL_OUTBOUND_PRIVATE=127.0.0.0/8", fmt.Sprint("SEGEL_LISTEN=127.0.0.1:", pebble.TLSPort), fmt.Sprint("SEGEL_LISTEN_HTTP=127.0.0.1:", pebble.HTTPPort),
	}
	serial := func() (serial string) {
		p, err := launchListening(data, set...)
		if err != nil {
			t.Fatal(err)
		}
		awaitCertificateOf(t, p.url, "www.example.test", pebble.Roots(t), func(c *x509.Certificate) bool { serial = c.SerialNumber.String(); return true })
		if err := p.end(); err != nil {
			t.Errorf("%v: %s", err, &p.stderr)
		}
		return serial
	}
	first := serial()
	if again := serial(); again != first {
		t.Errorf("the second start ordered another certificate: %s, before %s", again, first)
	}
}

// Nodes share records and a lock by the database, processes of a folder by that.
func TestTLSRecordsAreSealedAndOneNodeAtATimeOrders(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{"SQLite": nil, "PostgreSQL": {"SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, set...)
			storage := tlsStorage{s.app}
			ctx := t.Context()
			if _, err := storage.Read(ctx, "account"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("no record: %v", err)
			}
			if err := storage.Write(ctx, "account", []byte("rahasia")); err != nil {
				t.Fatal(err)
			}
			if b, err := storage.Read(ctx, "account"); err != nil || string(b) != "rahasia" {
				t.Errorf("%q, %v", b, err)
			}
			sealed, err := s.store.TLSRecord(ctx, "account")
			if err != nil || string(sealed) == "rahasia" {
				t.Errorf("stored as %q, %v", sealed, err)
			}
			// A record under another name, as somebody with the database could write it, does not pass for it.
			if err := s.store.StoreTLSRecord(ctx, "certificate", sealed, s.clock()); err != nil {
				t.Fatal(err)
			}
			if _, err := storage.Read(ctx, "certificate"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a record of another name opens: %v", err)
			}
			release, ok, err := storage.Lock(ctx)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if _, ok, err := storage.Lock(ctx); ok || err != nil {
				t.Errorf("a second lock: %v, %v", ok, err)
			}
			release()
			again, ok, err := storage.Lock(ctx)
			if err != nil || !ok {
				t.Fatalf("after its release: %v, %v", ok, err)
			}
			again()
		})
	}
}
