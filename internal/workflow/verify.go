package workflow

import (
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
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/outage"
	"segel/internal/store"
	"segel/pades/validate"
)

// VerificationFile is a file to validate. It is an unlinked temporary file, so it is gone in every case, even if the
// process is killed.
type VerificationFile struct {
	receivedFile
	file   blob.Scratch
	closed bool
}

// NewVerificationFile creates an empty file to validate. The caller must call Discard.
func (s *Service) NewVerificationFile() (*VerificationFile, error) {
	received, err := s.newReceivedFile(false)
	if err != nil {
		return nil, err
	}
	f, err := s.Scratch()
	if err != nil {
		return nil, fmt.Errorf("store file to validate: %w", err)
	}
	received.to = f
	return &VerificationFile{receivedFile: received, file: f}, nil
}

// Discard removes the file. It may be called again.
func (e *VerificationFile) Discard() error {
	if e.closed {
		return nil
	}
	e.closed = true
	return e.file.Close()
}

// VerifyOptions are the options of one validation.
type VerifyOptions struct {
	Name     string // name of the file in the report
	Explain  bool
	Password string
}

// Verified is the result for one file, with the duty stamps found in it.
type Verified struct {
	*validate.Report
	Stamps  []emeterai.Stamp
	Removal *contract.Removal // of the document that the file is a state of; nil: of none whose files were removed
}

// Verify validates a file for any caller. It stores nothing, and reveals about stored documents only whether a duty
// stamp of the file is also on another document, and whether the file is one that was removed here.
func (s *Service) Verify(ctx context.Context, e *VerificationFile, o VerifyOptions) (*Verified, error) {
	if err := e.checkKind(); err != nil {
		return nil, err
	}
	f := e.file
	sum := e.digest.Digest().BlobSum
	options := s.ValidationOptions()
	options.Online, options.Explain, options.Name, options.Password = s.FileRevocation, o.Explain, o.Name, o.Password
	options.SHA256 = hex.EncodeToString(sum[:])
	r, err := validate.Validate(ctx, f, f.Size(), options)
	if err != nil {
		return nil, unreadableRefusal(err)
	}
	stamps, same := emeterai.FindStamps(r), map[contract.DocumentID]relation{}
	for i := range stamps[:min(len(stamps), maxLookups)] {
		if err := s.checkSerialElsewhere(ctx, &stamps[i], f, same); err != nil {
			return nil, err
		}
	}
	v := &Verified{Report: r, Stamps: stamps}
	switch removal, err := s.Store.RemovalByDigest(ctx, sum); {
	case err == nil:
		v.Removal = &removal
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	}
	return v, nil
}

// maxLookups bounds how many stamps of one file are looked up. The rest are reported as unknown.
const maxLookups = 100

// unreadableRefusal maps errors about a file that cannot be validated at all to refusals.
func unreadableRefusal(err error) error {
	if !errors.Is(err, validate.ErrUnreadable) || outage.Of(err) != nil {
		return err
	}
	if refusal := documents.PDFRefusal(err); contract.KindOf(refusal) != 0 {
		return refusal
	}
	return documents.ErrDamaged.WithCause(err)
}

// checkSerialElsewhere checks whether the serial of a stamp belongs to a stored document that this file is not a copy
// of. It caches the comparison with each document in same.
func (s *Service) checkSerialElsewhere(ctx context.Context, stamp *emeterai.Stamp, file blob.Blob, same map[contract.DocumentID]relation) error {
	stamp.Elsewhere = "no"
	id, err := s.findBySerial(ctx, stamp.Serial)
	if id == 0 || err != nil {
		return err
	}
	if _, known := same[id]; !known {
		d, err := s.LoadDocument(ctx, id)
		if err != nil {
			return err
		}
		if same[id], err = compareWithDocument(d, file); err != nil {
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
	return nil
}

// findBySerial returns the document that has or had a serial; 0 if there is none.
func (s *Service) findBySerial(ctx context.Context, serial string) (contract.DocumentID, error) {
	id, err := s.Store.DocumentWithSerial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("find serial: %w", err)
	}
	return id, nil
}

// relation is the relation of a file to a stored document.
type relation uint8

const (
	unrelated       relation = iota
	sameDocument             // the document since finalize, or a continuation of it
	alteredDocument          // the document with other bytes changed
)

// compareWithDocument returns the relation of a file to a document. The file is the document if it is, or starts with,
// the document as of finalize. The first revision does not count: it is the owner's upload, which may have been stamped
// a second time. A copy with changed bytes still has an appended tail at its position, and two documents never share a
// tail.
func compareWithDocument(d contract.Document, file blob.Blob) (relation, error) {
	var added []contract.Revision // revisions that the file is long enough to have
	for _, r := range d.Revisions {
		if r.Begin > 0 && r.End <= file.Size() {
			added = append(added, r)
		}
	}
	if len(added) == 0 {
		return unrelated, nil
	}
	if sum, err := digestRange(file, 0, added[0].End); err != nil || sum == added[0].Digest {
		return sameDocument, err
	}
	for _, r := range added {
		if sum, err := digestRange(file, r.Begin, r.End); err != nil || sum == r.Tail.Digest {
			return alteredDocument, err
		}
	}
	return unrelated, nil
}

func digestRange(file io.ReaderAt, begin, end int64) ([sha256.Size]byte, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(file, begin, end-begin)); err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("compare file with document: %w", err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// KnownStamp is the public information about a duty stamp that was affixed here: everyone who has the printed document
// knows its serial.
type KnownStamp struct {
	Serial    string
	AffixedAt time.Time
	Specimen  bool
}

// maxSerial bounds the length of a serial to look up.
const maxSerial = 64

// StampBySerial returns a duty stamp that was affixed here. It returns contract.ErrNotFound both for an unknown stamp
// and for one that is bought but not affixed.
func (s *Service) StampBySerial(ctx context.Context, serial string) (KnownStamp, error) {
	serial = strings.TrimSpace(serial)
	if serial == "" || len(serial) > maxSerial {
		return KnownStamp{}, contract.ErrNotFound
	}
	id, err := s.findBySerial(ctx, serial)
	if err != nil {
		return KnownStamp{}, err
	}
	if id == 0 {
		return KnownStamp{}, contract.ErrNotFound
	}
	d, err := s.LoadDocument(ctx, id)
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
