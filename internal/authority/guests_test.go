package authority

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/ocsp"

	"segel/internal/credential"
	"segel/revocation"
)

func certifyNew(t *testing.T, a *Authority, h Holder) []*x509.Certificate {
	t.Helper()
	chain, err := a.Certify(t.Context(), h, newKey(t).Public())
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func TestGuestHasAnIssuerAndAPolicyOfTheirOwnAndNoEmail(t *testing.T) {
	t.Parallel()
	l := &MemoryLedger{}
	a := openAuthority(t, t.TempDir(), l)
	guest, account := certifyNew(t, a, budiHolder()), certifyNew(t, a, sariHolder())
	if guest[1].Equal(account[1]) || !guest[2].Equal(account[2]) || bytes.Equal(guest[1].RawSubjectPublicKeyInfo, account[1].RawSubjectPublicKeyInfo) {
		t.Error("guest and account share an issuer, or not the root")
	}
	c := guest[0]
	if got := c.Subject.CommonName; got != "Guest (identity not verified): Budi Santoso" {
		t.Errorf("common name %q", got)
	}
	if got := strings.Join(c.Subject.OrganizationalUnit, "; "); got != "Named by: Sari Wulandari; Sender's organisation: PT Contoh" {
		t.Errorf("units %q", got)
	}
	if len(c.Subject.Organization) != 0 || len(c.EmailAddresses) != 0 || bytes.Contains(c.Raw, []byte("budi@")) || hasExtension(c, asn1.ObjectIdentifier{2, 5, 29, 17}) {
		t.Errorf("organisation %q, e-mail %q", c.Subject.Organization, c.EmailAddresses)
	}
	for x, c := range map[Assurance]*x509.Certificate{Guest: c, Account: account[0]} {
		if len(c.Policies) != 1 || c.Policies[0].String() != x.Policy() {
			t.Errorf("policies %v, want %s", c.Policies, x.Policy())
		}
	}
	if len(guest[1].Policies) != 1 || guest[1].Policies[0].String() != Guest.Policy() || len(account[1].Policies) != 3 {
		t.Errorf("below the issuers are valid %v and %v", guest[1].Policies, account[1].Policies)
	}
	found, err := l.Lookup(t.Context(), formatSerial(c))
	r := found[formatSerial(c)]
	if err != nil || r.Assurance != Guest || r.NamedBy != "Sari Wulandari" || r.Organisation != "PT Contoh" || r.Email != "budi@example.test" || r.Holder != "8" {
		t.Errorf("in the ledger: %+v, %v", r, err)
	}
	if got := ReadStatement(c, Guest); got != (Statement{Guest, "Budi Santoso", "PT Contoh", "Sari Wulandari", ""}) {
		t.Errorf("read %+v", got)
	}
	if got := ReadStatement(account[0], Account); got != (Statement{Account, "Sari Wulandari", "PT Contoh", "", ""}) {
		t.Errorf("read %+v", got)
	}
}

func hasExtension(c *x509.Certificate, id asn1.ObjectIdentifier) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(id) {
			return true
		}
	}
	return false
}

func TestEveryPolicyHasATextOfAtMost200CharactersInBothLanguages(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	holders := map[Assurance]Holder{
		Guest: budiHolder(), GuestMailbox: mailboxHolder(), GuestPhone: phoneHolder(), Account: sariHolder(),
		Seal:     {ID: "9", Name: "PT Contoh", Organisation: "PT Contoh", Assurance: Seal},
		Specimen: {ID: "SPESIMEN", Name: "Segel Sandbox", Assurance: Specimen},
	}
	for _, p := range policies {
		if n := utf8.RuneCountInString(p.notice); n > 200 {
			t.Errorf("%s: text of %d characters", p.assurance, n)
		}
		c := certifyNew(t, a, holders[p.assurance])[0]
		text := append([]byte{asn1.TagUTF8String}, certLen(len(p.notice))...)
		if !bytes.Contains(c.Raw, append(text, p.notice...)) || !bytes.Contains(c.Raw, []byte(publicURL+"/authority/policies.txt")) {
			t.Errorf("%s: the certificate has not its text", p.assurance)
		}
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/authority/policies.txt", nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), p.assurance.Policy()+"\n"+p.notice) {
			t.Errorf("%s: %d %s", p.assurance, w.Code, w.Body)
		}
	}
	if Assurance("").Policy() != "" {
		t.Error("no assurance has a policy")
	}
}

