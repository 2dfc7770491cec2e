package contract

import (
	"encoding/hex"
	"regexp"
)

// Branding is how an organisation presents itself to the guests of its documents, and on the signatures on their pages. The
// zero value means that none is set.
type Branding struct {
	Colour string // #rrggbb in lower case; empty: that of the service
	Logo   string // SHA-256 in hexadecimal of the stored picture, its address; empty: none
}

var colourPattern = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// CheckColour refuses what is not a colour of the form #rrggbb. Empty means none.
func CheckColour(s string) error {
	if s != "" && !colourPattern.MatchString(s) {
		var bad fieldErrors
		bad.add("colour", "branding.colour")
		return bad.asError()
	}
	return nil
}

// RGB returns the parts of the colour; ok is false without one.
func (b Branding) RGB() (rgb [3]uint8, ok bool) {
	if !colourPattern.MatchString(b.Colour) {
		return rgb, false
	}
	_, err := hex.Decode(rgb[:], []byte(b.Colour[1:]))
	return rgb, err == nil
}
