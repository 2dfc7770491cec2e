package main

import (
	"bytes"
	"testing"

	"segel/pdf/pdftest"
)

// findingsIn returns the findings among the warnings of an answer, by code.
func findingsIn(t *testing.T, warnings any) map[string]object {
	t.Helper()
	found := map[string]object{}
	list, _ := warnings.([]any)
	for _, w := range list {
		warning, _ := w.(map[string]any)
		if code, _ := warning["code"].(string); bytes.HasPrefix([]byte(code), []byte("finding.")) {
			if warning["msg"] == "" || warning["field"] != "document" {
				t.Errorf("finding %v", warning)
			}
			found[code] = warning
		}
	}
	return found
}

// TestUploadAndDetailTellWhatWasFoundInTheFile uploads a file with active content of many kinds.
func TestUploadAndDetailTellWhatWasFoundInTheFile(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	a := owner.do("POST", uploadPath, body(t, pdftest.Active(), object{"signer": []object{signer.as("signer", 1)}})).ok()
	response := a.object("response")
	id := int64(response["data"].(map[string]any)["document_id"].(float64))
	for where, found := range map[string]map[string]object{
		"upload": findingsIn(t, response["warnings"]),
		"detail": findingsIn(t, owner.get("detail", id).ok().object("data")["warnings"]),
	} {
		for code, mustAccept := range map[string]bool{"finding.launch": true, "finding.javascript": false, "finding.file_uri": false, "finding.other_document": false} {
			if f, ok := found[code]; !ok || (f["must_accept"] == true) != mustAccept || f["accepted"] != nil {
				t.Errorf("%s: %s is %v", where, code, f)
			}
		}
	}
	if a := owner.do("POST", uploadPath, body(t, simple(), object{})).ok(); a.object("response")["warnings"] != nil {
		t.Errorf("a plain file: %s", a.body)
	}
}
