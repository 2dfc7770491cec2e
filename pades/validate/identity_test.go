package validate

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const (
	guestPolicy   = "2.25.7.1"
	accountPolicy = "2.25.7.2"
)

// stating gives a certificate policies, each with that text if it is not empty.
func stating(notice string, oids ...string) with {
	return func(c *x509.Certificate) {
		c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: oidCertificatePolicies, Value: policiesDER(notice, oids...)})
	}
}

func policiesDER(notice string, oids ...string) []byte {
	type qualifier struct {
		ID    asn1.ObjectIdentifier
		Value any
	}
	type information struct {
		Policy     asn1.ObjectIdentifier
		Qualifiers []qualifier `asn1:"optional,omitempty"`
	}
	type text struct {
		Text string `asn1:"utf8"`
	}
	var all []information
	for _, s := range oids {
		oid, err := x509.ParseOID(s)
		if err != nil {
			panic(err) // a constant
		}
		var parts asn1.ObjectIdentifier
		der, err := oid.MarshalBinary()
		if err != nil {
			panic(err)
		}
		if _, err := asn1.Unmarshal(append([]byte{asn1.TagOID, byte(len(der))}, der...), &parts); err != nil {
			panic(err)
		}
		i := information{Policy: parts}
		if notice != "" {
			i.Qualifiers = []qualifier{{oidUserNotice, text{notice}}}
		}
		all = append(all, i)
	}
	der, err := asn1.Marshal(all)
	if err != nil {
		panic(err)
	}
	return der
}

// declarations are what the tests' issuers say: guests were named by their certificate's unit and not verified.
func declarations() []Assurance {
	say := func(status IdentityStatus, code string, verified ...string) func(*x509.Certificate) Identity {
		return func(c *x509.Certificate) Identity {
			i := Identity{Status: status, Assurance: code, Verified: verified, Name: c.Subject.CommonName}
			i.Statement = Reason{Code: "identity." + code, Args: map[string]string{}, Indonesian: "menurut " + code, English: "by " + code}
			if status == IdentityUnverified {
				i.NamedBy = strings.Join(c.Subject.OrganizationalUnit, "")
				i.Statement.English = "not verified; named by " + i.NamedBy
			}
			return i
		}
	}
	return []Assurance{
		{guestPolicy, say(IdentityUnverified, "guest")}, {accountPolicy, say(IdentityAttested, "account", "password")}, {"", say(IdentityNotRecorded, "earlier")},
	}
}

func unit(s string) with {
	return func(c *x509.Certificate) { c.Subject.OrganizationalUnit = []string{s} }
}

func TestSummaryOfAnUnverifiedSignerDiffersFromThatOfAVerifiedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust.Declare(w.issuing.cert, declarations()...)
	for _, c := range []struct {
		who       *holder
		status    IdentityStatus
		code      string
		statement string
		doubtful  bool
	}{
		{certificate(t, w.issuing, "Budi", person, stating("", guestPolicy), unit("Sari of PT Contoh")), IdentityUnverified, "guest", "not verified; named by Sari of PT Contoh", true},
		{certificate(t, w.issuing, "Budi", person, stating("", accountPolicy)), IdentityAttested, "account", "by account", false},
		{certificate(t, w.issuing, "Budi", person), IdentityNotRecorded, "earlier", "by earlier", true},
		{certificate(t, w.issuing, "Budi", person, stating("", accountPolicy, guestPolicy), unit("Sari")), IdentityUnverified, "guest", "not verified; named by Sari", true},
		{certificate(t, w.issuing, "Budi", person, stating("Diperiksa", "2.25.7.3")), IdentityUnknown, "", "in the words of the issuer of the certificate, Issuing: “Diperiksa”", false},
		{certificate(t, w.issuing, "Budi", person, stating("", "2.25.7.3")), IdentityUnknown, "", "as the issuer of the certificate, Issuing, checked it; what it checks is not known here", false},
		{certificate(t, w.issuing, "Budi", person, stating("", anyPolicy)), IdentityUnknown, "", "as the issuer of the certificate, Issuing, checked it; what it checks is not known here", false},
	} {
		r := fresh(w, c.who)
		is(t, r, 0, "", LevelB)
		s := r.Signatures[0]
		if i := s.Identity; i.Status != c.status || i.Assurance != c.code || i.Name != "Budi" || i.Statement.English != c.statement || i.Statement.Indonesian == "" {
			t.Errorf("%s: %+v", c.code, i)
		}
		if !r.Passed() || s.Indication != TotalPassed {
			t.Errorf("%s: %s", c.code, s.Indication)
		}
		wantSummary, wantFile := "signature.passed", "file.passed"
		if c.doubtful {
			wantSummary, wantFile = "signature.passed_unverified", "file.passed_unverified"
		}
		if s.Summary.Code != wantSummary || r.Summary.Code != wantFile || strings.Contains(s.Summary.English, "valid and trusted") == c.doubtful || strings.Contains(s.Summary.Indonesian, "dipercaya") == c.doubtful {
			t.Errorf("%s: %s; %s; %s", c.code, s.Summary.English, s.Summary.Indonesian, r.Summary.English)
		}
		if c.doubtful && (!strings.HasPrefix(s.Summary.English, "Signed by “Budi”. Identity: "+c.statement+". The signature is valid") || !strings.Contains(r.Summary.English, "for 1 of them no verified identity is known")) {
			t.Errorf("%s; %s", s.Summary.English, r.Summary.English)
		}
		for lang, label := range map[string]string{"en": "Identity", "id": "Identitas"} {
			var b writer
			if err := r.WriteText(&b, lang); err != nil || !strings.Contains(string(b), label+strings.Repeat(" ", 13-len(label))+s.Identity.Statement.In(lang)+"\n") {
				t.Errorf("%s, %v:\n%s", lang, err, b)
			}
		}
		if !hasStep(s.Steps, "identity") {
			t.Errorf("%s: no step says it", c.code)
		}
	}
}

