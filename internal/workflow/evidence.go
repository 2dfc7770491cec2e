package workflow

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures of pages are one of the two
	_ "image/png"
	"io"
	"slices"
	"sync"
	"time"

	"segel/internal/admission"
	"segel/internal/audit"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/evidence"
	"segel/internal/store"
	"segel/pades"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/pdf"
)

// EvidenceStore is what evidence certificates are made from, and where they are recorded.
type EvidenceStore interface {
	store.EvidenceFiles
	Certificate(ctx context.Context, serial string) (contract.Certificate, error)
	Size(ctx context.Context) (int64, [32]byte, error)
	Prove(ctx context.Context, id contract.DocumentID, leaves int64) ([]store.Proven, error)
}

// evidenceQueue lets one document's evidence certificate be made at a time by this process, and two of different documents.
type evidenceQueue struct {
	once  sync.Once
	queue *admission.Queue
	each  *admission.Queue // by document
}

// Bounds of the work on evidence certificates.
const (
	evidenceAtOnce   = 2
	evidenceWaiting  = 256
	evidencePictures = 226 // width in pixels of a page of A4 as [evidence.Write] puts it on a page, so that it is not scaled
)

// acquire waits for the turn of a document.
func (q *evidenceQueue) acquire(ctx context.Context, d *contract.Document) (release func(), err error) {
	q.once.Do(func() {
		q.each = admission.NewQueue(admission.Limits{Slots: evidenceWaiting, PerKey: 1, Waiting: evidenceWaiting})
		q.queue = admission.NewQueue(admission.Limits{Slots: evidenceAtOnce, Waiting: evidenceWaiting})
	})
	leave, err := q.each.Acquire(ctx, fmt.Sprint(d.ID))
	if err != nil {
		return nil, queueRefusal(err)
	}
	done, err := q.queue.Acquire(ctx, string(d.Organisation))
	if err != nil {
		leave()
		return nil, queueRefusal(err)
	}
	return func() { done(); leave() }, nil
}

func queueRefusal(err error) error {
	if errors.Is(err, admission.ErrFull) {
		return errBusy.WithCause(err)
	}
	return err
}

// EvidenceCertificate opens the evidence certificate of a completed document. The first request makes it if the job has not.
func (s *Service) EvidenceCertificate(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpEvidence, id)
	if err != nil {
		return nil, err
	}
	if d.State != contract.Completed {
		return nil, contract.ErrNotCompleted
	}
	v, err := s.findOrMakeEvidence(ctx, &d)
	if err != nil {
		return nil, err
	}
	return s.OpenContent(ctx, d, evidenceRevisions(v))
}

// evidenceRevisions returns an evidence certificate as a file of one revision.
func evidenceRevisions(v store.EvidenceFile) []contract.Revision {
	return []contract.Revision{{Tail: v.File, End: v.File.Size, Digest: v.File.Digest, At: v.MadeAt}}
}

// ReadEvidence returns the evidence certificate of a completed document, or nil if it has more than limit bytes. It makes it if the job
// has not.
func (s *Service) ReadEvidence(ctx context.Context, d *contract.Document, limit int64) ([]byte, error) {
	v, err := s.findOrMakeEvidence(ctx, d)
	if err != nil || v.File.Size > limit {
		return nil, err
	}
	return s.ReadWhole(ctx, evidenceRevisions(v))
}

// MakeEvidence makes the evidence certificate of a completed document, unless it has one. It is a job and may run again: nothing refers to the
// file of a run that did not reach its commit.
func (s *Service) MakeEvidence(ctx context.Context, id contract.DocumentID) error {
	d, err := s.LoadDocument(ctx, id)
	if errors.Is(err, contract.ErrNotFound) || err == nil && (d.State != contract.Completed || d.IsRemoved()) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = s.findOrMakeEvidence(ctx, &d)
	if errors.Is(err, contract.ErrClock) {
		return &contract.Later{After: documents.ClockRetry, Err: err}
	}
	return err
}

func (s *Service) findOrMakeEvidence(ctx context.Context, d *contract.Document) (store.EvidenceFile, error) {
	v, err := s.Store.EvidenceFile(ctx, d.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return v, err
	}
	release, err := s.evidence.acquire(ctx, d)
	if err != nil {
		return v, err
	}
	defer release()
	if v, err = s.Store.EvidenceFile(ctx, d.ID); !errors.Is(err, store.ErrNotFound) {
		return v, err // made while this request waited
	}
	return s.makeEvidence(ctx, d.ID)
}

