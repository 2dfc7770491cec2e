package facts_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// forSigning reads the facts of a file that is to be signed.
func forSigning(t *testing.T, b []byte) *facts.File {
	t.Helper()
	size := int64(len(b))
	return must[*facts.File](t)(facts.Read(t.Context(), bytes.NewReader(b), size, facts.Options{Limits: facts.LimitsForSigning(size), ForSigning: true}))
}

func TestSoundFileIsSignableWithAndWithoutSignatures(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"table": pdftest.Table(3), "streams": pdftest.Streams(3), "hybrid": pdftest.Hybrid(3), "linearized": pdftest.Linearized(3),
		"form": pdftest.Form(), "active": pdftest.Active(), "archive": pdftest.PDFA(2), "rotated": pdftest.Rotated(),
	} {
		f := forSigning(t, b)
		if f.Unsignable != nil || len(f.Revisions) == 0 || f.SHA256 != [32]byte{} {
			t.Errorf("%s: %v, %d revisions, %x", name, f.Unsignable, len(f.Revisions), f.SHA256)
		}
		f = forSigning(t, on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A", timed(t)).addValidationData().addTimestamp().b)
		if f.Unsignable != nil || len(f.Signatures) != 2 || f.SHA256 == [32]byte{} || f.Signatures[0].Integrity != nil {
			t.Errorf("%s, signed: %v, %d signatures, %x", name, f.Unsignable, len(f.Signatures), f.SHA256)
		}
	}
}

// TestFileThatReadersReadDifferentlySaysSo has files on which only some readers agree with this one.
func TestFileThatReadersReadDifferentlySaysSo(t *testing.T) {
	t.Parallel()
	for name, b := range pdftest.TwofoldFiles() {
		if f := forSigning(t, b); len(f.Twofold) == 0 || f.Unsignable != nil {
			t.Errorf("%s: %q, %v", name, f.Twofold, f.Unsignable)
		}
	}
	for name, b := range map[string][]byte{
		"table": pdftest.Table(3), "streams": pdftest.Streams(3), "of Word": pdftest.WordHybrid(3), "linearized": pdftest.Linearized(3), "form": pdftest.Form(), "archive": pdftest.PDFA(2),
	} {
		if f := forSigning(t, b); len(f.Twofold) > 0 {
			t.Errorf("%s: %q", name, f.Twofold)
		}
		if f := runSteps(t, on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A").b); len(f.Twofold) > 0 {
			t.Errorf("%s, signed: %q", name, f.Twofold)
		}
	}
	// A signature covers the bytes, whatever readers make of them.
	f := runSteps(t, on(t, pdftest.TwofoldFiles()["annotation hidden in a hybrid file"]).fields(pades.FieldSpec{Name: "A"}).sign("A").b)
	if len(f.Twofold) == 0 || !warned(f, facts.WarnTwofold) || len(troubles(f.Signatures[0])) > 0 {
		t.Errorf("%s%q", summary(f), f.Twofold)
	}
}

