package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
	verdicts "segel/internal/text/verdict"
	"segel/pades"
	"segel/pades/validate"
	"segel/pdf"
)

// signedAsGuest makes an owner add a guest, opens the link and signs.
func signedAsGuest(t *testing.T, owner *client, name, email string, box ...float64) (id int64, file []byte) {
	t.Helper()
	id = owner.uploadWith(object{"guest": object{"name": name, "email": email, "role": "signer", "number": 1}}, simple())
	person := owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string)
	if len(box) == 4 {
		guest := &client{id: person}
		owner.place(id, guest.at("sign", box[0], box[1], box[2], box[3]), guest.at("paraf", 400, 100, 440, 130)).ok()
	}
	owner.verb("finalize-docs", id).ok()
	owner.guest(id, person).verb("sign-docs", id).ok()
	owner.completed(id)
	return id, owner.download(id)
}

// signer returns what a report says about the first signature.
func signer(t *testing.T, r *verdicts.Report) verdicts.Signature {
	t.Helper()
	if !r.Passed() || len(r.Signatures) != 3 {
		t.Fatalf("%s %s, %d signatures", r.Indication, r.SubIndication, len(r.Signatures))
	}
	return r.Signatures[0]
}

func TestVerdictAboutAGuestIsNotThatOfThePersonOfThatName(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data}.start(t)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	real := s.person(t, "Budi Santoso", "PT Lain")
	id := real.upload(simple(), real.as("signer", 1))
	real.verb("finalize-docs", id).ok()
	real.verb("sign-docs", id).ok()
	real.completed(id)
	genuine := signer(t, verified(t, s, real.download(id)))
	if i := genuine.Identity; genuine.Summary.English != "Signed by Budi Santoso; valid and trusted; the content is intact, with later changes that are allowed." ||
		i.Status != validate.IdentityAttested || i.Assurance != "account_password" || strings.Join(i.Verified, " ") != "account password" || i.VerifiedBy != "PT Lain" ||
		i.Statement.English != "an account given by an administrator of PT Lain; password" || i.Statement.Indonesian != "akun yang diberikan oleh administrator PT Lain; kata sandi" {
		t.Errorf("%s; %+v", genuine.Summary.English, i)
	}

	forged, file := signedAsGuest(t, owner, real.name, real.email, 100, 100, 300, 180)
	r := verified(t, s, file)
	got := signer(t, r)
	if got.Indication != validate.TotalPassed || got.Level != validate.LevelLTA {
		t.Errorf("%s at level %s", got.Indication, got.Level)
	}
	if want := "Signed by “Budi Santoso”. Identity: not verified; named by Sari Wulandari of PT Sari. The signature is valid; the content is intact, with later changes that are allowed."; got.Summary.English != want {
		t.Errorf("%s", got.Summary.English)
	}
	if want := "Ditandatangani oleh “Budi Santoso”. Identitas: tidak diverifikasi; dicantumkan oleh Sari Wulandari dari PT Sari. Tanda tangannya sah; isinya utuh, ada tambahan sesudahnya yang dibolehkan."; got.Summary.Indonesian != want {
		t.Errorf("%s", got.Summary.Indonesian)
	}
	if i := got.Identity; i.Status != validate.IdentityUnverified || i.Assurance != "guest_unverified" || len(i.Verified) != 0 || i.VerifiedBy != "" || i.Name != "Budi Santoso" || i.NamedBy != "Sari Wulandari" || i.Organisation != "PT Sari" {
		t.Errorf("%+v", i)
	}
	if !strings.HasPrefix(r.Summary.English, "All signatures and timestamps (3) are valid; for 1 of them no verified identity is known;") {
		t.Errorf("%s", r.Summary.English)
	}
	if seal := r.Signatures[1].Identity; seal.Status != validate.IdentityAttested || seal.Assurance != "organisation_seal" || !strings.HasPrefix(seal.Statement.English, "the seal of PT Sari,") {
		t.Errorf("seal: %+v", seal)
	}
	if r.Signatures[2].Identity != nil {
		t.Error("the document timestamp has an identity")
	}
	if bytes.Contains(bytes.ToLower(certificatesIn(t, file)), []byte(real.email)) || certificatesIn(t, real.download(id)) == nil {
		t.Error("the e-mail is in a certificate")
	}
	if got.Chain[1].SHA256 == genuine.Chain[1].SHA256 || got.Chain[2].SHA256 != genuine.Chain[2].SHA256 {
		t.Error("guest and user have one issuer, or another root")
	}

	// The command reports it in both languages, validation does with only the root trusted, and so does the audit trail.
	dir := t.TempDir()
	path := filepath.Join(dir, "guest.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[string]string{
		"en": "\n   Identity     not verified; named by Sari Wulandari of PT Sari\n", "id": "\n   Identitas    tidak diverifikasi; dicantumkan oleh Sari Wulandari dari PT Sari\n",
	} {
		status, out, errs := runs(t, "verify", "--data", data, "--lang", lang, path)
		if status != 0 || errs != "" || !strings.Contains(out, want) {
			t.Errorf("status %d, %s\n%s", status, errs, out)
		}
	}
	for folder, want := range map[string]string{
		".":     "Signed by Guest (identity not verified): Budi Santoso; valid",
		"segel": "Signed by “Budi Santoso”. Identity: not verified; named by Sari Wulandari of PT Sari.",
	} {
		roots := t.TempDir()
		if err := os.MkdirAll(filepath.Join(roots, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(roots, folder, "root.pem"), s.authority.RootPEM(), 0o600); err != nil {
			t.Fatal(err)
		}
		status, out, errs := runsIn(t, t.TempDir(), "verify", "--trust", roots, path)
		if status != 0 || errs != "" || !strings.Contains(out, want) || folder == "." && !strings.Contains(out, "in the words of the issuer of the certificate, Segel Guests") {
			t.Errorf("%s: status %d, %s\n%s", folder, status, errs, out)
		}
	}
	out, err := runTool(t, "pdfsig", "-nocert", path)
	if err != nil || !strings.Contains(out, "Guest (identity not verified): Budi Santoso") || !strings.Contains(out, "Signature is Valid") {
		t.Errorf("%v\n%s", err, out)
	}
	shown, err := runTool(t, "pdftotext", "-raw", path, "-")
	shown = strings.Join(strings.Fields(shown), " ")
	if err != nil || !strings.Contains(shown, "Tamu, dicantumkan oleh Sari Wulandari (PT Sari); identitas tidak diverifikasi") ||
		!strings.Contains(shown, "Guest, named by Sari Wulandari (PT Sari); identity not verified") || !strings.Contains(shown, "BS Tamu") { // the initials have no space for more than the word
		t.Errorf("%v\n%s", err, shown)
	}
	trail := owner.do("GET", fmt.Sprint(documentPath, "audit-trail/", forged), nil, "Accept-Language", "en").ok()
	if !strings.Contains(string(trail.body), "Signed the document; the service did not show the pages; the service did not show a consent text. Identity: not verified; named by Sari Wulandari of PT Sari") {
		t.Errorf("%s", trail.body)
	}
}

