package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"

	"segel/internal/emeterai"
	"segel/pades"
	"segel/pdf"
)

// Stamp affixes a serial by two increments, the signature and its validation data. It reads what the
// cross-reference leads to and hashes only its own bytes, if the request has the source's midstate.
func (f *Office) Stamp(ctx context.Context, r emeterai.Request) ([]byte, error) {
	c, err := f.admitRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	rect, err := checkRequest(r)
	if err != nil {
		return nil, err
	}
	tail, err := f.affixStamp(ctx, c, r, rect)
	switch {
	case isPermanent(err):
		return nil, permanentProblem(emeterai.CodeFile, "the file cannot be stamped", err)
	case err != nil:
		return nil, unavailable(err)
	}
	// Durable after this: that the serial belongs to this source. Not yet: the tail, which nobody but the caller
	// has. After a crash he asks again with the same source, and is given another tail for the same serial.
	return tail, f.bindSerial(r)
}

// admitRequest checks that a serial may be affixed to a source, and returns what to sign with.
func (f *Office) admitRequest(ctx context.Context, r emeterai.Request) (*credential, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.requireBindable(r); err != nil {
		return nil, err
	}
	return f.requireCredential(ctx)
}

// bindSerial makes a serial belong to a source for good.
func (f *Office) bindSerial(r emeterai.Request) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.requireBindable(r); err != nil {
		return err // somebody else was faster, with another source
	}
	s := f.serials[r.Serial]
	if s.source != "" {
		return nil
	}
	source := hex.EncodeToString(r.Digest[:])
	at := f.now()
	if err := f.journal.appendEntry(entry{Is: entryAffixed, At: at, Serial: r.Serial, Source: source}); err != nil {
		return unavailable(err)
	}
	s.source, s.at = source, at
	return nil
}

// requireBindable checks that a serial is unused or belongs to this source already. The caller holds mu.
func (f *Office) requireBindable(r emeterai.Request) error {
	s, ok := f.serials[r.Serial]
	if !ok {
		return unknownSerial(r.Serial)
	}
	if s.source != "" && s.source != hex.EncodeToString(r.Digest[:]) {
		return &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSource, Text: fmt.Sprintf("serial %s is affixed to another source", r.Serial)}
	}
	return nil
}

// checkRequest refuses what the real office would refuse, or do wrong without saying so. It returns the ordered box in
// default user space of its page.
func checkRequest(r emeterai.Request) (pdf.Rect, error) {
	digest, err := computeDigest(r.Source)
	if err != nil {
		return pdf.Rect{}, err
	}
	if digest != r.Digest {
		return pdf.Rect{}, permanentProblem(emeterai.CodeFile, "the digest is not that of the source", nil)
	}
	d, err := r.OpenSource()
	if err != nil {
		return pdf.Rect{}, unreadableFile(err)
	}
	page, err := d.Page(r.Page)
	if err != nil {
		return pdf.Rect{}, permanentProblem(emeterai.CodePlace, fmt.Sprintf("there is no page %d", r.Page), err)
	}
	w, h := page.DisplayedSize()
	b := r.Box
	if b.LLX >= b.URX || b.LLY >= b.URY || b.LLX < -boxTolerance || b.LLY < -boxTolerance || float64(b.URX) > w+boxTolerance || float64(b.URY) > h+boxTolerance {
		return pdf.Rect{}, permanentProblem(emeterai.CodePlace, fmt.Sprintf("box %v is not on a page of %.0f by %.0f points", b, w, h), nil)
	}
	return page.ToUser(pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)}), nil
}

// computeDigest returns the SHA-256 of a source: of its midstate, else of its bytes, which are read from end to end.
func computeDigest(s pades.Source) ([32]byte, error) {
	h := sha256.New()
	if len(s.State) > 0 {
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.State); err != nil {
			return [32]byte{}, permanentProblem(emeterai.CodeFile, "the midstate of the source is none", err)
		}
		return [32]byte(h.Sum(nil)), nil
	}
	n, err := io.Copy(h, io.NewSectionReader(s.R, 0, s.Size))
	if err != nil {
		return [32]byte{}, unavailable(fmt.Errorf("read the source: %w", err))
	}
	if n != s.Size {
		return [32]byte{}, unavailable(fmt.Errorf("read the source: %d of %d bytes: %w", n, s.Size, io.ErrUnexpectedEOF))
	}
	return [32]byte(h.Sum(nil)), nil
}

// unreadableFile tells a file that will never be read from bytes that could not be fetched just now.
func unreadableFile(err error) error {
	if isPermanent(err) {
		return permanentProblem(emeterai.CodeFile, "the file cannot be read", err)
	}
	return unavailable(err)
}

// boxTolerance is how far a box may stick out of its page, in points: no more than rounding makes of it.
const boxTolerance = 1

// isPermanent reports whether a file will be refused again however often it is tried.
func isPermanent(err error) bool {
	var damage *pdf.Error
	return errors.As(err, &damage) || errors.Is(err, pades.ErrCertified) || errors.Is(err, pades.ErrFieldLocked) || errors.Is(err, pades.ErrEncrypted) || errors.Is(err, pades.ErrFieldExists)
}

// verifyURL is where the artwork's code leads.
func (f *Office) verifyURL(serial string) string {
	return f.o.PublicURL + "/verify?serial=" + url.QueryEscape(serial)
}

func permanentProblem(code, text string, err error) error {
	return &emeterai.Problem{Class: emeterai.Permanent, Code: code, Text: text, Err: err}
}
