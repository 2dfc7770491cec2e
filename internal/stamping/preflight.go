package stamping

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pades/validate/facts"
	"segel/pdf"
)

// signatureRoom estimates the bytes that a signature or a stamp appends. Half of it is reserve for timestamp and
// certificates.
const signatureRoom = 64 << 10

// MinOfficeVersion is the lowest version of an unsigned file that the stamp office leaves as it is.
const MinOfficeVersion = "1.6"

// PreflightStamps refuses stamps that the stamp office would refuse after payment, because it takes no serial back. It
// runs at finalize, before anything is reserved, and before each serial, because signatures were added in the meantime.
//
// If verifySignatures is set, it reads the whole file once and verifies every earlier signature; finalize does that after
// it has added the fields. Errors: refusals of [contract.Preflight]; any other error is a failure to read the file and says
// nothing about it.
func (s *Stamping) PreflightStamps(ctx context.Context, d *contract.Document, f *documents.File, verifySignatures bool) error {
	doc, err := f.PDF(pdf.Options{})
	if err != nil {
		return documents.PDFRefusal(fmt.Errorf("open document %d: %w", d.ID, err))
	}
	signatures, err := doc.Signatures()
	if err != nil {
		return documents.PDFRefusal(fmt.Errorf("read form: %w", err))
	}
	known, pending := doc.Properties(), countPendingSignatures(d)
	file := contract.OfficeFile{
		Size:      f.Size() + signatureRoom*int64(pending),
		Rewritten: known.OlderThan(MinOfficeVersion) && len(signatures) == 0 && pending == 0,
		Encrypted: known.Encrypted,
		Locked:    known.Encrypted && known.Encryption.Permissions&stampPermissions != stampPermissions,
	}
	if err := documents.RequirePermission(doc, true); errors.Is(err, documents.ErrCertified) {
		file.Certified = err
	} else if err != nil {
		return documents.PDFRefusal(err)
	}
	if verifySignatures && len(signatures) > 0 && file.Certified == nil {
		if file.Broken, file.Changed, err = s.checkEarlierSignatures(ctx, f); err != nil {
			return err
		}
	}
	return contract.Preflight(d, file, documents.PageSizes(doc), s.Limits)
}

// stampPermissions are the permissions of an encrypted file that a new field with a widget needs: modifying the file,
// and adding annotations and fields (ISO 32000-2 §7.6.4.2, bits 4 and 6).
const stampPermissions = 1<<3 | 1<<5

// countPendingSignatures counts the signatures that will be added before the next stamp.
func countPendingSignatures(d *contract.Document) int {
	n := 0
	for _, p := range d.Parts() {
		if p.Field != "" && p.SignedAt.IsZero() {
			n++
		}
	}
	return n
}

// checkEarlierSignatures returns the first field whose signature is broken, and the first whose signature forbids a
// later change. A signature with an unknown algorithm cannot be checked here and is left to the stamp office.
func (s *Stamping) checkEarlierSignatures(ctx context.Context, f *documents.File) (broken, changed string, err error) {
	o := s.ValidationOptions().FactsOptions()
	o.SkipHidden = true
	file, err := facts.Read(ctx, f.Reader, f.Size(), o)
	if errors.Is(err, facts.ErrUnreadable) {
		return "", "", documents.PDFRefusal(err)
	}
	if err != nil {
		return "", "", fmt.Errorf("read earlier signatures: %w", err)
	}
	for _, g := range file.Signatures {
		switch integrity := documents.IntegrityOf(g); {
		case integrity == contract.SignatureBroken && broken == "":
			broken = g.Field
		case (integrity == contract.SignatureChanged || integrity == contract.SignatureTooManyChanges) && changed == "":
			changed = g.Field
		}
	}
	return broken, changed, nil
}
