package emeterai_test

import (
	"slices"
	"testing"

	"segel/internal/emeterai"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/pdf"
)

func TestDutyStampsAreRecognised(t *testing.T) {
	t.Parallel()
	const serial = "0123456789ABCDEFGHIJKL"
	for _, c := range []struct {
		field, reason, serial, rest string
	}{
		{"Emet" + serial, "[" + serial + "] Perjanjian", serial, "Perjanjian"},
		{"Emet" + serial, "", serial, ""},
		{"EmetSPESIMEN-0000000000001", "[SPESIMEN-0000000000001] a", "SPESIMEN-0000000000001", "a"},
		{"sig1700000000000", "[" + serial + "] Surat", serial, "Surat"},
		{"sig1700000000000", "Surat", "", ""},
		{"Emet" + serial, "[AAAAAAAAAAAAAAAAAAAAAA] lain", "", ""},
		{"Tanda", "[" + serial + "] bukan", "", ""},
		{"Emet123", "", "", ""},
	} {
		got, rest, ok := emeterai.ParseStamp(c.field, c.reason)
		if got != c.serial || rest != c.rest || ok != (c.serial != "") {
			t.Errorf("%s %q: %q %q %v", c.field, c.reason, got, rest, ok)
		}
	}
}

// stampedReport is the result for a file with two signatures that claim to be the same stamp.
func stampedReport(serial string, status validate.Indication, chain ...validate.Certificate) *validate.Report {
	r := &validate.Report{}
	for range 2 {
		f := &facts.Signature{Field: emeterai.FieldName(serial), Reason: emeterai.SignatureReason(serial, "Perjanjian"), Shown: pdf.Rect{LLX: 10, LLY: 20, URX: 64, URY: 74}}
		r.Signatures = append(r.Signatures, validate.Signature{
			Facts: f, Field: f.Field, Kind: validate.KindSignature, Page: 1, Indication: status, Signer: &validate.Certificate{Name: "Budi"}, Chain: chain,
		})
	}
	return r
}

func TestStampIsOnlyWhatItsCertificateProves(t *testing.T) {
	t.Parallel()
	const serial = "0123456789ABCDEFGHIJKL"
	budi, root := validate.Certificate{Name: "Budi"}, validate.Certificate{Name: "Root", Trusted: true, TrustOrigin: "root.pem"}
	issuer := validate.Certificate{Name: "Issuing", Purposes: validate.ForAll | validate.ForStamps}
	own := validate.Certificate{Name: "Segel", Trusted: true, TrustOrigin: validate.OriginOwn}
	look := func(status validate.Indication, chain ...validate.Certificate) emeterai.Stamp {
		all := emeterai.FindStamps(stampedReport(serial, status, chain...))
		if len(all) != 2 || all[0].Signature != 0 || all[1].Signature != 1 {
			t.Fatalf("%+v", all)
		}
		return all[0]
	}
	s := look(validate.TotalPassed, budi, root)
	if s.Serial != serial || s.Reason != "Perjanjian" || s.Office != "Budi" || s.Page != 1 || s.Box != [4]float64{10, 20, 64, 74} || !s.Twice || !s.Trusted || s.Recognised || s.Specimen || s.Summary().Code != "stamp.unknown_office" {
		t.Errorf("%+v", s)
	}
	if !slices.ContainsFunc(s.Problems(), func(r validate.Reason) bool { return r.Code == "stamp.twice" }) {
		t.Error("not told that it occurs twice")
	}
	if s := look(validate.Indeterminate); s.Trusted || s.Summary().Code != "stamp.unproved" {
		t.Errorf("%+v", s)
	}
	if s := look(validate.TotalPassed, budi, issuer); !s.Recognised || s.Summary().Code != "stamp.genuine" {
		t.Errorf("%+v", s)
	}
	if s := look(validate.Indeterminate, budi, issuer); s.Recognised || s.Summary().Code != "stamp.unproved" {
		t.Errorf("%+v", s)
	}
	if s := look(validate.TotalPassed, budi, issuer, own); !s.Specimen || s.Recognised || s.Summary().Code != "stamp.specimen" {
		t.Errorf("%+v", s)
	}
}

func TestTimestampIsNoStamp(t *testing.T) {
	t.Parallel()
	r := stampedReport("0123456789ABCDEFGHIJKL", validate.TotalPassed)
	r.Signatures[0].Kind, r.Signatures[1].Facts.Field = validate.KindTimestamp, "Tanda"
	if all := emeterai.FindStamps(r); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}
