package text

// administration holds sentences for administrators.
var administration = map[string]sentence{
	"done.account_created":  {"Akun telah dibuat. Masuklah dengan alamat e-mail Anda; dokumen yang mencantumkan alamat ini ada di kotak masuk.", "The account has been created. Log in with your e-mail address; the documents that name it are in the inbox."},
	"done.person_added":     {"Akun telah dibuat. Kata sandi pertama hanya ditampilkan satu kali ini.", "The account has been created. Its first password is shown only this once."},
	"done.password_reset":   {"Kata sandi baru telah dibuat dan hanya ditampilkan satu kali ini. Semua sesi orang tersebut telah diakhiri.", "A new password has been set and is shown only this once. All sessions of the person have ended."},
	"done.transferred":      {"Dokumen telah dialihkan.", "The documents have been transferred."},
	"done.person_disabled":  {"Akun telah dinonaktifkan dan semua sesinya telah diakhiri.", "The account has been disabled, and all its sessions have ended."},
	"done.person_enabled":   {"Akun telah diaktifkan kembali.", "The account has been enabled again."},
	"done.erased":           {"Data orang ini dihapus. Yang tersisa diselesaikan oleh layanan.", "The data of the person are being erased. The service finishes what is left."},
	"done.erased_own":       {"Akun dan data Anda telah dihapus.", "Your account and your data have been erased."},
	"done.erased_guest":     {"Data yang tersimpan dengan alamat atau nomor ini dihapus, kecuali yang menjadi bukti.", "What is stored with this address or number is erased, except where it is evidence."},
	"done.role_changed":     {"Peran telah diubah dan berlaku mulai sekarang.", "The role has been changed and is in effect now."},
	"done.person_renamed":   {"Nama telah diubah. Yang sudah ditandatangani tetap memuat nama sebelumnya.", "The name has been changed. What was signed before keeps the former name."},
	"done.quota_granted":    {"Kuota telah dicatat.", "The quota has been recorded."},
	"done.reconciled":       {"Rekonsiliasi telah selesai.", "The reconciliation is complete."},
	"done.mail_retried":     {"Pesan akan dikirim kembali.", "The message will be sent again."},
	"done.retried":          {"Dokumen diproses kembali.", "The document is being processed again."},
	"done.branding":         {"Identitas organisasi telah disimpan.", "The organisation's branding has been saved."},
	"done.consent":          {"Teks persetujuan telah disimpan.", "The consent text has been saved."},
	"done.locale":           {"Bahasa dan zona waktu organisasi telah disimpan.", "The organisation's language and time zone have been saved."},
	"locale.unknown_zone":   {"Zona waktu ini tidak dikenal. Contoh: Asia/Makassar.", "This time zone is unknown. Example: Asia/Makassar."},
	"done.reminders":        {"Jadwal pengingat organisasi telah disimpan.", "The organisation's reminders have been saved."},
	"done.account_policy":   {"Kebijakan akun organisasi telah disimpan.", "The organisation's policy for accounts has been saved."},
	"done.branding_deleted": {"Logo dan warna organisasi telah dihapus.", "The organisation's logo and colour have been removed."},

	"clock.unconfirmed": {
		"Peristiwa terakhir tercatat {by|duration} di depan jam layanan: jam layanan sekarang terlambat, atau sebelumnya terlalu cepat. Tidak ada dokumen yang ditandatangani sampai jam tersebut diperbaiki atau operator memastikannya dengan segel clock confirm.",
		"The last event was recorded {by|duration} ahead of the service's clock: either the clock is slow now, or it was fast then. Nothing is signed until the clock is corrected or an operator confirms it with segel clock confirm."},
	"clock.database": {
		"Jam layanan dan jam basis data berbeda {by|duration}. Tidak ada dokumen yang ditandatangani sampai jam yang salah diperbaiki.",
		"The clocks of the service and of the database differ by {by|duration}. Nothing is signed until the wrong one is corrected."},
	"clock.timestamps": {
		"Dua otoritas stempel waktu menyatakan waktu yang berbeda {by|duration} dari jam layanan. Tidak ada dokumen yang ditandatangani sampai jam layanan diperbaiki.",
		"Two time-stamp authorities agree on a time that differs from the service's clock by {by|duration}. Nothing is signed until the clock is corrected."},

	"notice.not_found":         {"Pesan tidak ditemukan.", "There is no such message."},
	"notice.no_mail_server":    {"Server surat elektronik belum dikonfigurasi. Salin pesan ini dan sampaikan sendiri.", "No mail server is configured. Copy the message and pass it on yourself."},
	"notice.no_address":        {"Orang ini tidak memiliki alamat e-mail.", "The person has no e-mail address."},
	"notice.no_number":         {"Orang ini tidak memiliki nomor telepon.", "The person has no phone number."},
	"notice.no_provider":       {"Penyedia layanan pesan tidak menerimanya. Pengiriman akan dicoba kembali.", "The provider did not accept it. It will be tried again."},
	"notice.too_long_phone":    {"Penyedia layanan pesan tidak menerimanya selama tiga hari.", "The provider did not accept it for three days."},
	"notice.no_phone_provider": {"Belum ada penyedia layanan pesan yang dikonfigurasi untuk saluran ini. Salin pesan ini dan sampaikan sendiri.", "No provider is configured for this channel. Copy the message and pass it on yourself."},
	"notice.pointless":         {"Pesan ini tidak diperlukan lagi ketika hendak dikirim.", "The message was not needed any more when it was to be sent."},
	"notice.code_hidden":       {"Pesan ini memuat kode yang hanya boleh diketahui penerimanya.", "This message has a code that only its recipient may know."},
	"notice.link_revoked":      {"Pemilik dokumen telah mencabut tautan orang ini.", "The owner of the document revoked the link of this person."},
	"notice.no_server":         {"Tidak ada server surat elektronik yang menerimanya. Pengiriman akan dicoba kembali.", "No mail server accepted it. It will be tried again."},
	"notice.too_long":          {"Tidak ada server surat elektronik yang menerimanya selama tiga hari.", "No mail server accepted it for three days."},
	"done.webhook_added":       {"Webhook telah dibuat. Rahasianya hanya ditampilkan satu kali ini.", "The webhook has been created. Its secret is shown only this once."},
	"done.webhook_changed":     {"Pengaturan webhook telah disimpan.", "The settings of the webhook have been saved."},
	"done.webhook_deleted":     {"Webhook telah dihapus.", "The webhook has been deleted."},
	"done.webhook_rotated":     {"Rahasia baru telah dibuat dan hanya ditampilkan satu kali ini. Selama 24 jam rahasia sebelumnya masih ikut menandatangani pesan.", "A new secret has been made and is shown only this once. For 24 hours the former one signs the messages too."},
	"done.webhook_tested":      {"Pesan uji akan dikirim.", "A test message will be sent."},
	"done.webhook_replayed":    {"Peristiwa akan dikirim kembali.", "The events will be sent again."},
	"webhook.not_found":        {"Webhook tidak ditemukan.", "There is no such webhook."},
	"webhook.no_delivery":      {"Pengiriman tidak ditemukan.", "There is no such delivery."},
	"webhook.too_many":         {"Organisasi dapat memiliki paling banyak {limit} webhook.", "An organisation can have at most {limit} webhooks."},
	"webhook.changed":          {"Webhook ini sedang diubah oleh permintaan lain. Silakan coba lagi.", "Another request changed the webhook at the same moment. Please try again."},
	"webhook.bad_url":          {"Alamat harus lengkap dan berawalan https://, tanpa kata sandi dan tanpa tanda pagar.", "The address must be a complete https:// address without a password and without a fragment."},
	"webhook.not_https":        {"Alamat harus berawalan https://.", "The address must begin with https://."},
	"webhook.unknown_type":     {"Jenis peristiwa ini tidak dikenal.", "There is no such type of event."},
	"webhook.id_or_since":      {"Isi salah satu saja: id atau since.", "Give either id or since, not both."},
	"webhook.refused":          {"Penerima menjawab dengan status selain 200 sampai 299.", "The receiver answered with a status other than 200 to 299."},
	"webhook.gone":             {"Penerima menjawab dengan status 410: alamat ini tidak menerima peristiwa lagi.", "The receiver answered with status 410: the address takes no more events."},
	"webhook.unreachable":      {"Penerima tidak dapat dihubungi.", "The receiver could not be reached."},
	"webhook.forbidden":        {"Alamat ini berada di jaringan atau pada port yang tidak boleh dihubungi oleh layanan.", "The address is in a network, or at a port, that the service may not connect to."},
	"webhook.timeout":          {"Penerima tidak menjawab pada waktunya.", "The receiver did not answer in time."},
	"webhook.unwritten":        {"Pesan tidak dapat disusun.", "The message could not be written."},
	"webhook.disabled_failing": {
		"Satu peristiwa tidak dapat disampaikan selama tiga hari dan tidak ada peristiwa lain yang diterima selama dua hari.",
		"One event could not be delivered for three days, and no other was accepted for two days."},
	"webhook.disabled_gone": {"Penerima menjawab dengan status 410.", "The receiver answered with status 410."},
	"webhook.mail_subject":  {"Webhook dinonaktifkan: {address}", "Webhook disabled: {address}"},
	"webhook.mail_text": {
		"Segel tidak lagi mengirim peristiwa ke {address}. {reason} Setelah penerima berfungsi kembali, aktifkan webhook ini di halaman administrasi; peristiwa sejak saat itu akan dikirim.",
		"Segel no longer sends events to {address}. {reason} Once the receiver works again, enable the webhook on the administration page; the events since then will be sent."},
	"feed.bad_cursor": {"Penunjuk ini bukan nilai next dari jawaban sebelumnya.", "This is not the value of next of an earlier answer."},
	"feed.ahead":      {"Penunjuk ini berasal dari keadaan layanan yang sudah tidak ada. Mulailah kembali tanpa penunjuk.", "The cursor is of a state of the service that is lost. Start again without one."},
	"branding.colour": {"Warna harus berupa enam digit heksadesimal yang didahului #, misalnya #0b6e5f.", "The colour must be # and six hexadecimal digits, such as #0b6e5f."},
	"logo.not_found":  {"Logo tidak ditemukan.", "The logo was not found."},
	"logo.not_picture": {
		"Logo harus berupa berkas PNG atau JPEG yang utuh.",
		"The logo must be an intact PNG or JPEG file."},
	"logo.svg": {
		"Logo berformat SVG tidak diterima karena berkas SVG dapat memuat program. Simpan logo sebagai PNG, lalu unggah kembali.",
		"SVG logos are not accepted because SVG files can contain programs. Save the logo as PNG and upload it again."},
	"logo.too_large": {
		"Ukuran berkas logo terlalu besar; maksimum {limit|size}.",
		"The logo file is too large; the limit is {limit|size}."},
	"logo.too_many_pixels": {
		"Logo terlalu besar; maksimum {side} piksel per sisi.",
		"The logo is too large; at most {side} pixels per side are allowed."},

	"organisation.not_found": {"Organisasi tidak ditemukan.", "The organisation was not found."},
	"person.not_found":       {"Orang ini tidak ditemukan.", "The person was not found."},
	"person.own_account": {
		"Tindakan ini tidak dapat dilakukan terhadap akun sendiri. Kata sandi sendiri diganti dengan memasukkan kata sandi saat ini.",
		"This cannot be done to your own account. To change your own password, enter the current one."},
	"person.last_admin": {
		"Akun ini adalah administrator terakhir di organisasinya, sehingga tidak dapat dinonaktifkan atau diberi peran lain. Tunjuk administrator lain terlebih dahulu.",
		"This is the last administrator of the organisation, so the account cannot be disabled or given another role. Add another administrator first."},
	"person.erased":         {"Data pemilik akun ini dihapus atau sudah dihapus.", "The data of the holder of this account are being erased or have been erased."},
	"erase.contact_missing": {"Isi alamat e-mail atau nomor telepon.", "Enter an e-mail address or a phone number."},
	"erase.contact_both":    {"Isi salah satu saja: alamat e-mail atau nomor telepon.", "Enter one of the two: an e-mail address or a phone number."},
	"erase.other_address":   {"Isi alamat e-mail Anda sendiri.", "Enter your own e-mail address."},
	"person.not_disabled":   {"Nonaktifkan akun ini terlebih dahulu.", "Disable the account first."},
	"person.owns_documents": {
		"Masih ada dokumen terkirim milik orang ini. Administrator perlu mengalihkannya terlebih dahulu kepada orang lain (PUT /v1/admin/people/{person_id}/successor).",
		"The person still owns documents that were sent. An administrator first has to transfer them to another person (PUT /v1/admin/people/{person_id}/successor)."},
	"transfer.no_successor": {
		"Dokumen hanya dapat dialihkan kepada orang lain dalam organisasi yang sama, yang akunnya aktif dan boleh mengirim dokumen.",
		"Documents can only be transferred to another person of the same organisation whose account is active and may send documents."},
	"document.not_waiting": {"Dokumen tidak sedang menunggu layanan.", "The document is not waiting for the service."},
	"serial.not_nobodys":   {"Nomor seri {serial} tidak dapat diberikan kepada sebuah organisasi: nomor ini sudah memiliki pemilik atau sudah terpakai.", "Serial number {serial} cannot be assigned to an organisation: it has an owner or has been used."},
	"serial.not_unused":    {"Penerbit e-meterai tidak menyatakan nomor seri {serial} belum terpakai.", "The e-meterai issuer does not report serial number {serial} as unused."},
	"serial.not_theirs":    {"Nomor seri {serial} dibeli untuk pesanan organisasi lain.", "Serial number {serial} was bought for an order of another organisation."},
	"session.limit":        {"Isi 0 (tanpa batas) atau bilangan bulat dari {least} sampai {most}.", "Enter 0 (no limit) or a whole number from {least} to {most}."},
	"quota.count":          {"Jumlah tidak boleh nol dan maksimum {limit}.", "The count must not be zero and must not exceed {limit}."},

	"role.member":                 {"anggota", "member"},
	"role.sender":                 {"pengirim", "sender"},
	"role.admin":                  {"administrator", "administrator"},
	"role.auditor":                {"auditor", "auditor"},
	"event.account_created":       {"Membuat akun sendiri setelah memverifikasi kotak surat[ {email}]", "Created an account after verifying the mailbox[ {email}]"},
	"event.person_added":          {"Membuat akun[ untuk {name}][ <{email}>][ sebagai {role}]", "Created an account[ for {name}][ <{email}>][ as {role}]"},
	"event.person_renamed":        {"Mengubah nama[ {name}][ <{email}>][ menjadi {new_name}]", "Renamed[ {name}][ <{email}>][ to {new_name}]"},
	"event.person_disabled":       {"Menonaktifkan akun[ {name}][ <{email}>]", "Disabled the account[ of {name}][ <{email}>]"},
	"event.person_enabled":        {"Mengaktifkan kembali akun[ {name}][ <{email}>]", "Enabled the account[ of {name}][ <{email}>] again"},
	"event.documents_transferred": {"Mengalihkan {count} dokumen milik {name} <{email}> kepada {to_name} <{to_email}>", "Transferred {count} documents of {name} <{email}> to {to_name} <{to_email}>"},
	"event.role_changed":          {"Mengubah peran[ {name}][ <{email}>][ dari {former_role}][ menjadi {role}]", "Changed the role[ of {name}][ <{email}>][ from {former_role}][ to {role}]"},
	"event.person_exported":       {"Mengunduh data yang tersimpan[ tentang {name}][ <{email}>]", "Downloaded the stored data[ of {name}][ <{email}>]"},
	"event.erasure_begun":         {"Meminta penghapusan data pemilik akun[ {person}]", "Asked for the data of the holder of account[ {person}] to be erased"},
	"event.person_erased":         {"Menghapus data pemilik akun[ {person}]", "Erased the data of the holder of account[ {person}]"},
	"event.guest_erased":          {"Meminta penghapusan data seorang tamu pada {count} dokumen", "Asked for the data of a guest to be erased (documents: {count})"},
	"event.participant_erased":    {"Menghapus nama dan alamat seseorang yang datanya dihapus[ {person}]", "Removed the name and address of a person whose data were erased[ {person}]"},
	"event.password_reset":        {"Membuat kata sandi baru[ untuk {name}][ <{email}>]", "Set a new password[ for {name}][ <{email}>]"},
	"event.retried":               {"Meminta agar dokumen diproses kembali", "Requested another attempt on the document"},
	"event.serial_found":          {"Menemukan nomor seri e-meterai[ {serial}] pada akun penerbit, belum terpakai dan belum tercatat", "Found the serial number[ {serial}] in the issuer's account, unused and not yet registered"},
	"event.serial_freed":          {"Membebaskan nomor seri e-meterai[ {serial}]; penerbit menyatakannya belum terpakai", "Freed the serial number[ {serial}], which the issuer reports as unused"},
	"event.serial_given":          {"Memberikan nomor seri e-meterai[ {serial}] kepada sebuah organisasi", "Assigned the serial number[ {serial}] to an organisation"},
	"event.webhook_changed":       {"Mengubah webhook[ {address}]", "Changed the webhook[ {address}]"},
	"event.webhook_disabled":      {"Menonaktifkan webhook[ {address}] karena tidak menerima peristiwa", "Disabled the webhook[ {address}], which takes no events"},
	"event.consent_changed":       {"Mengubah teks persetujuan (versi {version})", "Changed the consent text (version {version})"},
	"event.locale_changed":        {"Mengubah bahasa dan zona waktu organisasi[; bahasa: {language}][; zona waktu: {zone}]", "Changed the organisation's language and time zone[; language: {language}][; time zone: {zone}]"},
	"event.reminders_changed": {
		"Mengubah jadwal pengingat untuk dokumen baru[; pertama setelah {after} hari][; kemudian setiap {every} hari][; {before} hari sebelum batas waktu]",
		"Changed the reminders of new documents[; first after {after} days][; then every {every} days][; {before} days before the deadline]"},
	"event.account_policy_changed": {
		"Mengubah kebijakan akun[; faktor kedua saat masuk: {login_factor}][; faktor kedua untuk setiap tanda tangan: {sign_factor}][; sesi berakhir setelah {idle_minutes} menit tanpa kegiatan][; sesi berakhir {absolute_hours} jam setelah masuk][; alamat disembunyikan pada dokumen baru: {hide_addresses}]",
		"Changed the policy for accounts[; second factor at login: {login_factor}][; second factor for each signature: {sign_factor}][; sessions end after {idle_minutes} minutes without use][; sessions end {absolute_hours} hours after login][; new documents hide addresses: {hide_addresses}]"},
	"event.branding_changed": {"Mengubah logo dan warna organisasi", "Changed the organisation's logo and colour"},
}

