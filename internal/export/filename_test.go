package export

import (
	"strings"
	"testing"
	"unicode/utf8"

	"segel/internal/contract"
)

func TestTitlesBecomeFileNamesThatEverySystemAccepts(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Sewa": "Sewa", "sewa ": "sewa", "Kontrak.": "Kontrak", `a<b>c:d"e/f\g|h?i*j`: "a_b_c_d_e_f_g_h_i_j",
		"": "_", ".": "_", "..": "_", " . . ": "_", "../../etc/passwd": "_.._etc_passwd", ".tersembunyi": "tersembunyi",
		".pdf": "pdf", "..pdf": "_", "Perjanjian.PDF": "Perjanjian", "kontrak.docx": "kontrak", "kontrak.doc": "kontrak", "a.pdf.pdf": "a.pdf", "Sewa .pdf": "Sewa",
		"con": "_con", "con.Akhir": "_con.Akhir", "CON.pdf": "_CON", "aux .txt": "_aux .txt", "NUL": "_NUL", "conin$": "_conin$", "LPT1": "_LPT1", "COM²": "_COM²",
		"COM": "COM", "COM10": "COM10", "Console": "Console",
		"a\nb\x00": "a b", "a\u202efdp.exe": "afdp.exe", "a\xffb": "ab",
		strings.Repeat("é", 300): strings.Repeat("é", 90), strings.Repeat("a", 179) + "é": strings.Repeat("a", 179),
		strings.Repeat("a", 179) + " b": strings.Repeat("a", 179), strings.Repeat("a", 400) + ".pdf": strings.Repeat("a", 180),
	} {
		if got := FileStem(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestNamesInOneFolderDifferInMoreThanCase(t *testing.T) {
	t.Parallel()
	var names FileNames
	for _, c := range []struct{ stem, want string }{{"Sewa", "Sewa.pdf"}, {"SEWA", "SEWA (2).pdf"}, {"sewa", "sewa (3).pdf"}, {"sewa (2)", "sewa (2) (2).pdf"}} {
		if got := names.Add(c.stem, ".pdf"); got != c.want {
			t.Errorf("%q: %q, want %q", c.stem, got, c.want)
		}
	}
}

func FuzzFileStem(f *testing.F) {
	f.Fuzz(func(t *testing.T, title string) {
		stem := FileStem(title)
		switch {
		case stem == "" || len(stem) > maxStem+1:
			t.Errorf("%q has %d bytes", stem, len(stem))
		case !utf8.ValidString(stem) || strings.ContainsAny(stem, "<>:\"/\\|?*\x7f") || strings.ContainsFunc(stem, func(r rune) bool { return r < ' ' }):
			t.Errorf("%q has characters that file names may not have", stem)
		case stem != strings.Trim(stem, " ."):
			t.Errorf("%q begins or ends with a space or a dot", stem)
		case isDevice(stem):
			t.Errorf("%q is a device", stem)
		}
	})
}

func TestTheNameOfAFinishedFileSaysThatItIsASpecimen(t *testing.T) {
	t.Parallel()
	for specimen, want := range map[bool]string{false: "Sewa Ruko-signed", true: "SPESIMEN-Sewa Ruko-signed"} {
		if got := SignedStem(&contract.Document{Title: "Sewa Ruko.pdf", Specimen: specimen}); got != want {
			t.Errorf("%t: %s", specimen, got)
		}
	}
}