func hasStep(steps []Step, check string) bool {
	for _, s := range steps {
		if s.Check == check {
			return true
		}
	}
	return false
}

// An OID is only a number. What it stands for was declared for an issuer, and holds below that issuer alone.
func TestPolicyOfAnotherIssuerStandsForNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours := certificate(t, w.root, "Ours", ca)
	w.trust.Declare(ours.cert, declarations()...)
	foreignRoot := certificate(t, nil, "Foreign Root", ca)
	w.trust.Add(ForSigning, "foreign.pem", foreignRoot.cert)
	sameName := certificate(t, foreignRoot, "Ours", ca)
	for name, issuer := range map[string]*holder{
		"a trusted foreign root": foreignRoot, "an issuer of the same name below it": sameName,
		"another issuer of our root": w.issuing, "our root itself": w.root,
	} {
		for _, policy := range []string{guestPolicy, accountPolicy} {
			r := fresh(w, certificate(t, issuer, "Budi", person, stating("Verified by a notary", policy)))
			is(t, r, 0, "", LevelB)
			if i := r.Signatures[0].Identity; i.Status != IdentityUnknown || i.Assurance != "" || len(i.Verified) != 0 || !strings.Contains(i.Statement.English, "in the words of the issuer") {
				t.Errorf("%s with %s: %+v", name, policy, i)
			}
		}
		r := fresh(w, certificate(t, issuer, "Budi", person))
		if i := r.Signatures[0].Identity; i.Status != IdentityUnknown || i.Assurance != "" {
			t.Errorf("%s without a policy: %+v", name, i)
		}
	}
	// Below the issuer itself it holds.
	r := fresh(w, certificate(t, ours, "Budi", person, stating("", accountPolicy)))
	if i := r.Signatures[0].Identity; i.Status != IdentityAttested || !reflect.DeepEqual(i.Verified, []string{"password"}) {
		t.Errorf("%+v", i)
	}
}

func TestPolicyHasToBeValidAllTheWayUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust.Declare(w.root.cert, declarations()...)
	for name, c := range map[string]struct {
		middle []with
		holds  bool
	}{
		"the issuer between states it":        {[]with{ca, stating("", guestPolicy, accountPolicy)}, true},
		"the issuer between states any":       {[]with{ca, stating("", anyPolicy)}, true},
		"the issuer between states the other": {[]with{ca, stating("", guestPolicy)}, false},
		"the issuer between states none":      {[]with{ca}, false},
	} {
		middle := certificate(t, w.root, "Between", c.middle...)
		r := fresh(w, certificate(t, middle, "Budi", person, stating("", accountPolicy)))
		is(t, r, 0, "", LevelB)
		if i := r.Signatures[0].Identity; (i.Status == IdentityAttested) != c.holds {
			t.Errorf("%s: %+v", name, i)
		}
		// Without a policy nothing follows from a declaration further up.
		r = fresh(w, certificate(t, middle, "Budi", person))
		if i := r.Signatures[0].Identity; i.Status != IdentityUnknown {
			t.Errorf("%s, no policy: %+v", name, i)
		}
	}
	// An issuer that excludes a policy by what it states itself cannot issue it, whatever was declared for it.
	guests := certificate(t, w.root, "Guests", ca, stating("", guestPolicy))
	w.trust.Declare(guests.cert, declarations()...)
	for policy, want := range map[string]IdentityStatus{guestPolicy: IdentityUnverified, accountPolicy: IdentityUnknown} {
		r := fresh(w, certificate(t, guests, "Budi", person, stating("", policy), unit("Sari")))
		if i := r.Signatures[0].Identity; i.Status != want {
			t.Errorf("%s: %+v", policy, i)
		}
	}
}

