package emeterai

import (
	"context"
	"errors"
	"fmt"
	"io"

	"segel/pdf"
)

// Judge checks what the office returned for a request, before it becomes a revision: that it extends our
// source by one or two increments, that the first holds exactly one new signature with the serial, page and box
// as ordered, that this signature verifies, and that nothing else of the document changed. It returns a
// [*Problem], which is Transient if the bytes are no PDF, as when they were cut off on the way.
//
// Whose certificate signed is not its question: trust anchors are configuration.
func Judge(ctx context.Context, want Request, tail []byte) error {
	j, err := openJudge(want, tail)
	if err != nil {
		return &Problem{Class: Transient, Code: CodeReturn, Text: "what came back cannot be read", Err: err}
	}
	for _, check := range []func() error{j.increments, j.signatures, j.placed, j.named, j.changes, j.verifies} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := check(); err != nil {
			return &Problem{Class: Permanent, Code: CodeReturn, Text: "what came back is not what was ordered", Err: err}
		}
	}
	return nil
}

// judge holds both states of the document and what was found on the way.
type judge struct {
	want          Request
	bytes         io.ReaderAt // source and tail
	size          int64
	before, after *pdf.Document

	added     []pdf.Revision // the increments of the tail
	signature *pdf.Signature // the new one
}

func openJudge(want Request, tail []byte) (*judge, error) {
	j := &judge{want: want, bytes: &joined{want.Source.R, want.Source.Size, tail}, size: want.Source.Size + int64(len(tail))}
	var err error
	if j.before, err = pdf.Open(want.Source.R, want.Source.Size, pdf.Options{}); err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if j.after, err = pdf.Open(j.bytes, j.size, pdf.Options{}); err != nil {
		return nil, err
	}
	if n := j.after.Facts().JunkAfter; n > 0 {
		return nil, fmt.Errorf("%d bytes behind the end", n)
	}
	return j, nil
}

// increments checks that the tail continues our revisions and adds one or two.
func (j *judge) increments() error {
	old, err := j.before.Revisions()
	if err != nil {
		return err
	}
	all, err := j.after.Revisions()
	if err != nil {
		return err
	}
	if len(old) == 0 {
		return errors.New("the source has no revisions")
	}
	if n := len(all) - len(old); n != 1 && n != 2 {
		return fmt.Errorf("%d increments", n)
	}
	for i, r := range old {
		if all[i].StartXref != r.StartXref || all[i].EOF != r.EOF {
			return errors.New("it does not continue the source")
		}
	}
	j.added = all[len(old):]
	for _, r := range j.added {
		if r.StartXref < j.want.Source.Size || r.EOF <= r.StartXref {
			return errors.New("an increment lies within the source")
		}
	}
	return nil
}

// joined is a file that consists of two parts.
type joined struct {
	head io.ReaderAt
	size int64 // of the head
	tail []byte
}

// ReadAt reads from both parts.
func (f *joined) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errors.New("negative offset")
	}
	var n int
	if at < f.size {
		part := p[:min(int64(len(p)), f.size-at)]
		var err error
		if n, err = f.head.ReadAt(part, at); n < len(part) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
	}
	if n == len(p) {
		return n, nil
	}
	if from := at + int64(n) - f.size; from < int64(len(f.tail)) {
		n += copy(p[n:], f.tail[from:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