// makeEvidence makes and records the evidence certificate of a completed document.
func (s *Service) makeEvidence(ctx context.Context, id contract.DocumentID) (store.EvidenceFile, error) {
	read, err := s.readSigning(ctx, id, "")
	if err != nil {
		return store.EvidenceFile{}, err
	}
	now, err := s.CheckReading(ctx, read.Clock)
	if err != nil {
		return store.EvidenceFile{}, err
	}
	in, err := s.collectEvidence(ctx, read, now)
	if err != nil {
		return store.EvidenceFile{}, err
	}
	unsigned, err := evidence.Write(in)
	if err != nil {
		return store.EvidenceFile{}, err
	}
	timestamper := s.newRecordingTimestamper()
	file, err := s.sealEvidence(ctx, read, unsigned, timestamper, now)
	if err != nil {
		return store.EvidenceFile{}, fmt.Errorf("seal evidence certificate of document %d: %w", id, err)
	}
	e, err := contract.RecordEvidence(&read.Document, sha256.Sum256(file), now)
	if err != nil {
		return store.EvidenceFile{}, err
	}
	v, err := s.storeEvidence(ctx, &read.Document, file, now)
	if err != nil {
		return store.EvidenceFile{}, err
	}
	// Durable: the file. Not yet: the row that refers to it. If the process dies here, the next run makes another, and fsck finds this one.
	err = s.Store.AddEvidenceFile(ctx, v, timestamper.time, e)
	switch {
	case errors.Is(err, store.ErrExists): // another process was faster
		if err := s.RemoveBlob(ctx, v.File.Key); err != nil {
			return store.EvidenceFile{}, err
		}
		return s.Store.EvidenceFile(ctx, id)
	case err != nil:
		return store.EvidenceFile{}, s.RemoveUncommitted(ctx, err, contract.Revision{Tail: v.File})
	}
	return v, nil
}

// collectEvidence collects what the evidence certificate of a document says. Facts and proof are of the same events.
func (s *Service) collectEvidence(ctx context.Context, read store.Signing, now time.Time) (evidence.Input, error) {
	d := read.Document
	size, root, err := s.Store.Size(ctx)
	if err != nil {
		return evidence.Input{}, err
	}
	public := s.LogKey.Public().(ed25519.PublicKey)
	origin := audit.LogOrigin(public)
	// The whole log is not read again for each certificate: its root is made of the stored hashes, and the leaves of this document are
	// compared with it below.
	note, err := audit.Checkpoint{Origin: origin, Size: size, Root: root}.Sign(s.LogKey)
	if err != nil {
		return evidence.Input{}, fmt.Errorf("sign checkpoint: %w", err)
	}
	proven, err := s.Store.Prove(ctx, d.ID, size)
	if err != nil {
		return evidence.Input{}, err
	}
	proof := &audit.Proof{Document: d.ID, Checkpoint: string(note)}
	records := evidence.Records{
		Document: d, Organisation: read.Organisation.Name, Certificates: map[string]contract.Certificate{}, MadeAt: now,
		LogKey: audit.VerifierKey(origin, public), Describe: describeRecorded,
	}
	var named []string // the consent texts in records
	for _, e := range proven {
		proof.AddEvent(e.Leaf, e.Event, e.Path)
		records.Events = append(records.Events, e.Event)
		if e.Event.Type != contract.EventSigned && e.Event.Type != contract.EventApproved {
			continue
		}
		if name := e.Event.Details["consent_text"]; name != "" && name != contract.NoConsentText && !slices.Contains(named, name) {
			text, err := s.findConsent(ctx, d.Organisation, name)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return evidence.Input{}, err
			}
			if err == nil {
				named, records.Consents = append(named, name), append(records.Consents, text)
			}
		}
		serial := e.Event.Details["certificate"]
		if serial == "" {
			continue
		}
		c, err := s.Store.Certificate(ctx, serial)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return evidence.Input{}, err
		}
		if err == nil {
			records.Certificates[serial] = c
		}
	}
	if _, _, err := proof.Verify(origin, public); err != nil {
		return evidence.Input{}, fmt.Errorf("audit log of document %d: %w", d.ID, err)
	}
	in := evidence.Input{Facts: evidence.Collect(records), Zone: read.Organisation.Locale.Location(), Random: s.Random}
	if in.Proof, err = proof.Marshal(); err != nil {
		return evidence.Input{}, err
	}
	in.Pictures, err = s.drawEvidence(ctx, d)
	return in, err
}

