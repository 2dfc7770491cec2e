package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"segel/cms"
	"segel/internal/authstatement"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/specimen"
	"segel/internal/store"
	"segel/pades"
	"segel/pades/appearance"
)

// SignRequest is a signer's request.
type SignRequest struct {
	Shown   contract.ShownPages     // pages that the service showed the signer
	Accepts []contract.GivenConsent // consent texts that the signer accepts
	Proof   contract.GivenFactor    // what they present for this signature
	// Picture is the look of the signature, PNG or JPEG. It is decoded only if the caller may sign. Empty: the signer's
	// specimen or, without one, their printed name.
	Picture []byte
	// Initials is the look of the initials, in the same way. Empty: that of the signature if Picture has one; else the signer's
	// specimen of initials or, without one, their specimen of the signature or their printed initials.
	Initials []byte
}

// Sign adds the caller's signature to the file.
//
// Sign makes two commits. After the first, the request, its revision and the record of a guest's certificate are durable;
// nothing is signed. After the second, the signature is in the file and in the record. If the process dies between the two,
// at most a tail remains that nothing refers to, and a certificate whose key is lost. The signer can sign again, and so can
// a repeat of the request: its answer is stored with the second commit.
func (s *Service) Sign(ctx context.Context, by contract.Actor, id contract.DocumentID, r SignRequest) (contract.Document, error) {
	proof := givenProof{GivenFactor: r.Proof, consent: contract.NewConsent([]contract.ConsentItem{{Document: id, Digest: r.Shown.Digest}})}
	proof.bindsCurrent = r.Shown.Digest == [32]byte{}
	return s.signDocument(ctx, by, id, r.Shown, r.Accepts, &proof, newGivenPictures(r.Picture, r.Initials), documents.WithDocumentAnswer)
}

// signDocument is Sign for pictures that several documents may share. WithAnswer returns the context of the second commit,
// which is the effect.
func (s *Service) signDocument(ctx context.Context, by contract.Actor, id contract.DocumentID, shown contract.ShownPages, accepts []contract.GivenConsent, proof *givenProof, given *givenPictures,
	withAnswer func(context.Context) context.Context,
) (contract.Document, error) {
	release, err := s.LockDocument(ctx, id)
	if err != nil {
		return contract.Document{}, err
	}
	defer release()
	act, err := s.prepareAct(ctx, by, id, contract.OpSign, shown, accepts)
	if err != nil {
		return contract.Document{}, err
	}
	by, shown, now, read := act.by, act.shown, act.now, act.read
	var pictures *signerPictures
	var h Holder
	var credential signingCredential
	d, err := s.ApplyRuleTo(ctx, read.Document, func(d *contract.Document) (*contract.Change, error) {
		change, err := contract.IntendSign(d, shown, by, now)
		if err == nil || asksForProof(err) {
			if err = proof.bindTo(d); err == nil {
				err = s.proveAct(ctx, &by, act, proof)
			}
			if err == nil {
				change, err = contract.IntendSign(d, shown, by, now)
			}
		}
		if err != nil {
			return nil, err
		}
		// Refuse a bad picture before anything is recorded. Decoding takes memory and time, so it comes after the
		// checks whether the caller may sign.
		if pictures == nil { // else decoded before a lost race
			if pictures, err = s.readSignerPictures(ctx, d, *d.Participant(by.ID), given); err != nil {
				return nil, err
			}
		}
		h = participantHolder(d, *change.After.Participant(by.ID), read.Organisation, by.Proved) // with the name that they sign with
		if h.Assurance.IsGuest() {
			// Made by the last rule, for this try alone: if the change is refused or loses a race, nothing is recorded, and the
			// next try makes another key and certificate.
			credential, change.Certificate, err = s.issueGuestCredential(h)
		}
		return &change, err
	})
	if err != nil {
		return contract.Document{}, err
	}
	// Durable: the request, and a guest's certificate. Before this commit the certificate did not exist for anyone else; from now on
	// its status can be asked and it can be revoked. Not yet: the signature. If the process dies before the second commit, fsck
	// finds the tail, and the certificate stays in the ledger with a key that no longer exists.
	p := d.Participant(by.ID)
	if !h.Assurance.IsGuest() {
		// Read only now: a credential that was revoked before the intention was committed is not used.
		if credential, err = s.loadUserCredential(ctx, h, now); err != nil {
			return contract.Document{}, timestampRefusal(err)
		}
	}
	attestation := h.Attestation // what the certificate says about the participant
	attestation.Certificate = fmt.Sprintf("%x", credential.chain[0].SerialNumber)
	c, err := s.loadCard(ctx, read.Organisation, d.ID)
	if err != nil {
		return contract.Document{}, err
	}
	c.reason = signingReason(&d, *p, by)
	stated, err := stateAuthentication(by)
	if err != nil {
		return contract.Document{}, err
	}
	look, marks := buildAppearances(&d, *p, c, attestation, *pictures, now)
	timestamper := s.newRecordingTimestamper()
	f, err := s.OpenFile(ctx, d.Revisions)
	if err != nil {
		return contract.Document{}, err
	}
	defer f.Close()
	made, err := s.buildRevisions(ctx, d, f, []revisionStep{{contract.RevisionSignature, func(src pades.Source) (*pades.Result, error) {
		return pades.Sign(ctx, src, pades.Options{
			Field: p.Field, Key: credential.key, Chain: credential.chain, Timestamper: timestamper, Random: s.Random,
			// The name in the certificate, which marks guests as such: a guest's name never appears without that mark.
			Time: now, Clock: s.SigningClock(), Name: credential.chain[0].Subject.CommonName, Reason: c.reason, Attributes: stated, Appearance: look, Marks: marks,
		})
	}}})
	if err != nil {
		return contract.Document{}, s.RemoveTails(ctx, timestampRefusal(err), made)
	}
	return s.CommitRevisions(withAnswer(ctx), d, made, func(d *contract.Document) (contract.Change, error) {
		change, err := contract.Sign(d, made[0], shown, attestation, by, s.Clock())
		change.Timestamp = timestamper.time
		return change, err
	})
}

