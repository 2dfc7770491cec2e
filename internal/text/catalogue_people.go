package text

var people = map[string]sentence{
	"auth.required": {
		"Silakan masuk terlebih dahulu: token tidak ada, tidak dikenal, atau sudah kedaluwarsa.",
		"Please log in first: the token is missing, unknown or expired."},
	"auth.not_allowed": {
		"Anda tidak berwenang melakukan hal ini.",
		"You are not allowed to do this."},
	"auth.choose_password": {
		"Kata sandi Anda dibuat oleh admin. Pilih kata sandi Anda sendiri terlebih dahulu.",
		"Your password was made by an admin. Please choose one of your own first."},
	"auth.wrong_credentials": {
		"E-mail atau kata sandi salah.",
		"The e-mail or the password is wrong."},
	"auth.refresh_invalid": {
		"Sesi Anda sudah berakhir. Silakan masuk kembali.",
		"Your session has ended. Please log in again."},
	"guest.link_invalid": {
		"Tautan ini tidak berlaku atau sudah diganti. Mintalah tautan baru kepada pemilik dokumen.",
		"This link is not valid or was replaced. Please ask the owner of the document for a new one."},
	"guest.not_found": {
		"Orang ini bukan tamu pada dokumen ini.",
		"This person is not a guest on this document."},
	"user.exists": {
		"Alamat e-mail {email} sudah memiliki akun di organisasi ini.",
		"The e-mail {email} has an account in this organisation already."},
	"user.several": {
		"Alamat e-mail {email} memiliki akun di beberapa organisasi: {organisations}. Sebutkan salah satunya dengan --org.",
		"The e-mail {email} has accounts in several organisations: {organisations}. Name one of them with --org."},
	"user.not_found": {
		"Tidak ada pengguna seperti ini[: {email}].",
		"There is no such user[: {email}]."},
	"organisation.none": {
		"Belum ada organisasi. Jalankan layanan sekali, atau sebutkan nama organisasinya.",
		"There is no organisation yet. Start the service once, or name one."},
	"password.too_short": {
		"Kata sandi paling sedikit {limit} karakter.",
		"A password has at least {limit} characters."},
	"password.too_long": {
		"Kata sandi paling banyak {limit} byte.",
		"A password has at most {limit} bytes."},
	"password.common": {
		"Kata sandi ini termasuk yang paling sering dipakai orang, sehingga mudah ditebak. Gunakan yang lain, misalnya beberapa kata yang tidak saling berkaitan.",
		"This password is among the most common ones and easy to guess. Use another, such as several unrelated words."},
	"password.repetitive": {
		"Kata sandi ini hanya berisi pengulangan atau urutan karakter. Gunakan yang lain, misalnya beberapa kata yang tidak saling berkaitan.",
		"This password only repeats characters or puts them in sequence. Use another, such as several unrelated words."},
	"password.personal": {
		"Kata sandi ini terlalu mirip dengan nama, alamat e-mail, atau organisasi Anda. Gunakan yang lain, misalnya beberapa kata yang tidak saling berkaitan.",
		"This password is too close to your name, e-mail address or organisation. Use another, such as several unrelated words."},
	"password.wrong": {
		"Kata sandi ini bukan kata sandi Anda sekarang.",
		"This is not your present password."},
	"password.same": {
		"Kata sandi baru harus berbeda dari yang sekarang, bukan sekadar ditambah atau diubah huruf besarnya.",
		"The new password has to differ from the present one by more than an addition or capital letters."},
	"specimen.none": {
		"Anda belum menyimpan gambar tanda tangan.",
		"You have not saved a picture of your signature."},
	"specimen.not_picture": {
		"Gambar tanda tangan harus berupa berkas PNG atau JPEG yang utuh.",
		"The picture of a signature must be an intact PNG or JPEG file."},
	"specimen.too_large": {
		"Gambar tanda tangan terlalu besar; paling besar {limit|size}.",
		"The picture of the signature is too large; at most {limit|size}."},
	"specimen.too_many_pixels": {
		"Gambar tanda tangan terlalu besar; paling banyak {side} piksel per sisi dan {pixels} piksel seluruhnya.",
		"The picture of the signature is too large; at most {side} pixels a side and {pixels} pixels in all."},
	"specimen.no_strokes": {
		"Pada gambar ini tidak terlihat tanda tangan. Gunakan gambar tanda tangan Anda dengan tinta gelap di atas latar terang.",
		"No signature can be made out in this picture. Use a picture of your signature in dark ink on a light background."},
	"specimen.too_dark": {
		"Gambar ini menutupi lebih dari {percent} % kotaknya sehingga isi dokumen di bawahnya tidak terbaca. Gunakan gambar tanda tangan Anda di atas latar terang.",
		"This picture covers more than {percent} % of its box, so that what lies below could not be read. Use a picture of your signature on a light background."},

	"role.unknown": {
		"Peran harus signer (penanda tangan) atau viewer (peninjau).",
		"The role must be signer or viewer."},
	"participant.twice": {
		"Orang ini tercantum lebih dari sekali.",
		"This person is listed more than once."},
	"participant.unknown": {
		"Orang ini bukan peserta dokumen.",
		"This person is not on the document."},
	"participants.too_many": {
		"Peserta terlalu banyak; paling banyak {limit} orang.",
		"Too many participants; at most {limit}."},
}
