package verdict

import (
	"maps"

	"segel/pades/validate/facts"
)

// sentences is the catalogue by code. A test checks that every code has one.
var sentences = mergeSentences(trustSentences, timeSentences, contentSentences, changeSentences, warningSentences, findingSentences, summarySentences)

func mergeSentences(all ...map[string]sentence) map[string]sentence {
	one := map[string]sentence{}
	for _, m := range all {
		maps.Copy(one, m)
	}
	return one
}

// trustSentences are about certificates, chains, revocation and algorithms.
var trustSentences = map[string]sentence{
	"trust.empty": {
		"Tidak ada sertifikat akar tepercaya yang diberikan, sehingga tidak ada penanda tangan yang dapat dipercaya.",
		"No trusted roots were given, so no signer can be trusted.",
	},
	"chain.ok": {
		"Sertifikat {subject} berujung pada sertifikat akar tepercaya {root} ({origin}).",
		"The certificate of {subject} leads to the trusted root {root} ({origin}).",
	},
	"chain.unknown_root": {
		"Penerbit sertifikat, {issuer}, tidak berujung pada sertifikat akar yang dipercaya.",
		"The issuer of the certificate, {issuer}, does not lead to a trusted root.",
	},
	"chain.unknown_root_time": {
		"Otoritas stempel waktu diterbitkan oleh {issuer}, yang tidak berujung pada sertifikat akar yang dipercaya.",
		"The time-stamp authority was certified by {issuer}, which does not lead to a trusted root.",
	},
	"chain.self_signed": {
		"Sertifikat {subject} dibuat oleh pemiliknya sendiri; tidak ada penerbit yang menjaminnya.",
		"The certificate of {subject} was made by its holder; no issuer vouches for it.",
	},
	"chain.critical_extension": {
		"Sertifikat {subject} atau penerbitnya memuat syarat wajib yang tidak dikenal.",
		"The certificate of {subject}, or one of its issuers, has an unknown critical extension.",
	},
	"chain.usage": {
		"Sertifikat {subject} atau penerbitnya tidak dibuat untuk tujuan ini.",
		"The certificate of {subject}, or one of its issuers, is not for this purpose.",
	},
	"chain.constraint": {
		"Rantai sertifikat melanggar syarat pada {subject}: {what}.",
		"The certificate chain violates a constraint at {subject}: {what}.",
	},
	"identity.not_established": {
		"belum dipastikan; tidak ada penerbit tepercaya yang menjamin penanda tangan ini",
		"unknown; no trusted issuer vouches for this signer",
	},
	"identity.issuer_unknown": {
		"sebagaimana diperiksa oleh penerbit sertifikat, {issuer}; apa yang diperiksanya tidak diketahui di sini",
		"as checked by the issuer of the certificate, {issuer}; what it checks is not known here",
	},
	"identity.issuer_says": {
		"menurut penerbit sertifikat, {issuer}: “{notice}”",
		"in the words of the issuer of the certificate, {issuer}: “{notice}”",
	},
	"authentication.service_login": {
		"{factor}, pada saat masuk; dinyatakan oleh layanan yang menerbitkan sertifikat",
		"{factor}, at the login; stated by the service that issued the certificate",
	},
	"authentication.service_signature": {
		"{factor}, untuk tanda tangan ini; dinyatakan oleh layanan yang menerbitkan sertifikat",
		"{factor}, for this signature; stated by the service that issued the certificate",
	},
	"authentication.service_key": {
		"ditandatangani dengan kunci API[ “{key}”]; dinyatakan oleh layanan yang menerbitkan sertifikat",
		"signed by API key[ “{key}”]; stated by the service that issued the certificate",
	},
	"authentication.signature_login": {
		"menurut tanda tangan itu sendiri, tanpa konfirmasi dari pihak lain: {factor}, pada saat masuk",
		"claimed by the signature itself, confirmed by no one else: {factor}, at the login",
	},
	"authentication.signature_signature": {
		"menurut tanda tangan itu sendiri, tanpa konfirmasi dari pihak lain: {factor}, untuk tanda tangan ini",
		"claimed by the signature itself, confirmed by no one else: {factor}, for this signature",
	},
	"authentication.signature_key": {
		"menurut tanda tangan itu sendiri, tanpa konfirmasi dari pihak lain: ditandatangani dengan kunci API[ “{key}”]",
		"claimed by the signature itself, confirmed by no one else: signed by API key[ “{key}”]",
	},
	"authentication.unreadable": {
		"tanda tangan memuat pernyataan tentang autentikasi yang tidak dapat dibaca",
		"the signature has a statement about authentication that cannot be read",
	},
	"certificate.missing": {
		"Sertifikat penanda tangan tidak ada di dalam tanda tangan.",
		"The signer's certificate is not in the signature.",
	},
	"certificate.unreadable": {
		"Sertifikat penanda tangan tidak dapat dibaca, sehingga tanda tangan tidak dapat diperiksa: {what}.",
		"The signer's certificate cannot be read, so the signature cannot be checked: {what}.",
	},
	"certificate.irregular": {
		"Penulisan sertifikat {subject} tidak sesuai standar: {what}.",
		"The encoding of the certificate of {subject} does not conform to the standard: {what}.",
	},
	"certificate.validity_unreadable": {
		"Masa berlaku sertifikat {subject} tidak dapat dibaca.",
		"The validity period of the certificate of {subject} cannot be read.",
	},
	"chain.issuer_key": {
		"Sertifikat {subject} ditandatangani dengan kunci {algorithm}; rantai sertifikat dengan kunci jenis itu tidak dapat diperiksa.",
		"The certificate of {subject} was signed with a key of type {algorithm}; certificate chains with such keys cannot be checked.",
	},
	"certificate.not_bound": {
		"Tanda tangan tidak mengikat sertifikat penanda tangan, padahal PAdES mewajibkannya.",
		"The signature does not bind the signer's certificate, which PAdES requires.",
	},
	"certificate.key_usage": {
		"Sertifikat {subject} tidak boleh dipakai untuk menandatangani.",
		"The certificate of {subject} must not be used for signing.",
	},
	"certificate.purpose": {
		"Sertifikat {subject} dibuat untuk tujuan lain daripada menandatangani dokumen.",
		"The certificate of {subject} is for another purpose than signing documents.",
	},
	"certificate.expired": {
		"Sertifikat {subject} berakhir pada {until}, dan tidak terbukti bahwa tanda tangan sudah ada sebelum itu.",
		"The certificate of {subject} expired on {until}, and nothing proves that the signature existed before.",
	},
	"certificate.expired_before": {
		"Sertifikat {subject} berakhir pada {until}; terbukti bahwa tanda tangan dibuat sesudahnya, setelah {after}.",
		"The certificate of {subject} expired on {until}; the signature was provably made later, after {after}.",
	},
	"certificate.outside_validity": {
		"Sertifikat {subject} tidak berlaku pada {at}.",
		"The certificate of {subject} was not valid on {at}.",
	},
	"certificate.not_yet_valid": {
		"Sertifikat {subject} baru berlaku sejak {from}, sedangkan tanda tangan sudah ada pada {at}.",
		"The certificate of {subject} became valid only on {from}, but the signature existed on {at}.",
	},
	"revocation.good": {
		"Sertifikat {subject} tidak dicabut (bukti: {origin}, {from} sampai {until}).",
		"The certificate of {subject} was not revoked (proof: {origin}, {from} to {until}).",
	},
	"revocation.exempt": {
		"Sertifikat {subject} berumur pendek dan tidak memerlukan bukti pencabutan.",
		"The certificate of {subject} is short-lived and needs no revocation data.",
	},
	"revocation.revoked": {
		"Sertifikat {subject} dicabut pada {at} ({why}), dan tidak terbukti bahwa tanda tangan sudah ada sebelum itu.",
		"The certificate of {subject} was revoked on {at} ({why}), and nothing proves that the signature existed before.",
	},
	"revocation.later": {
		"Sertifikat {subject} dicabut pada {at} ({why}), sesudah tanda tangan terbukti ada.",
		"The certificate of {subject} was revoked on {at} ({why}), after the signature provably existed.",
	},
	"revocation.before": {
		"Sertifikat {subject} dicabut pada {at} ({why}), dan terbukti bahwa tanda tangan dibuat sesudahnya.",
		"The certificate of {subject} was revoked on {at} ({why}), and the signature was provably made later.",
	},
	"revocation.ca": {
		"Sertifikat penerbit {subject} dicabut pada {at} ({why}), dan tidak terbukti bahwa tanda tangan sudah ada sebelum itu.",
		"The certificate of the issuer {subject} was revoked on {at} ({why}), and nothing proves that the signature existed before.",
	},
	"revocation.hold": {
		"Sertifikat {subject} ditangguhkan sejak {at}; coba lagi nanti.",
		"The certificate of {subject} has been on hold since {at}; try again later.",
	},
	"revocation.missing": {
		"Tidak diketahui apakah sertifikat {subject} dicabut.",
		"It is not known whether the certificate of {subject} was revoked.",
	},
	"revocation.stale": {
		"Bukti bahwa sertifikat {subject} tidak dicabut hanya berlaku sampai {until}.",
		"The proof that the certificate of {subject} was not revoked is valid only until {until}.",
	},
	"revocation.no_poe": {
		"Bukti tentang sertifikat {subject} mungkin dibuat setelah penerbitnya, {issuer}, tidak lagi dapat diandalkan.",
		"The revocation data for the certificate of {subject} may have been made after its issuer, {issuer}, could no longer be relied on.",
	},
	"revocation.offline": {
		"Status pencabutan sertifikat {subject} tidak dapat diperoleh dari jaringan.",
		"The revocation status of the certificate of {subject} could not be fetched.",
	},
	"revocation.too_much": {
		"Berkas memuat terlalu banyak sertifikat atau data pencabutan; sisanya diabaikan.",
		"The file has too many certificates or too much revocation data; the rest was ignored.",
	},
	"algorithm.certificate": {
		"Sertifikat {subject} memakai {algorithm}, yang hanya dapat diandalkan sampai {until}.",
		"The certificate of {subject} uses {algorithm}, which could be relied on only until {until}.",
	},
	"algorithm.certificate_refused": {
		"Sertifikat {subject} ditandatangani dengan {algorithm}, yang tidak diterima kapan pun.",
		"The certificate of {subject} is signed with {algorithm}, which is never accepted.",
	},
	"algorithm.certificate_unknown": {
		"Sertifikat {subject} memakai {algorithm}, yang tidak dikenal.",
		"The certificate of {subject} uses {algorithm}, which is unknown.",
	},
	"algorithm.revocation": {
		"Data pencabutan dari {subject} memakai {algorithm}, yang hanya dapat diandalkan sampai {until}.",
		"The revocation data of {subject} uses {algorithm}, which could be relied on only until {until}.",
	},
	"algorithm.revocation_unknown": {
		"Data pencabutan dari {subject} memakai {algorithm}, yang tidak dikenal.",
		"The revocation data of {subject} uses {algorithm}, which is unknown.",
	},
	"algorithm.signature": {
		"Tanda tangan {subject} memakai {algorithm}, yang hanya dapat diandalkan sampai {until}.",
		"The signature of {subject} uses {algorithm}, which could be relied on only until {until}.",
	},
	"algorithm.signature_unknown": {
		"Tanda tangan {subject} memakai {algorithm}, yang tidak dikenal.",
		"The signature of {subject} uses {algorithm}, which is unknown.",
	},
}

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
	"time.before_certificate": {
		"Stempel waktu menyebut {time}, sedangkan sertifikat otoritasnya, {authority}, baru berlaku sejak {from}.",
		"The timestamp states {time}, but the certificate of its authority, {authority}, became valid only on {from}.",
	},
	"time.future": {
		"Stempel waktu menyebut {time}, yang lebih baru daripada saat pemeriksaan.",
		"The timestamp states {time}, which is later than the time of validation.",
	},
	"time.order": {
		"Urutan waktu mustahil: stempel waktu {first} sudah dicakup oleh stempel waktu {second}.",
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
		"Tingkat B-T belum tercapai: tidak ada stempel waktu tepercaya atas tanda tangan ini.",
		"Level B-T is not reached: the signature has no trusted timestamp.",
	},
	"level.untrusted_time": {
		"Tingkat B-T belum tercapai: stempel waktu tanda tangan ini, {time} dari {authority}, tidak tepercaya ({why}).",
		"Level B-T is not reached: the timestamp of {time} by {authority} is not trusted ({why}).",
	},
	"level.no_proof": {
		"Tingkat B-LT belum tercapai: tidak ada bukti di dalam berkas bahwa semua sertifikat tidak dicabut.",
		"Level B-LT is not reached: the file has no proof that no certificate was revoked.",
	},
	"level.no_store": {
		"Tingkat B-LT belum tercapai: tidak ada tempat penyimpanan bukti (DSS) di dalam berkas; bukti hanya ada di dalam tanda tangan.",
		"Level B-LT is not reached: the file has no document security store (DSS); only the signature contains the proof.",
	},
	"level.no_archive": {
		"Tingkat B-LTA belum tercapai: tidak ada stempel waktu dokumen tepercaya atas semua data validasi.",
		"Level B-LTA is not reached: no trusted document timestamp covers all validation data.",
	},
	"level.old_form": {
		"Bentuk lama {form}, bukan PAdES.",
		"The older form {form}, not PAdES.",
	},
}

