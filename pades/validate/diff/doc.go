// Package diff finds what an incremental update of a PDF file changed, and which rule, if any, allows it.
//
// A change that no rule allows is denied. Each object that a revision adds, replaces or frees is checked in every role
// it has: as what the catalog, the pages, the form and the rest of the file refer to it, before the update and after
// it. An object that is the appearance of a field and also drawn on a page is allowed only if the rules about both
// allow it. Each rule has its own file and returns the level of change it allows; the caller decides whether a
// signature permits that level.
package diff
