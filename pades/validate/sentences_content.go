package validate

// contentSentences are about what is covered and what changed.
var contentSentences = map[string]sentence{
	"format.ok": {
		"Bentuk tanda tangan dapat dibaca.",
		"The form of the signature can be read.",
	},
	"format.broken": {
		"Tanda tangan rusak, sehingga tidak dapat dibaca.",
		"The signature is broken, so that it cannot be read.",
	},
	"format.content": {
		"Tanda tangan membawa isi sendiri, yang tidak boleh ada dalam bentuk {form}.",
		"The signature carries content of its own, which the form {form} must not have.",
	},
	"format.signers": {
		"Wadahnya memuat {count} penanda tangan; hanya boleh satu.",
		"The container has {count} signers; there may be one only.",
	},
	"coverage.whole": {
		"Tanda tangan menutupi {length} byte, dari awal berkas sampai akhir revisi {revision}.",
		"The signature covers {length} bytes, from the beginning of the file to the end of revision {revision}.",
	},
	"coverage.broken": {
		"Tanda tangan tidak menutupi berkas seutuhnya: {said}.",
		"The signature does not cover the file as a whole: {said}.",
	},
	"digest.ok": {
		"Isi yang ditandatangani tidak berubah.",
		"What was signed has not changed.",
	},
	"digest.differs": {
		"Isi yang ditandatangani telah berubah.",
		"What was signed has changed.",
	},
	"digest.unknown": {
		"Isi yang ditandatangani tidak dapat diperiksa.",
		"What was signed cannot be checked.",
	},
	"signature.ok": {
		"Kunci penanda tangan benar menghasilkan tanda tangan ini.",
		"The signer's key made this signature.",
	},
	"format.trailing": {
		"Ruang yang disediakan untuk tanda tangan memuat data lain yang tidak ikut ditandatangani.",
		"The space reserved for the signature holds further data, which is not signed.",
	},
	"format.attributes": {
		"Keterangan di dalam tanda tangan tidak lengkap atau saling bertentangan.",
		"The signed attributes are incomplete or contradict each other.",
	},
	"signature.differs": {
		"Tanda tangan tidak cocok dengan kunci penanda tangan: dibuat dengan kunci lain, atau diubah.",
		"The signature does not match the signer's key: it was made with another one, or was changed.",
	},
	"signature.algorithm": {
		"Cara penandatanganannya (algoritma) tidak dikenal, sehingga tidak dapat diperiksa.",
		"The way in which it was signed (the algorithm) is not known, so that it cannot be checked.",
	},
	"later.none": {
		"Tidak ada yang ditambahkan sesudah tanda tangan ini.",
		"Nothing was added after this signature.",
	},
	"later.changed": {
		"Revisi {revision} mengubah sesuatu yang tidak boleh diubah sesudah tanda tangan ini.",
		"Revision {revision} changes what must not be changed after this signature.",
	},
	"later.unknown": {
		"Apa yang berubah sesudah tanda tangan tidak dapat dinilai.",
		"What changed after the signature cannot be judged.",
	},
	"later.covers": {
		"Yang ditambahkan revisi {revision} menutupi atau menggantikan isi halaman {page} yang ditandatangani ({where}): bandingkan dengan {length} byte pertama berkas, yaitu keadaannya waktu ditandatangani.",
		"What revision {revision} added stands over what was signed on page {page}, or in its place ({where}): compare it with the first {length} bytes of the file, which are its state when it was signed.",
	},
	"claim.time": {
		"Waktu yang diakui sendiri: {time}.",
		"The time claimed: {time}.",
	},
	"warning": {
		"Peringatan: {what}.",
		"Warning: {what}.",
	},
}

// summarySentences sum up a signature, a stamp, a file.
var summarySentences = map[string]sentence{
	"file.none": {
		"Berkas ini tidak memuat tanda tangan.",
		"This file carries no signature.",
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
		"SPESIMEN: specimen stamp {serial} of no legal value, page {page}.",
	},
	"stamp.unproved": {
		"Tampak sebagai meterai elektronik {serial}, halaman {page}, tetapi tanda tangannya tidak dapat dipastikan.",
		"It looks like duty stamp {serial}, page {page}, but its signature is not established.",
	},
	"stamp.unknown_office": {
		"Tampak sebagai meterai elektronik {serial}, halaman {page}, ditandatangani oleh {office}; apakah itu kantor penerbit meterai belum dipastikan.",
		"It looks like duty stamp {serial}, page {page}, signed by {office}; whether that is the office that issues stamps is not established.",
	},
	"stamp.twice": {
		"Nomor seri {serial} terdapat lebih dari sekali dalam berkas ini.",
		"The serial {serial} stands more than once in this file.",
	},
	"stamp.altered": {
		"Berkas ini salinan dokumen yang dibubuhi {serial}, tetapi isinya telah diubah.",
		"This file is a copy of the document that {serial} was affixed to, and was changed.",
	},
	"stamp.elsewhere": {
		"Nomor seri {serial} juga dibubuhkan pada dokumen lain.",
		"The serial {serial} was also affixed to another document.",
	},
}

// kindSentences say what is counted in a sentence about the file.
var kindSentences = map[string]sentence{
	"signatures": {"tanda tangan", "signatures"},
	"both":       {"tanda tangan dan stempel waktu", "signatures and timestamps"},
}

// integritySentences say the words about integrity within a sentence.
var integritySentences = map[Integrity]sentence{
	Intact:         {"isinya utuh", "the content is intact"},
	IntactLater:    {"isinya utuh, ada tambahan sesudahnya yang dibolehkan", "the content is intact, with later changes that are allowed"},
	CannotBeJudged: {"keutuhan isinya tidak dapat dinilai", "whether the content is intact cannot be judged"},
	ChangedAfter:   {"isinya diubah sesudah ditandatangani", "the content was changed after signing"},
	intactButCovered: {
		"isinya utuh, tetapi tambahan sesudahnya, yang memang dibolehkan, menutupi atau menggantikan isi halaman {pages}",
		"the content is intact, but later additions, which are allowed, stand over what page {pages} shows, or in its place",
	},
	NothingIsSigned: {"tidak ada yang ditandatangani", "nothing is signed"},
}
