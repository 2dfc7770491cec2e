package api

import (
	"fmt"
	"net/http"
	"testing"
)

func TestADraftThatWasChangedElsewhereIsNotOverwritten(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	version := func() int64 { d := b.document(1207); return d.Version }
	for path, body := range map[string]string{
		"participants-docs": `"signer":[]`,
		"describe-docs":     `"document_title":"Lain"`,
		"placement-docs":    `"signers":[]`,
	} {
		before := version()
		send := func(more string) int {
			return b.ask("POST", sBase+path, fmt.Sprintf(`{"document_id":1207,%s%s}`, body, more), "X-Access-Token", "owner").Code
		}
		if code := send(fmt.Sprintf(`,"version":%d`, before+7)); code != http.StatusConflict || version() != before {
			t.Errorf("%s from another version: %d, version %d", path, code, version())
		}
		if code := send(fmt.Sprintf(`,"version":"%d"`, before)); code != http.StatusOK || version() != before+1 {
			t.Errorf("%s from the current version: %d, version %d", path, code, version())
		}
		if code := send(""); code != http.StatusOK || version() != before+2 {
			t.Errorf("%s without a version: %d, version %d", path, code, version())
		}
		if code := send(`,"version":"satu"`); code != http.StatusUnprocessableEntity {
			t.Errorf("%s with a version that is not a number: %d", path, code)
		}
	}
}
