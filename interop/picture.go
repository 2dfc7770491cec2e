package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
)

// pageArea is a box on page 1 in parts of its width and height, from the upper left; the zero one has no area.
type pageArea struct{ left, top, right, bottom float64 }

// renderers are the programs that draw page 1, as a picture on standard output.
var renderers = map[string][]string{
	"pdftoppm": {"pdftoppm", "-r", "50", "-f", "1", "-l", "1", "-cropbox", "-singlefile"},
	"mutool":   {"mutool", "draw", "-q", "-r", "50", "-F", "ppm", "-o", "-"},
}

// raster is a picture of page 1: three bytes a pixel.
type raster struct {
	width, height int
	pixels        []byte
}

// renderPage draws page 1 of a file.
func renderPage(program, file string) (raster, error) {
	args := append(renderers[program][1:len(renderers[program]):len(renderers[program])], file)
	if program == "mutool" {
		args = append(args, "1")
	}
	out, err := exec.Command(renderers[program][0], args...).Output()
	if err != nil {
		return raster{}, err
	}
	var r raster
	var depth int
	rest := bytes.NewReader(out)
	if _, err := fmt.Fscanf(rest, "P6\n%d %d\n%d\n", &r.width, &r.height, &depth); err != nil {
		return raster{}, fmt.Errorf("picture: %w", err)
	}
	if r.pixels = out[len(out)-rest.Len():]; len(r.pixels) < 3*r.width*r.height {
		return raster{}, errors.New("picture that ends early")
	}
	return r, nil
}

// countDifferences counts the pixels that differ outside of a place.
func (r raster) countDifferences(o raster, but pageArea) (int, error) {
	if r.width != o.width || r.height != o.height {
		return 0, fmt.Errorf("%d by %d pixels became %d by %d", r.width, r.height, o.width, o.height)
	}
	const margin = 2 // pixels, for what is smoothed over the edge
	n := 0
	for y := range r.height {
		for x := range r.width {
			inside := but != pageArea{} && float64(x) >= but.left*float64(r.width)-margin && float64(x) <= but.right*float64(r.width)+margin &&
				float64(y) >= but.top*float64(r.height)-margin && float64(y) <= but.bottom*float64(r.height)+margin
			at := 3 * (y*r.width + x)
			if !inside && !bytes.Equal(r.pixels[at:at+3], o.pixels[at:at+3]) {
				n++
			}
		}
	}
	return n, nil
}

// checkRendering compares page 1 before and after by one program. A page that it could not draw before proves nothing.
func (it item) checkRendering(program string, no reportFunc) {
	before, err := renderPage(program, it.before)
	if err != nil {
		return
	}
	after, err := renderPage(program, it.path)
	if err != nil {
		no("draws page 1 no more: %v", err)
		return
	}
	n, err := before.countDifferences(after, it.changedArea)
	switch {
	case err != nil:
		no("%v", err)
	case n > 0:
		no("%d of %d pixels of page 1 look different", n, before.width*before.height)
	}
}