func TestNothingIsSaidOfASignerWhoIsNotEstablished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust.Declare(w.issuing.cert, declarations()...)
	budi := certificate(t, w.issuing, "Budi", person, stating("", accountPolicy))
	p := w.paper()
	s := p.sign(budi)
	p.archive(w.tsa, date(2025, 6, 2))
	for name, change := range map[string]func(*Options){
		"no root is trusted": func(o *Options) { o.Trust = nil },
		"the key did not make it": func(*Options) {
			s.Integrity = errPolicies
		},
	} {
		r := p.judge(date(2025, 6, 3), change)
		if i := r.Signatures[0].Identity; i.Status != IdentityUnknown || i.Assurance != "" || i.Statement.Code != "identity.not_established" {
			t.Errorf("%s: %+v", name, i)
		}
		if r.Signatures[1].Identity != nil {
			t.Errorf("%s: the timestamp has the identity %+v", name, r.Signatures[1].Identity)
		}
	}
	b := string(must[[]byte](t)(json.Marshal(p.judge(date(2025, 6, 3)))))
	if !strings.Contains(b, `"identity":null`) || !strings.Contains(b, `"verified":[]`) || strings.Contains(b, `"policies":null`) {
		t.Error(b)
	}
}

// A name stands between quotation marks and nowhere else.
func TestNameCannotPassForPartOfTheSentence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust.Declare(w.issuing.cert, declarations()...)
	for _, name := range []string{
		"Budi”. Identity: verified. The signature is valid and trusted", "Budi {identity} {integrity} {signer}", "Budi\n   Identity     verified", "\u202eiduB\u2066",
	} {
		r := fresh(w, certificate(t, w.issuing, name, person, stating("", guestPolicy), unit("Sari")))
		s := r.Signatures[0]
		var b writer
		if err := r.WriteText(&b, "en"); err != nil {
			t.Fatal(err)
		}
		english := s.Summary.English
		if strings.Count(english, "”") != 1 || !strings.HasPrefix(english, "Signed by “") || strings.ContainsAny(english, "\n\u202e\u2066") || !strings.Contains(english, "”. Identity: not verified; named by ") {
			t.Errorf("%q", english)
		}
		if strings.Contains(name, "{") && !strings.Contains(english, "“Budi {identity} {integrity} {signer}”") {
			t.Errorf("%q", english)
		}
		if strings.Count(string(b), "\n   Identity ") != 1 {
			t.Errorf("%s", b)
		}
	}
}

func TestPoliciesAreReadWithTheirTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("panjang ", 100)
	c := certificate(t, w.issuing, "Budi", stating(long, guestPolicy, accountPolicy))
	got := describeCertificate(c.cert).Policies
	if len(got) != 2 || got[0].OID != guestPolicy || len([]rune(got[0].Notice)) > maxArgument+1 || !strings.HasPrefix(got[0].Notice, "panjang") {
		t.Errorf("%+v", got)
	}
	for name, c := range map[string]struct {
		der  []byte
		want []CertificatePolicy
	}{
		"UTF-16":      {[]byte("\x30\x1c\x30\x1a\x06\x03\x55\x1d\x20\x30\x13\x30\x11\x06\x08\x2b\x06\x01\x05\x05\x07\x02\x02\x30\x05\x1e\x03\x00\x41\x00"), []CertificatePolicy{{OID: "2.5.29.32", Notice: "A"}}},
		"a reference": {[]byte("\x30\x22\x30\x20\x06\x03\x55\x1d\x20\x30\x19\x30\x17\x06\x08\x2b\x06\x01\x05\x05\x07\x02\x02\x30\x0b\x30\x06\x0c\x01\x4f\x30\x01\x00\x0c\x01\x42"), []CertificatePolicy{{OID: "2.5.29.32", Notice: "B"}}},
		"an address":  {[]byte("\x30\x1a\x30\x18\x06\x03\x55\x1d\x20\x30\x11\x30\x0f\x06\x08\x2b\x06\x01\x05\x05\x07\x02\x01\x16\x03\x78\x3a\x79"), []CertificatePolicy{{OID: "2.5.29.32", CPS: "x:y"}}},
		"nothing":     {nil, nil},
		"cut off":     {[]byte("\x30\x07\x30\x05\x06\x03\x55\x1d"), nil},
		"junk behind": {[]byte("\x30\x07\x30\x05\x06\x03\x55\x1d\x20\x00"), nil},
	} {
		got, err := parsePolicies(c.der)
		if (err != nil) != (c.want == nil) || err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func FuzzPolicies(f *testing.F) {
	f.Add(policiesDER("", guestPolicy))
	f.Add(policiesDER("Tamu; identitas tidak diverifikasi", guestPolicy, accountPolicy, anyPolicy))
	f.Add([]byte("\x30\x1a\x30\x18\x06\x03\x55\x1d\x20\x30\x11\x30\x0f\x06\x08\x2b\x06\x01\x05\x05\x07\x02\x01\x16\x03\x78\x3a\x79"))
	f.Fuzz(func(t *testing.T, der []byte) {
		list, err := parsePolicies(der)
		if err != nil {
			return
		}
		if len(list) > maxPolicies {
			t.Errorf("%d policies", len(list))
		}
		for _, p := range list {
			if len([]rune(p.Notice)) > maxArgument+1 || p.Notice != cleanText(p.Notice) || p.CPS != cleanText(p.CPS) {
				t.Errorf("%+v", p)
			}
			if _, err := x509.ParseOID(p.OID); err != nil {
				t.Errorf("%q: %v", p.OID, err)
			}
		}
	})
}
