package workflow

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/specimen"
	"segel/internal/store"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
)

// fieldsFor describes every field that a document will need: one for each signer, visible at his first signature
// placement; a mark for each further box of his; and the seal's.
func fieldsFor(d *contract.Document, doc *pdf.Document) ([]pades.FieldSpec, error) {
	var fields []pades.FieldSpec
	for _, p := range d.Signers() {
		if p.Field == "" {
			continue // a stamping order is not signed by people
		}
		main, marks := placementsOf(d, p.ID)
		f := pades.FieldSpec{Name: p.Field, Label: "Tanda tangan " + fieldLabel(p)}
		if main >= 0 {
			if err := placeField(&f, doc, d.Placements[main]); err != nil {
				return nil, err
			}
		}
		fields = append(fields, f)
		for _, i := range marks {
			m := pades.FieldSpec{Name: markName(p, i), Label: "Paraf " + fieldLabel(p), Mark: true}
			if err := placeField(&m, doc, d.Placements[i]); err != nil {
				return nil, err
			}
			fields = append(fields, m)
		}
	}
	lock, err := lockAtFinalize(doc, fields)
	if err != nil {
		return nil, err
	}
	return append(fields, pades.FieldSpec{Name: d.SealField(), Label: "Segel", Lock: lock}), nil
}

// placementsOf returns the index of the placement that a signer's field shows in, or -1, and those of his marks:
// the first signature, else the first initials, and all the rest.
func placementsOf(d *contract.Document, id contract.PersonID) (main int, marks []int) {
	main = -1
	for i, p := range d.Placements {
		if p.Person != id || p.Kind == contract.PlaceStamp {
			continue
		}
		if main < 0 || p.Kind == contract.PlaceSignature && d.Placements[main].Kind != contract.PlaceSignature {
			if main >= 0 {
				marks = append(marks, main)
			}
			main = i
			continue
		}
		marks = append(marks, i)
	}
	return main, marks
}

func markName(p contract.Participant, placement int) string {
	return fmt.Sprintf("%s-Mark-%d", p.Field, placement+1)
}

// placeField puts a field where a placement is, in the page's own user space.
func placeField(f *pades.FieldSpec, doc *pdf.Document, p contract.Placement) error {
	page, err := doc.Page(p.Page)
	if err != nil {
		return fmt.Errorf("page %d: %w", p.Page, err)
	}
	f.Page, f.Rect = p.Page, page.ToUser(pdf.Rect(p.Box))
	return nil
}

// buildAppearances draws what a participant's signature and their marks show. It is nil where nothing is to be seen.
func buildAppearances(d *contract.Document, p contract.Participant, who contract.Attestation, strokes *appearance.Strokes, now time.Time) (pades.Appearance, map[string]pades.Appearance) {
	main, marks := placementsOf(d, p.ID)
	if main < 0 {
		return nil, nil
	}
	drawn := func(at contract.Placement) pades.Appearance {
		if !p.Guest {
			return drawSignature(at, p, strokes, now)
		}
		return drawGuestSignature(at, p, who, strokes, now)
	}
	others := map[string]pades.Appearance{}
	for _, i := range marks {
		others[markName(p, i)] = drawn(d.Placements[i])
	}
	return drawn(d.Placements[main]), others
}

// guestShort is what a guest's signature and initials say at least, wherever anything of them is drawn.
const guestShort = "Tamu — identitas tidak diverifikasi"

// drawGuestSignature draws what a guest's box shows: below all the rest, that the identity was not verified and who entered the
// name. Initials have the short form alone, in the strip that it needs.
func drawGuestSignature(at contract.Placement, p contract.Participant, who contract.Attestation, strokes *appearance.Strokes, now time.Time) pades.Appearance {
	n := appearance.Notice{Short: guestShort}
	if at.Kind != contract.PlaceInitials {
		by := who.NamedBy + " (" + who.Organisation + ")"
		n.Text = "Tamu, dicantumkan oleh " + by + "; identitas tidak diverifikasi"
		n.Translation = "Guest, named by " + by + "; identity not verified"
	}
	return appearance.WithNotice(n, at.Box.Width(), at.Box.Height(), func(width, height float64) *appearance.Drawing {
		at.Box.URX, at.Box.URY = at.Box.LLX+width, at.Box.LLY+height
		return drawSignature(at, p, strokes, now)
	})
}

// fieldLabel names a participant in the tooltip of a field, which screen readers tell.
func fieldLabel(p contract.Participant) string {
	if p.Guest {
		return "tamu (identitas tidak diverifikasi): " + p.Name
	}
	return p.Name
}

func drawSignature(at contract.Placement, p contract.Participant, strokes *appearance.Strokes, now time.Time) *appearance.Drawing {
	if at.Kind == contract.PlaceInitials {
		return appearance.Initials(p.Name, strokes, at.Box.Width(), at.Box.Height())
	}
	return appearance.Signature(appearance.SignatureText{
		Name: p.Name, Time: now, Reason: reasonSigned, Specimen: strokes,
	}, at.Box.Width(), at.Box.Height())
}

// specimenStrokes returns the strokes of the picture that a user keeps, or nil: guests keep none, and a signature that
// is not to be seen needs none.
func (s *Service) specimenStrokes(ctx context.Context, d *contract.Document, p contract.Participant) (*appearance.Strokes, error) {
	if main, _ := placementsOf(d, p.ID); main < 0 || p.Guest {
		return nil, nil
	}
	file, err := s.Store.Specimen(ctx, p.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read specimen: %w", err)
	}
	return s.specimens.loadStrokes(ctx, file)
}

// specimenCache remembers the strokes of kept specimens: extracting them takes longer than all the rest of a signature.
type specimenCache struct {
	mu    sync.Mutex // guards known; never held while extracting
	known map[[32]byte]*appearance.Strokes
}

// maxCachedSpecimens bounds what is remembered; strokes have some ten kilobytes.
const maxCachedSpecimens = 500

func (c *specimenCache) loadStrokes(ctx context.Context, file []byte) (*appearance.Strokes, error) {
	key := sha256.Sum256(file)
	c.mu.Lock()
	m := c.known[key]
	c.mu.Unlock()
	if m != nil {
		return m, nil
	}
	m, err := specimen.ExtractStrokes(ctx, file)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxCachedSpecimens {
		c.known = map[[32]byte]*appearance.Strokes{} // forgetting all is rare and costs one extraction each
	}
	c.known[key] = m
	return m, nil
}
