package workflow

import (
	"context"
	"errors"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/convert/sniff"
	"segel/internal/documents"
	"segel/internal/store"
)

// uploadWord makes a draft from a Word document and enqueues its conversion. The file is checked first, so that a
// refused file leaves nothing behind.
func (s *Service) uploadWord(ctx context.Context, by contract.Actor, u contract.Upload, base contract.Revision, unknown []contract.FieldError) (contract.Document, error) {
	c, err := s.wordDraft(ctx, by, u, base, unknown)
	if err != nil {
		return contract.Document{}, errors.Join(err, s.RemoveBlob(ctx, base.Tail.Key))
	}
	// The request waits for the conversion. If the process dies meanwhile, a repeat gets the present state as the
	// answer.
	d, err := s.CommitChange(store.WithProvisionalAnswer(ctx, func(d contract.Document) any { return d }), c)
	if err != nil {
		return contract.Document{}, s.RemoveUncommitted(ctx, err, base)
	}
	return d, nil
}

func (s *Service) wordDraft(ctx context.Context, by contract.Actor, u contract.Upload, base contract.Revision, unknown []contract.FieldError) (contract.Change, error) {
	if err := s.requireConvertible(ctx, by, base); err != nil {
		return contract.Change{}, err
	}
	u.Base, u.Word = base, true
	c, err := contract.Create(u, by, s.Limits, base.At)
	return c, contract.JoinFieldErrors(err, unknown)
}

func (s *Service) requireConvertible(ctx context.Context, by contract.Actor, original contract.Revision) error {
	if s.Converter != nil && s.Turns.Full(string(by.Organisation)) {
		return errCrowded
	}
	f, err := s.OpenRevisions(ctx, []contract.Revision{original})
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := sniffWord(ctx, f); err != nil {
		return err
	}
	if s.Converter == nil {
		return errNoConverter
	}
	if err := s.Converter.CheckAvailable(); err != nil {
		return errNoConverter.WithCause(err)
	}
	return nil
}

func sniffWord(ctx context.Context, f *blob.Stack) (sniff.Findings, error) {
	found, err := sniff.CheckDocument(ctx, f, f.Size(), sniff.Limits{})
	var r *sniff.Refusal
	if errors.As(err, &r) {
		return found, errSniffed[r.Reason].WithCause(err)
	}
	return found, err
}

// WaitForConversion waits until the document that the caller has just uploaded is converted, or the time is up. If the
// conversion fails, the document is deleted and the failure returned, as if the upload had been refused. In all other
// cases it returns the current document: the upload has succeeded.
func (s *Service) WaitForConversion(ctx context.Context, by contract.Actor, d contract.Document, wait time.Duration) (contract.Document, error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for d.State == contract.Draft && d.Conversion.State == contract.Converting {
		next, err := s.WaitForChange(waiting, by, d.ID, d.Version)
		if err != nil {
			return d, nil
		}
		d = *next
	}
	if d.Conversion.State != contract.ConversionFailed {
		return d, nil
	}
	refusal := wordRefusal(d.Conversion.Problem)
	_, err := s.ApplyRule(store.WithFinalAnswer(ctx, func(contract.Document) any { return refusal }), d.ID, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Delete(d, by, s.Clock()))
	})
	if err != nil {
		return d, nil // changed by another request; its state shows the problem
	}
	return contract.Document{}, refusal
}

// wordRefusal returns the refusal for the problem of a conversion.
func wordRefusal(code string) error {
	if code == errNoConverter.Code {
		return errNoConverter
	}
	return contract.Refuse(contract.Invalid, code)
}
