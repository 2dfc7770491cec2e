package workflow

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/specimen"
	"segel/internal/store"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
)

// buildFieldSpecs describes every field that a document needs: one field for each signer or group of signers, visible at their first signature
// placement; a mark for each further box of the signer; and the seal's field.
func buildFieldSpecs(d *contract.Document, doc *pdf.Document) ([]pades.FieldSpec, error) {
	var fields []pades.FieldSpec
	for i, p := range d.Parts() {
		if p.Field == "" {
			continue // people do not sign a stamping order
		}
		main, marks := signaturePlacements(d, p.ID)
		label := fieldLabel(p)
		if d.Delivery.Delegation || p.Group != 0 {
			label = fmt.Sprintf("penanda tangan ke-%d", i+1) // another person may sign, and a label does not change after that
		}
		f := pades.FieldSpec{Name: p.Field, Label: "Tanda tangan " + label}
		if main >= 0 {
			if err := placeField(&f, doc, d.Placements[main]); err != nil {
				return nil, err
			}
		}
		fields = append(fields, f)
		for _, i := range marks {
			m := pades.FieldSpec{Name: markName(p, i), Label: "Paraf " + label, Mark: true}
			if err := placeField(&m, doc, d.Placements[i]); err != nil {
				return nil, err
			}
			fields = append(fields, m)
		}
	}
	lock, err := buildSealFieldLock(doc, fields)
	if err != nil {
		return nil, err
	}
	return append(fields, pades.FieldSpec{Name: d.SealField(), Label: "Segel", Lock: lock}), nil
}

