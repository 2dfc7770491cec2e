// Package export writes CSV files for spreadsheets (RFC 4180). No cell is read as a formula.
package export
