package evidence

import (
	"fmt"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/text"
)

// words is a text in both languages. Every text of the file stands in both, Indonesian first.
type words struct{ id, en string }

// format inserts the same arguments in both languages.
func (w words) format(args ...any) words {
	return words{fmt.Sprintf(w.id, args...), fmt.Sprintf(w.en, args...)}
}

// Texts of the file.
var (
	titleWords = words{"Sertifikat Bukti Penandatanganan", "Evidence Certificate"}
	leadWords  = words{
		"Sertifikat ini menerangkan bagaimana para pihak diundang serta bagaimana dokumen di bawah ini ditandatangani dan diselesaikan. Sertifikat ini disegel dan diberi stempel waktu; fakta yang sama terlampir sebagai berkas yang dapat dibaca mesin, beserta bukti bahwa peristiwanya tercatat dalam log audit.",
		"This certificate states how people were invited to the document below, how it was signed and how it was completed. It is sealed and timestamped; the same facts are attached for programs, with a proof that the events are in the audit log.",
	}
	specimenWords = words{
		"SPESIMEN: meterai pada dokumen ini berasal dari sistem uji coba dan tidak memiliki nilai hukum.",
		"SPECIMEN: the duty stamps of this document come from a sandbox and have no legal value.",
	}
	cutWords = words{
		"Sertifikat ini terlalu panjang untuk ditampilkan seluruhnya; berkas terlampir memuat semua fakta.",
		"The certificate is too long to be shown in full; the attached file has all facts.",
	}

	documentWords  = words{"Dokumen", "Document"}
	peopleWords    = words{"Para pihak", "People"}
	stampsWords    = words{"Meterai elektronik", "Duty stamps"}
	revisionsWords = words{"Rangkaian revisi", "Chain of revisions"}
	picturesWords  = words{"Gambar halaman", "Pictures of the pages"}
	logWords       = words{"Log audit dan pemeriksaan", "Audit log and verification"}

	titleLabel     = words{"Judul", "Title"}
	numberLabel    = words{"Nomor dokumen", "Document number"}
	filenameLabel  = words{"Nama berkas asal", "File as uploaded"}
	digestLabel    = words{"SHA-256 dokumen selesai", "SHA-256 of the completed file"}
	sizeLabel      = words{"Ukuran", "Size"}
	pagesLabel     = words{"Jumlah halaman", "Pages"}
	ownerLabel     = words{"Pengirim", "Sender"}
	createdLabel   = words{"Diunggah", "Uploaded"}
	finalizedLabel = words{"Dikirim untuk ditandatangani", "Sent"}
	completedLabel = words{"Selesai", "Completed"}
	madeLabel      = words{"Sertifikat dibuat", "Certificate made"}

	roleLabel        = words{"Peran", "Role"}
	emailLabel       = words{"Surat elektronik", "E-mail"}
	phoneLabel       = words{"Nomor telepon", "Phone number"}
	invitationsLabel = words{"Undangan", "Invitation"}
	groupLabel       = words{"Kelompok", "Group"}
	anyOfWords       = words{"cukup salah satu dari: %s", "any one of: %s"}
	actedForWords    = words{"%s bertindak untuk kelompok ini", "%s acted for this group"}
	delegatedLabel   = words{"Pengalihan", "Passed on"}
	viewedLabel      = words{"Dilihat", "Viewed"}
	seenLabel        = words{"Revisi yang dilihat", "Revision seen"}
	consentLabel     = words{"Persetujuan", "Consent"}
	signedLabel      = words{"Ditandatangani", "Signed"}
	approvedLabel    = words{"Disetujui", "Approved"}
	addressLabel     = words{"Alamat IP", "IP address"}
	verifiedLabel    = words{"Verifikasi", "Verification"}
	certificateLabel = words{"Sertifikat elektronik", "Certificate"}

	serialLabel = words{"Nomor seri %s", "Serial %s"}
	stampWords  = words{"Halaman %d, dibubuhkan %s", "Page %d, affixed %s"}

	delegatedWords   = words{"%s: bagiannya dialihkan kepada %s (%s)", "%s: their part was passed to %s (%s)"}
	unknownWords     = words{"tidak tercatat", "not recorded"}
	keyWords         = words{"oleh program, dengan kunci API %s milik %s", "by a program, with API key %s of %s"}
	framedWords      = words{"di halaman %s, dengan alamat yang diminta oleh %s", "in a page of %s, with an address that %s asked for"}
	framedKeyWords   = words{"alamat diminta dengan kunci API %s", "the address was asked for with API key %s"}
	notSignedWords   = words{"tidak menandatangani", "did not sign"}
	notApprovedWords = words{"tidak menyetujui", "did not approve"}
	memberWords      = words{"Anggota organisasi; membuka dokumen dengan akunnya.", "A member of the organisation; opens the document with their account."}
	revisionWords    = words{"Revisi %d, dengan SHA-256", "Revision %d, with SHA-256"}
	pagesShownWords  = words{"Halaman yang ditampilkan layanan: %s.", "Pages that the service showed: %s."}
	asPicturesWords  = words{"Ditampilkan sebagai gambar yang dibuat layanan: %s.", "Shown as pictures that the service drew: %s."}
	nothingShown     = words{"Layanan tidak menampilkan halaman; permintaan tanda tangan datang dari program lain.", "The service showed no pages; the request to sign came from another program."}
	consentAt        = words{"Permintaan menandatangani diterima %s.", "The request to sign arrived %s."}
	listConsentWords = words{"Persetujuan mencakup %d dokumen; SHA-256 daftarnya:", "The consent covered %d documents; the SHA-256 of their list:"}
	consentTextWords = words{"Teks persetujuan pada aplikasi web: “%s”", "Text of the consent in the web app: “%s”"}
	acceptedWords    = words{"Menyetujui teks persetujuan versi %s sebelum menandatangani; teksnya dimuat di bawah.", "Accepted the consent text, version %s, before signing; the text is below."}
	acceptedBefore   = words{"Menyetujui teks persetujuan versi %s pada %s, pada dokumen nomor %s; teksnya dimuat di bawah.", "Accepted the consent text, version %s, at %s with document number %s; the text is below."}
	noConsentText    = words{"Layanan tidak menampilkan teks persetujuan.", "The service showed no consent text."}
	consentSection   = words{"Teks persetujuan, versi %s", "Consent text, version %s"}
	mailboxWords     = words{"Alamat e-mail %s diverifikasi dengan kode pada %s.", "The mailbox %s was verified with a code at %s."}
	handedOutWords   = words{"Tautan diserahkan langsung; alamat e-mail dan nomor telepon tidak diverifikasi.", "The link was handed out; neither mailbox nor phone number was verified."}
	sessionFactor    = words{"Autentikasi saat masuk: %s.", "Authenticated at the login: %s."}
	signatureFactor  = words{"Autentikasi untuk tanda tangan ini: %s.", "Authenticated for this signature: %s."}
	phoneWords       = words{"Nomor telepon %s diverifikasi dengan kode melalui %s pada %s.", "The phone number %s was verified with a code by %s at %s."}
	subjectWords     = same("Subjek / Subject: %s")
	issuerWords      = same("Penerbit / Issuer: %s")
	serialWords      = same("Nomor seri / Serial number: %s")

	drawnWords = words{
		"Gambar %d dari %d halaman dokumen selesai. Yang mengikat adalah berkas dengan SHA-256 di atas, bukan gambar ini.",
		"Pictures of %d of the %d pages of the completed document. The file with the SHA-256 above is authoritative, not these pictures.",
	}
	notDrawnWords = words{
		"Gambar halaman tidak dapat dibuat pada saat sertifikat ini dibuat. Dokumen dikenali dari SHA-256 di atas.",
		"No pictures of the pages could be made when this certificate was made. The document is identified by the SHA-256 above.",
	}
	pageWords = words{"Halaman %d", "Page %d"}

	logLead = words{
		"Terlampir: " + FactsFile + " (fakta dalam sertifikat ini) dan " + ProofFile + " (bukti penyertaan dalam log audit beserta titik periksanya (checkpoint) yang ditandatangani). Perintah “segel verify --evidence SERTIFIKAT DOKUMEN” memeriksa keduanya tanpa jaringan, hanya dengan sertifikat akar.",
		"Attached: " + FactsFile + " (the facts of this certificate) and " + ProofFile + " (the inclusion proof in the audit log with its signed checkpoint). The command “segel verify --evidence CERTIFICATE DOCUMENT” checks both offline, with only the root certificate.",
	}
	logKeyLabel = words{"Kunci log audit", "Key of the audit log"}
	attachments = map[string]words{
		FactsFile: {"Fakta dalam sertifikat ini", "The facts of this certificate"},
		ProofFile: {"Bukti penyertaan dalam log audit", "Inclusion proof in the audit log"},
	}

	invitationWords = map[string]words{
		ByMail:         {"Surat elektronik dikirim ke %s", "Mail sent to %s"},
		ByReminder:     {"Pengingat dikirim ke %s", "Reminder sent to %s"},
		ByMailRejected: {"Surat elektronik ke %s tidak diterima server", "No mail server accepted the mail to %s"},
		ByOwner:        {"Tautan diserahkan oleh pengirim; alamat e-mail dan nomor telepon tidak diverifikasi", "Link handed out by the sender; neither mailbox nor phone number was verified"},
		ByOperator:     {"Tautan diserahkan oleh operator; alamat e-mail dan nomor telepon tidak diverifikasi", "Link handed out by the operator; neither mailbox nor phone number was verified"},
		ByLink:         {"Tautan diserahkan", "Link handed out"},
		ByLinkRevoked:  {"Tautan dicabut oleh pengirim", "Link revoked by the sender"},
		ByText:         {"%s dikirim ke %s", "%s message sent to %s"},
		ByTextReminder: {"Pengingat melalui %s dikirim ke %s", "Reminder by %s sent to %s"},
		ByTextRejected: {"Pesan %s ke %s tidak diterima penyedia layanan", "The provider did not accept the %s message to %s"},
	}
	revisionKinds = map[string]words{
		string(contract.RevisionBase):       {"Berkas", "File"},
		string(contract.RevisionFields):     {"Kolom tanda tangan", "Signature fields"},
		string(contract.RevisionSignature):  {"Tanda tangan", "Signature"},
		string(contract.RevisionStamp):      {"Meterai", "Duty stamp"},
		string(contract.RevisionSeal):       {"Segel", "Seal"},
		string(contract.RevisionValidation): {"Data validasi", "Validation data"},
		string(contract.RevisionTimestamp):  {"Stempel waktu", "Timestamp"},
	}

	// consentText is what the web app says above the button with which a person signs one document, and consentList what they confirm when
	// they sign several at once.
	consentText = words{"Dengan menandatangani, Anda menyetujui isi dokumen persis seperti yang ditampilkan di sini.", "By signing you agree to the document exactly as it is shown here."}
	consentList = words{
		"Saya menyetujui masing-masing dari %d dokumen dalam daftar ini dan menyatakan telah membacanya.",
		"I agree to each of the %d documents in this list, and confirm that I have read them.",
	}
)

