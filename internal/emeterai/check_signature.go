package emeterai

import (
	"crypto"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strings"

	"segel/cms"
	"segel/pdf"
)

// findSignature finds the signature with the ordered name. That it is new, and the only new one, is checked with the
// changes.
func (c *stampCheck) findSignature() error {
	all, err := c.increments[0].Signatures()
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Field.Name == FieldName(c.want.Serial) {
			c.signature = s
			return nil
		}
	}
	return fmt.Errorf("no signature in field %q", FieldName(c.want.Serial))
}

// checkPlace checks that the stamp is visible on the ordered page and in the ordered box. The office silently moves a
// page number that is too high to the last page. A rectangle of whole numbers may use the neighbouring whole numbers
// of the ordered ones: see [Box].
func (c *stampCheck) checkPlace() error {
	f := c.signature.Field
	if len(f.Widgets) != 1 {
		return fmt.Errorf("stamp with %d widgets", len(f.Widgets))
	}
	w := f.Widgets[0]
	page, err := c.increments[0].Page(c.want.Page)
	if err != nil {
		return fmt.Errorf("page %d: %w", c.want.Page, err)
	}
	annots, err := c.increments[0].Array(page.Dict["Annots"])
	if err != nil {
		return err
	}
	if !slices.Contains(annots, pdf.Object(w.Ref)) {
		return fmt.Errorf("stamp is not on page %d", c.want.Page)
	}
	rect, err := c.increments[0].Rect(w.Dict["Rect"])
	if err != nil {
		return err
	}
	b := c.want.Box
	want := page.ToUser(pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)})
	if !isNear(rect, want, spelledRounding) && !(hasWholeCorners(rect) && isNear(rect, want, 1-computedRounding)) {
		return fmt.Errorf("stamp stands in %v, not in %v", rect, want)
	}
	return c.checkVisible(w)
}

// Flags of an annotation (ISO 32000-1 §12.5.3).
const (
	flagHidden = 1 << 1
	flagPrint  = 1 << 2
	flagNoView = 1 << 5
)

func (c *stampCheck) checkVisible(w pdf.Widget) error {
	flags, err := c.increments[0].Integer(w.Dict["F"])
	if err != nil {
		return err
	}
	if flags&flagPrint == 0 || flags&(flagHidden|flagNoView) != 0 {
		return fmt.Errorf("stamp with annotation flags %d is not visible", flags)
	}
	ap, err := c.increments[0].Dict(w.Dict["AP"])
	if err != nil {
		return err
	}
	if s, err := c.increments[0].Stream(ap["N"]); err != nil || s == nil {
		return errors.Join(errors.New("stamp without a picture"), err)
	}
	if w.Dict["Lock"] != nil || c.signature.Field.Dict["Lock"] != nil {
		return errors.New("stamp with /Lock")
	}
	return nil
}

// checkSignatureEntries checks the entries of the signature dictionary.
func (c *stampCheck) checkSignatureEntries() error {
	reason, err := c.increments[0].String(c.signature.Dict["Reason"])
	if err != nil {
		return err
	}
	if !strings.HasPrefix(reason.Text(), "["+c.want.Serial+"]") {
		return fmt.Errorf("reason %q does not begin with the serial", reason.Text())
	}
	if c.signature.Type != "Sig" {
		return fmt.Errorf("signature of type %s", c.signature.Type)
	}
	// A certification or a lock would forbid the seal that follows.
	if _, ok := c.signature.Dict["Reference"]; ok {
		return errors.New("signature with /Reference")
	}
	return nil
}

// How far numbers may differ, in units of user space.
const (
	spelledRounding  = 0.01 // because of how a file spells them
	computedRounding = 1e-6 // because of how they were computed
)

// isNear reports whether all corners differ by less than the given distance in x and y.
func isNear(a, b pdf.Rect, than float64) bool {
	return math.Abs(a.LLX-b.LLX) < than && math.Abs(a.LLY-b.LLY) < than &&
		math.Abs(a.URX-b.URX) < than && math.Abs(a.URY-b.URY) < than
}

// hasWholeCorners reports whether all corners are whole numbers.
func hasWholeCorners(r pdf.Rect) bool {
	return isNear(r, pdf.Rect{LLX: math.Round(r.LLX), LLY: math.Round(r.LLY), URX: math.Round(r.URX), URY: math.Round(r.URY)}, computedRounding)
}

// verifySignature verifies the mathematics of the new signature, and checks that it covers the source and its own
// increment.
func (c *stampCheck) verifySignature() error {
	s := c.signature
	r := s.ByteRange
	end := c.increments[0].Revision.End
	if len(r) != 4 || r[0] != 0 || r[1] != s.ContentsAt || r[2] != s.ContentsEnd || r[3] < 0 || r[1] < c.want.Source.Size {
		return fmt.Errorf("byte range %v does not go round the signature", r)
	}
	if to := r[2] + r[3]; to != end && to != c.increments[0].Revision.EOF {
		return fmt.Errorf("byte range ends at %d, the increment at %d", to, end)
	}
	sd, err := cms.Parse(s.Contents)
	if err != nil {
		return err
	}
	if len(sd.Signers) != 1 || sd.Content != nil {
		return errors.New("a detached signature of one signer was expected")
	}
	digest, err := c.computeDigest(sd.Signers[0].Digest)
	if err != nil {
		return err
	}
	if err := sd.Verify(sd.Signers[0], digest); err != nil {
		return fmt.Errorf("signature does not verify: %w", err)
	}
	return nil
}

// computeDigest hashes what the signature covers. With the midstate of the source, SHA-256 reads only the tail.
func (c *stampCheck) computeDigest(algorithm crypto.Hash) ([]byte, error) {
	if !algorithm.Available() {
		return nil, fmt.Errorf("hash %v is not available", algorithm)
	}
	h, from := algorithm.New(), int64(0)
	if state := c.want.Source.Midstate; algorithm == crypto.SHA256 && len(state) > 0 {
		resumed, err := resumeSHA256(state)
		if err != nil {
			return nil, err
		}
		h, from = resumed, c.want.Source.Size
	}
	r := c.signature.ByteRange
	for _, part := range [][2]int64{{from, r[1]}, {r[2], r[2] + r[3]}} {
		if source := c.want.Source.Size; part[0] >= source {
			h.Write(c.tail[part[0]-source : part[1]-source]) // verifySignature has checked that it is within the tail
			continue
		}
		if _, err := io.Copy(h, io.NewSectionReader(c.file, part[0], part[1]-part[0])); err != nil {
			return nil, fmt.Errorf("read what is signed: %w", err)
		}
	}
	return h.Sum(nil), nil
}

// resumeSHA256 returns the SHA-256 state after the source, from its midstate.
func resumeSHA256(state []byte) (hash.Hash, error) {
	h := sha256.New()
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		return nil, fmt.Errorf("midstate of the source: %w", err)
	}
	return h, nil
}
