package pdf

import (
	"bytes"
	"slices"
)

// XRefStyle is how a cross-reference section is written.
type XRefStyle uint8

const (
	// XRefTable is the classic table with a trailer.
	XRefTable XRefStyle = iota + 1
	// XRefStream is a stream whose dictionary is the trailer.
	XRefStream
	// XRefHybrid is a table whose trailer names a stream beside it.
	XRefHybrid
)

// FileProperties are what a file states about itself, and which defects were found.
type FileProperties struct {
	Version       string // the higher one of header and catalog, such as "1.7"
	HeaderVersion string // as the header says
	HeaderOffset  int64  // bytes of junk before %PDF-
	JunkAfter     int64  // bytes behind the last %%EOF, unless all are white space
	Encrypted     bool   // and opened
	Encryption    Encryption
	Objects       int        // that the cross-reference leads to
	Repaired      bool       // the cross-reference was rebuilt by scanning
	Linearized    bool       // and not updated since
	XRefStyle     XRefStyle  // of the newest section; 0 if repaired
	HasForm       bool       // /AcroForm with at least one field
	HasXFA        bool       // a form in XML that viewers prefer to the page
	HasDSS        bool       // a document security store
	Tagged        bool       // /MarkInfo says so
	PDFA          string     // claimed part and conformance, such as "2b"
	DocMDP        Permission // of the certification that the catalog names; 0: none
	UsageRights   bool       // /Perms /UR3 or /UR, which any change breaks
	Tolerated     []string   // defects met so far that have only one interpretation
}

// Properties collects what the file states about itself. What cannot be read counts as absent: a damaged /Metadata does not hide the rest.
func (d *Document) Properties() FileProperties {
	if d.facts == nil {
		d.facts = d.collectFacts()
	}
	f := *d.facts
	f.Tolerated = slices.Clone(d.tolerated)
	return f
}

func (d *Document) collectFacts() *FileProperties {
	f := &FileProperties{
		HeaderVersion: d.header.version,
		Version:       d.header.version,
		HeaderOffset:  d.header.offset,
		Encrypted:     d.security != nil,
		Repaired:      d.repaired,
		Linearized:    d.header.linearized == d.size-d.header.offset,
		XRefStyle:     d.xrefStyle(),
	}
	if d.security != nil {
		f.Encryption = d.security.facts
	}
	_ = d.slots.eachInUse(func(uint32, slot) error { f.Objects++; return nil })
	f.JunkAfter = d.countJunkAfter()
	_, root, err := d.Root()
	if err != nil {
		return f
	}
	if v, _ := d.Name(root["Version"]); isNewer(string(v), f.Version) {
		f.Version = string(v)
	}
	if form, _ := d.Dict(root["AcroForm"]); form != nil {
		fields, _ := d.Array(form["Fields"])
		f.HasForm = len(fields) > 0
		f.HasXFA = form["XFA"] != nil
	}
	dss, _ := d.Dict(root["DSS"])
	f.HasDSS = dss != nil
	mark, _ := d.Dict(root["MarkInfo"])
	f.Tagged, _ = d.Boolean(mark["Marked"])
	perms, _ := d.Dict(root["Perms"])
	f.UsageRights = perms["UR3"] != nil || perms["UR"] != nil
	f.DocMDP = d.readDocMDP(perms["DocMDP"])
	f.PDFA = d.readPDFAClaim(root["Metadata"])
	return f
}

func (d *Document) xrefStyle() XRefStyle {
	switch {
	case len(d.sections) == 0:
		return 0
	case d.sections[0].stream:
		return XRefStream
	case d.sections[0].xrefStm != 0:
		return XRefHybrid
	}
	return XRefTable
}

func (d *Document) countJunkAfter() int64 {
	revisions, err := d.Revisions()
	if err != nil || len(revisions) == 0 {
		return 0
	}
	end := revisions[len(revisions)-1].End
	if end == 0 {
		return 0
	}
	rest, _, err := d.readWindow(end, min(d.size, end+laterChunk))
	if err == nil && end+int64(len(rest)) == d.size && !slices.ContainsFunc(rest, func(c byte) bool { return charClasses[c] != space }) {
		return 0
	}
	return d.size - end
}

// OlderThan reports whether the file states a lower version than the one given, such as "1.6", or none that is valid.
func (f FileProperties) OlderThan(version string) bool {
	return !isValidVersion(f.Version) || isNewer(version, f.Version)
}

// isNewer compares versions such as 1.7 and 2.0.
func isNewer(a, b string) bool {
	return len(a) == 3 && (len(b) != 3 || a > b)
}

// readPDFAClaim reads the part and conformance that XMP metadata claims, as attributes or as elements.
func (d *Document) readPDFAClaim(o Object) string {
	st, err := d.Stream(o)
	if err != nil || st == nil || st.size > 1<<20 {
		return ""
	}
	xmp, err := d.Decode(st)
	if err != nil {
		return ""
	}
	part := findXMPValue(xmp, "pdfaid:part")
	if part == "" {
		return ""
	}
	return part + string(bytes.ToLower([]byte(findXMPValue(xmp, "pdfaid:conformance"))))
}

func findXMPValue(xmp []byte, name string) string {
	_, rest, ok := bytes.Cut(xmp, []byte(name))
	if !ok {
		return ""
	}
	rest = bytes.TrimLeft(rest, "=>'\" \t\r\n")
	n := 0
	for n < len(rest) && n < 4 && (rest[n] >= '0' && rest[n] <= '9' || rest[n]|0x20 >= 'a' && rest[n]|0x20 <= 'z') {
		n++
	}
	return string(rest[:n])
}
