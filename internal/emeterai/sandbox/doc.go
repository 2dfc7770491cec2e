// Package sandbox is a stamp office in process, so that a fresh installation and every test run the whole process. It
// issues serials and stamps as the real office does: with its own field, its own certificate, trusted time and
// validation data, in two increments.
//
// What it issues has no value and must never be mistaken for the state's duty stamp, which it would be a crime to
// imitate: its serials have another form, its artwork shares nothing with the real one and has the word SPESIMEN
// across it, and its certificate names the sandbox.
//
// What it issued is stored in its journal, docs/formats/office-journal.md. In a table several offices share it. Only one office at a time can use a folder,
// and locks it.
package sandbox
