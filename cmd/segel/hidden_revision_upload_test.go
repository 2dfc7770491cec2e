package main

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestHostileRevisionBehindASignatureIsRefusedAtUpload uploads such files: they fail validation, so they are not accepted
// for signing, and the refusal costs no more than the validation.
func TestHostileRevisionBehindASignatureIsRefusedAtUpload(t *testing.T) {
	t.Parallel()
	_, signed, _ := finished(t, start(t))
	s := start(t, "SEGEL_LOG_LEVEL", "error")
	owner := s.person(t, "Sari", "")
	for what, file := range hostileBehind(t, signed) {
		began := time.Now()
		a := owner.do("POST", uploadPath, body(t, file, object{}))
		took := time.Since(began)
		told := ""
		if a.status != http.StatusOK {
			told, _ = a.object("error")["code"].(string)
		}
		if a.status != http.StatusUnprocessableEntity || !strings.HasPrefix(told, "file.") {
			t.Errorf("%s: %d %.300s", what, a.status, a.body)
		}
		if took > 40*time.Second { // a second or two of an idle processor
			t.Errorf("%s: it took %v", what, took)
		}
		t.Logf("%s: %d %s; %v", what, a.status, told, took.Round(time.Millisecond))
	}
}
