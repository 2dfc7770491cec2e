package sandbox

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"

	"rsc.io/qr"

	"segel/pades/appearance"
	"segel/pdf"
)

// artworkSide of the artwork; the stamp's box scales it.
const artworkSide = 100

// Colours of the artwork. None is near those of a real stamp.
var (
	darkColor   = appearance.Color{R: 24, G: 62, B: 82}
	groundColor = appearance.Color{R: 255, G: 255, B: 255}
	washColor   = appearance.Color{R: 0, G: 120, B: 135}
)

// drawArtwork draws a specimen: a square with the word SPESIMEN at its top and across it, a QR code that leads to the
// verification of the serial, and the serial. It has no emblem, no value and no resemblance to the state's stamp, and
// must not get any.
func drawArtwork(serial, verify string) *appearance.Drawing {
	d := appearance.New(artworkSide, artworkSide)
	frame := appearance.Inset(d.Bounds(), 1)
	d.Fill(groundColor, appearance.Rectangle(frame))
	d.Stroke(darkColor, 2, appearance.Rectangle(frame))

	d.Fill(darkColor, appearance.Rectangle(pdf.Rect{LLX: 1, LLY: 81, URX: 99, URY: 99}))
	drawLine(d, pdf.Rect{LLX: 4, LLY: 82, URX: 96, URY: 98}, 20, appearance.Line{Text: "SPESIMEN", Bold: true, Color: groundColor})

	d.QR(pdf.Rect{LLX: 18, LLY: 16.5, URX: 82, URY: 80.5}, darkColor, verify)
	for _, x := range []float64{9.5, 90.5} {
		d.Rotated(90, x, 48.5, func(d *appearance.Drawing) {
			drawLine(d, pdf.Rect{LLX: x - 32, LLY: 44, URX: x + 32, URY: 53}, 7, appearance.Line{Text: "BUKAN METERAI", Bold: true, Color: darkColor})
		})
	}
	// Over the code, so that neither can be used without the other; light enough for QR readers.
	d.Clipped(appearance.Rectangle(frame), func(d *appearance.Drawing) {
		d.Faded(0.4, func(d *appearance.Drawing) {
			d.Rotated(38, 50, 48, func(d *appearance.Drawing) {
				drawLine(d, pdf.Rect{LLX: 0, LLY: 36, URX: artworkSide, URY: 60}, 20, appearance.Line{Text: "SPESIMEN", Bold: true, Color: washColor})
			})
		})
	})
	drawLine(d, pdf.Rect{LLX: 4, LLY: 3, URX: 96, URY: 16}, 7.5, appearance.Line{Text: serial, Bold: true, Color: darkColor})
	return d
}

// drawLine sets one line in the middle of a box.
func drawLine(d *appearance.Drawing, r pdf.Rect, size float64, l appearance.Line) {
	d.Text(r, appearance.TextOptions{MaxSize: size, MinSize: 1, Horizontal: appearance.Middle, Vertical: appearance.Middle}, l)
}

// pictureSide is the side of a serial's picture, in pixels.
const pictureSide = 183

// letters are those of the word SPESIMEN, five columns and seven rows each.
var letters = map[rune][7]string{
	'S': {".####", "#....", "#....", ".###.", "....#", "....#", "####."},
	'P': {"####.", "#...#", "#...#", "####.", "#....", "#....", "#...."},
	'E': {"#####", "#....", "#....", "####.", "#....", "#....", "#####"},
	'I': {"#####", "..#..", "..#..", "..#..", "..#..", "..#..", "#####"},
	'M': {"#...#", "##.##", "#.#.#", "#.#.#", "#...#", "#...#", "#...#"},
	'N': {"#...#", "##..#", "#.#.#", "#.#.#", "#..##", "#...#", "#...#"},
}

// drawPicture draws what the protocol calls a serial's image, in PNG: a code that leads to its verification, with the
// word SPESIMEN across it. The adapter wants one; the sandbox's own stamps are drawn by artwork.
func drawPicture(verify string) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, pictureSide, pictureSide))
	code, err := qr.Encode(verify, qr.M)
	if err == nil { // an address too long for a code leaves the word alone
		for y := range pictureSide {
			for x := range pictureSide {
				c := color.NRGBA{255, 255, 255, 255}
				if code.Black((x-12)*code.Size/(pictureSide-24), (y-12)*code.Size/(pictureSide-24)) && x >= 12 && y >= 12 {
					c = color.NRGBA{24, 62, 82, 255}
				}
				img.SetNRGBA(x, y, c)
			}
		}
	}
	const scale = 3
	for i, r := range "SPESIMEN" {
		for y, row := range letters[r] {
			for x, dot := range strings.Split(row, "") {
				if dot != "#" {
					continue
				}
				for d := range scale * scale {
					img.SetNRGBA(19+i*6*scale+x*scale+d%scale, 80+y*scale+d/scale, color.NRGBA{0, 120, 135, 255})
				}
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil // a buffer takes whatever is written
	}
	return b.Bytes()
}