// runsIn is runs for a program without its own data folder.
func runsIn(t *testing.T, dir string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	w := &environment{ctx: t.Context(), stdout: &out, stderr: &errs, env: []string{"SEGEL_DATA_DIR=" + filepath.Join(dir, "none")}}
	status = w.runCommand(args)
	return status, out.String(), errs.String()
}

// certificatesIn returns all certificates in the signatures of a file.
func certificatesIn(t *testing.T, file []byte) []byte {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := d.Signatures()
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, s := range all {
		b = append(b, s.Contents...)
	}
	return b
}

func TestGuestWhoseAddressIsAMembersIsThatMember(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, colleague := s.person(t, "Sari Wulandari", "PT Sari"), s.person(t, "Budi Santoso", "PT Sari")
	id := owner.uploadWith(object{"guest": object{"name": "Orang Lain", "email": strings.ToUpper(colleague.email), "role": "signer", "number": 1}}, simple())
	p := owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)
	if p["user_id"] != colleague.id || p["is_guest"] != false || p["name"] != "Budi Santoso" {
		t.Errorf("%v", p)
	}
	owner.verb("finalize-docs", id).ok()
	owner.verb("guest-link-docs", id, "user_id", colleague.id).is(422)
	colleague.verb("sign-docs", id).ok()
	owner.completed(id)
	if got := signer(t, verified(t, s, owner.download(id))); got.Identity.Assurance != "account_password" {
		t.Errorf("%+v", got.Identity)
	}
}

