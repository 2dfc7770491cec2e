package authority

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/certpath"
	"segel/internal/credential"
	"segel/revocation"
)

// succession is an authority in a folder, with a clock that a test moves.
type succession struct {
	t     *testing.T
	files Folder
	o     Options
	now   atomic.Pointer[time.Time]
}

// newSuccession returns the files of an authority that is created at that time.
func newSuccession(t *testing.T, begun time.Time) *succession {
	t.Helper()
	sealer, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s := &succession{t: t, files: Folder(filepath.Join(t.TempDir(), "authority"))}
	s.now.Store(&begun)
	s.o = Options{PublicURL: publicURL, Clock: func() time.Time { return *s.now.Load() }, Sealer: sealer, Ledger: &MemoryLedger{}}
	return s
}

func (s *succession) moveTo(now time.Time) { s.now.Store(&now) }

func (s *succession) open() *Authority {
	s.t.Helper()
	a, err := Open(s.t.Context(), s.files, s.o)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// holders has one holder of each issuer.
func holders() map[int]Holder {
	return map[int]Holder{accountIssuer: sariHolder(), guestIssuer: budiHolder(), contactIssuer: mailboxHolder()}
}

// requireValidPath requires that a chain validates at a time by the rules of this program, with the root as its only anchor.
func requireValidPath(t *testing.T, root *x509.Certificate, chain []*x509.Certificate, at time.Time) {
	t.Helper()
	var anchors certpath.Anchors
	anchors.Add(root, x509.ExtKeyUsageAny)
	b := certpath.NewBuilder(&anchors, certpath.Limits{})
	b.Add(chain...)
	if paths, err := b.FindPaths(chain[0], x509.ExtKeyUsageAny, at); err != nil || len(paths) != 1 {
		t.Errorf("at %s: %d paths of %s, %v", at, len(paths), chain[0].Subject, err)
	}
}

func TestEachCertificateHasItsFullTermAndItsStatusIsStatedForAYearLonger(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s := newSuccession(t, begun)
	running := s.open()
	var all [][]*x509.Certificate
	generations := map[string]bool{}
	for month := 0; month <= 27*12; month += 6 {
		now := begun.AddDate(0, month, 0)
		s.moveTo(now)
		if err := running.Succeed(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, h := range holders() {
			chain := certifyNew(t, running, h)
			if want := now.AddDate(personYears, 0, 0).Truncate(time.Second); !chain[0].NotAfter.Equal(want.UTC()) {
				t.Errorf("after %d months, %s: until %s, want %s", month, chain[1].Subject, chain[0].NotAfter, want)
			}
			if !running.MatchesHolder(chain[0], h) {
				t.Errorf("after %d months the certificate is not what a new one would be", month)
			}
			requireValidPath(t, running.Root(), chain, now)
			generations[chain[1].Subject.CommonName] = true
			all = append(all, chain)
		}
		for _, chain := range all {
			if left := chain[0].NotAfter.AddDate(1, 0, -2).Sub(now); left < 0 || left > 200*24*time.Hour {
				continue
			}
			m, err := running.Revocation(t.Context(), chain[0], chain[1])
			if err != nil || m.OCSP == nil {
				t.Fatalf("after %d months, %s until %s: %v", month, chain[0].Subject, chain[0].NotAfter, err)
			}
		}
		if token := fetchToken(t, running); token.Authority.NotAfter.Before(now.AddDate(personYears, 0, 0)) {
			t.Errorf("after %d months a timestamp can be relied on until %s", month, token.Authority.NotAfter)
		}
	}
	if len(generations) != 6 {
		t.Errorf("issuers of 27 years: %v", generations)
	}
}

// The processes have been running since before the successors were due.
func TestProcessesThatCreateSuccessorsAtOnceAllUseTheFirst(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s := newSuccession(t, begun)
	nodes := make([]*Authority, 8)
	var created atomic.Int32
	s.o.Created = func(OwnCertificate) { created.Add(1) }
	for i := range nodes {
		nodes[i] = s.open()
	}
	s.moveTo(begun.AddDate(18, 0, 0))
	if n := created.Swap(0); n != 0 {
		t.Errorf("%d certificates were added to a new authority", n)
	}
	var all sync.WaitGroup
	for _, a := range nodes {
		all.Go(func() {
			if err := a.Succeed(t.Context()); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() { // signing goes on meanwhile
			for range 20 {
				if _, err := a.Certify(t.Context(), sariHolder(), newKey(t).Public()); err != nil {
					t.Error(err)
				}
				a.OwnCertificates()
			}
		})
	}
	all.Wait()
	if created.Load() != 7 {
		t.Errorf("%d certificates were created, want 7", created.Load())
	}
	first := nodes[0].OwnCertificates()
	for i, a := range nodes {
		for n, own := range a.OwnCertificates() {
			if !own.Certificate.Equal(first[n].Certificate) {
				t.Errorf("process %d uses another certificate %s", i, own.Role)
			}
		}
	}
}

// countingFiles counts what is read.
type countingFiles struct {
	Files
	reads atomic.Int32
}

func (c *countingFiles) ReadFile(ctx context.Context, name string) ([]byte, error) {
	c.reads.Add(1)
	return c.Files.ReadFile(ctx, name)
}

func TestAProcessAnswersAboutAnIssuerThatAnotherCreatedAMomentAgo(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	for name, ask := range map[string]func(t *testing.T, a *Authority, chain []*x509.Certificate){
		"OCSP": func(t *testing.T, a *Authority, chain []*x509.Certificate) {
			request, err := ocsp.CreateRequest(chain[0], chain[1], &ocsp.RequestOptions{Hash: crypto.SHA256})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := ocsp.ParseResponseForCert(a.answerOCSP(t.Context(), request), chain[0], chain[1]); err != nil || r.Status != ocsp.Good {
				t.Errorf("%+v, %v", r, err)
			}
		},
		"in process": func(t *testing.T, a *Authority, chain []*x509.Certificate) {
			if m, err := a.Revocation(t.Context(), chain[0], chain[1]); err != nil || m.OCSP == nil {
				t.Error(err)
			}
		},
		"certificate": func(t *testing.T, a *Authority, chain []*x509.Certificate) {
			w := httptest.NewRecorder()
			a.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, strings.TrimPrefix(chain[0].IssuingCertificateURL[0], publicURL), nil))
			if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), chain[1].Raw) {
				t.Errorf("%d", w.Code)
			}
		},
		"list": func(t *testing.T, a *Authority, chain []*x509.Certificate) {
			w := httptest.NewRecorder()
			a.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, strings.TrimPrefix(chain[0].CRLDistributionPoints[0], publicURL), nil))
			if l, err := x509.ParseRevocationList(w.Body.Bytes()); err != nil || l.CheckSignatureFrom(chain[1]) != nil {
				t.Errorf("%d, %v", w.Code, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSuccession(t, begun)
			one, other := s.open(), s.open()
			s.moveTo(begun.AddDate(18, 0, 0))
			if err := one.Succeed(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, h := range holders() {
				chain := certifyNew(t, one, h)
				if chain[1].NotBefore.Before(begun.AddDate(17, 0, 0)) {
					t.Fatal("there is no successor")
				}
				ask(t, other, chain)
			}
		})
	}
}

