package workflow_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/workflow"
	"segel/pades/validate"
	"segel/pdf"
	"segel/revocation"
	"segel/tsp"
)

const year = 365 * 24 * time.Hour

// closed returns a document that is signed, sealed and timestamped.
func (h *harness) closed() contract.DocumentID {
	h.t.Helper()
	id := h.draft(true, 0)
	if _, err := h.Sign(context.Background(), h.signer, id, workflow.SignRequest{}); err != nil {
		h.t.Fatal(err)
	}
	h.work(id)
	if d := h.read(id); d.State != contract.Completed {
		h.t.Fatalf("the document is %s: %s", d.State, d.Reason)
	}
	return id
}

// another replaces the time-stamp authority by a new, trusted one whose certificate lasts longer.
func (h *harness) another() { h.Trust.Add(validate.ForTime, "another", h.untrusted().Root()) }

// untrusted replaces the time-stamp authority by a new one with an untrusted root.
func (h *harness) untrusted() *authority.Authority {
	h.t.Helper()
	a, err := authority.NewEphemeral("http://another.test", h.now)
	if err != nil {
		h.t.Fatal(err)
	}
	h.clock.Timestamper = a.Timestamper()
	h.Service.Revocation = revocation.Sources{h.Service.Revocation, a}
	return a
}

