package text

import (
	"fmt"
	"maps"
)

// sentences holds all sentences. Each file of the catalogue has one kind of them.
var sentences = mergeCatalogues(general, requests, people, documents, files, findings, messages, labels, events, filings, administration, reconciliations, revocations, identities, mails, phones, keys, providers, organisations, factors, embeddings, teams, templates, retentions)

// mergeCatalogues panics if two parts have the same code, which is a mistake of the program.
func mergeCatalogues(parts ...map[string]sentence) map[string]sentence {
	all := map[string]sentence{}
	for _, p := range parts {
		for code := range p {
			if _, twice := all[code]; twice {
				panic(fmt.Sprintf("two sentences for %s", code))
			}
		}
		maps.Copy(all, p)
	}
	return all
}

var general = map[string]sentence{
	"unknown": {
		"Permintaan ini tidak dapat dipenuhi ({code}).",
		"This request could not be completed ({code})."},
	"server.error": {
		"Terjadi kesalahan pada sistem kami. Silakan coba lagi; bila masalah berlanjut, sampaikan nomor permintaan ini kepada administrator.",
		"Something went wrong on our side. Please try again. If the problem persists, give this request number to your administrator."},
	"server.unavailable": {
		"Layanan sedang sibuk atau belum siap. Silakan coba beberapa saat lagi.",
		"The service is busy or not ready yet. Please try again in a moment."},
	"server.clock": {
		"Jam layanan sedang diperiksa, sehingga untuk sementara tidak ada dokumen yang dapat ditandatangani. Silakan coba lagi nanti; bila masalah berlanjut, hubungi administrator Anda.",
		"The clock of this service is being checked, so nothing can be signed for now. Please try again later. If the problem persists, contact your administrator."},
	"server.disk_full": {
		"Ruang penyimpanan layanan hampir habis, sehingga untuk sementara tidak ada berkas baru yang dapat diterima. Silakan coba lagi nanti; bila masalah berlanjut, hubungi administrator Anda.",
		"The service is running out of disk space, so no new files can be accepted for now. Please try again later. If the problem persists, contact your administrator."},
	"server.timeout": {
		"Permintaan ini memakan waktu terlalu lama. Silakan coba lagi.",
		"This request took too long. Please try again."},
	"rate.limited": {
		"Terlalu banyak percobaan. Silakan coba lagi[ dalam {retry_after|duration}].",
		"Too many attempts. Please try again[ in {retry_after|duration}]."},
	"quota.insufficient": {
		"Kuota organisasi Anda tidak mencukupi untuk seluruh e-meterai dan tanda tangan pada dokumen ini. Belum ada kuota yang terpakai.",
		"Your organisation does not have enough quota for all stamps and signatures of this document. No quota has been used."},
	"storage.too_many_drafts": {
		"Organisasi Anda sudah memiliki {limit} draf, yaitu jumlah maksimum. Hapus atau selesaikan draf yang ada sebelum mengunggah dokumen baru.",
		"Your organisation already has {limit} drafts, which is the maximum. Delete or finalize some of them before you upload another document."},
	"storage.full": {
		"Ruang penyimpanan organisasi Anda tidak mencukupi untuk dokumen ini; batasnya {limit|size} untuk seluruh dokumen. Hapus draf yang tidak diperlukan atau hubungi administrator Anda.",
		"Your organisation does not have enough storage for this document; the limit is {limit|size} for all documents. Delete drafts that you do not need, or contact your administrator."},
	"idempotency.conflict": {
		"Idempotency-Key ini sudah digunakan untuk permintaan lain dengan isi yang berbeda.",
		"This Idempotency-Key was already used for a request with a different body."},
	"idempotency.running": {
		"Permintaan dengan Idempotency-Key ini masih diproses. Silakan coba beberapa saat lagi.",
		"The request with this Idempotency-Key is still being processed. Please try again in a moment."},
	"idempotency.malformed": {
		"Idempotency-Key harus terdiri atas 1 sampai {limit} karakter ASCII yang dapat dicetak.",
		"An Idempotency-Key must be 1 to {limit} printable ASCII characters."},
}

