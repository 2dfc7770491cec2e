package validate

// timeSentences are about timestamps and proofs of existence.
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
		"No timestamp proves when the signature was made; the time it states is a mere claim.",
	},
	"time.token_ok": {
		"Stempel waktu {time} dari {authority} dapat dipercaya.",
		"The timestamp of {time} by {authority} can be trusted.",
	},
	"time.token_broken": {
		"Stempel waktu rusak, atau bukan tentang tanda tangan ini.",
		"The timestamp is broken, or is not about this signature.",
	},
	"time.token_algorithm": {
		"Stempel waktu memakai algoritma yang tidak dikenal, sehingga tidak dapat diperiksa.",
		"The timestamp uses an algorithm that is not known, so that it cannot be checked.",
	},
	"time.token_certificate": {
		"Sertifikat otoritas stempel waktu tidak disertakan, atau tidak dapat dibaca, sehingga stempel waktu tidak dapat diperiksa.",
		"The certificate of the time-stamp authority is not included, or cannot be read, so that the timestamp cannot be checked.",
	},
	"time.token_untrusted": {
		"Stempel waktu {time} dari {authority} tidak dapat dipercaya, sehingga tidak membuktikan waktu.",
		"The timestamp of {time} by {authority} cannot be trusted, so it proves no time.",
	},
	"time.future": {
		"Stempel waktu menyebut {time}, yang lebih baru daripada saat pemeriksaan.",
		"The timestamp states {time}, which is later than the moment of validation.",
	},
	"time.order": {
		"Urutan waktu mustahil: {first} sudah ditutupi oleh stempel waktu {second}.",
		"The order of times is impossible: {first} is covered by a timestamp of {second}.",
	},
	"time.not_asked_since": {
		"Status otoritas stempel waktu {subject} diketahui sampai {until}; sesudah itu tidak ditanyakan lagi.",
		"The standing of the time-stamp authority {subject} is known until {until}; nobody asked since.",
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
		"B-T lacks trust in the timestamp that this signature has, of {time} by {authority} ({why}).",
	},
	"level.no_proof": {
		"Untuk B-LT kurang bukti di dalam berkas bahwa semua sertifikat tidak dicabut.",
		"B-LT lacks proof within the file that no certificate was revoked.",
	},
	"level.no_store": {
		"Untuk B-LT kurang tempat penyimpanan bukti (DSS) di dalam berkas: bukti hanya ada di dalam tanda tangan.",
		"B-LT lacks a document security store (DSS) in the file: the proof is in the signature alone.",
	},
	"level.no_archive": {
		"Untuk B-LTA kurang stempel waktu dokumen tepercaya atas semua bukti.",
		"B-LTA lacks a trusted document timestamp over all proof.",
	},
	"level.old_form": {
		"Bentuk lama {form}, bukan PAdES.",
		"The older form {form}, not PAdES.",
	},
}
