package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/evidence"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
	"segel/pades/validate"
	"segel/pdf"
	"segel/revocation"
)

// withBothDatabases runs a test with the settings of each database.
func withBothDatabases(t *testing.T, test func(t *testing.T, set ...string)) {
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); test(t) })
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, "SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate))
	})
}

// signedByGuest returns a completed document with a duty stamp that a member and a guest signed, and both of them.
func signedByGuest(t *testing.T, s *service) (owner, signer, guest *client, id int64) {
	t.Helper()
	owner, signer = s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	id = owner.uploadWith(object{
		"signer": []object{signer.as("signer", 1)}, "guest": []object{{"name": "Tamu Undangan", "email": "tamu@example.test", "role": "signer", "number": 1}},
	}, simple())
	owner.place(id, signer.at("sign", 100, 100, 260, 160), signer.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("finalize-docs", id).ok()
	for _, p := range owner.get("signers", id).ok().object()["data"].(object)["signer"].([]any) {
		if p := p.(object); p["email"] == "tamu@example.test" {
			guest = owner.guest(id, p["user_id"].(string))
		}
	}
	signer.verb("sign-docs", id).ok()
	guest.verb("sign-docs", id).ok()
	owner.completed(id)
	return owner, signer, guest, id
}

// evidenceOf requests the evidence certificate of a document.
func (c *client) evidenceOf(id int64) []byte {
	c.t.Helper()
	a := c.get("evidence", id).ok()
	if got := a.header.Get("Content-Type"); got != "application/pdf" {
		c.t.Errorf("the type is %s", got)
	}
	return a.body
}

// storeFiles writes files into a new folder and returns their names.
func storeFiles(t *testing.T, files ...[]byte) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for i, b := range files {
		name := filepath.Join(dir, fmt.Sprintf("file-%d.pdf", i))
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// rootFolder returns a folder with the root certificate of a service and nothing else.
func rootFolder(t *testing.T, s *service) string {
	t.Helper()
	dir := t.TempDir()
	status, root, said := runs(t, "authority", "export", "--data", s.conf.DataDir)
	if status != 0 {
		t.Fatalf("export: %d: %s", status, said)
	}
	if err := os.WriteFile(filepath.Join(dir, "root.pem"), []byte(root), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheEvidenceCertificateSaysWhoSignedWhatAndWhen(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := starting{set: append(set, "SEGEL_PAGE_PICTURES", config.PicturesOff)}.start(t)
		owner, signer, guest, id := signedByGuest(t, s)
		file := owner.evidenceOf(id)
		for _, c := range []*client{signer, guest, owner} {
			if !bytes.Equal(c.evidenceOf(id), file) {
				t.Error("it was made again")
			}
		}
		if name := owner.get("evidence", id).header.Get("Content-Disposition"); !strings.Contains(name, "attachment") || !strings.Contains(name, "-evidence.pdf") {
			t.Errorf("disposition %s", name)
		}
		r := verified(t, s, file)
		if !r.Passed() || len(r.Signatures) != 2 || r.Signatures[0].Level != validate.LevelLTA {
			t.Errorf("%s %s %s: %+v", r.Indication, r.SubIndication, r.Integrity, r.Signatures)
		}
		for _, w := range r.Warnings {
			t.Logf("warning: %s", w.English)
		}
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		attached, err := evidence.ReadAttachments(d)
		if err != nil {
			t.Fatal(err)
		}
		f := attached.Facts
		contractFile := owner.download(id)
		if later, err := f.CompareContract(bytes.NewReader(contractFile), int64(len(contractFile))); err != nil || later != 0 {
			t.Errorf("%d bytes follow, %v", later, err)
		}
		if _, _, err := attached.VerifyProof(); err != nil {
			t.Error(err)
		}
		if f.Document.Number != id || f.Document.Owner != "Sari Wulandari" || len(f.People) != 2 || len(f.Stamps) != 1 || f.Stamps[0].Serial == "" || f.Stamps[0].Page != 1 {
			t.Errorf("%+v", f)
		}
		for i, assurance := range []contract.Assurance{contract.AssuranceAccount, contract.AssuranceGuest} {
			g := f.People[i].Signature
			if g == nil || g.Assurance != string(assurance) || g.IP == "" || g.ConsentedAt.IsZero() || g.SignedAt.IsZero() || g.Certificate.Subject == "" || g.Certificate.Issuer == "" ||
				f.Revisions[g.Revision-1].Digest != g.Seen || f.Revisions[g.Revision].Digest != g.Digest {
				t.Errorf("%s: %+v", assurance, g)
			}
		}
		handedOut := false
		for _, i := range f.People[1].Invitations {
			handedOut = handedOut || i.How == evidence.ByOwner && i.Proof != ""
		}
		if !handedOut {
			t.Errorf("invitations of the guest: %+v", f.People[1].Invitations)
		}
		s.fsck(t)
	})
}

// fsck requires that nothing is missing, changed, or left over.
func (s *service) fsck(t *testing.T) {
	t.Helper()
	if status, out, said := runs(t, "fsck", "--data", s.conf.DataDir, "--json"); status != 0 && s.conf.Database == "" {
		t.Errorf("fsck: %d: %s%s", status, out, said)
	}
}

func TestTheEvidenceCertificateIsMadeAfterTheCompletionWithoutARequest(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := starting{set: append(set, "SEGEL_PAGE_PICTURES", config.PicturesOff)}.start(t)
		owner := s.person(t, "Sari Wulandari", "")
		id := owner.upload(simple(), owner.as("signer", 1))
		owner.get("evidence", id).is(http.StatusConflict, "document.not_completed")
		owner.verb("finalize-docs", id).ok()
		owner.get("evidence", id).is(http.StatusConflict, "document.not_completed")
		owner.verb("sign-docs", id).ok()
		owner.completed(id)
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if bytes.Contains(owner.get("audit-trail", id).ok().body, []byte(`"evidence_made"`)) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("no evidence certificate was made")
			}
		}
		owner.evidenceOf(id)
		if n := bytes.Count(owner.get("audit-trail", id).ok().body, []byte(`"evidence_made"`)); n != 1 {
			t.Errorf("%d were made", n)
		}
	})
}