var requests = map[string]sentence{
	"path.not_found": {
		"Alamat ini tidak ditemukan.",
		"There is nothing at this address."},
	"method.not_allowed": {
		"Metode ini tidak berlaku untuk alamat ini.[ Metode yang berlaku: {allow}.]",
		"This method is not allowed at this address.[ Allowed: {allow}.]"},
	"body.too_large": {
		"Isi permintaan terlalu besar.[ Batasnya {limit|size}.]",
		"The request body is too large.[ The limit is {limit|size}.]"},
	"body.incomplete": {
		"Pengiriman isi permintaan terputus sebelum selesai. Silakan kirim kembali.",
		"The request body was cut off before it was complete. Please send it again."},
	"input.malformed": {
		"Isi permintaan tidak dapat dibaca sebagai JSON.[ {detail}]",
		"The request body cannot be read as JSON.[ {detail}]"},
	"input.not_multipart": {
		"Isi permintaan tidak dapat dibaca sebagai multipart/form-data.",
		"The request body cannot be read as multipart/form-data."},
	"input.invalid": {
		"Beberapa isian tidak benar. Silakan periksa kembali.",
		"Some of the input is not correct. Please check it."},
	"serial.not_found": {
		"Nomor seri ini tidak dibubuhkan melalui layanan ini.",
		"This serial number was not affixed by this service."},
	"serial.affixed": {
		"Meterai elektronik dengan nomor seri ini dibubuhkan melalui layanan ini.",
		"A duty stamp with this serial number was affixed by this service."},
	"serial.specimen": {
		"SPESIMEN: contoh meterai tanpa nilai hukum, dibubuhkan melalui layanan ini.",
		"SPESIMEN: a sample stamp without legal value, affixed by this service."},
	"range.unsatisfiable": {
		"Rentang yang diminta berada di luar berkas.",
		"The requested range lies outside the file."},
	"origin.refused": {
		"Permintaan ini berasal dari situs lain dan tidak diterima dengan sesi peramban.",
		"This request comes from another site and is not accepted with a browser session."},

	"value.required":     {"Wajib diisi.", "This field is required."},
	"value.malformed":    {"Isian ini tidak dapat dibaca.", "This value cannot be read."},
	"value.not_integer":  {"Harus berupa bilangan bulat.", "This must be a whole number."},
	"value.not_number":   {"Harus berupa angka.", "This must be a number."},
	"value.not_flag":     {"Harus berupa 0 atau 1.", "This must be 0 or 1."},
	"value.not_string":   {"Harus berupa teks.", "This must be text."},
	"value.not_list":     {"Harus berupa daftar.", "This must be a list."},
	"value.not_object":   {"Harus berupa objek.", "This must be an object."},
	"value.out_of_range": {"Harus antara {min} dan {max}.", "This must be between {min} and {max}."},
	"value.not_one_of":   {"Harus salah satu dari: {allowed}.", "This must be one of: {allowed}."},
	"value.not_time":     {"Harus berupa waktu ISO 8601, misalnya 2026-01-31T17:00:00Z.", "This must be an ISO 8601 time such as 2026-01-31T17:00:00Z."},
	"value.not_base64":   {"Bukan Base64 yang sah.", "This is not valid Base64."},
	"value.not_hex":      {"Harus berupa SHA-256 dalam 64 digit heksadesimal.", "This must be a SHA-256 digest in 64 hexadecimal digits."},
	"value.duplicate":    {"Isian ini diberikan lebih dari satu kali.", "This member is given more than once."},
	"value.too_many_members": {
		"Objek ini memiliki terlalu banyak isian; paling banyak {limit}.",
		"This object has too many members; at most {limit}."},
	"value.too_many": {"Terlalu banyak isian; paling banyak {limit}.", "Too many entries; at most {limit}."},

	"text.missing":  {"Wajib diisi.", "This field is required."},
	"text.too_long": {"Terlalu panjang; paling banyak {limit} karakter.", "Too long; at most {limit} characters."},
	"text.not_utf8": {"Harus berupa teks UTF-8.", "This must be UTF-8 text."},

	"time.not_future":     {"Waktu harus berada di masa depan.", "The time must be in the future."},
	"number.not_in_range": {"Isilah dengan angka dari {least} sampai {most}.", "Enter a number from {least} to {most}."},
	"number.not_positive": {"Nomor urut dimulai dari 1.", "Numbers start at 1."},
	"email.malformed":     {"Alamat e-mail ini tidak valid; gunakan format nama@contoh.id.", "This is not a valid e-mail address. Write it as name@example.com."},
	"email.local_not_ascii": {
		"Bagian alamat e-mail sebelum @ hanya boleh berisi huruf Latin tanpa aksen, angka, dan tanda baca yang lazim.",
		"The part of an e-mail address before the @ may only contain unaccented Latin letters, digits and the usual punctuation."},
}
