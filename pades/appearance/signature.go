package appearance

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"segel/pdf"
)

// SignatureText is what a signature shows on its page. Only Name is required.
type SignatureText struct {
	Heading  string // a small line above the name; empty: "Ditandatangani secara elektronik oleh"
	Name     string
	Time     time.Time // shown in its zone
	Reason   string
	Location string
	Specimen *Strokes // the signer's handwriting
	QR       string   // content of the code
}

// Colours of signatures.
var (
	strokeColor = Color{22, 33, 54}
	mutedColor  = Color{86, 99, 117}
	accentColor = Color{24, 88, 160}
	edgeColor   = Color{200, 210, 222}
)

const defaultHeading = "Ditandatangani secara elektronik oleh"

var months = [...]string{"Januari", "Februari", "Maret", "April", "Mei", "Juni", "Juli", "Agustus", "September", "Oktober", "November", "Desember"}

// formatTime formats a time with its zone: 2 Januari 2027 09:30:15 WIB.
func formatTime(t time.Time) string {
	return fmt.Sprintf("%d %s %s", t.Day(), months[t.Month()-1], t.Format("2006 15:04:05 MST"))
}

// Signature draws a signature for a box of that size in points, as displayed: specimen, text and code side by side in
// wide boxes, one below the other in high ones.
func Signature(t SignatureText, width, height float64) *Drawing {
	d := New(width, height)
	if d.err != nil {
		return d
	}
	short := min(width, height)
	line := min(0.75, short*0.02)
	d.Stroke(edgeColor, line, Rounded(Inset(d.Bounds(), line/2), short*0.06))
	pad := min(short*0.08, 6)
	bar := min(2.4, width*0.03)
	inner := Inset(d.Bounds(), pad)
	d.Fill(accentColor, Rounded(pdf.Rect{LLX: inner.LLX, LLY: inner.LLY, URX: inner.LLX + bar, URY: inner.URY}, bar/2))
	inner.LLX += bar + pad
	if inner.Empty() {
		return d
	}
	specimen, text, code := arrangeSignature(t, inner, pad)
	if t.Specimen != nil {
		d.Strokes(specimen, t.Specimen)
	}
	if t.QR != "" && !code.Empty() {
		d.QR(code, strokeColor, t.QR)
	}
	d.Text(text, TextOptions{MaxSize: min(11, max(7, height*0.2)), Vertical: Middle}, t.textLines()...)
	return d
}

// minCodeSide is the side in points below which a printed code cannot be scanned.
const minCodeSide = 28

// arrangeSignature divides the inside of a box. A part without content, or with too little space, is empty.
func arrangeSignature(t SignatureText, r pdf.Rect, gap float64) (specimen, text, code pdf.Rect) {
	text = r
	if r.Width() >= 1.5*r.Height() {
		if side := min(r.Height(), r.Width()*0.26); t.QR != "" && side >= minCodeSide {
			middle := (r.LLY + r.URY) / 2
			code = pdf.Rect{LLX: r.URX - side, LLY: middle - side/2, URX: r.URX, URY: middle + side/2}
			text.URX = code.LLX - gap
		}
		if t.Specimen != nil {
			specimen = text
			specimen.URX = text.LLX + min(text.Width()*0.38, r.Height()*2.6)
			text.LLX = specimen.URX + gap
		}
		return specimen, text, code
	}
	if side := min(r.Width()*0.5, r.Height()*0.3); t.QR != "" && side >= minCodeSide {
		code = pdf.Rect{LLX: r.LLX, LLY: r.LLY, URX: r.LLX + side, URY: r.LLY + side}
		text.LLY = code.URY + gap
	}
	if t.Specimen != nil {
		specimen = text
		specimen.LLY = text.URY - text.Height()*0.45
		text.URY = specimen.LLY - gap
	}
	return specimen, text, code
}

func (t SignatureText) textLines() []Line {
	head := t.Heading
	if head == "" {
		head = defaultHeading
	}
	lines := []Line{
		{Text: head, Size: 0.66, Color: mutedColor, Optional: true, Whole: true},
		{Text: t.Name, Size: 1.1, Bold: true, Color: strokeColor, Gap: 0.1},
	}
	if !t.Time.IsZero() {
		lines = append(lines, Line{Text: formatTime(t.Time), Size: 0.72, Color: mutedColor, Gap: 0.25, Whole: true})
	}
	for _, s := range []string{t.Reason, t.Location} {
		lines = append(lines, Line{Text: s, Size: 0.72, Color: mutedColor, Gap: 0.1, Optional: true})
	}
	return lines
}

// Initials draws what appears on each page: the specimen, or the first letters of the name.
func Initials(name string, specimen *Strokes, width, height float64) *Drawing {
	d := New(width, height)
	if d.err != nil {
		return d
	}
	short := min(width, height)
	line := min(0.6, short*0.02)
	d.Stroke(edgeColor, line, Rounded(Inset(d.Bounds(), line/2), short*0.08))
	inner := Inset(d.Bounds(), short*0.08)
	if specimen != nil {
		d.Strokes(inner, specimen)
		return d
	}
	d.Text(inner, TextOptions{MaxSize: height, Horizontal: Middle, Vertical: Middle}, Line{Text: firstLetters(name), Bold: true, Color: strokeColor})
	return d
}

// firstLetters returns the first letters of up to three words.
func firstLetters(name string) string {
	var b strings.Builder
	n := 0
	for word := range strings.FieldsSeq(name) {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(r) && n < 3 {
			b.WriteRune(unicode.ToUpper(r))
			n++
		}
	}
	if n == 0 {
		return name
	}
	return b.String()
}
