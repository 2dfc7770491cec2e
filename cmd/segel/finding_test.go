package main

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/convert/converttest"
	"segel/pdf/pdftest"
)

// findingsIn returns the findings among the warnings of an answer, by code.
func findingsIn(t *testing.T, warnings any) map[string]object {
	t.Helper()
	found := map[string]object{}
	list, _ := warnings.([]any)
	for _, w := range list {
		warning, _ := w.(map[string]any)
		if code, _ := warning["code"].(string); strings.HasPrefix(code, "finding.") {
			if warning["msg"] == "" || warning["field"] != "document" {
				t.Errorf("finding %v", warning)
			}
			found[code] = warning
		}
	}
	return found
}

// refusedKinds are the findings that the owner must accept.
var refusedKinds = []string{"print_differs", "view_varies", "external", "launch", "portfolio", "xfa"}

// TestFindingsAreRefusedUntilTheOwnerAcceptsThem takes each kind through upload and finalize.
func TestFindingsAreRefusedUntilTheOwnerAcceptsThem(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	for _, x := range slices.Concat(pdftest.SuspectCases(), pdftest.HarmlessCases()) {
		a := owner.do("POST", uploadPath, body(t, x.File, object{"signer": []object{signer.as("signer", 1)}})).ok()
		id := idOf(a)
		var refused []string
		uploaded, detailed := findingsIn(t, a.object("response")["warnings"]), findingsIn(t, owner.get("detail", id).ok().object("data")["warnings"])
		for _, kind := range x.Kinds {
			if kind == "invisible_text" && x.Name == "scan that was read by a machine" {
				continue // its text is that of the picture
			}
			mustAccept := slices.Contains(refusedKinds, kind)
			if mustAccept {
				refused = append(refused, "finding."+kind)
			}
			for where, found := range map[string]map[string]object{"upload": uploaded, "detail": detailed} {
				f, told := found["finding."+kind]
				if !told || (f["must_accept"] == true) != mustAccept || f["accepted"] != nil || (f["page"] == nil) != x.WholeFile && kind != "hidden_layer" {
					t.Errorf("%s: %s in %s is %v", x.Name, kind, where, f)
				}
			}
		}
		if len(refused) > 0 {
			refusal := owner.verb("finalize-docs", id).is(http.StatusUnprocessableEntity, "document.active_content")
			named := []string{}
			for _, f := range refusal.object("error")["fields"].([]any) {
				named = append(named, f.(map[string]any)["code"].(string))
			}
			slices.Sort(named)
			if want := slices.Sorted(slices.Values(refused)); !slices.Equal(named, want) {
				t.Errorf("%s: fields name %q, want %q", x.Name, named, want)
			}
			if state := owner.get("detail", id).ok().object("data")["status"]; state != "draft" {
				t.Errorf("%s: %v after a refusal", x.Name, state)
			}
		}
		owner.verb("finalize-docs", id, "accept_findings", refused).ok()
	}
}

// TestSignersAndVerifiersLearnWhatTheOwnerAccepted takes one file through to completion.
func TestSignersAndVerifiersLearnWhatTheOwnerAccepted(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	at := slices.IndexFunc(pdftest.SuspectCases(), func(x pdftest.InspectCase) bool { return x.Name == "launch when the file is opened" })
	id := owner.upload(pdftest.SuspectCases()[at].File, signer.as("signer", 1))
	owner.verb("finalize-docs", id, "accept_findings", []string{"finding.launch"}).ok()
	found := findingsIn(t, signer.get("detail", id).ok().object("data")["warnings"])
	if found["finding.launch"]["accepted"] != true || found["finding.actions"] == nil {
		t.Errorf("the signer is told %v", found)
	}
	preview := signer.get("preview", id).ok()
	digest := strings.Trim(preview.header.Get("ETag"), `"`)
	signer.verb("sign-docs", id, "digest", digest, "pages_shown", []int{1, 2}).is(http.StatusUnprocessableEntity, "input.invalid")
	signer.verb("sign-docs", id, "digest", digest, "pages_shown", []int{1, 1}).ok()
	owner.completed(id)
	said := map[string]string{}
	for _, x := range owner.get("audit-trail", id).ok().object()["data"].([]any) {
		line := x.(object)
		said[line["type"].(string)] = line["description"].(string) + " " + line["name"].(string)
	}
	for event, want := range map[contract.EventType][]string{
		contract.EventFindingAccepted: {"menjalankan program", "calc.exe", "Sari Wulandari"},
		contract.EventSignIntended:    {"menampilkan halaman 1 dari 1", "Budi Santoso"},
		contract.EventSigned:          {"menampilkan halaman 1 dari 1"},
	} {
		for _, w := range want {
			if !strings.Contains(said[string(event)], w) {
				t.Errorf("%s: %q lacks %q", event, said[string(event)], w)
			}
		}
	}
	anonymous := &client{service: s, t: t}
	report := anonymous.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(owner.download(id))}).ok()
	for _, code := range []string{`"finding.launch"`, `"finding.actions"`, `"warning.active_content"`} {
		if !strings.Contains(string(report.body), code) {
			t.Errorf("the verifier does not tell %s: %.2000s", code, report.body)
		}
	}
}

func TestSigningWithoutThePagesSaysSo(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	id := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id).ok()
	trail := string(owner.get("audit-trail", id).ok().body)
	if strings.Count(trail, "tidak menampilkan halaman dokumen") != 2 {
		t.Errorf("%s", trail)
	}
}

// TestConvertedWordDocumentIsLookedAtToo finds white text that was white in the Word document.
func TestConvertedWordDocumentIsLookedAtToo(t *testing.T) {
	t.Parallel()
	converts(t)
	s := start(t, "SEGEL_CONVERT", "libreoffice", "SEGEL_CONVERT_WAIT", "60s")
	owner := s.person(t, "Sari Wulandari", "")
	white := `<w:p><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>Harga 9.000.000</w:t></w:r></w:p>`
	id := idOf(owner.uploadWord(converttest.Document{Body: converttest.Paragraphs("Harga 1.000.000") + white}.Bytes(), "sewa.docx"))
	found := findingsIn(t, owner.get("detail", id).ok().object("data")["warnings"])
	if found["finding.invisible_text"] == nil {
		t.Errorf("found %v", found)
	}
}
