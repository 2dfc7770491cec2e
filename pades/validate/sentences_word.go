package validate

import "segel/pades/validate/facts"

// termSentences say what the words of the standards mean that stand in a report.
var termSentences = map[string]sentence{
	string(TotalPassed): {"tanda tangan dapat diandalkan", "the signature can be relied on"},
	string(Indeterminate): {
		"yang diketahui tidak cukup untuk memastikan; ini bukan bukti bahwa ada yang salah",
		"what is known does not suffice to tell; it does not prove that anything is wrong",
	},
	string(TotalFailed): {"tanda tangan tidak dapat diandalkan", "the signature cannot be relied on"},

	string(FormatFailure): {
		"tanda tangan, atau apa yang terjadi pada berkas sesudahnya, tidak sesuai aturan",
		"the signature, or what became of the file afterwards, is not as the rules have it",
	},
	string(HashFailure): {"isi yang ditandatangani bukan lagi isi yang sekarang", "what was signed is not what is there now"},
	string(SigCryptoFailure): {
		"tanda tangan tidak dibuat oleh kunci yang tertulis, atau diubah",
		"the signature was not made by the key that it names, or was changed",
	},
	string(RevokedBefore): {"dibuat sesudah sertifikatnya dicabut", "made after the certificate was revoked"},
	string(Expired):       {"dibuat sesudah sertifikatnya berakhir", "made after the certificate had ended"},
	string(NotYetValid):   {"dibuat sebelum sertifikatnya mulai berlaku", "made before the certificate began"},

	string(SigConstraintsFailure):          {"tanda tangan tidak memenuhi syarat", "the signature does not meet a condition"},
	string(ChainConstraintsFailure):        {"sertifikat atau penerbitnya tidak memenuhi syarat", "a certificate, or its issuer, does not meet a condition"},
	string(CertificateChainGeneralFailure): {"belum ada bukti apakah sertifikatnya dicabut", "there is no proof of whether a certificate was revoked"},
	string(CryptoConstraintsFailure):       {"cara penandatanganannya sudah tidak dapat diandalkan", "the way in which it was signed is no longer relied on"},
	string(CryptoConstraintsFailureNoPOE): {
		"cara penandatanganannya sudah tidak dapat diandalkan, dan tidak terbukti bahwa tanda tangan lebih tua",
		"the way in which it was signed is no longer relied on, and nothing proves that the signature is older",
	},
	string(TimestampOrderFailure):     {"waktu-waktunya saling bertentangan", "the times contradict each other"},
	string(NoSigningCertificateFound): {"sertifikat penanda tangan tidak ada", "the signer's certificate is missing"},
	string(NoCertificateChainFound): {
		"penerbit sertifikat tidak termasuk yang dipercaya di sini; siapa penanda tangannya belum dipastikan",
		"the certificate's issuer is not among those trusted here; who signed is not established",
	},
	string(RevokedNoPOE): {
		"sertifikat dicabut, dan tidak terbukti bahwa tanda tangan lebih tua",
		"the certificate was revoked, and nothing proves that the signature is older",
	},
	string(RevokedCANoPOE): {
		"sertifikat penerbit dicabut, dan tidak terbukti bahwa tanda tangan lebih tua",
		"the issuer's certificate was revoked, and nothing proves that the signature is older",
	},
	string(OutOfBoundsNoPOE): {
		"sertifikat tidak berlaku pada waktu itu, dan tidak terbukti bahwa tanda tangan ada waktu sertifikat berlaku",
		"the certificate was not valid then, and nothing proves that the signature existed while it was",
	},
	string(NoPOE): {
		"tidak terbukti bahwa sesuatu sudah ada pada waktu yang diperlukan",
		"nothing proves that something existed by the time needed",
	},
	string(TryLater):           {"bukti yang ada belum cukup baru; periksa lagi nanti", "the proof at hand is not recent enough; check again later"},
	string(SignedDataNotFound): {"tidak dapat dipastikan apa yang ditandatangani", "what was signed cannot be told"},

	string(LevelPAdES): {"tanda tangan PDF Eropa (PAdES) di luar bentuk dasarnya", "a European PDF signature (PAdES), outside of its basic form"},
	string(LevelB):     {"tanda tangan PDF Eropa (PAdES) yang dasar; waktunya tidak terbukti", "a basic European PDF signature (PAdES); its time is not proved"},
	string(LevelT):     {"tanda tangan PDF Eropa (PAdES) dengan stempel waktu tepercaya", "a European PDF signature (PAdES) with a trusted timestamp"},
	string(LevelLT): {
		"tanda tangan PDF Eropa (PAdES) dengan stempel waktu tepercaya dan bukti di dalam berkas bahwa sertifikatnya tidak dicabut",
		"a European PDF signature (PAdES) with a trusted timestamp, and with proof in the file that no certificate was revoked",
	},
	string(LevelLTA): {
		"tanda tangan PDF Eropa (PAdES) yang masih dapat diperiksa bertahun-tahun kemudian: dengan stempel waktu, bukti di dalam berkas bahwa sertifikatnya tidak dicabut, dan stempel waktu atas bukti itu",
		"a European PDF signature (PAdES) that can still be checked years later: with a timestamp, proof in the file that no certificate was revoked, and a timestamp over that proof",
	},

	string(facts.FormCAdES):    {"bentuk tanda tangan menurut PAdES", "the form of signatures by PAdES"},
	string(facts.FormDetached): {"bentuk tanda tangan PDF yang lama", "the older form of PDF signatures"},
	string(facts.FormSHA1):     {"bentuk tanda tangan PDF yang sangat lama", "a very old form of PDF signatures"},
	string(facts.FormRSA):      {"bentuk tanda tangan PDF yang sangat lama", "a very old form of PDF signatures"},
}

// revisionTerm explains what the text calls a revision.
var revisionTerm = sentence{
	"keadaan berkas: siapa pun yang mengubah atau menandatangani menambah satu di belakang yang lama, yang tetap ada",
	"a state of the file: whoever changes or signs it adds one behind the old ones, which stay",
}

// listTerms are those of the standards that stand in a report, in the order in which they are met.
func (r *Report) listTerms() (list []string) {
	met := map[string]bool{}
	add := func(w string) {
		if _, known := termSentences[w]; known && !met[w] {
			met[w] = true
			list = append(list, w)
		}
	}
	add(string(r.Indication))
	add(string(r.SubIndication))
	for _, s := range r.Signatures {
		add(string(s.Indication))
		add(string(s.SubIndication))
		if s.Kind != KindTimestamp {
			add(string(s.Level))
			add(s.Form)
		}
	}
	return list
}
