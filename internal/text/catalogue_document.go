package text

var documents = map[string]sentence{
	"document.not_found": {
		"Dokumen tidak ditemukan.",
		"The document was not found."},
	"page.no_picture": {
		"Gambar halaman ini tidak tersedia. Buka berkasnya untuk melihat halaman ini.",
		"No picture of this page is available. Open the file to see the page."},
	"document.not_owner": {
		"Hanya pemilik dokumen yang dapat melakukan ini.",
		"Only the owner of the document can do this."},
	"document.not_draft": {
		"Dokumen sudah difinalisasi sehingga tidak dapat diubah lagi.",
		"The document has been finalized and can no longer be changed."},
	"document.not_processing": {
		"Tindakan ini tidak dapat dilakukan karena dokumen tidak sedang diproses.",
		"This cannot be done because the document is not being processed."},
	"document.not_ended": {
		"Salinan hanya dapat dibuat dari dokumen yang sudah selesai, ditolak, dibatalkan, atau kedaluwarsa.",
		"Only a document that was completed, declined, canceled or has expired can be copied."},
	"document.not_in_turn": {
		"Belum giliran Anda: orang lain harus menandatangani atau menyetujui terlebih dahulu.",
		"It is not your turn yet: others must sign or approve first."},
	"document.already_signed": {
		"Anda sudah menandatangani dokumen ini.",
		"You have already signed this document."},
	"document.approver": {
		"Anda menyetujui dokumen ini dan tidak menandatanganinya.",
		"You approve this document; you do not sign it."},
	"document.not_approver": {
		"Persetujuan Anda tidak diperlukan untuk dokumen ini.",
		"Your approval of this document is not required."},
	"document.already_approved": {
		"Anda telah menyetujui dokumen ini.",
		"You have already approved this document."},
	"document.group_signed": {
		"{name} telah menandatangani dokumen ini untuk kelompok Anda. Tanda tangan Anda tidak diperlukan lagi.",
		"{name} has already signed this document for your group. Your signature is no longer required."},
	"document.group_approved": {
		"{name} telah menyetujui dokumen ini untuk kelompok Anda. Persetujuan Anda tidak diperlukan lagi.",
		"{name} has already approved this document for your group. Your approval is no longer required."},
	"document.stamp_only_approvers": {
		"Dokumen ini memerlukan persetujuan penyetuju, sehingga tidak dapat diproses sebelum mereka menyetujuinya.",
		"The document has approvers, so it cannot be processed without waiting for them."},
	"document.witness_alone": {
		"Saksi {name} memerlukan penanda tangan dengan nomor urut yang lebih kecil.",
		"The witness {name} needs a signer with a smaller number."},
	"document.not_signer": {
		"Anda bukan penanda tangan dokumen ini.",
		"You are not a signer of this document."},
	"document.revision_changed": {
		"Dokumen telah berubah sejak terakhir Anda lihat. Silakan muat ulang dan periksa kembali.",
		"The document has changed since you last saw it. Please reload and check it again."},
	"document.version_changed": {
		"Draf ini telah diubah di jendela atau perangkat lain. Perubahan Anda tidak disimpan. Muat draf terbaru, lalu ulangi perubahan.",
		"This draft was changed in another window or on another device. Your change was not saved. Load the current draft and make the change again."},
	"document.busy": {
		"Dokumen sedang diproses oleh permintaan lain. Silakan coba lagi.",
		"Another request is working on the document. Please try again."},
	"archive.notes":       {"Tidak dapat diunduh", "Not downloaded"},
	"archive.notes_lead":  {"Dokumen berikut tidak ada dalam arsip ini:", "These documents are not in this archive:"},
	"archive.notes_line":  {"Nomor {id}: {reason}", "Number {id}: {reason}"},
	"archive.notes_named": {"{title} (nomor {id}): {reason}", "{title} (number {id}): {reason}"},
	"document.not_completed": {
		"Dokumen belum selesai sehingga belum dapat diunduh.",
		"The document is not completed yet, so it cannot be downloaded."},
	"document.nothing_to_do": {
		"Tidak ada yang perlu ditandatangani atau dibubuhi e-meterai. Tambahkan penanda tangan atau e-meterai.",
		"There is nothing to sign or stamp. Add a signer or a stamp."},
	"document.not_failed": {
		"Pembubuhan ulang tidak diperlukan karena dokumen tidak berstatus gagal.",
		"The document has not failed, so it does not need to be stamped again."},
	"document.sealing": {
		"Semua tanda tangan sudah lengkap dan dokumen sedang diselesaikan, sehingga tidak dapat dibatalkan lagi.",
		"All signatures are complete and the document is being completed, so it can no longer be canceled."},
	"document.converting": {
		"Dokumen Word ini masih dikonversi ke PDF. Silakan coba beberapa saat lagi.",
		"This Word document is still being converted to PDF. Please try again in a moment."},
	"document.not_converted": {
		"Dokumen Word ini tidak sempat dikonversi ke PDF.",
		"This Word document was never converted to PDF."},
	"document.fonts_replaced": {
		"Fon berikut tidak tersedia dan diganti dengan fon lain, sehingga tata letak dapat berubah: {fonts}. Silakan periksa hasilnya.",
		"These fonts are not available and were replaced, so the layout may have changed: {fonts}. Please check the result."},
	"document.fonts_alike": {
		"Fon berikut diganti dengan fon yang lebar hurufnya sama, sehingga tata letak tidak berubah: {fonts}.",
		"These fonts were replaced by fonts of the same widths, so the layout is unchanged: {fonts}."},
	"document.tracked_changes": {
		"Dokumen Word ini memuat perubahan yang belum diterima atau ditolak; perubahan tersebut terlihat pada hasilnya.",
		"This Word document contains changes that were neither accepted nor rejected. They are visible in the result."},
	"document.pages_differ": {
		"Hasil konversi memiliki {pages} halaman, sedangkan berkas Word mencatat {expected} halaman. Silakan periksa hasilnya.",
		"The converted document has {pages} pages, but the Word file states {expected}. Please check the result."},
	"document.expired": {
		"Batas waktu dokumen ini telah lewat.",
		"The deadline of this document has passed."},
	"document.signed_ahead": {
		"Tanda tangan terakhir pada dokumen ini bertanggal {until}, karena jam layanan saat itu salah. Dokumen ini dapat ditandatangani setelah waktu tersebut.",
		"The last signature on this document is dated {until}, because the service's clock was wrong at that time. The document can be signed after that time."},
	"document.signed_far_ahead": {
		"Tanda tangan terakhir pada dokumen ini bertanggal {until}, karena jam layanan saat itu salah. Mintalah pemilik dokumen untuk membatalkan dan mengirimkannya kembali.",
		"The last signature on this document is dated {until}, because the service's clock was wrong at that time. Please ask the owner to cancel the document and send it again."},
	"document.not_stamps_only": {
		"Pembubuhan tanpa tanda tangan hanya dapat dilakukan jika terdapat e-meterai dan seluruh penempatan berupa e-meterai.",
		"Stamping without signatures requires at least one stamp and no other placements."},
	"document.too_many_pages": {
		"Dokumen memiliki {pages} halaman; maksimum {limit} halaman.",
		"The document has {pages} pages; at most {limit} are allowed."},

	"document.file_missing": {
		"Sebagian berkas dokumen ini hilang dari penyimpanan layanan. Tidak ada yang ditandatangani. Silakan hubungi operator layanan ini.",
		"Part of this document's file is missing from the service's storage. Nothing was signed. Please contact the operator of this service."},
	"document.file_changed": {
		"Berkas dokumen ini di penyimpanan layanan tidak sama dengan yang tercatat. Tidak ada yang ditandatangani. Silakan hubungi operator layanan ini.",
		"This document's file in the service's storage differs from the one that was recorded. Nothing was signed. Please contact the operator of this service."},

	"stamp.office_down": {
		"Penerbit e-meterai sedang tidak merespons. Pembubuhan dilanjutkan secara otomatis setelah penerbit merespons kembali.",
		"The e-meterai issuer is not responding. Stamping continues automatically as soon as it does."},
	"stamp.file_missing": {
		"Sebagian berkas dokumen ini hilang dari penyimpanan layanan. Operator harus memulihkannya; pembubuhan kemudian dilanjutkan secara otomatis.",
		"Part of this document's file is missing from the service's storage. The operator must restore it; stamping then continues automatically."},
	"stamp.file_changed": {
		"Berkas dokumen ini di penyimpanan layanan tidak sama dengan yang tercatat. Operator harus memulihkannya; pembubuhan kemudian dilanjutkan secara otomatis.",
		"This document's file in the service's storage differs from the one that was recorded. The operator must restore it; stamping then continues automatically."},
	"stamp.office_unreachable": {
		"Penerbit e-meterai tidak dapat dihubungi. Pembubuhan dicoba kembali secara otomatis.",
		"The e-meterai issuer cannot be reached. Stamping is retried automatically."},
	"stamp.office_account": {
		"Penerbit e-meterai tidak menerima akun layanan ini. Operator harus memperbaikinya; pembubuhan kemudian dilanjutkan secara otomatis.",
		"The e-meterai issuer does not accept this service's account. The operator must fix it; stamping then continues automatically."},
	"stamp.office_quota": {
		"Kuota layanan ini pada penerbit e-meterai telah habis. Operator harus membeli kuota; pembubuhan kemudian dilanjutkan secara otomatis.",
		"This service has used up its quota at the e-meterai issuer. The operator must buy more; stamping then continues automatically."},
	"stamp.office_config": {
		"Penerbit e-meterai tidak menerima bentuk permintaan layanan ini[: {words}]. Operator harus memperbaikinya; pembubuhan kemudian dilanjutkan secara otomatis.",
		"The e-meterai issuer does not accept this service's requests[: {words}]. The operator must fix the configuration; stamping then continues automatically."},
	"stamp.office_busy": {
		"Penerbit e-meterai belum dapat memprosesnya[: {words}]. Pembubuhan dicoba kembali secara otomatis.",
		"The e-meterai issuer could not process it yet[: {words}]. Stamping is retried automatically."},
	"stamp.office_refused": {
		"Penerbit e-meterai menolak dokumen ini[: {words}].",
		"The e-meterai issuer refused this document[: {words}]."},
	"stamp.return_refused": {
		"Berkas yang dikembalikan oleh penerbit e-meterai tidak sesuai dengan pesanan. Berkas itu dipisahkan, dan dokumen Anda tidak berubah.",
		"The file that the e-meterai issuer returned is not what was ordered. It has been quarantined, and your document is unchanged."},
	"stamp.return_incomplete": {
		"Berkas dari penerbit e-meterai tidak diterima secara utuh. Berkas itu diminta kembali secara otomatis tanpa biaya.",
		"The file from the e-meterai issuer did not arrive complete. It is requested again automatically, at no cost."},
	"stamp.serial_uncertain": {
		"Jawaban penerbit e-meterai hilang, dan nomor seri yang diberikannya tidak dapat dipastikan. Operator harus menanyakannya kepada penerbit.",
		"The e-meterai issuer's answer was lost, and the serial number that it gave cannot be determined. The operator must ask the issuer."},
	"stamp.picture_lost": {
		"Gambar e-meterai hilang bersama jawaban penerbit. Operator harus memintanya kepada penerbit.",
		"The picture of the stamp was lost with the issuer's answer. The operator must ask the issuer for it."},
	"stamp.no_place": {
		"Tempat e-meterai tidak ada pada halaman dokumen.",
		"The place of the stamp is not on a page of the document."},
	"stamp.file_too_large": {
		"Berkas ini, beserta semua tanda tangannya, melebihi ukuran yang diterima penerbit e-meterai[; maksimum {limit|size}].",
		"With all its signatures, the file is larger than the e-meterai issuer accepts[; the limit is {limit|size}]."},
	"stamp.file_old": {
		"Berkas ini menggunakan versi sebelum PDF 1.6 dan belum bertanda tangan, sehingga penerbit e-meterai akan menulis ulang berkas tersebut. Simpan sebagai PDF versi lebih baru, atau minta tanda tangan terlebih dahulu.",
		"The file is older than PDF 1.6 and has no signature, so the e-meterai issuer would rewrite it. Save it as a newer PDF, or have it signed first."},
	"stamp.file_encrypted": {
		"Berkas ini terenkripsi dan tidak diterima oleh penerbit e-meterai. Unggah berkas tanpa enkripsi.",
		"The file is encrypted, which the e-meterai issuer does not accept. Upload it without encryption."},
	"stamp.file_locked": {
		"Izin berkas ini melarang perubahan, sehingga penerbit e-meterai akan menolaknya. Unggah berkas tanpa pembatasan.",
		"The file's permissions forbid changes, so the e-meterai issuer would refuse it. Upload it without restrictions."},
	"stamp.signature_broken": {
		"Tanda tangan yang sudah ada pada berkas ini tidak utuh lagi[ ({field})], sehingga penerbit e-meterai akan menolaknya.",
		"A signature that was in the file when it was uploaded is no longer intact[ ({field})], so the e-meterai issuer would refuse the file."},
	"stamp.signature_changed": {
		"Setelah tanda tangan yang sudah ada[ ({field})], berkas ini diubah dengan cara yang tidak diizinkan, sehingga penerbit e-meterai akan menolaknya.",
		"After a signature that was in the file when it was uploaded[ ({field})], something was changed that this signature does not permit, so the e-meterai issuer would refuse the file."},
	"stamp.office_unavailable": {
		"Penerbit e-meterai tidak dapat dihubungi saat ini. Silakan coba lagi nanti.",
		"The e-meterai issuer cannot be reached at the moment. Please try again later."},
	"stamp.not_refused": {
		"Tidak ada nomor seri yang ditolak secara permanen; lakukan pembubuhan ulang tanpa nomor seri baru.",
		"No serial number was refused permanently. Stamp again without a new serial number."},
	"stamp.serial_used": {
		"Penerbit e-meterai tidak menyatakan nomor seri {serial} belum terpakai; lakukan pembubuhan ulang dengan nomor seri tersebut.",
		"The e-meterai issuer does not report serial number {serial} as unused. Stamp again with that serial number."},
	"stamp.no_evidence": {
		"Tidak ada berkas yang disimpan untuk nomor seri ini.",
		"No file is stored for this serial number."},
	"stamp.serial_elsewhere": {
		"Nomor seri itu milik dokumen lain.",
		"That serial number belongs to another document."},

	"closing.timestamp": {
		"Layanan stempel waktu tidak merespons. Penyegelan dicoba kembali secara otomatis.",
		"The time-stamp authority is not responding. Sealing is retried automatically."},
	"closing.proof": {
		"Status pencabutan sebuah sertifikat tidak dapat diperoleh. Penyegelan dicoba kembali secara otomatis.",
		"The revocation status of a certificate could not be fetched. Sealing is retried automatically."},
	"closing.file_missing": {
		"Sebagian berkas dokumen ini hilang dari penyimpanan layanan. Operator harus memulihkannya; penyegelan kemudian dilanjutkan secara otomatis.",
		"Part of this document's file is missing from the service's storage. The operator must restore it; sealing then continues automatically."},
	"closing.file_changed": {
		"Berkas dokumen ini di penyimpanan layanan tidak sama dengan yang tercatat. Operator harus memulihkannya; penyegelan kemudian dilanjutkan secara otomatis.",
		"This document's file in the service's storage differs from the one that was recorded. The operator must restore it; sealing then continues automatically."},
	"closing.invalid": {
		"Berkas yang telah disegel tidak lolos validasi[ ({words})], sehingga dokumen belum diselesaikan. Penyegelan dicoba kembali secara otomatis, dan operator telah diberi tahu.",
		"The sealed file did not pass validation[ ({words})], so the document is not completed yet. Sealing is retried automatically, and the operator has been alerted."},
	"closing.unexpected": {
		"Penyegelan gagal karena sebab yang tidak terduga. Penyegelan dicoba kembali secara otomatis, dan sebabnya dicatat untuk operator.",
		"Sealing failed for an unexpected reason. It is retried automatically, and the reason has been logged for the operator."},
	"closing.clock_in_doubt": {
		"Jam layanan sedang diperiksa. Dokumen dilanjutkan secara otomatis setelah administrator memastikan bahwa jam tersebut benar.",
		"The clock of the service is being checked. The document continues automatically once an administrator has made sure that the clock is correct."},
	"closing.clock": {
		"Sebuah tanda tangan pada dokumen ini bertanggal di masa depan[, yaitu {until}], karena jam layanan saat itu salah. Dokumen dilanjutkan secara otomatis setelah waktu tersebut.",
		"A signature on this document is dated in the future[, {until}], because the service's clock was wrong at that time. The document continues automatically after that time."},
	"closing.clock_far": {
		"Sebuah tanda tangan pada dokumen ini bertanggal jauh di masa depan[, yaitu {until}], karena jam layanan saat itu salah. Silakan batalkan dokumen ini dan kirimkan kembali.",
		"A signature on this document is dated far in the future[, {until}], because the service's clock was wrong at that time. Please cancel the document and send it again."},
	"closing.revoked": {
		"Sebuah sertifikat telah dicabut[ pada {when}] sebelum digunakan untuk menandatangani[ ({why}; nomor {serial})], sehingga dokumen ini tidak dapat disegel.",
		"A certificate was revoked[ on {when}] before it was used to sign[ ({why}; number {serial})], so the document cannot be sealed."},

	"placement.stranger": {
		"Penempatan ini tidak dapat diberikan kepada orang ini: tanda tangan dan paraf hanya untuk penanda tangan; e-meterai untuk peserta atau pemilik.",
		"This placement cannot be assigned to this person: signatures and initials are for signers, stamps for participants or the owner."},
	"placement.unknown_type": {
		"Jenis penempatan harus emet (e-meterai), sign (tanda tangan), atau paraf.",
		"The type of a placement must be emet (duty stamp), sign (signature) or paraf (initials)."},
	"page.not_shown": {
		"Halaman {page} tidak termasuk halaman yang ditampilkan.",
		"Page {page} is not among the pages that were shown.",
	},
	"placement.no_such_page": {
		"Halaman {page} tidak ada; dokumen memiliki {pages} halaman.",
		"Page {page} does not exist; the document has {pages} pages."},
	"placement.no_area": {
		"Kotak ini tidak memiliki luas.",
		"This box has no area."},
	"placement.too_small": {
		"Kotak ini terlalu kecil; lebar dan tingginya minimum {min} mm.",
		"This box is too small; its width and height must be at least {min} mm."},
	"placement.off_page": {
		"Kotak ini melampaui batas halaman, yang berukuran {width} × {height} poin.",
		"This box extends beyond the page, which is {width} × {height} points."},
	"placement.stamp_size": {
		"Sisi e-meterai harus {min} sampai {max} poin; sisi kotak ini {side} poin.",
		"The side of a stamp must be {min} to {max} points; this box has {side}."},
	"placement.too_large": {
		"[Kotak tanda tangan dan paraf satu orang boleh menutupi maksimum {limit} % dari satu halaman; dengan kotak ini, halaman {page} tertutup {share} %.]" +
			"[Kotak tanda tangan dan paraf semua orang boleh menutupi maksimum {limit_all} % dari satu halaman; dengan kotak ini, halaman {page} tertutup {share_all} %.]" +
			"[Beberapa e-meterai boleh menutupi maksimum {limit_stamps} % dari satu halaman; dengan kotak ini, halaman {page} tertutup {share_stamps} %.]",
		"[One person's boxes for signatures and initials may cover at most {limit} % of a page; with this box they cover {share} % of page {page}.]" +
			"[All boxes for signatures and initials together may cover at most {limit_all} % of a page; with this box they cover {share_all} % of page {page}.]" +
			"[Several duty stamps together may cover at most {limit_stamps} % of a page; with this box they cover {share_stamps} % of page {page}.]"},
	"placement.emet_props_differ": {
		"emet dan props menunjuk tempat yang berbeda; emet yang digunakan.",
		"emet and props give different places; emet was used."},
	"placement.over_stamp": {
		"E-meterai ini menutupi e-meterai lain pada halaman {page}.",
		"This stamp covers another stamp on page {page}."},
	"placement.over_box": {
		"Kotak ini menutupi kotak tanda tangan atau paraf pada halaman {page}.",
		"This box covers a box for a signature or initials on page {page}."},
	"placement.over_former_stamp": {
		"Kotak ini menutupi e-meterai yang sudah ada pada halaman {page}[: {what}].",
		"This box covers an existing stamp on page {page}[: {what}]."},
	"placement.over_signature": {
		"Kotak ini menutupi tanda tangan yang sudah ada pada halaman {page}[: {what}].",
		"This box covers an existing signature on page {page}[: {what}]."},
	"placement.over_field": {
		"E-meterai ini menutupi kolom tanda tangan yang masih kosong pada halaman {page}[: {what}].",
		"This stamp covers an empty signature field on page {page}[: {what}]."},
	"placement.over_text": {
		"Kotak ini menutupi teks pada halaman {page}[: “{what}”].",
		"This box covers text on page {page}[: “{what}”]."},
	"placement.over_picture": {
		"Kotak ini menutupi gambar pada halaman {page}. Pastikan tidak ada teks yang tertutup.",
		"This box covers a picture on page {page}. Please make sure that it covers no text."},
	"placement.not_told": {
		"Isi halaman {page} tidak dapat dibaca seluruhnya. Pastikan kotak ini tidak menutupi teks.",
		"The content of page {page} could not be read completely. Please make sure that this box covers no text."},
	"placements.too_many": {
		"Jumlah penempatan terlalu banyak; maksimum {limit}.",
		"There are too many placements; at most {limit} are allowed."},
	"stamps.too_many": {
		"Jumlah e-meterai terlalu banyak; maksimum {limit}.",
		"There are too many stamps; at most {limit} are allowed."},
}

