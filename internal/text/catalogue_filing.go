package text

// filings holds sentences about the labels of organisations and the folders of people.
var filings = map[string]sentence{
	"label.not_found":            {"Label tidak ditemukan.", "The label was not found."},
	"label.exists":               {"Label lain sudah memakai nama ini.", "Another label has this name."},
	"label.too_many":             {"Organisasi sudah memiliki {limit} label, yaitu jumlah maksimum. Hapus label yang tidak diperlukan.", "The organisation has {limit} labels, which is the maximum. Delete some that you do not need."},
	"label.too_many_of_document": {"Dokumen dapat memiliki paling banyak {limit} label.", "A document can have at most {limit} labels."},
	"folder.not_found":           {"Folder tidak ditemukan.", "The folder was not found."},
	"folder.exists":              {"Folder Anda yang lain sudah memakai nama ini.", "Another folder of yours has this name."},
	"folder.too_many":            {"Anda sudah memiliki {limit} folder, yaitu jumlah maksimum. Hapus folder yang tidak diperlukan.", "You have {limit} folders, which is the maximum. Delete some that you do not need."},

	"done.label_added":    {"Label telah dibuat.", "The label has been created."},
	"done.label_changed":  {"Label telah diubah.", "The label has been changed."},
	"done.label_deleted":  {"Label telah dihapus. Selain itu, dokumen tidak berubah.", "The label has been deleted. Documents have lost it and are otherwise unchanged."},
	"done.labelled":       {"Label dokumen telah disimpan.", "The labels of the document have been saved."},
	"done.folder_added":   {"Folder telah dibuat.", "The folder has been created."},
	"done.folder_renamed": {"Nama folder telah diubah.", "The folder has been renamed."},
	"done.folder_deleted": {"Folder telah dihapus. Dokumennya tetap ada dalam daftar Anda.", "The folder has been deleted. Its documents stay in your lists."},
	"done.filed":          {"Dokumen telah dipindahkan.", "The document has been moved."},

	"event.label_added":   {"Membuat label[ {name}]", "Created the label[ {name}]"},
	"event.label_changed": {"Mengubah label[ {name}][ menjadi {new_name}]", "Changed the label[ {name}][ to {new_name}]"},
	"event.label_deleted": {"Menghapus label[ {name}]", "Deleted the label[ {name}]"},
}
