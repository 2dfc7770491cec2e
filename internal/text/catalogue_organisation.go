package text

// organisations are the sentences about organisations as such.
var organisations = map[string]sentence{
	"organisation.exists": {"Organisasi lain sudah memakai nama ini.", "Another organisation has this name."},
	"organisation.suspended": {
		"Organisasi ini sedang ditangguhkan. Hubungi administrator organisasi atau pengelola layanan.",
		"This organisation is suspended. Ask its administrator or the operator of the service."},
	"organisation.closed": {
		"Organisasi ini telah ditutup. Dokumen yang sudah selesai tetap dapat diverifikasi.",
		"This organisation has been closed. Completed documents can still be verified."},
	"organisation.first": {
		"Organisasi yang mengelola layanan ini tidak dapat ditangguhkan atau ditutup.",
		"The organisation that runs this service cannot be suspended or closed."},
	"organisation.ended":      {"Organisasi ini telah ditutup dan tidak dapat diubah lagi.", "This organisation has been closed and cannot be changed any more."},
	"organisation.same_state": {"Organisasi ini sudah dalam keadaan tersebut.", "The organisation is in this state already."},
	"organisation.other_name": {"Ketik nama organisasi persis seperti yang ditampilkan.", "Enter the name of the organisation exactly as it is shown."},
	"notice.suspended":        {"Organisasi ditangguhkan. Pesan menunggu sampai organisasi diaktifkan kembali.", "The organisation is suspended. The message waits until it is resumed."},

	"done.organisation_added":     {"Organisasi telah dibuat. Tambahkan administrator pertamanya dan kuotanya.", "The organisation has been created. Add its first administrator and its quota."},
	"done.organisation_renamed":   {"Nama organisasi telah diubah. Yang sudah ditandatangani tetap memuat nama sebelumnya.", "The organisation has been renamed. What was signed before keeps the former name."},
	"done.organisation_suspended": {"Organisasi telah ditangguhkan.", "The organisation has been suspended."},
	"done.organisation_resumed":   {"Organisasi telah diaktifkan kembali.", "The organisation has been resumed."},
	"done.organisation_closed":    {"Organisasi telah ditutup.", "The organisation has been closed."},

	"event.organisation_added":     {"Membuat organisasi[ {name}]", "Created the organisation[ {name}]"},
	"event.organisation_renamed":   {"Mengubah nama organisasi[ {name}][ menjadi {new_name}]", "Renamed the organisation[ {name}][ to {new_name}]"},
	"event.organisation_suspended": {"Menangguhkan organisasi[ {name}][; alasan: {reason}]", "Suspended the organisation[ {name}][; reason: {reason}]"},
	"event.organisation_resumed":   {"Mengaktifkan kembali organisasi[ {name}]", "Resumed the organisation[ {name}]"},
	"event.organisation_closed":    {"Menutup organisasi[ {name}] untuk seterusnya[; alasan: {reason}]", "Closed the organisation[ {name}] for ever[; reason: {reason}]"},
}