var files = map[string]sentence{
	"file.missing": {
		"Berkas dokumen belum disertakan.",
		"The file of the document is missing."},
	"file.empty": {
		"Berkas ini kosong.",
		"This file is empty."},
	"file.too_large": {
		"Ukuran berkas terlalu besar; maksimum {limit|size}.",
		"The file is too large; the limit is {limit|size}."},
	"upload.not_found": {
		"Unggahan ini tidak ditemukan atau sudah kedaluwarsa. Silakan unggah berkas dari awal.",
		"This upload does not exist or has expired. Please upload the file from the beginning."},
	"upload.offset_differs": {
		"Bagian ini tidak melanjutkan bagian berkas yang telah tersimpan. Minta posisi terakhir, lalu lanjutkan dari sana.",
		"This part does not start where the stored part of the file ends. Request the current offset and continue from there."},
	"upload.incomplete": {
		"Unggahan belum lengkap: {received|size} dari {size|size} telah diterima. Lanjutkan unggahan terlebih dahulu.",
		"The upload is not complete: {received|size} of {size|size} have arrived. Continue the upload first."},
	"upload.too_long": {
		"Berkas yang dikirim lebih besar daripada ukuran yang disebutkan, yaitu {limit|size}.",
		"More was sent than the announced size of {limit|size}."},
	"upload.part_too_small": {
		"Bagian berkas terlalu kecil; setiap bagian kecuali yang terakhir harus berukuran paling sedikit {limit|size}.",
		"This part is too small; each part except the last must have at least {limit|size}."},
	"upload.part_type": {
		"Bagian berkas harus dikirim dengan Content-Type application/offset+octet-stream.",
		"A part must be sent with Content-Type application/offset+octet-stream."},
	"upload.protocol": {
		"Permintaan ini memerlukan Tus-Resumable: {version}.",
		"This request needs Tus-Resumable: {version}."},
	"upload.digest_differs": {
		"Isi berkas yang diterima berbeda dengan SHA-256 yang disebutkan. Silakan unggah berkas dari awal.",
		"The file that arrived does not have the announced SHA-256. Please upload it from the beginning."},
	"upload.and_file": {
		"Sertakan berkas atau upload_id, bukan keduanya.",
		"Send the file or upload_id, not both."},
	"upload.too_many": {
		"Anda memiliki {limit} unggahan yang belum selesai, yaitu jumlah maksimum. Selesaikan atau batalkan salah satunya; unggahan yang ditinggalkan akan kedaluwarsa secara otomatis.",
		"You have {limit} incomplete uploads, which is the maximum. Complete or cancel one of them; abandoned uploads expire automatically."},
	"upload.too_many_bytes": {
		"Jumlah ukuran unggahan Anda yang belum selesai akan melebihi {limit|size}. Selesaikan atau batalkan salah satunya; unggahan yang ditinggalkan akan kedaluwarsa secara otomatis.",
		"Together, your incomplete uploads would exceed {limit|size}. Complete or cancel one of them; abandoned uploads expire automatically."},
	"upload.organisation_too_many": {
		"Organisasi Anda memiliki {limit} unggahan yang belum selesai, yaitu jumlah maksimum. Silakan coba lagi nanti.",
		"Your organisation has {limit} incomplete uploads, which is the maximum. Please try again later."},
	"upload.organisation_too_many_bytes": {
		"Jumlah ukuran unggahan organisasi Anda yang belum selesai akan melebihi {limit|size}. Silakan coba lagi nanti.",
		"Together, the incomplete uploads of your organisation would exceed {limit|size}. Please try again later."},
	"file.unsupported": {
		"Berkas ini bukan PDF, DOC, atau DOCX.",
		"This file is not a PDF, DOC or DOCX."},
	"file.word_unavailable": {
		"Berkas Word tidak dapat dikonversi pada server ini. Silakan simpan sebagai PDF dan unggah kembali.",
		"This server cannot convert Word files. Please save the file as PDF and upload that."},
	"file.word_crowded": {
		"Terlalu banyak dokumen Word organisasi Anda yang menunggu konversi. Silakan coba beberapa saat lagi.",
		"Too many Word documents of your organisation are waiting to be converted. Please try again in a moment."},
	"file.word_failed": {
		"Berkas Word ini tidak dapat dikonversi ke PDF. Silakan simpan sebagai PDF dan unggah kembali.",
		"This Word file could not be converted to PDF. Please save it as PDF and upload that."},
	"file.word_too_slow": {
		"Konversi berkas Word ini memakan waktu terlalu lama. Silakan simpan sebagai PDF dan unggah kembali.",
		"Converting this Word file takes too long. Please save it as PDF and upload that."},
	"file.word_complex": {
		"Berkas Word ini terlalu besar atau terlalu rumit untuk dikonversi dengan aman. Silakan simpan sebagai PDF dan unggah kembali.",
		"This Word file is too large or too complex to be converted safely. Please save it as PDF and upload that."},
	"file.word_damaged": {
		"Berkas Word ini rusak. Silakan simpan kembali di Word dan unggah ulang.",
		"This Word file is damaged. Please save it again in Word and upload that."},
	"file.word_password": {
		"Berkas Word ini dilindungi kata sandi. Silakan simpan tanpa kata sandi dan unggah kembali.",
		"This Word file is protected by a password. Please save it without a password and upload that."},
	"file.word_links": {
		"Berkas Word ini menampilkan gambar atau data yang tersimpan di tempat lain. Silakan sematkan di dalam berkas dan unggah kembali.",
		"This Word file shows pictures or data that are stored elsewhere. Please embed them in the file and upload that."},
	"file.word_fields": {
		"Berkas Word ini memuat kode bidang yang mengambil isi dari luar (misalnya INCLUDEPICTURE atau DDE). Silakan ubah menjadi teks biasa dan unggah kembali.",
		"This Word file contains field codes that fetch content from outside (such as INCLUDEPICTURE or DDE). Please turn them into plain text and upload that."},
	"file.word_macros": {
		"Berkas Word ini memuat makro. Silakan simpan sebagai dokumen tanpa makro (.docx) dan unggah kembali.",
		"This Word file contains macros. Please save it as a document without macros (.docx) and upload that."},
	"file.word_objects": {
		"Berkas Word ini memuat objek dari program lain. Silakan ganti dengan gambar atau tabel biasa dan unggah kembali.",
		"This Word file contains objects of other programs. Please replace them with pictures or plain tables and upload that."},
	"file.word_template": {
		"Berkas Word ini terhubung ke templat di tempat lain. Silakan lepaskan templat tersebut di Word dan unggah kembali.",
		"This Word file depends on a template that is stored elsewhere. Please detach the template in Word and upload that."},
	"file.word_other_file": {
		"Berkas Word ini disusun dari dokumen lain. Silakan gabungkan menjadi satu berkas dan unggah kembali.",
		"This Word file is assembled from other documents. Please merge them into one file and upload that."},
	"file.encrypted": {
		"PDF ini dienkripsi dengan cara yang tidak dapat dibuka di sini. Silakan simpan tanpa enkripsi dan unggah kembali.",
		"This PDF is encrypted in a way that cannot be opened here. Please save it without encryption and upload that."},
	"file.password_needed": {
		"PDF ini hanya terbuka dengan kata sandi. Silakan simpan tanpa kata sandi pembuka dan unggah kembali.",
		"This PDF can only be opened with a password. Please save it without a password and upload that."},
	"file.no_pages": {
		"PDF ini tidak memiliki halaman.",
		"This PDF has no pages."},
	"file.damaged_signed": {
		"PDF ini rusak dan sudah bertanda tangan; memperbaikinya akan merusak tanda tangan tersebut. Silakan unggah berkas yang utuh.",
		"This PDF is damaged and contains signatures, which repairing the file would break. Please upload an intact file."},
	"document.normalised": {
		"Berkas yang diunggah ditata ulang satu kali sebelum tanda tangan pertama; berkas asli tetap disimpan.",
		"The uploaded file was rewritten once, before the first signature. The original is kept unchanged."},
	"file.damaged": {
		"PDF ini rusak dan tidak dapat dibaca. Silakan simpan kembali dan unggah ulang.",
		"This PDF is damaged and cannot be read. Please save it again and upload that."},
	"file.signature_broken": {
		"Isi berkas ini diubah setelah ditandatangani: tanda tangan {field} tidak lagi sesuai dengan isinya. Mintalah berkas aslinya.",
		"The content of this file was changed after it was signed: signature {field} no longer matches it. Please ask for the original file."},
	"file.signature_changed": {
		"Setelah tanda tangan {field}, berkas ini diubah dengan cara yang tidak diizinkan oleh tanda tangan tersebut. Mintalah berkas aslinya.",
		"After signature {field}, this file was changed in a way that the signature does not permit. Please ask for the original file."},
	"file.certified": {
		"PDF ini telah disertifikasi dan tidak mengizinkan tanda tangan baru. Silakan unggah berkas sebelum disertifikasi.",
		"This PDF is certified and permits no further signatures. Please upload the file as it was before certification."},
	"file.too_complex": {
		"PDF ini terlalu rumit untuk diproses dengan aman.",
		"This PDF is too complex to be processed safely."},
	"file.not_base64": {
		"Isi berkas bukan Base64 yang sah.",
		"The content of the file is not valid Base64."},
}

