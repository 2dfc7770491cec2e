package text

// teams are messages about teams.
var teams = map[string]sentence{
	"done.team":                 {"Tim dokumen telah disimpan.", "The document's team has been saved."},
	"done.team_added":           {"Tim telah dibuat.", "The team has been created."},
	"done.team_renamed":         {"Nama tim telah diubah.", "The team has been renamed."},
	"done.team_deleted":         {"Tim telah dihapus. Dokumennya tetap pada pemilik masing-masing.", "The team has been deleted. Its documents stay with their owners."},
	"done.team_member_added":    {"Anggota telah ditambahkan ke tim.", "The person has been added to the team."},
	"done.team_member_removed":  {"Anggota telah dikeluarkan dari tim.", "The person has been removed from the team."},
	"team.not_found":            {"Tim tidak ditemukan.", "The team was not found."},
	"team.exists":               {"Tim lain dalam organisasi ini sudah memakai nama ini.", "Another team of the organisation has this name."},
	"team.limit":                {"Organisasi dapat memiliki paling banyak {limit} tim.", "An organisation can have at most {limit} teams."},
	"team.full":                 {"Tim dapat memiliki paling banyak {limit} anggota.", "A team can have at most {limit} members."},
	"event.team_added":          {"Membuat tim[ {team_name}]", "Created the team[ {team_name}]"},
	"event.team_renamed":        {"Mengubah nama tim[ {team_name}][ menjadi {new_name}]", "Renamed the team[ {team_name}][ to {new_name}]"},
	"event.team_deleted":        {"Menghapus tim[ {team_name}]", "Deleted the team[ {team_name}]"},
	"event.team_member_added":   {"Menambahkan anggota[ {name}][ <{email}>] ke tim[ {team_name}]", "Added a member[ {name}][ <{email}>] to the team[ {team_name}]"},
	"event.team_member_removed": {"Mengeluarkan anggota[ {name}][ <{email}>] dari tim[ {team_name}]", "Removed a member[ {name}][ <{email}>] from the team[ {team_name}]"},
	"event.team_changed":        {"Mengubah tim dokumen[; dari {former_name}][; menjadi {team_name}]", "Changed the document's team[; from {former_name}][; to {team_name}]"},
}
