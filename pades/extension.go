package pades

import (
	"strings"

	"segel/pdf"
)

// Levels of the ETSI extension to PDF 1.7 (ESIC): 1 is the document security store, 2 signatures in CAdES, which may
// come with the first; decision 0017.
const (
	levelValidation = 1
	levelSignature  = 2
)

// baseVersion is what the extension extends, and so the least that a file with it may state (ISO 32000-2 §7.12.3).
const baseVersion = "1.7"

// raiseExtension states in the catalog that the file uses the ETSI extension, and raises the version of an older file
// there. PDF 2.0 has all of it.
func raiseExtension(d *pdf.Document, u *pdf.Update, level int64) error {
	facts := d.Facts()
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
	esic, several, err := readDeveloperEntry(d, stated["ESIC"])
	if err != nil || several {
		return err // PDF 2.0 spells it as an array; whoever wrote that knows
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

// readDeveloperEntry reads the entry of one developer, which may be an array of several since PDF 2.0.
func readDeveloperEntry(d *pdf.Document, o pdf.Object) (entry pdf.Dict, several bool, err error) {
	o, err = d.Resolve(o)
	if err != nil {
		return nil, false, err
	}
	if _, several := o.(pdf.Array); several {
		return nil, true, nil
	}
	entry, err = d.Dict(o)
	return entry, false, err
}

// raiseVersion lets the catalog state the version that the extension needs. That of a signed file stays, for not every
// reader that compares revisions puts up with another one; so does that of PDF/A-1, which is 1.4 by definition.
func raiseVersion(d *pdf.Document, u *pdf.Update, root pdf.Ref, facts pdf.Facts) error {
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
