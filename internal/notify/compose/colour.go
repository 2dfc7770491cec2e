package compose

import (
	"math"
	"regexp"
	"strconv"
)

// colours are those of the button.
type colours struct{ Button, Text string }

// defaultColour is that of the service.
const defaultColour = "#1c5d99"

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// chooseColours returns the colour of an organisation, and black or white, whichever is easier to read on it. The contrast of the
// better one is at least 4.5 on every colour (WCAG 2.2, 1.4.3).
func chooseColours(colour string) colours {
	if !hexColour.MatchString(colour) {
		colour = defaultColour
	}
	l := luminance(colour)
	if contrastRatio(l, 1) >= contrastRatio(l, 0) {
		return colours{colour, "#ffffff"}
	}
	return colours{colour, "#000000"}
}

// contrastRatio is defined in WCAG 2.2.
func contrastRatio(a, b float64) float64 {
	return (math.Max(a, b) + 0.05) / (math.Min(a, b) + 0.05)
}

// luminance returns the relative luminance (WCAG 2.2) of a colour in hexadecimal.
func luminance(colour string) float64 {
	channel := func(from int) float64 {
		n, err := strconv.ParseUint(colour[from:from+2], 16, 8)
		if err != nil {
			return 0 // chooseColours checked it
		}
		if v := float64(n) / 255; v > 0.04045 {
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return float64(n) / 255 / 12.92
	}
	return 0.2126*channel(1) + 0.7152*channel(3) + 0.0722*channel(5)
}
