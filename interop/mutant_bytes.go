package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// byteMutants change bytes that are there, or add some behind the end.
var byteMutants = []mutant{
	{"flip-header", func(m *mutation) { m.b[7] = '6' }},
	{"flip-content", func(m *mutation) { m.replaceText("(Page 1)", "(Page 9)", false) }},
	{"flip-font", func(m *mutation) { m.replaceText("/Helvetica", "/HelvetiXX", false) }},
	{"flip-xref", func(m *mutation) { m.replaceText(" 00000 n \n", " 00000 n\r\n", false) }},
	{"flip-trailer", func(m *mutation) { m.replaceText("/Info 4 0 R", "/Info 3 0 R", false) }},
	{"flip-reason", func(m *mutation) { m.replaceText("Menyetujui", "Menolak   ", true) }},
	{"flip-time", func(m *mutation) { m.replaceText("/M (D:2", "/M (D:1", true) }},
	{"flip-certificate", func(m *mutation) { m.flipByte(200) }},
	{"flip-value", func(m *mutation) { m.flipByte(m.findSignatureValue() + 100) }},
	{"flip-attribute", func(m *mutation) { m.flipByte(m.findSignatureValue() - 30) }},
	{"flip-timestamp", func(m *mutation) { m.flipByte(m.findSignatureValue() + 900) }},
	{"flip-padding", func(m *mutation) { m.flipByte(len(m.signature.Contents) - 1) }},
	{"flip-last-byte", func(m *mutation) { m.b[len(m.b)-2] = 'E' }},
	{"cut-end", func(m *mutation) { m.b = m.b[:len(m.b)-20] }},
	{"junk-behind", func(m *mutation) { m.b = append(m.b, "junk that is no revision\n"...) }},
	{"byte-behind", func(m *mutation) { m.b = append(m.b, 0) }},
	{"comment-behind", func(m *mutation) { m.b = append(m.b, "%%EOF\n"...) }},
	{"range-short", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { r[3] -= 10; return r }) }},
	{"range-late", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { r[0], r[1] = 9, r[1]-9; return r }) }},
	{"range-wide-gap", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { r[1] -= 30; return r }) }},
	{"range-two-numbers", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { return r[:2] }) }},
	{"range-six-numbers", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { return append(r, 0, 1) }) }},
	{"range-negative", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { r[1] = -1; return r }) }},
	{"range-twice", func(m *mutation) { m.replaceText("/Filter /Adobe.PPKLite", "/ByteRange [0 1 2 3]  ", true) }},
	{"range-missing", func(m *mutation) { m.replaceText("/ByteRange", "/ByteRang_", true) }},
	{"contents-empty", func(m *mutation) { m.replaceText("/Contents <30", "/Contents <  ", true) }},
	{"contents-missing", func(m *mutation) { m.replaceText("/Contents <30", "/Content_ <30", true) }},
	{"moved-contents", moveContents},
	{"trailer-other-root", func(m *mutation) { m.appendSection("/Root 90 0 R", true) }},
	{"trailer-no-prev", func(m *mutation) { m.appendSection("/Root 90 0 R", false) }},
	{"trailer-loop", func(m *mutation) {
		m.b = fmt.Appendf(m.b, "xref\n0 0\ntrailer\n<< /Size 90 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", len(m.b), len(m.b))
	}},
}

// flipByte changes a byte of the container.
func (m *mutation) flipByte(at int) {
	i := int(m.signature.ByteRange[1]) + 2 + 2*at // the second digit
	if m.b[i] == '7' {
		m.b[i] = '3'
	} else {
		m.b[i] = '7'
	}
}

// findSignatureValue is where the signature value begins in the container: the one OCTET STRING of 256 bytes, as of the keys here only
// the signer's is RSA. The signed attributes end a little before it, the timestamp follows.
func (m *mutation) findSignatureValue() int {
	return bytes.Index(m.signature.Contents, []byte{0x04, 0x82, 0x01, 0x00}) + 4
}

// editByteRange writes /ByteRange anew in the room it has.
func (m *mutation) editByteRange(edit func([]int64) []int64) {
	at := bytes.LastIndex(m.b, []byte("/ByteRange"))
	open := at + bytes.IndexByte(m.b[at:], '[')
	end := open + bytes.IndexByte(m.b[open:], ']')
	room := end + 1 - open
	for m.b[open+room] == ' ' {
		room++
	}
	var numbers []string
	for _, n := range edit(slices.Clone(m.signature.ByteRange)) {
		numbers = append(numbers, strconv.FormatInt(n, 10))
	}
	s := "[" + strings.Join(numbers, " ") + "]"
	if len(s) > room {
		m.err = fmt.Errorf("no room for %s", s)
		return
	}
	copy(m.b[open:], s+strings.Repeat(" ", room-len(s)))
}

// moveContents is the signature wrapping attack: what is signed behind the container moves to the end, and the room in
// between takes another state of the file.
func moveContents(m *mutation) {
	r := m.signature.ByteRange
	behind := bytes.Clone(m.b[r[2] : r[2]+r[3]])
	evil := "\n5 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Rotate 180 >>\nendobj\n"
	grown := append(bytes.Clone(m.b[:r[2]]), evil...)
	m.b = append(append(grown, bytes.Repeat([]byte(" "), 16)...), behind...)
	m.editByteRange(func(r []int64) []int64 { r[2] = int64(len(m.b)) - r[3]; return r })
}

// appendSection appends another catalog with a page of its own, by hand, and a trailer that names it.
func (m *mutation) appendSection(root string, chained bool) {
	var at []int
	for _, o := range []string{
		"90 0 obj\n<< /Type /Catalog /Pages 91 0 R >>\nendobj\n",
		"91 0 obj\n<< /Type /Pages /Kids [92 0 R] /Count 1 >>\nendobj\n",
		"92 0 obj\n<< /Type /Page /Parent 91 0 R /MediaBox [0 0 595 842] /Resources << >> >>\nendobj\n",
	} {
		at = append(at, len(m.b))
		m.b = append(m.b, o...)
	}
	previous := m.b[bytes.LastIndex(m.b, []byte("startxref"))+len("startxref"):]
	prev := "/Prev " + strings.Fields(string(previous))[0]
	if !chained {
		prev = ""
	}
	start := len(m.b)
	m.b = append(m.b, "xref\n90 3\n"...)
	for _, offset := range at {
		m.b = fmt.Appendf(m.b, "%010d 00000 n \n", offset)
	}
	m.b = fmt.Appendf(m.b, "trailer\n<< /Size 93 %s %s >>\nstartxref\n%d\n%%%%EOF\n", root, prev, start)
}