// volatile matches what differs between two runs of the same requests: identifiers, secrets, digests and times.
var volatile = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|sgl_[a-z]+_[0-9A-Za-z]+|[0-9a-f]{64}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d\d [A-Za-z]+ \d\d, \d\d:\d\d|kontrak-\d+-[0-9A-Za-z]{22}|127\.0\.0\.1:\d+|"request_id":"[^"]*"`)

// An owner who enters an address sees the same whether it is unknown or belongs to a user of another organisation: in each answer
// until the document is completed, and in its status.
func TestEveryAnswerAboutAGuestIsTheSameForUnknownAddressesAndUsersElsewhere(t *testing.T) {
	t.Parallel()
	const email = "budi.santoso@example.test"
	answers := func(prepare func(*service)) []string {
		t.Helper()
		s := start(t, "SEGEL_EVIDENCE", "request") // so that its event is in the audit trail at the same place
		owner := s.person(t, "Sari Wulandari", "PT Sari")
		if prepare != nil {
			prepare(s)
		}
		var all []string
		note := func(a *answer) *answer {
			body := volatile.ReplaceAll(a.body, []byte("#"))
			header := a.header.Get("Content-Type") + " " + a.header.Get("Cache-Control")
			if !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") && !strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
				body = nil // a PDF, whose signatures always differ
			}
			all = append(all, fmt.Sprintf("%s\n%d %s\n%s", volatile.ReplaceAllString(a.what, "#"), a.status, header, body))
			return a
		}
		guest := object{"name": "Budi Santoso", "email": email, "role": "signer", "number": 2}
		other := object{"name": "Andi", "email": strings.ToUpper(email), "role": "viewer", "number": 1}
		file := base64.StdEncoding.EncodeToString(simple())
		up := func(members object) *answer {
			members["document_base64"], members["filename"] = file, "kontrak.pdf"
			return note(owner.do("POST", signPath+"upload-docs-base64", members))
		}
		up(object{"guest": []object{guest, other}})                                            // the same address twice
		up(object{"signer": []object{{"email": email, "name": "Budi", "role": "signer"}}})     // as a user by address
		up(object{"signer": []object{owner.as("signer", 1)}, "guest": object{"email": email}}) // without name and role
		id := int64(up(object{"guest": guest, "signer": []object{owner.as("signer", 1)}}).ok().object("response", "data")["document_id"].(float64))
		note(owner.verb("participants-docs", id, "guest", []object{guest, other}))
		note(owner.verb("participants-docs", id, "guest", []object{other}, "signer", []object{owner.as("signer", 1)}))
		note(owner.verb("participants-docs", id, "guest", []object{guest}, "signer", []object{owner.as("signer", 1)}))
		note(owner.do("GET", "/v1/auth/list_user?search=budi", nil))
		person := note(owner.get("signers", id)).ok().object("data")["signer"].([]any)[1].(object)["user_id"].(string)
		byAddress := object{"page": 1, "type": "sign", "user": object{"email": email}, "emet": object{"llx": 100, "lly": 100, "urx": 300, "ury": 160}}
		note(owner.place(id, byAddress))
		note(owner.do("GET", "/v1/avatar/"+person, nil))
		for _, what := range []string{"detail", "status", "placements", "preview", "audit-trail"} {
			note(owner.get(what, id))
		}
		note(owner.verb("finalize-docs", id))
		note(owner.verb("sign-docs", id))
		note(owner.verb("remind-docs", id))
		note(owner.verb("guest-link-docs", id, "user_id", person))
		g := owner.guest(id, person)
		for _, what := range []string{"detail", "status", "signers", "preview", "original"} {
			note(g.get(what, id))
		}
		note(g.verb("sign-docs", id))
		owner.completed(id)
		for _, what := range []string{"detail", "status", "signers", "placements", "evidence", "audit-trail", "download"} {
			note(owner.get(what, id))
		}
		note(owner.do("GET", documentPath+"out", nil))
		note(owner.do("GET", documentPath+"data", nil))
		note(owner.do("GET", "/v1/econtract/web_app/client_balance", nil))
		note(owner.firstEvent(fmt.Sprint(documentPath, "events/", id)))
		return all
	}
	unknown := answers(nil)
	if len(unknown) < 30 {
		t.Fatalf("%d answers", len(unknown))
	}
	elsewhere := func(n identity.NewUser) func(*service) {
		return func(s *service) {
			n.Email, n.Organisation, n.Password = email, "PT Lain", password
			if _, err := s.identity.AddUser(context.Background(), n); err != nil {
				t.Error(err)
			}
		}
	}
	for who, prepare := range map[string]func(*service){
		"a user elsewhere":   elsewhere(identity.NewUser{Name: "Budi Santoso"}),
		"an admin elsewhere": elsewhere(identity.NewUser{Name: "Budi Santoso", Role: contract.RoleAdmin}),
		"a user elsewhere who has to change the password": elsewhere(identity.NewUser{Name: "Budi Santoso", MustReset: true}),
		"a user elsewhere with a password of an admin's": func(s *service) {
			added, err := s.identity.AddUser(context.Background(), identity.NewUser{Name: "Ratna", Email: "ratna@example.test", Organisation: "PT Lain", Password: password, Role: contract.RoleAdmin})
			if err != nil {
				t.Error(err)
			}
			by := contract.Actor{Person: added.Account.Person, Organisation: added.Account.Organisation, Admin: true}
			if _, err := s.identity.AddPerson(context.Background(), by, identity.NewPerson{Name: "Budi", Email: email}); err != nil {
				t.Error(err)
			}
		},
		"a user elsewhere of another name": elsewhere(identity.NewUser{Name: "Ibu Ratna"}),
		"a user elsewhere in other letters": func(s *service) {
			n := identity.NewUser{Name: "Budi", Email: strings.ToUpper(email), Organisation: "PT Lain", Password: password}
			if _, err := s.identity.AddUser(context.Background(), n); err != nil {
				t.Error(err)
			}
		},
		"a user elsewhere who has signed there": func(s *service) {
			c := s.person(t, "Budi Santoso", "PT Lain")
			id := c.upload(simple(), c.as("signer", 1))
			c.verb("finalize-docs", id).ok()
			c.verb("sign-docs", id).ok()
			c.completed(id)
		},
	} {
		got := answers(prepare)
		if len(got) != len(unknown) {
			t.Fatalf("%s: %d answers, %d for an unknown address", who, len(got), len(unknown))
		}
		for i := range got {
			want := unknown[i]
			if strings.HasPrefix(who, "a user elsewhere who has signed") { // an additional document was numbered before
				want, got[i] = withoutNumbers(want), withoutNumbers(got[i])
			}
			if got[i] != want {
				t.Errorf("%s:\n%s\nand for an unknown address:\n%s", who, got[i], want)
			}
		}
	}
}

