package facts_test

import (
	"slices"
	"strings"
	"testing"

	"segel/pades"
	"segel/pades/validate/diff"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
)

// signedCase is the form of a case, signed before it is filled in, and filled in.
func signedCase(t *testing.T, c formtest.Case, sign ...func(*pades.Options)) (signed, filled []byte) {
	t.Helper()
	b := must[[]byte](t)(formtest.Form())
	if c.Prepare != nil {
		b = must[[]byte](t)(formtest.Append(b, c.Prepare))
	}
	signed = on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A", sign...).b
	return signed, must[[]byte](t)(formtest.Append(signed, c.Fill))
}

func TestAFieldThatIsFilledInShowsItsValue(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(formtest.Honest(), formtest.Attacks()) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			_, b := signedCase(t, c)
			f := runSteps(t, b)
			found := troubles(f.Signatures[0])
			noted := slices.Contains(notes(f), diff.ValueNotCompared)
			if denied := len(found) > 0; denied != (c.Want == formtest.Denied) || !denied && noted != (c.Want == formtest.Warned) {
				t.Errorf("denied %v for %v, noted as not compared %v, want %d\n%s", denied, found, noted, c.Want, summary(f))
			}
		})
	}
}

func TestAFieldThatWasNotShownIsNotShownLater(t *testing.T) {
	t.Parallel()
	const print, noView, locked, toggleNoView = 1 << 2, 1 << 5, 1 << 7, 1 << 8
	for name, c := range map[string]struct {
		before, after pdf.Integer
		denied        bool
	}{
		"nowhere, then in print":                   {noView, noView | print, true},
		"nowhere, then locked":                     {noView, noView | locked, false},
		"under the mouse alone, then in print":     {noView | toggleNoView, noView | toggleNoView | print, true},
		"on screens alone, then in print too":      {0, print, false},
		"in print alone, then in print and locked": {noView | print, noView | print | locked, false},
	} {
		b := must[[]byte](t)(formtest.Append(must[[]byte](t)(formtest.Form()), func(f *formtest.Filler) { f.Field("name")["F"] = c.before }))
		b = on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A").b
		f := runSteps(t, must[[]byte](t)(formtest.Append(b, func(f *formtest.Filler) { f.Field("name")["F"] = c.after })))
		if found := troubles(f.Signatures[0]); len(found) > 0 != c.denied {
			t.Errorf("%s: %v\n%s", name, found, summary(f))
		}
	}
}

func TestAFieldThatIsShownUnderTheMouseAloneShowsItsValue(t *testing.T) {
	t.Parallel()
	const noView, toggleNoView = 1 << 5, 1 << 8
	b := must[[]byte](t)(formtest.Append(must[[]byte](t)(formtest.Form()), func(f *formtest.Filler) { f.Field("name")["F"] = pdf.Integer(noView | toggleNoView) }))
	b = on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A").b
	for shown, denied := range map[string]bool{"Agus": false, "Lunas": true} {
		f := runSteps(t, must[[]byte](t)(formtest.Append(b, func(f *formtest.Filler) {
			w := f.Field("name")
			w["V"] = pdf.TextString("Agus")
			f.SetAppearance(w, "BT /Helv 12 Tf 2 5 Td ("+shown+") Tj ET")
		})))
		if found := troubles(f.Signatures[0]); len(found) > 0 != denied {
			t.Errorf("it shows %s: %v\n%s", shown, found, summary(f))
		}
	}
}

// caseNamed is one of all cases.
func caseNamed(t *testing.T, name string) formtest.Case {
	t.Helper()
	all := slices.Concat(formtest.Honest(), formtest.Attacks())
	i := slices.IndexFunc(all, func(c formtest.Case) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no case %q", name)
	}
	return all[i]
}

func TestAFieldShowsItsValueBehindACertification(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"acrobat-again", "pdfjs-empty", "checked", "radio", "list-acrobat", "date", "left-to-readers", "replace", "remove", "former-text", "state-alone", "and-a-word", "font-embedded", "one-of-two-widgets"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := caseNamed(t, name)
			_, b := signedCase(t, c, certify(2))
			f := runSteps(t, b)
			if found := troubles(f.Signatures[0]); len(found) > 0 != (c.Want == formtest.Denied) {
				t.Errorf("%v\n%s", found, summary(f))
			}
		})
	}
}

func TestTextThatAFieldShowedCountsAsSignedText(t *testing.T) {
	t.Parallel()
	filled := func(name string) func(t *testing.T) []byte {
		return func(t *testing.T) []byte {
			_, b := signedCase(t, caseNamed(t, name))
			return b
		}
	}
	// A further signature in a new field, over the field with that name.
	signedOver := func(name string) func(t *testing.T) []byte {
		return func(t *testing.T) []byte {
			p := on(t, must[[]byte](t)(formtest.Form())).fields(pades.FieldSpec{Name: "A"}).sign("A")
			fields := must[[]*pdf.Field](t)(p.open().Fields())
			i := slices.IndexFunc(fields, func(f *pdf.Field) bool { return f.Name == name })
			box := must[pdf.Rect](t)(p.open().Rect(fields[i].Dict["Rect"]))
			return p.sign("", func(o *pades.Options) { o.NewField = &pades.FieldSpec{Name: "B", Page: 1, Rect: box} }, shown).b
		}
	}
	for name, c := range map[string]struct {
		file func(t *testing.T) []byte
		told bool
	}{
		"filled in again":                   {filled("acrobat-again"), true},
		"filled in again, in place":         {filled("pdfbox-again"), true},
		"cleared":                           {filled("cleared"), true},
		"left to readers":                   {filled("left-to-readers"), true},
		"another choice":                    {filled("choice-label"), true},
		"filled in where it was empty":      {filled("acrobat-empty"), false},
		"filled in where nothing was drawn": {filled("acrobat-without-appearance"), false},
		"signed over a field with text":     {signedOver("name"), true},
		"signed over an empty field":        {signedOver("city"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := runSteps(t, c.file(t))
			if found := troubles(f.Signatures[0]); len(found) > 0 {
				t.Fatalf("%v\n%s", found, summary(f))
			}
			if all := notes(f); slices.Contains(all, diff.OverlapsText) != c.told {
				t.Errorf("noted %v, told %v\n%s", all, !c.told, summary(f))
			}
		})
	}
}

func TestAnAppearanceThatIsTooLargeIsNotCompared(t *testing.T) {
	t.Parallel()
	signed, _ := signedCase(t, caseNamed(t, "acrobat-again"))
	for size, want := range map[int]bool{1 << 20: true, 40 << 20: false} {
		b := must[[]byte](t)(formtest.Append(signed, func(f *formtest.Filler) {
			w := f.Field("name")
			w["V"] = pdf.TextString("Agus")
			f.SetAppearance(w, strings.Repeat(" ", size)+"BT /Helv 12 Tf 2 5 Td (Agus) Tj ET")
		}))
		f := runSteps(t, b)
		if found := troubles(f.Signatures[0]); len(found) == 0 != want {
			t.Errorf("%d bytes: %v\n%s", size, found, summary(f))
		}
	}
}
