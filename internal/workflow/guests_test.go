package workflow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
	"segel/internal/workflow"
	"segel/pdf/pdftest"
)

// signsAs makes a participant sign a document of the owner and returns the details of the event.
func (h *harness) signsAs(who workflow.PersonRequest, by contract.Actor) map[string]string {
	h.t.Helper()
	ctx := context.Background()
	st, err := h.Stage(ctx, "")
	if err != nil {
		h.t.Fatal(err)
	}
	defer st.Abort()
	if _, err := st.Write(pdftest.Table(1)); err != nil {
		h.t.Fatal(err)
	}
	who.Role, who.Number = contract.Signer, 1
	d, err := h.Upload(ctx, h.owner, workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st, People: []workflow.PersonRequest{who}})
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
		h.t.Fatal(err)
	}
	if who.Guest {
		by = contract.Actor{Person: d.Participants[0].Person, Guest: d.ID}
	}
	if _, err := h.Sign(ctx, by, d.ID, workflow.SignRequest{}); err != nil {
		h.t.Fatal(err)
	}
	events, err := h.store.Events(ctx, d.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == contract.EventSigned {
			return e.Details
		}
	}
	h.t.Fatal("there is no event for the signature")
	return nil
}

// certified returns the holder of the certificate that an event names.
func (h *harness) certified(details map[string]string) workflow.Holder {
	h.t.Helper()
	w, ok := h.issued.Load(details["certificate"])
	if !ok {
		h.t.Fatalf("the certificate %q was not issued", details["certificate"])
	}
	return w.(workflow.Holder)
}

func TestEventAndCertificateSayWhatWasVerifiedAboutWhoSigned(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	guest := h.signsAs(workflow.PersonRequest{Guest: true, Name: "Budi", Email: "tamu@example.test"}, contract.Actor{})
	if guest["assurance"] != "guest_unverified" || guest["named_by"] != "Sari" || guest["organisation"] != "PT Contoh" || guest["certificate"] == "" {
		t.Errorf("guest: %v", guest)
	}
	user := h.signsAs(workflow.PersonRequest{ID: h.signer.ID}, h.signer)
	if user["assurance"] != "account_password" || user["named_by"] != "" || user["organisation"] != "PT Contoh" || user["certificate"] == "" {
		t.Errorf("user: %v", user)
	}
	if w := h.certified(guest); w.Assurance != contract.AssuranceGuest || w.NamedBy != "Sari" || w.Name != "Budi" || w.Email != "tamu@example.test" {
		t.Errorf("guest: %+v", w)
	}
	if w := h.certified(user); w.Assurance != contract.AssuranceAccount || w.ID != string(h.signer.ID) || w.Organisation != "PT Contoh" {
		t.Errorf("user: %+v", w)
	}
}