// TestTheFirstRequestsMakeOneEvidenceCertificate requests it many times at the moment at which the job begins to make it.
func TestTheFirstRequestsMakeOneEvidenceCertificate(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := starting{set: append(set, "SEGEL_PAGE_PICTURES", config.PicturesOff)}.start(t)
		owner := s.person(t, "Sari Wulandari", "")
		id := owner.upload(simple(), owner.as("signer", 1))
		owner.verb("finalize-docs", id).ok()
		owner.verb("sign-docs", id).ok()
		owner.completed(id)
		files := make(chan []byte, 6)
		for range cap(files) {
			go func() { files <- owner.get("evidence", id).body }()
		}
		first := <-files
		for range cap(files) - 1 {
			if !bytes.Equal(<-files, first) {
				t.Error("two requests got different certificates")
			}
		}
		if n := bytes.Count(owner.get("audit-trail", id).ok().body, []byte(`"evidence_made"`)); n != 1 || !bytes.HasPrefix(first, []byte("%PDF-1.7")) {
			t.Errorf("%d were made; it begins %.9q", n, first)
		}
	})
}

func TestAnEvidenceCertificateAndItsContractAreCheckedWithTheRootAlone(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_PAGE_PICTURES", config.PicturesOff)
	owner, _, _, id := signedByGuest(t, s)
	certificate, signed := owner.evidenceOf(id), owner.download(id)
	other := owner.upload(simple(), owner.as("signer", 1))
	owner.verb("finalize-docs", other).ok()
	owner.verb("sign-docs", other).ok()
	owner.completed(other)
	otherSigned := owner.download(other)
	root, foreign := rootFolder(t, s), rootFolder(t, starting{idle: true}.start(t))

	renewed := bytes.Clone(signed) // a file that another program appended to
	renewed = append(renewed, "\n% appended\n"...)
	changed := bytes.Replace(certificate, []byte("/AFRelationship"), []byte("/AFRelationshiP"), 1)
	forgedAttachment := replaceAttachment(t, certificate, func(f *evidence.Facts) { f.People[0].Name = "Orang Lain" })
	names := storeFiles(t, certificate, signed, otherSigned, renewed, changed, forgedAttachment)
	empty := filepath.Join(t.TempDir(), "none")

	for _, c := range []struct {
		what           string
		root           string
		evidence, file string
		status         int
		says           []string
	}{
		{"both as they are", root, names[0], names[1], 0, []string{"belong together", "passed: the certificate is sealed by", "passed: the contract is the completed file", "events of the document are in the audit log", "its seal by"}},
		{"another contract", root, names[0], names[2], 1, []string{"DOES NOT PROVE", "FAILED: the certificate is of another file", "passed: all"}},
		{"a contract with bytes after it", root, names[0], names[3], 1, []string{"begins with the completed file", "DOES NOT PROVE"}},
		{"a changed certificate", root, names[4], names[1], 1, []string{"FAILED: the certificate is not sealed"}},
		{"an attachment that was replaced later", root, names[5], names[1], 1, []string{"FAILED: the certificate is not sealed"}},
		{"the root of another service", foreign, names[0], names[1], 1, []string{"FAILED: the certificate is not sealed"}},
		{"a contract in place of the certificate", root, names[1], names[1], 1, []string{"FAILED: the certificate is not sealed", "not a certification"}},
		{"no certificate", root, empty, names[1], 2, []string{"no such file"}},
		{"no contract", root, names[0], empty, 2, []string{"no such file"}},
	} {
		status, out, said := runs(t, "verify", "--data", "", "--trust", c.root, "--evidence", c.evidence, c.file)
		if status != c.status {
			t.Errorf("%s: %d, want %d: %s%s", c.what, status, c.status, out, said)
		}
		for _, want := range c.says {
			if !strings.Contains(out+said, want) {
				t.Errorf("%s: %q is missing in\n%s%s", c.what, want, out, said)
			}
		}
	}
	if status, out, said := runs(t, "verify", "--data", "", "--trust", root, "--lang", "id", "--evidence", names[0], names[1]); status != 0 || !strings.Contains(out, "saling bersesuaian") {
		t.Errorf("%d: %s%s", status, out, said)
	}
	var report struct {
		Passed bool
		Checks []struct{ Check string }
		Facts  evidence.Facts
	}
	if status, out, said := runs(t, "verify", "--data", "", "--trust", root, "--json", "--evidence", names[0], names[1]); status != 0 {
		t.Errorf("%d: %s", status, said)
	} else if err := json.Unmarshal([]byte(out), &report); err != nil || !report.Passed || len(report.Checks) != 4 || report.Facts.Document.Number != id {
		t.Errorf("%v: %s", err, out)
	}
	if status, _, _ := runs(t, "verify", "--data", "", "--trust", root, "--evidence", names[0], names[1], names[2]); status != 2 {
		t.Errorf("of two contracts: %d", status)
	}
}

