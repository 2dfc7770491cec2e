package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// ApproveRequest is an approver's request.
type ApproveRequest struct {
	Shown   contract.ShownPages     // pages of the approved revision that the service showed
	Accepts []contract.GivenConsent // consent texts that the approver accepts
	Proof   contract.GivenFactor    // what they present for this approval
}

// Approve records that the caller approves the current revision. The file stays as it is.
//
// Approve makes one commit. The approval and what follows from it are durable with it, and nothing before it is, except that a code or a
// challenge is used: a repeat of the request is accepted with the same one.
func (s *Service) Approve(ctx context.Context, by contract.Actor, id contract.DocumentID, r ApproveRequest) (contract.Document, error) {
	release, err := s.LockDocument(ctx, id) // a signature that is being made would lose against the approval
	if err != nil {
		return contract.Document{}, err
	}
	defer release()
	act, err := s.prepareAct(ctx, by, id, contract.OpApprove, r.Shown, r.Accepts)
	if err != nil {
		return contract.Document{}, err
	}
	proof := givenProof{GivenFactor: r.Proof, consent: contract.NewConsent([]contract.ConsentItem{{Document: id, Digest: r.Shown.Digest}})}
	return s.ApplyRuleTo(documents.WithDocumentAnswer(ctx), act.read.Document, func(d *contract.Document) (*contract.Change, error) {
		by := act.by
		approve := func() (contract.Change, error) {
			who := contract.Attestation{}
			if p := d.Participant(by.ID); p != nil {
				who = d.AttestParticipant(*p, act.read.Organisation.Name, by.Proved)
			}
			return contract.Approve(d, act.shown, who, by, act.now)
		}
		change, err := approve()
		if err == nil || asksForProof(err) {
			if err = s.proveAct(ctx, &by, act, &proof); err == nil {
				change, err = approve()
			}
		}
		return &change, err
	})
}