// describeRecorded reads the recorded bytes of a certificate.
func describeRecorded(c contract.Certificate) evidence.Certificate {
	out := evidence.Certificate{Serial: c.Serial, Subject: c.Subject, SHA256: fmt.Sprintf("%x", sha256.Sum256(c.DER))}
	if parsed, err := x509.ParseCertificate(c.DER); err == nil {
		out.Subject, out.Issuer = parsed.Subject.String(), parsed.Issuer.String()
	}
	return out
}

// drawEvidence draws the first pages of the completed file. Pages that cannot be drawn are left out, all of them if nothing draws here.
func (s *Service) drawEvidence(ctx context.Context, d contract.Document) ([]evidence.Picture, error) {
	n := evidence.CompletedRevision(&d)
	var pictures []evidence.Picture
	for page := 1; page <= min(d.Pages, evidence.MaxPictures); page++ {
		p, err := s.findOrDrawPage(ctx, d, d.Revisions[:n+1], pictureKey{d.Revisions[n].Digest, page, evidencePictures})
		if errors.Is(err, ErrNoPicture) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("draw page %d of document %d: %w", page, d.ID, err)
		}
		m, _, err := image.Decode(bytes.NewReader(p.Bytes))
		if err != nil {
			return nil, fmt.Errorf("picture of page %d of document %d: %w", page, d.ID, err)
		}
		pictures = append(pictures, evidence.Picture{Page: page, Image: m})
	}
	return pictures, nil
}

// evidenceSeal is the name of the field of the seal of an evidence certificate.
const evidenceSeal = "Seal"

// reasonEvidence is why an organisation seals an evidence certificate.
const reasonEvidence = "Menyegel sertifikat bukti"

// sealEvidence seals an evidence certificate at level PAdES B-LTA, as the organisation, and validates the result. The seal is a certification
// that permits no later change, which distinguishes it from the seal on a contract: no contract can be taken for a certificate.
func (s *Service) sealEvidence(ctx context.Context, read store.Signing, unsigned []byte, timestamper *recordingTimestamper, now time.Time) ([]byte, error) {
	holder := organisationHolder(read.Organisation)
	seal, err := s.useOrCreateCredential(ctx, holder, read.Credential, now)
	if err != nil {
		return nil, err
	}
	file, err := s.appendToEvidence(unsigned, []evidenceStep{
		func(src pades.Source) (*pades.Result, error) {
			return pades.Sign(ctx, src, pades.Options{
				NewField: &pades.FieldSpec{Name: evidenceSeal}, Key: seal.key, Chain: seal.chain, Timestamper: timestamper, Random: s.Random,
				Time: s.Clock(), Clock: s.SigningClock(), Name: holder.Name, Reason: reasonEvidence, Certify: pdf.PermitNothing,
			})
		},
		func(src pades.Source) (*pades.Result, error) {
			return pades.AddDSS(ctx, src, pades.ValidationOptions{Source: s.Revocation, Certificates: s.Certificates, Roots: s.trustedRoots(), Required: []string{evidenceSeal}})
		},
		func(src pades.Source) (*pades.Result, error) {
			return pades.DocumentTimestamp(ctx, src, timestamper, s.SigningClock())
		},
	})
	if err != nil {
		return nil, err
	}
	return file, s.checkEvidence(ctx, file)
}

// evidenceStep builds one revision of an evidence certificate.
type evidenceStep func(pades.Source) (*pades.Result, error)

// appendToEvidence returns a file with the revisions that the steps build one on top of the other. It is opened, numbered and hashed once.
func (s *Service) appendToEvidence(file []byte, steps []evidenceStep) ([]byte, error) {
	src := pades.Source{R: bytes.NewReader(file), Size: int64(len(file)), OpenOptions: pdf.Options{Random: s.Random}}
	var err error
	if src.Opened, err = src.Open(); err != nil {
		return nil, err
	}
	if src.OpenOptions.NextObject, err = src.Opened.NextObject(); err != nil {
		return nil, err
	}
	for _, build := range steps {
		r, err := build(src)
		if err != nil {
			return nil, err
		}
		file, src = append(file[:len(file):len(file)], r.Tail...), src.WithResult(r)
	}
	return file, nil
}

