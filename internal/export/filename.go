package export

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"segel/internal/contract"
)

// maxStem bounds the part of a file name that is made of a title, in bytes. File systems allow 255 bytes or UTF-16 units for the whole name.
const maxStem = 180

// reservedNames are names of devices on Windows, with any extension.
var reservedNames = map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "CONIN$": true, "CONOUT$": true}

// titleEndings are the extensions that a title loses if it was the name of an uploaded file.
var titleEndings = []string{".pdf", ".doc", ".docx"}

// FileStem makes a title the first part of a file name that Windows, macOS and Linux accept. It is not empty and has at most 181 bytes.
func FileStem(title string) string {
	stem := contract.CleanText(title)
	for _, ending := range titleEndings {
		if n := len(stem) - len(ending); n > 0 && strings.EqualFold(stem[n:], ending) {
			stem = stem[:n]
			break
		}
	}
	stem = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, stem)
	for len(stem) > maxStem {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	stem = strings.Trim(stem, " .")
	if stem == "" || isDevice(stem) {
		stem = "_" + stem
	}
	return stem
}

// isDevice reports whether Windows takes a name for that of a device.
func isDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	base = strings.TrimRight(base, " ")
	if reservedNames[base] {
		return true
	}
	port := strings.HasPrefix(base, "COM") || strings.HasPrefix(base, "LPT")
	return port && utf8.RuneCountInString(base) == 4 && strings.ContainsRune("0123456789¹²³", []rune(base)[3])
}

// FileNames makes the names of files in one folder differ. It is not safe for concurrent use.
type FileNames struct{ used map[string]bool }

// Add returns a name made of a stem and an extension that differs from all names before in more than letter case.
func (n *FileNames) Add(stem, extension string) string {
	if n.used == nil {
		n.used = map[string]bool{}
	}
	for i := 1; ; i++ {
		name := stem + extension
		if i > 1 {
			name = fmt.Sprintf("%s (%d)%s", stem, i, extension)
		}
		if key := strings.ToLower(name); !n.used[key] {
			n.used[key] = true
			return name
		}
	}
}

// SpecimenWord marks, in every language, documents stamped by the sandbox stamp office, which have no legal value.
const SpecimenWord = "SPESIMEN"

// SignedStem returns the name of a finished file without its extension: the title and "-signed", in every language, marked if it is a specimen.
func SignedStem(d *contract.Document) string { return markSpecimen(d, FileStem(d.Title)+"-signed") }

// EvidenceStem returns the name of an evidence certificate without its extension, in the same way.
func EvidenceStem(d *contract.Document) string { return markSpecimen(d, FileStem(d.Title)+"-evidence") }

func markSpecimen(d *contract.Document, stem string) string {
	if d.Specimen {
		return SpecimenWord + "-" + stem
	}
	return stem
}
