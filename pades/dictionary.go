package pades

import (
	"fmt"
	"time"

	"segel/pdf"
)

// byteRangeLen is room for offsets of a million gigabytes; it is padded with spaces.
const byteRangeLen = len("[0 ") + 3*16

// placeholders are what a signature dictionary leaves open until the tail around it is known.
type placeholders struct{ byteRange, contents *pdf.Hole }

// newPlaceholders reserves room for a container of that many bytes.
func newPlaceholders(room int) placeholders {
	return placeholders{&pdf.Hole{Len: byteRangeLen}, &pdf.Hole{Len: 2*room + len("<>"), Hex: true}}
}

// buildSignatureDictionary states what o says, and nothing else of the standard's optional entries: /Cert must be
// absent from a PAdES signature, and the signing time is here rather than in the container.
func buildSignatureDictionary(o Options, h placeholders, references pdf.Array) pdf.Dict {
	dict := pdf.Dict{
		"Type": pdf.Name("Sig"), "Filter": pdf.Name(filterName), "SubFilter": pdf.Name(subFilterSignature),
		"ByteRange": h.byteRange, "Contents": h.contents, "M": pdf.TextString(formatDate(o.Time)),
	}
	for key, text := range map[pdf.Name]string{"Name": o.Name, "Reason": o.Reason, "Location": o.Location, "ContactInfo": o.Contact} {
		if text != "" {
			dict[key] = pdf.TextString(text)
		}
	}
	if len(references) > 0 {
		dict["Reference"] = references
	}
	return dict
}

// buildTimestampDictionary is the value of a document timestamp field.
func buildTimestampDictionary(h placeholders) pdf.Dict {
	return pdf.Dict{
		"Type": pdf.Name("DocTimeStamp"), "Filter": pdf.Name(filterName), "SubFilter": pdf.Name(subFilterTimestamp),
		"ByteRange": h.byteRange, "Contents": h.contents,
	}
}

const (
	filterName         = "Adobe.PPKLite"
	subFilterSignature = "ETSI.CAdES.detached"
	subFilterTimestamp = "ETSI.RFC3161"
)

// formatDate spells a time with its zone (ISO 32000-2 §7.9.4).
func formatDate(t time.Time) string {
	_, offset := t.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return fmt.Sprintf("D:%s%c%02d'%02d'", t.Format("20060102150405"), sign, offset/3600, offset/60%60)
}

// fillByteRange states what is signed: all of the file but the hexadecimal string with its brackets, which is at
// that place of the tail.
func (h placeholders) fillByteRange(t *pdf.Tail) (at, length int, err error) {
	offset, length, err := t.Hole(h.contents)
	if err != nil {
		return 0, 0, err
	}
	behind := offset + int64(length)
	stated := fmt.Sprintf("[0 %d %d %d]", offset, behind, t.At+int64(len(t.Bytes))-behind)
	return int(offset - t.At), length, t.Fill(h.byteRange, []byte(stated))
}
