package text

// findings tell what is in a file that its readers may not see or expect. Pages are ranges, such as "1-3, 7"; what and
// shown are excerpts of the file.
var findings = map[string]sentence{
	"document.active_content": {
		"Berkas ini memuat hal yang harus Anda setujui lebih dahulu: yang ditandatangani bisa berbeda dari yang terlihat.",
		"This file contains something that you have to accept first: what is signed may differ from what is seen."},
	"finding.print_differs": {
		"Hasil cetak berkas ini berbeda dari tampilan di layar[ (halaman {pages})][: “{what}”].",
		"In print, this file shows something other than on the screen[ (page {pages})][: “{what}”]."},
	"finding.view_varies": {
		"Isi yang tampak bergantung pada aplikasi pembaca, perbesaran, pengguna, atau bahasa[ (halaman {pages})][: “{what}”].",
		"What this file shows depends on the PDF reader, the magnification, the user or the language[ (page {pages})][: “{what}”]."},
	"finding.external": {
		"Sebagian isi berkas ini diambil dari luar berkas[ (halaman {pages})], sehingga tidak ikut ditandatangani.",
		"Part of this file's content is read from outside the file[ (page {pages})], so it is not signed with it."},
	"finding.launch": {
		"Berkas ini dapat menjalankan program atau membuka berkas lain[ (halaman {pages})][: {what}].",
		"This file can start a program or open another file[ (page {pages})][: {what}]."},
	"finding.unreliable_text": {
		"Teks berkas ini tidak dapat diandalkan[ (halaman {pages})]: huruf yang tampak bukan yang diperoleh saat teks dicari atau disalin[ (tampak “{shown}”, terbaca “{what}”)].",
		"The text of this file cannot be relied on[ (page {pages})]: the letters that are shown are not those that are found or copied[ (it shows “{shown}” and says “{what}”)]."},
	"finding.covered_text": {
		"Ada teks yang tertutup gambar, bidang, atau anotasi[ (halaman {pages})].",
		"Text is covered by a picture, an area or an annotation[ (page {pages})]."},
	"finding.invisible_text": {
		"Ada teks yang tidak terlihat[ (halaman {pages})].",
		"There is text that cannot be seen[ (page {pages})]."},
	"finding.hidden_layer": {
		"Berkas ini memuat lapisan yang disembunyikan[ (halaman {pages})].",
		"This file has a layer that is hidden[ (page {pages})]."},
	"finding.outside_page": {
		"Ada teks di luar batas halaman[ (halaman {pages})][: “{what}”].",
		"There is text outside of the page[ (page {pages})][: “{what}”]."},
	"finding.screen_only": {
		"Kolom, tombol, atau catatan tertentu tampak di layar tetapi tidak ikut tercetak[ (halaman {pages})].",
		"Some fields, buttons or notes are shown on the screen and are not printed[ (page {pages})]."},
	"finding.portfolio": {
		"Sebagian aplikasi menampilkan berkas yang disematkan, bukan halaman berkas ini.",
		"Some PDF readers show the embedded files instead of the pages of this file."},
	"finding.xfa": {
		"Berkas ini memuat formulir XFA, yang oleh sebagian aplikasi ditampilkan sebagai pengganti halaman.",
		"This file contains an XFA form, which some PDF readers show instead of the pages."},
	"finding.javascript": {
		"Berkas ini memuat JavaScript[ (halaman {pages})].",
		"This file contains JavaScript[ (page {pages})]."},
	"finding.actions": {
		"Berkas ini memuat tindakan yang dijalankan otomatis oleh aplikasi pembaca[ (halaman {pages})].",
		"This file contains actions that PDF readers carry out by themselves[ (page {pages})]."},
	"finding.submit_form": {
		"Berkas ini dapat mengirim isi formulir ke tempat lain[ (halaman {pages})][: {what}].",
		"This file can send form values elsewhere[ (page {pages})][: {what}]."},
	"finding.import_data": {
		"Berkas ini dapat mengisi formulir dari berkas lain[ (halaman {pages})][: {what}].",
		"This file can fill its form from another file[ (page {pages})][: {what}]."},
	"finding.other_document": {
		"Berkas ini memuat tautan ke dokumen lain[ (halaman {pages})][: {what}].",
		"This file contains links to other documents[ (page {pages})][: {what}]."},
	"finding.file_uri": {
		"Berkas ini memuat tautan ke berkas di komputer atau jaringan pembaca[ (halaman {pages})][: {what}].",
		"This file contains links to files on the reader's computer or network[ (page {pages})][: {what}]."},
	"finding.media": {
		"Berkas ini memuat suara, video, atau objek 3D[ (halaman {pages})].",
		"This file contains sound, video or 3D content[ (page {pages})]."},
	"finding.embedded_file": {
		"Berkas ini memuat berkas lain sebagai lampiran[ (halaman {pages})][: {what}].",
		"This file contains other files as attachments[ (page {pages})][: {what}]."},
	"finding.not_examined": {
		"Tidak semua isi berkas ini dapat diperiksa[ (halaman {pages})].",
		"Not everything in this file could be looked at[ (page {pages})]."},
	"finding.signature_unknown_issuer": {
		"Berkas ini sudah bertanda tangan, dan penerbit sertifikatnya tidak dikenal di sini[ ({fields})]. Tanda tangan itu utuh.",
		"This file is signed already, and the issuer of the certificate is not known here[ ({fields})]. The signature is intact."},
	"finding.signature_no_revocation_data": {
		"Berkas ini sudah bertanda tangan tanpa data status pencabutan sertifikatnya[ ({fields})]. Tanda tangan itu utuh.",
		"This file is signed already, without data on whether the certificate was revoked[ ({fields})]. The signature is intact."},
	"finding.signature_unknown": {
		"Berkas ini sudah bertanda tangan, dan tanda tangannya tidak dapat diperiksa di sini[ ({fields})]: algoritmanya tidak didukung atau sertifikatnya tidak ada.",
		"This file is signed already, and the signature cannot be checked here[ ({fields})]: its algorithm is not supported or its certificate is missing."},
	"finding.signature_not_passed": {
		"Berkas ini sudah bertanda tangan, dan tanda tangannya tidak lolos validasi[ ({fields})]. Isinya tidak berubah.",
		"This file is signed already, and the signature does not pass validation[ ({fields})]. The content is unchanged."},
}
