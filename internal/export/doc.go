// Package export writes what leaves for a spreadsheet: CSV as RFC 4180 has it, in which no cell is read as a formula.
package export
