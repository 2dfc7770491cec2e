// Command palette rewrites PNG files with at most 256 colours each: a screenshot has few, and becomes a third as large.
// The most frequent colours stay unchanged; every other colour becomes the nearest of them.
package main

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
)

func main() {
	for _, name := range os.Args[1:] {
		if err := reduceColours(name); err != nil {
			fmt.Fprintln(os.Stderr, "palette:", err)
			os.Exit(1)
		}
	}
}

// reduceColours replaces a file by one with a palette, unless it has one already.
func reduceColours(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	full, err := png.Decode(f)
	_ = f.Close() // nothing was written to it
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if _, ok := full.(*image.Paletted); ok {
		return nil
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(out, toPaletted(full)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return out.Close()
}

func toPaletted(full image.Image) *image.Paletted {
	r := full.Bounds()
	count := map[color.RGBA]int{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			count[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	palette := color.Palette{}
	for _, c := range colours[:min(len(colours), 256)] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for _, c := range colours {
		nearest[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(r, palette)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			out.SetColorIndex(x, y, nearest[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)])
		}
	}
	return out
}