// coverageSentences say within a sentence why a signature does not cover the whole file.
var coverageSentences = map[facts.ReasonCode]sentence{
	facts.RangeMissing:         {"tidak tertulis bagian berkas mana yang ditandatangani", "it does not state which part of the file it signs"},
	facts.RangeCount:           {"bagian yang ditandatangani tidak tertulis sebagai satu bagian di muka dan satu di belakangnya", "it does not sign exactly one part before it and one after it"},
	facts.RangeNumbers:         {"bagian yang ditandatangani tertulis dengan angka yang tidak mungkin", "it states the signed part with impossible numbers"},
	facts.RangeStart:           {"awal berkas tidak ditandatangani", "the beginning of the file is not signed"},
	facts.RangeGap:             {"di tengah berkas ada bagian yang tidak ditandatangani", "a part in the middle of the file is not signed"},
	facts.RangeEnd:             {"akhir berkas pada waktu itu tidak ditandatangani", "the end of the file at that time is not signed"},
	facts.RangeOutside:         {"yang ditandatangani lebih panjang daripada berkas: sebagian hilang, atau berkas disusun ulang", "it signs more than the file has: a part is missing, or the file was rewritten"},
	facts.ContentsMissing:      {"nilai tanda tangan tidak ada di tempatnya", "the signature value is not at its place"},
	facts.ContentsShared:       {"tanda tangan lain memakai isi yang sama", "another signature has the same content"},
	facts.KeyTwice:             {"ada keterangan tanda tangan yang tertulis dua kali, sehingga dapat dibaca dengan dua cara", "it has duplicate entries, so it can be read in two ways"},
	facts.FieldShared:          {"lebih dari satu kolom memakai tanda tangan ini", "more than one field has this signature"},
	facts.Overlap:              {"letaknya di bagian berkas yang lebih lama daripada yang ditandatanganinya", "it is in a part of the file that is older than what it signs"},
	facts.JunkBehind:           {"di belakang akhir berkas ada data yang bukan bagian dari dokumen", "after the end of the file there are bytes that are not part of the document"},
	facts.DictionaryUnreadable: {"keterangan tanda tangan tidak dapat dibaca", "the signature dictionary cannot be read"},
	facts.DictionaryDiffers:    {"keterangan tanda tangan berbeda dari waktu ditandatangani", "the signature dictionary is not the one that was signed"},
	facts.FieldDiffers:         {"waktu ditandatangani, kolomnya belum memuat tanda tangan ini", "in the signed state its field did not have this signature"},
	facts.RevisionUnsound:      {"keadaan berkas waktu ditandatangani tidak dapat dibaca dengan pasti", "the signed state of the file cannot be determined"},
	facts.FileRepaired:         {"berkas rusak, dan hanya dapat dibaca sesudah diperbaiki", "the file is damaged and can only be read after a repair"},
	facts.NoPages:              {"berkas tidak mempunyai halaman yang dapat dibaca", "the file has no readable page"},
	facts.TypeWrong:            {"jenisnya tidak tertulis sebagai tanda tangan", "its type is not that of a signature"},
}
