// Package arch holds the tests of what may import what, of names, words and lengths, and of what the docs name.
package arch
