package verdict

import (
	"segel/pades/validate"
	"segel/pades/validate/facts"
)

// termSentences explain the terms of the standards that occur in a report.
var termSentences = map[string]sentence{
	string(validate.TotalPassed): {"tanda tangan dapat diandalkan", "the signature can be relied on"},
	string(validate.Indeterminate): {
		"informasi yang tersedia tidak mencukupi; hal ini tidak berarti ada kesalahan",
		"the available information is not sufficient; this does not mean that anything is wrong",
	},
	string(validate.TotalFailed): {"tanda tangan tidak dapat diandalkan", "the signature cannot be relied on"},

	string(validate.FormatFailure): {
		"tanda tangan, atau perubahan pada berkas sesudahnya, tidak sesuai aturan",
		"the signature, or a later change of the file, breaks the rules",
	},
	string(validate.HashFailure): {"isi yang ditandatangani berbeda dari isi yang sekarang", "the signed content is not the current content"},
	string(validate.SigCryptoFailure): {
		"tanda tangan tidak dibuat dengan kunci yang tercantum, atau telah diubah",
		"the signature was not made with the stated key, or was changed",
	},
	string(validate.RevokedBefore): {"dibuat sesudah sertifikatnya dicabut", "made after the certificate was revoked"},
	string(validate.Expired):       {"dibuat sesudah sertifikatnya berakhir", "made after the certificate expired"},
	string(validate.NotYetValid):   {"dibuat sebelum sertifikatnya mulai berlaku", "made before the certificate became valid"},

	string(validate.SigConstraintsFailure):          {"tanda tangan tidak memenuhi syarat", "the signature does not meet a condition"},
	string(validate.ChainConstraintsFailure):        {"sertifikat atau penerbitnya tidak memenuhi syarat", "a certificate or its issuer does not meet a condition"},
	string(validate.CertificateChainGeneralFailure): {"belum ada bukti apakah sertifikatnya dicabut", "it is not known whether a certificate was revoked"},
	string(validate.CryptoConstraintsFailure):       {"algoritmanya sudah tidak dapat diandalkan", "the algorithm is no longer relied on"},
	string(validate.CryptoConstraintsFailureNoPOE): {
		"algoritmanya sudah tidak dapat diandalkan, dan tidak terbukti bahwa tanda tangan lebih tua",
		"the algorithm is no longer relied on, and nothing proves that the signature is older",
	},
	string(validate.TimestampOrderFailure):     {"waktu-waktunya saling bertentangan", "the times contradict each other"},
	string(validate.NoSigningCertificateFound): {"sertifikat penanda tangan tidak ada", "the signer's certificate is missing"},
	string(validate.NoCertificateChainFound): {
		"penerbit sertifikat tidak termasuk yang dipercaya di sini; siapa penanda tangannya belum dipastikan",
		"the certificate's issuer is not among those trusted here; the signer's identity is unknown",
	},
	string(validate.RevokedNoPOE): {
		"sertifikat dicabut, dan tidak terbukti bahwa tanda tangan lebih tua",
		"the certificate was revoked, and nothing proves that the signature is older",
	},
	string(validate.RevokedCANoPOE): {
		"sertifikat penerbit dicabut, dan tidak terbukti bahwa tanda tangan lebih tua",
		"the issuer's certificate was revoked, and nothing proves that the signature is older",
	},
	string(validate.OutOfBoundsNoPOE): {
		"sertifikat tidak berlaku pada waktu itu, dan tidak terbukti bahwa tanda tangan sudah ada ketika sertifikat berlaku",
		"the certificate was not valid then, and nothing proves that the signature existed while it was",
	},
	string(validate.NoPOE): {
		"tidak terbukti bahwa sesuatu sudah ada pada waktu yang diperlukan",
		"nothing proves that something existed by the time needed",
	},
	string(validate.TryLater):           {"data validasi yang ada belum cukup baru; periksa lagi nanti", "the available validation data is not recent enough; check again later"},
	string(validate.SignedDataNotFound): {"tidak dapat dipastikan apa yang ditandatangani", "what was signed cannot be determined"},

	string(validate.LevelPAdES): {"tanda tangan PDF menurut standar Eropa (PAdES) di luar bentuk dasarnya", "a PDF signature by the European standard PAdES, but outside its baseline"},
	string(validate.LevelB):     {"tanda tangan PDF menurut standar Eropa (PAdES) yang dasar; waktunya tidak terbukti", "a basic PDF signature by the European standard PAdES; its time is not proved"},
	string(validate.LevelT):     {"tanda tangan PDF menurut standar Eropa (PAdES) dengan stempel waktu tepercaya", "a PDF signature by the European standard PAdES with a trusted timestamp"},
	string(validate.LevelLT): {
		"tanda tangan PDF menurut standar Eropa (PAdES) dengan stempel waktu tepercaya dan bukti di dalam berkas bahwa sertifikatnya tidak dicabut",
		"a PDF signature by the European standard PAdES with a trusted timestamp, and proof in the file that its certificates were not revoked",
	},
	string(validate.LevelLTA): {
		"tanda tangan PDF menurut standar Eropa (PAdES) yang masih dapat diperiksa bertahun-tahun kemudian: dengan stempel waktu, bukti di dalam berkas bahwa sertifikatnya tidak dicabut, dan stempel waktu atas bukti itu",
		"a PDF signature by the European standard PAdES that can still be checked years later: with a timestamp, proof in the file that its certificates were not revoked, and a timestamp over that proof",
	},

	string(facts.FormCAdES):    {"bentuk tanda tangan menurut PAdES", "the format of PAdES signatures"},
	string(facts.FormDetached): {"bentuk tanda tangan PDF yang lama", "the older format of PDF signatures"},
	string(facts.FormSHA1):     {"bentuk tanda tangan PDF yang sangat lama", "a very old format of PDF signatures"},
	string(facts.FormRSA):      {"bentuk tanda tangan PDF yang sangat lama", "a very old format of PDF signatures"},
}

// revisionTerm explains the term revision.
var revisionTerm = sentence{
	"keadaan berkas: setiap perubahan atau tanda tangan menambahkan satu revisi setelah revisi sebelumnya, yang tetap ada",
	"a state of the file: every change or signature adds one after the earlier ones, which remain",
}

// listTerms returns the terms of the standards in a report, in the order of their first use.
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
		if s.Kind != validate.KindTimestamp {
			add(string(s.Level))
			add(s.Form)
		}
	}
	return list
}
