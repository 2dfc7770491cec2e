package text

// organisations are the sentences about organisations as such.
var organisations = map[string]sentence{
	"organisation.exists": {"Organisasi lain sudah memakai nama ini.", "Another organisation has this name."},
	"organisation.suspended": {
		"Organisasi ini sedang ditangguhkan. Hubungi administrator organisasi atau operator layanan.",
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

	"switch.not_found":                {"Anda belum masuk ke organisasi ini pada perangkat ini. Tambahkan organisasi tersebut terlebih dahulu.", "You are not logged in to this organisation on this device. Add it first."},
	"switch.provider":                 {"Organisasi ini sekarang meminta Anda masuk melalui penyedia identitasnya.", "This organisation now requires a login with its identity provider."},
	"switch.too_many":                 {"Terlalu banyak organisasi pada perangkat ini; paling banyak {limit}.", "Too many organisations on this device; at most {limit}."},
	"done.left":                       {"Anda telah keluar dari organisasi itu.", "You are logged out of that organisation."},
	"invitation.not_found":            {"Undangan tidak ditemukan atau sudah berakhir.", "The invitation was not found, or has ended."},
	"invitation.has_account":          {"{email} sudah memiliki akun di organisasi ini.", "{email} has an account in this organisation already."},
	"invitation.has_disabled_account": {"{email} sudah memiliki akun di organisasi ini, tetapi akun tersebut dinonaktifkan. Aktifkan kembali akun itu.", "{email} has an account in this organisation, which is disabled. Enable that account again."},
	"invitation.link_invalid":         {"Tautan undangan ini tidak dikenal. Pastikan seluruh tautan tersalin, atau mintalah undangan baru.", "This invitation link is unknown. Check that the whole link was copied, or ask for another invitation."},
	"invitation.used":                 {"Undangan ini sudah diterima: akunnya sudah ada. Silakan masuk dengan akun tersebut.", "This invitation was accepted, and the account exists. Please log in with it."},
	"invitation.revoked":              {"Undangan ini telah dibatalkan oleh administrator organisasi.", "An administrator of the organisation revoked this invitation."},
	"invitation.replaced":             {"Undangan ini telah digantikan oleh undangan yang lebih baru. Gunakan tautan dalam pesan terbaru.", "This invitation was replaced by a newer one. Use the link in the newest message."},
	"invitation.expired":              {"Undangan ini telah kedaluwarsa. Mintalah undangan baru kepada administrator organisasi.", "This invitation has expired. Ask an administrator of the organisation for another one."},
	"invitation.lapsed":               {"Undangan ini tidak berlaku lagi karena pengundangnya bukan lagi administrator organisasi. Mintalah undangan baru.", "This invitation is no longer valid, because the person who invited you does not administer the organisation any more. Ask for another one."},
	"invitation.provider":             {"Organisasi ini tidak menerima kata sandi. Masuklah melalui penyedia identitas organisasi.", "This organisation accepts no password. Log in with its identity provider."},
	"done.invited":                    {"Undangan sedang dikirim. Tautannya berlaku tujuh hari.", "The invitation is being sent. Its link is valid for seven days."},
	"done.invitation_revoked":         {"Undangan telah dibatalkan.", "The invitation has been revoked."},
	"done.invitation_accepted":        {"Akun Anda telah dibuat.", "Your account has been created."},
	"event.invitation_sent":           {"Mengundang[ {name}][ <{email}>][ sebagai {role}]", "Invited[ {name}][ <{email}>][ as {role}]"},
	"event.invitation_revoked":        {"Membatalkan undangan[ {name}][ <{email}>]", "Revoked the invitation[ of {name}][ <{email}>]"},
	"event.invitation_accepted":       {"Menerima undangan[ dan membuat akun {name}][ <{email}>][ sebagai {role}]", "Accepted the invitation[ and created the account of {name}][ <{email}>][ as {role}]"},

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
