package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/emeterai"
	"segel/pades/validate"
	"segel/pdf/pdftest"
)

// alarms returns the lines of /metrics about alarms.
func (s *service) alarms(t *testing.T) map[string]int {
	t.Helper()
	families, err := s.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, f := range families {
		if f.GetName() != "segel_alarms_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			counts[m.GetLabel()[0].GetValue()] = int(m.GetCounter().GetValue())
		}
	}
	return counts
}

// TestOneBitOfAMidstateInTheDatabaseIsAnAlarmAndTheDocumentIsValid flips the bit between finalize and sign.
func TestOneBitOfAMidstateInTheDatabaseIsAnAlarmAndTheDocumentIsValid(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	if got := fmt.Sprint(s.alarms(t)); got != "map[bytes:0 invalid:0 midstate:0]" {
		t.Errorf("at first: %s", got)
	}
	id := owner.upload(simple(), signer.as("signer", 1))
	owner.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
	owner.verb("finalize-docs", id).ok()

	db := openSQLite(t, s.conf.DataDir)
	var midstate []byte
	const newest = ` FROM revision WHERE document = $1 ORDER BY position DESC LIMIT 1`
	if err := db.QueryRowContext(t.Context(), `SELECT midstate`+newest, id).Scan(&midstate); err != nil {
		t.Fatal(err)
	}
	midstate[17] ^= 4
	if _, err := db.ExecContext(t.Context(), `UPDATE revision SET midstate = $2 WHERE document = $1 AND position = (SELECT position`+newest+`)`, id, midstate); err != nil {
		t.Fatal(err)
	}

	signer.verb("sign-docs", id).ok()
	owner.completed(id)
	file := owner.download(id)
	r, err := validate.Validate(t.Context(), bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now(), Trust: s.trust, Exempt: emeterai.LooksLikeStamp})
	if err != nil || !r.Passed() {
		t.Errorf("%+v, %v", r, err)
	}
	if n := soundSignatures(t, file); n != 3 {
		t.Errorf("pdfsig finds %d sound signatures, want the signer's, the seal's and the timestamp", n)
	}
	if got := fmt.Sprint(s.alarms(t)); got != "map[bytes:0 invalid:0 midstate:1]" {
		t.Errorf("in the end: %s", got)
	}
}

// TestADownloadThatMeetsADamagedFileIsAnErrorAndAnAlarm: damage in the first chunk is found before the header is sent, and later damage cuts the answer off.
func TestADownloadThatMeetsADamagedFileIsAnErrorAndAnAlarm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size   int64
		status int
		cut    bool
	}{"in the first chunk": {size: blob.ChunkSize / 2, status: http.StatusInternalServerError}, "in the second chunk": {size: 3 * blob.ChunkSize, status: http.StatusOK, cut: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			owner := s.person(t, "Sari", "")
			var file bytes.Buffer
			if _, err := pdftest.NewLarge(c.size, 3).WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			id := owner.upload(file.Bytes())
			stored, _ := blobs(t, s)
			if len(stored) != 1 {
				t.Fatalf("the files are %v", stored)
			}
			name := filepath.Join(s.conf.DataDir, "blobs", stored[0][:2], stored[0])
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := errors.Join(os.Chmod(name, 0o600), os.WriteFile(name, b, 0o600)); err != nil {
				t.Fatal(err)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprint(s.url, documentPath, "preview/", id), nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Access-Token", owner.token)
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(a.Body)
			_ = a.Body.Close() // it was read to where it was cut off
			if a.StatusCode != c.status || errors.Is(err, io.ErrUnexpectedEOF) != c.cut {
				t.Errorf("the download is answered with %d and ends with %v", a.StatusCode, err)
			}
			if got := fmt.Sprint(s.alarms(t)); got != "map[bytes:1 invalid:0 midstate:0]" {
				t.Errorf("alarms: %s", got)
			}
		})
	}
}
