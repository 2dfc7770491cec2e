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

// normaliseFile stores a rewriting of a file and returns the revision it makes, which is to take the place of the base.
// A file that will be rewritten anyway is raised to the version that the stamp office asks for, unless it claims to
// be PDF/A: so no file is ever rewritten twice.
//
// Durable on return: the rewriting, beside the original. Not yet: that a document has either. Until its commit the
// rewriting is nobody's; fsck finds it after a crash.
func (s *Service) normaliseFile(ctx context.Context, base contract.Revision, budget *pdf.Budget) (contract.Revision, error) {
	f, err := s.openRevisions(ctx, []contract.Revision{base})
	if err != nil {
		return contract.Revision{}, err
	}
	defer f.Close()
	// What is signed from here on are other bytes than those whose digest was taken at the upload: the store must
	// not be able to slip in others between the two.
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

// checkRewriting reads a rewriting back from the store: it must be sound, and show and ask what its source did. It returns the
// number of its next object.
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
