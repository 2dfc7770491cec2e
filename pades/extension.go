package pades

import "segel/pdf"

// Levels of the ETSI extension to PDF 1.7, as other writers state them: signatures in CAdES, and the document
// security store with document timestamps.
const (
	levelSignature  = 2
	levelValidation = 5
)

// raiseExtension states in the catalog that the file uses the ETSI extension. PDF 2.0 has all of it.
func raiseExtension(d *pdf.Document, u *pdf.Update, level int64) error {
	if d.Facts().Version >= "2.0" {
		return nil
	}
	root, _, err := d.Root()
	if err != nil {
		return err
	}
	catalog, err := u.Get(root)
	if err != nil {
		return err
	}
	stated, err := d.Dict(catalog.(pdf.Dict)["Extensions"])
	if err != nil {
		return err
	}
	if _, several := stated["ESIC"].(pdf.Array); several {
		return nil // PDF 2.0 spells it so; whoever wrote that knows
	}
	esic, err := d.Dict(stated["ESIC"])
	if err != nil {
		return err
	}
	if have, err := d.Integer(esic["ExtensionLevel"]); err != nil || have >= level {
		return err
	}
	extensions, err := u.EditIn(root, "Extensions")
	if err != nil {
		return err
	}
	extensions["ESIC"] = pdf.Dict{"BaseVersion": pdf.Name("1.7"), "ExtensionLevel": pdf.Integer(level)}
	return nil
}