// timestamps returns the fields of the document timestamps in the file, and the file.
func (h *harness) timestamps(id contract.DocumentID) (fields []string, file string) {
	h.t.Helper()
	c, err := h.Download(context.Background(), h.owner, id)
	if err != nil {
		h.t.Fatal(err)
	}
	defer c.Close()
	b, err := io.ReadAll(c)
	if err != nil {
		h.t.Fatal(err)
	}
	file = string(b)
	d, err := pdf.Open(strings.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	signatures, err := d.Signatures()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, s := range signatures {
		if s.Type == "DocTimeStamp" {
			fields = append(fields, s.Field.Name)
		}
	}
	return fields, file
}

func (h *harness) renewDue(want workflow.Renewed) {
	h.t.Helper()
	got, err := h.RenewDue(context.Background())
	if err != nil || got != want {
		h.t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
}

func TestTimestampIsRenewedBeforeItsCertificateEnds(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	first, second := h.closed(), h.closed()
	_, before := h.timestamps(first)
	h.renewDue(workflow.Renewed{})
	h.later(18 * year)
	h.renewDue(workflow.Renewed{})
	h.later(year + 30*24*time.Hour) // the certificate is valid for twenty years
	h.another()
	h.renewDue(workflow.Renewed{Renewed: 2})
	h.renewDue(workflow.Renewed{})
	for _, id := range []contract.DocumentID{first, second} {
		d := h.read(id)
		n := len(d.Revisions)
		if d.State != contract.Completed || d.Revisions[n-2].Kind != contract.RevisionValidation || d.Revisions[n-1].Kind != contract.RevisionTimestamp {
			t.Errorf("%s, %+v", d.State, d.Revisions[n-2:])
		}
	}
	fields, after := h.timestamps(first)
	if len(fields) != 2 || !strings.HasPrefix(after, before) {
		t.Errorf("timestamps %v; the earlier file is a prefix: %t", fields, strings.HasPrefix(after, before))
	}
	events, err := h.AuditTrail(context.Background(), h.owner, first)
	if err != nil || events[len(events)-1].Type != contract.EventTimeRenewed {
		t.Errorf("%v, %v", events, err)
	}
	// Renew again when the second timestamp ages.
	h.later(19*year + 30*24*time.Hour)
	h.another()
	h.renewDue(workflow.Renewed{Renewed: 2})
	if fields, _ := h.timestamps(second); len(fields) != 3 {
		t.Errorf("timestamps %v", fields)
	}
}

func TestALongerNoticeAppliesToCompletedDocumentsWithARenewalOfAll(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.closed()
	h.later(17 * year) // the certificate is valid for twenty years
	h.another()
	renewAll := func(want workflow.Renewed) {
		t.Helper()
		if got, err := h.RenewAll(t.Context()); err != nil || got != want {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
	}
	renewAll(workflow.Renewed{PutOff: 1})
	h.RenewBefore = 4 * year
	h.renewDue(workflow.Renewed{}) // its time was computed with the shorter notice
	renewAll(workflow.Renewed{Renewed: 1})
	renewAll(workflow.Renewed{PutOff: 1})
	if fields, _ := h.timestamps(id); len(fields) != 2 {
		t.Errorf("timestamps %v", fields)
	}
	h.later(15*year + 30*24*time.Hour) // the second certificate is valid for twenty years from the renewal
	h.renewDue(workflow.Renewed{})
	h.later(year)
	h.another()
	h.renewDue(workflow.Renewed{Renewed: 1})
	h.fsck(func(d store.Discrepancy) { t.Errorf("fsck: %+v", d) })
}

func TestARenewedDocumentIsValidWithoutANetwork(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ids := []contract.DocumentID{h.closed(), h.closed()}
	for range 3 { // each time with an authority that the file does not know yet, and that the first renewal of the round does not know either
		h.later(19*year + 30*24*time.Hour)
		h.another()
		h.renewDue(workflow.Renewed{Renewed: len(ids)})
		for _, id := range ids {
			_, file := h.timestamps(id)
			r, err := validate.Validate(t.Context(), strings.NewReader(file), int64(len(file)), h.ValidationOptions())
			if err != nil || !r.Passed() {
				t.Fatalf("document %d: %s %s, %v", id, r.Indication, r.SubIndication, err)
			}
		}
	}
	if first, second := len(h.read(ids[0]).Revisions), len(h.read(ids[1]).Revisions); first != second {
		t.Errorf("%d and %d revisions", first, second)
	}
	h.fsck(func(d store.Discrepancy) { t.Errorf("fsck: %+v", d) })
}

func TestARenewalIsPutOffWhileEachTimestampHasAnotherAuthority(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.closed()
	n := len(h.read(id).Revisions)
	h.later(19*year + 30*24*time.Hour)
	h.another()
	settled := h.clock.Timestamper
	h.clock.Timestamper = rotating{h}
	h.renewDue(workflow.Renewed{PutOff: 1})
	if got := len(h.read(id).Revisions); got != n {
		t.Errorf("%d revisions were added", got-n)
	}
	h.clock.Timestamper = settled
	h.later(2 * 24 * time.Hour)
	h.renewDue(workflow.Renewed{Renewed: 1})
}

// rotating is a time-stamp authority with another certificate for each timestamp.
type rotating struct{ h *harness }

func (r rotating) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	r.h.another()
	next := r.h.clock.Timestamper
	r.h.clock.Timestamper = r
	return next.Timestamp(ctx, digest)
}

func (r rotating) TokenSize() int { return 8 << 10 }

func TestNothingIsAddedThatGainsNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.closed()
	n := len(h.read(id).Revisions)
	h.later(19*year + 30*24*time.Hour)
	h.renewDue(workflow.Renewed{PutOff: 1}) // the authority has no other certificate yet
	h.renewDue(workflow.Renewed{})
	if got := len(h.read(id).Revisions); got != n {
		t.Errorf("%d revisions were added", got-n)
	}
	h.later(200 * 24 * time.Hour)
	h.another()
	h.renewDue(workflow.Renewed{Renewed: 1})
}

func TestRenewalThatIsCutOffIsDoneAgainAndLeavesNothingTwice(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.closed()
	n := len(h.read(id).Revisions)
	h.later(19*year + 30*24*time.Hour)
	h.another()
	h.clock.down = true
	if _, err := h.RenewDue(ctx); err == nil || len(h.read(id).Revisions) != n {
		t.Fatalf("renewed without trusted time: %v", err)
	}
	h.clock.down = false
	h.store.fail(1, false)
	if _, err := h.Renew(ctx, id); !errors.Is(err, errCrash) || len(h.read(id).Revisions) != n {
		t.Fatalf("a commit that was not durable: %v", err)
	}
	h.store.fail(1, true)
	if _, err := h.Renew(ctx, id); !errors.Is(err, errCrash) || len(h.read(id).Revisions) != n+2 {
		t.Fatalf("a durable commit whose answer was lost: %v", err)
	}
	h.renewDue(workflow.Renewed{})
	if fields, _ := h.timestamps(id); len(fields) != 2 {
		t.Errorf("timestamps %v", fields)
	}
	if _, err := h.Renew(ctx, id); err != nil || len(h.read(id).Revisions) != n+2 {
		t.Errorf("another renewal at once: %v", err)
	}
}

// sha1Lists answers about the certificates of an issuer with lists that are signed with SHA-1.
type sha1Lists struct {
	issuer *x509.Certificate
	key    crypto.Signer
	now    func() time.Time
}

func (s sha1Lists) Revocation(_ context.Context, _, issuer *x509.Certificate) (revocation.Data, error) {
	if !issuer.Equal(s.issuer) {
		return revocation.Data{}, errors.New("certificate of another issuer")
	}
	at := s.now().UTC().Truncate(time.Second)
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(at.Unix()), ThisUpdate: at, NextUpdate: at.AddDate(0, 0, 7), SignatureAlgorithm: x509.ECDSAWithSHA1,
	}, s.issuer, s.key)
	return revocation.Data{CRL: der}, err
}

