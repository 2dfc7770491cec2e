package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/stamping"
	"segel/pdf"
)

// rewriting is a rewritten file, open and parsed, which replaces the base.
type rewriting struct {
	base contract.Revision
	file *documents.File // the caller closes it
	doc  *pdf.Document
}

// normaliseFile stores a rewritten file. It also raises the version to the lowest that the stamp office does not
// rewrite, unless the file claims to be PDF/A, so no file is rewritten twice. The rewritten file is read back from the
// store: it is sound and equivalent to its source.
//
// Durable on return: the rewritten file, beside the original. Not yet: a document's reference to it. If the process
// dies before the commit, fsck finds it.
func (s *Service) normaliseFile(ctx context.Context, base contract.Revision, budget *pdf.Budget) (*rewriting, error) {
	f, err := s.OpenRevisions(ctx, []contract.Revision{base})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// People will sign these bytes, not those whose digest was taken at the upload. Read all of them verified first, so
	// that the store cannot substitute others.
	if _, err := io.Copy(io.Discard, f.Verified()); err != nil {
		return nil, fmt.Errorf("read file to rewrite: %w", err)
	}
	before, err := pdf.Open(f, f.Size(), pdf.Options{Repair: true, Random: s.Random, Budget: budget})
	if err != nil {
		return nil, documents.FileRefusal(err)
	}
	o := pdf.RewriteOptions{}
	if before.Facts().PDFA == "" {
		o.Version = stamping.OfficeVersion
	}
	r := &rewriting{}
	r.base, err = s.StoreBase(ctx, documents.ErrComplex, func(w io.Writer) error {
		_, err := before.Rewrite(w, o)
		return documents.FileRefusal(err)
	})
	if err != nil {
		return nil, err
	}
	if r.file, r.doc, err = s.openToSign(ctx, []contract.Revision{r.base}, budget); err != nil {
		return nil, errors.Join(err, s.RemoveBlob(ctx, r.base.Tail.Key))
	}
	if err = r.doc.Check(); err != nil {
		err = fmt.Errorf("check rewriting: %w", err)
	} else if err = pdf.RequireEquivalent(before, r.doc); err != nil {
		err = fmt.Errorf("compare rewriting: %w", err)
	} else {
		r.base.NextObject, err = r.doc.NextObject()
	}
	if err != nil {
		return nil, errors.Join(documents.FileRefusal(err), r.file.Close(), s.RemoveBlob(ctx, r.base.Tail.Key))
	}
	return r, nil
}

// openToSign opens the file of a document that will be signed, within the limits for such files. The caller closes it.
func (s *Service) openToSign(ctx context.Context, revisions []contract.Revision, budget *pdf.Budget) (*documents.File, *pdf.Document, error) {
	f, err := s.OpenFile(ctx, revisions)
	if err != nil {
		return nil, nil, err
	}
	o := signingOptions(f.Size(), budget)
	o.Random = s.Random
	doc, err := f.PDF(o)
	if err != nil {
		return nil, nil, errors.Join(documents.FileProblem(documents.FileRefusal(fmt.Errorf("open file to be signed: %w", err))), f.Close())
	}
	return f, doc, nil
}
