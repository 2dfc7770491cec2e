package font_test

import (
	"fmt"
	"log"

	"segel/pades/font"
)

// How wide a name is at 12 points, and a font that has its glyphs and no others.
func Example() {
	fonts, err := font.NewCollection()
	if err != nil {
		log.Fatal(err)
	}
	name := font.CleanText("  Siti \t Ñurbaya ")
	fmt.Printf("%q is %.1f points wide\n", name, fonts.MeasureText(font.Bold, name)*12/1000)

	glyphs := []uint16{0} // what is shown for a missing glyph comes first
	for _, g := range fonts.LayoutLine(font.Bold, name) {
		glyphs = append(glyphs, g.ID)
	}
	file, count, err := fonts.BuiltIn(font.Bold).Subset(glyphs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(count, len(file) < 8<<10)
	// Output:
	// "Siti Ñurbaya" is 75.5 points wide
	// 15 true
}
