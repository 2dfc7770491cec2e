// Package appearance draws what a signature shows on its page: text in any script, pictures, codes and shapes.
//
// A Drawing is independent of the file it goes into. Signature and Initials lay out the usual ones for boxes of
// any shape. Text is set in embedded fonts that hold no more than what is needed, so that it looks the same
// everywhere and can be searched and copied.
package appearance
