package authority

import (
	"bytes"
	"crypto/x509"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/revocation"
)

func mailboxHolder() Holder {
	h := budiHolder()
	h.Assurance, h.Contact = GuestMailbox, "budi@example.test"
	return h
}

func phoneHolder() Holder {
	h := budiHolder()
	h.Assurance, h.Contact = GuestPhone, "+628123456789"
	return h
}

func TestCertificateStatesTheVerifiedContactAndNoIdentity(t *testing.T) {
	t.Parallel()
	l := &MemoryLedger{}
	a := openAuthority(t, t.TempDir(), l)
	guest := certifyNew(t, a, budiHolder())
	for _, h := range []Holder{mailboxHolder(), phoneHolder()} {
		chain := certifyNew(t, a, h)
		c := chain[0]
		if c.Subject.CommonName != guest[0].Subject.CommonName || !strings.HasPrefix(c.Subject.CommonName, "Guest (identity not verified): ") || len(c.Subject.Organization) != 0 {
			t.Errorf("%s: subject %s", h.Assurance, c.Subject)
		}
		if !hasOnlyPolicies(c, h.Assurance) || chain[1].Equal(guest[1]) || !chain[2].Equal(guest[2]) || !hasOnlyPolicies(chain[1], GuestMailbox, GuestPhone) {
			t.Errorf("%s: policies %v below %v", h.Assurance, c.Policies, chain[1].Policies)
		}
		want := []string(nil)
		if h.Assurance == GuestMailbox {
			want = []string{h.Contact}
		}
		if strings.Join(c.EmailAddresses, " ") != strings.Join(want, " ") || !bytes.Contains(c.Raw, []byte(h.Contact)) {
			t.Errorf("%s: mailboxes %q", h.Assurance, c.EmailAddresses)
		}
		if got := ReadStatement(c, h.Assurance); got != (Statement{h.Assurance, "Budi Santoso", "PT Contoh", "Sari Wulandari", h.Contact}) {
			t.Errorf("read %+v", got)
		}
		found, err := l.Lookup(t.Context(), formatSerial(c))
		r := found[formatSerial(c)]
		if err != nil || r.Assurance != h.Assurance {
			t.Errorf("in the ledger: %+v, %v", r, err)
		}
		other := h
		other.Contact = strings.ReplaceAll(strings.ReplaceAll(h.Contact, "budi@", "siti@"), "+62", "+65")
		if !a.MatchesHolder(c, h) || a.MatchesHolder(c, other) || a.MatchesHolder(c, budiHolder()) || a.MatchesHolder(guest[0], h) {
			t.Errorf("%s: the certificate is taken for another holder's, or not for its own", h.Assurance)
		}
	}
}

func TestAVerifiedMailboxIsTheAlternativeNameAlone(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	c := certifyNew(t, a, mailboxHolder())[0]
	if bytes.Contains(c.RawSubject, []byte("@")) || len(c.DNSNames)+len(c.URIs)+len(c.IPAddresses) != 0 {
		t.Errorf("subject %s, names %v %v %v", c.Subject, c.DNSNames, c.URIs, c.IPAddresses)
	}
	if c := certifyNew(t, a, phoneHolder())[0]; len(c.EmailAddresses) != 0 || !bytes.Contains(c.RawSubject, []byte("\x13\x0d+628123456789")) { // PrintableString (X.520)
		t.Errorf("subject %s", c.Subject)
	}
}

func TestOpenSSLFindsThePoliciesOfVerifiedContactsValidBelowTheirIssuerAlone(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	guest, mailbox, phone := certifyNew(t, a, budiHolder()), certifyNew(t, a, mailboxHolder()), certifyNew(t, a, phoneHolder())
	files := map[string][]byte{
		"root.pem": a.RootPEM(), "guests.pem": pemOf(guest[1]), "contacts.pem": pemOf(mailbox[1]),
		"guest.pem": pemOf(guest[0]), "mailbox.pem": pemOf(mailbox[0]), "phone.pem": pemOf(phone[0]),
	}
	for file, x := range map[string]Assurance{"mailbox.pem": GuestMailbox, "phone.pem": GuestPhone} {
		runOpenssl(t, files, "verify", "-x509_strict", "-explicit_policy", "-policy", x.Policy(), "-CAfile", "root.pem", "-untrusted", "contacts.pem", file)
	}
	for _, args := range [][]string{
		{"-policy", Guest.Policy(), "-untrusted", "contacts.pem", "mailbox.pem"},
		{"-policy", Account.Policy(), "-untrusted", "contacts.pem", "mailbox.pem"},
		{"-policy", GuestMailbox.Policy(), "-untrusted", "contacts.pem", "phone.pem"},
		{"-policy", GuestMailbox.Policy(), "-untrusted", "guests.pem", "guest.pem"},
	} {
		out := requireRefused(t, files, append([]string{"verify", "-explicit_policy", "-CAfile", "root.pem"}, args...)...)
		if !strings.Contains(out, "no explicit policy") {
			t.Errorf("%v: %s", args, out)
		}
	}
	m, err := a.Revocation(t.Context(), mailbox[0], mailbox[1])
	if err != nil {
		t.Fatal(err)
	}
	files["r.der"] = m.OCSP
	if out := runOpenssl(t, files, "ocsp", "-respin", "r.der", "-issuer", "contacts.pem", "-cert", "mailbox.pem", "-CAfile", "root.pem", "-verify_other", "contacts.pem", "-no_nonce"); !strings.Contains(out, "mailbox.pem: good") {
		t.Error(out)
	}
}

// An installation whose authority is from before verified contacts: its certificates stay valid and its files stay as they are.
func TestExistingInstallationGetsAnIssuerForVerifiedContacts(t *testing.T) {
	t.Parallel()
	dir, o := newInstallation(t)
	first, err := Open(t.Context(), Folder(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	guest := certifyNew(t, first, budiHolder())
	before, err := os.ReadFile(filepath.Join(dir, "guests.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "contacts.json")); err != nil { // as it was before this issuer
		t.Fatal(err)
	}
	if _, issuers, err := ReadPublic(t.Context(), Folder(dir)); err != nil || len(issuers) != 2 {
		t.Errorf("before: %d issuers, %v", len(issuers), err)
	}
	if _, err := Read(t.Context(), Folder(dir), o); !errors.Is(err, ErrMissing) {
		t.Errorf("a reader: %v", err)
	}
	a, err := Open(t.Context(), Folder(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "guests.json")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("guests.json was changed, %v", err)
	}
	if _, err := a.Revocation(t.Context(), guest[0], guest[1]); err != nil {
		t.Errorf("a certificate from before: %v", err)
	}
	mailbox := certifyNew(t, a, mailboxHolder())
	if err := a.Revoke(t.Context(), formatSerial(mailbox[0]), revocation.KeyCompromise, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Revocation(t.Context(), mailbox[0], mailbox[1]); !errors.Is(err, revocation.ErrRevoked) {
		t.Errorf("OCSP: %v", err)
	}
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	here := func(address string) string { return server.URL + strings.TrimPrefix(address, publicURL) }
	if got := fetchBody(t, here(mailbox[0].IssuingCertificateURL[0])); !bytes.Equal(got, mailbox[1].Raw) {
		t.Error("the issuer is not where its certificates say")
	}
	list, err := x509.ParseRevocationList(fetchBody(t, here(mailbox[0].CRLDistributionPoints[0])))
	if err != nil || len(list.RevokedCertificateEntries) != 1 || list.CheckSignatureFrom(mailbox[1]) != nil {
		t.Errorf("the list is not where its certificates say, %v", err)
	}
}
