package content_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/pdftest"
)

// openPage opens a one-page file of that content; change may edit the page and add objects.
func openPage(t testing.TB, p pdftest.Page, operators string, change func(u *pdf.Update, page pdf.Dict)) (*pdf.Document, *pdf.Page) {
	t.Helper()
	file := pdftest.Pages(p)
	open := func() *pdf.Document {
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := open()
	page, err := d.Page(1)
	if err != nil {
		t.Fatal(err)
	}
	u := d.NewUpdate()
	dict, err := u.Edit(page.Ref)
	if err != nil {
		t.Fatal(err)
	}
	dict["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte(operators)})
	if change != nil {
		change(u, dict)
	}
	tail, err := u.Build()
	if err != nil {
		t.Fatal(err)
	}
	file = append(file, tail.Bytes...)
	d = open()
	if page, err = d.Page(1); err != nil {
		t.Fatal(err)
	}
	return d, page
}

func marksOf(t testing.TB, p pdftest.Page, operators string, change func(*pdf.Update, pdf.Dict)) []content.Mark {
	t.Helper()
	d, page := openPage(t, p, operators, change)
	marks, err := content.NewReader(d, content.Limits{}).PageMarks(page)
	if err != nil {
		t.Fatal(err)
	}
	return marks
}

func requireNear(t *testing.T, m content.Mark, want pdf.Rect) {
	t.Helper()
	for i, pair := range [4][2]float64{{m.Box.LLX, want.LLX}, {m.Box.LLY, want.LLY}, {m.Box.URX, want.URX}, {m.Box.URY, want.URY}} {
		if math.Abs(pair[0]-pair[1]) > 0.6 {
			t.Errorf("corner %d of %s %q: %+v, want %+v", i, m.Kind, m.Text, m.Box, want)
			return
		}
	}
}

var square = pdftest.Page{MediaBox: [4]float64{0, 0, 600, 800}}

func TestWordsAreWhereTheyAreShown(t *testing.T) {
	t.Parallel()
	// In Helvetica at 10 points "Pihak" is 6.67+2.22+5.56+5.56+5.00 wide, a space 2.78.
	for operators, want := range map[string][]pdf.Rect{
		"BT /F1 10 Tf 100 200 Td (Pihak Pihak) Tj ET":                               {{LLX: 100, LLY: 197.5, URX: 125, URY: 207.5}, {LLX: 127.8, LLY: 197.5, URX: 152.8, URY: 207.5}},
		"BT /F1 10 Tf 1 0 0 1 100 200 Tm [(Pi) 20 (hak) -500 (Pihak)] TJ ET":        {{LLX: 100, LLY: 197.5, URX: 124.8, URY: 207.5}, {LLX: 129.8, LLY: 197.5, URX: 154.8, URY: 207.5}},
		"q 2 0 0 2 0 0 cm BT /F1 5 Tf 50 100 Td (Pihak) Tj ET Q":                    {{LLX: 100, LLY: 197.5, URX: 125, URY: 207.5}},
		"BT /F1 10 Tf 50 Tz 100 200 Td (Pihak) Tj ET":                               {{LLX: 100, LLY: 197.5, URX: 112.5, URY: 207.5}},
		"BT /F1 10 Tf 3 Ts 100 200 Td (Pihak) Tj ET":                                {{LLX: 100, LLY: 200.5, URX: 125, URY: 210.5}},
		"BT /F1 10 Tf 10 Tw 100 200 Td (Pihak Pihak) Tj ET":                         {{LLX: 100, LLY: 197.5, URX: 125, URY: 207.5}, {LLX: 137.8, LLY: 197.5, URX: 162.8, URY: 207.5}},
		"BT /F1 10 Tf 1 Tc 100 200 Td (Pihak) Tj ET":                                {{LLX: 100, LLY: 197.5, URX: 129, URY: 207.5}},
		"BT /F1 10 Tf 12 TL 100 212 Td T* (Pihak) Tj (Pihak) ' ET":                  {{LLX: 100, LLY: 197.5, URX: 125, URY: 207.5}, {LLX: 100, LLY: 185.5, URX: 125, URY: 195.5}},
		"BT /F1 10 Tf 100 212 Td 0 -12 TD (Pihak) Tj 0 0 (Pihak) \" ET":             {{LLX: 100, LLY: 197.5, URX: 125, URY: 207.5}, {LLX: 100, LLY: 185.5, URX: 125, URY: 195.5}},
		"BT /F1 10 Tf 0 1 -1 0 100 200 Tm (Pihak) Tj ET":                            {{LLX: 92.5, LLY: 200, URX: 102.5, URY: 225}},
		"BT /F1 10 Tf 100 200 Td (Pih) Tj ET BT /F1 10 Tf 114.45 200 Td (ak) Tj ET": {{LLX: 100, LLY: 197.5, URX: 125, URY: 207.5}},
	} {
		marks := marksOf(t, square, operators, nil)
		if len(marks) != len(want) {
			t.Errorf("%s: %+v", operators, marks)
			continue
		}
		for i, m := range marks {
			if m.Kind != content.Text || m.Text != "Pihak" || m.Hidden != "" || m.BoxEstimated {
				t.Errorf("%s: %+v", operators, m)
			}
			requireNear(t, m, want[i])
		}
	}
}

func TestSlantedTextIsOneBoxALetterThatJoins(t *testing.T) {
	t.Parallel()
	marks := marksOf(t, square, "BT /F1 20 Tf .7071 .7071 -.7071 .7071 100 100 Tm (SALINAN) Tj ET", nil)
	text := ""
	for i, m := range marks {
		if m.JoinsPrevious != (i > 0) || m.Box.Width() > 40 {
			t.Errorf("%+v", m)
		}
		text += m.Text
	}
	if text != "SALINAN" {
		t.Errorf("%q", text)
	}
}

func TestBoxesAreThoseOfThePageAsDisplayed(t *testing.T) {
	t.Parallel()
	operators := "100 200 30 10 re f"
	for turn, want := range map[int]pdf.Rect{
		0:   {LLX: 90, LLY: 150, URX: 120, URY: 160},
		90:  {LLX: 150, LLY: 280, URX: 160, URY: 310},
		180: {LLX: 280, LLY: 540, URX: 310, URY: 550},
		270: {LLX: 540, LLY: 90, URX: 550, URY: 120},
	} {
		p := pdftest.Page{MediaBox: [4]float64{0, 0, 600, 800}, CropBox: [4]float64{10, 50, 410, 750}, Rotate: turn}
		marks := marksOf(t, p, operators, nil)
		if len(marks) != 1 || marks[0].Kind != content.Drawing {
			t.Fatalf("%d: %+v", turn, marks)
		}
		requireNear(t, marks[0], want)
	}
	marks := marksOf(t, square, operators, func(_ *pdf.Update, page pdf.Dict) { page["UserUnit"] = pdf.Integer(2) })
	requireNear(t, marks[0], pdf.Rect{LLX: 200, LLY: 400, URX: 260, URY: 420})
}

func TestHiddenMarksHaveAReason(t *testing.T) {
	t.Parallel()
	layer := func(u *pdf.Update, page pdf.Dict) {
		off := u.Add(pdf.Dict{"Type": pdf.Name("OCG")})
		page["Resources"] = pdf.Dict{
			"Font": pdf.Dict{"F1": pdf.Ref{Number: pdftest.FontNumber}}, "Properties": pdf.Dict{"L": off},
			"ExtGState": pdf.Dict{"G": pdf.Dict{"ca": pdf.Integer(0)}},
		}
		catalog, err := u.Edit(pdf.Ref{Number: pdftest.CatalogNumber})
		if err != nil {
			panic(err) // of an object that the file has
		}
		catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{off}, "D": pdf.Dict{"OFF": pdf.Array{off}}}
	}
	for operators, want := range map[string]content.Hidden{
		"BT /F1 10 Tf 100 200 Td (A) Tj ET":                          "",
		"BT 3 Tr /F1 10 Tf 100 200 Td (A) Tj ET":                     content.ByMode,
		"BT 7 Tr /F1 10 Tf 100 200 Td (A) Tj ET":                     content.ByMode,
		"/OC /L BDC BT /F1 10 Tf 100 200 Td (A) Tj ET EMC":           content.ByLayer,
		"/OC /L BDC EMC BT /F1 10 Tf 100 200 Td (A) Tj ET":           "",
		"BT /F1 10 Tf 900 200 Td (A) Tj ET":                          content.ByClip,
		"0 0 50 50 re W n BT /F1 10 Tf 100 200 Td (A) Tj ET":         content.ByClip,
		"q 0 0 50 50 re W n Q BT /F1 10 Tf 100 200 Td (A) Tj ET":     "",
		"/G gs BT /F1 10 Tf 100 200 Td (A) Tj ET":                    content.ByOpacity,
		"BT /F1 .001 Tf 100 200 Td (A) Tj ET":                        content.BySize,
		"BT /F1 10 Tf 100 200 Td (A) Tj ET 0 0 50 50 re W n 0 0 m S": "",
	} {
		marks := marksOf(t, square, operators, layer)
		if len(marks) != 1 || marks[0].Hidden != want {
			t.Errorf("%s: %+v, want %q", operators, marks, want)
		}
	}
}

func TestFormsPaintInTheirOwnSpaceAndClip(t *testing.T) {
	t.Parallel()
	marks := marksOf(t, square, "q 1 0 0 1 100 100 cm /X Do Q /I Do", func(u *pdf.Update, page pdf.Dict) {
		form := u.Add(&pdf.Stream{Dict: pdf.Dict{
			"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 50, URY: 50}.Array(),
			"Matrix": pdf.Array{pdf.Integer(2), pdf.Integer(0), pdf.Integer(0), pdf.Integer(2), pdf.Integer(0), pdf.Integer(0)},
		}, Data: []byte("10 10 20 20 re f 40 40 90 90 re f q q 5 w")})
		image := u.Add(&pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Image"), "Width": pdf.Integer(1), "Height": pdf.Integer(1)}, Data: []byte{0}})
		page["Resources"] = pdf.Dict{"XObject": pdf.Dict{"X": form, "I": image}}
	})
	if len(marks) != 3 || marks[2].Kind != content.Image {
		t.Fatalf("%+v", marks)
	}
	requireNear(t, marks[0], pdf.Rect{LLX: 120, LLY: 120, URX: 160, URY: 160})
	requireNear(t, marks[1], pdf.Rect{LLX: 180, LLY: 180, URX: 200, URY: 200})
	requireNear(t, marks[2], pdf.Rect{URX: 1, URY: 1})
}

func TestAnnotationsComeLastWithWhatTheyPaint(t *testing.T) {
	t.Parallel()
	var widget pdf.Ref
	marks := marksOf(t, square, "0 0 9 9 re f", func(u *pdf.Update, page pdf.Dict) {
		appearance := u.Add(&pdf.Stream{Dict: pdf.Dict{
			"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 10, URY: 10}.Array(),
			"Resources": pdf.Dict{"Font": pdf.Dict{"F1": pdf.Ref{Number: pdftest.FontNumber}}},
		}, Data: []byte("BT /F1 2 Tf 1 4 Td (Lunas) Tj ET")})
		widget = u.Add(pdf.Dict{"Subtype": pdf.Name("Widget"), "Rect": pdf.Rect{LLX: 100, LLY: 100, URX: 200, URY: 200}.Array(), "AP": pdf.Dict{"N": appearance}})
		hidden := u.Add(pdf.Dict{"Subtype": pdf.Name("Stamp"), "F": pdf.Integer(2), "Rect": pdf.Rect{LLX: 1, LLY: 1, URX: 20, URY: 20}.Array(), "AP": pdf.Dict{"N": appearance}})
		page["Annots"] = pdf.Array{widget, hidden}
	})
	if len(marks) != 5 {
		t.Fatalf("%+v", marks)
	}
	if m := marks[1]; m.Kind != content.Widget || m.Annot != widget || m.Hidden != "" {
		t.Errorf("%+v", m)
	}
	if m := marks[2]; m.Kind != content.Text || m.Text != "Lunas" || m.Annot != widget {
		t.Errorf("%+v", m)
	}
	requireNear(t, marks[2], pdf.Rect{LLX: 110, LLY: 135, URX: 164.5, URY: 155})
	for _, m := range marks[3:] {
		if m.Hidden != content.ByFlag {
			t.Errorf("%+v", m)
		}
	}
}

// TestIncompleteContentIsReported checks that no problem looks like an empty page.
func TestIncompleteContentIsReported(t *testing.T) {
	t.Parallel()
	circle := func(u *pdf.Update, page pdf.Dict) {
		form := u.Reserve()
		u.Set(form, &pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "Resources": pdf.Dict{"XObject": pdf.Dict{"X": form}}}, Data: []byte("/X Do /X Do")})
		page["Resources"] = pdf.Dict{"XObject": pdf.Dict{"X": form}}
	}
	broken := func(u *pdf.Update, page pdf.Dict) {
		page["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode")}, Data: []byte("no zlib")})
	}
	for name, c := range map[string]struct {
		content string
		change  func(*pdf.Update, pdf.Dict)
		limits  content.Limits
		want    content.Reason
	}{
		"forms in a circle":   {"/X Do", circle, content.Limits{}, content.Limit},
		"operators":           {strings.Repeat("q Q ", 100), nil, content.Limits{Operators: 50}, content.Limit},
		"bytes":               {strings.Repeat(" ", 5000), nil, content.Limits{Bytes: 1000}, content.Limit},
		"marks":               {strings.Repeat("0 0 1 1 re f ", 30), nil, content.Limits{Marks: 20}, content.Limit},
		"saved states":        {strings.Repeat("q ", 30), nil, content.Limits{States: 20}, content.Limit},
		"a filter":            {"", broken, content.Limits{}, content.Damaged},
		"a string":            {"BT (unended", nil, content.Limits{}, content.Damaged},
		"a font":              {"BT /None 9 Tf (a) Tj ET", nil, content.Limits{}, content.NoFont},
		"coordinates":         {strings.Repeat("9999999999 0 0 9999999999 0 0 cm ", 40) + "0 0 1 1 re f", nil, content.Limits{}, content.Coordinates},
		"an endless operator": {"[" + strings.Repeat("1 ", 1<<17) + "] TJ", nil, content.Limits{}, content.Limit},
	} {
		d, page := openPage(t, square, c.content, c.change)
		_, err := content.NewReader(d, c.limits).PageMarks(page)
		var u *content.IncompleteError
		if !errors.As(err, &u) || !errors.Is(err, content.ErrIncomplete) || u.Reason != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHostileFormsCostNoMoreThanTheLimits(t *testing.T) {
	t.Parallel()
	// Each of ten forms shows the next one ten times: ten to the tenth, if the operators were not counted.
	d, page := openPage(t, square, "/X Do", func(u *pdf.Update, page pdf.Dict) {
		var inner pdf.Object = pdf.Null{}
		for range 10 {
			inner = u.Add(&pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "Resources": pdf.Dict{"XObject": pdf.Dict{"X": inner}}}, Data: []byte(strings.Repeat("/X Do ", 10))})
		}
		page["Resources"] = pdf.Dict{"XObject": pdf.Dict{"X": inner}}
	})
	if _, err := content.NewReader(d, content.Limits{Operators: 100_000}).PageMarks(page); !errors.Is(err, content.ErrIncomplete) {
		t.Errorf("%v", err)
	}
}