// renewEvidence adds to the evidence certificate of a document, if it has one, the validation data of its newest timestamp and a further timestamp,
// if the further one lasts longer. It does so when its newest timestamp expires soon, and with the document, so that the document's
// schedule is soon enough for both.
//
// It may run again at any time. Nothing is durable before the one commit, which replaces the file.
func (s *Service) renewEvidence(ctx context.Context, d *contract.Document, withDocument bool, now time.Time) error {
	former, err := s.Store.EvidenceFile(ctx, d.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	release, err := s.evidence.acquire(ctx, d)
	if err != nil {
		return err
	}
	defer release()
	file, err := s.ReadWhole(ctx, evidenceRevisions(former))
	if err != nil {
		return fmt.Errorf("evidence certificate of document %d: %w", d.ID, err)
	}
	parsed, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		return fmt.Errorf("open evidence certificate of document %d: %w", d.ID, err)
	}
	newest, err := newestDocumentTimestamp(parsed)
	if err != nil {
		return fmt.Errorf("evidence certificate of document %d: %w", d.ID, err)
	}
	if newest.time.After(now) || !withDocument && now.Before(newest.expiry.Add(-s.renewBefore())) {
		return nil
	}
	until := file
	timestamper, err := s.addTimestamp(newest, func(o pades.ValidationOptions, timestamper *recordingTimestamper) (err error) {
		file, err = s.appendToEvidence(until, []evidenceStep{
			func(src pades.Source) (*pades.Result, error) { return pades.AddDSS(ctx, src, o) },
			func(src pades.Source) (*pades.Result, error) {
				return pades.DocumentTimestamp(ctx, src, timestamper, s.SigningClock())
			},
		})
		return err
	})
	if err == nil && !timestamper.expiry.After(newest.expiry) {
		return nil // it would gain nothing
	}
	if err == nil {
		err = s.checkEvidence(ctx, file)
	}
	if err != nil {
		return fmt.Errorf("renew evidence certificate of document %d: %w", d.ID, err)
	}
	e, err := contract.RecordEvidenceRenewal(d, sha256.Sum256(file), now)
	if err != nil {
		return err
	}
	v, err := s.storeEvidence(ctx, d, file, now)
	if err != nil {
		return err
	}
	// Durable: the new file. Not yet: the row that refers to it. If the process dies here, the next run makes another, and fsck finds this one.
	// The commit orders the removal of the former file.
	err = s.Store.ReplaceEvidenceFile(ctx, former, v, timestamper.time, e)
	switch {
	case errors.Is(err, store.ErrConflict): // another process was faster
		return s.RemoveBlob(ctx, v.File.Key)
	case err != nil:
		return s.RemoveUncommitted(ctx, err, contract.Revision{Tail: v.File})
	}
	return nil
}

// storeEvidence stores the file of an evidence certificate.
func (s *Service) storeEvidence(ctx context.Context, d *contract.Document, file []byte, now time.Time) (store.EvidenceFile, error) {
	if s.RequireDiskSpace != nil {
		if err := s.RequireDiskSpace(int64(len(file))); err != nil {
			return store.EvidenceFile{}, err
		}
	}
	stored, _, err := s.StoreFile(ctx, d.Organisation, blob.NewDigester(), func(w io.Writer) error {
		_, err := w.Write(file)
		return err
	})
	return store.EvidenceFile{Document: d.ID, File: stored, MadeAt: now.Truncate(time.Microsecond)}, err
}

// checkEvidence returns an error unless an evidence certificate passes validation at its level.
func (s *Service) checkEvidence(ctx context.Context, file []byte) error {
	o := s.ValidationOptions()
	reading := o.FactsOptions()
	reading.SkipHidden = true // as for documents
	read, err := facts.Read(ctx, bytes.NewReader(file), int64(len(file)), reading)
	if err != nil {
		return err
	}
	// As for documents: where the revocation data of the time-stamp authority is missing, its responder is asked.
	for _, online := range []bool{false, true} {
		if online {
			o.Online = statusOnly{s.Revocation}
		}
		report, err := validate.ValidateFacts(ctx, read, o)
		if err != nil {
			return err
		}
		if all := report.Signatures; report.Passed() && len(all) >= 2 && all[0].Level == validate.LevelLTA &&
			!slices.ContainsFunc(all[1:], func(x validate.Signature) bool { return x.Kind != validate.KindTimestamp }) {
			return nil
		}
	}
	return errors.New("the sealed file did not pass validation")
}
