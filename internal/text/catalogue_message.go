package text

// messages tell that a verb was done.
var messages = map[string]sentence{
	"done.logout":             {"Berhasil keluar.", "You are logged out."},
	"done.forgot_password":    {"Bila alamat ini memiliki akun, permintaan Anda sudah kami catat. Administrator akan menghubungi Anda.", "If this address has an account, your request was recorded. Your administrator will get in touch."},
	"done.password":           {"Kata sandi diganti. Silakan masuk kembali.", "The password was changed. Please log in again."},
	"done.balance":            {"Berhasil.", "Done."},
	"done.specimen":           {"Gambar tanda tangan disimpan.", "The picture of your signature was saved."},
	"done.specimen_preview":   {"Beginilah gambar tanda tangan akan terlihat.", "This is how the picture of your signature will look."},
	"done.specimen_deleted":   {"Gambar tanda tangan dihapus.", "The picture of your signature was removed."},
	"done.upload":             {"Dokumen berhasil diunggah.", "The document was uploaded."},
	"done.participants":       {"Peserta dokumen disimpan.", "The participants were saved."},
	"done.describe":           {"Judul dan batas waktu disimpan.", "Title and deadline were saved."},
	"done.placement":          {"Penempatan disimpan.", "The placements were saved."},
	"done.finalize_signing":   {"Dokumen dikirim untuk ditandatangani.", "The document is out for signing."},
	"done.finalize_stamping":  {"Dokumen dikirim untuk dibubuhi e-meterai.", "The document is on its way to be stamped."},
	"done.finalize_completed": {"Dokumen telah selesai.", "The document is completed."},
	"done.sign":               {"Dokumen berhasil ditandatangani.", "You have signed the document."},
	"done.reject":             {"Dokumen ditolak.", "The document was declined."},
	"done.cancel":             {"Dokumen dibatalkan.", "The document was canceled."},
	"done.remind":             {"Permintaan pengingat dicatat. Layanan ini tidak mengirim pesan; silakan hubungi para penanda tangan sendiri.", "Your request for a reminder was recorded. This service sends no messages; please contact the signers yourself."},
	"done.restamp":            {"Pembubuhan ulang dimulai.", "Stamping has started again."},
	"done.guest_link":         {"Tautan tamu dibuat; tautan sebelumnya tidak berlaku lagi.", "The guest link was made; the former one is no longer valid."},
	"done.guest_revoke":       {"Tautan tamu dicabut dan tidak dapat digunakan lagi.", "The guest link was revoked and no longer works."},
}
