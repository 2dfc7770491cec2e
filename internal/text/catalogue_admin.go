package text

// administration holds sentences for administrators.
var administration = map[string]sentence{
	"done.person_added":  {"Akun telah dibuat. Kata sandi pertama hanya ditampilkan satu kali ini.", "The account has been created. Its first password is shown only this once."},
	"done.quota_granted": {"Kuota telah dicatat.", "The quota has been recorded."},
	"done.reconciled":    {"Rekonsiliasi telah selesai.", "The reconciliation is complete."},
	"done.retried":       {"Dokumen diproses kembali.", "The document is being processed again."},

	"clock.unconfirmed": {
		"Peristiwa terakhir tercatat {by|duration} di depan jam layanan: jam layanan sekarang terlambat, atau sebelumnya terlalu cepat. Tidak ada dokumen yang ditandatangani sampai jam tersebut diperbaiki atau operator memastikannya dengan segel clock confirm.",
		"The last event was recorded {by|duration} ahead of the service's clock: either the clock is slow now, or it was fast then. Nothing is signed until the clock is corrected or an operator confirms it with segel clock confirm."},
	"clock.database": {
		"Jam layanan dan jam basis data berbeda {by|duration}. Tidak ada dokumen yang ditandatangani sampai jam yang salah diperbaiki.",
		"The clocks of the service and of the database differ by {by|duration}. Nothing is signed until the wrong one is corrected."},
	"clock.timestamps": {
		"Dua otoritas stempel waktu menyatakan waktu yang berbeda {by|duration} dari jam layanan. Tidak ada dokumen yang ditandatangani sampai jam layanan diperbaiki.",
		"Two time-stamp authorities agree on a time that differs from the service's clock by {by|duration}. Nothing is signed until the clock is corrected."},

	"organisation.not_found": {"Organisasi tidak ditemukan.", "The organisation was not found."},
	"document.not_waiting":   {"Dokumen tidak sedang menunggu layanan.", "The document is not waiting for the service."},
	"serial.not_nobodys":     {"Nomor seri {serial} tidak dapat diberikan kepada sebuah organisasi: nomor ini sudah memiliki pemilik atau sudah terpakai.", "Serial number {serial} cannot be assigned to an organisation: it has an owner or has been used."},
	"serial.not_unused":      {"Penerbit e-meterai tidak menyatakan nomor seri {serial} belum terpakai.", "The e-meterai issuer does not report serial number {serial} as unused."},
	"serial.not_theirs":      {"Nomor seri {serial} dibeli untuk pesanan organisasi lain.", "Serial number {serial} was bought for an order of another organisation."},
	"quota.count":            {"Jumlah tidak boleh nol dan maksimum {limit}.", "The count must not be zero and must not exceed {limit}."},

	"event.person_added": {"Membuat akun[ untuk {name}][ <{email}>]", "Created an account[ for {name}][ <{email}>]"},
	"event.retried":      {"Meminta agar dokumen diproses kembali", "Requested another attempt on the document"},
	"event.serial_found": {"Menemukan nomor seri e-meterai[ {serial}] pada akun penerbit, belum terpakai dan belum tercatat", "Found the serial number[ {serial}] in the issuer's account, unused and not yet registered"},
	"event.serial_freed": {"Membebaskan nomor seri e-meterai[ {serial}]; penerbit menyatakannya belum terpakai", "Freed the serial number[ {serial}], which the issuer reports as unused"},
	"event.serial_given": {"Memberikan nomor seri e-meterai[ {serial}] kepada sebuah organisasi", "Assigned the serial number[ {serial}] to an organisation"},
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
