package workflow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/outage"
	"segel/internal/store"
	"segel/pades/validate"
	"segel/pdf"
)

// VerificationFile is a file that somebody wants judged. Its bytes have no name anywhere, so they are gone in every outcome, a
// kill included.
type VerificationFile struct {
	s      *Service
	file   blob.Scratch
	digest *blob.Digester
	head   []byte
	closed bool
	space  diskSpace
}

// NewVerificationFile opens a place for a file to be judged. Discard has to be called whatever becomes of it.
func (s *Service) NewVerificationFile() (*VerificationFile, error) {
	space := diskSpace{require: s.RequireDiskSpace}
	if err := space.requireSpace(1); err != nil {
		return nil, fmt.Errorf("take exhibit: %w", err)
	}
	f, err := s.Scratch()
	if err != nil {
		return nil, fmt.Errorf("take exhibit: %w", err)
	}
	return &VerificationFile{s: s, file: f, digest: blob.NewDigester(), space: space}, nil
}

// Write takes the next bytes of the file. It refuses as soon as it can what is no PDF or too large.
func (e *VerificationFile) Write(p []byte) (int, error) {
	if limit := e.s.Limits.FileSize; e.digest.Size()+int64(len(p)) > limit {
		return 0, errTooLarge.With("limit", limit)
	}
	if room := sniffLen - len(e.head); room > 0 {
		if e.head = append(e.head, p[:min(len(p), room)]...); len(e.head) == sniffLen {
			if err := e.checkKind(); err != nil {
				return 0, err
			}
		}
	}
	if err := e.space.requireSpace(len(p)); err != nil {
		return 0, fmt.Errorf("take exhibit: %w", err)
	}
	e.digest.Write(p)
	return e.file.Write(p)
}

func (e *VerificationFile) checkKind() error {
	switch {
	case len(e.head) == 0:
		return errEmpty
	case !bytes.Contains(e.head, []byte("%PDF-")):
		return errNotPDF
	}
	return nil
}

// Discard forgets the file. It is harmless to do so twice.
func (e *VerificationFile) Discard() error {
	if e.closed {
		return nil
	}
	e.closed = true
	return e.file.Close()
}

// VerifyOptions of one judgement.
type VerifyOptions struct {
	Name     string // of the file, for the report
	Explain  bool
	Password string
}

