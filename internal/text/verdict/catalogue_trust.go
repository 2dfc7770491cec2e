package verdict

// sentences is the catalogue by code. A test checks that every code has one.
var sentences = mergeSentences(trustSentences, timeSentences, contentSentences, changeSentences, warningSentences, findingSentences, summarySentences)

func mergeSentences(all ...map[string]sentence) map[string]sentence {
	one := map[string]sentence{}
	for _, m := range all {
		for code, s := range m {
			one[code] = s
		}
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
		"Sertifikat {subject} atau penerbitnya membawa syarat wajib yang tidak dikenal.",
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
	"algorithm.signature": {
		"Tanda tangan {subject} memakai {algorithm}, yang hanya dapat diandalkan sampai {until}.",
		"The signature of {subject} uses {algorithm}, which could be relied on only until {until}.",
	},
	"algorithm.signature_unknown": {
		"Tanda tangan {subject} memakai {algorithm}, yang tidak dikenal.",
		"The signature of {subject} uses {algorithm}, which is unknown.",
	},
}