func TestCredentialOfAnotherAssuranceOrHolderIsNotUsed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := context.Background()
	first := h.signsAs(workflow.PersonRequest{ID: h.signer.ID}, h.signer)["certificate"]
	if again := h.signsAs(workflow.PersonRequest{ID: h.signer.ID}, h.signer)["certificate"]; again != first {
		t.Fatal("a valid credential was replaced")
	}
	// A row was moved in the database: another holder's sealed credential is stored under the signer's identifier, as
	// the newest one.
	move := func(from string, age time.Duration) {
		t.Helper()
		c, err := h.store.Credential(ctx, from, time.Now(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		c.Holder, c.CreatedAt = string(h.signer.ID), time.Now().Add(age)
		h.store.swapped = &c
	}
	id := h.draft(false, 1)
	h.work(id) // creates the seal's credential
	h.signsAs(workflow.PersonRequest{ID: h.owner.ID}, h.owner)
	for i, from := range []string{"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a00", string(h.owner.ID)} {
		move(from, time.Duration(i+1)*time.Hour)
		got := h.signsAs(workflow.PersonRequest{ID: h.signer.ID}, h.signer)
		h.store.swapped = nil
		if w := h.certified(got); got["certificate"] == first || w.ID != string(h.signer.ID) || w.Assurance != contract.AssuranceAccount {
			t.Errorf("with the credential of %s: %+v", from, w)
		}
	}
}

// The address of a user in another organisation is looked up with the same queries, in the same order, as an unknown
// one.
func TestAddressOfAUserElsewhereIsLookedUpLikeAnUnknownOne(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := context.Background()
	if err := h.store.CreateOrganisation(ctx, store.Organisation{ID: "elsewhere", Name: "PT Lain", CreatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	h.person("elsewhere", "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a09", "Lain")
	id := h.draftOf(false, 0)
	asked := func(r workflow.PersonRequest) (string, error) {
		h.store.asked = nil
		r.Name, r.Role, r.Number = "Nama", contract.Signer, 1
		_, err := h.SetParticipants(ctx, h.owner, id, 0, []workflow.PersonRequest{r}, nil)
		return strings.ReplaceAll(fmt.Sprint(h.store.asked), r.Email, "#"), err
	}
	for _, guest := range []bool{true, false} {
		unknown, err1 := asked(workflow.PersonRequest{Email: "Tiada@example.test", Guest: guest})
		elsewhere, err2 := asked(workflow.PersonRequest{Email: "Lain@example.test", Guest: guest})
		if unknown != elsewhere || !strings.Contains(unknown, "#") || fmt.Sprint(err1) != fmt.Sprint(err2) || (err1 == nil) != guest {
			t.Errorf("guest %t: %s, %v; of a user elsewhere %s, %v", guest, unknown, err1, elsewhere, err2)
		}
	}
}

// certificatesOf returns the serials of the certificates in the ledger that a person holds.
func (h *harness) certificatesOf(id contract.PersonID) (serials []string) {
	h.t.Helper()
	err := h.store.EachCertificate(context.Background(), func(c contract.Certificate) bool {
		if c.Holder == string(id) {
			serials = append(serials, c.Serial)
		}
		return true
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return serials
}

// guestDraft finalizes a document whose only signer is a guest, and returns both.
func (h *harness) guestDraft() (contract.DocumentID, contract.Actor) {
	h.t.Helper()
	ctx := context.Background()
	id := h.draftOf(false, 0)
	d, err := h.SetParticipants(ctx, h.owner, id, 0, []workflow.PersonRequest{{Guest: true, Name: "Budi", Email: "tamu@example.test", Role: contract.Signer, Number: 1}}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{}); err != nil {
		h.t.Fatal(err)
	}
	return id, contract.Actor{Person: d.Participants[0].Person, Guest: id}
}

func TestAGuestsCertificateIsRecordedWithTheIntentionAndBeforeTheSignature(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := context.Background()
	id, guest := h.guestDraft()
	var recorded []string
	h.store.committed = func() {
		if d := h.read(id); recorded == nil && !d.Participant(guest.ID).IntentAt.IsZero() && len(d.Revisions) == 2 {
			recorded = h.certificatesOf(guest.ID)
		}
	}
	if _, err := h.Sign(ctx, guest, id, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	h.store.committed = nil
	d := h.read(id)
	if signed := h.signers(id)[d.Participant(guest.ID).Field]; len(recorded) != 1 || recorded[0] != fmt.Sprintf("%x", signed.SerialNumber) {
		t.Errorf("with the intention %q were recorded", recorded)
	}
	h.work(id)
}

func TestARefusedSignatureRecordsNoCertificate(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := context.Background()
	id, guest := h.guestDraft()
	refused := map[string]func() error{
		"a revision that is not current": func() error {
			_, err := h.Sign(ctx, guest, id, workflow.SignRequest{Shown: contract.ShownPages{Digest: [32]byte{1}}})
			return err
		},
		"a picture that is none": func() error {
			_, err := h.Sign(ctx, guest, id, workflow.SignRequest{Picture: []byte("x")})
			return err
		},
		"the clock is in doubt": func() error {
			h.later(-24 * time.Hour)
			defer h.later(24 * time.Hour)
			_, err := h.Sign(ctx, guest, id, workflow.SignRequest{})
			return err
		},
		"the commit fails": func() error {
			h.store.fail(1, false)
			_, err := h.Sign(ctx, guest, id, workflow.SignRequest{})
			return err
		},
	}
	for name, sign := range refused {
		if err := sign(); err == nil {
			t.Errorf("%s: it was signed", name)
		}
		if all := h.certificatesOf(guest.ID); len(all) != 0 {
			t.Errorf("%s: certificates %q were recorded", name, all)
		}
	}
	// After a crash between the commits, the certificate stays, and the next signature has another.
	h.store.fail(2, false)
	if _, err := h.Sign(ctx, guest, id, workflow.SignRequest{}); err == nil {
		t.Error("signed without the second commit")
	}
	if all := h.certificatesOf(guest.ID); len(all) != 1 {
		t.Errorf("after a crash: %q", all)
	}
	if _, err := h.Sign(ctx, guest, id, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	if all := h.certificatesOf(guest.ID); len(all) != 2 {
		t.Errorf("after another signature: %q", all)
	}
	h.work(id)
}

func TestALostRaceRecordsNoCertificate(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := context.Background()
	id, guest := h.guestDraft()
	raced := &racingStore{failingStore: h.store, race: func() {
		if _, err := h.Documents.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
			return documents.ChangeOf(contract.Remind(d, h.owner, h.now()))
		}); err != nil {
			t.Error(err)
		}
	}}
	defer h.useStore(raced)()
	if _, err := h.Sign(ctx, guest, id, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	if all := h.certificatesOf(guest.ID); len(all) != 1 {
		t.Errorf("certificates %q were recorded", all)
	}
}

// racingStore has another writer commit before its first commit.
type racingStore struct {
	*failingStore
	race func()
}

func (r *racingStore) Commit(ctx context.Context, c contract.Change) (contract.Document, error) {
	if race := r.race; race != nil {
		r.race = nil
		race()
	}
	return r.failingStore.Commit(ctx, c)
}
