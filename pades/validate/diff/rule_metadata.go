package diff

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"io"
	"unicode/utf16"

	"segel/pdf"
)

// maxMetadata bounds the metadata that is taken for an honest update.
const maxMetadata = 4 << 20

// metadataRule lets the document's metadata be replaced by other metadata: no reader shows it as content. It has to be
// XML, so that it is nothing else at the same time (ISO 32000-2 §14.3.2).
func metadataRule(r *revision, m *changedObject, _ node) verdict {
	st, ok := m.new.(*pdf.Stream)
	if !ok || st.Len() > maxMetadata {
		return deny(CodeCatalogChanged, "/Metadata")
	}
	b, err := r.new.Decode(st)
	if err != nil || len(b) > maxMetadata || !isWellFormed(b) {
		return deny(CodeCatalogChanged, "/Metadata is no XML")
	}
	return allow("metadata", LTA, CodeMetadata)
}

// isWellFormed reports whether bytes are an XML document, in UTF-8 or UTF-16.
func isWellFormed(b []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(toUTF8(b)))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	elements := 0
	for {
		t, err := d.Token()
		if err == io.EOF {
			return elements > 0
		}
		if err != nil {
			return false
		}
		if _, ok := t.(xml.StartElement); ok {
			elements++
		}
	}
}

// toUTF8 decodes UTF-16 if a mark says so.
func toUTF8(b []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	default:
		return bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF"))
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 2; i+1 < len(b); i += 2 {
		units = append(units, order.Uint16(b[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}
