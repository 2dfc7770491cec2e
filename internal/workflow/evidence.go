package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store"
)

// storeEvidence stores the file that the stamp office returned and Segel did not accept. Only an operator removes it. A
// problem without evidence gives an empty file.
//
// Durable on return: the bytes. Not yet: a reference to them, which the commit that quarantines the serial adds. If the
// process dies before it, fsck finds the bytes, and the stamp office is asked again at no cost.
func (s *Service) storeEvidence(ctx context.Context, p *emeterai.Problem) (contract.File, error) {
	if p.Class != emeterai.Quarantine || p.Evidence == nil {
		return contract.File{}, nil
	}
	in, err := p.Evidence.Open()
	if err != nil {
		return contract.File{}, fmt.Errorf("open evidence: %w", err)
	}
	f, err := s.storeFile(ctx, in)
	if err = errors.Join(err, in.Close()); err != nil {
		return contract.File{}, fmt.Errorf("store evidence: %w", err)
	}
	return f, nil
}

func (s *Service) storeFile(ctx context.Context, in io.Reader) (contract.File, error) {
	key, err := blob.NewKey(s.Random)
	if err != nil {
		return contract.File{}, err
	}
	w, err := s.Blobs.Create(ctx, key)
	if err != nil {
		return contract.File{}, err
	}
	defer w.Abort()
	digester := blob.NewDigester()
	if _, err := io.Copy(io.MultiWriter(digester, w), in); err != nil {
		return contract.File{}, err
	}
	if err := w.Commit(); err != nil {
		return contract.File{}, err
	}
	d := digester.Digest()
	return contract.File{Key: string(key), Size: d.Size, Digest: d.Sum, Sums: d.Sums}, nil
}

// Evidence opens the last file that the stamp office returned for a quarantined serial. Callers who do not administer
// the serial's organisation get ErrNoEvidence.
func (s *Service) Evidence(ctx context.Context, by contract.Actor, serial string) (*Content, error) {
	organisation, err := by.AuthoriseAdmin(contract.AdminEvidence, "")
	if err != nil {
		return nil, err
	}
	known, err := s.Store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		return nil, contract.ErrNoEvidence
	}
	if err != nil {
		return nil, err
	}
	if f := known.Evidence; f.Key != "" && (organisation == "" || organisation == known.Organisation) {
		last := contract.Revision{Tail: f, End: f.Size, Digest: f.Digest, At: known.ChangedAt}
		return s.openContent(ctx, contract.Document{Filename: serial + ".pdf"}, []contract.Revision{last})
	}
	return nil, contract.ErrNoEvidence
}