// TestFileWhoseGrowthCannotBeFollowedSaysSo has files whose signatures hold, or that have none, and behind which no
// validation could tell what a further revision did.
func TestFileWhoseGrowthCannotBeFollowedSaysSo(t *testing.T) {
	t.Parallel()
	signed := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}).sign("A")
	empty := func(b []byte, n int) []byte {
		for range n {
			d := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{}))
			all := must[[]pdf.Revision](t)(d.Revisions())
			b = fmt.Appendf(b, "xref\n0 0\ntrailer\n<</Size %d /Root 1 0 R /Prev %d>>\nstartxref\n%d\n%%%%EOF\n", 100, all[len(all)-1].StartXref, len(b))
		}
		return b
	}
	// One limit after the other is made so small that a small file reaches it.
	for name, c := range map[string]struct {
		file   []byte
		limits func(*facts.Limits)
		is     error
	}{
		"revisions":                    {empty(pdftest.Table(1), 8), func(l *facts.Limits) { l.Revisions = 5 }, pdf.ErrTooLarge},
		"work":                         {pdftest.Table(50), func(l *facts.Limits) { l.PDF.Work = 5000 }, pdf.ErrTooLarge},
		"signatures":                   {on(t, signed.b).fields(pades.FieldSpec{Name: "B"}).sign("B").b, func(l *facts.Limits) { l.Signatures = 1 }, pdf.ErrTooLarge},
		"fields":                       {on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}, pades.FieldSpec{Name: "C"}, pades.FieldSpec{Name: "D"}).b, func(l *facts.Limits) { l.PDF.Fields = 1 }, pdf.ErrTooLarge},
		"items of validation data":     {on(t, signed.b).addValidationData().b, func(l *facts.Limits) { l.StoreItems = 4 }, pdf.ErrTooLarge},
		"bytes of validation data":     {on(t, signed.b).addValidationData().b, func(l *facts.Limits) { l.StoreBytes = 3000 }, pdf.ErrTooLarge},
		"no startxref":                 {bytes.Replace(pdftest.Table(1), []byte("startxref"), []byte("startxxxx"), 1), func(*facts.Limits) {}, pdf.ErrDamaged},
		"entry that leads behind":      {leadingBehind(pdftest.Table(1)), func(*facts.Limits) {}, pdf.ErrDamaged},
		"the same, behind a signature": {leadingBehind(signed.b), func(*facts.Limits) {}, pdf.ErrDamaged},
	} {
		size := int64(len(c.file))
		o := facts.Options{Limits: facts.LimitsForSigning(size), ForSigning: true}
		if f := must[*facts.File](t)(facts.Read(t.Context(), bytes.NewReader(c.file), size, facts.Options{ForSigning: true})); f.Unsignable != nil && errors.Is(c.is, pdf.ErrTooLarge) {
			t.Errorf("%s: within the usual limits: %v", name, f.Unsignable)
		}
		c.limits(&o.Limits)
		f, err := facts.Read(t.Context(), bytes.NewReader(c.file), size, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !errors.Is(f.Unsignable, c.is) {
			t.Errorf("%s: %v, want %v", name, f.Unsignable, c.is)
		}
		o.ForSigning = false
		if f := must[*facts.File](t)(facts.Read(t.Context(), bytes.NewReader(c.file), size, o)); f.Unsignable != nil {
			t.Errorf("%s: not asked for: %v", name, f.Unsignable)
		}
	}
}

// leadingBehind is a file with one more revision, whose cross-reference places an unused object far after the end.
func leadingBehind(b []byte) []byte {
	prev := strings.Fields(string(b[bytes.LastIndex(b, []byte("startxref")):]))[1]
	return fmt.Appendf(bytes.Clone(b), "xref\n90 1\n%010d 00000 n \ntrailer\n<</Size 91 /Root 1 0 R /Prev %s>>\nstartxref\n%d\n%%%%EOF\n", 5_000_000, prev, len(b))
}

// TestLimitsForSigningLeaveAQuarterForWhatSigningAdds in each limit that it adds to.
func TestLimitsForSigningLeaveAQuarterForWhatSigningAdds(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	signing := facts.LimitsForSigning(size)
	usual := facts.Limits{PDF: pdf.Limits{}.Defaults(size), Signatures: 1000, Revisions: 2000, Hashed: 64<<20 + size}
	for name, c := range map[string][2]int64{
		"signatures": {int64(signing.Signatures), int64(usual.Signatures)}, "revisions": {int64(signing.Revisions), int64(usual.Revisions)},
		"hashed": {signing.Hashed, usual.Hashed}, "work": {signing.PDF.Work, usual.PDF.Work},
		"sections": {int64(signing.PDF.Sections), int64(usual.PDF.Sections)}, "fields": {int64(signing.PDF.Fields), int64(usual.PDF.Fields)},
	} {
		if c[0] <= 0 || 4*c[0] > 3*c[1]+4 {
			t.Errorf("%s: %d are accepted and %d are read", name, c[0], c[1])
		}
	}
}
