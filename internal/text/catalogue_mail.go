package text

// mails are the sentences of mailed messages. Their subjects begin with "mail.subject_".
var mails = map[string]sentence{
	"mail.greeting":           {"Yth. Bapak/Ibu {name},", "Dear {name},"},
	"mail.greeting_anonymous": {"Dengan hormat,", "Hello,"},

	"mail.subject_invite_sign":        {"{sender} meminta tanda tangan Anda: {title}", "{sender} asks you to sign: {title}"},
	"mail.subject_invite_approve":     {"{sender} meminta persetujuan Anda: {title}", "{sender} asks you to approve: {title}"},
	"mail.subject_reminder_approve":   {"Pengingat: dokumen “{title}” menunggu persetujuan Anda", "Reminder: “{title}” is waiting for your approval"},
	"mail.subject_invite_view":        {"{sender} membagikan dokumen: {title}", "{sender} shares a document with you: {title}"},
	"mail.subject_reminder":           {"Pengingat dari {sender}, dokumen menunggu tanda tangan Anda: {title}", "Reminder from {sender}, a document is waiting for your signature: {title}"},
	"mail.subject_delegated":          {"{sender}, penanda tangan diganti: {title}", "{sender}, another person signs: {title}"},
	"mail.subject_delegated_approval": {"{sender}, penyetuju diganti: {title}", "{sender}, another person approves: {title}"},
	"mail.subject_declined":           {"{sender}, dokumen ditolak: {title}", "{sender}, document declined: {title}"},
	"mail.subject_canceled":           {"{sender}, dokumen dibatalkan: {title}", "{sender}, document canceled: {title}"},
	"mail.subject_expired":            {"{sender}, batas waktu dokumen telah lewat: {title}", "{sender}, the deadline of a document has passed: {title}"},
	"mail.subject_completed":          {"{sender}, dokumen selesai: {title}", "{sender}, document completed: {title}"},
	"mail.subject_code":               {"{sender}, kode Anda", "{sender}, your code"},

	"mail.subject_invitation":       {"{organisation} mengundang Anda ke Segel", "{organisation} invites you to Segel"},
	"mail.subject_password_reset":   {"{organisation}, kata sandi baru untuk akun Segel Anda", "{organisation}, a new password for your Segel account"},
	"mail.subject_password_changed": {"{organisation}, kata sandi akun Segel Anda telah diganti", "{organisation}, the password of your Segel account was changed"},
	"mail.subject_new_device":       {"{organisation}, akun Segel Anda digunakan pada perangkat baru", "{organisation}, your Segel account was used on a new device"},
	"mail.subject_factor_added":     {"{organisation}, faktor kedua ditambahkan ke akun Segel Anda", "{organisation}, a second factor was added to your Segel account"},
	"mail.subject_factor_removed":   {"{organisation}, faktor kedua dihapus dari akun Segel Anda", "{organisation}, a second factor was removed from your Segel account"},
	"mail.subject_key_created":      {"{organisation}, kunci API dibuat untuk akun Segel Anda", "{organisation}, an API key was created for your Segel account"},
	"mail.subject_key_new_network":  {"{organisation}, kunci API digunakan dari jaringan baru", "{organisation}, an API key was used from a new network"},
	"mail.subject_login_failures":   {"{organisation}, banyak percobaan masuk yang gagal", "{organisation}, many logins failed"},
	"mail.subject_transferred":      {"{organisation}, dokumen dialihkan kepada Anda", "{organisation}, documents were transferred to you"},
	"mail.subject_factors_reset":    {"{organisation}, faktor kedua akun Segel Anda direset", "{organisation}, the second factors of your Segel account were reset"},

	"mail.invitation": {
		"{by} mengundang Anda untuk bergabung[ dengan {organisation}] di Segel, layanan tanda tangan elektronik.",
		"{by} invites you to join[ {organisation} on] Segel, a service for electronic signatures."},
	"mail.invitation_unnamed": {
		"Anda diundang untuk bergabung[ dengan {organisation}] di Segel, layanan tanda tangan elektronik.",
		"You are invited to join[ {organisation} on] Segel, a service for electronic signatures."},
	"mail.invitation_do": {
		"Buat akun Anda melalui tautan ini[ paling lambat {deadline}]. Tautan hanya dapat digunakan satu kali.",
		"Create your account with this link[ by {deadline}]. The link can be used once."},
	"mail.invitation_care": {
		"Jangan meneruskan pesan ini: siapa pun yang memiliki tautan ini dapat membuat akun atas nama Anda. Bila Anda tidak mengenal pengundang, abaikan pesan ini.",
		"Do not forward this message: any person who has the link can create the account in your name. If you do not know who invites you, ignore this message."},
	"mail.password_reset": {
		"Kami menerima permintaan kata sandi baru untuk akun[ {account}][ pada {organisation}].",
		"We received a request for a new password for the account[ {account}][ at {organisation}]."},
	"mail.password_reset_do": {
		"Tentukan kata sandi baru melalui tautan ini[ paling lambat {deadline}]. Tautan hanya dapat digunakan satu kali. Setelah itu semua sesi akun Anda diakhiri.",
		"Choose a new password with this link[ by {deadline}]. The link can be used once. All sessions of your account end then."},
	"mail.password_reset_care": {
		"Bila Anda tidak memintanya, abaikan pesan ini: kata sandi Anda tidak berubah. Jangan meneruskan pesan ini kepada siapa pun.",
		"If you did not ask for it, ignore this message: your password stays as it is. Do not forward this message to anyone."},
	"mail.password_changed": {
		"Kata sandi akun[ {account}][ pada {organisation}] telah diganti. Semua sesi akun telah diakhiri.",
		"The password of the account[ {account}][ at {organisation}] was changed. All sessions of the account have ended."},
	"mail.password_changed_care": {
		"Bila bukan Anda yang menggantinya, segera hubungi administrator organisasi Anda dan amankan akun e-mail Anda.",
		"If you did not change it, contact the administrator of your organisation at once and secure your mailbox."},
	"mail.key_created": {
		"Kunci API[ “{about}”] telah dibuat untuk akun[ {account}][ pada {organisation}]. Program yang memiliki kunci itu dapat bertindak sebagai Anda dalam batas cakupannya.",
		"The API key[ “{about}”] was created for the account[ {account}][ at {organisation}]. A program that has it acts as you, within its scopes."},
	"mail.key_created_care": {
		"Bila bukan Anda yang membuatnya, segera cabut kunci itu, ganti kata sandi Anda, dan hubungi administrator organisasi Anda.",
		"If you did not create it, revoke the key at once, change your password and contact the administrator of your organisation."},
	"mail.key_new_network": {
		"Sebuah kunci API[ pada {organisation}] digunakan dari jaringan yang sebelumnya belum pernah digunakan.",
		"An API key[ at {organisation}] was used from a network from which it had not been used before."},
	"mail.key_new_network_care": {
		"Bila program Anda kini berjalan di jaringan itu, tidak ada yang perlu dilakukan. Bila tidak, segera cabut kunci itu.",
		"If your program runs in that network now, there is nothing to do. If not, revoke the key at once."},
	"mail.login_failures": {
		"Dalam satu jam terakhir banyak percobaan masuk ke akun[ pada {organisation}] gagal. Mungkin ada pihak yang menebak kata sandi.",
		"Within the last hour, many logins to accounts[ at {organisation}] failed. Someone may be guessing passwords."},
	"mail.login_failures_care": {
		"Periksa daftar login di halaman administrasi, dan pertimbangkan untuk mewajibkan faktor kedua. Selama enam jam berikutnya tidak ada pemberitahuan lain tentang hal ini.",
		"Look at the list of logins on the administration page, and consider requiring a second factor. For the next six hours there is no other message about this."},
	"mail.transferred": {
		"{by} telah mengalihkan seluruh dokumen[ milik {about}][ pada {organisation}] kepada Anda. Sekarang Anda adalah pemilik dokumen-dokumen tersebut.",
		"{by} transferred all documents[ of {about}][ at {organisation}] to you. You are their owner now."},
	"mail.transferred_unnamed": {
		"Seluruh dokumen[ milik {about}][ pada {organisation}] telah dialihkan kepada Anda. Sekarang Anda adalah pemilik dokumen-dokumen tersebut.",
		"All documents[ of {about}][ at {organisation}] were transferred to you. You are their owner now."},
	"mail.transferred_care": {
		"Pesan tentang dokumen-dokumen itu kini dikirimkan kepada Anda. Periksa dokumen yang masih berjalan dan draf yang belum dikirim.",
		"Messages about these documents are sent to you now. Look at those that are in progress, and at the drafts that were not sent."},
	"mail.factor_added": {
		"Faktor kedua telah ditambahkan ke akun[ {account}][ pada {organisation}]. Faktor tersebut dapat digunakan untuk masuk.",
		"A second factor was added to the account[ {account}][ at {organisation}]. It can be used to log in."},
	"mail.factor_removed": {
		"Faktor kedua telah dihapus dari akun[ {account}][ pada {organisation}].",
		"A second factor was removed from the account[ {account}][ at {organisation}]."},
	"mail.factor_care": {
		"Bila ini Anda, tidak ada yang perlu dilakukan. Bila bukan, segera ganti kata sandi Anda dan hubungi administrator organisasi Anda.",
		"If this was you, there is nothing to do. If it was not, change your password at once and contact the administrator of your organisation."},
	"mail.factors_reset": {
		"Seorang administrator telah menghapus semua faktor kedua dari akun[ {account}][ pada {organisation}]. Semua sesi akun telah diakhiri.",
		"An administrator removed all second factors from the account[ {account}][ at {organisation}]. All sessions of the account have ended."},
	"mail.factors_reset_care": {
		"Masuklah dengan kata sandi Anda, lalu tambahkan faktor kedua yang baru. Bila Anda tidak memintanya, hubungi administrator organisasi Anda.",
		"Log in with your password, then add a new second factor. If you did not ask for this, contact the administrator of your organisation."},
	"mail.new_device": {
		"Akun[ {account}][ pada {organisation}] baru saja digunakan pada perangkat yang belum pernah digunakan sebelumnya.",
		"The account[ {account}][ at {organisation}] was just used on a device that had not been used before."},
	"mail.new_device_care": {
		"Bila ini Anda, tidak ada yang perlu dilakukan. Bila bukan, segera ganti kata sandi Anda. Dengan demikian semua sesi akun berakhir.",
		"If this was you, there is nothing to do. If it was not, change your password at once. That ends all sessions of the account.",
	},

	"mail.invite_sign": {
		"{sender}[ dari {organisation}] meminta Anda menandatangani dokumen “{title}”.",
		"{sender}[ of {organisation}] asks you to sign the document “{title}”."},
	"mail.invite_sign_do": {
		"Mohon baca dokumen tersebut, lalu tandatangani secara elektronik[ paling lambat {deadline}].",
		"Please read the document and sign it electronically[ by {deadline}]."},
	"mail.invite_approve": {
		"{sender}[ dari {organisation}] meminta persetujuan Anda atas dokumen “{title}”.",
		"{sender}[ of {organisation}] asks you to approve the document “{title}”."},
	"mail.invite_approve_do": {
		"Mohon baca dokumen tersebut, lalu setujui atau tolak[ paling lambat {deadline}]. Tanda tangan Anda tidak diperlukan.",
		"Please read the document and approve or decline it[ by {deadline}]. Your signature is not required."},
	"mail.invite_witness": {
		"{sender}[ dari {organisation}] meminta Anda menandatangani dokumen “{title}” sebagai saksi.",
		"{sender}[ of {organisation}] asks you to sign the document “{title}” as a witness."},
	"mail.reminder_approve": {
		"{sender}[ dari {organisation}] mengingatkan bahwa dokumen “{title}” masih menunggu persetujuan Anda.",
		"{sender}[ of {organisation}] reminds you that the document “{title}” is waiting for your approval."},
	"mail.reminder_approve_do": {
		"Mohon baca dokumen tersebut, lalu setujui[ paling lambat {deadline}]. Bila Anda tidak setuju, Anda dapat menolaknya pada halaman yang sama.",
		"Please read the document and approve it[ by {deadline}]. If you do not agree, you can decline on the same page."},
	"mail.invite_view": {
		"{sender}[ dari {organisation}] membagikan dokumen “{title}” kepada Anda.",
		"{sender}[ of {organisation}] shares the document “{title}” with you."},
	"mail.invite_view_do": {
		"Anda dapat membaca dokumen tersebut. Tanda tangan Anda tidak diperlukan.",
		"You can read the document. Your signature is not required."},
	"mail.reminder": {
		"{sender}[ dari {organisation}] mengingatkan bahwa dokumen “{title}” masih menunggu tanda tangan Anda.",
		"{sender}[ of {organisation}] reminds you that the document “{title}” is waiting for your signature."},
	"mail.reminder_do": {
		"Mohon baca dan tandatangani dokumen tersebut[ paling lambat {deadline}]. Bila Anda tidak setuju, Anda dapat menolaknya pada halaman yang sama.",
		"Please read and sign the document[ by {deadline}]. If you do not agree, you can decline on the same page."},
	"mail.delegated_to_you": {
		"{delegated_by} mengalihkan penandatanganan ini kepada Anda. Pengirim dokumen mengizinkannya.",
		"{delegated_by} passed this signature to you, as the sender of the document allows."},
	"mail.delegated_to_you_approval": {
		"{delegated_by} mengalihkan persetujuan ini kepada Anda. Pengirim dokumen mengizinkannya.",
		"{delegated_by} passed this approval to you, as the sender of the document allows."},
	"mail.group_sign": {
		"Permintaan ini juga ditujukan kepada {others}. Tanda tangan salah satu dari Anda sudah cukup.",
		"{others} received the same request. The signature of any one of you is enough."},
	"mail.group_approve": {
		"Permintaan ini juga ditujukan kepada {others}. Persetujuan salah satu dari Anda sudah cukup.",
		"{others} received the same request. The approval of any one of you is enough."},
	"mail.approved":   {"disetujui", "approved"},
	"mail.approve_it": {"menyetujuinya", "approved"},
	"mail.delegated_approval": {
		"{by} mengalihkan persetujuan dokumen “{title}”[ kepada {delegate}], yang kini diminta menyetujuinya.",
		"{by} passed their approval of the document “{title}” to another person[, {delegate}], who is now asked to approve."},
	"mail.delegated_approval_unnamed": {
		"Seorang penyetuju mengalihkan persetujuan dokumen “{title}”[ kepada {delegate}], yang kini diminta menyetujuinya.",
		"An approver passed their approval of the document “{title}” to another person[, {delegate}], who is now asked to approve."},
	"mail.delegated": {
		"{by} mengalihkan penandatanganan dokumen “{title}”[ kepada {delegate}], yang kini diminta menandatanganinya.",
		"{by} passed their signature of the document “{title}” to another person[, {delegate}], who is now asked to sign."},
	"mail.delegated_unnamed": {
		"Seorang penanda tangan mengalihkan penandatanganan dokumen “{title}”[ kepada {delegate}], yang kini diminta menandatanganinya.",
		"A signer passed their signature of the document “{title}” to another person[, {delegate}], who is now asked to sign."},
	"mail.declined": {
		"{by} menolak dokumen “{title}”. Dokumen ini tidak dapat ditandatangani[ atau {approved}] lagi.",
		"{by} declined the document “{title}”. It can no longer be signed[ or {approved}]."},
	"mail.declined_unnamed": {
		"Dokumen “{title}” ditolak oleh salah satu peserta dan tidak dapat ditandatangani[ atau {approved}] lagi.",
		"A participant declined the document “{title}”. It can no longer be signed[ or {approved}]."},
	"mail.canceled": {
		"{by} membatalkan dokumen “{title}”. Dokumen ini tidak dapat ditandatangani[ atau {approved}] lagi, dan Anda tidak perlu melakukan apa pun.",
		"{by} canceled the document “{title}”. It can no longer be signed[ or {approved}], and you do not need to do anything."},
	"mail.canceled_unnamed": {
		"Dokumen “{title}” dibatalkan. Dokumen ini tidak dapat ditandatangani[ atau {approved}] lagi, dan Anda tidak perlu melakukan apa pun.",
		"The document “{title}” was canceled. It can no longer be signed[ or {approved}], and you do not need to do anything."},
	"mail.expired": {
		"Batas waktu dokumen “{title}” telah lewat[ pada {deadline}] sebelum semua pihak menandatanganinya[ atau {approve_it}]. Dokumen ini tidak dapat ditandatangani[ atau {approved}] lagi.",
		"The deadline of the document “{title}” passed[ on {deadline}] before everyone had signed[ or {approve_it}]. It can no longer be signed[ or {approved}]."},
	"mail.completed": {
		"Dokumen “{title}” telah selesai: semua tanda tangan dan e-meterai yang diperlukan sudah lengkap.",
		"The document “{title}” is completed: it has all the signatures and e-meterai (duty stamps) that it needs."},
	"mail.completed_do": {
		"Silakan unduh dokumen tersebut dan simpan sebagai berkas PDF. Hasil cetaknya tidak memuat tanda tangan elektronik.",
		"Please download the document and keep it as a PDF file. A printout does not contain the electronic signatures."},
	"mail.completed_attached": {
		"Dokumen tersebut terlampir. Simpanlah sebagai berkas PDF; hasil cetaknya tidak memuat tanda tangan elektronik.",
		"The document is attached. Please keep it as a PDF file; a printout does not contain the electronic signatures."},
	"mail.completed_attached_both": {
		"Dokumen tersebut dan sertifikat buktinya terlampir. Simpanlah keduanya sebagai berkas PDF; hasil cetaknya tidak memuat tanda tangan elektronik.",
		"The document and its evidence certificate are attached. Please keep both as PDF files; printouts do not contain the electronic signatures."},
	"mail.code": {
		"Kode Anda adalah {code}. Masukkan kode ini pada halaman yang memintanya[ paling lambat {deadline}].",
		"Your code is {code}. Enter it on the page that asks for it[ by {deadline}]."},
	"mail.code_care": {
		"Jangan berikan kode ini kepada siapa pun. Bila Anda tidak memintanya, abaikan pesan ini.",
		"Do not give this code to anyone. If you did not ask for it, ignore this message."},
	"mail.guest": {
		"Anda tidak memerlukan akun. Tautan ini khusus untuk Anda; mohon tidak meneruskannya kepada orang lain.",
		"You do not need an account. The link is for you only; please do not forward it."},

	"mail.button_approve":        {"Baca dan setujui", "Read and approve"},
	"mail.button_sign":           {"Baca dan tandatangani", "Read and sign"},
	"mail.button_view":           {"Lihat dokumen", "View the document"},
	"mail.button_download":       {"Unduh dokumen", "Download the document"},
	"mail.button_code":           {"Buka halaman", "Open the page"},
	"mail.button_password_reset": {"Tentukan kata sandi baru", "Choose a new password"},
	"mail.button_invitation":     {"Terima undangan", "Accept the invitation"},
	"mail.button_account":        {"Buka akun", "Open the account"},
	"mail.button_keys":           {"Lihat kunci API", "See the API keys"},
	"mail.button_sent":           {"Lihat dokumen", "See the documents"},
	"mail.label_former_owner":    {"Pemilik sebelumnya", "Former owner"},
	"mail.button_logins":         {"Lihat daftar login", "See the logins"},
	"mail.button_password":       {"Ganti kata sandi", "Change the password"},
	"mail.label_key":             {"Kunci API", "API key"},
	"mail.label_about":           {"Akun yang dituju", "Account concerned"},
	"mail.label_account":         {"Akun", "Account"},
	"mail.label_organisation":    {"Organisasi", "Organisation"},
	"mail.label_time":            {"Waktu", "Time"},
	"mail.label_device":          {"Perangkat", "Device"},
	"mail.label_ip":              {"Alamat jaringan", "Network address"},
	"device.unknown":             {"Perangkat tidak dikenal", "Unknown device"},
	"device.program":             {"Program {name}", "Program {name}"},
	"device.browser":             {"{browser} di {system}", "{browser} on {system}"},
	"mail.link":                  {"Bila tombol tidak berfungsi, salin tautan ini ke peramban Anda:", "If the button does not work, copy this link into your browser:"},

	"mail.label_message":  {"Pesan dari {sender}:", "Message from {sender}:"},
	"mail.label_document": {"Dokumen", "Document"},
	"mail.label_pages":    {"Jumlah halaman", "Pages"},
	"mail.label_sender":   {"Pengirim", "Sender"},
	"mail.label_deadline": {"Batas waktu", "Deadline"},
	"mail.label_reason":   {"Alasan", "Reason"},
	"mail.sender":         {"{sender}[, {organisation}]", "{sender}[, {organisation}]"},
	"mail.untitled":       {"Tanpa judul", "Untitled"},
	"mail.logo":           {"Logo {organisation}", "Logo of {organisation}"},

	"mail.footer_service": {
		"Pesan ini dikirim secara otomatis oleh Segel, layanan tanda tangan elektronik pada alamat {host}. Tautan dalam pesan ini selalu diawali dengan alamat tersebut.",
		"This message was sent automatically by Segel, a service for electronic signatures at {host}. The link in this message always begins with that address."},
	"mail.footer_sender": {
		"Nama pengirim ditetapkan oleh organisasinya[, {organisation}]. Bila Anda tidak mengenal pengirim, jangan buka tautan ini.",
		"The sender was named by their organisation[, {organisation}]. If you do not know the sender, do not open the link."},
	"mail.footer_password": {
		"Anda tidak pernah diminta memberikan kata sandi sebagai balasan atas pesan ini.",
		"You are never asked to give a password in reply to this message."},
}
