package validate

// sentences by code. A test holds every code that is used against it.
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
		"Tidak ada sertifikat akar tepercaya yang diberikan, sehingga tidak seorang pun dapat dipercaya.",
		"No trusted roots were given, so nobody can be trusted.",
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
		"Sertifikat {subject} dibuat oleh pemiliknya sendiri; tidak ada yang menjaminnya.",
		"The certificate of {subject} was made by its holder; nobody vouches for it.",
	},
	"chain.critical_extension": {
		"Sertifikat {subject} atau penerbitnya membawa syarat wajib yang tidak dikenal.",
		"The certificate of {subject}, or one of its issuers, carries a critical condition that is not known.",
	},
	"chain.usage": {
		"Sertifikat {subject} atau penerbitnya tidak dibuat untuk tujuan ini.",
		"The certificate of {subject}, or one of its issuers, was not made for this purpose.",
	},
	"chain.constraint": {
		"Rantai sertifikat melanggar syarat pada {subject}: {what}.",
		"The chain of certificates breaks a condition at {subject}: {what}.",
	},
	"identity.not_established": {
		"belum dipastikan; tidak ada penerbit tepercaya yang menjamin penanda tangan ini",
		"not established; no trusted issuer vouches for this signer",
	},
	"identity.issuer_unknown": {
		"sebagaimana diperiksa oleh penerbit sertifikat, {issuer}; apa yang diperiksanya tidak diketahui di sini",
		"as the issuer of the certificate, {issuer}, checked it; what it checks is not known here",
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
		"The signature does not bind the signer's certificate, as PAdES demands.",
	},
	"certificate.key_usage": {
		"Sertifikat {subject} tidak boleh dipakai untuk menandatangani.",
		"The certificate of {subject} is not to be used for signing.",
	},
	"certificate.purpose": {
		"Sertifikat {subject} dibuat untuk tujuan lain daripada menandatangani dokumen.",
		"The certificate of {subject} was made for something else than signing documents.",
	},
	"certificate.expired": {
		"Sertifikat {subject} berakhir pada {until}, dan tidak terbukti bahwa tanda tangan sudah ada sebelum itu.",
		"The certificate of {subject} ended at {until}, and nothing proves that the signature existed by then.",
	},
	"certificate.expired_before": {
		"Sertifikat {subject} berakhir pada {until}; terbukti bahwa tanda tangan dibuat sesudahnya, setelah {after}.",
		"The certificate of {subject} ended at {until}; it is proved that the signature was made later, after {after}.",
	},
	"certificate.outside_validity": {
		"Sertifikat {subject} tidak berlaku pada {at}.",
		"The certificate of {subject} was not valid at {at}.",
	},
	"certificate.not_yet_valid": {
		"Sertifikat {subject} baru berlaku sejak {from}, sedangkan tanda tangan sudah ada pada {at}.",
		"The certificate of {subject} began at {from} only, and the signature existed at {at}.",
	},
	"revocation.good": {
		"Sertifikat {subject} tidak dicabut (bukti: {origin}, {from} sampai {until}).",
		"The certificate of {subject} was not revoked (proof: {origin}, {from} to {until}).",
	},
	"revocation.exempt": {
		"Sertifikat {subject} berumur pendek dan tidak memerlukan bukti pencabutan.",
		"The certificate of {subject} is short-lived and needs no proof about revocation.",
	},
	"revocation.revoked": {
		"Sertifikat {subject} dicabut pada {at} ({why}), dan tidak terbukti bahwa tanda tangan sudah ada sebelum itu.",
		"The certificate of {subject} was revoked at {at} ({why}), and nothing proves that the signature existed by then.",
	},
	"revocation.later": {
		"Sertifikat {subject} dicabut pada {at} ({why}), sesudah tanda tangan terbukti ada.",
		"The certificate of {subject} was revoked at {at} ({why}), after the signature was proved to exist.",
	},
	"revocation.before": {
		"Sertifikat {subject} dicabut pada {at} ({why}), dan terbukti bahwa tanda tangan dibuat sesudahnya.",
		"The certificate of {subject} was revoked at {at} ({why}), and it is proved that the signature was made later.",
	},
	"revocation.ca": {
		"Sertifikat penerbit {subject} dicabut pada {at} ({why}), dan tidak terbukti bahwa tanda tangan sudah ada sebelum itu.",
		"The certificate of the issuer {subject} was revoked at {at} ({why}), and nothing proves that the signature existed by then.",
	},
	"revocation.hold": {
		"Sertifikat {subject} ditangguhkan sejak {at}; coba lagi nanti.",
		"The certificate of {subject} is on hold since {at}; try again later.",
	},
	"revocation.missing": {
		"Tidak ada bukti apakah sertifikat {subject} dicabut.",
		"There is no proof of whether the certificate of {subject} was revoked.",
	},
	"revocation.stale": {
		"Bukti bahwa sertifikat {subject} tidak dicabut hanya berlaku sampai {until}.",
		"The proof that the certificate of {subject} was not revoked speaks until {until} only.",
	},
	"revocation.no_poe": {
		"Bukti tentang sertifikat {subject} mungkin dibuat setelah penerbitnya, {issuer}, tidak lagi dapat diandalkan.",
		"The proof about the certificate of {subject} may have been made after its issuer, {issuer}, could no longer be relied on.",
	},
	"revocation.offline": {
		"Bukti dari jaringan tentang sertifikat {subject} tidak dapat diperoleh.",
		"Proof from the net about the certificate of {subject} could not be had.",
	},
	"revocation.too_much": {
		"Berkas membawa lebih banyak sertifikat atau bukti daripada yang diperiksa; sisanya diabaikan.",
		"The file brings more certificates or proof than are looked at; the rest was left out.",
	},
	"algorithm.certificate": {
		"Sertifikat {subject} memakai {algorithm}, yang hanya dapat diandalkan sampai {until}.",
		"The certificate of {subject} uses {algorithm}, which could be relied on until {until} only.",
	},
	"algorithm.certificate_refused": {
		"Sertifikat {subject} ditandatangani dengan {algorithm}, yang tidak diterima kapan pun.",
		"The certificate of {subject} is signed with {algorithm}, which is not accepted at any time.",
	},
	"algorithm.certificate_unknown": {
		"Sertifikat {subject} memakai {algorithm}, yang tidak dikenal.",
		"The certificate of {subject} uses {algorithm}, which is not known.",
	},
	"algorithm.signature": {
		"Tanda tangan {subject} memakai {algorithm}, yang hanya dapat diandalkan sampai {until}.",
		"The signature of {subject} uses {algorithm}, which could be relied on until {until} only.",
	},
	"algorithm.signature_unknown": {
		"Tanda tangan {subject} memakai {algorithm}, yang tidak dikenal.",
		"The signature of {subject} uses {algorithm}, which is not known.",
	},
}