// preparedAct is what a signature or an approval is decided with.
type preparedAct struct {
	by    contract.Actor
	shown contract.ShownPages // with the consent text that was accepted
	read  store.Signing
	now   time.Time

	refused error // refusals that come after the rules, so that callers who may not see the document learn nothing
}

// prepareAct reads what a signature or an approval is decided with. The caller holds the lock of the document.
func (s *Service) prepareAct(ctx context.Context, by contract.Actor, id contract.DocumentID, op contract.Operation, shown contract.ShownPages, accepts []contract.GivenConsent) (a preparedAct, err error) {
	// Read together, and older than the commit that follows:
	//   - the document: the commit is refused if its version has changed, and it is read again;
	//   - what the clock is compared with: times that others record meanwhile come from clocks that were checked as well, and the
	//     timestamp is compared with the local clock again;
	//   - the organisation, whose name goes into the certificate and onto the page, with its branding: as it was a moment ago.
	a.by, a.shown = by, shown
	a.read, err = s.readSigning(ctx, id, by.ID)
	if errors.Is(err, contract.ErrNotFound) && by.Role == contract.RoleAuditor { // they see documents that they take no part in
		if _, refused := s.LoadAuthorised(ctx, by, op, id); refused != nil {
			err = refused
		}
	}
	if err != nil {
		return a, err
	}
	var inDoubt error
	a.now, inDoubt = s.CheckReading(ctx, a.read.Clock)
	a.by.SignFactor = by.SignFactor || by.Key == nil && a.read.Organisation.Accounts.SignFactor
	if a.shown.Accepted, a.refused = s.acceptConsent(ctx, a.by, &a.read.Document, a.read.Organisation, accepts, a.now); a.refused != nil && contract.KindOf(a.refused) == 0 {
		return a, a.refused
	}
	if a.refused == nil {
		if a.refused = s.requireNoSignFactor(ctx, a.by, a.read.Organisation); a.refused != nil && contract.KindOf(a.refused) == 0 {
			return a, a.refused
		}
	}
	a.refused = cmp.Or(a.refused, inDoubt)
	return a, nil
}

// proveAct refuses what the rules do not, and then adds to the actor what they proved: no proof is used up in vain.
func (s *Service) proveAct(ctx context.Context, by *contract.Actor, a preparedAct, proof *givenProof) error {
	if a.refused != nil {
		return a.refused
	}
	return s.proveSigning(ctx, by, proof)
}

// requireNoSignFactor refuses a signature with an API key where the organisation of the document or of the person demands a factor for each:
// a program has none.
func (s *Service) requireNoSignFactor(ctx context.Context, by contract.Actor, o store.Organisation) error {
	if by.Key == nil {
		return nil
	}
	demanded := o.Accounts.SignFactor
	if by.Organisation != o.ID && !demanded {
		own, err := s.Store.Organisation(ctx, by.Organisation)
		if err != nil {
			return fmt.Errorf("read organisation %s: %w", by.Organisation, err)
		}
		demanded = own.Accounts.SignFactor
	}
	if demanded {
		return contract.ErrKeySignFactor
	}
	return nil
}