var documentNumber = regexp.MustCompile(`"(document_)?id":"?\d+"?|/\d+\n|"number":\d+`)

func withoutNumbers(s string) string { return documentNumber.ReplaceAllString(s, "#") }

// BenchmarkGuestAddress measures how long an owner waits for the answer to adding a guest, alternately for an unknown
// address and for that of a user of another organisation. It reports the medians, which must be alike.
func BenchmarkGuestAddress(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) { benchmarkGuestAddress(b, start(b)) })
	b.Run("PostgreSQL", func(b *testing.B) {
		benchmarkGuestAddress(b, start(b, "SEGEL_DATABASE", pgtest.Database(b, sqlstore.Migrate)))
	})
}

func benchmarkGuestAddress(b *testing.B, s *service) {
	owner := s.person(b, "Sari Wulandari", "PT Sari")
	for i := range 200 {
		n := identity.NewUser{Name: "Budi", Email: fmt.Sprintf("budi%d@example.test", i), Organisation: "PT Lain", Password: password}
		if _, err := s.identity.AddUser(context.Background(), n); err != nil {
			b.Fatal(err)
		}
	}
	id := owner.upload(simple())
	addresses := map[string]string{"unknown": "andi%d@example.test", "elsewhere": "budi%d@example.test"}
	took := map[string][]float64{}
	for i := 0; b.Loop(); i++ {
		for who, address := range addresses { // in random order
			guest := object{"name": "Budi", "email": fmt.Sprintf(address, i%200), "role": "signer", "number": 1}
			begun := time.Now()
			owner.verb("participants-docs", id, "guest", guest).ok()
			took[who] = append(took[who], float64(time.Since(begun).Microseconds()))
		}
	}
	for who, all := range took {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], "us-"+who)
	}
}

