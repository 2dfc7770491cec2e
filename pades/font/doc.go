// Package font finds glyphs for any text and cuts fonts down to those that a drawing uses.
//
// Two faces are built in, DejaVu Sans Condensed and its bold. What they lack is looked for in the fonts of the
// system, which are opened only then. What no font has is shown as the replacement character, never left out.
//
// Text is set without the finer rules of complex scripts, but lines that run from right to left do, and Arabic
// letters join. Lengths are thousandths of an em, so times the size in points and through 1,000 gives points.
//
// Nothing here fails for want of a glyph. Parse and Subset return ErrUnusable for a font that cannot be read or must
// not be embedded; one of the system is looked at only after its check sums were found right.
package font