// identityWords returns what was verified about a signer, and how.
func (s *Signature) identityWords() words {
	if s.Assurance == "" {
		return unknownWords
	}
	args := map[string]any{"named_by": s.NamedBy, "organisation": s.Organisation, "mailbox": s.Mailbox, "phone": s.Phone}
	code := "identity." + s.Assurance
	return words{text.Sentence(text.Indonesian, code, args), text.Sentence(text.English, code, args)}
}

// factorWords returns how a person with an account was authenticated; nothing if it was a password, which their assurance says.
func (s *Signature) factorWords() words {
	if s.Factor == "" {
		return words{}
	}
	w, f := sessionFactor, contract.Factor(s.Factor)
	if s.FactorFor != "" {
		w = signatureFactor
	}
	return words{fmt.Sprintf(w.id, text.FactorName(text.Indonesian, f)), fmt.Sprintf(w.en, text.FactorName(text.English, f))}
}

// consentWords returns the text that the person agreed to; nothing if the service did not show it.
func (s *Signature) consentWords() words {
	switch {
	case s.ConsentDocuments > 1:
		list := consentList.format(s.ConsentDocuments)
		return words{fmt.Sprintf(consentTextWords.id, list.id), fmt.Sprintf(consentTextWords.en, list.en)}
	case s.PagesShown != "" && s.PagesShown != contract.PagesNone:
		return words{fmt.Sprintf(consentTextWords.id, consentText.id), fmt.Sprintf(consentTextWords.en, consentText.en)}
	}
	return words{}
}