// TestAContractWithForgedFactsIsNoEvidenceCertificate uploads a file with forged facts attached, so that the service itself signs and seals it.
func TestAContractWithForgedFactsIsNoEvidenceCertificate(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_PAGE_PICTURES", config.PicturesOff)
	owner, _, _, id := signedByGuest(t, s)
	certificate, signed := owner.evidenceOf(id), owner.download(id)
	d, err := pdf.Open(bytes.NewReader(certificate), int64(len(certificate)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := evidence.ReadAttachments(d)
	if err != nil {
		t.Fatal(err)
	}
	attached.Facts.People[0].Name = "Orang Lain"
	proof, err := attached.Proof.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	forged, err := evidence.Write(evidence.Input{Facts: attached.Facts, Proof: proof})
	if err != nil {
		t.Fatal(err)
	}
	upload := idOf(owner.do("POST", uploadPath, body(t, forged, object{"signer": []object{owner.as("signer", 1)}})))
	owner.verb("finalize-docs", upload).ok()
	owner.verb("sign-docs", upload).ok()
	owner.completed(upload)
	names := storeFiles(t, owner.download(upload), signed)
	status, out, said := runs(t, "verify", "--data", "", "--trust", rootFolder(t, s), "--evidence", names[0], names[1])
	if status != 1 || !strings.Contains(out, "FAILED: the certificate is not sealed") || strings.Contains(out, "passed") {
		t.Errorf("%d: %s%s", status, out, said)
	}
}

func TestTheEvidenceCertificateShowsPicturesOfThePages(t *testing.T) {
	t.Parallel()
	draws(t)
	s := start(t, "SEGEL_PAGE_PICTURES", config.PicturesPoppler)
	owner, _, _, id := signedByGuest(t, s)
	file := owner.evidenceOf(id)
	name := storeFiles(t, file)[0]
	out, err := runTool(t, "pdfimages", "-list", name)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); err != nil || len(lines) < 3 {
		t.Errorf("no pictures: %v\n%s", err, out)
	}
	if out, err := runTool(t, "qpdf", "--check", name); err != nil {
		t.Errorf("qpdf complains: %v\n%s", err, out)
	}
	if out, err := runTool(t, "pdfsig", "-nocert", name); err != nil || !strings.Contains(out, "Signature is Valid") || strings.Contains(out, "Signature is Invalid") {
		t.Errorf("pdfsig: %v\n%s", err, out)
	}
	if dir := os.Getenv("SEGEL_EVIDENCE_OUT"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "sealed.pdf"), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// replaceAttachment appends an update to a certificate that attaches other facts.
func replaceAttachment(t *testing.T, certificate []byte, change func(*evidence.Facts)) []byte {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(certificate), int64(len(certificate)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := evidence.ReadAttachments(d)
	if err != nil {
		t.Fatal(err)
	}
	change(attached.Facts)
	b, err := attached.Facts.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	u := d.NewUpdate()
	replaced := false
	for ref := range d.InUseAll() {
		o, err := d.Object(ref)
		if err != nil {
			t.Fatal(err)
		}
		stream, ok := o.(*pdf.Stream)
		if !ok || stream.Dict["Type"] != pdf.Object(pdf.Name("EmbeddedFile")) {
			continue
		}
		if data, err := d.Decode(stream); err == nil && bytes.Contains(data, []byte("segel-evidence-1")) {
			u.Set(ref, &pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("EmbeddedFile")}, Data: b})
			replaced = true
		}
	}
	tail, err := u.Build()
	if err != nil || !replaced {
		t.Fatal(replaced, err)
	}
	return append(bytes.Clone(certificate), tail.Bytes...)
}

func TestARenewedEvidenceCertificateIsAcceptedWithItsContract(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, append(set, "SEGEL_PAGE_PICTURES", config.PicturesOff)...)
		owner, _, _, id := signedByGuest(t, s)
		made := owner.evidenceOf(id)
		next, err := authority.NewEphemeral("http://next.test", func() time.Time { return time.Now().Add(time.Second) })
		if err != nil {
			t.Fatal(err)
		}
		s.workflow.Timestamper, s.workflow.Revocation = next.Timestamper(), revocation.Sources{s.authority, next}
		s.workflow.Trust.Add(validate.ForTime, "next", next.Root())
		s.workflow.RenewBefore = 100 * 365 * 24 * time.Hour // it is always due
		if renewed, err := s.workflow.Renew(t.Context(), docID(id)); err != nil || !renewed {
			t.Fatalf("%t, %v", renewed, err)
		}
		certificate := owner.evidenceOf(id)
		if len(certificate) <= len(made) || !bytes.HasPrefix(certificate, made) {
			t.Fatalf("%d bytes became %d", len(made), len(certificate))
		}
		// The responder of the further authority is asked for its status, as segel verify --online does.
		o := s.workflow.ValidationOptions()
		o.Online = s.workflow.Revocation
		seal, err := validateSeal(&environment{ctx: t.Context()}, certificate, o)
		if err != nil {
			t.Fatal(err)
		}
		attached, err := readSealed(certificate[:seal.Covers.Length], o)
		if err != nil {
			t.Fatal(err)
		}
		signed := storeFiles(t, owner.download(id))
		if later, err := compareContractFile(attached.Facts, signed[0]); err != nil || later == 0 {
			t.Errorf("%d bytes follow the contract: %v", later, err)
		}
		if _, _, err := attached.VerifyProof(); err != nil {
			t.Error(err)
		}
		fsck(t, s, 0)
	})
}

