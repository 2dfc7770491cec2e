// Package formfield tells whether a form field shows its value (ISO 32000-2 §12.7): whether the appearances of its
// widgets paint what /V says, and, where /V stays, whether they still paint what they painted before.
//
// A reader shows the appearance and not the value, so a change of one without the other makes a signed file show
// something that was not signed. What is compared is what the glyphs of an appearance draw, not what its font says that
// they mean (see package content). What cannot be compared is an outcome of its own.
package formfield