// certLen returns a DER length.
func certLen(n int) []byte {
	if n < 0x80 {
		return []byte{byte(n)}
	}
	return []byte{0x81, byte(n)}
}

// The prefix of a guest's name is out of the owner's control, whatever the name is.
func TestNoNamePushesOutOrImitatesTheWordsBeforeIt(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	for _, c := range []struct{ name, shown, full string }{
		{"Budi (verified)", "Budi (verified)", ""},
		{"Sari Wulandari, verified by PT Contoh", "Sari Wulandari, verified by PT Co…", "Sari Wulandari, verified by PT Contoh"},
		{"Guest (identity not verified): Sari", "Guest (identity not verified): Sari", "Guest (identity not verified): Sari"},
		{strings.Repeat("Raden ", 60), "Raden Raden Raden Raden Raden Ra…", clipTo(strings.TrimSpace(strings.Repeat("Raden ", 60)), 255)},
		{"\u202eiduB\u202c (verified)", "iduB (verified)", ""},   // right-to-left override
		{"\u2066\u200fBudi\u2069\u200b\u200d\ufeff", "Budi", ""}, // isolates, marks, no width
		{"Budi\nCN=Sari\r\tO=PT Contoh\x00\x1b[2J", "Budi CN=Sari O=PT Contoh[2J", ""},
		{"\u0338\u0336\u20ddBudi\u0336", "Budi\u0336", ""},                                   // combining marks that strike through the preceding text
		{"Βudi Ѕantоsо", "Βudi Ѕantоsо", ""},                                                 // Greek and Cyrillic letters
		{"بودي سانتوسو", "بودي سانتوسو", ""},                                                 // right-to-left script
		{"Bu\u00addi\u2028San\u2029toso\U000e0041", "Budi San toso", ""},                     // soft hyphen, line separators, tags
		{"Budi" + strings.Repeat("\u00a0\u3000", 100) + "(verified)", "Budi (verified)", ""}, // wide spaces
		{"李小龍", "李小龍", ""},
	} {
		h := budiHolder()
		h.Name, h.NamedBy, h.Organisation = c.name, c.name, c.name
		cert := certifyNew(t, a, h)[0]
		cn := cert.Subject.CommonName
		if want := "Guest (identity not verified): " + c.shown; cn != clipName(want) || utf8.RuneCountInString(cn) > 64 {
			t.Errorf("%q: common name %q, want %q", c.name, cn, clipName(want))
		}
		for i, u := range cert.Subject.OrganizationalUnit {
			if !strings.HasPrefix(u, []string{"Named by: ", "Sender's organisation: "}[i]) || utf8.RuneCountInString(u) > 64 {
				t.Errorf("%q: unit %q", c.name, u)
			}
		}
		full := ""
		for _, v := range cert.Subject.Names {
			if v.Type.Equal(oidName) {
				full = v.Value.(string)
			}
		}
		if want := c.full; (want == "") != (full == "") || want != "" && full != "Guest (identity not verified): "+want {
			t.Errorf("%q: full name %q, want %q", c.name, full, want)
		}
		if len(cert.Subject.Organization) != 0 || !a.MatchesHolder(cert, h) {
			t.Errorf("%q: subject %s", c.name, cert.Subject)
		}
	}
}

