package workflow_test

import (
	"context"
	"errors"
	"testing"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/workflow"
	"segel/pdf/pdftest"
)

// usedCodes accepts each code once, and again for the same consent, as an account with an authenticator app does.
type usedCodes map[string]contract.Consent

func (u usedCodes) ProveSigning(_ context.Context, _ contract.Actor, given contract.GivenFactor, c contract.Consent) (contract.Factor, error) {
	if !given.IsGiven() {
		return "", nil
	}
	if was, used := u[given.OTP]; used && was != c {
		return "", contract.ErrOTPWrong
	}
	u[given.OTP] = c
	return contract.FactorTOTP, nil
}

func (usedCodes) ProveEmbedded(context.Context, contract.Actor, contract.GivenFactor) (contract.Factor, error) {
	return "", nil
}

// parallelDraft finalizes a document that two people sign in any order.
func (h *harness) parallelDraft(a, b contract.Actor) contract.Document {
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
	d, err := h.Upload(ctx, h.owner, workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st, Parallel: true, People: []workflow.PersonRequest{
		{ID: a.ID, Role: contract.Signer, Number: 1}, {ID: b.ID, Role: contract.Signer, Number: 2},
	}})
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
		h.t.Fatal(err)
	}
	return h.read(d.ID)
}

// signWithCode signs with a code, and without a digest, where a factor is required for each signature.
func (h *harness) signWithCode(id contract.DocumentID, code string) error {
	by := h.signer
	by.SignFactor = true
	_, err := h.Sign(context.Background(), by, id, workflow.SignRequest{Proof: contract.GivenFactor{OTP: code}})
	return err
}

func TestACodeWithoutADigestSignsTheRevisionForWhichItWasAcceptedAndNoLaterOne(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	codes := usedCodes{}
	h.Factors = codes
	other := h.person(h.owner.Organisation, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a03", "Wati")
	d := h.parallelDraft(h.signer, other)

	// The code is accepted, and then no signature can be made. A repeat of the request needs no other code.
	h.clock.down = true
	for range 2 {
		if err := h.signWithCode(d.ID, "111111"); err == nil || contract.AsksForFactor(err) {
			t.Fatalf("without a timestamp: %v", err)
		}
	}
	h.clock.down = false
	if want := contract.NewConsent([]contract.ConsentItem{{Document: d.ID, Digest: d.Current().Digest}}); codes["111111"] != want {
		t.Error("the code is not bound to the current revision")
	}
	// Another person signs meanwhile: the current revision is another one.
	if _, err := h.Sign(t.Context(), other, d.ID, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := h.signWithCode(d.ID, "111111"); !errors.Is(err, contract.ErrOTPWrong) {
		t.Errorf("the code of an earlier revision: %v", err)
	}
	if d := h.read(d.ID); !d.Participant(h.signer.ID).SignedAt.IsZero() {
		t.Error("the later revision was signed")
	}
	if err := h.signWithCode(d.ID, "222222"); err != nil {
		t.Errorf("another code: %v", err)
	}
}

func TestACodeThatWasAcceptedBeforeALostRaceDoesNotSignTheRevisionOfTheWinner(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	other := h.person(h.owner.Organisation, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a03", "Wati")
	d := h.parallelDraft(h.signer, other)
	docs := &documents.Documents{Store: h.store, Blobs: h.Blobs, Limits: h.Limits, Clock: h.now, Random: h.Random, Log: h.Log, Trust: h.Trust}
	node := &workflow.Service{Documents: docs, Stamping: h.Stamping, Store: h.store, Scratch: h.scratches.Scratch, Sealer: h.Sealer, LogKey: h.LogKey, Issuer: h.Issuer, Timestamper: h.clock, Revocation: h.Revocation}
	h.Factors = racing{usedCodes{}, func() {
		if _, err := node.Sign(t.Context(), other, d.ID, workflow.SignRequest{}); err != nil {
			t.Error(err)
		}
	}}
	if err := h.signWithCode(d.ID, "111111"); !errors.Is(err, contract.ErrStale) {
		t.Errorf("the revision of the winner: %v", err)
	}
	if d := h.read(d.ID); d.Participant(other.ID).SignedAt.IsZero() || !d.Participant(h.signer.ID).SignedAt.IsZero() {
		t.Errorf("%+v", d.Participants)
	}
}

// racing lets another node act between the proof and the commit of the intention.
type racing struct {
	usedCodes
	meanwhile func()
}

func (r racing) ProveSigning(ctx context.Context, by contract.Actor, given contract.GivenFactor, c contract.Consent) (contract.Factor, error) {
	f, err := r.usedCodes.ProveSigning(ctx, by, given, c)
	r.meanwhile()
	return f, err
}
