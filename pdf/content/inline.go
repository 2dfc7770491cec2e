package content

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"math"

	"segel/pdf"
)

var errInline = errors.New("inline image whose end readers see at different places")

// skipInlineImage passes over the data of an inline image behind ID, up to and with EI, and returns it. The entries do not
// state how long the data is (ISO 32000-2 §8.9.7). Some readers look for an EI that looks like the end, others work out
// from the entries where the data ends. Where the two differ, either kind would see content that the other takes for
// data, so what follows is not known.
func (p *interpreter) skipInlineImage(entries []operand, c *contentLexer) []byte {
	from := c.pos
	c.skipImageData()
	end := c.pos
	switch n, known := p.measureInline(parseInlineEntries(entries), c.b[from:]); {
	case known:
		if c.pos = min(from+n, len(c.b)); c.pos > from {
			c.pos-- // the search begins with the white space before EI
		}
		if c.skipImageData(); c.pos != end {
			p.noteIncomplete(Limit, errInline)
			c.pos = max(c.pos, end)
		}
	case p.cover != nil || p.HasVaryingLayers():
		p.noteIncomplete(Limit, errInline)
	}
	return c.b[from:c.pos]
}

// parseInlineEntries returns the operands of each entry by its full name. It returns nil if one is stated twice, since readers
// do not agree on which counts. Of a dictionary the brackets are not among the operands: its keys count as entries where
// the image has none of that name.
func parseInlineEntries(list []operand) map[string][]operand {
	entries := map[string][]operand{}
	inParameters := false
	for i := 0; i < len(list); {
		if list[i].kind != isName {
			i++
			continue
		}
		key := string(list[i].text)
		if name, short := inlineKeys[key]; short {
			key = name
		}
		i++
		from, depth := i, 0
		for i < len(list) {
			switch list[i].kind {
			case isOpen:
				depth++
			case isClose:
				depth--
			}
			if i++; depth <= 0 {
				break
			}
		}
		_, twice := entries[key]
		if twice && !inParameters {
			return nil
		}
		inParameters = inParameters || key == "DecodeParms"
		if !twice {
			entries[key] = list[from:i]
		}
	}
	return entries
}

// inlineKeys are the short names of entries (ISO 32000-2 Table 91).
var inlineKeys = map[string]string{
	"BPC": "BitsPerComponent", "CS": "ColorSpace", "D": "Decode", "DP": "DecodeParms", "F": "Filter", "H": "Height", "IM": "ImageMask", "W": "Width",
}

// measureInline returns how many bytes behind ID the data of an inline image takes, with the white space before it.
func (p *interpreter) measureInline(entries map[string][]operand, b []byte) (n int, known bool) {
	if len(b) == 0 || entries == nil {
		return 0, false
	}
	const space = 1 // behind ID
	filters := entries["Filter"]
	for len(filters) > 0 && filters[0].kind == isOpen {
		filters = filters[1:]
	}
	if len(filters) == 0 || filters[0].kind == isClose {
		n, known = p.measurePlain(entries)
		return n + space, known
	}
	data := b[space:]
	switch string(filters[0].text) {
	case "AHx", "ASCIIHexDecode":
		n = bytes.IndexByte(data, '>') + 1
	case "A85", "ASCII85Decode":
		if n = bytes.Index(data, []byte("~>")) + 2; n < 2 {
			n = 0
		}
	case "Fl", "FlateDecode":
		n = p.measureDeflated(data)
	case "RL", "RunLengthDecode":
		n = measureRunLength(data)
	}
	return n + space, n > 0
}

// measurePlain is how long data is that is not compressed.
func (p *interpreter) measurePlain(entries map[string][]operand) (n int, known bool) {
	number := func(key string) float64 {
		if v := entries[key]; len(v) == 1 && v[0].kind == isNumber {
			return v[0].number
		}
		return 0
	}
	bits, components := number("BitsPerComponent"), 0.0
	mask := entries["ImageMask"]
	switch space := entries["ColorSpace"]; {
	case len(mask) == 1 && string(mask[0].text) == "true":
		bits, components = 1, 1
	case len(space) > 1 && space[0].kind == isOpen: // indexed
		components = 1
	case len(space) == 1 && space[0].kind == isName:
		components = p.countInlineComponents(pdf.Name(space[0].text))
	}
	row := math.Ceil(number("Width") * bits * components / 8)
	size := row * number("Height")
	if !(size > 0 && size < math.MaxInt32) {
		return 0, false
	}
	return int(size), true
}

// countInlineComponents counts the components of a colour space of an inline image; 0 is unknown.
func (p *interpreter) countInlineComponents(name pdf.Name) float64 {
	switch name {
	case "G", "DeviceGray", "CalGray":
		return 1
	case "RGB", "DeviceRGB", "CalRGB":
		return 3
	case "CMYK", "DeviceCMYK":
		return 4
	}
	o := p.findResource("ColorSpace", name)
	if n := p.countComponents(o); n > 0 {
		return float64(n)
	}
	list, err := p.d.Array(o)
	if err != nil || len(list) == 0 {
		return 0
	}
	switch family, _ := p.d.Name(list[0]); family {
	case "Indexed", "I", "Separation":
		return 1
	case "Lab":
		return 3
	}
	return 0
}

// measureDeflated is how long compressed data is; 0 if it is damaged.
func (p *interpreter) measureDeflated(b []byte) int {
	src := bytes.NewReader(b) // of which no byte is read ahead
	z, err := zlib.NewReader(src)
	if err != nil {
		return 0
	}
	n, err := io.Copy(io.Discard, io.LimitReader(z, max(p.bytes, 0)+1))
	if !p.spendBytes(n) || err != nil {
		return 0
	}
	return len(b) - src.Len()
}

// measureRunLength is how long run-length data is, with its end (ISO 32000-2 §7.4.5); 0 if it has none.
func measureRunLength(b []byte) int {
	for i := 0; i < len(b); {
		switch n := int(b[i]); {
		case n == 128:
			return i + 1
		case n < 128:
			i += n + 2
		default:
			i += 2
		}
	}
	return 0
}
