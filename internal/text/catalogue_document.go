package text

var documents = map[string]sentence{
	"document.not_found": {
		"Dokumen tidak ditemukan.",
		"The document was not found."},
	"document.not_owner": {
		"Hanya pemilik dokumen yang dapat melakukan ini.",
		"Only the owner of the document can do this."},
	"document.not_draft": {
		"Dokumen sudah difinalisasi sehingga tidak dapat diubah lagi.",
		"The document has been finalized and cannot be changed any more."},
	"document.not_processing": {
		"Dokumen tidak sedang diproses, jadi ini tidak dapat dilakukan.",
		"The document is not being processed, so this cannot be done."},
	"document.not_in_turn": {
		"Belum giliran Anda: masih ada yang harus menandatangani lebih dahulu.",
		"It is not your turn yet: others have to sign first."},
	"document.already_signed": {
		"Anda sudah menandatangani dokumen ini.",
		"You have signed this document already."},
	"document.not_signer": {
		"Anda bukan penanda tangan dokumen ini.",
		"You are not a signer of this document."},
	"document.revision_changed": {
		"Dokumen berubah sejak terakhir Anda lihat. Silakan muat ulang dan periksa kembali.",
		"The document has changed since you last saw it. Please reload and look again."},
	"document.busy": {
		"Dokumen sedang diproses oleh permintaan lain. Silakan coba lagi.",
		"Another request is working on the document. Please try again."},
	"document.not_completed": {
		"Dokumen belum selesai, jadi belum dapat diunduh.",
		"The document is not completed yet, so it cannot be downloaded."},
	"document.nothing_to_do": {
		"Tidak ada yang harus ditandatangani atau dibubuhi e-meterai. Tambahkan penanda tangan atau e-meterai.",
		"There is nothing to sign and nothing to stamp. Add a signer or a stamp."},
	"document.not_failed": {
		"Dokumen tidak dalam keadaan gagal, jadi tidak perlu dibubuhi ulang.",
		"The document has not failed, so there is nothing to stamp again."},
	"document.sealing": {
		"Semua tanda tangan sudah lengkap dan dokumen sedang diselesaikan, jadi tidak dapat dibatalkan lagi.",
		"All signatures stand and the document is being completed, so it is too late to cancel."},
	"document.converting": {
		"Dokumen Word ini masih dikonversi ke PDF. Silakan coba lagi sebentar lagi.",
		"This Word document is still being converted to PDF. Please try again in a moment."},
	"document.not_converted": {
		"Dokumen Word ini belum sempat dikonversi ke PDF.",
		"This Word document was never converted to PDF."},
	"document.fonts_replaced": {
		"Fonta ini tidak tersedia dan diganti dengan yang lain, sehingga tata letak dapat berubah: {fonts}. Silakan periksa hasilnya.",
		"These fonts are not available and were replaced, so the layout may have changed: {fonts}. Please check the result."},
	"document.fonts_alike": {
		"Fonta ini diganti dengan yang sama lebarnya, sehingga tata letak tetap: {fonts}.",
		"These fonts were replaced by ones of the same widths, so the layout stays: {fonts}."},
	"document.tracked_changes": {
		"Dokumen Word ini memuat perubahan yang belum diterima atau ditolak; perubahan itu ikut terlihat.",
		"This Word document holds changes that were neither accepted nor rejected; they can be seen."},
	"document.pages_differ": {
		"Hasil konversi memiliki {pages} halaman, sedangkan berkas Word menyebut {expected}. Silakan periksa hasilnya.",
		"The converted document has {pages} pages, and the Word file says {expected}. Please check the result."},
	"document.expired": {
		"Batas waktu dokumen ini sudah lewat.",
		"The time of this document has run out."},
	"document.signed_ahead": {
		"Tanda tangan terakhir pada dokumen ini bertanggal {until}, karena jam layanan saat itu keliru. Dokumen ini dapat ditandatangani setelah waktu tersebut.",
		"The last signature on this document is dated {until}, because the clock of the service was wrong then. The document can be signed after that time."},
	"document.signed_far_ahead": {
		"Tanda tangan terakhir pada dokumen ini bertanggal {until}, karena jam layanan saat itu keliru. Mintalah pemilik dokumen untuk membatalkannya dan mengirimkannya kembali.",
		"The last signature on this document is dated {until}, because the clock of the service was wrong then. Please ask its owner to cancel it and send it again."},
	"document.not_stamps_only": {
		"Pembubuhan tanpa tanda tangan hanya mungkin bila ada e-meterai dan semua penempatan berupa e-meterai.",
		"A stamping order needs at least one stamp, and nothing but stamps."},
	"document.too_many_pages": {
		"Dokumen memiliki {pages} halaman; paling banyak {limit}.",
		"The document has {pages} pages; at most {limit} are possible."},

	"document.file_missing": {
		"Sebagian berkas dokumen ini hilang dari penyimpanan layanan. Tidak ada yang ditandatangani. Hubungi operator layanan ini.",
		"Part of this document's file is missing from the service's storage. Nothing was signed. Please contact the operator of this service."},
	"document.file_changed": {
		"Berkas dokumen ini di penyimpanan layanan tidak sama dengan yang tercatat. Tidak ada yang ditandatangani. Hubungi operator layanan ini.",
		"This document's file in the service's storage is not the one that was recorded. Nothing was signed. Please contact the operator of this service."},

	"stamp.office_down": {
		"Kantor meterai sedang tidak menjawab. Pembubuhan dilanjutkan otomatis begitu kantor itu menjawab lagi.",
		"The stamp office does not answer just now. Stamping goes on by itself as soon as it does."},
	"stamp.file_missing": {
		"Sebagian berkas dokumen ini hilang dari penyimpanan layanan. Operator harus memulihkannya; pembubuhan lalu dilanjutkan otomatis.",
		"Part of this document's file is missing from the service's storage. The operator has to restore it; stamping then goes on by itself."},
	"stamp.file_changed": {
		"Berkas dokumen ini di penyimpanan layanan tidak sama dengan yang tercatat. Operator harus memulihkannya; pembubuhan lalu dilanjutkan otomatis.",
		"This document's file in the service's storage is not the one that was recorded. The operator has to restore it; stamping then goes on by itself."},
	"stamp.office_unreachable": {
		"Kantor meterai tidak dapat dihubungi. Pembubuhan dicoba lagi otomatis.",
		"The stamp office cannot be reached. Stamping is tried again by itself."},
	"stamp.office_account": {
		"Kantor meterai tidak menerima akun layanan ini. Operator harus membenahinya; pembubuhan lalu dilanjutkan otomatis.",
		"The stamp office does not accept this service's account. The operator has to mend it; stamping then goes on by itself."},
	"stamp.office_quota": {
		"Kuota layanan ini di kantor meterai habis. Operator harus membelinya; pembubuhan lalu dilanjutkan otomatis.",
		"This service's quota at the stamp office is used up. The operator has to buy more; stamping then goes on by itself."},
	"stamp.office_config": {
		"Kantor meterai tidak menerima cara layanan ini meminta[: {words}]. Operator harus membenahinya; pembubuhan lalu dilanjutkan otomatis.",
		"The stamp office does not accept the way in which this service asks[: {words}]. The operator has to mend it; stamping then goes on by itself."},
	"stamp.office_busy": {
		"Kantor meterai belum dapat mengerjakannya[: {words}]. Pembubuhan dicoba lagi otomatis.",
		"The stamp office could not do it yet[: {words}]. Stamping is tried again by itself."},
	"stamp.office_refused": {
		"Kantor meterai menolak dokumen ini[: {words}].",
		"The stamp office refused this document[: {words}]."},
	"stamp.return_refused": {
		"Berkas yang dikembalikan kantor meterai bukan yang dipesan. Berkas itu disisihkan, dan dokumen Anda tidak berubah.",
		"What came back from the stamp office is not what was ordered. It was set aside, and your document is unchanged."},
	"stamp.return_incomplete": {
		"Berkas dari kantor meterai tidak sampai dengan utuh. Berkas itu diminta lagi otomatis, tanpa biaya.",
		"The file from the stamp office did not arrive whole. It is asked for again by itself, at no cost."},
	"stamp.serial_uncertain": {
		"Jawaban kantor meterai hilang, dan nomor seri yang diberikannya tidak dapat dipastikan. Operator harus menanyakannya.",
		"The stamp office's answer was lost, and which serial it gave cannot be found out. The operator has to ask."},
	"stamp.picture_lost": {
		"Gambar meterai hilang bersama jawaban kantor meterai. Operator harus memintanya.",
		"The picture of the stamp was lost with the stamp office's answer. The operator has to ask for it."},
	"stamp.no_place": {
		"Tempat e-meterai tidak ada di halaman dokumen.",
		"The place of the stamp is not on a page of the document."},
	"stamp.file_too_large": {
		"Berkas ini, dengan semua tanda tangannya, lebih besar daripada yang diterima kantor meterai[; paling besar {limit|size}].",
		"The file is, with all its signatures, larger than the stamp office takes[; at most {limit|size}]."},
	"stamp.file_old": {
		"Berkas ini lebih lama dari PDF 1.6 dan belum bertanda tangan, sehingga kantor meterai akan menulisnya ulang. Simpan sebagai PDF yang lebih baru, atau minta tanda tangan lebih dahulu.",
		"The file is older than PDF 1.6 and carries no signature, so the stamp office would write it anew. Save it as a newer PDF, or have it signed first."},
	"stamp.file_encrypted": {
		"Berkas ini terenkripsi, dan kantor meterai tidak menerimanya. Unggah berkas tanpa enkripsi.",
		"The file is encrypted, which the stamp office does not take. Upload it without encryption."},
	"stamp.file_locked": {
		"Izin berkas ini melarang perubahan, sehingga kantor meterai akan menolaknya. Unggah berkas tanpa pembatasan.",
		"The permissions of the file forbid changes, so the stamp office would refuse it. Upload it without restrictions."},
	"stamp.signature_broken": {
		"Tanda tangan yang sudah ada di berkas ini tidak utuh lagi[ ({field})], sehingga kantor meterai akan menolaknya.",
		"A signature that the file came with no longer holds[ ({field})], so the stamp office would refuse it."},
	"stamp.signature_changed": {
		"Setelah tanda tangan yang sudah ada[ ({field})], berkas ini diubah dengan cara yang tidak diizinkan, sehingga kantor meterai akan menolaknya.",
		"Behind a signature that the file came with[ ({field})], something was changed that it does not permit, so the stamp office would refuse it."},
	"stamp.office_unavailable": {
		"Kantor meterai tidak dapat ditanya sekarang. Silakan coba lagi nanti.",
		"The stamp office cannot be asked just now. Please try again later."},
	"stamp.not_refused": {
		"Tidak ada nomor seri yang ditolak untuk selamanya; bubuhkan ulang tanpa nomor seri baru.",
		"No serial was refused for good; stamp again without a new serial."},
	"stamp.serial_used": {
		"Kantor meterai tidak menyatakan nomor seri {serial} belum terpakai; bubuhkan ulang dengan nomor seri itu.",
		"The stamp office does not call serial {serial} unused; stamp again with that serial."},
	"stamp.no_evidence": {
		"Tidak ada berkas yang disimpan untuk nomor seri ini.",
		"No file is kept for this serial."},
	"stamp.serial_elsewhere": {
		"Nomor seri itu milik dokumen lain.",
		"That serial belongs to another document."},

	"closing.timestamp": {
		"Layanan stempel waktu tidak menjawab. Penyegelan dicoba lagi otomatis.",
		"The time-stamp authority does not answer. Sealing is tried again by itself."},
	"closing.proof": {
		"Status pencabutan sebuah sertifikat tidak dapat diperoleh. Penyegelan dicoba lagi otomatis.",
		"Whether a certificate was revoked cannot be found out. Sealing is tried again by itself."},
	"closing.file_missing": {
		"Sebagian berkas dokumen ini hilang dari penyimpanan layanan. Operator harus memulihkannya; penyegelan lalu dilanjutkan otomatis.",
		"Part of this document's file is missing from the service's storage. The operator has to restore it; sealing then goes on by itself."},
	"closing.file_changed": {
		"Berkas dokumen ini di penyimpanan layanan tidak sama dengan yang tercatat. Operator harus memulihkannya; penyegelan lalu dilanjutkan otomatis.",
		"This document's file in the service's storage is not the one that was recorded. The operator has to restore it; sealing then goes on by itself."},
	"closing.invalid": {
		"Berkas yang sudah disegel tidak lolos validasi[ ({words})], sehingga dokumen belum diselesaikan. Penyegelan dicoba lagi otomatis, dan operator sudah diberi peringatan.",
		"The sealed file did not pass validation[ ({words})], so the document is not completed yet. Sealing is tried again automatically, and the operator has been alerted."},
	"closing.unexpected": {
		"Penyegelan tidak berhasil karena sebab yang tidak terduga. Penyegelan dicoba lagi otomatis, dan sebabnya tercatat bagi operator.",
		"Sealing did not work for an unexpected cause. It is tried again by itself, and the cause is logged for the operator."},
	"closing.clock_in_doubt": {
		"Jam layanan sedang diperiksa. Dokumen dilanjutkan otomatis setelah administrator memastikan jamnya benar.",
		"The clock of the service is being checked. The document goes on by itself once an administrator has made sure that it is right."},
	"closing.clock": {
		"Sebuah tanda tangan pada dokumen ini bertanggal kemudian[, yaitu {until}], karena jam layanan saat itu keliru. Dokumen dilanjutkan otomatis setelah waktu tersebut.",
		"A signature on this document is dated in the future[, {until}], because the clock of the service was wrong then. The document goes on by itself after that time."},
	"closing.clock_far": {
		"Sebuah tanda tangan pada dokumen ini bertanggal jauh di kemudian hari[, yaitu {until}], karena jam layanan saat itu keliru. Silakan batalkan dokumen ini dan kirimkan kembali.",
		"A signature on this document is dated far in the future[, {until}], because the clock of the service was wrong then. Please cancel the document and send it again."},
	"closing.revoked": {
		"Sebuah sertifikat sudah dicabut[ pada {when}] sebelum dipakai menandatangani[ ({why}; nomor {serial})], sehingga dokumen ini tidak dapat disegel.",
		"A certificate had been revoked[ on {when}] before it was used to sign[ ({why}; number {serial})], so the document cannot be sealed."},

	"placement.stranger": {
		"Orang ini tidak dapat memiliki penempatan ini: tanda tangan dan paraf hanya untuk penanda tangan, e-meterai untuk peserta atau pemilik.",
		"This placement cannot be this person's: signatures and initials belong to signers, stamps to participants or the owner."},
	"placement.unknown_type": {
		"Jenis penempatan harus emet (e-meterai), sign (tanda tangan), atau paraf.",
		"The type of a placement must be emet (duty stamp), sign (signature) or paraf (initials)."},
	"placement.no_such_page": {
		"Halaman {page} tidak ada; dokumen memiliki {pages} halaman.",
		"There is no page {page}; the document has {pages}."},
	"placement.no_area": {
		"Kotak ini tidak memiliki luas.",
		"This box has no area."},
	"placement.too_small": {
		"Kotak ini terlalu kecil; lebar dan tingginya paling sedikit {min} mm.",
		"This box is too small; its width and height must be at least {min} mm."},
	"placement.off_page": {
		"Kotak ini keluar dari halaman, yang berukuran {width} × {height} poin.",
		"This box leaves the page, which is {width} × {height} points."},
	"placement.stamp_size": {
		"Sisi e-meterai harus {min} sampai {max} poin; kotak ini memberi {side}.",
		"A stamp's side must be {min} to {max} points; this box gives {side}."},
	"placement.too_large": {
		"[Kotak tanda tangan dan paraf satu orang paling banyak menutupi {limit} % dari satu halaman; di halaman {page} kotak ini menjadikannya {share} %.]" +
			"[Kotak tanda tangan dan paraf semua orang bersama-sama paling banyak menutupi {limit_all} % dari satu halaman; di halaman {page} kotak ini menjadikannya {share_all} %.]" +
			"[Beberapa meterai elektronik bersama-sama paling banyak menutupi {limit_stamps} % dari satu halaman; di halaman {page} kotak ini menjadikannya {share_stamps} %.]",
		"[One person's boxes for signatures and initials cover at most {limit} % of a page; this box makes it {share} % of page {page}.]" +
			"[The boxes of all people for signatures and initials cover at most {limit_all} % of a page; this box makes it {share_all} % of page {page}.]" +
			"[Several duty stamps cover at most {limit_stamps} % of a page together; this box makes it {share_stamps} % of page {page}.]"},
	"placement.emet_props_differ": {
		"emet dan props menunjuk tempat yang berbeda; emet yang dipakai.",
		"emet and props name different places; emet was taken."},
	"placement.over_stamp": {
		"E-meterai ini menutupi e-meterai lain di halaman {page}.",
		"This stamp lies over another stamp on page {page}."},
	"placement.over_box": {
		"Kotak ini menutupi kotak tanda tangan atau paraf di halaman {page}.",
		"This box lies over a box for a signature or initials on page {page}."},
	"placement.over_former_stamp": {
		"Kotak ini menutupi e-meterai yang sudah ada di halaman {page}[: {what}].",
		"This box lies over a stamp that is already on page {page}[: {what}]."},
	"placement.over_signature": {
		"Kotak ini menutupi tanda tangan yang sudah ada di halaman {page}[: {what}].",
		"This box lies over a signature that is already on page {page}[: {what}]."},
	"placement.over_field": {
		"E-meterai ini menutupi kolom tanda tangan yang masih kosong di halaman {page}[: {what}].",
		"This stamp lies over an empty signature field on page {page}[: {what}]."},
	"placement.over_text": {
		"Kotak ini menutupi tulisan di halaman {page}[: “{what}”].",
		"This box lies over text on page {page}[: “{what}”]."},
	"placement.over_picture": {
		"Kotak ini menutupi gambar di halaman {page}. Pastikan tidak ada tulisan yang tertutup.",
		"This box lies over a picture on page {page}. Please make sure that it covers no text."},
	"placement.not_told": {
		"Isi halaman {page} tidak dapat dibaca seluruhnya. Pastikan kotak ini tidak menutupi tulisan.",
		"Not all of page {page} could be looked through. Please make sure that this box covers no text."},
	"placements.too_many": {
		"Penempatan terlalu banyak; paling banyak {limit}.",
		"Too many placements; at most {limit}."},
	"stamps.too_many": {
		"E-meterai terlalu banyak; paling banyak {limit}.",
		"Too many stamps; at most {limit}."},
}

