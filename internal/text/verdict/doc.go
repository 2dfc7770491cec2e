// Package verdict renders the result of a validation: as the JSON of the interface, whose sentences the web app shows, and
// as text for the command line. Package validate returns codes and arguments; the catalogue here has a sentence for each
// code, in Indonesian and English.
package verdict
