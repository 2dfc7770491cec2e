package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"

	"segel/internal/contract"
	"segel/pdf"
)

// officeVersion is the lowest version of an unsigned file that the stamp office leaves as it is.
const officeVersion = "1.6"

// normaliseFile stores a rewritten file and returns its revision, which replaces the base. It also raises the version
// to the lowest that the stamp office does not rewrite, unless the file claims to be PDF/A, so no file is rewritten
// twice.
//
// Durable on return: the rewritten file, beside the original. Not yet: a document's reference to it. If the process
// dies before the commit, fsck finds it.
func (s *Service) normaliseFile(ctx context.Context, base contract.Revision, budget *pdf.Budget) (contract.Revision, error) {
	f, err := s.openRevisions(ctx, []contract.Revision{base})
	if err != nil {
		return contract.Revision{}, err
	}
	defer f.Close()
	// People will sign these bytes, not those whose digest was taken at the upload. Read all of them verified first, so
	// that the store cannot substitute others.
	if _, err := io.Copy(io.Discard, f.Verified()); err != nil {
		return contract.Revision{}, fmt.Errorf("read file to rewrite: %w", err)
	}
	doc, err := pdf.Open(f, f.Size(), pdf.Options{Repair: true, Random: s.Random, Budget: budget})
	if err != nil {
		return contract.Revision{}, fileRefusal(err)
	}
	o := pdf.RewriteOptions{}
	if doc.Facts().PDFA == "" {
		o.Version = officeVersion
	}
	r, err := s.storeRewriting(ctx, doc, o)
	if err != nil {
		return contract.Revision{}, err
	}
	if r.NextObject, err = s.checkRewriting(ctx, doc, r, budget); err != nil {
		return contract.Revision{}, errors.Join(err, s.removeBlob(ctx, r.Tail.Key))
	}
	return r, nil
}

func (s *Service) storeRewriting(ctx context.Context, doc *pdf.Document, o pdf.RewriteOptions) (contract.Revision, error) {
	return s.storeBase(ctx, errComplex, func(w io.Writer) error {
		if _, err := doc.Rewrite(w, o); err != nil {
			return fileRefusal(err)
		}
		return nil
	})
}

// checkRewriting reads a rewritten file back from the store and checks that it is sound and equivalent to its source.
// It returns the number of its next object.
func (s *Service) checkRewriting(ctx context.Context, before *pdf.Document, r contract.Revision, budget *pdf.Budget) (nextObject uint32, err error) {
	f, err := s.openRevisions(ctx, []contract.Revision{r})
	if err != nil {
		return 0, err
	}
	defer f.Close()
	after, err := pdf.Open(f, f.Size(), pdf.Options{Budget: budget})
	if err != nil {
		return 0, fileRefusal(fmt.Errorf("open rewriting: %w", err))
	}
	if err := after.Check(); err != nil {
		return 0, fileRefusal(fmt.Errorf("check rewriting: %w", err))
	}
	if err := pdf.RequireEquivalent(before, after); err != nil {
		return 0, fileRefusal(fmt.Errorf("compare rewriting: %w", err))
	}
	return after.NextObject()
}