func BenchmarkPage(b *testing.B) {
	var operators strings.Builder
	for line := range 55 { // a full page of a contract, with a frame
		fmt.Fprintf(&operators, "BT /F1 10 Tf 1 0 0 1 60 %d Tm (%s) Tj ET\n", 760-12*line, "Para Pihak sepakat bahwa perjanjian ini tunduk pada hukum Republik Indonesia dan dibuat rangkap dua.")
		fmt.Fprintf(&operators, "60 %d m 540 %d l S\n", 758-12*line, 758-12*line)
	}
	d, page := openPage(b, square, operators.String(), nil)
	b.ReportAllocs()
	for b.Loop() {
		marks, err := content.NewReader(d, content.Limits{}).PageMarks(page)
		if err != nil || len(marks) < 500 {
			b.Fatal(len(marks), err)
		}
	}
}

func TestWordsAreTheSameHoweverTheyAreCutIntoStrings(t *testing.T) {
	t.Parallel()
	const text = "Perjanjian sewa menyewa nomor 12/2026, sangatpanjangsekalisehinggasatukatatidakcukupuntukmenampungsemuanyadalamsatubaris akhir"
	for _, c := range []string{
		"1 0 0 1 72 700 Tm", "0 1 -1 0 300 72 Tm", "-1 0 0 -1 500 700 Tm", "1 0 0 1 72 700 Tm 0.8 Tc 3 Tw 90 Tz 2 Ts", "1 0 0 1 72 700 Tm -1.5 Tc", "1 0 0 1 72 700 Tm 5 Tc",
		"0.05 0 0 0.05 72 700 Tm", "1 0 0 1 400 700 Tm -1 0 0 1 400 700 Tm", "1 0 0.3 1 72 700 Tm", "0.7 0.7 -0.7 0.7 72 100 Tm", "-10 0 0 10 500 700 Tm 0.1 0 0 0.1 72 72 Tm",
	} {
		operators := func(shown string) string { return "0 0 300 842 re W n BT /F1 11 Tf " + c + " " + shown + " ET" }
		whole := marksOf(t, pdftest.Page{}, operators("("+text+") Tj"), nil)
		var single, kerned strings.Builder
		kerned.WriteString("[")
		for _, letter := range text {
			fmt.Fprintf(&single, "(%c) Tj ", letter)
			fmt.Fprintf(&kerned, "(%c) 0 ", letter)
		}
		for cut, shown := range map[string]string{"letter by letter": single.String(), "with kerning": kerned.String() + "] TJ"} {
			got := marksOf(t, pdftest.Page{}, operators(shown), nil)
			if len(got) != len(whole) {
				t.Errorf("%s %s: %d marks instead of %d", c, cut, len(got), len(whole))
				continue
			}
			for i, m := range got {
				same := whole[i]
				for _, d := range [4]float64{m.Box.LLX - same.Box.LLX, m.Box.LLY - same.Box.LLY, m.Box.URX - same.Box.URX, m.Box.URY - same.Box.URY} {
					if math.Abs(d) > 1e-6 {
						t.Errorf("%s %s: %v instead of %v", c, cut, m, same)
					}
				}
				if m.Box = same.Box; m != same {
					t.Errorf("%s %s: %+v instead of %+v", c, cut, m, same)
				}
			}
		}
	}
}
