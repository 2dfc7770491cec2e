package verdict

// changeSentences say what a later revision did to an object. The prefix is followed by the codes of package diff.
var changeSentences = map[string]sentence{
	"change.unchanged":       {"ditulis ulang tanpa perubahan: {where}", "written again unchanged: {where}"},
	"change.unreachable":     {"ditambahkan sesuatu yang tidak dipakai: {where}", "something unused added: {where}"},
	"change.cross_reference": {"daftar rujukan silang", "cross-reference"},
	"change.trailer":         {"catatan penutup berkas", "trailer of the file"},
	"change.store":           {"data validasi ditambahkan", "validation data added"},
	"change.store_replaced":  {"data validasi diganti dengan yang lebih baru; data lama tetap diperhitungkan", "validation data replaced by newer data; the earlier data still counts"},
	"change.timestamp":       {"stempel waktu dokumen ditambahkan: {where}", "document timestamp added: {where}"},
	"change.signature_field": {"kolom tanda tangan ditambahkan: {where}", "signature field added: {where}"},
	"change.signed":          {"kolom ditandatangani: {where}", "field signed: {where}"},
	"change.filled":          {"kolom formulir diisi: {where}", "form field filled in: {where}"},
	"change.appearance":      {"tampilan kolom: {where}", "appearance of a field: {where}"},
	"change.form":            {"daftar kolom formulir diperbarui", "list of form fields updated"},
	"change.metadata":        {"metadata diperbarui", "metadata updated"},
	"change.extensions":      {"versi dan ekstensi PDF dinyatakan", "PDF version and extensions stated"},
	"change.structure":       {"struktur dokumen memuat kolom baru", "field added to the document structure"},
	"change.annotations":     {"daftar anotasi halaman {page} memuat kolom baru", "field added to the annotations of page {page}"},
	"change.comment": {
		"catatan pada halaman {page} ditambah, diubah, atau dihapus: {where}; catatan dapat menutupi teks, jadi tidak diterima meskipun sertifikasi mengizinkannya",
		"comment on page {page} added, changed or deleted: {where}; comments can cover text, so they are not accepted even if a certification permits them",
	},
	"change.catalog":              {"katalog diperbarui seperlunya", "catalog updated as needed"},
	"change.page":                 {"halaman {page} diperbarui seperlunya", "page {page} updated as needed"},
	"change.information":          {"keterangan dokumen diperbarui", "document information updated"},
	"change.content_changed":      {"isi halaman diubah: {where}", "content of a page changed: {where}"},
	"change.pages_changed":        {"halaman ditambah, dihapus, atau dipindahkan: {where}", "pages added, removed or moved: {where}"},
	"change.page_changed":         {"halaman diubah: {where}", "page changed: {where}"},
	"change.catalog_changed":      {"katalog dokumen diubah: {where}", "document catalog changed: {where}"},
	"change.root_redirected":      {"berkas diarahkan ke katalog lain: {where}", "the file now refers to another catalog: {where}"},
	"change.encryption_changed":   {"enkripsi diubah: {where}", "encryption changed: {where}"},
	"change.trailer_changed":      {"catatan penutup berkas diubah: {where}", "trailer of the file changed: {where}"},
	"change.field_changed":        {"kolom formulir diubah selain isinya: {where}", "more of a form field changed than its value: {where}"},
	"change.field_removed":        {"kolom formulir dihapus: {where}", "form field removed: {where}"},
	"change.field_added":          {"kolom formulir ditambahkan di tempat yang tidak boleh: {where}", "form field added where that is not allowed: {where}"},
	"change.form_changed":         {"aturan formulir diubah: {where}", "form defaults changed: {where}"},
	"change.signed_field_changed": {"kolom yang sudah ditandatangani diubah: {where}", "a signed field was changed: {where}"},
	"change.signature_changed":    {"tanda tangan diubah: {where}", "a signature was changed: {where}"},
	"change.appearance_shared":    {"tampilan kolom juga dipakai di tempat lain: {where}", "the appearance of a field is also used elsewhere: {where}"},
	"change.appearance_changed":   {"tampilan kolom diubah, padahal nilainya tetap: {where}", "a field shows something else although its value is unchanged: {where}"},
	"change.appearance_differs":   {"tampilan kolom tidak sesuai dengan nilainya: {where}", "a field does not show its value: {where}"},
	"change.unanswered":           {"tampilan kolom yang tanda tangannya tidak sah, sehingga tidak ada penanda tangan yang bertanggung jawab: {where}", "the appearance of a field whose signature is not valid, so that no signer answers for it: {where}"},
	"change.hides_signed": {
		"tanda yang lebih besar daripada yang diperbolehkan membuat isi yang sudah ditandatangani pada halaman {page} tidak terbaca: {where}",
		"a mark larger than allowed makes signed content on page {page} unreadable: {where}",
	},
	"change.annotation_changed":  {"anotasi diubah: {where}", "annotation changed: {where}"},
	"change.store_changed":       {"data validasi dihapus atau diganti: {where}", "validation data removed or replaced: {where}"},
	"change.structure_changed":   {"struktur dokumen diubah: {where}", "document structure changed: {where}"},
	"change.freed":               {"objek dihapus: {where}", "object deleted: {where}"},
	"change.restored":            {"objek dikembalikan ke keadaan lama: {where}", "object restored to an earlier state: {where}"},
	"change.ambiguous":           {"pembaca PDF tidak akan sepakat tentang isinya: {where}", "PDF readers do not agree on the content: {where}"},
	"change.unexplained":         {"perubahan yang tidak dapat dijelaskan: {where}", "unexplained change: {where}"},
	"change.unreadable":          {"perubahan tidak dapat dibaca: {where}", "the change cannot be read: {where}"},
	"change.too_much":            {"perubahan terlalu banyak untuk diperiksa", "too many changes to check"},
	"change.shows":               {"tampak pada halaman {page}: {where}", "shows on page {page}: {where}"},
	"change.overlaps_text":       {"menutupi teks pada halaman {page}: {where}", "covers text on page {page}: {where}"},
	"change.overlaps_signature":  {"menutupi tanda tangan lain pada halaman {page}: {where}", "covers another signature on page {page}: {where}"},
	"change.overlaps_picture":    {"menutupi gambar pada halaman {page}: {where}", "covers a picture on page {page}: {where}"},
	"change.overlaps_annotation": {"menutupi kolom atau catatan pada halaman {page}: {where}", "covers a field or comment on page {page}: {where}"},
	"change.value_not_compared": {
		"kolom diisi; apakah tampilannya sesuai dengan nilainya tidak dapat dipastikan: {where}",
		"field filled in; whether it shows its value cannot be determined: {where}",
	},
	"change.nothing_visible": {"tidak ada yang terlihat berubah", "no visible change"},
	"change.more":            {"dan {count} perubahan lagi", "and {count} more changes"},
}

