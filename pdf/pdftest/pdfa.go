package pdftest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// PDFA is a file of one A4 page that conforms to PDF/A-1b, -2b or -3b by its part. Part 1 has a cross-reference
// table and the version it demands, 1.4; the others an object stream. The page is a coloured box, as text would need an
// embedded font.
func PDFA(part int) []byte {
	version := "1.4"
	if part > 1 {
		version = "1.7"
	}
	b := newBuilder(version)
	numbers := []int{1, 2, 3}
	bodies := []string{
		"<< /Type /Catalog /Pages 2 0 R /Metadata 5 0 R /OutputIntents [<< /Type /OutputIntent /S /GTS_PDFA1" +
			" /OutputConditionIdentifier (sRGB) /Info (sRGB) /DestOutputProfile 6 0 R >>] >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << >> >>",
	}
	if part == 1 {
		for i, n := range numbers {
			b.writeObject(n, bodies[i])
		}
	} else {
		b.writeObjectStream(7, numbers, bodies)
	}
	b.writeStream(4, "", []byte("0.2 0.3 0.6 rg 72 600 451 120 re f"))
	b.writeStream(5, "/Type /Metadata /Subtype /XML", []byte(pdfaMetadata(part)))
	b.writeStream(6, "/N 3", srgbProfile())
	if part == 1 {
		return b.finishWithTable("")
	}
	at := b.writeXrefStream(8, "", nil)
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", at)
	return b.Bytes()
}

// pdfaMetadata claims conformance in XMP.
func pdfaMetadata(part int) string {
	return "<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		"<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">" +
		"<rdf:Description rdf:about=\"\" xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\">" +
		fmt.Sprintf("<pdfaid:part>%d</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>", part) +
		"</rdf:Description></rdf:RDF></x:xmpmeta>\n" + strings.Repeat(" ", 100) + "\n<?xpacket end=\"w\"?>"
}

// srgbProfile is an ICC profile of a display with the primaries of sRGB and a gamma of 2.2, version 2.
func srgbProfile() []byte {
	be := binary.BigEndian
	xyz := func(x, y, z float64) []byte {
		b := append([]byte("XYZ "), 0, 0, 0, 0)
		for _, v := range []float64{x, y, z} {
			b = be.AppendUint32(b, uint32(math.Round(v*65536)))
		}
		return b
	}
	name := "sRGB"
	description := append([]byte("desc\x00\x00\x00\x00"), be.AppendUint32(nil, uint32(len(name)+1))...)
	description = append(append(description, name...), make([]byte, 1+4+4+2+1+67)...) // no Unicode, no script code
	gamma := append([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), 0x02, 0x33)
	tags := []struct {
		name string
		data []byte
	}{
		{"desc", description},
		{"cprt", []byte("text\x00\x00\x00\x00None\x00")},
		{"wtpt", xyz(0.9642, 1, 0.8249)},
		{"rXYZ", xyz(0.4361, 0.2225, 0.0139)},
		{"gXYZ", xyz(0.3851, 0.7169, 0.0971)},
		{"bXYZ", xyz(0.1431, 0.0606, 0.7141)},
		{"rTRC", gamma}, {"gTRC", gamma}, {"bTRC", gamma},
	}
	table := be.AppendUint32(nil, uint32(len(tags)))
	var data bytes.Buffer
	for _, t := range tags {
		at := 128 + 4 + 12*len(tags) + data.Len()
		table = be.AppendUint32(be.AppendUint32(append(table, t.name...), uint32(at)), uint32(len(t.data)))
		data.Write(t.data)
		data.Write(make([]byte, (4-len(t.data)%4)%4))
	}
	header := make([]byte, 128)
	be.PutUint32(header, uint32(128+len(table)+data.Len()))
	be.PutUint32(header[8:], 0x02100000)
	copy(header[12:], "mntrRGB XYZ ")
	for i, v := range []uint16{2026, 1, 1} {
		be.PutUint16(header[24+2*i:], v)
	}
	copy(header[36:], "acsp")
	copy(header[68:], xyz(0.9642, 1, 0.8249)[8:])
	return append(append(header, table...), data.Bytes()...)
}
