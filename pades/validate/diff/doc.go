// Package diff tells what an incremental update of a PDF file changed, and which rule, if any, allows it.
//
// Everything is denied that no rule allows. Each object that a revision adds, replaces or frees is judged in every
// role it has: as what the catalog, the pages, the form and the rest of the file refer to it, before the update and
// after it. An object that is a field's appearance and also the picture of a page is allowed only if the rules about
// both allow it. Each rule stands in a file of its own and names the level of change it allows; whether a signature
// permits that level is for whoever asks to say.
package diff