var files = map[string]sentence{
	"file.missing": {
		"Berkas dokumen belum disertakan.",
		"The file of the document is missing."},
	"file.empty": {
		"Berkas ini kosong.",
		"This file is empty."},
	"file.too_large": {
		"Berkas terlalu besar; paling besar {limit|size}.",
		"The file is too large; at most {limit|size}."},
	"file.unsupported": {
		"Berkas ini bukan PDF, DOC, atau DOCX.",
		"This file is not a PDF, DOC or DOCX."},
	"file.word_unavailable": {
		"Berkas Word tidak dapat dikonversi di server ini. Silakan simpan sebagai PDF dan unggah kembali.",
		"Word files cannot be converted on this server. Please save it as PDF and upload that."},
	"file.word_crowded": {
		"Terlalu banyak dokumen Word organisasi Anda yang menunggu dikonversi. Silakan coba lagi sebentar lagi.",
		"Too many Word documents of your organisation wait to be converted. Please try again in a moment."},
	"file.word_failed": {
		"Berkas Word ini tidak dapat dikonversi ke PDF. Silakan simpan sebagai PDF dan unggah kembali.",
		"This Word file could not be converted to PDF. Please save it as PDF and upload that."},
	"file.word_too_slow": {
		"Konversi berkas Word ini terlalu lama. Silakan simpan sebagai PDF dan unggah kembali.",
		"Converting this Word file takes too long. Please save it as PDF and upload that."},
	"file.word_complex": {
		"Berkas Word ini terlalu besar atau terlalu rumit untuk dikonversi dengan aman. Silakan simpan sebagai PDF dan unggah kembali.",
		"This Word file is too large or too complex to be converted safely. Please save it as PDF and upload that."},
	"file.word_damaged": {
		"Berkas Word ini rusak. Silakan simpan ulang di Word dan unggah kembali.",
		"This Word file is damaged. Please save it anew in Word and upload that."},
	"file.word_password": {
		"Berkas Word ini dilindungi kata sandi. Silakan simpan tanpa kata sandi dan unggah kembali.",
		"This Word file is protected by a password. Please save it without one and upload that."},
	"file.word_links": {
		"Berkas Word ini menampilkan gambar atau data yang tersimpan di tempat lain. Silakan sematkan di dalam berkas dan unggah kembali.",
		"This Word file shows pictures or data that are stored elsewhere. Please embed them in the file and upload that."},
	"file.word_fields": {
		"Berkas Word ini memuat kode bidang yang mengambil isi dari luar (misalnya INCLUDEPICTURE atau DDE). Silakan ubah menjadi teks biasa dan unggah kembali.",
		"This Word file has field codes that fetch content from outside (such as INCLUDEPICTURE or DDE). Please turn them into plain text and upload that."},
	"file.word_macros": {
		"Berkas Word ini memuat makro. Silakan simpan sebagai dokumen tanpa makro (.docx) dan unggah kembali.",
		"This Word file holds macros. Please save it as a document without macros (.docx) and upload that."},
	"file.word_objects": {
		"Berkas Word ini memuat objek dari program lain. Silakan ganti dengan gambar atau tabel biasa dan unggah kembali.",
		"This Word file holds objects of other programs. Please replace them by pictures or plain tables and upload that."},
	"file.word_template": {
		"Berkas Word ini terhubung ke templat di tempat lain. Silakan lepaskan templatnya di Word dan unggah kembali.",
		"This Word file hangs on a template elsewhere. Please detach the template in Word and upload that."},
	"file.word_other_file": {
		"Berkas Word ini disusun dari dokumen lain. Silakan gabungkan menjadi satu berkas dan unggah kembali.",
		"This Word file is put together from other documents. Please merge them into one file and upload that."},
	"file.encrypted": {
		"PDF ini dienkripsi dengan cara yang tidak dapat dibuka di sini. Silakan simpan tanpa enkripsi dan unggah kembali.",
		"This PDF is encrypted in a way that cannot be opened here. Please save it without encryption and upload that."},
	"file.password_needed": {
		"PDF ini hanya terbuka dengan kata sandi. Silakan simpan tanpa kata sandi pembuka dan unggah kembali.",
		"This PDF only opens with a password. Please save it without one and upload that."},
	"file.no_pages": {
		"PDF ini tidak memiliki halaman.",
		"This PDF has no pages."},
	"file.damaged_signed": {
		"PDF ini rusak dan sudah bertanda tangan; memperbaikinya akan merusak tanda tangannya. Silakan unggah berkas yang utuh.",
		"This PDF is damaged and carries signatures, which mending it would break. Please upload an intact file."},
	"document.normalised": {
		"Berkas yang diunggah ditata ulang sekali sebelum tanda tangan pertama; berkas asli tetap tersimpan.",
		"The uploaded file was rewritten once, before the first signature; the original is kept as it was."},
	"file.damaged": {
		"PDF ini rusak dan tidak dapat dibaca. Silakan simpan ulang dan unggah kembali.",
		"This PDF is damaged and cannot be read. Please save it anew and upload that."},
	"file.signature_broken": {
		"Isi berkas ini diubah setelah ditandatangani: tanda tangan {field} tidak cocok lagi dengan isinya. Minta berkas aslinya.",
		"The content of this file was changed after it was signed: signature {field} no longer matches it. Ask for the original file."},
	"file.signature_changed": {
		"Setelah tanda tangan {field}, berkas ini diubah dengan cara yang tidak diizinkan oleh tanda tangan itu. Minta berkas aslinya.",
		"After signature {field}, this file was changed in a way that the signature does not permit. Ask for the original file."},
	"file.certified": {
		"PDF ini sudah disertifikasi dan tidak mengizinkan tanda tangan baru. Silakan unggah berkas yang belum disertifikasi.",
		"This PDF is certified and permits no further signatures. Please upload the file before it was certified."},
	"file.too_complex": {
		"PDF ini terlalu rumit untuk diproses dengan aman.",
		"This PDF is too complex to be processed safely."},
	"file.not_base64": {
		"Isi berkas bukan base64 yang benar.",
		"The content of the file is not valid base64."},
}
