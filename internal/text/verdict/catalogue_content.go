package verdict

import "segel/pades/validate"

// contentSentences are about coverage and changes.
var contentSentences = map[string]sentence{
	"format.ok": {
		"Bentuk tanda tangan dapat dibaca.",
		"The form of the signature can be read.",
	},
	"format.broken": {
		"Tanda tangan rusak, sehingga tidak dapat dibaca.",
		"The signature is damaged and cannot be read.",
	},
	"format.content": {
		"Tanda tangan memuat isi tersendiri, yang tidak diperbolehkan dalam bentuk {form}.",
		"The signature contains content, which the form {form} does not allow.",
	},
	"format.signers": {
		"Wadahnya memuat {count} penanda tangan; hanya boleh satu.",
		"The container has {count} signers; only one is allowed.",
	},
	"coverage.whole": {
		"Tanda tangan mencakup {length} byte, dari awal berkas sampai akhir revisi {revision}.",
		"The signature covers {length} bytes, from the beginning of the file to the end of revision {revision}.",
	},
	"coverage.broken": {
		"Tanda tangan tidak mencakup seluruh berkas: {said}.",
		"The signature does not cover the file as a whole: {said}.",
	},
	"digest.ok": {
		"Isi yang ditandatangani tidak berubah.",
		"The signed content has not changed.",
	},
	"digest.differs": {
		"Isi yang ditandatangani telah berubah.",
		"The signed content has changed.",
	},
	"digest.unknown": {
		"Isi yang ditandatangani tidak dapat diperiksa.",
		"The signed content cannot be checked.",
	},
	"signature.ok": {
		"Tanda tangan ini benar dibuat dengan kunci penanda tangan.",
		"The signature was made with the signer's key.",
	},
	"format.trailing": {
		"Ruang yang disediakan untuk tanda tangan memuat data lain yang tidak ikut ditandatangani.",
		"The space reserved for the signature contains other data, which is not signed.",
	},
	"format.attributes": {
		"Keterangan di dalam tanda tangan tidak lengkap atau saling bertentangan.",
		"The signed attributes are incomplete or contradict each other.",
	},
	"signature.differs": {
		"Tanda tangan tidak cocok dengan kunci penanda tangan: dibuat dengan kunci lain, atau diubah.",
		"The signature does not match the signer's key: it was made with another key, or changed.",
	},
	"signature.algorithm": {
		"Algoritma tanda tangan tidak dikenal, sehingga tanda tangan tidak dapat diperiksa.",
		"The signature algorithm is unknown, so the signature cannot be checked.",
	},
	"later.none": {
		"Tidak ada yang ditambahkan sesudah tanda tangan ini.",
		"Nothing was added after this signature.",
	},
	"later.changed": {
		"Revisi {revision} mengubah sesuatu yang tidak boleh diubah sesudah tanda tangan ini.",
		"Revision {revision} makes a change that is not allowed after this signature.",
	},
	"later.unknown": {
		"Perubahan sesudah tanda tangan tidak dapat dinilai.",
		"The changes after the signature cannot be checked.",
	},
	"later.covers": {
		"Isi yang ditambahkan revisi {revision} menutupi atau menggantikan isi halaman {page} yang ditandatangani ({where}): bandingkan dengan {length} byte pertama berkas, yaitu keadaannya pada saat ditandatangani.",
		"Content added by revision {revision} covers or replaces signed content on page {page} ({where}): compare it with the first {length} bytes of the file, its state when it was signed.",
	},
	"claim.time": {
		"Waktu yang dinyatakan penanda tangan: {time}.",
		"Claimed time: {time}.",
	},
}

