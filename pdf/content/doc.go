// Package content tells what is painted on a page of a PDF file, and where: words, pictures, drawings, annotations. It is
// for whoever wants to put something on a page and asks first what would lie under it.
//
// It follows the operators of the content (ISO 32000-2 §8 and §9) with their matrices, fonts and clips, into forms and
// appearances. It draws nothing: a mark is a box, never smaller than what it stands for as far as the file tells, and
// perhaps larger. Boxes are points of the page as displayed, origin at the lower left, as in pdf.Page.Displayed.
//
// [Reader.Cover] tells the opposite: how much of what lies below annotations their appearances hide, with the opacity of
// paths, images and their masks.
//
// What it could not look at is an answer of its own: with the marks it found it returns an [Untold], so that nothing
// listed is never taken for nothing there. What lies within a tiling pattern is not listed, the area that is filled
// with it is a mark.
//
// Nothing panics, and [Limits] bound bytes, operators, nesting and marks, whatever the file says.
package content
