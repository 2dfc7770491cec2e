package verdict

// timeSentences are about timestamps, proofs of existence and levels.
var timeSentences = map[string]sentence{
	"time.proven": {
		"Keberadaan tanda tangan pada {time} dibuktikan oleh {authority}.",
		"{authority} proves that the signature existed at {time}.",
	},
	"time.proven_document": {
		"Keberadaan tanda tangan pada {time} dibuktikan oleh stempel waktu dokumen {field} dari {authority}.",
		"The document timestamp {field} of {authority} proves that the signature existed at {time}.",
	},
	"time.unproven": {
		"Tidak ada stempel waktu yang membuktikan kapan tanda tangan dibuat; waktu yang tertulis hanya pernyataan penanda tangan.",
		"No timestamp proves when the signature was made; the time it states is only a claim.",
	},
	"time.token_ok": {
		"Stempel waktu {time} dari {authority} dapat dipercaya.",
		"The timestamp of {time} by {authority} can be trusted.",
	},
	"time.token_broken": {
		"Stempel waktu rusak, atau bukan milik tanda tangan ini.",
		"The timestamp is damaged, or belongs to another signature.",
	},
	"time.token_algorithm": {
		"Stempel waktu memakai algoritma yang tidak didukung, sehingga tidak dapat diperiksa.",
		"The timestamp uses an unsupported algorithm, so it cannot be checked.",
	},
	"time.token_certificate": {
		"Sertifikat otoritas stempel waktu tidak disertakan, atau tidak dapat dibaca, sehingga stempel waktu tidak dapat diperiksa.",
		"The certificate of the time-stamp authority is missing or cannot be read, so the timestamp cannot be checked.",
	},
	"time.token_untrusted": {
		"Stempel waktu {time} dari {authority} tidak dapat dipercaya, sehingga tidak membuktikan waktu.",
		"The timestamp of {time} by {authority} cannot be trusted, so it proves no time.",
	},
	"time.future": {
		"Stempel waktu menyebut {time}, yang lebih baru daripada saat pemeriksaan.",
		"The timestamp states {time}, which is later than the time of validation.",
	},
	"time.order": {
		"Urutan waktu mustahil: {first} sudah ditutupi oleh stempel waktu {second}.",
		"The times contradict each other: a timestamp of {second} covers one of {first}.",
	},
	"time.not_asked_since": {
		"Status otoritas stempel waktu {subject} diketahui sampai {until}; sesudah itu tidak diperiksa lagi.",
		"The status of the time-stamp authority {subject} is known until {until} and was not checked later.",
	},
	"level.no_baseline": {
		"Bukan PAdES dasar: {what}.",
		"Not a PAdES baseline: {what}.",
	},
	"level.no_time": {
		"Untuk B-T kurang stempel waktu tepercaya atas tanda tangan ini.",
		"B-T lacks a trusted timestamp on this signature.",
	},
	"level.untrusted_time": {
		"Untuk B-T kurang kepercayaan pada stempel waktu tanda tangan ini, {time} dari {authority} ({why}).",
		"B-T lacks a trusted timestamp: the one of {time} by {authority} is not trusted ({why}).",
	},
	"level.no_proof": {
		"Untuk B-LT kurang bukti di dalam berkas bahwa semua sertifikat tidak dicabut.",
		"B-LT lacks proof in the file that no certificate was revoked.",
	},
	"level.no_store": {
		"Untuk B-LT kurang tempat penyimpanan bukti (DSS) di dalam berkas: bukti hanya ada di dalam tanda tangan.",
		"B-LT lacks a document security store (DSS) in the file: only the signature contains the proof.",
	},
	"level.no_archive": {
		"Untuk B-LTA kurang stempel waktu dokumen tepercaya atas semua data validasi.",
		"B-LTA lacks a trusted document timestamp over all validation data.",
	},
	"level.old_form": {
		"Bentuk lama {form}, bukan PAdES.",
		"The older form {form}, not PAdES.",
	},
}
