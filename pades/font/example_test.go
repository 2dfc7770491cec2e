package font_test

import (
	"fmt"
	"log"

	"segel/pades/font"
)

// The width of a name at 12 points, and a font with only its glyphs.
func Example() {
	fonts, err := font.NewCollection()
	if err != nil {
		log.Fatal(err)
	}
	name := font.CleanText("  Siti \t Ñurbaya ")
	fmt.Printf("%q is %.1f points wide\n", name, fonts.MeasureText(font.Bold, name)*12/1000)

	line := fonts.LayoutLine(font.Bold, name)
	glyphs := []uint16{0} // the missing glyph is first
	for _, g := range line {
		glyphs = append(glyphs, g.ID)
	}
	file, count, err := line[0].Face.Subset(glyphs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(count, len(file) < 8<<10)
	// Output:
	// "Siti Ñurbaya" is 75.5 points wide
	// 15 true
}