// summarySentences sum up a signature, a stamp, a file.
var summarySentences = map[string]sentence{
	"file.removed": {
		"Layanan ini pernah menyimpan berkas yang persis sama dan menghapusnya pada {at}, karena masa simpannya berakhir.",
		"This service had exactly this file, and removed it at {at}, when its retention period ended."},
	"file.none": {
		"Berkas ini tidak memuat tanda tangan.",
		"This file has no signature.",
	},
	"file.passed": {
		"Semua {kind} ({count}) sah dan dipercaya; {integrity}.",
		"All {kind} ({count}) are valid and trusted; {integrity}.",
	},
	"file.passed_unverified": {
		"Semua {kind} ({count}) sah; {unverified} di antaranya tanpa identitas yang terverifikasi; {integrity}.",
		"All {kind} ({count}) are valid; for {unverified} of them no verified identity is known; {integrity}.",
	},
	"file.changed": {
		"Berkas telah diubah sesudah ditandatangani. Jangan mengandalkannya.",
		"The file was changed after it was signed. Do not rely on it.",
	},
	"file.failed": {
		"{bad} dari {count} {kind} tidak sah.",
		"{bad} of {count} {kind} are not valid.",
	},
	"file.failed_alone": {
		"Satu-satunya tanda tangan tidak sah.",
		"The only signature is not valid.",
	},
	"file.indeterminate_alone": {
		"Keabsahan satu-satunya tanda tangan tidak dapat dipastikan; {integrity}.",
		"The validity of the only signature cannot be determined; {integrity}.",
	},
	"file.indeterminate": {
		"Keabsahan {bad} dari {count} {kind} tidak dapat dipastikan; {integrity}.",
		"The validity of {bad} of {count} {kind} cannot be determined; {integrity}.",
	},
	"signature.passed": {
		"Ditandatangani oleh {signer}; sah dan dipercaya; {integrity}.",
		"Signed by {signer}; valid and trusted; {integrity}.",
	},
	"signature.passed_unverified": {
		"Ditandatangani oleh “{signer}”. Identitas: {identity}. Tanda tangannya sah; {integrity}.",
		"Signed by “{signer}”. Identity: {identity}. The signature is valid; {integrity}.",
	},
	"signature.indeterminate": {
		"Ditandatangani oleh {signer}; keabsahannya tidak dapat dipastikan ({sub}); {integrity}.",
		"Signed by {signer}; its validity cannot be determined ({sub}); {integrity}.",
	},
	"signature.failed": {
		"Tanda tangan {signer} tidak sah ({sub}); {integrity}.",
		"The signature of {signer} is not valid ({sub}); {integrity}.",
	},
	"timestamp.passed": {
		"Stempel waktu dokumen {time} oleh {signer}; sah dan dipercaya; {integrity}.",
		"Document timestamp of {time} by {signer}; valid and trusted; {integrity}.",
	},
	"timestamp.indeterminate": {
		"Stempel waktu dokumen {time} oleh {signer}; keabsahannya tidak dapat dipastikan ({sub}); {integrity}.",
		"Document timestamp of {time} by {signer}; its validity cannot be determined ({sub}); {integrity}.",
	},
	"timestamp.failed": {
		"Stempel waktu dokumen oleh {signer} tidak sah ({sub}); {integrity}.",
		"The document timestamp by {signer} is not valid ({sub}); {integrity}.",
	},
	"stamp.genuine": {
		"Meterai elektronik {serial} dari {office}, halaman {page}.",
		"Duty stamp {serial} of {office}, page {page}.",
	},
	"stamp.specimen": {
		"SPESIMEN: meterai contoh {serial} tanpa nilai hukum, halaman {page}.",
		"SPESIMEN: specimen stamp {serial} without legal value, page {page}.",
	},
	"stamp.unproved": {
		"Tampak sebagai meterai elektronik {serial}, halaman {page}, tetapi keabsahan tanda tangannya tidak dapat dipastikan.",
		"It looks like duty stamp {serial}, page {page}, but its signature has not passed.",
	},
	"stamp.unknown_office": {
		"Tampak sebagai meterai elektronik {serial}, halaman {page}, ditandatangani oleh {office}; belum dapat dipastikan apakah pihak itu penerbit meterai.",
		"It looks like duty stamp {serial}, page {page}, signed by {office}; whether that is the office that issues stamps is unknown.",
	},
	"stamp.twice": {
		"Nomor seri {serial} terdapat lebih dari sekali dalam berkas ini.",
		"The serial {serial} occurs more than once in this file.",
	},
	"stamp.altered": {
		"Berkas ini salinan dokumen yang dibubuhi {serial}, tetapi isinya telah diubah.",
		"This file is a changed copy of the document that {serial} was affixed to.",
	},
	"stamp.elsewhere": {
		"Nomor seri {serial} juga dibubuhkan pada dokumen lain.",
		"The serial {serial} was also affixed to another document.",
	},
}

// kindSentences name what a sentence about the file counts.
var kindSentences = map[string]sentence{
	"signatures": {"tanda tangan", "signatures"},
	"both":       {"tanda tangan dan stempel waktu", "signatures and timestamps"},
}

// integritySentences are about integrity within a sentence.
var integritySentences = map[validate.Integrity]sentence{
	validate.Intact:          {"isinya utuh", "the content is intact"},
	validate.IntactLater:     {"isinya utuh, ada tambahan sesudahnya yang dibolehkan", "the content is intact, with later changes that are allowed"},
	validate.CannotBeJudged:  {"keutuhan isinya tidak dapat dinilai", "whether the content is intact cannot be determined"},
	validate.ChangedAfter:    {"isinya diubah sesudah ditandatangani", "the content was changed after signing"},
	validate.NothingIsSigned: {"tidak ada yang ditandatangani", "nothing is signed"},
}

// coveredSentence is about integrity if something allowed covers signed content.
var coveredSentence = sentence{
	"isinya utuh, tetapi tambahan sesudahnya, yang memang dibolehkan, menutupi atau menggantikan isi halaman {pages}",
	"the content is intact, but later additions, which are allowed, cover or replace what page {pages} shows",
}

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
			s.en + "[ (page {pages})][: it shows “{shown}” and contains “{says}”][: “{what}”].",
		}
	}
	return findings
}

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
	"change.unanswered":           {"tampilan kolom yang tanda tangannya tidak sah, sehingga tidak ada penanda tangan yang bertanggung jawab: {where}", "the appearance of a field whose signature is not valid, so no signer is responsible for it: {where}"},
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
		"Terdapat byte setelah akhir berkas.",
		"There are bytes after the end of the file.",
	},
	"warning.junk_before": {
		"Terdapat byte sebelum awal berkas.",
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
