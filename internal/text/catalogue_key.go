package text

// keys holds sentences about API keys.
var keys = map[string]sentence{
	"key.never": {
		"Tindakan ini tidak dapat dilakukan dengan kunci API. Silakan masuk sebagai pengguna.",
		"This cannot be done with an API key. Please log in as a person."},
	"key.scope": {
		"Kunci API ini tidak memiliki cakupan {scope}.",
		"This API key lacks the scope {scope}."},
	"key.network": {
		"Kunci API ini tidak boleh digunakan dari jaringan ini.",
		"This API key may not be used from this network."},
	"key.other_mode": {
		"Kunci uji hanya berlaku untuk dokumen uji, dan kunci lain tidak berlaku untuk dokumen uji.",
		"A test key acts on test documents only, and other keys do not act on test documents."},
	"key.sign_factor": {
		"Organisasi mewajibkan faktor kedua untuk setiap tanda tangan, sehingga dokumen tidak dapat ditandatangani dengan kunci API.",
		"The organisation requires a second factor for each signature, so an API key cannot sign."},
	"key.ended": {
		"Kunci API ini telah dicabut atau kedaluwarsa.",
		"This API key was revoked or has expired."},
	"key.too_many": {
		"Anda sudah memiliki jumlah maksimum kunci API yang berlaku. Cabut kunci yang tidak diperlukan.",
		"You have the maximum number of API keys. Revoke those that you do not need."},
	"key.not_found": {"Kunci API tidak ditemukan.", "The API key was not found."},
	"key.admin_not_allowed": {
		"Cakupan admin memerlukan akun administrator.",
		"The scope admin needs the account of an administrator."},
	"key.scope_unknown":     {"Cakupan {scope} tidak dikenal.", "The scope {scope} is unknown."},
	"key.test_admin":        {"Kunci uji tidak dapat memiliki cakupan admin.", "A test key cannot have the scope admin."},
	"key.network_malformed": {"Jaringan {network} harus berupa alamat IP atau notasi CIDR, misalnya 203.0.113.0/24.", "The network {network} must be an IP address or in CIDR notation, such as 203.0.113.0/24."},
	"key.networks_too_many": {"Paling banyak {limit} jaringan.", "At most {limit} networks."},
	"key.expires_past":      {"Waktu kedaluwarsa harus berada di masa depan.", "The time of expiry must be in the future."},
	"key.expires_late":      {"Waktu kedaluwarsa paling lama lima tahun dari sekarang.", "The time of expiry must be within five years."},
	"key.client": {
		"Klien tidak dikenal, atau kuncinya tidak berlaku.",
		"The client is unknown, or its key is not valid."},
	"key.client_scope": {
		"Kunci API tidak memiliki cakupan yang diminta.",
		"The API key lacks a scope that was requested."},

	"done.key_created": {"Kunci API telah dibuat. Kunci hanya ditampilkan satu kali ini.", "The API key has been created. It is shown only this once."},
	"done.key_revoked": {"Kunci API telah dicabut dan tidak dapat digunakan lagi.", "The API key has been revoked and cannot be used any more."},

	"event.key_created": {
		"Membuat kunci API[ {key_name}][ dengan cakupan {scopes}][, hanya dari jaringan {networks}][, berlaku sampai {expires}]",
		"Created the API key[ {key_name}][ with the scopes {scopes}][, only from the networks {networks}][, valid until {expires}]"},
	"event.key_revoked": {"Mencabut kunci API[ {key_name}][ milik {name}]", "Revoked the API key[ {key_name}][ of {name}]"},
	"event.key_new_network": {
		"Kunci API[ {key_name}][ milik {name}] digunakan dari jaringan baru[ {network}]",
		"The API key[ {key_name}][ of {name}] was used from a new network[ {network}]"},
	"event.login_failures": {
		"Banyak percobaan masuk yang gagal[: {count}][ pada {accounts} akun][, terbanyak pada akun {name} <{email}>]",
		"Many logins failed[: {count}][ of {accounts} accounts][, most of them of {name} <{email}>]"},

	"login_kind.login":         {"Masuk", "Logged in"},
	"login_kind.login_failed":  {"Gagal masuk", "Login failed"},
	"login_kind.login_limited": {"Percobaan masuk ditolak karena terlalu sering", "Login refused: too many tries"},
	"login_kind.logout":        {"Keluar", "Logged out"},
	"event.key_refused": {
		"Kunci API[ {key_name}][ milik {name}] ditolak karena digunakan dari jaringan yang tidak diizinkan[ {network}]",
		"The API key[ {key_name}][ of {name}] was refused, because it came from a network that is not allowed[ {network}]"},
	"event.by_key": {"{what}, dengan kunci API {key_name} milik {person}", "{what}, by API key {key_name} of {person}"},
}