// reconciliations describe the differences between office and register. Arguments are the members of the difference.
var reconciliations = map[string]sentence{
	"reconciliation.freed": {
		"Nomor seri {serial} telah dilepas oleh sebuah dokumen; penerbit menyatakannya belum terpakai, sehingga dapat digunakan kembali.",
		"A document released serial number {serial}. The issuer reports it as unused, so it can be used again.",
	},
	"reconciliation.found": {
		"Nomor seri {serial} belum terpakai menurut penerbit dan belum tercatat di sini; sekarang telah dicatat[ (berkas {file})].",
		"Serial number {serial} is unused at the issuer and was not in the register. It has been added[ (file {file})].",
	},
	"reconciliation.spent": {
		"Nomor seri {serial} telah dilepas oleh sebuah dokumen, tetapi penerbit menyatakannya sudah terpakai; nomor ini tidak akan digunakan.",
		"A document released serial number {serial}, but the issuer reports it as affixed. It has been quarantined.",
	},
	"reconciliation.changed": {
		"Nomor seri {serial} baru saja berubah di sini; daftar penerbit belum mencakup perubahan itu.",
		"Serial number {serial} changed here too recently for the issuer's list to show it.",
	},
	"reconciliation.in_work": {
		"Nomor seri {serial} sudah terpakai menurut penerbit; dokumen {document} masih diproses dan akan diperbarui.",
		"Serial number {serial} is affixed at the issuer. Document {document} is still being processed and will be updated.",
	},
	"reconciliation.failed": {
		"Nomor seri {serial} sudah terpakai menurut penerbit, tetapi dokumen {document} gagal sebelum berkasnya diterima; pembubuhan ulang memintanya kembali tanpa biaya.",
		"Serial number {serial} is affixed at the issuer, but document {document} failed before the file was received. Stamping again requests it at no cost.",
	},
	"reconciliation.in_doubt": {
		"Nomor seri {serial} belum terpakai; mungkin nomor ini dibeli oleh pesanan yang jawabannya hilang, sehingga tidak digunakan sampai pesanan itu jelas.",
		"Serial number {serial} is unused. An order whose answer was lost may have bought it, so it is not used until that order is resolved.",
	},
	"reconciliation.settling": {
		"Nomor seri {serial} baru saja dilepas; keterangan penerbit baru pasti setelah beberapa saat.",
		"Serial number {serial} was released too recently for the issuer's report to be final.",
	},
	"reconciliation.nobodys": {
		"Nomor seri {serial} belum terpakai dan belum menjadi milik organisasi mana pun; operator dapat memberikannya dengan segel reconcile --give.",
		"Serial number {serial} is unused and belongs to no organisation yet. An operator can assign it with segel reconcile --give.",
	},
	"reconciliation.balance": {
		"Jumlah nomor seri yang belum terpakai pada daftar dan pada saldo penerbit berbeda selama ada e-meterai yang diproses.",
		"The issuer's list and balance count unused serial numbers differently while stamps are being processed.",
	},
	"reconciliation.missing": {
		"Nomor seri {serial} tercatat di sini, tetapi tidak dikenal oleh penerbit.",
		"Serial number {serial} is in our register, but the issuer does not know it.",
	},
	"reconciliation.not_affixed": {
		"Nomor seri {serial} terpakai pada dokumen {document}, tetapi penerbit menyatakannya belum terpakai.",
		"Serial number {serial} is on document {document}, but the issuer reports it as unused.",
	},
	"reconciliation.unknown_affixed": {
		"Nomor seri {serial} terpakai menurut penerbit, tetapi tidak tercatat di sini[ (berkas {file})].",
		"Serial number {serial} is affixed at the issuer, but is not in our register[ (file {file})].",
	},
	"reconciliation.count": {
		"Jumlah nomor seri yang belum terpakai pada daftar dan pada saldo penerbit berbeda, padahal tidak ada e-meterai yang diproses.",
		"The issuer's list and balance count unused serial numbers differently, although no stamp is being processed.",
	},
}
