package api

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/workflow"
)

var update = flag.Bool("update", false, "write the golden files anew")

// pinned are the headers that golden files contain.
var pinned = []string{"Content-Type", "Content-Language", "Content-Disposition", "Content-Range", "ETag", "Allow", "Retry-After", "Location", "Set-Cookie", "WWW-Authenticate"}

// checkGolden compares an answer with testdata/golden/name, including the order of members.
func checkGolden(t *testing.T, name string, w *httptest.ResponseRecorder) {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d\n", w.Code)
	for _, h := range pinned {
		if v := w.Header().Get(h); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", h, v)
		}
	}
	b.WriteString("\n")
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		if err := json.Indent(&b, w.Body.Bytes(), "", "  "); err != nil {
			t.Fatalf("the answer is not JSON: %v: %s", err, w.Body)
		}
	} else {
		b.Write(w.Body.Bytes())
	}
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", name, b.Bytes(), want)
	}
}

const placeBody = `{"document_id":1207,"signers":[
	{"page":1,"props":{"x":306,"y":396.50,"w":54,"h":54},"user":{"speciment":"","name":"Siti Rahma","email":null,"userid":"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"},
	 "emet":{"urx":360,"ury":396,"llx":306,"lly":342},"sign":null,"type":"emet","documentSize":{"height":792,"width":612},"unknown":true},
	{"page":1,"user":{"email":"SITI@contoh.id"},"sign":{"urx":2e2,"ury":200,"llx":100,"lly":100},"type":"sign"}]}`