// Verify judges a file for anybody. Nothing of it is kept, and nothing is told of documents here but whether one of
// its duty stamps also stands on another.
func (s *Service) Verify(ctx context.Context, e *VerificationFile, o VerifyOptions) (*validate.Report, error) {
	if len(e.head) < sniffLen {
		if err := e.checkKind(); err != nil {
			return nil, err
		}
	}
	f := e.file
	sum := e.digest.Digest().Sum
	options := s.validationOptions()
	options.Online, options.Explain, options.Name, options.Password = s.FileRevocation, o.Explain, o.Name, o.Password
	options.SHA256 = hex.EncodeToString(sum[:])
	r, err := validate.Validate(ctx, f, f.Size(), options)
	if err != nil {
		return nil, unreadableRefusal(err)
	}
	same := map[contract.DocumentID]relation{}
	for i := range r.Stamps[:min(len(r.Stamps), maxLookups)] {
		if err := s.checkSerialElsewhere(ctx, &r.Stamps[i], f, same); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// maxLookups bounds the stamps of one file that are looked up. The others are told as unknown.
const maxLookups = 100

// unreadableRefusal turns why a file cannot be judged at all into a refusal.
func unreadableRefusal(err error) error {
	switch {
	case !errors.Is(err, validate.ErrUnreadable), outage.Of(err) != nil:
		return err
	case errors.Is(err, pdf.ErrPasswordNeeded):
		return errPassword.WithCause(err)
	case errors.Is(err, pdf.ErrEncrypted):
		return errEncrypted.WithCause(err)
	case errors.Is(err, pdf.ErrTooLarge):
		return errComplex.WithCause(err)
	case errors.Is(err, pdf.ErrNotPDF):
		return errNotPDF.WithCause(err)
	}
	return errDamaged.WithCause(err)
}

// checkSerialElsewhere looks up whether the serial of a stamp belongs to a document here that this file is not. What was found
// out about documents is kept in same.
func (s *Service) checkSerialElsewhere(ctx context.Context, stamp *validate.Stamp, file blob.Blob, same map[contract.DocumentID]relation) error {
	stamp.Elsewhere = "no"
	id, err := s.Store.DocumentWithSerial(ctx, stamp.Serial)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find serial: %w", err)
	}
	if _, known := same[id]; !known {
		d, err := s.loadDocument(ctx, id)
		if err != nil {
			return err
		}
		if same[id], err = s.compareWithDocument(ctx, d, file); err != nil {
			return err
		}
	}
	switch same[id] {
	case sameDocument:
		return nil
	case alteredDocument:
		stamp.Altered = true
	case unrelated:
		stamp.Elsewhere = "yes"
	}
	stamp.Summarize()
	return nil
}

// relation is what a file is to a document here.
type relation uint8

const (
	unrelated       relation = iota
	sameDocument             // as it stood once it was finalized, or grown from that
	alteredDocument          // the same with other bytes in it
)

// compareWithDocument tells what a file is to a document. One in which bytes were changed still has what was appended to the document
// at its place: a tail at least, none of which two documents have in common.
func (s *Service) compareWithDocument(ctx context.Context, d contract.Document, file blob.Blob) (relation, error) {
	if same, err := isGrownFrom(d, file); same || err != nil {
		return sameDocument, err
	}
	own, err := s.openRevisions(ctx, d.Revisions)
	if err != nil {
		return unrelated, err
	}
	defer own.Close()
	for _, r := range d.Revisions {
		if r.Begin == 0 || r.End > file.Size() {
			continue
		}
		var sums [2][sha256.Size]byte
		for i, from := range []io.ReaderAt{file, own} {
			h := sha256.New()
			if _, err := io.Copy(h, io.NewSectionReader(from, r.Begin, r.End-r.Begin)); err != nil {
				return unrelated, fmt.Errorf("compare exhibit with document: %w", err)
			}
			h.Sum(sums[i][:0])
		}
		if sums[0] == sums[1] {
			return alteredDocument, nil
		}
	}
	return unrelated, nil
}

// isGrownFrom reports whether a file is a document as it stood once it was finalized, or began as that. The first
// revision is of no use: it is the owner's upload, which may have been stamped a second time.
func isGrownFrom(d contract.Document, file blob.Blob) (bool, error) {
	for _, r := range d.Revisions {
		if r.Begin == 0 || r.End > file.Size() {
			continue
		}
		h := sha256.New()
		if _, err := io.Copy(h, io.NewSectionReader(file, 0, r.End)); err != nil {
			return false, fmt.Errorf("hash exhibit: %w", err)
		}
		return [sha256.Size]byte(h.Sum(nil)) == r.Digest, nil
	}
	return false, nil
}

// KnownStamp is what anybody may know of a duty stamp that was affixed here: whoever holds the paper has its serial.
type KnownStamp struct {
	Serial    string
	AffixedAt time.Time
	Specimen  bool
}

// maxSerial bounds what is looked up.
const maxSerial = 64

// StampBySerial tells of a duty stamp that was affixed here. One that is only bought, and one that is not known,
// are contract.ErrNotFound alike.
func (s *Service) StampBySerial(ctx context.Context, serial string) (KnownStamp, error) {
	serial = strings.TrimSpace(serial)
	if serial == "" || len(serial) > maxSerial {
		return KnownStamp{}, contract.ErrNotFound
	}
	id, err := s.Store.DocumentWithSerial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		return KnownStamp{}, contract.ErrNotFound
	}
	if err != nil {
		return KnownStamp{}, fmt.Errorf("find serial: %w", err)
	}
	d, err := s.loadDocument(ctx, id)
	if err != nil {
		return KnownStamp{}, err
	}
	for _, st := range d.Stamps {
		if st.Serial == serial && st.State == contract.StampAffixed {
			return KnownStamp{Serial: serial, AffixedAt: st.AffixedAt, Specimen: d.Specimen}, nil
		}
	}
	return KnownStamp{}, contract.ErrNotFound
}
