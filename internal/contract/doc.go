// Package contract holds the words and the rules of signing and stamping: documents, the people on
// them, what they may do and when. Everything in it is a pure value. A rule is a function from a
// document, an actor and a moment to a [Change]; it never reads a clock, a file or a database, so it
// is tested without any of them, and a Change is the only thing a store has to make durable.
//
// Boxes are in points of 1/72 inch, origin at the lower left of the page as displayed (after /Rotate,
// relative to the CropBox). Page numbers start at 1.
package contract
