package sniff

import (
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"segel/internal/convert"
)

// forbiddenStorages are parts of a compound file that a contract does not have.
var forbiddenStorages = map[string]Reason{
	"macros": Macros, "_vba_project_cur": Macros, "vba": Macros, "_vba_project": Macros,
	"encryptedpackage": Encrypted, "encryptioninfo": Encrypted,
}

// checkDOC examines a binary Word document, MS-DOC.
func checkDOC(r io.ReaderAt, size int64, l Limits) (Findings, error) {
	if size > l.Inflated {
		return Findings{}, newRefusal(TooComplex, "%d bytes", size)
	}
	c, err := openCompound(r, size, l.Markup)
	if err != nil {
		return Findings{}, err
	}
	parts, err := c.listChildren(c.entries[0])
	if err != nil {
		return Findings{}, err
	}
	if _, encrypted := parts["encryptedpackage"]; encrypted {
		return Findings{}, newRefusal(Encrypted, "a package of Office Open XML with a password")
	}
	main, found := parts["worddocument"]
	if !found || main.kind != streamNode {
		return Findings{}, newRefusal(NotWord, "the compound file holds no Word document")
	}
	if err := c.checkStorages(parts, 0); err != nil {
		return Findings{}, err
	}
	d := wordDocument{limits: l}
	if d.main, err = c.readStream(main); err != nil {
		return Findings{}, err
	}
	table, err := d.readHeader()
	if err != nil {
		return Findings{}, err
	}
	n, found := parts[table]
	if !found || n.kind != streamNode {
		return Findings{}, newRefusal(Damaged, "there is no stream %q", table)
	}
	if d.table, err = c.readStream(n); err != nil {
		return Findings{}, err
	}
	if err := d.checkFields(); err != nil {
		return Findings{}, err
	}
	return Findings{Kind: convert.DOC, Fonts: d.listFonts()}, nil
}