// shapes are the requests whose answers are compared.
var shapes = []struct {
	golden, method, path, body string
	doc                        func() contract.Document
	header                     []string
	prepare                    func(b *bench) (body string) // what happened before; a body that is not empty replaces that of the table
}{
	{golden: "login.json", method: "POST", path: "/v1/auth/login", body: `{"email":"andi@contoh.id","password":"benar"}`, header: []string{"X-Access-Token", ""}},
	{golden: "login_refused.json", method: "POST", path: "/v1/auth/login", body: `{"email":"andi@contoh.id","password":"salah"}`, header: []string{"X-Access-Token", ""}},
	{golden: "refresh.json", method: "POST", path: "/v1/auth/refresh", prepare: func(b *bench) string {
		in := requireOK[found[sessionData]](b.t, b.ask("POST", "/v1/auth/login", `{"email":"andi@contoh.id","password":"benar"}`))
		return `{"refresh_token":"` + in.Data.RefreshToken + `"}`
	}},
	{golden: "logout.json", method: "POST", path: "/v1/auth/logout"},
	{golden: "forgot_password.json", method: "POST", path: "/v1/auth/forgot-password", body: `{"email":"x@contoh.id"}`},
	{golden: "password.json", method: "POST", path: "/v1/auth/password", body: `{"current":"benar","new":"tujuh kuda hitam di ladang"}`},
	{golden: "password_refused.json", method: "POST", path: "/v1/auth/password", body: `{"current":"salah","new":"tujuh kuda hitam di ladang"}`},
	{golden: "me.json", method: "GET", path: "/v1/auth/me"},
	{golden: "session.json", method: "POST", path: "/v1/auth/session", body: `{"email":"andi@contoh.id","password":"benar"}`},
	{golden: "guest.json", method: "POST", path: "/v1/auth/guest", doc: processing, prepare: func(b *bench) string {
		link := requireOK[done[guestLinkData]](b.t, b.ask("POST", sBase+"guest-link-docs", `{"document_id":1207,"user_id":"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"}`))
		return `{"link":"` + link.Response.Data.URL + `"}`
	}},
	{golden: "admin_label_add.json", method: "POST", path: "/v1/admin/labels", body: `{"name":" Sewa ","colour":"teal"}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_labels.json", method: "GET", path: "/v1/admin/labels", header: []string{"X-Access-Token", "admin"}, prepare: addLabel},
	{golden: "labels.json", method: "GET", path: dBase + "labels", prepare: addLabel},
	{golden: "labelled.json", method: "PUT", path: dBase + "labelled", prepare: func(b *bench) string {
		return `{"documents":[{"document_id":1207},{"document_id":9}],"add":["` + addLabel(b) + `"]}`
	}},
	{golden: "folder_add.json", method: "PUT", path: dBase + "folders", body: `{"name":"Kantor Bandung"}`},
	{golden: "filed.json", method: "PUT", path: dBase + "filed", prepare: fileSample},
	{golden: "list_filed.json", method: "GET", path: dBase + "out", prepare: func(b *bench) string {
		requireOK[done[filedData]](b.t, b.ask("PUT", dBase+"filed", fileSample(b)))
		return ""
	}},
	{golden: "list_user.json", method: "GET", path: "/v1/auth/list_user"},
	{golden: "list_user_empty.json", method: "GET", path: "/v1/auth/list_user?search=tidak+ada"},
	{golden: "specimen_none.json", method: "GET", path: "/v1/auth/specimen"},
	{golden: "specimen_put.json", method: "PUT", path: "/v1/auth/specimen", prepare: func(b *bench) string {
		picture, err := base64.StdEncoding.DecodeString(linePicture(b.t))
		if err != nil {
			b.t.Fatal(err)
		}
		return string(picture)
	}},
	{golden: "specimen_delete.json", method: "DELETE", path: "/v1/auth/specimen"},
	{golden: "avatar.svg", method: "GET", path: "/v1/avatar/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01?initials=SR"},
	{golden: "avatar_nobody.svg", method: "GET", path: "/v1/avatar/x"},
	{golden: "upload.json", method: "POST", path: sBase + "upload-docs-base64", body: uploadBody, doc: none, prepare: func(b *bench) string {
		b.workflow.Random = zeros{} // the examination of the file and the naming of the draft read it at the same time
		return ""
	}},
	{golden: "participants.json", method: "POST", path: sBase + "participants-docs", body: `{"document_id":1207}`},
	{golden: "describe.json", method: "POST", path: sBase + "describe-docs", body: `{"document_id":1207,"document_title":"Sewa","expired_at":""}`},
	{golden: "placement.json", method: "POST", path: sBase + "placement-docs", body: placeBody},
	{golden: "finalize.json", method: "POST", path: sBase + "finalize-docs", body: `{"document_id":"1207"}`, doc: covering},
	{golden: "process.json", method: "POST", path: sBase + "process-docs", body: `{"document_id":1207}`, doc: none, prepare: func(b *bench) string {
		requireOK[done[uploadData]](b.t, b.ask("POST", sBase+"upload-docs-base64", uploadBody))
		return ""
	}},
	{golden: "sign.json", method: "POST", path: sBase + "sign-docs", body: `{"document_id":1207}`, doc: none, header: []string{"X-Access-Token", "signer"}, prepare: func(b *bench) string {
		requireOK[done[uploadData]](b.t, b.ask("POST", sBase+"upload-docs-base64", uploadBody))
		requireOK[done[verbData]](b.t, b.ask("POST", sBase+"finalize-docs", `{"document_id":1207}`))
		return ""
	}},
	{golden: "approve.json", method: "POST", path: sBase + "approve-docs", doc: none, header: []string{"X-Access-Token", "signer"}, prepare: func(b *bench) string {
		requireOK[done[uploadData]](b.t, b.ask("POST", sBase+"upload-docs-base64", strings.Replace(uploadBody, `"role":"signer"`, `"role":"approver"`, 1)))
		requireOK[done[verbData]](b.t, b.ask("POST", sBase+"finalize-docs", `{"document_id":1207}`))
		d, err := b.store.Document(b.t.Context(), 1207)
		if err != nil {
			b.t.Fatal(err)
		}
		return fmt.Sprintf(`{"document_id":1207,"digest":"%x"}`, d.Current().Digest)
	}},
	{golden: "reject.json", method: "POST", path: sBase + "reject-docs", body: `{"document_id":1207,"reason":"Harga salah"}`, doc: processing, header: []string{"X-Access-Token", "signer"}},
	{golden: "cancel.json", method: "POST", path: sBase + "cancel-docs", body: `{"document_id":1207}`, doc: processing},
	{golden: "remind.json", method: "POST", path: sBase + "remind-docs", body: `{"document_id":1207}`, doc: processing},
	{golden: "copy.json", method: "POST", path: sBase + "copy-docs", doc: none, prepare: func(b *bench) string {
		requireOK[done[uploadData]](b.t, b.ask("POST", sBase+"upload-docs-base64", uploadBody))
		requireOK[done[verbData]](b.t, b.ask("POST", sBase+"finalize-docs", `{"document_id":1207}`))
		requireOK[done[verbData]](b.t, b.ask("POST", sBase+"cancel-docs", `{"document_id":1207}`))
		return `{"document_id":1207}`
	}},
	{golden: "make_template.json", method: "POST", path: sBase + "template-docs", doc: none, prepare: func(b *bench) string {
		requireOK[done[uploadData]](b.t, b.ask("POST", sBase+"upload-docs-base64", uploadBody))
		return fmt.Sprintf(`{"document_id":1207,"document_title":"Sewa kios","placeholders":[{"user_id":%q,"name":"Penyewa"}]}`, firstSigner(b))
	}},
	{golden: "use_template.json", method: "POST", path: sBase + "use-template-docs", doc: none, prepare: func(b *bench) string {
		requireOK[done[uploadData]](b.t, b.ask("POST", sBase+"upload-docs-base64", uploadBody))
		requireOK[done[copyData]](b.t, b.ask("POST", sBase+"template-docs", fmt.Sprintf(`{"document_id":1207,"placeholders":[{"user_id":%q,"name":"Penyewa"}]}`, firstSigner(b))))
		return `{"document_id":1208,"document_title":"Sewa Toko Melati"}`
	}},
	{golden: "templates.json", method: "GET", path: dBase + "templates?search=sewa", doc: none, prepare: func(b *bench) string {
		requireOK[done[uploadData]](b.t, b.ask("POST", sBase+"upload-docs-base64", uploadBody))
		requireOK[done[copyData]](b.t, b.ask("POST", sBase+"template-docs", fmt.Sprintf(`{"document_id":1207,"document_title":"Sewa","placeholders":[{"user_id":%q,"name":"Penyewa"}]}`, firstSigner(b))))
		return ""
	}},
	{golden: "retry.json", method: "POST", path: sBase + "retry-docs", body: `{"document_id":1207}`, doc: signed},
	{golden: "restamp.json", method: "POST", path: sBase + "restamp-docs", body: `{"document_id":1207}`, doc: failed},
	{golden: "guest_link.json", method: "POST", path: sBase + "guest-link-docs", doc: processing, body: `{"document_id":1207,"user_id":"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"}`},
	{golden: "guest_revoke.json", method: "POST", path: sBase + "guest-revoke-docs", body: `{"document_id":1207,"user_id":"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"}`},
	{golden: "delete.json", method: "DELETE", path: dBase + "1207"},
	{golden: "list_in.json", method: "GET", path: dBase + "data?page=1&type=in&limit=3", doc: none, prepare: many, header: []string{"X-Access-Token", "signer"}},
	{golden: "list_out_en.json", method: "GET", path: dBase + "out?page=2&limit=3", doc: none, prepare: many, header: []string{"Accept-Language", "en-GB,en;q=0.9"}},
	{golden: "detail_draft.json", method: "GET", path: dBase + "detail/1207"},
	{golden: "detail_processing.json", method: "GET", path: dBase + "detail/1207", doc: processing, header: []string{"X-Access-Token", "signer"}},
	{golden: "detail_completed.json", method: "GET", path: dBase + "detail/1207", doc: completed},
	{golden: "detail_failed.json", method: "GET", path: dBase + "detail/1207", doc: failed},
	{golden: "status_draft.json", method: "GET", path: dBase + "status/1207"},
	{golden: "status_completed.json", method: "GET", path: dBase + "status/1207", doc: completed},
	{golden: "signers.json", method: "GET", path: dBase + "signers/1207", doc: processing},
	{golden: "placements.json", method: "GET", path: dBase + "placements/1207", doc: processing},
	{golden: "placements_draft.json", method: "GET", path: dBase + "placements/1207", doc: coveringDraft},
	{golden: "audit_trail.json", method: "GET", path: dBase + "audit-trail/1207", prepare: administered},
	{golden: "events.txt", method: "GET", path: dBase + "events/1207", doc: completed},
	{golden: "preview.txt", method: "GET", path: dBase + "preview/1207"},
	{golden: "download.txt", method: "GET", path: dBase + "download/1207", doc: completed},
	{golden: "original.txt", method: "GET", path: dBase + "original/1207"},
	{golden: "range.txt", method: "GET", path: dBase + "download/1207", doc: completed, header: []string{"Range", "bytes=0-4"}},
	{golden: "range_refused.json", method: "GET", path: dBase + "download/1207", doc: completed, header: []string{"Range", "bytes=5000-"}},
	{golden: "balance.json", method: "GET", path: "/v1/econtract/web_app/client_balance"},
	{golden: "admin_people.json", method: "GET", path: "/v1/admin/people?search=andi", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_people_add.json", method: "POST", path: "/v1/admin/people", body: `{"name":"Dewi Anggraini","email":"dewi@contoh.id","admin":"0"}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_invite.json", method: "POST", path: "/v1/admin/invitations", body: `{"name":"Dewi Anggraini","email":"dewi@contoh.id","role":"auditor","language":"id"}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_invite_member_en.json", method: "POST", path: "/v1/admin/invitations", body: `{"email":"siti@contoh.id"}`, header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "admin_invitations.json", method: "GET", path: "/v1/admin/invitations", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_embedding.json", method: "GET", path: embeddingPath, header: []string{"X-Access-Token", "admin"}, prepare: listOrigins},
	{golden: "admin_embedding_set.json", method: "PUT", path: embeddingPath, body: `{"origins":["https://ERP.contoh.id:443","http://localhost:3000"]}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_embedding_refused_en.json", method: "PUT", path: embeddingPath, body: `{"origins":["https://*.contoh.id"]}`, header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "embed.json", method: "POST", path: sBase + "embed-docs", body: embedBody, doc: processing, prepare: listOrigins},
	{golden: "embed_no_origins_en.json", method: "POST", path: sBase + "embed-docs", body: embedBody, doc: processing, header: []string{"Accept-Language", "en"}},
	{golden: "embedded.json", method: "POST", path: "/v1/auth/embedded", doc: processing, header: []string{"X-Access-Token", ""}, prepare: func(b *bench) string {
		listOrigins(b)
		address := requireOK[done[embedData]](b.t, b.ask("POST", sBase+"embed-docs", embedBody))
		return `{"address":"` + address.Response.Data.URL + `","origin":"https://erp.contoh.id"}`
	}},
	{golden: "embedded_unknown_en.json", method: "POST", path: "/v1/auth/embedded", body: `{"address":"sgl_ea_x","origin":"https://erp.contoh.id"}`, header: []string{"X-Access-Token", "", "Accept-Language", "en"}},
	{golden: "invitation_unknown_en.json", method: "POST", path: "/v1/auth/invitation", body: `{"link":"sgl_iv_x"}`, header: []string{"Accept-Language", "en"}},
	{golden: "admin_people_disabled.json", method: "GET", path: "/v1/admin/people?status=disabled", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_reset_password_en.json", method: "POST", path: "/v1/admin/people/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01/password", header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "admin_rename_person.json", method: "PUT", path: "/v1/admin/people/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01/name", body: `{"name":"Siti Rahma Wijaya"}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_rename_person_refused.json", method: "PUT", path: "/v1/admin/people/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01/name", body: `{"name":" "}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_set_role.json", method: "PUT", path: "/v1/admin/people/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01/role", body: `{"role":"auditor"}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_set_role_self_en.json", method: "PUT", path: "/v1/admin/people/00000000-0000-4000-8000-000000000001/role", body: `{"role":"member"}`, header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "admin_set_role_unknown_en.json", method: "PUT", path: "/v1/admin/people/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01/role", body: `{"role":"king"}`, header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "admin_documents_en.json", method: "GET", path: "/v1/admin/documents?status=processing", doc: processing, header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "admin_disable_person.json", method: "PUT", path: "/v1/admin/people/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01/disabled", doc: processing, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_disable_self.json", method: "PUT", path: "/v1/admin/people/00000000-0000-4000-8000-000000000001/disabled", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_disable_last_admin_en.json", method: "PUT", path: "/v1/admin/people/00000000-0000-4000-8000-000000000001/disabled", header: []string{"X-Access-Token", "operator", "Accept-Language", "en"}},
	{golden: "admin_disable_unknown_en.json", method: "PUT", path: "/v1/admin/people/00000000-0000-4000-8000-000000000004/disabled", header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "admin_enable_person_en.json", method: "DELETE", path: "/v1/admin/people/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01/disabled", header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "admin_organisations.json", method: "GET", path: "/v1/admin/organisations?search=contoh", header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_rename_organisation.json", method: "PUT", path: "/v1/admin/organisations/0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a/name", body: `{"name":"PT Contoh Sejahtera"}`, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_suspend_organisation.json", method: "PUT", path: "/v1/admin/organisations/0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a/suspended", body: `{"reason":"Tagihan belum dibayar"}`, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_rename_organisation_refused_en.json", method: "PUT", path: "/v1/admin/organisations/0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a/name", body: `{"name":"X"}`, header: []string{"X-Access-Token", "admin", "Accept-Language", "en"}},
	{golden: "admin_quota.json", method: "GET", path: "/v1/admin/quota", header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_quota_grant.json", method: "POST", path: "/v1/admin/quota", body: `{"unit":"emet","count":20,"reason":"Faktur 2024/117"}`, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_quota_grant_refused.json", method: "POST", path: "/v1/admin/quota", body: `{"unit":"emet","count":20,"reason":"x"}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_ledger.json", method: "GET", path: "/v1/admin/quota/ledger?unit=emet&limit=4", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_attempts.json", method: "GET", path: "/v1/admin/attempts?document_id=1207", doc: processing, prepare: administered, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_attempts.csv", method: "GET", path: "/v1/admin/attempts.csv", doc: processing, prepare: administered, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_evidence.txt", method: "GET", path: "/v1/admin/serials/SPESIMEN-0000000000002/evidence", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_serials.json", method: "GET", path: "/v1/admin/serials", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_reconciliation.json", method: "GET", path: "/v1/admin/reconciliation", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_reconcile_en.json", method: "POST", path: "/v1/admin/reconciliation", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator", "Accept-Language", "en"}},
	{golden: "admin_stuck.json", method: "GET", path: "/v1/admin/stuck", doc: failed, prepare: waitingAhead, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_retry.json", method: "POST", path: "/v1/admin/stuck/1207/retry", doc: signed, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_certificates.json", method: "GET", path: "/v1/admin/certificates", doc: processing, prepare: administered, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_audit_log_en.json", method: "GET", path: "/v1/admin/audit-log?limit=3", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator", "Accept-Language", "en"}},
	{golden: "admin_audit_log_person.json", method: "GET", path: "/v1/admin/audit-log?person=ANDI@contoh.id&from=2024-10-14T00:00:00Z", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_audit_log_en.csv", method: "GET", path: "/v1/admin/audit-log.csv?until=2030-01-01T00:00:00Z", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator", "Accept-Language", "en"}},
	{golden: "admin_audit_log_en.csv", method: "GET", path: "/v1/admin/audit-log.csv?until=2030-01-01T00:00:00Z&language=en", doc: processing, prepare: administered, header: []string{"X-Access-Token", "operator", "Accept-Language", "id"}},
	{golden: "verify.json", method: "POST", path: "/v1/verify", body: verifyBase64, header: []string{"X-Access-Token", ""}},
	{golden: "verify_serial.json", method: "GET", path: "/v1/verify/serial/SPESIMEN-0000000000001", doc: completed, header: []string{"X-Access-Token", ""}},
	{golden: "verify_serial_unknown.json", method: "GET", path: "/v1/verify/serial/SPESIMEN-0000000000002", header: []string{"X-Access-Token", ""}},
	{golden: "healthz.json", method: "GET", path: "/healthz"},
	{golden: "readyz.json", method: "GET", path: "/readyz"},
	{golden: "unauthenticated.json", method: "GET", path: dBase + "data", header: []string{"X-Access-Token", ""}},
	{golden: "not_found.json", method: "GET", path: "/v1/nowhere"},
	{golden: "method_not_allowed_en.json", method: "PUT", path: dBase + "out", header: []string{"Accept-Language", "en"}},
	{golden: "invalid.json", method: "POST", path: sBase + "upload-docs-base64", body: `{"parallel":7,"signer":[{"role":"king","number":0}]}`},
}

