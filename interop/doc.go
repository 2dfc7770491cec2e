// Command interop tests interoperability: it signs files with our library, validates them with other programs, and
// compares the verdicts with what is expected. See README.md in its folder.
package main
