package verdict

// findingSentences are about what readers of a file may not see or expect. The prefix is followed by the kinds of package
// inspect. The pages and an example are added to each.
var findingSentences = withExample(map[string]sentence{
	"finding.print_differs":   {"Hasil cetak berkas berbeda dari tampilan di layar", "In print, the file shows something other than on the screen"},
	"finding.view_varies":     {"Isi yang tampak bergantung pada aplikasi pembaca, perbesaran, pengguna, atau bahasa", "What the file shows depends on the PDF reader, the magnification, the user or the language"},
	"finding.external":        {"Sebagian isi berkas diambil dari luar berkas, sehingga tidak ikut ditandatangani", "Part of the file's content is read from outside the file, so it is not signed with it"},
	"finding.launch":          {"Berkas dapat menjalankan program atau membuka berkas lain", "The file can start a program or open another file"},
	"finding.unreliable_text": {"Teks berkas tidak dapat diandalkan: huruf yang tampak bukan yang diperoleh saat teks dicari atau disalin", "The text of the file cannot be relied on: the letters that are shown are not those that are found or copied"},
	"finding.outside_page":    {"Ada teks di luar batas halaman", "There is text outside of the page"},
	"finding.screen_only":     {"Kolom, tombol, atau catatan tertentu tampak di layar tetapi tidak ikut tercetak", "Some fields, buttons or notes are shown on the screen and are not printed"},
	"finding.portfolio":       {"Sebagian aplikasi menampilkan berkas yang disematkan, bukan halaman berkas ini", "Some PDF readers show the embedded files instead of the pages"},
	"finding.xfa":             {"Berkas memuat formulir XFA, yang oleh sebagian aplikasi ditampilkan sebagai pengganti halaman", "The file contains an XFA form, which some PDF readers show instead of the pages"},
	"finding.javascript":      {"Berkas memuat JavaScript", "The file contains JavaScript"},
	"finding.actions":         {"Berkas memuat tindakan yang dijalankan otomatis oleh aplikasi pembaca", "The file contains actions that PDF readers carry out by themselves"},
	"finding.submit_form":     {"Berkas dapat mengirim isi formulir ke tempat lain", "The file can send form values elsewhere"},
	"finding.import_data":     {"Berkas dapat mengisi formulir dari berkas lain", "The file can fill its form from another file"},
	"finding.other_document":  {"Berkas memuat tautan ke dokumen lain", "The file contains links to other documents"},
	"finding.file_uri":        {"Berkas memuat tautan ke berkas di komputer atau jaringan pembaca", "The file contains links to files on the reader's computer or network"},
	"finding.media":           {"Berkas memuat suara, video, atau objek 3D", "The file contains sound, video or 3D content"},
	"finding.embedded_file":   {"Berkas memuat berkas lain sebagai lampiran", "The file contains other files as attachments"},
})

// withExample adds what every finding may have: its pages and an example from the file.
func withExample(findings map[string]sentence) map[string]sentence {
	for code, s := range findings {
		findings[code] = sentence{
			s.id + "[ (halaman {pages})][: tampak “{shown}”, terbaca “{says}”][: “{what}”].",
			s.en + "[ (page {pages})][: it shows “{shown}” and says “{says}”][: “{what}”].",
		}
	}
	return findings
}