func none() contract.Document { return contract.Document{} }

// covering is a document whose placement lies over text.
func covering() contract.Document {
	d := processing()
	d.Placements = []contract.Placement{{Kind: contract.PlaceSignature, Page: 1, Person: siti.ID, Box: contract.Box{LLX: 60, LLY: 690, URX: 200, URY: 740}}}
	d.Stamps = nil
	return d
}

func coveringDraft() contract.Document {
	d := covering()
	d.State, d.Mode, d.FinalizedAt = contract.Draft, "", time.Time{}
	return d
}

// many adds 27 documents in different states.
func many(b *bench) string {
	for i := range 9 {
		for _, d := range []contract.Document{draft(), processing(), completed()} {
			for j := range d.Stamps {
				if d.Stamps[j].Serial != "" {
					d.Stamps[j].Serial = fmt.Sprintf("SPESIMEN-%013d", i+1)
				}
			}
			d.Name = fmt.Sprintf("%s-%s-%d", d.Name, d.State, i)
			b.insert(d, file1)
		}
	}
	return ""
}

// waitingAhead adds a document that waits for the stamp office, and an event that is six hours ahead of the clock.
func waitingAhead(b *bench) string {
	d := signed()
	d.Name += "-2"
	for _, at := range []*time.Time{&d.CreatedAt, &d.FinalizedAt, &d.LastSignedAt, &d.Participants[0].SignedAt, &d.Participants[1].SignedAt} {
		*at = at.Add(-3 * time.Hour)
	}
	b.insert(d, file1)
	if err := b.store.LogEvents(b.t.Context(), contract.Event{Type: contract.EventQuotaGranted, At: now.Add(6 * time.Hour)}); err != nil {
		b.t.Fatal(err)
	}
	return ""
}

