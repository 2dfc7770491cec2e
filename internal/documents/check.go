package documents

import (
	"bytes"
	"errors"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/pades"
	"segel/pades/validate"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
)

// RequirePermission refuses a file whose signatures forbid ours. A later check would come after quota was reserved,
// people were asked to sign, or a stamp was paid for.
func RequirePermission(doc *pdf.Document, visible bool) error {
	const ours = "Segel" // not a name in any lock, so the result holds for all our fields
	err := pades.RequireNewFieldPermitted(doc, ours, visible)
	if errors.Is(err, pades.ErrCertified) || errors.Is(err, pades.ErrFieldLocked) {
		return ErrCertified.WithCause(err)
	}
	return PDFRefusal(err)
}

// PageSizes returns a function that looks up the size of a page and remembers it.
func PageSizes(doc *pdf.Document) func(int) (contract.PageSize, bool) {
	type answer struct {
		size contract.PageSize
		ok   bool
	}
	known := map[int]answer{}
	return func(number int) (contract.PageSize, bool) {
		a, seen := known[number]
		if !seen {
			if p, err := doc.Page(number); err == nil {
				a.ok = true
				a.size.Width, a.size.Height = p.DisplayedSize()
			}
			known[number] = a
		}
		return a.size, a.ok
	}
}

// ValidationOptions returns the options of every validation of a document. The rules for changes after a signature
// are the same everywhere, so that no step denies what an earlier one accepted.
func (s *Documents) ValidationOptions() validate.Options {
	return validate.Options{
		At: s.Clock(), Trust: s.Trust,
		// A placement that is allowed must pass validation.
		MaxMark: max(validate.DefaultMaxMark, float64(s.Limits.BoxArea)/100),
		Exempt:  emeterai.LooksLikeStamp,
	}
}

// IntegrityOf returns the integrity of a signature. Later changes count even if the signature itself cannot be
// verified.
func IntegrityOf(g *facts.Signature) contract.SignatureIntegrity {
	// Without the signing certificate the bytes are still compared with the digest that the signature states.
	unknown := errors.Is(g.Integrity, facts.ErrAlgorithm) ||
		errors.Is(g.Integrity, facts.ErrNoSigner) && (g.Stated == nil || bytes.Equal(g.Stated, g.Computed))
	if g.Coverage.State == facts.Broken || g.Integrity != nil && !unknown {
		return contract.SignatureBroken
	}
	tooMuch := false
	for _, l := range g.Later {
		for _, i := range l.Denied {
			if l.Changes[i].Code != diff.CodeTooMuch {
				return contract.SignatureChanged
			}
			tooMuch = true
		}
	}
	switch {
	case tooMuch:
		return contract.SignatureTooManyChanges
	case unknown:
		return contract.SignatureUnknown
	case len(g.Later) == 0 && g.Coverage.State != facts.WholeFile:
		return contract.SignatureBroken // bytes follow that no revision accounts for
	}
	return contract.SignatureIntact
}
