// Package sandbox is a stamp office of our own, in process, so that a fresh install and every test walk the
// whole way. It issues serials and stamps as the real office does: a field of its own, a certificate of its own,
// trusted time, validation data, in two increments.
//
// What it issues is worth nothing and must never be taken for the state's duty stamp, which it would be a crime
// to imitate: its serials have a form of their own, its artwork shares nothing with the real one and has the
// word SPESIMEN across it, and its certificate says whose it is.
//
// What it issued is kept in a journal of its own, docs/formats/office-journal.md. One office at a time has
// a folder, and locks it.
package sandbox
