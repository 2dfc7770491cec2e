package sandbox

import (
	"context"
	"fmt"

	"segel/internal/emeterai"
	"segel/pades"
	"segel/pdf"
)

// affixStamp makes the two increments that a stamp is: the signature, and the security store that proves it later. Rect
// is the ordered box in default user space.
func (f *Office) affixStamp(ctx context.Context, c *credential, r emeterai.Request, rect pdf.Rect) ([]byte, error) {
	signed, err := pades.Sign(ctx, r.Source, pades.Options{
		NewField:    &pades.FieldSpec{Name: emeterai.FieldName(r.Serial), Label: "SPESIMEN " + r.Serial, Page: r.Page, Rect: rect},
		Key:         c.key,
		Chain:       c.chain,
		Timestamper: f.o.Timestamper,
		Time:        f.o.Clock(),
		Clock:       pades.Clock{Now: f.o.Clock},
		Name:        Name,
		Reason:      emeterai.SignatureReason(r.Serial, r.Reason),
		Location:    r.Location,
		Appearance:  drawArtwork(r.Serial, f.verifyURL(r.Serial)),
		Random:      f.o.Random,
	})
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	// The office vouches for its own stamp; whose signatures stand beside it is not its business.
	proof, err := pades.AddDSS(ctx, r.Source.WithResult(signed), pades.ValidationOptions{Source: f.o.Revocation, Required: []string{signed.Field}})
	if err != nil {
		return nil, fmt.Errorf("validation data: %w", err)
	}
	return append(signed.Tail, proof.Tail...), nil
}
