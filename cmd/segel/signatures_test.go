package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/pades"
)

// signedElsewhere returns a file with a signature whose certificates name that address for issuer, OCSP and CRL.
func signedElsewhere(t *testing.T, file []byte, address string) []byte {
	t.Helper()
	a, err := authority.NewEphemeral(address, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Certify(t.Context(), authority.Holder{ID: "1", Name: "Orang lain", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	r, err := pades.Sign(t.Context(), pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, pades.Options{
		NewField: &pades.FieldSpec{Name: "Lain"}, Key: key, Chain: chain[:1], Time: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(file), r.Tail...)
}

// TestEarlierSignaturesAreReportedOrRefusedAtUploadOffline uses a certificate that names a server of the test.
func TestEarlierSignaturesAreReportedOrRefusedAtUploadOffline(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	s := start(t, "SEGEL_OUTBOUND_PRIVATE", "127.0.0.1", "SEGEL_OUTBOUND_PORTS", strings.TrimPrefix(server.URL, "http://127.0.0.1:"))
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	signed := signedElsewhere(t, simple(), server.URL)

	a := owner.do("POST", uploadPath, body(t, signed, object{"signer": []object{signer.as("signer", 1)}})).ok()
	response := a.object("response")
	id := int64(response["data"].(map[string]any)["document_id"].(float64))
	for where, found := range map[string]map[string]object{
		"upload": findingsIn(t, response["warnings"]), "detail": findingsIn(t, owner.get("detail", id).ok().object("data")["warnings"]),
	} {
		w, ok := found["finding.signature_unknown_issuer"]
		if msg, _ := w["msg"].(string); !ok || len(found) != 1 || w["must_accept"] == true || !strings.Contains(msg, "Lain") {
			t.Errorf("%s: %v", where, found)
		}
	}
	owner.verb("finalize-docs", id).ok()
	if n := asked.Load(); n != 0 {
		t.Errorf("the server that the certificates name was asked %d times before the first signature", n)
	}
	signer.verb("sign-docs", id).ok()
	owner.completed(id)
	for _, fault := range sealFaults(t, s, owner.download(id)) {
		t.Error(fault)
	}

	forged := bytes.Replace(signed, []byte("/MediaBox"), []byte("/MediaBix"), 1)
	if bytes.Equal(forged, signed) {
		t.Fatal("nothing was forged")
	}
	refused := owner.do("POST", uploadPath, body(t, forged, object{}))
	refused.is(422, "file.signature_broken")
	if msg, _ := refused.object()["msg"].(string); !strings.Contains(msg, "Lain") {
		t.Errorf("told as %q", msg)
	}
}
