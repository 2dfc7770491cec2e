package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/blob/s3/s3test"
	"segel/internal/config"
)

// onBucket returns the settings of a service whose files are in the bucket of a server.
func onBucket(server *s3test.Server) []string {
	return []string{
		"SEGEL_BLOBS", "s3", "SEGEL_S3_ENDPOINT", server.URL.String(), "SEGEL_S3_BUCKET", s3test.Bucket, "SEGEL_S3_PREFIX", "segel/", "SEGEL_S3_REGION", s3test.Region,
		"SEGEL_S3_ACCESS_KEY", s3test.AccessKey, "SEGEL_S3_SECRET_KEY", s3test.SecretKey, "SEGEL_OUTBOUND_PRIVATE", "127.0.0.1", "SEGEL_S3_TIMEOUT", "10s",
	}
}

// environ returns settings as an environment.
func environ(set []string) (env []string) {
	for i := 0; i+1 < len(set); i += 2 {
		env = append(env, set[i]+"="+set[i+1])
	}
	return env
}

func TestABucketBehindTLSIsReachedOnlyWithItsAuthority(t *testing.T) {
	t.Parallel()
	server := s3test.StartTLSServer(t)
	open := func(set ...string) error {
		conf, err := dataFlag{Data: filepath.Join(t.TempDir(), "data")}.loadConfig(&environment{env: environ(append(onBucket(server), set...))}, nil)
		if err != nil {
			return err
		}
		a, err := openApp(t.Context(), conf, slog.New(slog.DiscardHandler), creating)
		if err == nil {
			a.close()
		}
		return err
	}
	if err := open(); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("with the authorities of the system: %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := open("SEGEL_S3_CA", empty); err == nil || !strings.Contains(err.Error(), "SEGEL_S3_CA") {
		t.Errorf("with a file without certificates: %v", err)
	}
	if err := open("SEGEL_S3_CA", server.CA); err != nil {
		t.Errorf("with the authority of the server: %v", err)
	}
}

func TestTheServiceKeepsItsFilesInABucket(t *testing.T) {
	t.Parallel()
	server := s3test.StartServer(t)
	set := append(onBucket(server), "SEGEL_EVIDENCE", config.EvidenceOnRequest, "SEGEL_ANSWER_WITHIN", "10s")
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data, set: set}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	id := signable(owner, signer)
	signer.verb("sign-docs", id).ok()
	owner.completed(id)
	whole := owner.download(id)
	if soundSignatures(t, whole) == 0 {
		t.Error("the document has no signature")
	}
	owner.do("GET", "/readyz", nil).ok()
	if err := s.app.purgeExpired(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(data, blobDir)); !os.IsNotExist(err) {
		t.Errorf("there is a folder of files: %v", err)
	}
	if said := runFsck(t, data, environ(set), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
		t.Errorf("fsck: %s", said)
	}
	t.Run("another installation", func(t *testing.T) {
		conf, err := dataFlag{Data: filepath.Join(t.TempDir(), "data")}.loadConfig(&environment{env: environ(set)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := openApp(t.Context(), conf, s.app.log, creating)
		if err == nil {
			a.close()
		}
		if err == nil || !strings.Contains(err.Error(), server.URL.Host) || strings.Contains(err.Error(), s3test.SecretKey) {
			t.Errorf("a new installation on the bucket of another: %v", err)
		}
	})
	s.stop()
	owner = owner.on(starting{data: data, set: set}.start(t)) // which has read nothing of the document
	server.Stop()
	began := time.Now()
	owner.do("GET", "/readyz", nil).unavailable(began, time.Minute)
	owner.get("download", id).unavailable(began, time.Minute)
	owner.get("detail", id).ok()
}
