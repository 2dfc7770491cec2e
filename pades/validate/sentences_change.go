package validate

// changeSentences say what became of an object in a later revision. Codes of package diff follow the prefix.
var changeSentences = map[string]sentence{
	"change.unchanged":       {"ditulis ulang tanpa perubahan: {where}", "written again unchanged: {where}"},
	"change.unreachable":     {"ditambahkan sesuatu yang tidak dipakai: {where}", "something added that nothing leads to: {where}"},
	"change.cross_reference": {"daftar rujukan silang", "cross-reference"},
	"change.trailer":         {"catatan penutup berkas", "closing entries of the file"},
	"change.store":           {"bukti keabsahan ditambahkan", "proof of validity added"},
	"change.store_replaced":  {"bukti keabsahan diganti dengan yang lebih baru; yang lama tetap diperhitungkan", "proof of validity replaced by newer proof; the former counts all the same"},
	"change.timestamp":       {"stempel waktu dokumen ditambahkan: {where}", "document timestamp added: {where}"},
	"change.signature_field": {"kolom tanda tangan ditambahkan: {where}", "signature field added: {where}"},
	"change.signed":          {"kolom ditandatangani: {where}", "field signed: {where}"},
	"change.filled":          {"kolom formulir diisi: {where}", "form field filled in: {where}"},
	"change.appearance":      {"tampilan kolom: {where}", "appearance of a field: {where}"},
	"change.form":            {"daftar kolom formulir diperbarui", "list of form fields brought up to date"},
	"change.metadata":        {"metadata diperbarui", "metadata brought up to date"},
	"change.extensions":      {"versi dan ekstensi PDF dinyatakan", "PDF version and extensions stated"},
	"change.structure":       {"struktur dokumen memuat kolom baru", "document structure gained a field"},
	"change.annotations":     {"daftar anotasi halaman {page} memuat kolom baru", "list of annotations of page {page} gained a field"},
	"change.comment": {
		"catatan pada halaman {page} ditambah, diubah, atau dihapus: {where}; catatan dapat menutupi teks, jadi tidak diterima meskipun sertifikasi mengizinkannya",
		"comment on page {page} added, changed or deleted: {where}; comments can cover text, so none is accepted, even where a certification permits it",
	},
	"change.catalog":              {"katalog diperbarui seperlunya", "catalog brought up to date as needed"},
	"change.page":                 {"halaman {page} diperbarui seperlunya", "page {page} brought up to date as needed"},
	"change.information":          {"keterangan dokumen diperbarui", "document information brought up to date"},
	"change.content_changed":      {"isi halaman diubah: {where}", "what a page shows was changed: {where}"},
	"change.pages_changed":        {"halaman ditambah, dihapus, atau dipindahkan: {where}", "pages added, removed or moved: {where}"},
	"change.page_changed":         {"halaman diubah: {where}", "page changed: {where}"},
	"change.catalog_changed":      {"katalog dokumen diubah: {where}", "document catalog changed: {where}"},
	"change.root_redirected":      {"berkas diarahkan ke katalog lain: {where}", "the file was pointed to another catalog: {where}"},
	"change.encryption_changed":   {"enkripsi diubah: {where}", "encryption changed: {where}"},
	"change.trailer_changed":      {"catatan penutup berkas diubah: {where}", "closing entries of the file changed: {where}"},
	"change.field_changed":        {"kolom formulir diubah selain isinya: {where}", "form field changed beyond its value: {where}"},
	"change.field_removed":        {"kolom formulir dihapus: {where}", "form field removed: {where}"},
	"change.field_added":          {"kolom formulir ditambahkan di tempat yang tidak boleh: {where}", "form field added where none may be: {where}"},
	"change.form_changed":         {"aturan formulir diubah: {where}", "form defaults changed: {where}"},
	"change.signed_field_changed": {"kolom yang sudah ditandatangani diubah: {where}", "a field that was signed was changed: {where}"},
	"change.signature_changed":    {"tanda tangan diubah: {where}", "a signature was changed: {where}"},
	"change.appearance_shared":    {"tampilan kolom juga dipakai di tempat lain: {where}", "the appearance of a field is also used elsewhere: {where}"},
	"change.appearance_changed":   {"tampilan kolom diubah, padahal nilainya tetap: {where}", "what a field shows was changed, although its value stays: {where}"},
	"change.appearance_differs":   {"tampilan kolom tidak sesuai dengan nilainya: {where}", "a field does not show its value: {where}"},
	"change.unanswered":           {"tampilan kolom yang tanda tangannya tidak sah, sehingga tidak ada yang bertanggung jawab: {where}", "what shows in a field whose signature does not hold, so that nobody answers for it: {where}"},
	"change.hides_signed": {
		"tanda yang lebih besar daripada yang diperbolehkan membuat isi yang sudah ditandatangani pada halaman {page} tidak terbaca: {where}",
		"a mark that is larger than allowed makes signed content on page {page} unreadable: {where}",
	},
	"change.annotation_changed":  {"anotasi diubah: {where}", "annotation changed: {where}"},
	"change.store_changed":       {"bukti keabsahan dihapus atau diganti: {where}", "proof of validity removed or replaced: {where}"},
	"change.structure_changed":   {"struktur dokumen diubah: {where}", "document structure changed: {where}"},
	"change.freed":               {"objek dihapus: {where}", "object deleted: {where}"},
	"change.restored":            {"objek dikembalikan ke keadaan lama: {where}", "object put back to an earlier state: {where}"},
	"change.ambiguous":           {"pembaca PDF tidak akan sepakat tentang isinya: {where}", "PDF readers would not agree on what is there: {where}"},
	"change.unexplained":         {"perubahan yang tidak dapat dijelaskan: {where}", "a change that nothing explains: {where}"},
	"change.unreadable":          {"perubahan tidak dapat dibaca: {where}", "the change cannot be read: {where}"},
	"change.too_much":            {"perubahan terlalu banyak untuk diperiksa", "more changes than can be looked at"},
	"change.shows":               {"tampak pada halaman {page}: {where}", "it shows on page {page}: {where}"},
	"change.overlaps_text":       {"menutupi teks pada halaman {page}: {where}", "it stands over text of page {page}: {where}"},
	"change.overlaps_signature":  {"menutupi tanda tangan lain pada halaman {page}: {where}", "it stands over another signature on page {page}: {where}"},
	"change.overlaps_picture":    {"menutupi gambar pada halaman {page}: {where}", "it stands over a picture on page {page}: {where}"},
	"change.overlaps_annotation": {"menutupi kolom atau catatan pada halaman {page}: {where}", "it stands over a field or comment on page {page}: {where}"},
	"change.value_not_compared": {
		"kolom diisi; apakah tampilannya sesuai dengan nilainya tidak dapat dipastikan: {where}",
		"field filled in; whether it shows its value cannot be determined: {where}",
	},
	"change.nothing_visible": {"tidak ada yang terlihat berubah", "nothing that could be seen was changed"},
	"change.more":            {"dan {count} perubahan lagi", "and {count} more changes"},
}