// earlierSignature signs a file with a certificate from before certificates stated what was verified: by the
// first issuer, with the e-mail, without a policy.
func earlierSignature(t *testing.T, s *service, subject pkix.Name, email string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.conf.DataDir, "authority", "authority.json"))
	if err != nil {
		t.Fatal(err)
	}
	var kept struct {
		Members map[string]struct{ Key, Certificate []byte }
	}
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatal(err)
	}
	der, err := s.sealer.Open("authority/issuing", kept.Members["issuing"].Key)
	if err != nil {
		t.Fatal(err)
	}
	issuingKey, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		t.Fatal(err)
	}
	issuing, err := x509.ParseCertificate(kept.Members["issuing"].Certificate)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 150))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: subject, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().AddDate(2, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment, OCSPServer: []string{s.url + "/authority/ocsp"},
	}
	if email != "" {
		template.EmailAddresses = []string{email}
	}
	der, err = x509.CreateCertificate(rand.Reader, template, issuing, key.Public(), issuingKey)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.AddCertificate(t.Context(), contract.Certificate{Serial: fmt.Sprintf("%x", serial), Subject: leaf.Subject.String(), DER: der, IssuedAt: time.Now(), NotAfter: leaf.NotAfter}); err != nil {
		t.Fatal(err)
	}
	file := simple()
	for _, step := range []func(pades.Source) (*pades.Result, error){
		func(src pades.Source) (*pades.Result, error) {
			return pades.Sign(t.Context(), src, pades.Options{
				NewField: &pades.FieldSpec{Name: "Dahulu"}, Key: key, Chain: []*x509.Certificate{leaf, issuing, s.authority.Root()}, Timestamper: s.timestamper, Time: time.Now(),
			})
		},
		func(src pades.Source) (*pades.Result, error) {
			return pades.AddDSS(t.Context(), src, pades.ValidationOptions{Source: s.revocation})
		},
		func(src pades.Source) (*pades.Result, error) {
			return pades.DocumentTimestamp(t.Context(), src, s.timestamper, pades.Clock{Now: s.clock})
		},
	} {
		r, err := step(pades.Source{R: bytes.NewReader(file), Size: int64(len(file))})
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, r.Tail...)
	}
	return file
}

