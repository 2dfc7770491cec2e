//go:build !linux

package durable

// renameNoReplace returns why a file cannot be linked: there is no other way to name it without replacing one.
func renameNoReplace(_, _ string, unlinked error) error { return unlinked }
