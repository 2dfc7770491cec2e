// Package formfield determines whether a form field shows its value (ISO 32000-2 §12.7): whether the appearances of its
// widgets paint what /V says, and, if /V is unchanged, whether they still paint the same.
//
// A reader shows the appearance and not the value, so changing one without the other makes a signed file show something
// that was not signed. The comparison uses what the glyphs of an appearance draw, not what the font claims they mean
// (see package content). If something cannot be compared, that is a separate outcome.
package formfield
