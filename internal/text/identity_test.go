package text

import (
	"testing"

	"segel/internal/contract"
)

func TestEventOfASignatureSaysWhatWasVerifiedWhereThatIsKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		details map[string]string
		id, en  string
	}{
		{nil, "Menandatangani dokumen", "Signed the document"},
		{map[string]string{"assurance": "guest_unverified", "named_by": "Sari", "organisation": "PT Contoh"},
			"Menandatangani dokumen. Identitas: tidak diverifikasi; dicantumkan oleh Sari dari PT Contoh",
			"Signed the document. Identity: not verified; named by Sari of PT Contoh"},
		{map[string]string{"assurance": "guest_mailbox_code", "named_by": "Sari", "organisation": "PT Contoh", "mailbox": "budi@example.test", "link": "mailed"},
			"Menandatangani dokumen. Identitas: tidak diverifikasi; alamat e-mail budi@example.test diverifikasi dengan kode; nama dicantumkan oleh Sari dari PT Contoh",
			"Signed the document. Identity: not verified; the mailbox budi@example.test was verified with a code; named by Sari of PT Contoh"},
		{map[string]string{"assurance": "account_password", "organisation": "PT Contoh"},
			"Menandatangani dokumen. Identitas: akun yang diberikan oleh administrator PT Contoh; kata sandi",
			"Signed the document. Identity: an account given by an administrator of PT Contoh; password"},
		{map[string]string{"assurance": "of a later version"}, "Menandatangani dokumen", "Signed the document"},
	} {
		e := contract.Event{Type: contract.EventSigned, Details: c.details}
		if id, en := Event(Indonesian, e), Event(English, e); id != c.id || en != c.en {
			t.Errorf("%v: %q, %q", c.details, id, en)
		}
	}
	for _, a := range []contract.Assurance{contract.AssuranceGuest, contract.AssuranceGuestMailbox, contract.AssuranceGuestPhone, contract.AssuranceAccount, contract.AssuranceSeal} {
		if _, ok := sentences["identity."+string(a)]; !ok {
			t.Errorf("%s has no sentence", a)
		}
	}
}