// findings describe what is in a file that its readers may not see or expect. Pages are ranges, such as "1-3, 7"; what
// and shown are excerpts of the file.
var findings = map[string]sentence{
	"document.active_content": {
		"Berkas ini memuat hal yang harus Anda setujui terlebih dahulu: isi yang ditandatangani dapat berbeda dari yang terlihat.",
		"This file contains something that you must accept first: what is signed may differ from what is shown."},
	"finding.print_differs": {
		"Hasil cetak berkas ini berbeda dari tampilan di layar[ (halaman {pages})][: “{what}”].",
		"This file shows something else in print than on the screen[ (page {pages})][: “{what}”]."},
	"finding.view_varies": {
		"Isi yang tampak bergantung pada aplikasi pembaca, perbesaran, pengguna, atau bahasa[ (halaman {pages})][: “{what}”].",
		"What this file shows depends on the PDF reader, the magnification, the user or the language[ (page {pages})][: “{what}”]."},
	"finding.external": {
		"Sebagian isi berkas ini diambil dari luar berkas[ (halaman {pages})], sehingga tidak ikut ditandatangani.",
		"Part of this file's content is read from outside the file[ (page {pages})], so it is not signed with it."},
	"finding.launch": {
		"Berkas ini dapat menjalankan program atau membuka berkas lain[ (halaman {pages})][: {what}].",
		"This file can start a program or open another file[ (page {pages})][: {what}]."},
	"finding.unreliable_text": {
		"Teks berkas ini tidak dapat diandalkan[ (halaman {pages})]: huruf yang terlihat berbeda dari huruf yang diperoleh saat teks dicari atau disalin[ (terlihat “{shown}”, terbaca “{what}”)].",
		"The text of this file is not reliable[ (page {pages})]: the letters shown differ from those found by searching or copying[ (it shows “{shown}” and contains “{what}”)]."},
	"finding.covered_text": {
		"Ada teks yang tertutup gambar, bidang, atau anotasi[ (halaman {pages})].",
		"Text is covered by a picture, an area or an annotation[ (page {pages})]."},
	"finding.invisible_text": {
		"Ada teks yang tidak terlihat[ (halaman {pages})].",
		"The file contains invisible text[ (page {pages})]."},
	"finding.hidden_layer": {
		"Berkas ini memuat lapisan yang disembunyikan[ (halaman {pages})].",
		"The file contains a hidden layer[ (page {pages})]."},
	"finding.outside_page": {
		"Ada teks di luar batas halaman[ (halaman {pages})][: “{what}”].",
		"There is text outside the page[ (page {pages})][: “{what}”]."},
	"finding.screen_only": {
		"Kolom, tombol, atau catatan tertentu tampak di layar tetapi tidak ikut tercetak[ (halaman {pages})].",
		"Some fields, buttons or notes are shown on the screen but not printed[ (page {pages})]."},
	"finding.portfolio": {
		"Berkas ini adalah portofolio PDF: sebagian aplikasi menampilkan berkas yang disematkan, bukan halaman yang ditandatangani di sini. Berkas sematan yang hendak ditandatangani perlu dicetak ke PDF dan diunggah tersendiri.",
		"This file is a PDF portfolio: some PDF readers show the embedded files instead of the pages that are signed here. An embedded file that is to be signed has to be printed to PDF and uploaded by itself."},
	"finding.xfa": {
		"Berkas ini memuat formulir XFA, yang oleh sebagian aplikasi ditampilkan sebagai pengganti halaman yang ditandatangani di sini. Jika dicetak ke PDF dari Adobe Acrobat, berkas tidak lagi memuat formulir tersebut dan dapat diunggah kembali.",
		"This file contains an XFA form, which some PDF readers show instead of the pages that are signed here. Printed to PDF from Adobe Acrobat, the file no longer has the form and can be uploaded again."},
	"finding.javascript": {
		"Berkas ini memuat JavaScript[ (halaman {pages})].",
		"This file contains JavaScript[ (page {pages})]."},
	"finding.actions": {
		"Berkas ini memuat tindakan yang dijalankan secara otomatis oleh aplikasi pembaca[ (halaman {pages})].",
		"This file contains actions that PDF readers run automatically[ (page {pages})]."},
	"finding.submit_form": {
		"Berkas ini dapat mengirim isi formulir ke tempat lain[ (halaman {pages})][: {what}].",
		"This file can send form values elsewhere[ (page {pages})][: {what}]."},
	"finding.import_data": {
		"Berkas ini dapat mengisi formulir dari berkas lain[ (halaman {pages})][: {what}].",
		"This file can fill its form from another file[ (page {pages})][: {what}]."},
	"finding.other_document": {
		"Berkas ini memuat tautan ke dokumen lain[ (halaman {pages})][: {what}].",
		"This file contains links to other documents[ (page {pages})][: {what}]."},
	"finding.file_uri": {
		"Berkas ini memuat tautan ke berkas di komputer atau jaringan pembaca[ (halaman {pages})][: {what}].",
		"This file contains links to files on the reader's computer or network[ (page {pages})][: {what}]."},
	"finding.media": {
		"Berkas ini memuat suara, video, atau objek 3D[ (halaman {pages})].",
		"This file contains sound, video or 3D content[ (page {pages})]."},
	"finding.embedded_file": {
		"Berkas ini memuat berkas lain sebagai lampiran[ (halaman {pages})][: {what}].",
		"This file contains other files as attachments[ (page {pages})][: {what}]."},
	"finding.not_examined": {
		"Tidak semua isi berkas ini dapat diperiksa[ (halaman {pages})].",
		"Not all content of this file could be examined[ (page {pages})]."},
	"finding.signature_unknown_issuer": {
		"Berkas ini sudah bertanda tangan, dan penerbit sertifikatnya tidak dikenal di sini[ ({fields})]. Tanda tangan tersebut utuh.",
		"This file is already signed, and the issuer of the certificate is not known here[ ({fields})]. The signature is intact."},
	"finding.signature_no_revocation_data": {
		"Berkas ini sudah bertanda tangan tanpa data status pencabutan sertifikat[ ({fields})]. Tanda tangan tersebut utuh.",
		"This file is already signed, without revocation data for the certificate[ ({fields})]. The signature is intact."},
	"finding.signature_unknown": {
		"Berkas ini sudah bertanda tangan, dan tanda tangannya tidak dapat diperiksa di sini[ ({fields})]: algoritmanya tidak didukung atau sertifikatnya tidak ada.",
		"This file is already signed, and the signature cannot be verified here[ ({fields})]: its algorithm is not supported or its certificate is missing."},
	"finding.signature_not_passed": {
		"Berkas ini sudah bertanda tangan, dan tanda tangannya tidak lolos validasi[ ({fields})]. Isinya tidak berubah.",
		"This file is already signed, and the signature does not pass validation[ ({fields})]. The content is unchanged."},
}
