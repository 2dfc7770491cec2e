package text

// administration is what administrators read.
var administration = map[string]sentence{
	"done.person_added":  {"Akun dibuat. Kata sandi pertama hanya ditampilkan sekali ini.", "The account was made. Its first password is shown this once."},
	"done.quota_granted": {"Kuota dicatat.", "The quota was recorded."},
	"done.reconciled":    {"Rekonsiliasi selesai.", "The reconciliation is done."},
	"done.retried":       {"Dokumen dicoba lagi.", "The document is tried again."},

	"clock.unconfirmed": {
		"Peristiwa terakhir tercatat {by|duration} di depan jam layanan: jam itu sekarang terlambat, atau sebelumnya terlalu cepat. Tidak ada yang ditandatangani sampai jamnya dibetulkan, atau operator memastikannya dengan segel clock confirm.",
		"The last event was recorded {by|duration} ahead of the clock of the service: the clock is behind now, or it was ahead then. Nothing is signed until it is set right, or an operator confirms it with segel clock confirm."},
	"clock.database": {
		"Jam layanan dan jam basis data berbeda {by|duration}. Tidak ada yang ditandatangani sampai jam yang keliru dibetulkan.",
		"The clock of the service and that of the database differ by {by|duration}. Nothing is signed until the wrong one is set right."},
	"clock.timestamps": {
		"Dua otoritas stempel waktu sama-sama menyebut waktu yang berbeda {by|duration} dari jam layanan. Tidak ada yang ditandatangani sampai jam layanan dibetulkan.",
		"Two time-stamp authorities agree on a time that differs from the clock of the service by {by|duration}. Nothing is signed until the clock of the service is set right."},

	"organisation.not_found": {"Organisasi tidak ditemukan.", "There is no such organisation."},
	"document.not_waiting":   {"Dokumen tidak sedang menunggu sistem.", "The document does not wait for the service."},
	"serial.not_nobodys":     {"Nomor seri {serial} tidak sedang menunggu diberikan kepada sebuah organisasi.", "Serial {serial} does not wait to be given to an organisation."},
	"serial.not_unused":      {"Kantor meterai tidak menyatakan nomor seri {serial} belum terpakai.", "The stamp office does not call serial {serial} unused."},
	"serial.not_theirs":      {"Nomor seri {serial} dibeli untuk pesanan organisasi lain.", "Serial {serial} was bought for an order of another organisation."},
	"quota.count":            {"Jumlah harus bukan nol dan paling banyak {limit}.", "The count must not be zero, and at most {limit}."},

	"event.person_added": {"Membuat akun[ untuk {name}][ <{email}>]", "Made an account[ for {name}][ <{email}>]"},
	"event.retried":      {"Meminta dokumen dicoba lagi", "Had the document tried again"},
	"event.serial_found": {"Menemukan nomor seri e-meterai[ {serial}] di akun kantor, belum terpakai dan belum dikenal", "Found the serial[ {serial}] in the office's account, unused and unknown so far"},
	"event.serial_freed": {"Membebaskan nomor seri e-meterai[ {serial}]; kantor menyatakannya belum terpakai", "Freed the serial[ {serial}], which the office calls unused"},
	"event.serial_given": {"Memberikan nomor seri e-meterai[ {serial}] kepada sebuah organisasi", "Gave the serial[ {serial}] to an organisation"},
}

// reconciliations tell what the office and the register do not say alike. Arguments are the difference's members.
var reconciliations = map[string]sentence{
	"reconciliation.freed": {
		"Nomor seri {serial} pernah dilepas sebuah dokumen; kantor menyatakannya belum terpakai, jadi bebas dipakai lagi.",
		"Serial {serial} was let go of; the office calls it unused, so it is free to be used.",
	},
	"reconciliation.found": {
		"Nomor seri {serial} belum terpakai di kantor dan belum dikenal di sini; sekarang tercatat[ (berkas {file})].",
		"Serial {serial} is unused at the office and was unknown here; it is in the register now[ (file {file})].",
	},
	"reconciliation.spent": {
		"Nomor seri {serial} dilepas sebuah dokumen, tetapi kantor menyatakannya terpakai; nomor ini disisihkan.",
		"Serial {serial} was let go of, but the office calls it affixed; it is set aside.",
	},
	"reconciliation.changed": {
		"Nomor seri {serial} baru saja berubah di sini; daftar kantor belum dapat mengetahuinya.",
		"Serial {serial} changed here too recently for the office's list to tell.",
	},
	"reconciliation.in_work": {
		"Nomor seri {serial} sudah terpakai di kantor; dokumen {document} sedang dikerjakan dan akan mengetahuinya.",
		"Serial {serial} is affixed at the office; document {document} is in work and about to learn so.",
	},
	"reconciliation.failed": {
		"Nomor seri {serial} terpakai di kantor, tetapi dokumen {document} gagal sebelum berkasnya kembali; pembubuhan ulang memintanya lagi tanpa biaya.",
		"Serial {serial} is affixed at the office, but document {document} failed before the file came back; stamping again fetches it at no cost.",
	},
	"reconciliation.in_doubt": {
		"Nomor seri {serial} belum terpakai; mungkin dibeli oleh pesanan yang jawabannya hilang, jadi dibiarkan sampai pesanan itu selesai.",
		"Serial {serial} is unused; an order whose answer was lost may have bought it, so it is left alone until that order has settled.",
	},
	"reconciliation.settling": {
		"Nomor seri {serial} baru saja dilepas; kata kantor baru pasti setelah beberapa saat.",
		"Serial {serial} was let go of too recently for the office's word to be final.",
	},
	"reconciliation.nobodys": {
		"Nomor seri {serial} belum terpakai dan belum menjadi milik organisasi mana pun; operator dapat memberikannya dengan segel reconcile --give.",
		"Serial {serial} is unused and of no organisation so far; an operator can give it to one with segel reconcile --give.",
	},
	"reconciliation.balance": {
		"Jumlah nomor seri belum terpakai di daftar dan di saldo kantor berbeda selagi ada meterai yang dikerjakan.",
		"The office's list and balance count unused serials differently while stamps are in work.",
	},
	"reconciliation.missing": {
		"Nomor seri {serial} tercatat di sini, tetapi kantor tidak mengenalnya.",
		"Serial {serial} is in our register, but the office does not know it.",
	},
	"reconciliation.not_affixed": {
		"Nomor seri {serial} terpakai pada dokumen {document}, tetapi kantor menyatakannya belum terpakai.",
		"Serial {serial} stands on document {document}, but the office calls it unused.",
	},
	"reconciliation.unknown_affixed": {
		"Nomor seri {serial} terpakai di kantor, tetapi tidak dikenal di sini[ (berkas {file})].",
		"Serial {serial} is affixed at the office, but unknown here[ (file {file})].",
	},
	"reconciliation.count": {
		"Jumlah nomor seri belum terpakai di daftar dan di saldo kantor berbeda, dan tidak ada meterai yang dikerjakan.",
		"The office's list and balance count unused serials differently, and no stamp is in work.",
	},
}
