package text

var people = map[string]sentence{
	"auth.required": {
		"Silakan masuk terlebih dahulu: token tidak ada, tidak dikenal, atau sudah kedaluwarsa.",
		"Please log in first: the token is missing, unknown or expired."},
	"auth.not_allowed": {
		"Anda tidak berwenang melakukan tindakan ini.",
		"You are not allowed to do this."},
	"account.role": {
		"Peran Anda dalam organisasi ini tidak mencakup tindakan ini. Hubungi administrator organisasi.",
		"Your role in this organisation does not include this. Ask an administrator of the organisation."},
	"auth.choose_password": {
		"Kata sandi Anda dibuat oleh administrator. Silakan buat kata sandi Anda sendiri terlebih dahulu.",
		"Your password was set by an administrator. Please choose your own password first."},
	"auth.wrong_credentials": {
		"Alamat e-mail atau kata sandi salah.",
		"The e-mail address or the password is wrong."},
	"event.account_notice_sent":    {"Mengirim pesan tentang akun[ ke {address}]", "Sent a message about the account[ to {address}]"},
	"event.account_notice_refused": {"Pesan tentang akun[ ke {address}] tidak tersampaikan[; {reason}]", "A message about the account[ to {address}] was not delivered[; {reason}]"},
	"event.account_notice_shown":   {"Membuka pesan tentang akun[ untuk {address}] agar dapat diteruskan", "Opened a message about the account[ for {address}] to pass it on"},
	"done.session_ended":           {"Sesi telah diakhiri.", "The session has ended."},
	"done.sessions_ended":          {"Semua sesi lain telah diakhiri.", "All other sessions have ended."},
	"auth.session_not_found":       {"Sesi tidak ditemukan.", "The session was not found."},
	"auth.reset_link_invalid": {
		"Tautan ini sudah digunakan, kedaluwarsa, atau tidak berlaku lagi. Mintalah tautan baru.",
		"This link was used, has expired or is no longer valid. Ask for another one."},
	"auth.refresh_invalid": {
		"Sesi Anda sudah berakhir. Silakan masuk kembali.",
		"Your session has ended. Please log in again."},
	"guest.link_invalid": {
		"Tautan ini tidak berlaku atau sudah diganti. Silakan minta tautan baru kepada pemilik dokumen.",
		"This link is not valid or has been replaced. Please ask the owner of the document for a new one."},
	"guest.link_replaced": {
		"Tautan ini sudah digantikan oleh tautan yang lebih baru. Silakan gunakan tautan terbaru, atau mintalah kepada pemilik dokumen.",
		"This link was replaced by a newer one. Please use the newest link, or ask the owner of the document for it."},
	"guest.link_revoked": {
		"Tautan ini sudah dicabut oleh pemilik dokumen. Silakan hubungi pemilik dokumen.",
		"The owner of the document revoked this link. Please contact the owner of the document."},
	"guest.link_expired": {
		"Tautan ini sudah kedaluwarsa karena dokumennya telah lama berakhir. Silakan hubungi pemilik dokumen.",
		"This link has expired, because its document ended some time ago. Please contact the owner of the document."},
	"guest.not_found": {
		"Orang ini bukan tamu pada dokumen ini.",
		"This person is not a guest on this document."},
	"evidence.addresses_hidden": {
		"Dokumen ini menyembunyikan alamat para pihak. Sertifikat bukti memuat alamat lengkap, sehingga hanya tersedia bagi pengirim. Silakan hubungi pengirim.",
		"This document hides the addresses of its people. The evidence certificate has them in full, so only the sender can download it. Please ask the sender."},
	"delegation.off": {
		"Pengirim dokumen tidak mengizinkan penandatanganan dialihkan.",
		"The sender of the document does not allow signatures to be passed to other people."},
	"delegation.once": {
		"Penandatanganan ini sudah dialihkan kepada Anda dan tidak dapat dialihkan lagi.",
		"This signature was passed to you, and cannot be passed on again."},
	"guest.code_required": {
		"Masukkan terlebih dahulu kode yang dikirim kepada Anda.",
		"Please enter the code that is sent to you first."},
	"guest.code_too_soon": {
		"Kode baru dapat diminta kembali dalam {seconds} detik.",
		"You can ask for another code in {seconds} seconds."},
	"guest.code_wrong": {
		"Kode salah. Sisa percobaan: {left}.",
		"The code is wrong. Tries left: {left}."},
	"guest.code_ended": {
		"Kode ini tidak berlaku lagi. Silakan minta kode baru.",
		"This code is no longer valid. Please ask for a new one."},
	"account.not_offered": {
		"Layanan ini tidak menyediakan pembuatan akun bagi tamu.",
		"This service does not offer accounts to guests."},
	"account.mailbox_has_one": {
		"Alamat e-mail ini sudah memiliki akun. Silakan masuk dengan akun tersebut.",
		"This e-mail address has an account already. Please log in with it."},
	"guest.no_mailbox": {
		"Kode tidak dapat dikirim melalui surat elektronik. Silakan hubungi pemilik dokumen.",
		"A code cannot be sent by e-mail. Please contact the owner of the document."},
	"guest.no_phone": {
		"Kode tidak dapat dikirim ke nomor telepon. Silakan hubungi pemilik dokumen.",
		"A code cannot be sent to a phone number. Please contact the owner of the document."},
	"phone.missing": {
		"Nomor telepon diperlukan untuk saluran ini.",
		"A phone number is required for this channel."},
	"phone.malformed": {
		"Tulis nomor telepon dengan kode negara, seperti +628123456789.",
		"Write the phone number with its country code, such as +628123456789."},
	"channel.not_configured": {
		"Layanan ini tidak dapat mengirim pesan melalui saluran tersebut.",
		"This service cannot send messages by this channel."},
	"guest.only": {
		"Kode hanya dikirim kepada tamu pada dokumen ini.",
		"Codes are sent to guests on the document only."},
	"guest.acted": {
		"Orang ini sudah menandatangani atau melihat dokumen, sehingga datanya tidak dapat diubah.",
		"This person has already signed or viewed the document, so their data cannot be changed."},
	"guest.has_account": {
		"Alamat e-mail ini memiliki akun di organisasi Anda. Batalkan dokumen, lalu perbaiki dan kirim ulang.",
		"This address has an account in your organisation. Cancel the document, then correct and resend it."},
	"user.exists": {
		"Alamat e-mail {email} sudah memiliki akun di organisasi ini.",
		"The e-mail address {email} already has an account in this organisation."},
	"user.several": {
		"Alamat e-mail {email} memiliki akun di beberapa organisasi: {organisations}. Sebutkan salah satunya dengan --org.",
		"The e-mail address {email} has accounts in several organisations: {organisations}. Name one of them with --org."},
	"user.not_found": {
		"Pengguna tidak ditemukan[: {email}].",
		"The user was not found[: {email}]."},
	"organisation.none": {
		"Belum ada organisasi. Jalankan layanan satu kali, atau sebutkan nama organisasi.",
		"There is no organisation yet. Start the service once, or name one."},
	"password.too_short": {
		"Kata sandi paling sedikit terdiri atas {limit} karakter.",
		"A password must have at least {limit} characters."},
	"password.too_long": {
		"Kata sandi paling panjang {limit} byte.",
		"A password may have at most {limit} bytes."},
	"password.common": {
		"Kata sandi ini terlalu umum sehingga mudah ditebak. Gunakan kata sandi lain, misalnya beberapa kata yang tidak saling berkaitan.",
		"This password is very common and easy to guess. Use another one, such as several unrelated words."},
	"password.repetitive": {
		"Kata sandi ini hanya berisi pengulangan atau urutan karakter. Gunakan kata sandi lain, misalnya beberapa kata yang tidak saling berkaitan.",
		"This password only repeats characters or lists them in sequence. Use another one, such as several unrelated words."},
	"password.personal": {
		"Kata sandi ini terlalu mirip dengan nama, alamat e-mail, atau organisasi Anda. Gunakan kata sandi lain, misalnya beberapa kata yang tidak saling berkaitan.",
		"This password is too similar to your name, e-mail address or organisation. Use another one, such as several unrelated words."},
	"password.wrong": {
		"Kata sandi saat ini yang Anda masukkan salah.",
		"This is not your current password."},
	"password.same": {
		"Kata sandi baru harus berbeda dari kata sandi saat ini, tidak cukup dengan tambahan karakter atau perubahan huruf kapital.",
		"The new password must differ from the current one by more than added characters or capital letters."},
	"consent.required": {
		"Organisasi pengirim mewajibkan persetujuan atas teks persetujuan sebelum menandatangani. Setujui versi yang berlaku, lalu tanda tangani.",
		"The sender's organisation requires that you accept its consent text before you sign. Accept the current version, then sign."},
	"consent.text_changed": {
		"Teks persetujuan telah berubah. Baca versi yang berlaku, lalu setujui kembali.",
		"The consent text has changed. Read the current version and accept it again."},
	"consent.document_twice": {
		"Dokumen ini tercantum lebih dari satu kali dalam daftar. Cantumkan setiap dokumen satu kali saja.",
		"This document is listed more than once. List each document only once."},
	"consent.not_covered": {
		"Persetujuan Anda tidak mencakup revisi dokumen ini. Baca revisi terbaru, lalu berikan persetujuan kembali.",
		"Your consent does not cover this revision of the document. Read the current revision and consent again."},
	"specimen.none": {
		"Anda belum menyimpan gambar tanda tangan.",
		"You have not saved a picture of your signature."},
	"specimen.not_picture": {
		"Gambar tanda tangan harus berupa berkas PNG atau JPEG yang utuh.",
		"The picture of the signature must be an intact PNG or JPEG file."},
	"specimen.too_large": {
		"Ukuran gambar tanda tangan terlalu besar; maksimum {limit|size}.",
		"The picture of the signature is too large; the limit is {limit|size}."},
	"specimen.too_many_pixels": {
		"Gambar tanda tangan terlalu besar; maksimum {side} piksel per sisi dan {pixels} piksel secara keseluruhan.",
		"The picture of the signature is too large; at most {side} pixels per side and {pixels} pixels in total are allowed."},
	"specimen.no_strokes": {
		"Tidak ada tanda tangan yang terlihat pada gambar ini. Gunakan gambar tanda tangan dengan tinta gelap di atas latar terang.",
		"No signature is visible in this picture. Use a picture of your signature in dark ink on a light background."},
	"specimen.too_dark": {
		"Gambar ini menutupi lebih dari {percent} % kotaknya sehingga isi dokumen di bawahnya tidak akan terbaca. Gunakan gambar tanda tangan di atas latar terang.",
		"This picture covers more than {percent} % of its box, which would make the content below it unreadable. Use a picture of your signature on a light background."},

	"role.unknown": {
		"Peran harus signer (penanda tangan), viewer (pembaca), approver (penyetuju), witness (saksi), atau copy (penerima tembusan).",
		"The role must be signer, viewer, approver, witness or copy."},
	"capacity.other_role": {
		"acts_as tidak sesuai dengan peran orang ini.",
		"acts_as does not agree with the role of this person."},
	"group.out_of_range": {
		"Kelompok harus berupa bilangan bulat dari 1 sampai {limit}.",
		"The group must be a whole number from 1 to {limit}."},
	"group.viewer": {
		"Hanya penanda tangan, saksi, dan penyetuju yang dapat menjadi anggota kelompok.",
		"Only signers, witnesses and approvers can be members of a group."},
	"group.differs": {
		"Semua anggota kelompok harus memiliki peran dan nomor urut yang sama.",
		"All members of a group need the same role and number."},
	"participant.twice": {
		"Orang ini tercantum lebih dari satu kali.",
		"This person is listed more than once."},
	"participant.unknown": {
		"Orang ini bukan peserta dokumen.",
		"This person is not a participant of the document."},
	"participants.too_many": {
		"Jumlah peserta terlalu banyak; maksimum {limit} orang.",
		"There are too many participants; at most {limit} are allowed."},
}

