package text

// events tell the audit trail. Arguments are the event's details.
var events = map[string]words{
	"event.uploaded":              {"Mengunggah dokumen[ dari berkas {filename}]", "Uploaded the document[ from the file {filename}]"},
	"event.participants_changed":  {"Mengubah peserta dokumen", "Changed the participants"},
	"event.placed":                {"Menentukan penempatan[ ({placements})]", "Set the placements[ ({placements})]"},
	"event.finalized":             {"Memfinalisasi dokumen", "Finalized the document"},
	"event.viewed":                {"Melihat dokumen", "Viewed the document"},
	"event.sign_intended":         {"Menyetujui untuk menandatangani", "Agreed to sign"},
	"event.signed":                {"Menandatangani dokumen", "Signed the document"},
	"event.rejected":              {"Menolak dokumen[: {reason}]", "Rejected the document[: {reason}]"},
	"event.canceled":              {"Membatalkan dokumen[: {reason}]", "Canceled the document[: {reason}]"},
	"event.expired":               {"Batas waktu dokumen lewat", "The document's time ran out"},
	"event.deleted":               {"Menghapus draf", "Deleted the draft"},
	"event.reminded":              {"Mengingatkan para penanda tangan", "Reminded the signers"},
	"event.guest_link_handed_out": {"Mengambil tautan tamu untuk diserahkan sendiri; kepemilikan kotak surat tamu tidak dibuktikan", "Took a guest's link to hand out himself; no mailbox was proven"},
	"event.serial_ordered":        {"Memesan nomor seri e-meterai", "Ordered the serial of a stamp"},
	"event.serial_bound":          {"Menerima nomor seri e-meterai[ {serial}]", "Received the serial of a stamp[ {serial}]"},
	"event.stamped":               {"Membubuhkan e-meterai[ {serial}]", "Affixed the stamp[ {serial}]"},
	"event.stamp_failed":          {"Pembubuhan e-meterai[ {serial}] gagal[: {problem}]", "Stamping[ {serial}] failed[: {problem}]"},
	"event.restamp":               {"Meminta pembubuhan ulang", "Asked to stamp again"},
	"event.completed":             {"Menyelesaikan dan menyegel dokumen", "Completed and sealed the document"},
	"event.closing_delayed":       {"Penutupan dokumen tertunda[: {problem}]", "Closing the document is delayed[: {problem}]"},
	"event.normalised":            {"Menata ulang berkas sekali sebelum tanda tangan pertama; berkas asli disimpan", "Rewrote the file once, before the first signature; the original is kept"},
	"event.password_forgotten":    {"Meminta kata sandi baru", "Asked for a new password"},
}
