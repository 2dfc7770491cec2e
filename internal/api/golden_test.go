package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/contract"
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

const uploadBody = `{"document_title":"Perjanjian Sewa","filename":"sewa.pdf","document_base64":"JVBERi0xLjcK","parallel":"0",
	"signer":[{"id":"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01","name":"Siti Rahma","email":"siti@contoh.id","role":"signer","number":1}],
	"guest":{"name":"Budi Tamu","email":"budi@contoh.id","role":"signer","number":"2"}}`

const placeBody = `{"document_id":1207,"signers":[
	{"page":1,"props":{"x":306,"y":396.50,"w":54,"h":54},"user":{"speciment":"","name":"Siti Rahma","email":null,"userid":"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"},
	 "emet":{"urx":360,"ury":396,"llx":306,"lly":342},"sign":null,"type":"emet","documentSize":{"height":792,"width":612},"unknown":true},
	{"page":1,"user":{"email":"SITI@contoh.id"},"sign":{"urx":2e2,"ury":200,"llx":100,"lly":100},"type":"sign"}]}`

// shapes are the requests whose answers are compared.
var shapes = []struct {
	golden, method, path, body string
	doc                        func() contract.Document
	header                     []string
}{
	{golden: "login.json", method: "POST", path: "/v1/auth/login", body: `{"email":"andi@contoh.id","password":"benar"}`, header: []string{"X-Access-Token", ""}},
	{golden: "login_refused.json", method: "POST", path: "/v1/auth/login", body: `{"email":"andi@contoh.id","password":"salah"}`, header: []string{"X-Access-Token", ""}},
	{golden: "refresh.json", method: "POST", path: "/v1/auth/refresh", body: `{"refresh_token":"segel_rt_1"}`},
	{golden: "logout.json", method: "POST", path: "/v1/auth/logout"},
	{golden: "forgot_password.json", method: "POST", path: "/v1/auth/forgot-password", body: `{"email":"x@contoh.id"}`},
	{golden: "password.json", method: "POST", path: "/v1/auth/password", body: `{"current":"benar","new":"kata sandi baru"}`},
	{golden: "password_refused.json", method: "POST", path: "/v1/auth/password", body: `{"current":"salah","new":"kata sandi baru"}`},
	{golden: "me.json", method: "GET", path: "/v1/auth/me"},
	{golden: "session.json", method: "POST", path: "/v1/auth/session", body: `{"email":"andi@contoh.id","password":"benar"}`},
	{golden: "guest.json", method: "POST", path: "/v1/auth/guest", body: `{"link":"https://segel.contoh.id/guest#rahasia"}`},
	{golden: "list_user.json", method: "GET", path: "/v1/auth/list_user"},
	{golden: "list_user_empty.json", method: "GET", path: "/v1/auth/list_user?search=tidak+ada"},
	{golden: "specimen_none.json", method: "GET", path: "/v1/auth/specimen"},
	{golden: "specimen_put.json", method: "PUT", path: "/v1/auth/specimen", body: "\x89PNG\r\n\x1a\n"},
	{golden: "specimen_delete.json", method: "DELETE", path: "/v1/auth/specimen"},
	{golden: "avatar.svg", method: "GET", path: "/v1/avatar/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01?initials=SR"},
	{golden: "avatar_nobody.svg", method: "GET", path: "/v1/avatar/x"},
	{golden: "upload.json", method: "POST", path: sBase + "upload-docs-base64", body: uploadBody},
	{golden: "participants.json", method: "POST", path: sBase + "participants-docs", body: `{"document_id":1207}`},
	{golden: "describe.json", method: "POST", path: sBase + "describe-docs", body: `{"document_id":1207,"document_title":"Sewa","expired_at":""}`},
	{golden: "placement.json", method: "POST", path: sBase + "placement-docs", body: placeBody},
	{golden: "finalize.json", method: "POST", path: sBase + "finalize-docs", body: `{"document_id":"1207"}`, doc: processing},
	{golden: "process.json", method: "POST", path: sBase + "process-docs", body: `{"document_id":1207}`, doc: processing},
	{golden: "sign.json", method: "POST", path: sBase + "sign-docs", body: `{"document_id":1207}`, doc: processing},
	{golden: "reject.json", method: "POST", path: sBase + "reject-docs", body: `{"document_id":1207,"reason":"Harga salah"}`, doc: processing},
	{golden: "cancel.json", method: "POST", path: sBase + "cancel-docs", body: `{"document_id":1207}`, doc: processing},
	{golden: "remind.json", method: "POST", path: sBase + "remind-docs", body: `{"document_id":1207}`, doc: processing},
	{golden: "retry.json", method: "POST", path: sBase + "retry-docs", body: `{"document_id":1207}`, doc: processing},
	{golden: "restamp.json", method: "POST", path: sBase + "restamp-docs", body: `{"document_id":1207}`, doc: processing},
	{golden: "guest_link.json", method: "POST", path: sBase + "guest-link-docs", body: `{"document_id":1207,"user_id":"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"}`},
	{golden: "guest_revoke.json", method: "POST", path: sBase + "guest-revoke-docs", body: `{"document_id":1207,"user_id":"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"}`},
	{golden: "delete.json", method: "DELETE", path: dBase + "1207"},
	{golden: "list_in.json", method: "GET", path: dBase + "data?page=1&type=in&limit=20", header: []string{"X-Access-Token", "signer"}},
	{golden: "list_out_en.json", method: "GET", path: dBase + "out?page=2&limit=3", header: []string{"Accept-Language", "en-GB,en;q=0.9"}},
	{golden: "detail_draft.json", method: "GET", path: dBase + "detail/1207"},
	{golden: "detail_processing.json", method: "GET", path: dBase + "detail/1207", doc: processing, header: []string{"X-Access-Token", "signer"}},
	{golden: "detail_completed.json", method: "GET", path: dBase + "detail/1207", doc: completed},
	{golden: "detail_failed.json", method: "GET", path: dBase + "detail/1207", doc: failed},
	{golden: "status_draft.json", method: "GET", path: dBase + "status/1207"},
	{golden: "status_completed.json", method: "GET", path: dBase + "status/1207", doc: completed},
	{golden: "signers.json", method: "GET", path: dBase + "signers/1207", doc: processing},
	{golden: "placements.json", method: "GET", path: dBase + "placements/1207", doc: processing},
	{golden: "placements_draft.json", method: "GET", path: dBase + "placements/1207"},
	{golden: "audit_trail.json", method: "GET", path: dBase + "audit-trail/1207"},
	{golden: "events.txt", method: "GET", path: dBase + "events/1207", doc: completed},
	{golden: "preview.txt", method: "GET", path: dBase + "preview/1207"},
	{golden: "download.txt", method: "GET", path: dBase + "download/1207", doc: completed},
	{golden: "original.txt", method: "GET", path: dBase + "original/1207"},
	{golden: "range.txt", method: "GET", path: dBase + "download/1207", doc: completed, header: []string{"Range", "bytes=0-4"}},
	{golden: "range_refused.json", method: "GET", path: dBase + "download/1207", doc: completed, header: []string{"Range", "bytes=5000-"}},
	{golden: "balance.json", method: "GET", path: "/v1/econtract/web_app/client_balance"},
	{golden: "admin_people.json", method: "GET", path: "/v1/admin/people?search=andi", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_people_add.json", method: "POST", path: "/v1/admin/people", body: `{"name":"Siti Rahma","email":"siti@contoh.id","admin":"0"}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_quota.json", method: "GET", path: "/v1/admin/quota", header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_quota_grant.json", method: "POST", path: "/v1/admin/quota", body: `{"unit":"emet","count":20,"reason":"Faktur 2024/117"}`, header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_quota_grant_refused.json", method: "POST", path: "/v1/admin/quota", body: `{"unit":"emet","count":20,"reason":"x"}`, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_ledger.json", method: "GET", path: "/v1/admin/quota/ledger?unit=emet", header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_attempts.json", method: "GET", path: "/v1/admin/attempts?document_id=1207", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_attempts.csv", method: "GET", path: "/v1/admin/attempts.csv", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_evidence.txt", method: "GET", path: "/v1/admin/serials/SPESIMEN-0000000000002/evidence", header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_serials.json", method: "GET", path: "/v1/admin/serials?state=bound", header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_reconciliation.json", method: "GET", path: "/v1/admin/reconciliation", header: []string{"X-Access-Token", "operator"}},
	{golden: "admin_reconcile_en.json", method: "POST", path: "/v1/admin/reconciliation", header: []string{"X-Access-Token", "operator", "Accept-Language", "en"}},
	{golden: "admin_stuck.json", method: "GET", path: "/v1/admin/stuck", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_retry.json", method: "POST", path: "/v1/admin/stuck/1207/retry", doc: processing, header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_certificates.json", method: "GET", path: "/v1/admin/certificates", header: []string{"X-Access-Token", "admin"}},
	{golden: "admin_audit_log_en.json", method: "GET", path: "/v1/admin/audit-log?type=stamped", header: []string{"X-Access-Token", "operator", "Accept-Language", "en"}},
	{golden: "verify.json", method: "POST", path: "/v1/verify", body: verifyBase64, header: []string{"X-Access-Token", ""}},
	{golden: "verify_serial.json", method: "GET", path: "/v1/verify/serial/SPESIMEN-0000000000001", header: []string{"X-Access-Token", ""}},
	{golden: "verify_serial_unknown.json", method: "GET", path: "/v1/verify/serial/SPESIMEN-0000000000002", header: []string{"X-Access-Token", ""}},
	{golden: "healthz.json", method: "GET", path: "/healthz"},
	{golden: "readyz.json", method: "GET", path: "/readyz"},
	{golden: "unauthenticated.json", method: "GET", path: dBase + "data", header: []string{"X-Access-Token", ""}},
	{golden: "not_found.json", method: "GET", path: "/v1/nowhere"},
	{golden: "method_not_allowed_en.json", method: "PUT", path: dBase + "out", header: []string{"Accept-Language", "en"}},
	{golden: "invalid.json", method: "POST", path: sBase + "upload-docs-base64", body: `{"parallel":7,"signer":[{"role":"king","number":0}]}`},
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
			b := newBench(t, doc)
			b.listed, b.total = []contract.Document{completed(), processing(), draft()}, 27
			b.warnings = []contract.Warning{{Field: "signers[0]", Code: "placement.emet_props_differ"}}
			b.covered = []contract.Warning{{Field: "placements[0]", Code: "placement.over_text", Args: map[string]any{"page": 2, "what": "Pasal 7"}}}
			b.events = []contract.Event{
				{Type: contract.EventUploaded, At: now, Person: andi, IP: "203.0.113.7", Details: map[string]string{"filename": "sewa.pdf"}},
				{Type: contract.EventStamped, At: now, Details: map[string]string{"serial": "SPESIMEN-0000000000001"}},
			}
			checkGolden(t, c.golden, b.ask(c.method, c.path, c.body, c.header...))
		})
	}
}
