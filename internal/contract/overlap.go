package contract

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// CoveredKind is what lies on a page before anything of ours does.
type CoveredKind string

// The kinds.
const (
	CoveredText      CoveredKind = "text"      // a word
	CoveredPicture   CoveredKind = "picture"   // which may show text, such as a scanned page
	CoveredStamp     CoveredKind = "stamp"     // a duty stamp that was affixed before
	CoveredSignature CoveredKind = "signature" // a signature that is to be seen
	CoveredField     CoveredKind = "field"     // a signature field that waits
)

// Covered is one thing on a page.
type Covered struct {
	Kind  CoveredKind
	Box   Box
	Text  string // of text what it says, of a stamp its serial, of a signature or field its name; empty if that is not known
	Joins bool   // of text: it goes on from the one before without a space
}

// Pages tells what lies on a page of the file.
type Pages interface {
	// Former lists stamps, signatures and the fields of signatures.
	Former(page int) []Covered
	// Painted lists text and pictures; told is false if there may be more.
	Painted(page int) (covered []Covered, told bool)
}

// Overlaps tells which placements lie over what should stay readable: over text and pictures of the page, over what was
// signed or stamped before, and over another placement. Of two boxes for signatures and initials, and of two duty
// stamps, the later one is told; of a duty stamp and a box, the stamp. Entry names the placement in the answer, with its
// index. Pages is asked about pages with a placement alone.
func Overlaps(placements []Placement, pages Pages, entry string) []Warning {
	warnings := []Warning{}
	for i, p := range placements {
		warn := func(code string, args ...any) {
			f := Wrong(fmt.Sprintf("%s[%d]", entry, i), code, append(args, "page", p.Page)...)
			warnings = append(warnings, Warning(f))
		}
		p.overPlaced(placements, i, warn)
		p.overFormer(pages.Former(p.Page), warn)
		painted, told := pages.Painted(p.Page)
		if !p.overPainted(painted, warn) && !told {
			warn("placement.not_told")
		}
	}
	return warnings
}

// overPlaced holds a placement against the others.
func (p Placement) overPlaced(all []Placement, self int, warn func(string, ...any)) {
	stamp, box := false, false
	for i, o := range all {
		if i == self || o.Page != p.Page || !p.Box.covers(o.Box) {
			continue
		}
		switch {
		case p.Kind == PlaceStamp && o.Kind == PlaceStamp:
			stamp = stamp || i < self
		case o.Kind != PlaceStamp:
			box = box || p.Kind == PlaceStamp || i < self
		}
	}
	if stamp {
		warn("placement.over_stamp")
	}
	if box {
		warn("placement.over_box")
	}
}

// overFormer holds a placement against what was stamped and signed before, and a stamp against fields that wait.
func (p Placement) overFormer(covered []Covered, warn func(string, ...any)) {
	codes := map[CoveredKind]string{CoveredStamp: "placement.over_former_stamp", CoveredSignature: "placement.over_signature"}
	if p.Kind == PlaceStamp {
		codes[CoveredField] = "placement.over_field"
	}
	for _, c := range covered {
		if code := codes[c.Kind]; code != "" && p.Box.covers(c.Box) {
			warn(code, "what", shorten(c.Text))
			delete(codes, c.Kind) // one of each is enough to look again
		}
	}
}

// overPainted holds a placement against the text of its page, and reports whether that, or a picture, lies under it.
func (p Placement) overPainted(covered []Covered, warn func(string, ...any)) bool {
	var words strings.Builder
	text, picture, last := false, false, -1
	for i, c := range covered {
		switch {
		case c.Kind == CoveredPicture:
			picture = picture || p.Box.covers(c.Box)
		case c.Kind == CoveredText && p.Box.coversWord(c.Box) && !ruler(c.Text):
			if text && (!c.Joins || last != i-1) && words.Len() > 0 && c.Text != "" {
				words.WriteByte(' ')
			}
			text, last = true, i
			if words.Len() < 4*mostQuoted {
				words.WriteString(c.Text)
			}
		}
	}
	switch {
	case text:
		warn("placement.over_text", "what", shorten(words.String()))
	case picture:
		warn("placement.over_picture")
	}
	return text || picture
}

// ruler reports whether text is only there to be written over: dots, dashes and underscores.
func ruler(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
}

// mostQuoted bounds how much of a text a warning repeats, in letters.
const mostQuoted = 60

func shorten(s string) string {
	s = CleanText(s)
	r := []rune(s)
	if len(r) <= mostQuoted {
		return s
	}
	return strings.TrimSpace(string(r[:mostQuoted])) + "…"
}

// covers reports whether two boxes share more than what rounding makes of neighbours.
func (b Box) covers(o Box) bool {
	w, h := b.shared(o)
	return w > tolerance && h > tolerance
}

// coversWord is covers of text, whose box reaches to where the highest and lowest letters would: a fifth of it is
// usually air.
func (b Box) coversWord(o Box) bool {
	w, h := b.shared(o)
	return w > min(tolerance, o.Width()/2) && h > o.Height()/5
}

func (b Box) shared(o Box) (w, h float64) {
	return math.Min(b.URX, o.URX) - math.Max(b.LLX, o.LLX), math.Min(b.URY, o.URY) - math.Max(b.LLY, o.LLY)
}
