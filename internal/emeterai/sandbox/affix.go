package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"io"

	"segel/internal/emeterai"
	"segel/pades"
	"segel/pdf"
)

// affix makes the two increments that a stamp is: the signature, and the security store that proves it later.
func (f *Office) affix(ctx context.Context, c *credential, r emeterai.Request) ([]byte, error) {
	b := r.Box
	box := pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)}
	picture, err := artwork(r.Serial, f.verifyURL(r.Serial), box.Width(), box.Height())
	if err != nil {
		return nil, fmt.Errorf("draw stamp: %w", err)
	}
	signed, err := pades.Sign(ctx, r.Source, pades.Options{
		NewField:    &pades.FieldSpec{Name: emeterai.Field(r.Serial), Label: "SPESIMEN " + r.Serial, Page: r.Page, Rect: box},
		Key:         c.key,
		Chain:       c.chain,
		Timestamper: f.o.Timestamper,
		Time:        f.o.Clock(),
		Name:        Name,
		Reason:      emeterai.Reason(r.Serial, r.Reason),
		Location:    r.Location,
		Appearance:  picture,
		Random:      f.o.Random,
	})
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	source, err := extend(r.Source, signed.Tail)
	if err != nil {
		return nil, err
	}
	proof, err := pades.Validation(ctx, source, f.o.Revocation)
	if err != nil {
		return nil, fmt.Errorf("validation data: %w", err)
	}
	return append(signed.Tail, proof.Tail...), nil
}

// extend returns the source with a tail behind it, and with its midstate if the source has one.
func extend(s pades.Source, tail []byte) (pades.Source, error) {
	out := pades.Source{R: &extended{s.R, s.Size, tail}, Size: s.Size + int64(len(tail))}
	if len(s.State) == 0 {
		return out, nil
	}
	h := sha256.New()
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.State); err != nil {
		return out, fmt.Errorf("midstate of the source: %w", err)
	}
	h.Write(tail)
	var err error
	out.State, err = h.(encoding.BinaryMarshaler).MarshalBinary()
	return out, err
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