func TestRequestsForWhatNeverExistedReadTheFilesOnceASecond(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, time.Now())
	s.open()
	files := &countingFiles{Files: s.files}
	a, err := Open(t.Context(), files, s.o)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := NewEphemeral(publicURL, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	chain := issueCertificate(t, elsewhere)
	request, err := ocsp.CreateRequest(chain[0], chain[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func() int32 {
		before := files.reads.Load()
		for range 50 {
			if der := a.answerOCSP(t.Context(), request); !bytes.Equal(der, ocsp.UnauthorizedErrorResponse) {
				t.Errorf("%x", der)
			}
			w := httptest.NewRecorder()
			a.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/authority/ca/issuing-2.crt", nil))
			if w.Code != http.StatusNotFound {
				t.Error(w.Code)
			}
			if _, err := a.Revocation(t.Context(), chain[0], chain[1]); !errors.Is(err, ErrUnknown) {
				t.Error(err)
			}
		}
		return files.reads.Load() - before
	}
	if n := ask(); n != int32(len(parts)) {
		t.Errorf("%d files were read", n)
	}
	for _, want := range []int{0, len(parts)} { // also while such requests never cease
		s.moveTo(s.o.Clock().Add(missGap / 2))
		if n := ask(); n != int32(want) {
			t.Errorf("half a second later %d files were read, want %d", n, want)
		}
	}
}

func TestFormerIssuersGoOnToStateTheStatusOfTheirCertificates(t *testing.T) {
	t.Parallel()
	now := time.Now() // openssl validates at this time
	s := newSuccession(t, now.AddDate(-18, -6, 0))
	a := s.open()
	s.moveTo(now.AddDate(0, -13, 0))
	former := map[int][]*x509.Certificate{}
	if k := a.keys(); !k.needsSuccessor(accountIssuer, s.o.Clock()) {
		// The running process has not looked yet, so it issues with the former keys.
		t.Fatal("no successor is due")
	}
	for part, h := range holders() {
		former[part] = certifyNew(t, a, h)
	}
	s.moveTo(now)
	a = s.open()
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	for part, h := range holders() {
		latter := certifyNew(t, a, h)
		if latter[1].Equal(former[part][1]) || bytes.Equal(latter[1].RawSubject, former[part][1].RawSubject) || bytes.Equal(latter[1].SubjectKeyId, former[part][1].SubjectKeyId) {
			t.Fatalf("%s succeeds %s", latter[1].Subject, former[part][1].Subject)
		}
		if latter[0].IssuingCertificateURL[0] == former[part][0].IssuingCertificateURL[0] || latter[0].CRLDistributionPoints[0] == former[part][0].CRLDistributionPoints[0] {
			t.Error("two generations have the same addresses")
		}
		if !a.MatchesHolder(former[part][0], h) || !a.MatchesHolder(latter[0], h) {
			t.Error("a certificate is not used although its status is stated for a year")
		}
		for generation, chain := range [][]*x509.Certificate{former[part], latter} {
			requireValidPath(t, a.Root(), chain, now)
			m, err := a.Revocation(t.Context(), chain[0], chain[1])
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{"root.pem": a.RootPEM(), "issuer.pem": pemOf(chain[1]), "leaf.pem": pemOf(chain[0]), "r.der": m.OCSP}
			runOpenssl(t, files, "verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "issuer.pem", "leaf.pem")
			verify := func(want string) {
				t.Helper()
				out := runOpenssl(t, files, "ocsp", "-respin", "r.der", "-issuer", "issuer.pem", "-cert", "leaf.pem", "-CAfile", "root.pem", "-verify_other", "issuer.pem", "-no_nonce")
				if !strings.Contains(out, "leaf.pem: "+want) || !strings.Contains(out, "Response verify OK") {
					t.Errorf("generation %d: %s", generation+1, out)
				}
			}
			verify("good")
			if err := a.Revoke(t.Context(), formatSerial(chain[0]), revocation.KeyCompromise, now.Add(-time.Second)); err != nil {
				t.Fatal(err)
			}
			if m, err = a.Revocation(t.Context(), chain[0], chain[1]); !errors.Is(err, revocation.ErrRevoked) {
				t.Errorf("generation %d: %v", generation+1, err)
			}
			files["r.der"] = m.OCSP
			verify("revoked")
			here := func(address string) string { return server.URL + strings.TrimPrefix(address, publicURL) }
			if got := fetchBody(t, here(chain[0].IssuingCertificateURL[0])); !bytes.Equal(got, chain[1].Raw) {
				t.Errorf("generation %d: the issuer is not where its certificates say", generation+1)
			}
			list, err := x509.ParseRevocationList(fetchBody(t, here(chain[0].CRLDistributionPoints[0])))
			if err != nil || len(list.RevokedCertificateEntries) != 1 || list.RevokedCertificateEntries[0].SerialNumber.Cmp(chain[0].SerialNumber) != 0 || list.CheckSignatureFrom(chain[1]) != nil {
				t.Errorf("generation %d: its list does not have its certificate alone, %v", generation+1, err)
			}
		}
	}
	// A responder never answers for the other generation.
	for _, g := range a.keys().parts[accountIssuer] {
		for _, chain := range former {
			der, err := a.buildOCSPResponse(t.Context(), g, chain[0].SerialNumber, crypto.SHA1, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := ocsp.ParseResponse(der, g.id.cert)
			if err != nil || (r.Status == ocsp.Unknown) == g.id.cert.Equal(chain[1]) {
				t.Errorf("%s about a certificate of %s: %+v, %v", g.name, chain[1].Subject, r, err)
			}
		}
	}
}

func TestACertificateOfAFormerIssuerIsReplacedAYearBeforeThatIssuerEnds(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s := newSuccession(t, begun)
	a := s.open()
	s.moveTo(begun.AddDate(18, 6, 0)) // it was not running when the successor was due
	chain := certifyNew(t, a, sariHolder())
	if !a.MatchesHolder(chain[0], sariHolder()) {
		t.Error("without a successor the certificate is not used")
	}
	s.moveTo(begun.AddDate(19, 0, 1))
	if !a.MatchesHolder(chain[0], sariHolder()) {
		t.Error("a month later, without a successor, the certificate is not used")
	}
	if err := a.Succeed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a.MatchesHolder(chain[0], sariHolder()) {
		t.Error("the certificate is used although the status of what it signs may be needed after its issuer has ended")
	}
}

// A process that dies after it has created a file leaves keys that the next one uses; before, there is nothing.
func TestASuccessorThatWasCreatedByAProcessThatDiedIsUsed(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s := newSuccession(t, begun)
	a := s.open()
	now := begun.AddDate(18, 0, 0)
	s.moveTo(now)
	made, err := parts[accountIssuer].create(2, a.keys().root, a.urls, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(s.files), ".new-1"), []byte(`{"version": 1`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := storeMembers(t.Context(), s.files, "issuing-2.json", s.o.Sealer, parts[accountIssuer].listMembers(2, &made)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := certifyNew(t, s.open(), sariHolder())[1]; !got.Equal(made.id.cert) {
			t.Errorf("%s from %s is used", got.Subject, got.NotBefore)
		}
	}
	if _, err := s.files.ReadFile(t.Context(), "issuing-3.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another one was created: %v", err)
	}
}

func TestAnIssuerCreatedWhileTheClockWasAheadIssuesNothingBeforeItBegins(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s := newSuccession(t, begun)
	first := certifyNew(t, s.open(), sariHolder())[1]
	s.moveTo(begun.AddDate(25, 0, 0))
	running := s.open()
	ahead := certifyNew(t, running, sariHolder())
	if ahead[1].Equal(first) {
		t.Fatal("there is no successor after 25 years")
	}
	now := begun.Add(time.Hour)
	s.moveTo(now)
	for name, a := range map[string]*Authority{"the process that created it": running, "after a start": s.open()} {
		if got := certifyNew(t, a, sariHolder())[1]; !got.Equal(first) {
			t.Errorf("%s: issues with what begins at %s", name, got.NotBefore)
		}
		for _, own := range a.OwnCertificates() {
			if own.Certificate.NotBefore.After(now) {
				t.Errorf("%s: %s in use begins at %s", name, own.Role, own.Certificate.NotBefore)
			}
		}
	}
	// In time another one is created beside it.
	now = begun.AddDate(18, 0, 0)
	s.moveTo(now)
	a := s.open()
	if got := certifyNew(t, a, sariHolder())[1]; got.Equal(first) || got.Equal(ahead[1]) || len(a.keys().parts[accountIssuer]) != 3 {
		t.Errorf("after 18 years %s from %s is used", got.Subject, got.NotBefore)
	}
	// An issuer of guests that was created ahead of time has a successor at once.
	s.moveTo(begun.AddDate(2, 0, 0))
	if err := os.Remove(filepath.Join(string(s.files), "contacts.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(string(s.files), "contacts-2.json")); err != nil {
		t.Fatal(err)
	}
	s.open()
	s.moveTo(begun.AddDate(1, 0, 0))
	requireValidPath(t, a.Root(), certifyNew(t, s.open(), mailboxHolder()), begun.AddDate(1, 0, 0))
}

func TestReadersFindEveryGenerationAndCreateNone(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s := newSuccession(t, begun)
	s.open()
	s.moveTo(begun.AddDate(18, 0, 0))
	before, err := Read(t.Context(), s.files, s.o)
	if err != nil || len(before.Issuers()) != 3 {
		t.Fatalf("%d issuers, %v", len(before.Issuers()), err)
	}
	a := s.open()
	if err := before.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	root, public, err := ReadPublic(t.Context(), s.files)
	if err != nil || !root.Equal(a.Root()) {
		t.Fatal(err)
	}
	for name, found := range map[string][]Issuer{"the one that created them": a.Issuers(), "a reader": before.Issuers(), "without secrets": public} {
		if len(found) != 6 {
			t.Fatalf("%s: %d issuers", name, len(found))
		}
		for n, i := range found {
			if !i.Certificate.Equal(a.Issuers()[n].Certificate) || i.Earlier != (n == 0) {
				t.Errorf("%s: %d is %s", name, n, i.Certificate.Subject)
			}
		}
	}
}

func TestASuccessorThatIsNotOneIsRefusedAndTheKnownKeysStayInUse(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s, other := newSuccession(t, begun), newSuccession(t, begun)
	running := s.open()
	other.open()
	for _, x := range []*succession{s, other} {
		x.moveTo(begun.AddDate(18, 0, 0))
	}
	other.open()
	foreign, err := other.files.ReadFile(t.Context(), "guests-2.json")
	if err != nil {
		t.Fatal(err)
	}
	tooMuch := part{parts[guestIssuer].name, "Guests", "Guests OCSP Responder", "", "", []Assurance{Guest, Account}}
	wide, err := tooMuch.create(2, running.keys().root, running.urls, s.o.Clock())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storeMembers(t.Context(), other.files, "wide.json", s.o.Sealer, tooMuch.listMembers(2, &wide)); err != nil {
		t.Fatal(err)
	}
	policies, err := other.files.ReadFile(t.Context(), "wide.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"of another authority": foreign, "with another policy": policies, "damaged": foreign[:100], "empty": {}} {
		file := filepath.Join(string(s.files), "guests-2.json")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := running.Succeed(t.Context()); err == nil {
			t.Errorf("%s: it was taken", name)
		}
		if _, err := Open(t.Context(), s.files, s.o); err == nil {
			t.Errorf("%s: it was taken at a start", name)
		}
		if _, _, err := ReadPublic(t.Context(), s.files); err == nil && name != "damaged" && name != "empty" {
			t.Errorf("%s: it was taken without secrets", name)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, content) {
			t.Errorf("%s: it was replaced, %v", name, err)
		}
		certifyNew(t, running, budiHolder())
	}
}
