package pades

import (
	"strings"

	"segel/pdf"
)

// Levels of the ETSI extension to PDF 1.7 (ESIC): 1 is the document security store, 2 are CAdES signatures, which may
// come with the first; docs/decisions/0017-extension.md.
const (
	levelValidation = 1
	levelSignature  = 2
)

// baseVersion is the version that the extension extends. A file with the extension must state at least this version
// (ISO 32000-2 §7.12.3).
const baseVersion = "1.7"

// raiseExtension states in the catalog that the file uses the ETSI extension, and raises the version there if it is
// lower. PDF 2.0 includes the extension.
func raiseExtension(d *pdf.Document, u *pdf.Update, level int64) error {
	facts := d.Properties()
	if !facts.OlderThan("2.0") {
		return nil
	}
	root, _, err := d.Root()
	if err != nil {
		return err
	}
	seen, err := u.Get(root)
	if err != nil {
		return err
	}
	catalog, _ := seen.(pdf.Dict)
	stated, err := d.Dict(catalog["Extensions"])
	if err != nil {
		return err
	}
	entry, err := d.Resolve(stated["ESIC"])
	if err != nil {
		return err
	}
	if _, several := entry.(pdf.Array); several {
		return nil // several entries of one developer are PDF 2.0 syntax, left as it is
	}
	esic, err := d.Dict(entry)
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
	extensions["ESIC"] = pdf.Dict{"BaseVersion": pdf.Name(baseVersion), "ExtensionLevel": pdf.Integer(level)}
	return raiseVersion(d, u, root, facts)
}

// raiseVersion sets the version that the extension needs in the catalog. It does not change a signed file, because some
// readers that compare revisions reject a new version, nor PDF/A-1, which is defined as version 1.4.
func raiseVersion(d *pdf.Document, u *pdf.Update, root pdf.Ref, facts pdf.FileProperties) error {
	if !facts.OlderThan(baseVersion) || strings.HasPrefix(facts.PDFA, "1") {
		return nil
	}
	signatures, err := d.Signatures()
	if err != nil || len(signatures) > 0 {
		return err
	}
	catalog, err := u.Edit(root)
	if err != nil {
		return err
	}
	catalog["Version"] = pdf.Name(baseVersion)
	return nil
}
