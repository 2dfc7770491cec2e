package text

// factors holds sentences about second factors.
var factors = map[string]sentence{
	"auth.factor_required": {
		"Kata sandi benar, tetapi akun ini dilindungi faktor kedua. Masukkan kode dari aplikasi autentikator atau kode pemulihan, atau gunakan kunci sandi (passkey).",
		"The password is right, but a second factor protects this account. Enter a code of your authenticator app or a recovery code, or use a passkey."},
	"auth.reauthenticate": {
		"Untuk tindakan ini, buktikan kembali identitas Anda dengan kata sandi atau faktor kedua.",
		"For this, please prove again who you are, with your password or a second factor."},
	"auth.must_enrol": {
		"Organisasi Anda mewajibkan faktor kedua. Tambahkan terlebih dahulu aplikasi autentikator atau kunci sandi (passkey).",
		"Your organisation requires a second factor. Please add an authenticator app or a passkey first."},
	"auth.otp_wrong": {
		"Kode salah, sudah kedaluwarsa, atau sudah digunakan.",
		"The code is wrong, has expired, or was used before."},
	"auth.passkey_wrong": {
		"Kunci sandi (passkey) ini tidak dikenal atau jawabannya tidak berlaku lagi. Silakan coba lagi.",
		"This passkey is unknown, or its answer is no longer valid. Please try again."},
	"auth.factor_tries": {
		"Terlalu banyak kode yang salah. Silakan coba lagi[ dalam {retry_after|duration}], atau gunakan kode pemulihan atau kunci sandi (passkey).",
		"Too many wrong codes. Please try again[ in {retry_after|duration}], or use a recovery code or a passkey."},
	"sign.factor_required": {
		"Organisasi Anda mewajibkan faktor kedua untuk setiap tanda tangan. Masukkan kode dari aplikasi autentikator, atau gunakan kunci sandi (passkey).",
		"Your organisation requires a second factor for each signature. Enter a code of your authenticator app, or use a passkey."},
	"factor.exists": {
		"Faktor ini sudah terdaftar pada sebuah akun.",
		"This factor is already registered with an account."},
	"factor.not_found": {
		"Akun Anda tidak memiliki faktor ini.",
		"Your account does not have this factor."},
	"factor.needed": {
		"Organisasi Anda mewajibkan faktor kedua. Tambahkan faktor lain sebelum menghapus yang ini.",
		"Your organisation requires a second factor. Add another one before you remove this one."},
	"factor.enrolment_ended": {
		"Pendaftaran ini sudah berakhir. Silakan mulai kembali.",
		"This registration has ended. Please begin again."},
	"passkey.too_many": {
		"Sebuah akun dapat memiliki paling banyak {limit} kunci sandi (passkey).",
		"An account can have at most {limit} passkeys."},
	"passkey.address": {
		"Kunci sandi (passkey) tidak dapat digunakan pada alamat layanan ini. Administrator perlu mengatur SEGEL_PUBLIC_URL ke alamat https:// dengan nama host (atau http://localhost).",
		"Passkeys cannot be used under the address of this service. An administrator has to set SEGEL_PUBLIC_URL to an https:// address with a host name (or http://localhost)."},

	"done.factor_removed":  {"Faktor telah dihapus.", "The factor has been removed."},
	"done.passkey_renamed": {"Nama telah diubah.", "The name has been changed."},
	"done.factors_reset":   {"Semua faktor kedua akun ini telah dihapus dan semua sesinya telah diakhiri.", "All second factors of the account have been removed, and all its sessions have ended."},

	"event.factor_added":       {"Menambahkan faktor kedua[: {factor_kind}][ “{passkey}”]", "Added a second factor[: {factor_kind}][ “{passkey}”]"},
	"event.factor_removed":     {"Menghapus faktor kedua[: {factor_kind}][ “{passkey}”]", "Removed a second factor[: {factor_kind}][ “{passkey}”]"},
	"event.passkey_renamed":    {"Mengubah nama kunci sandi (passkey)[ menjadi “{passkey}”]", "Renamed a passkey[ to “{passkey}”]"},
	"event.factors_reset":      {"Menghapus semua faktor kedua[ akun {name}][ <{email}>]", "Removed all second factors[ of {name}][ <{email}>]"},
	"event.recovery_codes_new": {"Membuat kode pemulihan baru", "Made new recovery codes"},
	"event.recovery_code_used": {"Menggunakan kode pemulihan[; tersisa {left}]", "Used a recovery code[; {left} left]"},

	// How a person was authenticated, after "identity", and for the evidence.
	"authenticated.password":      {"kata sandi", "password"},
	"authenticated.totp":          {"kata sandi dan aplikasi autentikator", "password and authenticator app"},
	"authenticated.recovery_code": {"kata sandi dan kode pemulihan", "password and recovery code"},
	"authenticated.passkey":       {"kata sandi dan kunci sandi (passkey)", "password and passkey"},
	"authenticated.passkey_only":  {"kunci sandi (passkey)", "passkey"},
	"authenticated.oidc":          {"akun pada penyedia identitas organisasi", "account at the identity provider of the organisation"},
	"authenticated.oidc_second":   {"akun pada penyedia identitas organisasi, dengan faktor kedua", "account at the identity provider of the organisation, with a second factor"},
	"authenticated.api_key":       {"kunci API", "API key"},
	"event.factor_session":        {"autentikasi saat masuk: {factor}", "authenticated at the login: {factor}"},
	"event.factor_signature":      {"autentikasi untuk tanda tangan ini: {factor}", "authenticated for this signature: {factor}"},
	"event.factor_app":            {"aplikasi autentikator", "authenticator app"},
	"event.factor_passkey":        {"kunci sandi (passkey)", "passkey"},
}
