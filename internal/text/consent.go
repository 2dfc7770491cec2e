package text

// ConsentTexts has the versions of the service's consent text, from 1, each by language. The last one is for organisations without their own.
// A text never changes and is never removed, because signatures refer to it: other words are another version.
var ConsentTexts = []map[string]string{{
	string(Indonesian): `Persetujuan penandatanganan elektronik

1. Saya setuju menandatangani dokumen ini secara elektronik. Tanda tangan elektronik saya dibuat atas isi dokumen sebagaimana ditampilkan kepada saya dan mengikat saya sebagaimana tanda tangan basah, sesuai dengan peraturan perundang-undangan tentang informasi dan transaksi elektronik.
2. Saya telah diberi kesempatan membaca seluruh isi dokumen. Sebelum menandatangani, saya dapat menolak dokumen dan menyebutkan alasannya.
3. Layanan ini mencatat nama, alamat surat elektronik, nomor telepon (jika ada), alamat IP, waktu, halaman yang ditampilkan, dan cara identitas saya diverifikasi. Catatan itu dimuat dalam jejak audit dan sertifikat bukti yang dapat dibaca oleh para pihak dalam dokumen.
4. Setelah dokumen selesai, saya dapat mengunduh dokumen beserta sertifikat buktinya.
5. Tanda tangan yang telah dibuat tidak dapat ditarik kembali melalui layanan ini. Perubahan disepakati dengan dokumen baru.`,
	string(English): `Consent to sign electronically

1. I agree to sign this document electronically. My electronic signature applies to the document as it is shown to me and binds me as a handwritten signature does, under the laws on electronic information and transactions.
2. I was able to read the whole document. Before I sign, I can decline it and give a reason.
3. This service records my name, e-mail address, telephone number (if any), IP address, the time, the pages that were shown, and how my identity was verified. These records are part of the audit trail and of the evidence certificate, which the parties to the document can read.
4. When the document is completed, I can download it with its evidence certificate.
5. A signature cannot be withdrawn through this service once it is made. Changes take a new document.`,
}}
