package text

// identities say behind the word "identity" what was verified about a signer, how and by whom.
var identities = map[string]sentence{
	"identity.guest_unverified": {
		"tidak diverifikasi; dicantumkan oleh {named_by} dari {organisation}",
		"not verified; named by {named_by} of {organisation}"},
	"identity.account_password": {
		"akun yang diberikan oleh administrator {organisation}; kata sandi",
		"an account given by an administrator of {organisation}; password"},
	"identity.organisation_seal": {
		"segel {organisation}, organisasi sebagaimana dicatat oleh operator layanan",
		"the seal of {organisation}, an organisation as the operator of the service entered it"},
	"identity.specimen": {
		"SPESIMEN tanpa nilai hukum, dari sandbox layanan",
		"SPECIMEN without legal value, by the sandbox of the service"},
	"identity.earlier_guest": {
		"sertifikat tamu atau sertifikat terdahulu: apa yang diverifikasi tidak tercatat",
		"guest or earlier certificate: what was verified is not recorded"},
	"identity.earlier_member": {
		"akun atau segel {organisation}, dengan sertifikat terdahulu yang tidak mencatat apa yang diverifikasi",
		"an account or the seal of {organisation}, with an earlier certificate that does not record what was verified"},
}
