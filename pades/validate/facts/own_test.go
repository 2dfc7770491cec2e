package facts_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"segel/pades"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func isErr(err, target error) bool { return errors.Is(err, target) }

func TestWhatWeMakeIsIntactAtEveryLevel(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"table": pdftest.Table(3), "streams": pdftest.Streams(3), "hybrid": pdftest.Hybrid(3), "linearized": pdftest.Linearized(3), "form": pdftest.Form(),
		"rotated": pdftest.Rotated(), "archive": pdftest.PDFA(2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := on(t, b)
			var fields []pades.FieldSpec
			var names []string
			for i := range 5 {
				names = append(names, fmt.Sprintf("S%d", i))
				fields = append(fields, pades.FieldSpec{Name: names[i], Page: 1, Rect: boxA})
			}
			fields[4].Page = 0
			p.fields(fields...)
			for _, f := range names[:4] {
				p.sign(f, timed(t), shown)
			}
			p.sign(names[4])
			p.addValidationData().addTimestamp().addValidationData().addTimestamp()
			f := runSteps(t, p.b)
			wantIntact(t, f, append(names, "Timestamp1", "Timestamp2")...)
			want := []diff.Level{diff.FormFilling, diff.FormFilling, diff.FormFilling, diff.FormFilling, diff.LTA, diff.LTA, diff.LTA, diff.LTA}
			if got := levels(f); !slices.Equal(got, want[:len(got)]) || len(got) < 7 {
				t.Errorf("levels %v, want %v", got, want)
			}
			last := f.Signatures[len(f.Signatures)-1]
			if last.Kind != facts.Timestamp || last.Coverage.State != facts.WholeFile || last.Token == nil {
				t.Errorf("last: %+v", last)
			}
			first := f.Signatures[0]
			if first.Signer == nil || first.Signer.Subject.CommonName != "Sari" || len(first.Tokens) != 1 || first.Tokens[0].Err != nil || first.Page != 1 || !first.Visible {
				t.Errorf("first: page %d, %d tokens, signer %v", first.Page, len(first.Tokens), first.Signer)
			}
			if f.DSS == nil || len(f.DSS.Certs) == 0 || f.DSS.Certs[0].Revision == 0 || len(f.DSS.VRI) == 0 {
				t.Errorf("store %+v", f.DSS)
			}
		})
	}
}

func TestFieldAddedAndSignedAfterAnotherSignatureIsAllowed(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Table(2)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown)
	p.sign("", func(o *pades.Options) { o.NewField = &pades.FieldSpec{Name: "B", Page: 2, Rect: boxA} }, shown)
	p.fields(pades.FieldSpec{Name: "C", Page: 1, Rect: boxB})
	f := runSteps(t, p.b)
	wantIntact(t, f, "A", "B")
	var notes []diff.Note
	for _, l := range f.Signatures[0].Later {
		for _, c := range l.Changes {
			if c.Code == diff.CodeSignatureField {
				notes = append(notes, c.Notes...)
			}
		}
	}
	if !slices.Contains(notes, diff.Visible) || slices.Contains(notes, diff.OverlapsSignature) {
		t.Errorf("notes %v", notes)
	}
}

func TestNewFieldOverASignatureIsNoted(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown)
	p.sign("", func(o *pades.Options) { o.NewField = &pades.FieldSpec{Name: "B", Page: 1, Rect: boxA} }, shown)
	f := runSteps(t, p.b)
	wantIntact(t, f, "A", "B")
	for _, c := range f.Signatures[0].Later[0].Changes {
		if c.Code == diff.CodeSignatureField && !c.Has(diff.OverlapsSignature) {
			t.Errorf("change %+v", c)
		}
	}
}

func TestCertificationPermitsWhatItSays(t *testing.T) {
	t.Parallel()
	for level, want := range map[pdf.Permission]diff.Level{1: diff.LTA, 2: diff.FormFilling, 3: diff.Annotations} {
		p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "B", Page: 1, Rect: boxB})
		p.sign("A", certify(level), shown).addValidationData()
		if level > 1 {
			p.sign("B", shown)
		}
		p.addTimestamp()
		f := runSteps(t, p.b)
		for _, s := range f.Signatures {
			if s.Permits != want || len(troubles(s)) > 0 {
				t.Errorf("certified %d: %q permits %v, troubles %v", level, s.Field, s.Permits, troubles(s))
			}
		}
		if s := f.Signatures[0]; s.Kind != facts.Certification || s.Certification != level {
			t.Errorf("kind %v, certification %d", s.Kind, s.Certification)
		}
	}
}
