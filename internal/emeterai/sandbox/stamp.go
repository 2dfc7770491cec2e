package sandbox

import (
	"bytes"
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

// Stamp affixes a serial with two increments, the signature and its validation data. It reads what the cross-reference
// leads to and hashes only its own bytes, if the request has the source's midstate.
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
	// Durable after this: that the serial belongs to this source. Not yet: the tail, which only the caller has. After
	// a crash the caller asks again with the same source and gets another tail for the same serial.
	return tail, f.bindSerial(ctx, r)
}

// admitRequest checks that a serial may be affixed to a source, and returns what to sign with.
func (f *Office) admitRequest(ctx context.Context, r emeterai.Request) (*credential, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var c *credential
	err := f.decide(ctx, func() (err error) {
		if err := f.requireBindable(r); err != nil {
			return err
		}
		c, err = f.requireCredential(ctx)
		return err
	})
	return c, err
}

// bindSerial binds a serial to a source permanently.
func (f *Office) bindSerial(ctx context.Context, r emeterai.Request) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.decide(ctx, func() error { return f.recordBinding(ctx, r) })
}

// recordBinding is one try of bindSerial. The caller holds mu.
func (f *Office) recordBinding(ctx context.Context, r emeterai.Request) error {
	if err := f.requireBindable(r); err != nil {
		return err // another caller was faster, with another source
	}
	s := f.serials[r.Serial]
	if s.source != "" {
		return nil
	}
	source := hex.EncodeToString(r.Digest[:])
	at := f.now()
	if err := f.journal.appendEntry(ctx, entry{Is: entryAffixed, At: at, Serial: r.Serial, Source: source}); err != nil {
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

// checkRequest refuses what the real office would refuse, or silently do wrong. It returns the ordered box in default
// user space of its page.
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
	return r.UserRect(d)
}

// computeDigest returns the SHA-256 of a source: from its midstate, else of its bytes, which are then read completely.
func computeDigest(s pades.Source) ([32]byte, error) {
	h := sha256.New()
	if len(s.Midstate) > 0 {
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.Midstate); err != nil {
			return [32]byte{}, permanentProblem(emeterai.CodeFile, "the midstate of the source is invalid", err)
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

// unreadableFile distinguishes a file that can never be parsed from bytes that could not be read at the moment.
func unreadableFile(err error) error {
	if isPermanent(err) {
		return permanentProblem(emeterai.CodeFile, "the file cannot be read", err)
	}
	return unavailable(err)
}

// isPermanent reports whether a file will be refused every time.
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

// affixStamp makes the two increments of a stamp: the signature, and the document security store with its validation
// data. Rect is the ordered box in default user space.
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
	// The office adds validation data for its own stamp only, not for the other signatures of the file.
	proof, err := pades.AddDSS(ctx, r.Source.WithResult(signed), pades.ValidationOptions{Source: f.o.Revocation, Required: []string{signed.Field}})
	if err != nil {
		return nil, fmt.Errorf("validation data: %w", err)
	}
	return append(signed.Tail, proof.Tail...), nil
}

// affixWithFault affixes a serial with the given fault, or as ordered if the fault does not concern stamping. It
// returns the whole file. Pages is the number of pages of the document.
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

// otherSerial returns another serial of the same form.
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

// rewriteFile rewrites a file, as programs do that cannot extend one. A signed file cannot be rewritten; one of its
// bytes is changed instead.
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