// checkStorages refuses what no contract holds, at any depth.
func (c *compound) checkStorages(children map[string]node, depth int) error {
	if depth > maxNesting {
		return newRefusal(TooComplex, "storages in storages")
	}
	for _, name := range slices.Sorted(maps.Keys(children)) {
		n := children[name]
		if reason, evil := forbiddenStorages[name]; evil {
			return newRefusal(reason, "storage %q", n.name)
		}
		if n.kind != storageNode {
			continue
		}
		if name == "objectpool" && n.child != noNode {
			return newRefusal(Objects, "storage %q is not empty", n.name)
		}
		below, err := c.listChildren(n)
		if err != nil {
			return err
		}
		if err := c.checkStorages(below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// wordDocument is the document itself: its main stream, and the table stream to which the header of the main one points.
type wordDocument struct {
	limits      Limits
	main, table []byte
}

// Places in the header, the FIB, by their place in its list of offsets and lengths.
const (
	sttbfFfn = 15
	clx      = 33

	listOffset = 154 // offset of that list
)

// fieldLists are the places of the lists of fields: of the main text, headers, footnotes, comments, macros, endnotes,
// text boxes, and text boxes in headers.
var fieldLists = []int{16, 17, 18, 19, 20, 48, 57, 59}

// readHeader checks the FIB and returns the name of the table stream.
func (d *wordDocument) readHeader() (table string, err error) {
	const template, encrypted, second, obfuscated = 1 << 0, 1 << 8, 1 << 9, 1 << 15
	if len(d.main) < listOffset {
		return "", newRefusal(Damaged, "the header is cut off")
	}
	switch flags := binary.LittleEndian.Uint16(d.main[10:]); {
	case binary.LittleEndian.Uint16(d.main) != 0xA5EC, binary.LittleEndian.Uint16(d.main[2:]) < 0xC0:
		return "", newRefusal(NotWord, "it is older than Word 97")
	case flags&(encrypted|obfuscated) != 0:
		return "", newRefusal(Encrypted, "it is encrypted")
	case flags&template != 0:
		return "", newRefusal(NotWord, "it is a template")
	case flags&second != 0:
		return "1table", nil
	}
	return "0table", nil
}

// findStructure returns a structure of the table stream; nil where the document has none.
func (d *wordDocument) findStructure(i int) ([]byte, error) {
	count := int(binary.LittleEndian.Uint16(d.main[listOffset-2:]))
	at := listOffset + 8*i
	if i >= count || at+8 > len(d.main) {
		return nil, nil
	}
	begin, length := int64(binary.LittleEndian.Uint32(d.main[at:])), int64(binary.LittleEndian.Uint32(d.main[at+4:]))
	if length == 0 {
		return nil, nil
	}
	if begin+length > int64(len(d.table)) {
		return nil, newRefusal(Damaged, "structure %d lies beyond the table", i)
	}
	return d.table[begin : begin+length], nil
}

// forbiddenFieldTypes are the numbers of fields that fetch, run or embed something; readers go by them, and
// not by the first word of the code.
var forbiddenFieldTypes = map[byte]string{
	12: "RD", 36: "INCLUDE", 40: "DATA", 45: "DDE", 46: "DDEAUTO", 55: "IMPORT", 56: "LINK", 58: "EMBED",
	67: "INCLUDEPICTURE", 68: "INCLUDETEXT", 78: "DATABASE", 87: "CONTROL", 91: "HTMLCONTROL",
}

// checkFields judges the fields by their numbers and by their codes.
func (d *wordDocument) checkFields() error {
	const (
		beginMark, separatorMark, endMark = 0x13, 0x14, 0x15
		position, entry                   = 4, 2 // bytes
	)
	for _, i := range fieldLists {
		b, err := d.findStructure(i)
		if err != nil {
			return err
		}
		n := max(0, len(b)-position) / (position + entry)
		for k := range n {
			f := b[(n+1)*position+k*entry:]
			if name := forbiddenFieldTypes[f[1]]; f[0]&0x1F == beginMark && name != "" {
				return newRefusal(Fields, "field %d of list %d is %s", k, i, name)
			}
		}
	}
	text, err := d.decodeText()
	if err != nil {
		return err
	}
	const oneFlow = 0
	f := fieldParser{where: "text"}
	begin := 0
	for i, c := range text {
		if c != beginMark && c != separatorMark && c != endMark {
			continue
		}
		if f.openCode() != nil {
			if err := f.addText(oneFlow, string(utf16.Decode(text[begin:i]))); err != nil {
				return err
			}
		}
		begin = i + 1
		switch c {
		case beginMark:
			err = f.beginField(oneFlow)
		case separatorMark:
			err = f.separateField(oneFlow)
		case endMark:
			err = f.endField(oneFlow)
		}
		if err != nil {
			return err
		}
	}
	return f.endAll()
}

// decodeText puts the pieces of the text together, in UTF-16. Characters of 8 bits are taken as Latin-1, which suffices for
// codes.
func (d *wordDocument) decodeText() ([]uint16, error) {
	b, err := d.findStructure(clx)
	if err != nil {
		return nil, err
	}
	for len(b) >= 3 && b[0] == 1 { // properties, before the pieces
		b = b[min(len(b), 3+int(binary.LittleEndian.Uint16(b[1:]))):]
	}
	if len(b) < 5 || b[0] != 2 {
		return nil, newRefusal(Damaged, "it does not say where its text is")
	}
	const position, entry = 4, 8
	b = b[5:]
	n := (len(b) - position) / (position + entry)
	var text []uint16
	for i := range n {
		first, end := int64(binary.LittleEndian.Uint32(b[i*position:])), int64(binary.LittleEndian.Uint32(b[(i+1)*position:]))
		at := int64(binary.LittleEndian.Uint32(b[(n+1)*position+i*entry+2:]))
		const packed = 1 << 30
		width := int64(2)
		if at&packed != 0 {
			at, width = at&^packed/2, 1
		}
		length := (end - first) * width
		if end < first || at+length > int64(len(d.main)) {
			return nil, newRefusal(Damaged, "piece %d of the text lies outside", i)
		}
		if int64(len(text))+end-first > d.limits.Markup/2 {
			return nil, newRefusal(TooComplex, "more than %d characters", d.limits.Markup/2)
		}
		for p := d.main[at : at+length]; len(p) > 0; p = p[width:] {
			c := uint16(p[0])
			if width == 2 {
				c = binary.LittleEndian.Uint16(p)
			}
			text = append(text, c)
		}
	}
	return text, nil
}

// listFonts returns the names in the table of fonts. Their use is not told cheaply, so some may have none.
func (d *wordDocument) listFonts() []string {
	b, err := d.findStructure(sttbfFfn)
	if err != nil || len(b) < 4 {
		return nil
	}
	const fixed = 39 // bytes of an entry before the name
	all := map[string]bool{}
	for b = b[4:]; len(b) > 1; {
		length := int(b[0])
		if 1+length > len(b) {
			break
		}
		if length > fixed {
			var name []uint16
			for e := b[1+fixed : 1+length]; len(e) >= 2 && (e[0] != 0 || e[1] != 0); e = e[2:] {
				name = append(name, binary.LittleEndian.Uint16(e))
			}
			if s := strings.TrimSpace(string(utf16.Decode(name))); s != "" {
				all[s] = true
			}
		}
		b = b[1+length:]
	}
	for _, symbols := range []string{"Symbol", "Wingdings", "Courier New", "OpenSymbol"} { // of every list's bullets
		delete(all, symbols)
	}
	return slices.Sorted(maps.Keys(all))
}