// formatTime writes a time to the second in the zone of the organisation and in UTC, the same in both languages.
func (l *layout) formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(l.zone).Format("2006-01-02 15:04:05 MST") + t.UTC().Format(" (15:04:05 UTC)")
}

// channelName returns the name of the channel of a text message.
func channelName(c string) string { return text.ChannelName(contract.Channel(c)) }

// groupWords say of whom any one acted for all, or who acted instead of the person; empty: they are in no group.
func (p *Person) groupWords(people []Person) words {
	if p.Group == 0 {
		return words{}
	}
	var names []string
	for i := range people {
		if o := &people[i]; o.Group == p.Group {
			names = append(names, o.Name)
			if o.act() != nil && p.act() == nil {
				return actedForWords.format(o.Name)
			}
		}
	}
	return anyOfWords.format(strings.Join(names, ", "))
}

// roleWords say what a person does, by their capacity or else their role.
var roleWords = map[string]words{
	string(contract.Signer):    {"Penanda tangan, urutan %d", "Signer, number %d"},
	string(contract.Viewer):    {"Pembaca, urutan %d", "Viewer, number %d"},
	string(contract.Approver):  {"Penyetuju, urutan %d", "Approver, number %d"},
	string(contract.Witness):   {"Saksi, urutan %d", "Witness, number %d"},
	string(contract.Recipient): {"Penerima tembusan, urutan %d", "Recipient of a copy, number %d"},
}
