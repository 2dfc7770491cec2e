package text

// templates are messages about templates and placeholders.
var templates = map[string]sentence{
	"done.template":         {"Templat telah disimpan.", "The template has been saved."},
	"done.use_template":     {"Draf telah dibuat dari templat.", "A draft has been made from the template."},
	"document.template":     {"Tindakan ini tidak dapat dilakukan pada templat. Buat dokumen dari templat ini terlebih dahulu.", "This cannot be done with a template. Make a document from it first."},
	"document.not_template": {"Dokumen ini bukan templat.", "This document is not a template."},
	"document.placeholders": {"Peran berikut belum diisi: {names}. Tentukan orang untuk setiap peran sebelum memfinalisasi dokumen.", "These roles are still open: {names}. Name a person for each of them before you finalize the document."},
	"template.deadline":     {"Templat tidak memiliki batas waktu. Tentukan batas waktu pada dokumen yang dibuat dari templat ini.", "A template has no deadline. Set one on the documents that are made from it."},
	"placeholder.unknown":   {"Dokumen ini tidak memiliki peran tersebut.", "The document has no such role."},
	"placeholder.filled":    {"Peran ini sudah diisi oleh orang lain.", "Another person fills this role already."},
	"placeholder.twice":     {"Nama peran ini sudah dipakai dalam dokumen.", "Another role of the document has this name."},
	"event.template_made":   {"Menyimpan templat[ dari berkas {filename}][; dibuat dari dokumen nomor {copy_of}]", "Saved the template[ from the file {filename}][; made from document {copy_of}]"},
}
