// Package contract holds the vocabulary and the rules of signing and stamping: documents, the people on them, what
// they may do and when. Everything in it is a pure value. A rule is a function from a document, an actor and a time to
// a [Change]; it never reads a clock, a file or a database, so it is tested without any of them, and a store has to
// make durable nothing but the Change. A rule that may find nothing to do also returns changed: it is false then, and
// where the rule refuses, and the Change is empty.
//
// Boxes are in points of 1/72 inch, with the origin at the lower left of the page as displayed (after /Rotate,
// relative to the CropBox). Page numbers start at 1.
package contract
