// Package pdftest builds small real PDF files for tests, each a deterministic function of its arguments, and one file
// of any size that is never held in memory. Other readers accept the files without complaints.
package pdftest
