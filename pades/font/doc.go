// Package font finds glyphs for any text and reduces fonts to the glyphs that a drawing uses.
//
// Two faces are built in, DejaVu Sans Condensed and its bold. Other characters are searched in the system fonts, which
// are opened only then. A character that no font has is shown as the replacement character, never left out.
//
// Text is set without the finer rules of complex scripts, but lines that run from right to left are reordered, and
// Arabic letters join. Lengths are thousandths of an em: multiply by the size in points and divide by 1,000 to get
// points.
//
// No function fails because of a missing glyph. Parse and Subset return ErrUnusable for a font that cannot be read or
// must not be embedded; a system font is parsed only after its checksums were verified.
package font