func TestHolderWhoseAssuranceIsMissingOrNotTheirsIsNotCertified(t *testing.T) {
	t.Parallel()
	l := &MemoryLedger{}
	a := openAuthority(t, t.TempDir(), l)
	for name, change := range map[string]func(*Holder){
		"no assurance":                 func(h *Holder) { h.Assurance = "" },
		"unknown assurance":            func(h *Holder) { h.Assurance = "passport" },
		"guest without a namer":        func(h *Holder) { h.NamedBy = "" },
		"guest named by no character":  func(h *Holder) { h.NamedBy = "\u200b\u202e" },
		"guest without a name":         func(h *Holder) { h.Name = " \u200b " },
		"guest of no organisation":     func(h *Holder) { h.Organisation = "" },
		"account with a namer":         func(h *Holder) { h.Assurance = Account },
		"account of no organisation":   func(h *Holder) { h.Assurance, h.NamedBy, h.Organisation = Account, "", "" },
		"seal of no organisation":      func(h *Holder) { h.Assurance, h.NamedBy, h.Organisation = Seal, "", "" },
		"specimen of an organisation":  func(h *Holder) { h.Assurance, h.NamedBy = Specimen, "" },
		"mailbox not stated":           func(h *Holder) { h.Assurance = GuestMailbox },
		"mailbox with a name":          func(h *Holder) { h.Assurance, h.Contact = GuestMailbox, "Sari <sari@example.test>" },
		"mailbox beyond ASCII":         func(h *Holder) { h.Assurance, h.Contact = GuestMailbox, "sari@contoh.индонезия" },
		"unverified with a mailbox":    func(h *Holder) { h.Contact = "budi@example.test" },
		"mailbox that is a phone":      func(h *Holder) { h.Assurance, h.Contact = GuestMailbox, "+628123456789" },
		"phone that is a mailbox":      func(h *Holder) { h.Assurance, h.Contact = GuestPhone, "budi@example.test" },
		"phone with other characters":  func(h *Holder) { h.Assurance, h.Contact = GuestPhone, "+62812CN=Sari" },
		"phone not stated":             func(h *Holder) { h.Assurance = GuestPhone },
		"account with a mailbox":       func(h *Holder) { h.Assurance, h.NamedBy, h.Contact = Account, "", "budi@example.test" },
		"no identifier":                func(h *Holder) { h.ID = "" },
		"identifier with an attribute": func(h *Holder) { h.ID = "8+CN=Sari" },
		"identifier too long":          func(h *Holder) { h.ID = strings.Repeat("8", 65) },
	} {
		h := budiHolder()
		change(&h)
		if chain, err := a.Certify(t.Context(), h, newKey(t).Public()); !errors.Is(err, ErrHolder) || chain != nil {
			t.Errorf("%s: %d certificates, %v", name, len(chain), err)
		}
		if a.MatchesHolder(issueCertificate(t, a)[0], h) {
			t.Errorf("%s: has a certificate", name)
		}
	}
	if len(l.records) != 22 {
		t.Errorf("%d certificates in the ledger", len(l.records))
	}
}

