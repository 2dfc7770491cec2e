package verdict

import "segel/pades/validate/facts"

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
