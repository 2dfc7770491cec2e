package text

// messages confirm that an operation was done.
var messages = map[string]sentence{
	"done.logout":             {"Anda telah keluar.", "You are logged out."},
	"done.forgot_password":    {"Jika alamat ini memiliki akun, permintaan Anda telah dicatat. Administrator akan menghubungi Anda.", "If this address has an account, your request has been recorded. Your administrator will contact you."},
	"done.password":           {"Kata sandi telah diganti. Silakan masuk kembali.", "Your password has been changed. Please log in again."},
	"done.balance":            {"Berhasil.", "Done."},
	"done.specimen":           {"Gambar tanda tangan telah disimpan.", "The picture of your signature has been saved."},
	"done.specimen_preview":   {"Beginilah tampilan gambar tanda tangan Anda.", "This is how the picture of your signature will look."},
	"done.specimen_deleted":   {"Gambar tanda tangan telah dihapus.", "The picture of your signature has been deleted."},
	"done.upload":             {"Dokumen berhasil diunggah.", "The document has been uploaded."},
	"done.participants":       {"Peserta dokumen telah disimpan.", "The participants have been saved."},
	"done.describe":           {"Judul dan batas waktu telah disimpan.", "The title and the deadline have been saved."},
	"done.placement":          {"Penempatan telah disimpan.", "The placements have been saved."},
	"done.finalize_signing":   {"Dokumen telah dikirim untuk ditandatangani.", "The document has been sent for signing."},
	"done.finalize_stamping":  {"Dokumen telah dikirim untuk dibubuhi e-meterai.", "The document has been sent for stamping."},
	"done.finalize_completed": {"Dokumen telah selesai.", "The document is completed."},
	"done.sign":               {"Dokumen berhasil ditandatangani.", "You have signed the document."},
	"done.reject":             {"Dokumen telah ditolak.", "You have declined the document."},
	"done.cancel":             {"Dokumen telah dibatalkan.", "The document has been canceled."},
	"done.remind":             {"Permintaan pengingat telah dicatat. Layanan ini tidak mengirim pesan; silakan hubungi para penanda tangan secara langsung.", "Your request for a reminder has been recorded. This service sends no messages; please contact the signers yourself."},
	"done.restamp":            {"Pembubuhan ulang telah dimulai.", "Stamping has started again."},
	"done.guest_link":         {"Tautan tamu telah dibuat; tautan sebelumnya tidak berlaku lagi.", "The guest link has been created. The previous link is no longer valid."},
	"done.guest_revoke":       {"Tautan tamu telah dicabut dan tidak dapat digunakan lagi.", "The guest link has been revoked and no longer works."},
}
