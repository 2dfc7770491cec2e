package emeterai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"segel/pdf"
)

// CheckStampedFile checks what the office returned for a request, before it becomes a revision: that it extends our
// source by one or two increments; that the first holds exactly one new signature with the serial, page and box
// as ordered, that this signature verifies, and that nothing else of the document changed; that a second brings
// no more than proof. Every increment is judged by itself: whoever looks up what was signed sees the state
// behind the first. It returns a [*Problem]: Unknown if the bytes are no PDF, as when they were cut off on the way
// (the serial is affixed, and stamping again costs nothing) or our source cannot be read just now, else Quarantine
// with what came back.
//
// What an increment changed it asks of [segel/pades/validate/diff], so that what it accepts is what a verification of
// the document accepts later; here is only which of the changes were ordered. The signature is verified here, for that
// costs the tail alone: the facts that a verification collects hash the file.
//
// Whose certificate signed is not its question: trust anchors are configuration.
//
// It returns the file, opened, for whoever goes on with it; that keeps tail and reads the rest from the request's source.
func CheckStampedFile(ctx context.Context, want Request, tail []byte) (*pdf.Document, error) {
	j, err := newStampCheck(want, tail)
	if err != nil {
		return nil, &Problem{Class: Unknown, Code: CodeReturn, Text: "what came back cannot be read", Err: err}
	}
	compared := func() error { return j.checkIncrements(ctx) }
	for _, check := range []func() error{compared, j.findSignature, j.checkPlace, j.checkSignatureEntries, j.checkFirstIncrement, j.verifySignature, j.checkSecondIncrement} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := check(); err != nil {
			var asks *Problem
			if ctx.Err() != nil || errors.As(err, &asks) {
				return nil, cmp.Or(ctx.Err(), err)
			}
			return nil, &Problem{Class: Quarantine, Code: CodeReturn, Text: "what came back is not what was ordered", Evidence: newEvidence(want, tail), Err: err}
		}
	}
	return j.stamped, nil
}

// stampCheck holds the states of the document and what was found on the way.
type stampCheck struct {
	want    Request
	tail    []byte        // what came back behind the source
	file    io.ReaderAt   // source and tail
	source  *pdf.Document // as it was sent
	stamped *pdf.Document // behind the last increment

	increments []increment    // of the tail: the stamp, and perhaps proof
	signature  *pdf.Signature // the new one
}

func newStampCheck(want Request, tail []byte) (*stampCheck, error) {
	j := &stampCheck{want: want, tail: tail, file: want.Source.WithTail(tail).R}
	var err error
	if j.source, err = want.OpenSource(); err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if j.stamped, err = pdf.Open(j.file, want.Source.Size+int64(len(tail)), want.Source.File); err != nil {
		return nil, err
	}
	if n := j.stamped.Facts().JunkAfter; n > 0 {
		return nil, fmt.Errorf("%d bytes behind the end", n)
	}
	return j, nil
}

// checkIncrements checks that the tail continues our revisions and adds one or two, and has them compared.
func (j *stampCheck) checkIncrements(ctx context.Context) error {
	old, err := j.source.Revisions()
	if err != nil {
		return err
	}
	all, err := j.stamped.Revisions()
	if err != nil {
		return err
	}
	if len(old) == 0 || old[len(old)-1].EOF == 0 {
		return errors.New("the source has no revision with an end")
	}
	if n := len(all) - len(old); n != 1 && n != 2 {
		return fmt.Errorf("%d increments", n)
	}
	for i, r := range old {
		if all[i].StartXref != r.StartXref || all[i].EOF != r.EOF {
			return errors.New("it does not continue the source")
		}
	}
	added := all[len(old):]
	for _, r := range added {
		if r.StartXref < j.want.Source.Size || r.EOF <= r.StartXref {
			return errors.New("an increment lies within the source")
		}
	}
	return j.compareIncrements(ctx, added)
}

// checkFirstIncrement checks the first increment, which brings the stamp's field.
func (j *stampCheck) checkFirstIncrement() error {
	if err := j.increments[0].checkCatalog(j.source); err != nil {
		return err
	}
	return j.increments[0].checkChanges(FieldName(j.want.Serial))
}

// checkSecondIncrement checks the second increment, if there is one.
func (j *stampCheck) checkSecondIncrement() error {
	if len(j.increments) == 1 {
		return nil
	}
	if err := errors.Join(j.increments[1].checkCatalog(j.increments[0].Document), j.increments[1].checkChanges("")); err != nil {
		return fmt.Errorf("second increment: %w", err)
	}
	return nil
}

// newEvidence is the whole file that came back. It keeps tail, and reads the source anew when it is opened.
func newEvidence(want Request, tail []byte) *Evidence {
	whole := want.Source.WithTail(tail)
	return &Evidence{Size: want.Source.Size + int64(len(tail)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(whole.R, 0, whole.Size)), nil
	}}
}