// useSHA1 replaces the time-stamp authority by a new, trusted one with sha1Lists.
func (h *harness) useSHA1() {
	h.t.Helper()
	create := func(template, parent *x509.Certificate, by crypto.Signer) (*x509.Certificate, crypto.Signer) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			h.t.Fatal(err)
		}
		if parent == nil {
			parent, by = template, key
		}
		template.NotBefore, template.NotAfter = h.now().Add(-time.Hour), h.now().Add(20*year)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
		if err != nil {
			h.t.Fatal(err)
		}
		c, err := x509.ParseCertificate(der)
		if err != nil {
			h.t.Fatal(err)
		}
		return c, key
	}
	root, rootKey := create(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Time Root"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}, nil, nil)
	purpose, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		h.t.Fatal(err)
	}
	c, key := create(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Clock"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: purpose}},
	}, root, rootKey)
	h.Trust.Add(validate.ForTime, "sha1", root)
	h.clock.Timestamper = &tsp.Responder{Key: key, Chain: []*x509.Certificate{c, root}, Policy: asn1.ObjectIdentifier{1, 2, 3}, Clock: h.now, Random: rand.Reader}
	h.Service.Revocation = revocation.Sources{h.Service.Revocation, sha1Lists{root, rootKey, h.now}}
}

// TestDocumentIsRenewedWhoseTimestampsCountedUnderEarlierRules completes a document while SHA-1 counts.
func TestDocumentIsRenewedWhoseTimestampsCountedUnderEarlierRules(t *testing.T) {
	t.Parallel()
	begin := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	h := newHarnessAt(t, storetest.SQLite(t, sqlstore.Migrate), time.Until(begin))
	h.useSHA1()
	id := h.closed()
	h.valid(id)
	h.later(19*year + 30*24*time.Hour)
	// The timestamp of the renewal must pass: one of this authority does not.
	h.useSHA1()
	h.renewDue(workflow.Renewed{PutOff: 1})
	h.raised("the authority is one with SHA-1 too", map[documents.Alarm]int{documents.AlarmInvalid: 1})
	h.later(25 * time.Hour)
	h.another()
	h.renewDue(workflow.Renewed{Renewed: 1})
	h.raised("another authority", map[documents.Alarm]int{documents.AlarmInvalid: 1})
	if fields, _ := h.timestamps(id); len(fields) != 2 {
		t.Errorf("timestamps %v", fields)
	}
}

func TestDocumentIsNotRenewedWhileARootOfItsTimestampsIsMissing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.another()
	id := h.closed()
	h.later(19*year + 30*24*time.Hour)
	h.Trust = &validate.Trust{}
	h.Trust.Add(validate.ForAll, validate.OriginOwn, h.ca.Root())
	h.another()
	h.renewDue(workflow.Renewed{PutOff: 1})
	h.raised("without the root", map[documents.Alarm]int{documents.AlarmInvalid: 1})
	if fields, _ := h.timestamps(id); len(fields) != 1 {
		t.Errorf("timestamps %v", fields)
	}
}

func TestDocumentThatCannotBeRenewedDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	bad := h.closed()
	h.later(time.Hour)
	good := h.closed()
	h.later(19*year + 30*24*time.Hour)
	h.another()
	ctx := context.Background()
	if err := h.Blobs.Remove(ctx, blob.Key(h.read(bad).Revisions[0].Tail.Key)); err != nil {
		t.Fatal(err)
	}
	h.renewDue(workflow.Renewed{Renewed: 1, PutOff: 1})
	h.renewDue(workflow.Renewed{})
	if fields, _ := h.timestamps(good); len(fields) != 2 {
		t.Errorf("timestamps %v", fields)
	}
	h.later(25 * time.Hour)
	h.renewDue(workflow.Renewed{PutOff: 1})
}
