// Package content interprets the content of pages of a PDF file, and lists what is painted and where: words, pictures,
// drawings, annotations. A program that puts something on a page can find out what it would cover.
//
// It executes the operators of the content (ISO 32000-2 §8 and §9) with their matrices, fonts and clips, in forms and
// appearances too. It renders nothing: a mark is a box, never smaller than what it stands for as far as the file states
// sizes, and perhaps larger. Boxes are points of the page as displayed, origin at the lower left, as in
// pdf.Page.DisplayedSize.
//
// [Reader.MeasureCoverage] does the opposite: it measures how much of what lies below annotations their appearances hide,
// with the opacity of paths, images and their masks.
//
// If a page could not be interpreted completely, the marks found so far are returned with an [IncompleteError], so that
// an empty list is not mistaken for an empty page. The content of a tiling pattern is not listed; the area that is filled
// with it is a mark.
//
// Nothing panics, and [Limits] bound bytes, operators, nesting and marks, whatever the file states.
package content