// warningSentences are about the file. Codes of package facts follow the prefix.
var warningSentences = map[string]sentence{
	"warning.covered_text": {
		"Teks pada halaman {page} tertutup gambar atau anotasi.",
		"Text on page {page} is covered by a picture or an annotation.",
	},
	"warning.invisible_text": {
		"Halaman {page} memuat teks yang tidak terlihat.",
		"Page {page} has text that cannot be seen.",
	},
	"warning.hidden_layer": {
		"Berkas memuat lapisan tersembunyi.",
		"The file has a layer that is hidden.",
	},
	"warning.spare_content": {
		"Berkas memuat halaman atau katalog cadangan yang tidak dipakai; isinya dapat ditukar kemudian.",
		"The file holds spare pages or catalogs that nothing leads to; they could be swapped in later.",
	},
	"warning.active_content": {
		"Berkas memuat skrip atau tindakan lain.",
		"The file has scripts or other actions.",
	},
	"warning.twofold": {
		"Berkas yang ditandatangani menyatakan sesuatu dua kali; pembaca PDF dapat menampilkannya berbeda-beda.",
		"The file that was signed states something twice; PDF readers may show it differently.",
	},
	"warning.junk_after": {
		"Ada byte di belakang akhir berkas.",
		"There are bytes behind the end of the file.",
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
		"The cross-reference of the file is broken and had to be rebuilt; its signatures cannot be relied on.",
	},
	"warning.not_looked": {
		"Halaman {page} terlalu besar atau terlalu ganjil untuk diperiksa.",
		"Page {page} was too large or too odd to be looked through.",
	},
	"warning.form": {
		"Formulir dalam berkas tidak dapat dibaca.",
		"The form in the file cannot be read.",
	},
	"warning.store": {
		"Sebagian bukti keabsahan dalam berkas tidak dapat dibaca.",
		"A part of the proof of validity in the file cannot be read.",
	},
	"warning.loose_signature": {
		"Berkas memuat tanda tangan yang tidak dimiliki kolom mana pun.",
		"The file has a signature that no field has.",
	},
	"warning.skipped_revision": {
		"Berkas memuat sesuatu yang tampak sebagai revisi, tetapi bukan bagian darinya.",
		"The file holds what looks like a revision and is none of its own.",
	},
	"warning.overlaps_text": {
		"Yang ditambahkan revisi {revision} menutupi teks pada halaman {page}: {where}.",
		"What revision {revision} added stands over text of page {page}: {where}.",
	},
	"warning.overlaps_signature": {
		"Yang ditambahkan revisi {revision} menutupi tanda tangan lain pada halaman {page}: {where}.",
		"What revision {revision} added stands over another signature on page {page}: {where}.",
	},
	"warning.overlaps_picture": {
		"Yang ditambahkan revisi {revision} menutupi gambar pada halaman {page}: {where}.",
		"What revision {revision} added stands over a picture on page {page}: {where}.",
	},
	"warning.overlaps_annotation": {
		"Yang ditambahkan revisi {revision} menutupi kolom atau catatan pada halaman {page}: {where}.",
		"What revision {revision} added stands over a field or comment on page {page}: {where}.",
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