func TestCertificateIsTakenForItsOwnHoldersAlone(t *testing.T) {
	t.Parallel()
	a, other := openAuthority(t, t.TempDir(), &MemoryLedger{}), openAuthority(t, t.TempDir(), &MemoryLedger{})
	seal := Holder{ID: "7", Name: "Sari Wulandari", Organisation: "PT Contoh", Assurance: Seal}
	sameAsGuest := budiHolder()
	sameAsGuest.Assurance, sameAsGuest.NamedBy = Account, ""
	for name, c := range map[string]struct {
		cert *x509.Certificate
		h    Holder
		want bool
	}{
		"their own":                        {certifyNew(t, a, sariHolder())[0], sariHolder(), true},
		"a guest's own":                    {certifyNew(t, a, budiHolder())[0], budiHolder(), true},
		"a guest's for an account":         {certifyNew(t, a, budiHolder())[0], sameAsGuest, false},
		"an account's for a guest":         {certifyNew(t, a, sameAsGuest)[0], budiHolder(), false},
		"a seal's for an account, same id": {certifyNew(t, a, seal)[0], sariHolder(), false},
		"an account's for a seal, same id": {certifyNew(t, a, sariHolder())[0], seal, false},
		"of another authority":             {certifyNew(t, other, sariHolder())[0], sariHolder(), false},
		"the issuer's":                     {a.keys().parts[accountIssuer][0].id.cert, sariHolder(), false},
		"of a guest with another namer":    {certifyNew(t, a, budiHolder())[0], changeHolder(budiHolder(), func(h *Holder) { h.NamedBy = "Andi" }), false},
		"of another identifier":            {certifyNew(t, a, sariHolder())[0], changeHolder(sariHolder(), func(h *Holder) { h.ID = "9" }), false},
		"of another organisation":          {certifyNew(t, a, sariHolder())[0], changeHolder(sariHolder(), func(h *Holder) { h.Organisation = "PT Lain" }), false},
		"made before policies":             {issueEarlier(t, a, sariHolder()), sariHolder(), false},
	} {
		if got := a.MatchesHolder(c.cert, c.h); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func changeHolder(h Holder, change func(*Holder)) Holder {
	change(&h)
	return h
}

// issueEarlier issues a certificate as before there were policies: signed by the first issuer, with the e-mail address.
func issueEarlier(t *testing.T, a *Authority, h Holder) *x509.Certificate {
	t.Helper()
	subject, err := h.buildSubject()
	if err != nil {
		t.Fatal(err)
	}
	id, err := newIdentity(&x509.Certificate{
		Subject: subject, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, EmailAddresses: []string{h.Email},
	}, newKey(t).Curve, &a.keys().parts[accountIssuer][0].id)
	if err != nil {
		t.Fatal(err)
	}
	return id.cert
}

func TestOpenSSLFindsThePolicyOfAGuestValidAndNoOtherBelowTheirIssuer(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	guest, account := certifyNew(t, a, budiHolder()), certifyNew(t, a, sariHolder())
	files := map[string][]byte{
		"root.pem": a.RootPEM(), "guests.pem": pemOf(guest[1]), "issuing.pem": pemOf(account[1]), "guest.pem": pemOf(guest[0]), "account.pem": pemOf(account[0]),
	}
	runOpenssl(t, files, "verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "guests.pem", "guest.pem")
	runOpenssl(t, files, "verify", "-x509_strict", "-explicit_policy", "-policy", Guest.Policy(), "-CAfile", "root.pem", "-untrusted", "guests.pem", "guest.pem")
	runOpenssl(t, files, "verify", "-x509_strict", "-explicit_policy", "-policy", Account.Policy(), "-CAfile", "root.pem", "-untrusted", "issuing.pem", "account.pem")
	for _, args := range [][]string{
		{"-policy", Account.Policy(), "-untrusted", "guests.pem", "guest.pem"},
		{"-policy", Guest.Policy(), "-untrusted", "issuing.pem", "account.pem"},
	} {
		out := requireRefused(t, files, append([]string{"verify", "-explicit_policy", "-CAfile", "root.pem"}, args...)...)
		if !strings.Contains(out, "no explicit policy") {
			t.Errorf("%v: %s", args, out)
		}
	}
	m, err := a.Revocation(t.Context(), guest[0], guest[1])
	if err != nil {
		t.Fatal(err)
	}
	files["r.der"] = m.OCSP
	out := runOpenssl(t, files, "ocsp", "-respin", "r.der", "-issuer", "guests.pem", "-cert", "guest.pem", "-CAfile", "root.pem", "-verify_other", "guests.pem", "-no_nonce")
	if !strings.Contains(out, "guest.pem: good") {
		t.Error(out)
	}
}

func TestIssuerAnswersForWhatItIssuedAndNothingElse(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	guest, account := certifyNew(t, a, budiHolder()), certifyNew(t, a, sariHolder())
	asked := func(cert, issuer *x509.Certificate) int {
		t.Helper()
		request, err := ocsp.CreateRequest(cert, issuer, &ocsp.RequestOptions{Hash: crypto.SHA256})
		if err != nil {
			t.Fatal(err)
		}
		r, err := ocsp.ParseResponseForCert(a.answerOCSP(t.Context(), request), cert, issuer)
		if err != nil {
			t.Fatal(err)
		}
		return r.Status
	}
	lists := func() (inGuests, inIssuing int) {
		t.Helper()
		for i, of := range a.keys().listIssuers() {
			der, err := a.currentCRL(t.Context(), of.id)
			if err != nil {
				t.Fatal(err)
			}
			l, err := x509.ParseRevocationList(der)
			if err != nil || l.CheckSignatureFrom(of.id.cert) != nil {
				t.Fatal(err)
			}
			if i == 2 {
				if len(l.RevokedCertificateEntries) != 0 {
					t.Error("the issuer of verified contacts lists what it did not issue")
				}
				continue
			}
			*[]*int{&inIssuing, &inGuests}[i] = len(l.RevokedCertificateEntries)
		}
		return inGuests, inIssuing
	}
	if asked(guest[0], guest[1]) != ocsp.Good || asked(account[0], account[1]) != ocsp.Good {
		t.Error("a certificate is not good to its own issuer")
	}
	if asked(guest[0], account[1]) != ocsp.Unknown || asked(account[0], guest[1]) != ocsp.Unknown {
		t.Error("an issuer answers for what another one issued")
	}
	if _, err := a.Revocation(t.Context(), guest[0], account[1]); !errors.Is(err, revocation.ErrUnusable) {
		t.Errorf("in process: %v", err)
	}
	if err := a.Revoke(t.Context(), formatSerial(guest[0]), revocation.KeyCompromise, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if asked(guest[0], guest[1]) != ocsp.Revoked || asked(guest[0], account[1]) != ocsp.Unknown || asked(account[0], account[1]) != ocsp.Good {
		t.Error("the revocation of a guest is stated by another issuer, or not at all")
	}
	if g, i := lists(); g != 1 || i != 0 {
		t.Errorf("%d in the list of guests, %d in the other", g, i)
	}
	if err := a.Revoke(t.Context(), formatSerial(account[0]), revocation.KeyCompromise, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if g, i := lists(); g != 1 || i != 1 {
		t.Errorf("%d in the list of guests, %d in the other", g, i)
	}
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	here := func(address string) string { return server.URL + strings.TrimPrefix(address, publicURL) }
	if got := fetchBody(t, here(guest[0].IssuingCertificateURL[0])); !bytes.Equal(got, guest[1].Raw) {
		t.Error("the issuer of guests is not where their certificates say")
	}
	if _, err := (revocation.Data{CRL: fetchBody(t, here(guest[0].CRLDistributionPoints[0]))}).Validate(guest[0], guest[1], time.Now()); !errors.Is(err, revocation.ErrRevoked) {
		t.Errorf("the list is not where the certificate says: %v", err)
	}
}

// newInstallation returns the folder of an authority from before there was an issuer for guests, with its master key.
func newInstallation(t *testing.T) (dir string, o Options) {
	t.Helper()
	b, err := os.ReadFile("testdata/formats/authority-1.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := credential.NewSealer(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "authority.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, Options{PublicURL: publicURL, Clock: time.Now, Sealer: s, Ledger: &MemoryLedger{}}
}

func TestExistingInstallationGetsAnIssuerForGuestsOnce(t *testing.T) {
	t.Parallel()
	dir, o := newInstallation(t)
	if root, issuers, err := ReadPublic(t.Context(), Folder(dir)); err != nil || root == nil || len(issuers) != 1 {
		t.Errorf("before: %d issuers, %v", len(issuers), err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "authority.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	opened := make([]*Authority, 8)
	for i := range opened {
		all.Go(func() {
			var err error
			if opened[i], err = Open(t.Context(), Folder(dir), o); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	again, err := Open(t.Context(), Folder(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range opened {
		for _, n := range []int{guestIssuer, contactIssuer} {
			if a == nil || !a.keys().parts[n][0].id.cert.Equal(again.keys().parts[n][0].id.cert) || !a.keys().parts[n][0].ocsp.cert.Equal(again.keys().parts[n][0].ocsp.cert) {
				t.Fatalf("starter %d has another issuer for guests", i)
			}
		}
	}
	c := again.keys().parts[guestIssuer][0].id.cert
	root := again.Root()
	if c.CheckSignatureFrom(root) != nil || c.NotAfter.After(root.NotAfter) || c.NotBefore.Before(root.NotBefore) || c.Subject.CommonName == again.keys().parts[accountIssuer][0].id.cert.Subject.CommonName {
		t.Errorf("issuer for guests %s, %s to %s", c.Subject, c.NotBefore, c.NotAfter)
	}
	if !strings.HasSuffix(c.Subject.CommonName, strings.TrimPrefix(root.Subject.CommonName, "Segel Root ")) {
		t.Errorf("issuer for guests %s below %s", c.Subject, root.Subject)
	}
	after, err := os.ReadFile(filepath.Join(dir, "authority.json"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("authority.json was changed, %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "guests.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	gotRoot, issuers, err := ReadPublic(t.Context(), Folder(dir))
	if err != nil || !gotRoot.Equal(root) || len(issuers) != 3 || !issuers[1].Certificate.Equal(c) || !issuers[2].Certificate.Equal(again.keys().parts[contactIssuer][0].id.cert) || issuers[2].Earlier || issuers[1].Earlier || !issuers[0].Earlier {
		t.Errorf("%+v, %v", issuers, err)
	}
	// The old issuer still issues to accounts, and its earlier certificates are good.
	chain := certifyNew(t, again, sariHolder())
	if _, err := again.Revocation(t.Context(), chain[0], chain[1]); err != nil || !chain[1].Equal(again.keys().parts[accountIssuer][0].id.cert) {
		t.Error(err)
	}
}

// A crash while the file is created leaves a temporary file that is never read.
func TestIssuerForGuestsIsMadeAnewAfterACrashBeforeItWasDurable(t *testing.T) {
	t.Parallel()
	dir, o := newInstallation(t)
	if err := os.WriteFile(filepath.Join(dir, ".new-123"), []byte(`{"version": 1, "memb`), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), Folder(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	certifyNew(t, a, budiHolder())
}

func TestIssuerForGuestsThatIsNotOneIsRefused(t *testing.T) {
	t.Parallel()
	dir, o := newInstallation(t)
	a, err := Open(t.Context(), Folder(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "guests.json")
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewEphemeral(publicURL, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	form := func(version int, issuing, responder identity) []byte {
		t.Helper()
		out := storedFile{Version: version, Members: map[string]storedIdentity{}}
		for name, id := range map[string]identity{"guests-issuing": issuing, "guests-ocsp": responder} {
			var err error
			if out.Members[name], err = id.sealMember(name, o.Sealer); err != nil {
				t.Fatal(err)
			}
		}
		b, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, b := range map[string][]byte{
		"half a file":                  sound[:len(sound)/2],
		"nothing":                      []byte("{}"),
		"a later version":              form(2, a.keys().parts[guestIssuer][0].id, a.keys().parts[guestIssuer][0].ocsp),
		"of another authority":         form(1, other.keys().parts[guestIssuer][0].id, other.keys().parts[guestIssuer][0].ocsp),
		"the issuer of accounts":       form(1, a.keys().parts[accountIssuer][0].id, a.keys().parts[accountIssuer][0].ocsp),
		"the responder of accounts":    form(1, a.keys().parts[guestIssuer][0].id, a.keys().parts[accountIssuer][0].ocsp),
		"a new issuer of all it can":   form(1, freshIssuing(t, a), a.keys().parts[guestIssuer][0].ocsp),
		"a key of another certificate": form(1, identity{a.keys().parts[guestIssuer][0].ocsp.key, a.keys().parts[guestIssuer][0].id.cert}, a.keys().parts[guestIssuer][0].ocsp),
	} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), Folder(dir), o); err == nil {
			t.Errorf("%s was taken", name)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s was replaced, %v", name, err)
		}
	}
}

// freshIssuing returns an issuer of the root below which every policy is valid.
func freshIssuing(t *testing.T, a *Authority) identity {
	t.Helper()
	id, err := newIssuingIdentity(nameOf("Guests", "1"), a.urls, time.Now(), time.Now().AddDate(1, 0, 0), &a.keys().root, Guest, Account, Seal)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestFirstFormOfAnIssuerForGuestsIsStillRead(t *testing.T) {
	t.Parallel()
	dir, o := newInstallation(t)
	b, err := os.ReadFile("testdata/formats/authority-guests-1.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "guests.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), Folder(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	if chain := certifyNew(t, a, budiHolder()); !strings.Contains(string(b), "guests-issuing") || chain[0].CheckSignatureFrom(a.keys().parts[guestIssuer][0].id.cert) != nil {
		t.Error("the issuer for guests cannot issue")
	}
}

func TestAnswersReadAheadTakeOneLookupAndStateTheirTime(t *testing.T) {
	t.Parallel()
	l := &countingLedger{Ledger: &MemoryLedger{}}
	a := openAuthority(t, t.TempDir(), l)
	first, second, third := certifyNew(t, a, budiHolder()), certifyNew(t, a, budiHolder()), certifyNew(t, a, budiHolder())
	l.lookups.Store(0)
	read := time.Now()
	ahead, err := revocation.Sources{a}.ReadAhead(t.Context(), first[0], second[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, chain := range [][]*x509.Certificate{first, second} {
		m, err := ahead.Revocation(t.Context(), chain[0], chain[1])
		if err != nil {
			t.Fatal(err)
		}
		if s, err := m.Verify(chain[0], chain[1]); err != nil || s.ThisUpdate.After(read.Add(time.Second)) {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if n := l.lookups.Load(); n != 1 {
		t.Errorf("%d lookups", n)
	}
	// Other certificates are looked up, and the next operation reads what has changed.
	if err := a.Revoke(t.Context(), formatSerial(first[0]), revocation.KeyCompromise, time.Now().Add(-2*time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := ahead.Revocation(t.Context(), third[0], third[1]); err != nil {
		t.Error(err)
	}
	if ahead, err = (revocation.Sources{a}).ReadAhead(t.Context(), first[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := ahead.Revocation(t.Context(), first[0], first[1]); !errors.Is(err, revocation.ErrRevoked) {
		t.Error(err)
	}
}

// countingLedger counts lookups.
type countingLedger struct {
	Ledger
	lookups atomic.Int64
}

func (l *countingLedger) Lookup(ctx context.Context, serials ...string) (map[string]Record, error) {
	l.lookups.Add(1)
	return l.Ledger.Lookup(ctx, serials...)
}

func TestACertificateIsUnknownUntilItsRecordIsInTheLedger(t *testing.T) {
	t.Parallel()
	l := &MemoryLedger{}
	a := openAuthority(t, t.TempDir(), l)
	chain, r, err := a.IssueUnrecorded(budiHolder(), newKey(t).Public())
	if err != nil {
		t.Fatal(err)
	}
	status := func() int {
		t.Helper()
		der, err := a.buildOCSPResponse(t.Context(), a.keys().parts[guestIssuer][0], chain[0].SerialNumber, crypto.SHA256, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := ocsp.ParseResponse(der, chain[1])
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status
	}
	if got := status(); got != ocsp.Unknown {
		t.Errorf("before: status %d", got)
	}
	if _, err := a.Revocation(t.Context(), chain[0], chain[1]); err == nil {
		t.Error("before: it has revocation data")
	}
	if err := l.RecordIssued(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != ocsp.Good {
		t.Errorf("after: status %d", got)
	}
	if want := budiHolder(); r.Serial != formatSerial(chain[0]) || !bytes.Equal(r.DER, chain[0].Raw) || r.Holder != want.ID || r.Assurance != Guest || r.Email != want.Email || r.NamedBy != want.NamedBy {
		t.Errorf("record %+v", r)
	}
}
