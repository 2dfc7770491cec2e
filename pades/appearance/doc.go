// Package appearance draws what a signature shows on its page: text in any script, pictures, codes and shapes.
//
// A Drawing is independent of the file it is added to. Signature and Initials lay out the usual ones for boxes of any
// shape. Text is set in embedded fonts with only the glyphs it needs, so that it looks the same everywhere and can be
// searched and copied.
//
// Lengths are points, angles degrees counterclockwise, colours sRGB; the origin is the lower left corner of the drawing
// as displayed. Form rotates and scales it into the /Rect of a widget, preserves its proportions, and leaves out what
// the file must not have (Frame). Fonts and pictures that the file already has are found by their bytes and reused
// (ResourcePool), so the fiftieth signature adds little more than its text.
//
// A picture of a signature becomes strokes of one dark colour on a transparent background (ExtractStrokes), so that
// nothing opaque covers a page.
//
// Drawing calls do not return errors; Form reports the first one.
package appearance
