package sandbox

import (
	"bytes"
	"context"
	"fmt"

	"segel/internal/emeterai"
	"segel/pades"
	"segel/pdf"
)

// affixWithFault affixes a serial as a fault says, or as ordered if it says nothing of that. It returns the whole file. Pages
// is how many the document has.
func (f *Office) affixWithFault(ctx context.Context, fault Fault, c *credential, r emeterai.Request, rect pdf.Rect, pages int) (pades.Source, error) {
	switch fault {
	case FaultPage:
		if pages > 1 {
			r.Page = r.Page%pages + 1
		} else {
			rect = pdf.Rect{LLX: rect.LLX + 36, LLY: rect.LLY + 36, URX: rect.URX + 36, URY: rect.URY + 36}
		}
	case FaultSerial:
		r.Serial = otherSerial(r.Serial)
	case FaultRewritten:
		fresh, err := rewriteFile(r.Source)
		if err != nil {
			return pades.Source{}, err
		}
		r.Source = fresh
	}
	tail, err := f.affixStamp(ctx, c, r, rect)
	if err != nil {
		return pades.Source{}, err
	}
	whole := r.Source.WithTail(tail)
	if fault != FaultSecond {
		return whole, nil
	}
	second, err := pades.Sign(ctx, whole, pades.Options{
		NewField: &pades.FieldSpec{Name: emeterai.FieldName(otherSerial(r.Serial)), Label: "SPESIMEN", Page: r.Page, Rect: pdf.Rect{LLX: 10, LLY: 10, URX: 64, URY: 64}},
		Key:      c.key, Chain: c.chain, Timestamper: f.o.Timestamper, Time: f.o.Clock(), Name: Name,
		Reason: emeterai.SignatureReason(r.Serial, r.Reason), Appearance: drawArtwork(r.Serial, f.verifyURL(r.Serial)), Random: f.o.Random,
	})
	if err != nil {
		return pades.Source{}, fmt.Errorf("second signature: %w", err)
	}
	return whole.WithTail(second.Tail), nil
}

// otherSerial returns a serial of the same form that is another.
func otherSerial(s string) string {
	b := []byte(s)
	last := &b[len(b)-1]
	if *last == '0' {
		*last = '1'
	} else {
		*last = '0'
	}
	return string(b)
}

// rewriteFile writes a file anew, as programs do that cannot extend one. A signed file cannot be written anew; some
// byte of it is changed instead.
func rewriteFile(src pades.Source) (pades.Source, error) {
	d, err := pdf.Open(src.R, src.Size, pdf.Options{})
	if err != nil {
		return pades.Source{}, err
	}
	var b bytes.Buffer
	if _, err := d.Rewrite(&b, pdf.RewriteOptions{}); err != nil {
		b.Reset()
		b.Grow(int(src.Size))
		whole := make([]byte, src.Size)
		if _, err := src.R.ReadAt(whole, 0); err != nil {
			return pades.Source{}, err
		}
		whole[len("%PDF-1.x")] ^= 1 // the end of the header's line, or what stands for it
		b.Write(whole)
	}
	return pades.Source{R: bytes.NewReader(b.Bytes()), Size: int64(b.Len())}, nil
}
