package text

// embeddings holds sentences about embedded pages.
var embeddings = map[string]sentence{
	"embed.purpose": {
		"Halaman ini hanya untuk satu dokumen dan satu keperluan. Tindakan ini tidak termasuk di dalamnya.",
		"This page is for one document and one purpose, which does not include this."},
	"embed.address_invalid": {"Alamat ini tidak dikenal. Mintalah alamat baru.", "This address is unknown. Ask for a new one."},
	"embed.address_used": {
		"Alamat ini sudah pernah dibuka. Muat ulang halaman yang menampilkannya untuk mendapatkan alamat baru.",
		"This address was opened before. Load the page around it again to get a new one."},
	"embed.address_expired": {
		"Alamat ini tidak dibuka pada waktunya dan sudah kedaluwarsa. Muat ulang halaman yang menampilkannya untuk mendapatkan alamat baru.",
		"This address was not opened in time and has expired. Load the page around it again to get a new one."},
	"embed.address_ended": {
		"Alamat ini tidak berlaku lagi, karena pihak yang memintanya atau orang yang dituju tidak dapat menggunakannya lagi.",
		"This address is not valid any more, because the person who requested it, or the person it is for, may no longer use it."},
	"embed.origin": {
		"Alamat ini tidak boleh dibuka pada halaman dari asal tersebut.",
		"This address may not be opened in a page of that origin."},
	"embed.no_origins": {
		"Organisasi belum mencantumkan asal halaman yang boleh menampilkan dokumennya. Administrator dapat mencantumkannya.",
		"The organisation lists no origin whose pages may show its documents. An administrator can list some."},
	"embed.proof_required": {
		"Buktikan identitas Anda dengan kata sandi untuk tindakan ini.",
		"Prove who you are with your password to do this."},
	"embed.password_wrong": {
		"Kata sandi tidak benar, atau organisasi Anda tidak menerimanya. Anda juga dapat masuk ke Segel dan menandatangani di sana.",
		"The password is wrong, or your organisation does not accept it. You can also log in to Segel and sign there."},
	"embed.no_person": {
		"Orang ini tidak memiliki bagian dalam dokumen yang sesuai dengan keperluan tersebut.",
		"The person has no part in the document that fits the purpose."},
	"embed.origin_unlisted": {
		"Asal ini tidak tercantum pada organisasi.",
		"The organisation does not list this origin."},
	"embed.bad_origin": {
		"Asal harus ditulis sebagai https://host atau https://host:port, tanpa jalur; http hanya untuk host privat.",
		"An origin must be written as https://host or https://host:port, without a path; http only for private hosts."},

	"done.embed":     {"Alamat halaman tertanam telah dibuat. Alamat ini hanya dapat dibuka satu kali.", "The address of the embedded page has been created. It can be opened only once."},
	"done.embedding": {"Asal halaman yang boleh menampilkan dokumen telah disimpan.", "The origins whose pages may show documents have been saved."},

	"event.embed_requested": {
		"Meminta alamat halaman tertanam[ untuk {name}][, keperluan: {purpose_name}][, pada {origins}]; alamat e-mail dan nomor telepon tidak diverifikasi",
		"Asked for an address of an embedded page[ for {name}][, to {purpose_name}][, in {origins}]; neither mailbox nor phone number was verified"},
	"event.embed_opened": {"Membuka halaman tertanam[, keperluan: {purpose_name}]", "Opened an embedded page[ to {purpose_name}]"},
	"event.in_page":      {"{what}, di halaman {origin}, dengan alamat yang diminta oleh {by}[ dengan kunci API {key_name}]", "{what}, in a page of {origin}, with an address that {by} asked for[ with API key {key_name}]"},
	"event.embedding_changed": {
		"Mengubah asal halaman yang boleh menampilkan dokumen organisasi[ menjadi {origins}]",
		"Changed whose pages may show the organisation's documents[ to {origins}]"},
	"purpose.place": {"menempatkan kotak", "place boxes"},
	"purpose.sign":  {"menandatangani", "sign"},
	"purpose.view":  {"membaca", "read"},
}
