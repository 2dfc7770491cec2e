package validate

import "segel/pades/validate/facts"

// coverageSentences say within a sentence why a signature does not cover the file as a whole.
var coverageSentences = map[facts.ReasonCode]sentence{
	facts.RangeMissing:         {"tidak tertulis bagian berkas mana yang ditandatangani", "it does not say which part of the file it signs"},
	facts.RangeCount:           {"bagian yang ditandatangani tidak tertulis sebagai satu bagian di muka dan satu di belakangnya", "what it signs is not one part before it and one behind it"},
	facts.RangeNumbers:         {"bagian yang ditandatangani tertulis dengan angka yang tidak mungkin", "it says with numbers that cannot be which part it signs"},
	facts.RangeStart:           {"awal berkas tidak ditandatangani", "the beginning of the file is not signed"},
	facts.RangeGap:             {"di tengah berkas ada bagian yang tidak ditandatangani", "a part in the middle of the file is not signed"},
	facts.RangeEnd:             {"akhir berkas pada waktu itu tidak ditandatangani", "the end of the file, as it stood then, is not signed"},
	facts.RangeOutside:         {"yang ditandatangani lebih panjang daripada berkas: sebagian hilang, atau berkas disusun ulang", "what it signs is longer than the file: some of it is missing, or the file was put together anew"},
	facts.ContentsMissing:      {"isi tanda tangan tidak ada di tempatnya", "what the signer's key made is not where it has to be"},
	facts.ContentsShared:       {"tanda tangan lain memakai isi yang sama", "another signature has the same content"},
	facts.KeyTwice:             {"ada keterangan tanda tangan yang tertulis dua kali, sehingga dapat dibaca dengan dua cara", "something is stated in it twice, so that it can be read in two ways"},
	facts.FieldShared:          {"lebih dari satu kolom memakai tanda tangan ini", "more than one field has this signature"},
	facts.Overlap:              {"letaknya di bagian berkas yang lebih lama daripada yang ditandatanganinya", "it stands in a part of the file that is older than what it signs"},
	facts.JunkBehind:           {"di belakang akhir berkas ada data yang bukan bagian dari dokumen", "behind the end of the file there are bytes that are no part of the document"},
	facts.DictionaryUnreadable: {"keterangan tanda tangan tidak dapat dibaca", "what is stated of the signature cannot be read"},
	facts.DictionaryDiffers:    {"keterangan tanda tangan berbeda dari waktu ditandatangani", "what is stated of the signature is not what was stated when it was made"},
	facts.FieldDiffers:         {"waktu ditandatangani, kolomnya belum memuat tanda tangan ini", "when it was made, its field did not have this signature"},
	facts.RevisionUnsound:      {"keadaan berkas waktu ditandatangani tidak dapat dibaca dengan pasti", "the state of the file when it was signed cannot be read for sure"},
	facts.FileRepaired:         {"berkas rusak, dan hanya dapat dibaca sesudah diperbaiki", "the file is damaged, and can only be read once it is repaired"},
	facts.NoPages:              {"berkas tidak mempunyai halaman yang dapat dibaca", "the file has no page that can be read"},
	facts.TypeWrong:            {"jenisnya tidak tertulis sebagai tanda tangan", "it is not said to be a signature"},
}

// coverageReason says why a signature does not cover the file as a whole. The code, and details in English, are among
// its arguments only.
func coverageReason(r facts.Reason) Reason {
	out := newReason("coverage.broken", "what", string(r.Code), "why", r.Detail)
	said, known := coverageSentences[r.Code]
	if !known {
		said = sentence{"tidak dapat dipastikan apa yang ditutupi", "what it covers cannot be told"}
	}
	s := sentences[out.Code]
	out.Indonesian = fillTemplate(s.id, map[string]string{"said": said.id})
	out.English = fillTemplate(s.en, map[string]string{"said": said.en})
	return out
}