// warningSentences are about the file. The prefix is followed by the codes of package facts.
var warningSentences = map[string]sentence{
	"warning.covered_text": {
		"Teks pada halaman {page} tertutup gambar atau anotasi.",
		"Text on page {page} is covered by a picture or an annotation.",
	},
	"warning.invisible_text": {
		"Halaman {page} memuat teks yang tidak terlihat.",
		"Page {page} has invisible text.",
	},
	"warning.hidden_layer": {
		"Berkas memuat lapisan tersembunyi.",
		"The file has a hidden layer.",
	},
	"warning.spare_content": {
		"Berkas memuat halaman atau katalog cadangan yang tidak dipakai; isinya dapat ditukar kemudian.",
		"The file has unused pages or catalogs, which could be swapped in later.",
	},
	"warning.active_content": {
		"Berkas memuat skrip atau tindakan lain.",
		"The file has scripts or other actions.",
	},
	"warning.twofold": {
		"Berkas yang ditandatangani menyatakan sesuatu dua kali; pembaca PDF dapat menampilkannya berbeda-beda.",
		"The signed file has duplicate entries, which PDF readers may show differently.",
	},
	"warning.junk_after": {
		"Ada byte di belakang akhir berkas.",
		"There are bytes after the end of the file.",
	},
	"warning.junk_before": {
		"Ada byte di depan awal berkas.",
		"There are bytes before the beginning of the file.",
	},
	"warning.tolerated": {
		"Berkas memiliki cacat kecil.",
		"The file has small defects.",
	},
	"warning.repaired": {
		"Daftar rujukan berkas rusak dan harus disusun ulang; tanda tangannya tidak dapat diandalkan.",
		"The cross-reference of the file is damaged and was rebuilt; its signatures cannot be relied on.",
	},
	"warning.not_looked": {
		"Halaman {page} terlalu besar atau strukturnya tidak wajar, sehingga tidak dapat diperiksa.",
		"Page {page} was too large or malformed to be examined.",
	},
	"warning.form": {
		"Formulir dalam berkas tidak dapat dibaca.",
		"The form in the file cannot be read.",
	},
	"warning.store": {
		"Sebagian data validasi dalam berkas tidak dapat dibaca.",
		"Some validation data in the file cannot be read.",
	},
	"warning.loose_signature": {
		"Berkas memuat tanda tangan yang tidak dimiliki kolom mana pun.",
		"The file has a signature that does not belong to any field.",
	},
	"warning.skipped_revision": {
		"Berkas memuat sesuatu yang tampak sebagai revisi, tetapi bukan bagian darinya.",
		"The file has bytes that look like a revision but are not part of it.",
	},
	"warning.overlaps_text": {
		"Isi yang ditambahkan revisi {revision} menutupi teks pada halaman {page}: {where}.",
		"Content added by revision {revision} covers text on page {page}: {where}.",
	},
	"warning.overlaps_signature": {
		"Isi yang ditambahkan revisi {revision} menutupi tanda tangan lain pada halaman {page}: {where}.",
		"Content added by revision {revision} covers another signature on page {page}: {where}.",
	},
	"warning.overlaps_picture": {
		"Isi yang ditambahkan revisi {revision} menutupi gambar pada halaman {page}: {where}.",
		"Content added by revision {revision} covers a picture on page {page}: {where}.",
	},
	"warning.overlaps_annotation": {
		"Isi yang ditambahkan revisi {revision} menutupi kolom atau catatan pada halaman {page}: {where}.",
		"Content added by revision {revision} covers a field or comment on page {page}: {where}.",
	},
	"warning.value_not_compared": {
		"Revisi {revision} mengisi kolom {where}. Apakah tampilannya sesuai dengan nilainya tidak dapat dipastikan.",
		"Revision {revision} filled in the field {where}. Whether it shows its value cannot be determined.",
	},
	"warning.encrypted": {
		"Berkas terenkripsi.",
		"The file is encrypted.",
	},
}
