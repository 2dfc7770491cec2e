package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/contract"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
	"segel/internal/workflow"
	"segel/pades/validate"
	"segel/pdf"
	"segel/revocation"
	"segel/tsp"
)

// stampers returns the names of the authorities whose document timestamps are in a file.
func stampers(t *testing.T, file []byte) []string {
	t.Helper()
	d, err := pdf.Open(strings.NewReader(string(file)), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	signatures, err := d.Signatures()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range signatures {
		if s.Type != "DocTimeStamp" {
			continue
		}
		token, err := tsp.Parse(s.Contents)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, token.Authority.Issuer.CommonName)
	}
	return names
}

// rootOf puts a service's root into a folder of roots.
func rootOf(t *testing.T, s *service) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "root.pem"), s.authority.RootPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTimeComesFromTheFirstConfiguredAuthorityThatAnswers(t *testing.T) {
	t.Parallel()
	other := starting{idle: true}.start(t)
	s := start(t,
		"SEGEL_TIMESTAMP_URLS", "http://pemakai:rahasia@127.0.0.1:9/dead,"+other.url+"/authority/tsa",
		"SEGEL_TRUST_DIR", rootOf(t, other), "SEGEL_OUTBOUND_PRIVATE", "127.0.0.1")
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	id := owner.upload(simple(), signer.as("signer", 1))
	owner.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id).ok()
	owner.completed(id)
	if got := stampers(t, owner.download(id)); len(got) != 1 || got[0] != other.authority.Root().Subject.CommonName {
		t.Errorf("time of %q", got)
	}
}

func TestNothingIsSignedWithTimeThatLeadsToNoRootOrIsNotToBeReached(t *testing.T) {
	t.Parallel()
	other, third := starting{idle: true}.start(t), starting{idle: true}.start(t)
	for name, set := range map[string][]string{
		"another root": {"SEGEL_TRUST_DIR", rootOf(t, third), "SEGEL_OUTBOUND_PRIVATE", "127.0.0.1"},
		"inside":       {"SEGEL_TRUST_DIR", rootOf(t, other)},
	} {
		s := start(t, append(set, "SEGEL_TIMESTAMP_URLS", other.url+"/authority/tsa")...)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		id := owner.upload(simple(), signer.as("signer", 1))
		owner.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).is(503, "server.unavailable")
		if got := owner.get("status", id).ok().object("data")["status"]; got != "processing" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRenewedDocumentIsValidOnBothDatabases(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{"SQLite": nil, "PostgreSQL": {"SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate)}} {
		var clock shifted
		s := starting{set: set, clock: clock.now}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		id := owner.upload(simple(), signer.as("signer", 1))
		owner.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		before := owner.download(id)
		by, err := s.identity.Authenticate(t.Context(), owner.token)
		if err != nil {
			t.Fatal(err)
		}
		s.stopJobs(t)
		clock.forward(19*365*24*time.Hour + 30*24*time.Hour)
		next, err := authority.NewEphemeral("http://next.test", clock.now)
		if err != nil {
			t.Fatal(err)
		}
		s.workflow.Timestamper, s.workflow.Revocation = next.Timestamper(), revocation.Sources{s.authority, next}
		s.workflow.Trust.Add(validate.ForTime, "next", next.Root())
		if got, err := s.workflow.RenewDue(t.Context()); err != nil || got != (workflow.Renewed{Renewed: 1}) {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		d, err := s.workflow.LoadAuthorised(t.Context(), by, contract.OpDetail, docID(id))
		if err != nil || d.Revisions[len(d.Revisions)-1].Kind != contract.RevisionTimestamp {
			t.Errorf("%s: %v", name, err)
		}
		c, err := s.workflow.Download(t.Context(), by, docID(id))
		if err != nil {
			t.Fatal(err)
		}
		after := make([]byte, c.Size)
		if _, err := io.ReadFull(c, after); err != nil || !strings.HasPrefix(string(after), string(before)) {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if got := stampers(t, after); len(got) != 2 || got[1] != next.Root().Subject.CommonName {
			t.Errorf("%s: time of %q", name, got)
		}
		if n := soundSignatures(t, after); n != 4 {
			t.Errorf("%s: %d signatures, want the signer's, the seal's and two document timestamps", name, n)
		}
		if err := s.store.CheckLog(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFolderOfRootsIsReadAsFarAsItHoldsCertificates(t *testing.T) {
	t.Parallel()
	one := starting{idle: true}.start(t)
	dir := rootOf(t, one)
	root := one.authority.Root()
	for name, b := range map[string][]byte{
		"sub/root.DER": root.Raw, "two.crt": append(one.authority.RootPEM(), one.authority.RootPEM()...), "readme.txt": []byte("no root"),
		"odd.pem": []byte("no root"), "half.cer": append(one.authority.RootPEM(), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"...),
		"signing/people.pem": one.authority.RootPEM(),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var odd []string
	trust, err := readTrustedRoots(nil, dir, func(name string) { odd = append(odd, filepath.Base(name)) })
	if err != nil || strings.Join(odd, " ") != "half.cer odd.pem" {
		t.Fatalf("odd are %q, %v", odd, err)
	}
	if time, all := len(trust.Roots(validate.ForTime)), len(trust.Roots(validate.ForAll)); time != 5 || all != 6 {
		t.Errorf("%d roots for time, %d in all", time, all)
	}
	if _, err := readTrustedRoots(nil, filepath.Join(dir, "gone"), nil); err == nil {
		t.Error("a folder that is not there was read")
	}
}
