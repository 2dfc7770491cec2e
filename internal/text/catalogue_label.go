package text

var labels = map[string]sentence{
	"status.draft":         {"Draf", "Draft"},
	"status.converting":    {"Sedang Dikonversi", "Being Converted"},
	"status.unconvertible": {"Gagal Dikonversi", "Not Convertible"},
	"status.processing":    {"Diproses", "In progress"},
	"status.signing":       {"Menunggu Tanda Tangan", "Waiting for Signatures"},
	"status.stamping":      {"Proses Pembubuhan e-Meterai", "Being Stamped"},
	"status.sealing":       {"Proses Penyelesaian", "Being Completed"},
	"status.completed":     {"Selesai", "Completed"},
	"status.rejected":      {"Ditolak", "Declined"},
	"status.canceled":      {"Dibatalkan", "Canceled"},
	"status.expired":       {"Kedaluwarsa", "Expired"},
	"status.failed":        {"Gagal", "Failed"},

	"button.continue": {"Lanjutkan", "Continue"},
	"button.sign":     {"Tanda Tangan", "Sign"},
	"button.download": {"Unduh", "Download"},
	"button.restamp":  {"Bubuhkan Ulang", "Stamp Again"},
	"button.view":     {"Lihat", "View"},

	"description.draft":         {"Dokumen masih berupa Draf", "The document is still a draft"},
	"description.converting":    {"Dokumen Word sedang dikonversi ke PDF", "The Word document is being converted to PDF"},
	"description.unconvertible": {"Dokumen Word tidak dapat dikonversi ke PDF", "The Word document could not be converted to PDF"},
	"description.signing":       {"Dokumen menunggu Tanda Tangan", "The document is waiting for signatures"},
	"description.stamping":      {"Dokumen sedang dibubuhi e-Meterai", "The document is being stamped"},
	"description.sealing":       {"Dokumen sedang diselesaikan", "The document is being completed"},
	"description.completed":     {"Dokumen telah Selesai", "The document is completed"},
	"description.rejected":      {"Dokumen Ditolak[: {reason}]", "The document was declined[: {reason}]"},
	"description.canceled":      {"Dokumen Dibatalkan[: {reason}]", "The document was canceled[: {reason}]"},
	"description.expired":       {"Batas waktu dokumen sudah lewat", "The document's time has run out"},
	"description.failed":        {"Pembubuhan e-Meterai Gagal[: {reason}]", "Stamping failed[: {reason}]"},

	"periode.all":   {"Semua", "All"},
	"periode.today": {"Hari Ini", "Today"},
	"periode.7d":    {"7 Hari Terakhir", "Last 7 Days"},
	"periode.30d":   {"30 Hari Terakhir", "Last 30 Days"},
	"periode.1y":    {"1 Tahun Terakhir", "Last Year"},

	"actor.service": {"Sistem", "System"},
}
