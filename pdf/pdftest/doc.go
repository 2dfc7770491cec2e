// Package pdftest makes small real PDF files for tests, each a deterministic
// function of its arguments, and one file of any size that is never held in
// memory. What comes out is clean by the judgement of other readers.
package pdftest
