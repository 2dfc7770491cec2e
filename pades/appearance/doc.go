// Package appearance draws what a signature shows on its page: text in any script, pictures, codes and shapes.
//
// A Drawing is independent of the file it goes into. Signature and Initials lay out the usual ones for boxes of
// any shape. Text is set in embedded fonts that hold no more than what is needed, so that it looks the same
// everywhere and can be searched and copied.
//
// Lengths are points, angles degrees counterclockwise, colours sRGB; the origin is the lower left corner of the
// drawing as a reader of the page sees it. Form turns and scales it into the /Rect of a widget, keeps its proportions,
// and leaves out what the file must not have (Frame). Fonts and pictures that the file has already are found by their
// bytes and used again (Stock), so the fiftieth signature adds little more than its own text.
//
// A picture of a signature becomes strokes of one dark colour on a transparent ground (ExtractStrokes), so that nothing
// opaque is laid over a page.
//
// Drawing calls do not return errors; Form reports the first one.
package appearance
