package text

// retentions are the sentences about retention, legal holds and free space.
var retentions = map[string]sentence{
	"document.removed": {
		"Berkas dokumen ini telah dihapus sesuai masa simpan organisasi. Catatan, sidik digital, dan hasil verifikasi salinan yang Anda miliki tetap berlaku.",
		"The files of this document were removed at the end of the retention period of its organisation. Its records and digests remain, and copies that people have can still be verified."},
	"retention.years": {"Isi 0 (selamanya) atau bilangan bulat dari {least} sampai {most}.", "Enter 0 (for ever) or a whole number from {least} to {most}."},
	"hold.held": {
		"Penahanan hukum berlaku atas data ini, sehingga data tidak dapat dihapus. Hubungi administrator organisasi.",
		"A legal hold covers this, so it cannot be deleted. Ask the administrator of your organisation."},
	"hold.not_found": {"Penahanan hukum tidak ditemukan atau sudah dicabut.", "The legal hold was not found, or has been lifted."},
	"hold.too_many":  {"Organisasi memiliki terlalu banyak penahanan hukum. Cabut yang tidak diperlukan lagi.", "The organisation has too many legal holds. Lift those that are not needed any more."},
	"done.retention": {"Masa simpan dokumen telah disimpan.", "The retention period of documents has been saved."},
	"done.hold_set":  {"Penahanan hukum telah ditetapkan.", "The legal hold has been set."},
	"done.hold_lifted": {
		"Penahanan hukum telah dicabut. Pemilik diberi tahu terlebih dahulu sebelum berkas yang jatuh tempo dihapus.",
		"The legal hold has been lifted. Owners are told before files that are due are removed."},

	"disk.scarce": {
		"Ruang penyimpanan layanan hampir habis. Operator layanan perlu menambahnya sebelum berkas baru ditolak.",
		"The service is running out of storage space. Its operator has to add some before new files are refused."},
	"disk.low": {
		"Ruang penyimpanan layanan habis. Berkas baru ditolak; tanda tangan yang sedang berjalan diselesaikan. Operator layanan perlu menambah ruang.",
		"The service has run out of storage space. New files are refused; signatures in progress are completed. Its operator has to add space."},
	"disk.full": {
		"Tidak ada ruang penyimpanan yang tersisa. Tidak ada yang dapat disimpan sampai operator layanan menambah ruang.",
		"No storage space is left. Nothing can be stored until the operator of the service adds some."},

	"event.removed": {
		"Berkas dihapus sesuai masa simpan {years} tahun[; nomor seri meterai: {serials}]; SHA-256 berkas akhir {digest}",
		"Files removed after a retention period of {years} years[; serials of duty stamps: {serials}]; SHA-256 of the finished file {digest}"},
	"event.retention_changed": {"Mengubah masa simpan dokumen yang selesai[ menjadi {years} tahun]", "Changed how long completed documents are kept[ to {years} years]"},
	"event.removal_announced": {
		"Memberi tahu pemilik tentang {count} dokumen yang berkasnya akan dihapus paling lambat sampai {until}",
		"Told an owner of {count} documents whose files are due to be removed up to {until}"},
	"event.hold_set":    {"Menetapkan penahanan hukum[ atas dokumen {document}]: {reason}", "Set a legal hold[ on document {document}]: {reason}"},
	"event.hold_lifted": {"Mencabut penahanan hukum[ atas dokumen {document}]: {reason}", "Lifted a legal hold[ on document {document}]: {reason}"},

	"mail.subject_removal": {"{organisation}, berkas dokumen Anda akan dihapus", "{organisation}, files of your documents will be removed"},
	"mail.removal": {
		"Masa simpan[ pada {organisation}] berakhir untuk[ {count}] dokumen Anda. Berkasnya dihapus paling cepat 30 hari sejak pesan ini[, secara bertahap sampai {until}].",
		"The retention period[ at {organisation}] ends for[ {count} of] your documents. Their files are removed 30 days after this message at the earliest[, one after the other until {until}]."},
	"mail.removal_care": {
		"Unduh dokumen dan sertifikat bukti yang masih Anda perlukan. Jika dokumen diperlukan untuk perkara hukum, mintalah administrator organisasi menetapkan penahanan hukum. Catatan, sidik digital, dan register meterai tetap disimpan.",
		"Download the documents and evidence certificates that you still need. If a legal case needs a document, ask an administrator of your organisation for a legal hold. Records, digests and the register of duty stamps are kept."},
}
