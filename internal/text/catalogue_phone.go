package text

// phones are the sentences of text messages to phones. Quotes are straight: others double the price of an SMS.
var phones = map[string]sentence{
	"phone.invite_sign": {
		`{sender}[ dari {organisation}] meminta tanda tangan Anda pada dokumen "{title}"[, paling lambat {deadline}].`,
		`{sender}[ of {organisation}] asks you to sign the document "{title}"[ by {deadline}].`},
	"phone.invite_approve": {
		`{sender}[ dari {organisation}] meminta persetujuan Anda atas dokumen "{title}"[, paling lambat {deadline}].`,
		`{sender}[ of {organisation}] asks you to approve the document "{title}"[ by {deadline}].`},
	"phone.reminder_approve": {
		`{sender}[ dari {organisation}] mengingatkan: dokumen "{title}" menunggu persetujuan Anda[, paling lambat {deadline}].`,
		`{sender}[ of {organisation}] reminds you: the document "{title}" is waiting for your approval[, by {deadline}].`},
	"phone.invite_view": {
		`{sender}[ dari {organisation}] membagikan dokumen "{title}" kepada Anda.`,
		`{sender}[ of {organisation}] shares the document "{title}" with you.`},
	"phone.reminder": {
		`{sender}[ dari {organisation}] mengingatkan: dokumen "{title}" menunggu tanda tangan Anda[, paling lambat {deadline}].`,
		`{sender}[ of {organisation}] reminds you: the document "{title}" is waiting for your signature[, by {deadline}].`},
	"phone.delegated": {
		`{by} mengalihkan penandatanganan dokumen "{title}" dari {sender}[ kepada {delegate}].`,
		`{by} passed their signature of the document "{title}" of {sender} to another person[, {delegate}].`},
	"phone.delegated_approval": {
		`{by} mengalihkan persetujuan dokumen "{title}" dari {sender}[ kepada {delegate}].`,
		`{by} passed their approval of the document "{title}" of {sender} to another person[, {delegate}].`},
	"phone.declined": {
		`{by} menolak dokumen "{title}" dari {sender}. Dokumen ini tidak dapat ditandatangani[ atau {approved}] lagi.`,
		`{by} declined the document "{title}" of {sender}. It can no longer be signed[ or {approved}].`},
	"phone.canceled": {
		`Dokumen "{title}" dari {sender} dibatalkan dan tidak dapat ditandatangani[ atau {approved}] lagi.`,
		`The document "{title}" of {sender} was canceled. It can no longer be signed[ or {approved}].`},
	"phone.expired": {
		`Batas waktu dokumen "{title}" dari {sender} telah lewat. Dokumen ini tidak dapat ditandatangani[ atau {approved}] lagi.`,
		`The deadline of the document "{title}" of {sender} passed. It can no longer be signed[ or {approved}].`},
	"phone.completed": {
		`Dokumen "{title}" dari {sender} telah selesai. Silakan unduh dan simpan berkas PDF-nya.`,
		`The document "{title}" of {sender} is completed. Please download it and keep the PDF file.`},
	"phone.code": {
		"Kode Anda untuk {host}: {code}[, berlaku sampai {deadline}]. Jangan berikan kode ini kepada siapa pun. Bila Anda tidak memintanya, abaikan pesan ini.",
		"Your code for {host}: {code}[, valid until {deadline}]. Do not give it to anyone. If you did not ask for it, ignore this message."},
	"phone.guest":   {"Tautan ini khusus untuk Anda.", "The link is for you only."},
	"phone.group":   {"Cukup salah satu dari {people} orang yang bertindak.", "Any one of {people} people can do it."},
	"phone.someone": {"Seorang peserta", "A participant"},
}
