package text

// findings tell what is in a file that its readers may not see or expect.
var findings = map[string]words{
	"finding.launch": {
		"Berkas ini dapat menjalankan program atau membuka berkas lain[ (halaman {pages})].",
		"This file can start a program or open another file[ (page {pages})]."},
	"finding.external": {
		"Sebagian isi berkas ini diambil dari luar berkas[ (halaman {pages})], sehingga tidak ikut ditandatangani.",
		"Part of this file's content is read from outside the file[ (page {pages})], so it is not signed with it."},
	"finding.javascript": {
		"Berkas ini memuat JavaScript[ (halaman {pages})].",
		"This file contains JavaScript[ (page {pages})]."},
	"finding.actions": {
		"Berkas ini memuat tindakan yang dijalankan otomatis oleh aplikasi pembaca[ (halaman {pages})].",
		"This file contains actions that PDF readers carry out by themselves[ (page {pages})]."},
	"finding.submit_form": {
		"Berkas ini dapat mengirim isi formulir ke tempat lain[ (halaman {pages})].",
		"This file can send form values elsewhere[ (page {pages})]."},
	"finding.import_data": {
		"Berkas ini dapat mengisi formulir dari berkas lain[ (halaman {pages})].",
		"This file can fill its form from another file[ (page {pages})]."},
	"finding.other_document": {
		"Berkas ini memuat tautan ke dokumen lain[ (halaman {pages})].",
		"This file contains links to other documents[ (page {pages})]."},
	"finding.file_uri": {
		"Berkas ini memuat tautan ke berkas di komputer pembaca[ (halaman {pages})].",
		"This file contains links to files on the reader's computer[ (page {pages})]."},
	"finding.media": {
		"Berkas ini memuat suara, video, atau objek 3D[ (halaman {pages})].",
		"This file contains sound, video or 3D content[ (page {pages})]."},
	"finding.xfa": {
		"Berkas ini memuat formulir XFA, yang oleh sebagian aplikasi ditampilkan sebagai pengganti halaman.",
		"This file contains an XFA form, which some PDF readers show instead of the pages."},
	"finding.embedded_file": {
		"Berkas ini memuat berkas lain sebagai lampiran[ (halaman {pages})].",
		"This file contains other files as attachments[ (page {pages})]."},
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
