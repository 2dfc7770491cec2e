package sniff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf16"

	"segel/internal/convert"
)

// readContract is a binary document that LibreOffice wrote: a paragraph, and a hyperlink as a field.
func readContract(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "kontrak.doc"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encodeUTF16(s string) []byte {
	var b []byte
	for _, c := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return b
}

// patchContract replaces bytes that occur once, by as many.
func patchContract(t *testing.T, old, by []byte) []byte {
	t.Helper()
	b := readContract(t)
	if bytes.Count(b, old) != 1 || len(old) != len(by) {
		t.Fatalf("%q occurs %d times", old, bytes.Count(b, old))
	}
	return bytes.Replace(b, old, by, 1)
}

// renameEntry gives an entry of the compound file's tree another name.
func renameEntry(t *testing.T, from, to string) []byte {
	t.Helper()
	b := readContract(t)
	for at := headerLen; at+nodeLen <= len(b); at += nodeLen {
		if bytes.HasPrefix(b[at:], append(encodeUTF16(from), 0, 0)) {
			clear(b[at : at+64])
			copy(b[at:], encodeUTF16(to))
			binary.LittleEndian.PutUint16(b[at+64:], uint16(2*len(to)+2))
			return b
		}
	}
	t.Fatalf("there is no entry %q", from)
	return nil
}

// patchHeader changes the document's header from offset on.
func patchHeader(t *testing.T, offset int, by ...byte) []byte {
	t.Helper()
	b := readContract(t)
	at := bytes.Index(b, []byte{0xEC, 0xA5})
	copy(b[at+offset:], by)
	return b
}

func TestABinaryDocumentIsTaken(t *testing.T) {
	t.Parallel()
	f := requireAccepted(t, readContract(t))
	if f.Kind != convert.DOC || !slices.Contains(f.Fonts, "Liberation Serif") || slices.Contains(f.Fonts, "Symbol") {
		t.Errorf("%+v", f)
	}
}

func TestABinaryDocumentIsRefusedForItsReason(t *testing.T) {
	t.Parallel()
	b := readContract(t)
	for name, c := range map[string]struct {
		file []byte
		want Reason
	}{
		"field by its code":        {patchContract(t, encodeUTF16(` HYPERLINK "`), encodeUTF16(` DDEAUTO   "`)), Fields},
		"field by its number":      {patchContract(t, []byte{0x13, 88, 0x14}, []byte{0x13, 67, 0x14}), Fields},
		"macros":                   {renameEntry(t, "\x01CompObj", "Macros"), Macros},
		"VBA":                      {renameEntry(t, "\x01CompObj", "_VBA_PROJECT"), Macros},
		"package with a password":  {renameEntry(t, "\x01CompObj", "EncryptedPackage"), Encrypted},
		"password":                 {patchHeader(t, 11, b[bytes.Index(b, []byte{0xEC, 0xA5})+11]|1), Encrypted},
		"template":                 {patchHeader(t, 10, b[bytes.Index(b, []byte{0xEC, 0xA5})+10]|1), NotWord},
		"Word 6":                   {patchHeader(t, 0, 0xDC, 0xA5), NotWord},
		"no document in it":        {renameEntry(t, "WordDocument", "Workbook"), NotWord},
		"table that is missing":    {renameEntry(t, "1Table", "2Table"), Damaged},
		"two of a name":            {renameEntry(t, "1Table", "WordDocument"), Damaged},
		"half of it":               {b[:len(b)/2], Damaged},
		"nothing but its mark":     {cfbMagic, Damaged},
		"text that lies elsewhere": {patchHeader(t, listOffset+8*clx, 0xFF, 0xFF, 0xFF, 0x7F), Damaged},
	} {
		_, err := CheckDocument(t.Context(), bytes.NewReader(c.file), int64(len(c.file)), Limits{})
		var r *Refusal
		if !errors.As(err, &r) || r.Reason != c.want {
			t.Errorf("%s: %v, not refused for %s", name, err, c.want)
		}
	}
}
