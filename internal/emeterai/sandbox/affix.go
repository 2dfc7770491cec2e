package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"

	"segel/internal/emeterai"
	"segel/pades"
	"segel/pdf"
)

// affix makes the two increments that a stamp is: the signature, and the security store that proves it later. Rect
// is the ordered box in default user space.
func (f *Office) affix(ctx context.Context, c *credential, r emeterai.Request, rect pdf.Rect) ([]byte, error) {
	signed, err := pades.Sign(ctx, r.Source, pades.Options{
		NewField:    &pades.FieldSpec{Name: emeterai.Field(r.Serial), Label: "SPESIMEN " + r.Serial, Page: r.Page, Rect: rect},
		Key:         c.key,
		Chain:       c.chain,
		Timestamper: f.o.Timestamper,
		Time:        f.o.Clock(),
		Name:        Name,
		Reason:      emeterai.Reason(r.Serial, r.Reason),
		Location:    r.Location,
		Appearance:  artwork(r.Serial, f.verifyURL(r.Serial)),
		Random:      f.o.Random,
	})
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	// The office vouches for its own stamp; whose signatures stand beside it is not its business.
	source := pades.Source{R: &extended{r.Source.R, r.Source.Size, signed.Tail}, Size: signed.Size, State: signed.State}
	proof, err := pades.AddDSS(ctx, source, pades.ValidationOptions{Source: f.o.Revocation, Required: []string{signed.Field}})
	if err != nil {
		return nil, fmt.Errorf("validation data: %w", err)
	}
	return append(signed.Tail, proof.Tail...), nil
}

// extended is a file with a tail behind it.
type extended struct {
	file io.ReaderAt
	size int64
	tail []byte
}

// ReadAt reads from file and tail.
func (e *extended) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errors.New("negative offset")
	}
	n := 0
	if at < e.size {
		var err error
		head := p[:min(int64(len(p)), e.size-at)]
		if n, err = e.file.ReadAt(head, at); n < len(head) {
			return n, err
		}
	}
	if from := at + int64(n) - e.size; from >= 0 && from < int64(len(e.tail)) {
		n += copy(p[n:], e.tail[from:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
