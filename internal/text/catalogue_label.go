package text

var labels = map[string]sentence{
	"status.draft":         {"Draf", "Draft"},
	"status.converting":    {"Sedang dikonversi", "Being converted"},
	"status.unconvertible": {"Gagal dikonversi", "Conversion failed"},
	"status.processing":    {"Diproses", "In progress"},
	"status.signing":       {"Menunggu tanda tangan", "Waiting for signatures"},
	"status.stamping":      {"Pembubuhan e-meterai", "Being stamped"},
	"status.sealing":       {"Penyelesaian", "Being completed"},
	"status.completed":     {"Selesai", "Completed"},
	"status.rejected":      {"Ditolak", "Declined"},
	"status.canceled":      {"Dibatalkan", "Canceled"},
	"status.expired":       {"Kedaluwarsa", "Expired"},
	"status.failed":        {"Gagal", "Failed"},

	"button.continue": {"Lanjutkan", "Continue"},
	"button.sign":     {"Tanda Tangan", "Sign"},
	"button.download": {"Unduh", "Download"},
	"button.restamp":  {"Bubuhkan Ulang", "Stamp again"},
	"button.view":     {"Lihat", "View"},

	"description.draft":         {"Dokumen masih berupa draf", "The document is still a draft"},
	"description.converting":    {"Dokumen Word sedang dikonversi ke PDF", "The Word document is being converted to PDF"},
	"description.unconvertible": {"Dokumen Word tidak dapat dikonversi ke PDF", "The Word document could not be converted to PDF"},
	"description.signing":       {"Dokumen menunggu tanda tangan", "The document is waiting for signatures"},
	"description.stamping":      {"Dokumen sedang dibubuhi e-meterai", "The document is being stamped"},
	"description.sealing":       {"Dokumen sedang diselesaikan", "The document is being completed"},
	"description.completed":     {"Dokumen telah Selesai", "The document is completed"},
	"description.rejected":      {"Dokumen ditolak[: {reason}]", "The document was declined[: {reason}]"},
	"description.canceled":      {"Dokumen dibatalkan[: {reason}]", "The document was canceled[: {reason}]"},
	"description.expired":       {"Batas waktu dokumen telah lewat", "The document's deadline has passed"},
	"description.failed":        {"Pembubuhan e-meterai gagal[: {reason}]", "Stamping failed[: {reason}]"},

	"periode.all":   {"Semua", "All"},
	"periode.today": {"Hari ini", "Today"},
	"periode.7d":    {"7 hari terakhir", "Last 7 days"},
	"periode.30d":   {"30 hari terakhir", "Last 30 days"},
	"periode.1y":    {"1 tahun terakhir", "Last year"},

	"actor.service": {"Sistem", "System"},
}