// identities say what was verified about a signer, how and by whom. They follow the word "identity".
var identities = map[string]sentence{
	"identity.guest_unverified": {
		"tidak diverifikasi; dicantumkan oleh {named_by} dari {organisation}",
		"not verified; named by {named_by} of {organisation}"},
	"identity.guest_mailbox_code": {
		"tidak diverifikasi; alamat e-mail {mailbox} diverifikasi dengan kode; nama dicantumkan oleh {named_by} dari {organisation}",
		"not verified; the mailbox {mailbox} was verified with a code; named by {named_by} of {organisation}"},
	"identity.guest_phone_code": {
		"tidak diverifikasi; nomor telepon {phone} diverifikasi dengan kode; nama dicantumkan oleh {named_by} dari {organisation}",
		"not verified; the phone number {phone} was verified with a code; named by {named_by} of {organisation}"},
	"identity.account_password": {
		"akun yang diberikan oleh administrator {organisation}; kata sandi",
		"an account given by an administrator of {organisation}; password"},
	"identity.organisation_seal": {
		"segel {organisation}, organisasi sebagaimana dicatat oleh operator layanan",
		"the seal of {organisation}, an organisation as the operator of the service entered it"},
	"identity.specimen": {
		"SPESIMEN tanpa nilai hukum, dari sandbox layanan",
		"SPECIMEN without legal value, by the sandbox of the service"},
	"identity.earlier_guest": {
		"sertifikat tamu atau sertifikat terdahulu: apa yang diverifikasi tidak tercatat",
		"guest or earlier certificate: what was verified is not recorded"},
	"identity.earlier_member": {
		"akun atau segel {organisation}, dengan sertifikat terdahulu yang tidak mencatat apa yang diverifikasi",
		"an account or the seal of {organisation}, with an earlier certificate that does not record what was verified"},
}
