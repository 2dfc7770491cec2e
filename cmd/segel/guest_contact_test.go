package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/authority"
	"segel/pades/validate"
)

func TestASignatureAfterACodeStatesTheVerifiedMailboxAndNoIdentity(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, append(set, "SEGEL_EVIDENCE", "request")...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id := owner.uploadWith(object{"guest": object{"name": "Budi Santoso", "email": budi, "role": "signer", "number": 1}}, simple())
	person := owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string)
	owner.place(id, (&client{id: person}).at("sign", 100, 100, 400, 200)).ok()
	owner.verb("finalize-docs", id).ok()
	guest := s.openLink(t, server.mailTo(t, budi, 1).guestLink(t))
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", server.mailTo(t, budi, 2).code(t)).ok()
	guest.verb("sign-docs", id).ok()
	owner.completed(id)
	file := owner.download(id)

	report := verified(t, s, file)
	got := signer(t, report)
	if i := got.Identity; i.Status != validate.IdentityUnverified || i.Assurance != "guest_mailbox_code" || strings.Join(i.Verified, " ") != "mailbox" || i.VerifiedBy != "" || i.Name != "Budi Santoso" || i.NamedBy != "Sari Wulandari" {
		t.Errorf("%+v", i)
	}
	if want := "Signed by “Budi Santoso”. Identity: not verified; the mailbox budi@example.test was verified with a code; named by Sari Wulandari of PT Sari. The signature is valid;"; !strings.HasPrefix(got.Summary.English, want) {
		t.Errorf("%s", got.Summary.English)
	}
	if want := "Ditandatangani oleh “Budi Santoso”. Identitas: tidak diverifikasi; alamat e-mail budi@example.test diverifikasi dengan kode; nama dicantumkan oleh Sari Wulandari dari PT Sari."; !strings.HasPrefix(got.Summary.Indonesian, want) {
		t.Errorf("%s", got.Summary.Indonesian)
	}
	if !strings.Contains(report.Summary.English, "for 1 of them no verified identity is known") {
		t.Errorf("%s", report.Summary.English)
	}

	// Who has only the root reads the same in the certificate. Poppler accepts it.
	dir := t.TempDir()
	path, roots := filepath.Join(dir, "guest.pdf"), t.TempDir()
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(roots, "root.pem"), s.authority.RootPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errs := runsIn(t, t.TempDir(), "verify", "--trust", roots, path); status != 0 || errs != "" || !strings.Contains(out, "Signed by Guest (identity not verified): Budi Santoso; valid") ||
		!strings.Contains(out, "Guest, identity not verified. Verified: a mailbox, by a code sent to it.") {
		t.Errorf("status %d, %s\n%s", status, errs, out)
	}
	if out, err := runTool(t, "pdfsig", "-nocert", path); err != nil || !strings.Contains(out, "Guest (identity not verified): Budi Santoso") || !strings.Contains(out, "Signature is Valid") {
		t.Errorf("%v\n%s", err, out)
	}
	shown, err := runTool(t, "pdftotext", "-raw", path, "-")
	shown = strings.Join(strings.Fields(shown), " ")
	if err != nil || !strings.Contains(shown, "identitas tidak diverifikasi; alamat e-mail diverifikasi dengan kode") || !strings.Contains(shown, "identity not verified; mailbox verified with a code") || strings.Contains(shown, budi) {
		t.Errorf("%v\n%s", err, shown)
	}

	// The ledger, the audit trail and the evidence certificate.
	serial := strings.ToLower(got.Signer.Serial)
	lines := s.administrator(t, "Admin", "PT Sari").do("GET", "/v1/admin/certificates?serial="+serial, nil).ok()
	if !strings.Contains(string(lines.body), `"assurance":"guest_mailbox_code"`) {
		t.Errorf("%s", lines.body)
	}
	trail := owner.do("GET", fmt.Sprint(documentPath, "audit-trail/", id), nil, "Accept-Language", "en").ok()
	if !strings.Contains(string(trail.body), "Identity: not verified; the mailbox budi@example.test was verified with a code; named by Sari Wulandari of PT Sari") {
		t.Errorf("%s", trail.body)
	}
	evidence := filepath.Join(dir, "evidence.pdf")
	if err := os.WriteFile(evidence, owner.get("evidence", id).ok().body, 0o600); err != nil {
		t.Fatal(err)
	}
	shown, err = runTool(t, "pdftotext", "-raw", evidence, "-")
	shown = strings.Join(strings.Fields(shown), " ")
	if err != nil || !strings.Contains(shown, "not verified; the mailbox budi@example.test was verified with a code; named by Sari Wulandari of PT Sari") {
		t.Errorf("%v\n%s", err, shown)
	}
	if status, out, errs := runsIn(t, t.TempDir(), "verify", "--trust", roots, "--evidence", evidence, path); status != 0 {
		t.Errorf("status %d, %s\n%s", status, errs, out)
	}
}

// A code that a guest entered for an earlier revision does not count for the one that they sign, where the link alone suffices.
func TestACodeForAnEarlierRevisionIsNotInTheCertificate(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	second := s.person(t, "Dewi Lestari", "PT Sari")
	id, _ := s.mailedGuest(t, owner, server, object{"parallel": 1, "signer": []any{second.as("signer", 1)}})
	var person string
	for _, p := range owner.get("signers", id).ok().object("data")["signer"].([]any) {
		if p.(object)["is_guest"] == true {
			person = p.(object)["user_id"].(string)
		}
	}
	guest := owner.guest(id, person) // with a link that was handed out
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", server.mailTo(t, budi, 2).code(t)).ok()
	second.verb("sign-docs", id).ok()
	guest.verb("sign-docs", id).ok()
	owner.completed(id)
	file := owner.download(id)
	for _, got := range verified(t, s, file).Signatures {
		if i := got.Identity; i != nil && i.Name == "Budi Santoso" && (i.Assurance != string(authority.Guest) || len(i.Verified) != 0) {
			t.Errorf("%+v", i)
		}
	}
	if bytes.Contains(certificatesIn(t, file), []byte(budi)) {
		t.Error("the mailbox is in a certificate")
	}
}
