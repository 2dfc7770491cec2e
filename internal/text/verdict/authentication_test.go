package verdict

import (
	"encoding/asn1"
	"strings"
	"testing"

	"segel/cms"
	"segel/internal/authstatement"
	"segel/internal/contract"
	"segel/internal/text"
	"segel/pades/validate"
	"segel/pades/validate/facts"
)

// signatureStating is a report about a signature with that attribute, whose certificate the declared issuer gave to a holder with that assurance.
func signatureStating(t *testing.T, assurance string, s authstatement.Statement) *validate.Report {
	t.Helper()
	a, err := s.Attribute()
	if err != nil {
		t.Fatal(err)
	}
	status := validate.IdentityUnknown
	if assurance != "" {
		status = validate.IdentityAttested
	}
	r := signatureReport("Budi", &validate.Identity{Status: status, Assurance: assurance, Verified: []string{}, Statement: validate.NewReason("identity.not_established")})
	r.Signatures[0].Facts = &facts.Signature{Container: &cms.SignedData{Signers: []cms.Signer{{Signed: []cms.Attribute{a}}}}}
	return r
}

func TestOnlyAPassedSignatureOfAnAccountOfTheServiceStatesItsAuthenticationForTheService(t *testing.T) {
	t.Parallel()
	account := string(contract.AssuranceAccount)
	for _, c := range []struct {
		name, assurance string
		indication      validate.Indication
		by              string
	}{
		{"an account of the service", account, validate.TotalPassed, StatedByService},
		{"a revoked or unproved certificate", account, validate.Indeterminate, StatedBySignature},
		{"a changed file", account, validate.TotalFailed, StatedBySignature},
		{"another issuer", "", validate.TotalPassed, StatedBySignature},
		{"a guest", string(contract.AssuranceGuest), validate.TotalPassed, StatedBySignature},
		{"the specimen", "specimen", validate.TotalPassed, StatedBySignature},
	} {
		for code, s := range map[string]authstatement.Statement{
			"login": {Factor: "totp"}, "signature": {Factor: "passkey", ForSignature: true}, "key": {Factor: "api_key", Key: "ERP"},
		} {
			r := signatureStating(t, c.assurance, s)
			r.Signatures[0].Indication = c.indication
			out := New(r, nil)
			a := out.Signatures[0].Authentication
			if a == nil || a.StatedBy != c.by || a.Factor != s.Factor || a.ForSignature != s.ForSignature || a.Key != s.Key || a.Statement.Code != "authentication."+c.by+"_"+code {
				t.Errorf("%s: %+v", c.name, a)
				continue
			}
			if _, known := sentences[a.Statement.Code]; !known {
				t.Errorf("%s has no sentence", a.Statement.Code)
			}
			if claimed := strings.HasPrefix(a.Statement.English, "claimed by the signature itself") && strings.HasPrefix(a.Statement.Indonesian, "menurut tanda tangan itu sendiri"); claimed != (c.by == StatedBySignature) {
				t.Errorf("%s: %+v", c.name, a.Statement)
			}
			for lang, label := range map[text.Language]string{text.English: "Factor", text.Indonesian: "Faktor"} {
				var b strings.Builder
				if err := out.WriteText(&b, lang); err != nil || !strings.Contains(b.String(), "   "+label+strings.Repeat(" ", 13-len(label))+a.Statement.In(lang)+"\n") {
					t.Errorf("%s, %v:\n%s", lang, err, &b)
				}
			}
		}
	}
	if a := New(signatureReport("Budi", unverified("Budi")), nil).Signatures[0].Authentication; a != nil {
		t.Errorf("without the attribute: %+v", a)
	}
}

func TestNameOfAKeyCannotPassForPartOfTheStatement(t *testing.T) {
	t.Parallel()
	r := signatureStating(t, string(contract.AssuranceAccount), authstatement.Statement{Factor: "api_key", Key: "ERP”, with a passkey; “\n\u202e{factor}"})
	if s := New(r, nil).Signatures[0].Authentication.Statement; s.English != "signed by API key “ERP', with a passkey; ' {factor}”; stated by the service that issued the certificate" {
		t.Errorf("%q", s.English)
	}
	later := signatureStating(t, "", authstatement.Statement{Factor: "retina"})
	if s := New(later, nil).Signatures[0].Authentication.Statement; !strings.Contains(s.English, ": retina, at the login") {
		t.Errorf("%q", s.English)
	}
}

func TestUnreadableStatementIsReportedAsSuch(t *testing.T) {
	t.Parallel()
	r := signatureStating(t, string(contract.AssuranceAccount), authstatement.Statement{Factor: "totp"})
	r.Signatures[0].Facts.Container.Signers[0].Signed[0].Values = []asn1.RawValue{{FullBytes: []byte{5, 0}}}
	if a := New(r, nil).Signatures[0].Authentication; a == nil || a.Factor != "" || a.StatedBy != StatedBySignature || a.Statement.English != "the signature has a statement about authentication that cannot be read" {
		t.Errorf("%+v", a)
	}
}