// signaturePlacements returns the indexes of the placements of a signer or their group. Main is where the signature field is visible: the first
// signature placement, else the first initials; -1 without any. Marks are the others.
func signaturePlacements(d *contract.Document, id contract.PersonID) (main int, marks []int) {
	main = -1
	for i, p := range d.Placements {
		if !d.FillsBox(id, p) {
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

// placeField sets page and rectangle of a field to those of a placement, in the page's user space.
func placeField(f *pades.FieldSpec, doc *pdf.Document, p contract.Placement) error {
	page, err := doc.Page(p.Page)
	if err != nil {
		return fmt.Errorf("page %d: %w", p.Page, err)
	}
	f.Page, f.Rect = p.Page, page.ToUser(pdf.Rect(p.Box))
	return nil
}

// card is what the signatures of a document show besides the signer.
type card struct {
	organisation string
	zone         *time.Location      // of the time
	logo         *appearance.Picture // nil: none
	accent       *appearance.Color   // nil: that of the library
	code         string              // the address that the QR code has; empty: none
	reason       string              // of the signature
}

// buildAppearances draws a participant's signature and marks. Both results are nil if the signature is invisible.
func buildAppearances(d *contract.Document, p contract.Participant, c card, attestation contract.Attestation, pictures signerPictures, now time.Time) (pades.Appearance, map[string]pades.Appearance) {
	main, marks := signaturePlacements(d, p.ID)
	if main < 0 {
		return nil, nil
	}
	drawn := func(at contract.Placement) pades.Appearance {
		draw := func(width, height float64) *appearance.Drawing {
			at.Box.URX, at.Box.URY = at.Box.LLX+width, at.Box.LLY+height
			if !p.Guest {
				return drawSignature(at, p, c, pictures, now)
			}
			return drawGuestSignature(at, p, c, attestation, pictures, now)
		}
		if d.Test {
			return appearance.WithNotice(testNotice, at.Box.Width(), at.Box.Height(), draw)
		}
		return draw(at.Box.Width(), at.Box.Height())
	}
	others := map[string]pades.Appearance{}
	for _, i := range marks {
		others[markName(p, i)] = drawn(d.Placements[i])
	}
	return drawn(d.Placements[main]), others
}

// testNotice marks the signatures on a test document, as the artwork of the sandbox marks its stamps.
var testNotice = appearance.Notice{
	Word: "SPESIMEN", Short: "SPESIMEN — dokumen uji", Text: "SPESIMEN — dokumen uji, tanpa nilai hukum", Translation: "SPECIMEN — test document without legal value",
}

// The shortest texts that a guest's signature and initials show. What was verified is left out where there is no room: nothing
// shorter may sound like a verified identity.
const (
	guestShort = "Tamu — identitas tidak diverifikasi"
	guestWord  = "Tamu" // in a box in which nothing more can be read
)

// contactWords say which contact of a guest was verified. The certificate and the audit trail name it; the page does not.
var contactWords = map[contract.Assurance]struct{ id, en string }{
	contract.AssuranceGuestMailbox: {"alamat e-mail diverifikasi dengan kode", "mailbox verified with a code"},
	contract.AssuranceGuestPhone:   {"nomor telepon diverifikasi dengan kode", "phone number verified with a code"},
}

// drawGuestSignature draws a guest's box. A notice at the bottom says that the identity was not verified and who
// entered the name. Initials have room for the short text only.
func drawGuestSignature(at contract.Placement, p contract.Participant, c card, attestation contract.Attestation, pictures signerPictures, now time.Time) *appearance.Drawing {
	n := appearance.Notice{Short: guestShort, Word: guestWord}
	if at.Kind != contract.PlaceInitials {
		by := attestation.NamedBy + " (" + attestation.Organisation + ")"
		n.Text = "Tamu, dicantumkan oleh " + by + "; identitas tidak diverifikasi"
		n.Translation = "Guest, named by " + by + "; identity not verified"
		if w, ok := contactWords[attestation.Assurance]; ok {
			n.Text += "; " + w.id
			n.Translation += "; " + w.en
		}
	}
	return appearance.WithNotice(n, at.Box.Width(), at.Box.Height(), func(width, height float64) *appearance.Drawing {
		at.Box.URX, at.Box.URY = at.Box.LLX+width, at.Box.LLY+height
		return drawSignature(at, p, c, pictures, now)
	})
}

// fieldLabel returns the name of a participant for the tooltip of a field. Screen readers read it aloud.
func fieldLabel(p contract.Participant) string {
	label := p.Name
	if p.Guest {
		label = "tamu (identitas tidak diverifikasi): " + p.Name
	}
	if p.Capacity == contract.Witness {
		return "saksi " + label
	}
	return label
}

func drawSignature(at contract.Placement, p contract.Participant, c card, pictures signerPictures, now time.Time) *appearance.Drawing {
	if at.Kind == contract.PlaceInitials {
		return appearance.Initials(p.Name, cmp.Or(pictures.initials, pictures.signature), at.Box.Width(), at.Box.Height())
	}
	return appearance.Signature(appearance.SignatureText{
		Name: p.Name, Time: now.In(c.zone), Organisation: "Dokumen dari " + c.organisation, Reason: c.reason, Specimen: pictures.signature,
		Logo: c.logo, Accent: c.accent, QR: c.code,
	}, at.Box.Width(), at.Box.Height())
}

// signerPictures is what a signer's boxes show. A nil signature shows the printed name; nil initials show the signature's strokes
// or, without them, the printed initials.
type signerPictures struct{ signature, initials *appearance.Strokes }

// readSignerPictures returns the strokes of the pictures that a request has, else of the signer's specimens. A request with a
// picture of the signature alone shows that picture in boxes for initials too.
func (s *Service) readSignerPictures(ctx context.Context, d *contract.Document, p contract.Participant, given *givenPictures) (*signerPictures, error) {
	var got signerPictures
	var err error
	if given.signature.isGiven() {
		if got.signature, err = given.signature.extractStrokes(ctx); err != nil {
			return nil, err
		}
	} else if got.signature, err = s.specimenStrokes(ctx, d, p, store.SignatureSpecimen); err != nil {
		return nil, err
	}
	if given.initials.isGiven() {
		if got.initials, err = given.initials.extractStrokes(ctx); err != nil {
			return nil, err
		}
	} else if !given.signature.isGiven() {
		if got.initials, err = s.specimenStrokes(ctx, d, p, store.InitialsSpecimen); err != nil {
			return nil, err
		}
	}
	return &got, nil
}

// specimenStrokes returns the strokes of a user's specimen. It returns nil for guests, who have no specimen, and where no box
// shows it.
func (s *Service) specimenStrokes(ctx context.Context, d *contract.Document, p contract.Participant, kind store.SpecimenKind) (*appearance.Strokes, error) {
	if p.Guest || !slices.ContainsFunc(d.Placements, func(at contract.Placement) bool {
		return d.FillsBox(p.ID, at) && (at.Kind == contract.PlaceInitials || kind == store.SignatureSpecimen && at.Kind == contract.PlaceSignature)
	}) {
		return nil, nil
	}
	file, err := s.Store.Specimen(ctx, p.ID, kind)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read specimen: %w", err)
	}
	return s.specimens.loadStrokes(ctx, file)
}

// specimenCache caches the strokes of specimens. Extracting strokes takes longer than the rest of a signature.
type specimenCache struct {
	mu    sync.Mutex // guards known; never held while extracting
	known map[[32]byte]*appearance.Strokes
}

// maxCachedSpecimens bounds the cache. The strokes of one specimen take about ten kilobytes.
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
		c.known = map[[32]byte]*appearance.Strokes{} // rare; costs one extraction per specimen
	}
	c.known[key] = m
	return m, nil
}
