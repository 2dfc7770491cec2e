package contract

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// PageItemKind is the kind of something on a page before this service adds anything.
type PageItemKind string

// The kinds of item.
const (
	ItemText      PageItemKind = "text"      // a word
	ItemPicture   PageItemKind = "picture"   // may show text, such as a scanned page
	ItemStamp     PageItemKind = "stamp"     // an existing duty stamp
	ItemSignature PageItemKind = "signature" // an existing visible signature
	ItemField     PageItemKind = "field"     // an empty signature field
)

// PageItem is one thing on a page.
type PageItem struct {
	Kind  PageItemKind
	Box   Box
	Text  string // the text, the serial of a stamp, or the name of a signature or field; empty if not known
	Joins bool   // of text: it continues the previous item without a space
}

// PageContent lists what is on the pages of a file.
type PageContent interface {
	// ListSignatureFields lists the stamps, signatures and empty signature fields of a page.
	ListSignatureFields(page int) []PageItem
	// ListContent lists text and pictures of a page; complete is false if the list may be incomplete.
	ListContent(page int) (items []PageItem, complete bool)
}

// CheckOverlaps warns of placements over content that should stay readable: text and pictures of the page, earlier
// signatures and stamps, and other placements. Of two boxes for signatures and initials, and of two duty stamps, the
// warning names the later one; of a duty stamp and a box, the stamp. Entry is the name of the list of placements in
// the warning. Only pages with a placement are read.
func CheckOverlaps(placements []Placement, pages PageContent, entry string) []Warning {
	warnings := []Warning{}
	for i, p := range placements {
		warn := func(code string, args ...any) {
			f := NewFieldError(fmt.Sprintf("%s[%d]", entry, i), code, append(args, "page", p.Page)...)
			warnings = append(warnings, Warning(f))
		}
		p.warnOverPlacements(placements, i, warn)
		p.warnOverSignatureFields(pages.ListSignatureFields(p.Page), warn)
		items, complete := pages.ListContent(p.Page)
		if !p.warnOverContent(items, warn) && !complete {
			warn("placement.not_told")
		}
	}
	return warnings
}

// warnOverPlacements compares a placement with the others.
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

// warnOverSignatureFields compares a placement with earlier stamps and signatures, and a stamp with empty signature fields.
func (p Placement) warnOverSignatureFields(items []PageItem, warn func(string, ...any)) {
	codes := map[PageItemKind]string{ItemStamp: "placement.over_former_stamp", ItemSignature: "placement.over_signature"}
	if p.Kind == PlaceStamp {
		codes[ItemField] = "placement.over_field"
	}
	for _, c := range items {
		if code := codes[c.Kind]; code != "" && p.Box.overlapsBox(c.Box) {
			warn(code, "what", ShortenText(c.Text))
			delete(codes, c.Kind) // one of each kind is enough
		}
	}
}

// warnOverContent compares a placement with the content of its page, and reports whether it covers text or a picture.
func (p Placement) warnOverContent(items []PageItem, warn func(string, ...any)) bool {
	var words strings.Builder
	text, picture, last := false, false, -1
	for i, c := range items {
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
		warn("placement.over_text", "what", ShortenText(words.String()))
	case picture:
		warn("placement.over_picture")
	}
	return text || picture
}

// isFillLine reports whether a text is only there to be written over: dots, dashes and underscores.
func isFillLine(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
}

// maxQuotedLetters bounds how much of a text a message quotes.
const maxQuotedLetters = 60

// ShortenText returns the beginning of a text from a file, cleaned to be quoted in a message.
func ShortenText(s string) string {
	s = CleanText(s)
	r := []rune(s)
	if len(r) <= maxQuotedLetters {
		return s
	}
	return strings.TrimSpace(string(r[:maxQuotedLetters])) + "…"
}

// overlapsBox reports whether two boxes overlap by more than rounding makes of adjacent ones.
func (b Box) overlapsBox(o Box) bool {
	w, h := b.sharedSize(o)
	return w > tolerance && h > tolerance
}

// overlapsText is overlapsBox for text. Its box reaches to where the highest and lowest letters would be: about a
// fifth of it is usually empty.
func (b Box) overlapsText(o Box) bool {
	w, h := b.sharedSize(o)
	return w > min(tolerance, o.Width()/2) && h > o.Height()/5
}

func (b Box) sharedSize(o Box) (w, h float64) {
	return math.Min(b.URX, o.URX) - math.Max(b.LLX, o.LLX), math.Min(b.URY, o.URY) - math.Max(b.LLY, o.LLY)
}
