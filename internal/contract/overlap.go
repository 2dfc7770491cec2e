package contract

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// PageItemKind is what lies on a page before anything of ours does.
type PageItemKind string

// The kinds.
const (
	ItemText      PageItemKind = "text"      // a word
	ItemPicture   PageItemKind = "picture"   // which may show text, such as a scanned page
	ItemStamp     PageItemKind = "stamp"     // a duty stamp that was affixed before
	ItemSignature PageItemKind = "signature" // a signature that is to be seen
	ItemField     PageItemKind = "field"     // a signature field that waits
)

// PageItem is one thing on a page.
type PageItem struct {
	Kind  PageItemKind
	Box   Box
	Text  string // of text what it says, of a stamp its serial, of a signature or field its name; empty if that is not known
	Joins bool   // of text: it goes on from the one before without a space
}

// PageContent tells what lies on a page of the file.
type PageContent interface {
	// ListMarks lists stamps, signatures and the fields of signatures.
	ListMarks(page int) []PageItem
	// ListContent lists text and pictures; told is false if there may be more.
	ListContent(page int) (covered []PageItem, told bool)
}

// CheckOverlaps tells which placements lie over what should stay readable: over text and pictures of the page, over what was
// signed or stamped before, and over another placement. Of two boxes for signatures and initials, and of two duty
// stamps, the later one is told; of a duty stamp and a box, the stamp. Entry names the placement in the answer, with its
// index. Pages is asked about pages with a placement alone.
func CheckOverlaps(placements []Placement, pages PageContent, entry string) []Warning {
	warnings := []Warning{}
	for i, p := range placements {
		warn := func(code string, args ...any) {
			f := NewFieldError(fmt.Sprintf("%s[%d]", entry, i), code, append(args, "page", p.Page)...)
			warnings = append(warnings, Warning(f))
		}
		p.warnOverPlacements(placements, i, warn)
		p.warnOverMarks(pages.ListMarks(p.Page), warn)
		painted, told := pages.ListContent(p.Page)
		if !p.warnOverContent(painted, warn) && !told {
			warn("placement.not_told")
		}
	}
	return warnings
}

// warnOverPlacements holds a placement against the others.
func (p Placement) warnOverPlacements(all []Placement, self int, warn func(string, ...any)) {
	stamp, box := false, false
	for i, o := range all {
		if i == self || o.Page != p.Page || !p.Box.overlapsBox(o.Box) {
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

// warnOverMarks holds a placement against what was stamped and signed before, and a stamp against fields that wait.
func (p Placement) warnOverMarks(covered []PageItem, warn func(string, ...any)) {
	codes := map[PageItemKind]string{ItemStamp: "placement.over_former_stamp", ItemSignature: "placement.over_signature"}
	if p.Kind == PlaceStamp {
		codes[ItemField] = "placement.over_field"
	}
	for _, c := range covered {
		if code := codes[c.Kind]; code != "" && p.Box.overlapsBox(c.Box) {
			warn(code, "what", shortenText(c.Text))
			delete(codes, c.Kind) // one of each is enough to look again
		}
	}
}

// warnOverContent holds a placement against the text of its page, and reports whether that, or a picture, lies under it.
func (p Placement) warnOverContent(covered []PageItem, warn func(string, ...any)) bool {
	var words strings.Builder
	text, picture, last := false, false, -1
	for i, c := range covered {
		switch {
		case c.Kind == ItemPicture:
			picture = picture || p.Box.overlapsBox(c.Box)
		case c.Kind == ItemText && p.Box.overlapsText(c.Box) && !isFillLine(c.Text):
			if text && (!c.Joins || last != i-1) && words.Len() > 0 && c.Text != "" {
				words.WriteByte(' ')
			}
			text, last = true, i
			if words.Len() < 4*maxQuotedLetters {
				words.WriteString(c.Text)
			}
		}
	}
	switch {
	case text:
		warn("placement.over_text", "what", shortenText(words.String()))
	case picture:
		warn("placement.over_picture")
	}
	return text || picture
}

// isFillLine reports whether text is only there to be written over: dots, dashes and underscores.
func isFillLine(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
}

// maxQuotedLetters bounds how much of a text a warning repeats, in letters.
const maxQuotedLetters = 60

func shortenText(s string) string {
	s = CleanText(s)
	r := []rune(s)
	if len(r) <= maxQuotedLetters {
		return s
	}
	return strings.TrimSpace(string(r[:maxQuotedLetters])) + "…"
}

// overlapsBox reports whether two boxes share more than what rounding makes of neighbours.
func (b Box) overlapsBox(o Box) bool {
	w, h := b.sharedSize(o)
	return w > tolerance && h > tolerance
}

// overlapsText is covers of text, whose box reaches to where the highest and lowest letters would: a fifth of it is
// usually air.
func (b Box) overlapsText(o Box) bool {
	w, h := b.sharedSize(o)
	return w > min(tolerance, o.Width()/2) && h > o.Height()/5
}

func (b Box) sharedSize(o Box) (w, h float64) {
	return math.Min(b.URX, o.URX) - math.Max(b.LLX, o.LLX), math.Min(b.URY, o.URY) - math.Max(b.LLY, o.LLY)
}