// administered adds what administrators look at: serials, calls to the stamp office, moves of quota, certificates, events
// and a reconciliation.
func administered(b *bench) string {
	b.t.Helper()
	ctx, before := b.t.Context(), b.document(1207)
	const serial1, serial2 = "SPESIMEN-0000000000001", "SPESIMEN-0000000000002"
	evidence := blobtest.CommitBlob(b.t, b.blobs, "00000000000000000000000000000002", file1)
	bought := contract.Attempt{
		Document: 1207, Organisation: works, Number: 1, Call: contract.CallBuy, Order: "4VnJ2xQpR7sTyWbCdEfGh8", Serial: serial1,
		At: now, AnsweredAt: now.Add(time.Second), Outcome: contract.OutcomeOK,
	}
	refused := bought
	refused.Number, refused.Call, refused.Outcome, refused.Code, refused.Text = 2, contract.CallStamp, "transient", "94", "=HYPERLINK(\"http://jahat\")"
	open := refused
	open.Number, open.AnsweredAt, open.Outcome, open.Code, open.Text = 3, time.Time{}, "", "", ""
	move := contract.QuotaMove{Organisation: works, Document: 1207, Unit: contract.UnitStamp, Count: 1}
	reserve, spend := move, move
	reserve.Op, spend.Op = contract.QuotaReserve, contract.QuotaSpend
	change := contract.Change{
		Before: &before, After: before, At: now, Attempts: []contract.Attempt{bought, refused, open}, Quota: []contract.QuotaMove{reserve, spend},
		Serials: []contract.SerialMove{
			{To: contract.StampSerial{Serial: serial1, Organisation: works, State: contract.SerialBound, Document: 1207, RegisteredAt: now, ChangedAt: now}},
			{To: contract.StampSerial{
				Serial: serial2, State: contract.SerialQuarantined, FormerDocument: 1199, ReleaseCount: 1, Problem: "another page", RegisteredAt: now, ChangedAt: now,
				Evidence: contract.File{Key: "00000000000000000000000000000002", Size: evidence.Size, Digest: evidence.BlobSum, Sums: evidence.ChunkSums},
			}},
		},
		Events: []contract.Event{{Type: contract.EventStamped, At: now, Details: map[string]string{"serial": serial1}}},
	}
	_, err := b.store.Store.Commit(ctx, change)
	added := contract.Event{Type: contract.EventPersonAdded, At: now, Person: andi, IP: "203.0.113.7", Details: map[string]string{"email": siti.Email}}
	err = errors.Join(err, b.store.LogEvents(ctx, added))
	_, reported := b.store.AddReconciliation(ctx, contract.Reconciliation{
		At: now, EndedAt: now.Add(2 * time.Second), Office: contract.OfficeCount{Left: 880, Unused: 2, Affixed: 118, Reported: 2},
		Register: map[contract.SerialState]int{contract.SerialAffixed: 118, contract.SerialFree: 2}, Unexplained: 1,
		Differences: []contract.Difference{
			{Kind: contract.DifferNotAffixed, Serial: serial1, Organisation: works, OrganisationName: "PT Contoh", Document: 1207, OfficeState: contract.OfficeUnused, RegisterState: contract.SerialAffixed},
			{Kind: contract.DifferFound, Serial: serial2, OfficeState: contract.OfficeUnused, RegisterState: contract.SerialBought, File: "lain.pdf"},
		},
	})
	err = errors.Join(err, reported)
	certificate := func(serial, subject string, ends time.Time) contract.Certificate {
		return contract.Certificate{Serial: serial, Subject: subject, DER: []byte(serial), IssuedAt: now.AddDate(-1, 0, 0), NotAfter: ends, Organisation: string(works)}
	}
	guest, seal, revoked := certificate("0a", "CN=Siti Rahma", now.AddDate(0, 1, 0)), certificate("0b", "CN=PT Contoh", now.AddDate(1, 0, 0)), certificate("0c", "CN=Budi", now.AddDate(1, 0, 0))
	guest.Holder, guest.Assurance, guest.NamedBy = string(siti.ID), contract.AssuranceGuest, "Andi Wijaya"
	seal.Holder, revoked.Holder, revoked.RevokedAt = string(works), string(andi.ID), now.Add(-time.Hour)
	for _, c := range []contract.Certificate{guest, seal, revoked} {
		err = errors.Join(err, b.store.AddCertificate(ctx, c))
	}
	b.workflow.AuthorityCertificates = func() []workflow.CertificateLine {
		return []workflow.CertificateLine{{Certificate: certificate("01", "CN=Segel Root", now.AddDate(29, 0, 0)), Role: "root"}}
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return ""
}

// addLabel adds a label and returns its identifier.
func addLabel(b *bench) string {
	l := requireOK[done[labelAnswer]](b.t, b.ask("POST", "/v1/admin/labels", `{"name":"Sewa","colour":"teal"}`, "X-Access-Token", "admin"))
	return string(l.Response.Data.Label.ID)
}

// fileSample labels a document and returns the body that files it.
func fileSample(b *bench) string {
	requireOK[done[filedData]](b.t, b.ask("PUT", dBase+"labelled", `{"documents":[{"document_id":1207}],"add":["`+addLabel(b)+`"]}`))
	f := requireOK[done[folderAnswer]](b.t, b.ask("PUT", dBase+"folders", `{"name":"Kantor Bandung"}`))
	return `{"documents":[{"document_id":1207}],"folder":"` + string(f.Response.Data.Folder.ID) + `"}`
}

const (
	embeddingPath = "/v1/admin/embedding"
	embedBody     = `{"document_id":1207,"user_id":"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61","purpose":"view"}`
)

// listOrigins lists an origin in whose pages those of the organisation may be shown.
func listOrigins(b *bench) string {
	requireOK[done[adminEmbedding]](b.t, b.ask("PUT", embeddingPath, `{"origins":["https://erp.contoh.id"]}`, "X-Access-Token", "admin"))
	return ""
}

// TestEveryEndpointAnswersItsShape compares every answer as a whole, including the order of members.
func TestEveryEndpointAnswersItsShape(t *testing.T) {
	t.Parallel()
	for _, c := range shapes {
		t.Run(c.golden, func(t *testing.T) {
			t.Parallel()
			doc := draft()
			if c.doc != nil {
				doc = c.doc()
			}
			if c.golden == "verify.json" {
				return // TestReportIsAnsweredInItsShape compares it
			}
			b, body := newBench(t, doc), c.body
			if c.prepare != nil {
				body = cmp.Or(c.prepare(b), body)
			}
			checkGolden(t, c.golden, b.ask(c.method, c.path, body, c.header...))
		})
	}
}

// firstSigner returns the first participant of document 1207.
func firstSigner(b *bench) contract.PersonID {
	d, err := b.store.Document(b.t.Context(), 1207)
	if err != nil {
		b.t.Fatal(err)
	}
	return d.Participants[0].ID
}