// givenProof is what a request presents for its signatures. It is checked when the first document may be signed, and not again.
type givenProof struct {
	contract.GivenFactor
	consent contract.Consent // what it is presented for
	// bindsCurrent is set for a request that names no revision: the proof is for the one that is current when it is checked. Without that, a
	// repeat with the same code would sign whatever the document has become.
	bindsCurrent bool
	checked      bool
	factor       contract.Factor
	refusal      error
}

// bindTo binds a proof to the current revision of a document, if the request names none. It refuses another revision than the one that the proof
// was accepted for: this request lost a race against another signature.
func (p *givenProof) bindTo(d *contract.Document) error {
	if !p.bindsCurrent {
		return nil
	}
	current := contract.NewConsent([]contract.ConsentItem{{Document: d.ID, Digest: d.Current().Digest}})
	if p.checked && p.factor != "" && p.consent != current {
		return contract.ErrStale
	}
	p.consent = current
	return nil
}

// proveSigning adds to the actor what they proved for their signatures.
//
// Durable after the check: that the code or the challenge is used. Not yet: the intention. If the process dies between the two, a repeat of
// the request is accepted with the same code or answer.
func (s *Service) proveSigning(ctx context.Context, by *contract.Actor, p *givenProof) error {
	if s.Factors == nil {
		return nil
	}
	if !p.checked {
		p.factor, p.refusal = s.Factors.ProveSigning(ctx, *by, p.GivenFactor, p.consent)
		p.checked = p.refusal == nil || contract.KindOf(p.refusal) != 0 // other errors are those of the context, and concern this try alone
	}
	by.Signing = p.factor
	return p.refusal
}

// givenPictures are the pictures that a request has for the look of its signatures.
type givenPictures struct{ signature, initials *givenPicture }

// newGivenPictures returns pictures of which either may be empty: none.
func newGivenPictures(signature, initials []byte) *givenPictures {
	return &givenPictures{&givenPicture{file: signature}, &givenPicture{file: initials}}
}

// givenPicture is decoded when the first document may be signed with it, and not again. It belongs to one request.
type givenPicture struct {
	file    []byte // PNG or JPEG; empty: none
	strokes *appearance.Strokes
	refusal error // why it cannot be used
}

func (p *givenPicture) isGiven() bool { return len(p.file) > 0 }

func (p *givenPicture) extractStrokes(ctx context.Context) (*appearance.Strokes, error) {
	if p.strokes != nil || p.refusal != nil {
		return p.strokes, p.refusal
	}
	strokes, err := specimen.ExtractStrokes(ctx, p.file)
	if contract.KindOf(err) != 0 { // other errors are those of the context, and concern this try alone
		p.refusal = err
	}
	p.strokes = strokes
	return strokes, err
}

// signingReason returns the reason in a signature of the caller. The file itself says so of one that a program made with an API key, and of
// one on a test document.
func signingReason(d *contract.Document, p contract.Participant, by contract.Actor) string {
	reason := reasonSigned
	if p.Capacity == contract.Witness {
		reason = reasonWitnessed
	}
	if by.Key != nil {
		reason = fmt.Sprintf("%s, dengan kunci API %s milik %s", reason, by.Key.Name, by.DisplayName())
	}
	if d.Test {
		reason = "SPESIMEN, dokumen uji tanpa nilai hukum: " + reason
	}
	return reason
}

// stateAuthentication returns the signed attribute that says how the caller was authenticated: what the event of the signature says, for readers
// of the file alone. Guests have none: their certificate, made for one signature, says what they proved.
func stateAuthentication(by contract.Actor) ([]cms.Attribute, error) {
	factor := by.SigningFactor()
	if factor == "" {
		return nil, nil
	}
	s := authstatement.Statement{Factor: string(factor), ForSignature: by.Signing != ""}
	if by.Key != nil {
		s = authstatement.Statement{Factor: string(factor), Key: by.Key.Name}
	}
	a, err := s.Attribute()
	return []cms.Attribute{a}, err
}

// Reasons in signature dictionaries, shown to readers of the file.
const (
	reasonSigned    = "Menyetujui isi dokumen ini"
	reasonWitnessed = "Sebagai saksi (witness) penandatanganan dokumen ini"
	reasonSealed    = "Menutup dokumen ini"
)