// attachment returns a file that is attached to a mail, or nil.
func (m receivedMail) attachment(t *testing.T, name string) []byte {
	t.Helper()
	_, part, found := strings.Cut(m.raw, `filename="`+name+`"`)
	if !found {
		return nil
	}
	_, encoded, _ := strings.Cut(part, "\r\n\r\n")
	encoded, _, _ = strings.Cut(encoded, "\r\n--")
	b, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(strings.TrimSpace(encoded), "\r\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheMailAboutTheCompletionHasTheEvidenceCertificate(t *testing.T) {
	t.Parallel()
	for _, when := range []string{config.EvidenceAtCompletion, config.EvidenceOnRequest} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			withBothDatabases(t, func(t *testing.T, set ...string) {
				server, mailing := startMailServer(t)
				s := start(t, slices.Concat(set, mailing, []string{"SEGEL_EVIDENCE", when})...)
				owner := s.person(t, "Sari Wulandari", "PT Sari")
				id, guest := s.mailedGuest(t, owner, server, object{"document_title": "Sewa Ruko", "attach": 1})
				guest.verb("guest-code-docs", id).ok()
				guest.verb("guest-verify-docs", id, "code", server.mailTo(t, budi, 2).code(t)).ok()
				guest.verb("sign-docs", id).ok()
				for _, done := range []receivedMail{server.mailTo(t, budi, 3), server.mailTo(t, owner.email, 1)} {
					if got := done.attachment(t, "Sewa Ruko-signed.pdf"); !bytes.Equal(got, owner.download(id)) {
						t.Errorf("mail to %s: the contract has %d bytes", done.to, len(got))
					}
					if got := done.attachment(t, "Sewa Ruko-evidence.pdf"); len(got) == 0 || !bytes.Equal(got, owner.evidenceOf(id)) {
						t.Errorf("mail to %s: the certificate has %d bytes", done.to, len(got))
					}
				}
			})
		})
	}
}
