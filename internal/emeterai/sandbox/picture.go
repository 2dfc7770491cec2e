package sandbox

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"

	"rsc.io/qr"
)

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
