package facts_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"segel/pades"
	"segel/pdf/pdftest"
)

// signedWithDocument is a signed file in whose trailer /AdditionalStreams leads to an object, as in PDFs that LibreOffice makes of
// a document that they carry. Object 90 is a stream, and 91 a dictionary.
func signedWithDocument(t *testing.T, number int) []byte {
	t.Helper()
	b := section{
		objects: map[int]string{90: "<< /Length 3 >>\nstream\nODT\nendstream", 91: "<< /A 1 >>"},
		trailer: additional(number),
	}.append(t, pdftest.Table(2))
	return on(t, b).fields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}).sign("A").b
}

const checksum = "/DocChecksum /0123456789ABCDEF0123456789ABCDEF"

func additional(number int) string {
	return fmt.Sprintf("/AdditionalStreams [/application#2Fvnd.oasis.opendocument.text %d 0 R] %s", number, checksum)
}

// sections appends sections one behind the other, each with at least one object.
func sections(all ...section) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte {
		for _, s := range all {
			if len(s.objects) == 0 {
				s.objects = map[int]string{900: "(nothing leads here)"}
			}
			b = s.append(t, b)
		}
		return b
	}
}

const evilStream = "<< /Length 3 >>\nstream\nBAD\nendstream"

// TestNumbersOfAdditionalStreamsMayChangeWhileNoStreamIsThere has /AdditionalStreams lead to nothing when the file is signed:
// PDFBox does so, and gives it another number with each revision, while it uses the former one for a new object.
func TestNumbersOfAdditionalStreamsMayChangeWhileNoStreamIsThere(t *testing.T) {
	t.Parallel()
	other := "<< /Type /Xyz /A 1 >>"
	tamper(t, signedWithDocument(t, 400), []mutation{
		{"other number", "", sections(section{trailer: additional(500)})},
		{"other number, the former used", "", sections(section{objects: map[int]string{400: other}, trailer: additional(500)})},
		{"three revisions", "", sections(
			section{objects: map[int]string{400: other}, trailer: additional(601)},
			section{objects: map[int]string{601: other}, trailer: additional(602)},
			section{objects: map[int]string{602: other}, trailer: additional(603)},
		)},
		{"the number used", "", sections(section{objects: map[int]string{400: other}, trailer: additional(400)})},
		{"left out", "", sections(section{trailer: checksum})},
		{"a dictionary that is there", "", sections(section{trailer: additional(91)})},

		{"a stream that is there", "trailer_changed", sections(section{trailer: additional(90)})},
		{"a stream that is added", "trailer_changed", sections(section{objects: map[int]string{500: evilStream}, trailer: additional(500)})},
		{"the number becomes a stream", "trailer_changed", sections(section{objects: map[int]string{400: evilStream}, trailer: additional(400)})},
		{"the former number becomes a stream", "trailer_changed", sections(section{objects: map[int]string{400: evilStream}, trailer: additional(500)})},
		{"the former number becomes a stream later", "trailer_changed", sections(section{trailer: additional(500)}, section{objects: map[int]string{400: evilStream}, trailer: additional(500)})},
		{"a number named in between becomes a stream", "trailer_changed", sections(section{trailer: additional(500)}, section{trailer: additional(501)}, section{objects: map[int]string{500: evilStream}, trailer: additional(501)})},
		{"the number becomes a dictionary, then a stream", "trailer_changed", sections(
			section{objects: map[int]string{400: other}, trailer: additional(500)}, section{objects: map[int]string{400: evilStream}, trailer: additional(500)},
		)},
		{"the number becomes a stream once the entry is gone", "trailer_changed", sections(section{trailer: checksum}, section{objects: map[int]string{400: evilStream}, trailer: checksum})},
		{"a reference to a stream", "trailer_changed", sections(section{objects: map[int]string{500: "90 0 R"}, trailer: additional(500)})},
		{"the former number becomes a reference", "trailer_changed", sections(section{objects: map[int]string{400: "90 0 R"}, trailer: additional(500)})},
		{"a reference to what comes later", "trailer_changed", sections(section{objects: map[int]string{400: "601 0 R"}, trailer: additional(500)}, section{objects: map[int]string{601: evilStream}, trailer: additional(500)})},
		{"one more", "trailer_changed", sections(section{trailer: "/AdditionalStreams [/application#2Fvnd.oasis.opendocument.text 400 0 R /application#2Fx 601 0 R] " + checksum})},
		{"another type", "trailer_changed", sections(section{trailer: "/AdditionalStreams [/application#2Fx 400 0 R] " + checksum})},
		{"within a dictionary", "trailer_changed", sections(section{trailer: "/AdditionalStreams << /A 500 0 R >> " + checksum})},
		{"another checksum", "trailer_changed", sections(section{trailer: "/AdditionalStreams [/application#2Fvnd.oasis.opendocument.text 500 0 R] /DocChecksum /00"})},
		{"without the checksum", "trailer_changed", sections(section{trailer: "/AdditionalStreams [/application#2Fvnd.oasis.opendocument.text 500 0 R]"})},
	})
	// An entry of another name is not known, so it must not change at all.
	b := bytes.Replace(pdftest.Table(2), []byte("/Info 4 0 R"), []byte("/Info 4 0 R /Xyz [/A 400 0 R]"), 1)
	b = on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A").b
	tamper(t, b, []mutation{{"another entry", "trailer_changed", sections(section{trailer: "/Xyz [/A 500 0 R]"})}})
}

// TestAdditionalStreamThatWasSignedStays has /AdditionalStreams lead to a document when the file is signed.
func TestAdditionalStreamThatWasSignedStays(t *testing.T) {
	t.Parallel()
	tamper(t, signedWithDocument(t, 90), []mutation{
		{"kept", "", sections(section{trailer: additional(90)})},
		{"a stream that is added", "trailer_changed", sections(section{objects: map[int]string{500: evilStream}, trailer: additional(500)})},
		{"nothing", "trailer_changed", sections(section{trailer: additional(500)})},
		{"with another checksum", "trailer_changed", sections(section{trailer: additional(90) + "00"})},
		{"with a checksum that was dropped before", "trailer_changed", sections(section{trailer: strings.TrimSuffix(additional(90), checksum)}, section{trailer: additional(90) + "00"})},
		{"without a checksum", "", sections(section{trailer: strings.TrimSuffix(additional(90), checksum)})},
		{"replaced in its place", "unexplained", sections(section{objects: map[int]string{90: evilStream}, trailer: additional(90)})},
		{"replaced once the entry is gone", "unexplained", sections(section{trailer: checksum}, section{objects: map[int]string{90: evilStream}, trailer: checksum})},
	})
}