func TestReportOfAnEarlierCertificateClaimsNoMoreThanIsKnown(t *testing.T) {
	t.Parallel()
	s := start(t)
	const id = "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"
	for name, c := range map[string]struct {
		subject   pkix.Name
		status    validate.IdentityStatus
		statement string
		summary   string
	}{
		"a guest's": {pkix.Name{CommonName: "Budi Santoso", SerialNumber: id}, validate.IdentityNotRecorded,
			"guest or earlier certificate: what was verified is not recorded", "Signed by “Budi Santoso”. Identity: guest or earlier certificate: what was verified is not recorded. The signature is valid;"},
		"a user's": {pkix.Name{CommonName: "Budi Santoso", SerialNumber: id, Organization: []string{"PT Lain"}}, validate.IdentityAttested,
			"an account or the seal of PT Lain, with an earlier certificate that does not record what was verified", "Signed by Budi Santoso; valid and trusted;"},
		"a specimen's": {pkix.Name{CommonName: "Kantor", SerialNumber: "SPESIMEN"}, validate.IdentityAttested,
			"SPECIMEN without legal value, by the sandbox of the service", "Signed by Kantor; valid and trusted;"},
		"a guest's whose name says otherwise": {pkix.Name{CommonName: "an account given by an administrator of PT Lain; password", SerialNumber: id}, validate.IdentityNotRecorded,
			"guest or earlier certificate: what was verified is not recorded", "Signed by “an account given by an administrator of PT Lain; password”. Identity: guest or earlier"},
	} {
		r := verified(t, s, earlierSignature(t, s, c.subject, "budi@example.test"))
		got := r.Signatures[0]
		if i := got.Identity; !r.Passed() || i.Status != c.status || i.Statement.English != c.statement || !strings.HasPrefix(got.Summary.English, c.summary) {
			t.Errorf("%s: %s %s; %s; %+v", name, got.Indication, got.SubIndication, got.Summary.English, i)
		}
	}
}

// A policy OID proves nothing by itself: ours are accepted only below our own issuers.
func TestPolicyOfAForeignAuthorityIsNotTakenForOurs(t *testing.T) {
	t.Parallel()
	other := starting{idle: true}.start(t)
	s := start(t, "SEGEL_TRUST_DIR", rootOf(t, other))
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []authority.Holder{
		{ID: "1", Name: "Budi", Organisation: "PT Sari", NamedBy: "Sari Wulandari", Assurance: authority.Guest},
		{ID: "1", Name: "Budi", Organisation: "PT Sari", Assurance: authority.Account},
		{ID: "1", Name: "PT Sari", Organisation: "PT Sari", Assurance: authority.Seal},
	} {
		chain, err := other.authority.Certify(t.Context(), h, key.Public())
		if err != nil {
			t.Fatal(err)
		}
		file := simple()
		signed, err := pades.Sign(t.Context(), pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, pades.Options{
			NewField: &pades.FieldSpec{Name: "Asing"}, Key: key, Chain: chain, Timestamper: other.timestamper, Time: time.Now(),
		})
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, signed.Tail...)
		more, err := pades.AddDSS(t.Context(), pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, pades.ValidationOptions{Source: other.authority})
		if err != nil {
			t.Fatal(err)
		}
		r := verified(t, s, append(file, more.Tail...))
		i := r.Signatures[0].Identity
		if !r.Passed() || i.Status != validate.IdentityUnknown || i.Assurance != "" || len(i.Verified) != 0 || !strings.HasPrefix(i.Statement.English, "in the words of the issuer of the certificate, Segel ") {
			t.Errorf("%s: %s %s, %+v", h.Assurance, r.Indication, r.SubIndication, i)
		}
	}
}

func TestCertificatesAreFoundByTheAddressThatIsInNone(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data}.start(t)
	owner := s.person(t, "Sari Wulandari", "")
	signedAsGuest(t, owner, "Budi Santoso", "budi@example.test")
	s.stop()
	status, out, errs := runs(t, "authority", "list", "--data", data, "--email", "BUDI@example.test")
	if status != 0 || strings.Count(out, "\n") != 1 || !strings.Contains(out, "Guest (identity not verified): Budi Santoso") {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	if status, out, errs := runs(t, "authority", "revoke", "--data", data, "--email", "budi@example.test", "--reason", "keyCompromise"); status != 0 || !strings.Contains(out, "is revoked") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}
