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
	c, err := f.admit(ctx, r)
	if err != nil {
		return nil, err
	}
	rect, err := check(r)
	if err != nil {
		return nil, err
	}
	tail, err := f.affix(ctx, c, r, rect)
	switch {
	case forGood(err):
		return nil, refused(emeterai.CodeFile, "the file cannot be stamped", err)
	case err != nil:
		return nil, down(err)
	}
	// Durable after this: that the serial belongs to this source. Not yet: the tail, which nobody but the caller
	// has. After a crash he asks again with the same source, and is given another tail for the same serial.
	return tail, f.bind(r)
}

// admit checks that a serial may be affixed to a source, and returns what to sign with.
func (f *Office) admit(ctx context.Context, r emeterai.Request) (*credential, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.mayBind(r); err != nil {
		return nil, err
	}
	return f.ready(ctx)
}

// bind makes a serial belong to a source for good.
func (f *Office) bind(r emeterai.Request) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.mayBind(r); err != nil {
		return err // somebody else was faster, with another source
	}
	s := f.serials[r.Serial]
	if s.source != "" {
		return nil
	}
	source := hex.EncodeToString(r.Digest[:])
	at := f.now()
	if err := f.journal.append(entry{Is: entryAffixed, At: at, Serial: r.Serial, Source: source}); err != nil {
		return down(err)
	}
	s.source, s.at = source, at
	return nil
}

// mayBind checks that a serial is unused or belongs to this source already. The caller holds mu.
func (f *Office) mayBind(r emeterai.Request) error {
	s, ok := f.serials[r.Serial]
	if !ok {
		return unknownSerial(r.Serial)
	}
	if s.source != "" && s.source != hex.EncodeToString(r.Digest[:]) {
		return &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSource, Text: fmt.Sprintf("serial %s is affixed to another source", r.Serial)}
	}
	return nil
}

// check refuses what the real office would refuse, or do wrong without saying so. It returns the ordered box in
// default user space of its page.
func check(r emeterai.Request) (pdf.Rect, error) {
	digest, err := digestOf(r.Source)
	if err != nil {
		return pdf.Rect{}, err
	}
	if digest != r.Digest {
		return pdf.Rect{}, refused(emeterai.CodeFile, "the digest is not that of the source", nil)
	}
	d, err := r.Open()
	if err != nil {
		return pdf.Rect{}, unreadable(err)
	}
	page, err := d.Page(r.Page)
	if err != nil {
		return pdf.Rect{}, refused(emeterai.CodePlace, fmt.Sprintf("there is no page %d", r.Page), err)
	}
	w, h := page.DisplayedSize()
	b := r.Box
	if b.LLX >= b.URX || b.LLY >= b.URY || b.LLX < -edge || b.LLY < -edge || float64(b.URX) > w+edge || float64(b.URY) > h+edge {
		return pdf.Rect{}, refused(emeterai.CodePlace, fmt.Sprintf("box %v is not on a page of %.0f by %.0f points", b, w, h), nil)
	}
	return page.ToUser(pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)}), nil
}

// digestOf returns the SHA-256 of a source: of its midstate, else of its bytes, which are read from end to end.
func digestOf(s pades.Source) ([32]byte, error) {
	h := sha256.New()
	if len(s.State) > 0 {
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.State); err != nil {
			return [32]byte{}, refused(emeterai.CodeFile, "the midstate of the source is none", err)
		}
		return [32]byte(h.Sum(nil)), nil
	}
	n, err := io.Copy(h, io.NewSectionReader(s.R, 0, s.Size))
	if err != nil {
		return [32]byte{}, down(fmt.Errorf("read the source: %w", err))
	}
	if n != s.Size {
		return [32]byte{}, down(fmt.Errorf("read the source: %d of %d bytes: %w", n, s.Size, io.ErrUnexpectedEOF))
	}
	return [32]byte(h.Sum(nil)), nil
}

// unreadable tells a file that will never be read from bytes that could not be fetched just now.
func unreadable(err error) error {
	if forGood(err) {
		return refused(emeterai.CodeFile, "the file cannot be read", err)
	}
	return down(err)
}

// edge is how far a box may stick out of its page, in points: no more than rounding makes of it.
const edge = 1

// forGood reports whether a file will be refused again however often it is tried.
func forGood(err error) bool {
	var damage *pdf.Error
	return errors.As(err, &damage) || errors.Is(err, pades.ErrCertified) || errors.Is(err, pades.ErrFieldLocked) || errors.Is(err, pades.ErrEncrypted) || errors.Is(err, pades.ErrFieldExists)
}

// verifyURL is where the artwork's code leads.
func (f *Office) verifyURL(serial string) string {
	return f.o.PublicURL + "/verify?serial=" + url.QueryEscape(serial)
}

func refused(code, text string, err error) error {
	return &emeterai.Problem{Class: emeterai.Permanent, Code: code, Text: text, Err: err}
}
