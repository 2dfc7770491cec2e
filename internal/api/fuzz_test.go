package api

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"segel/internal/contract"
)

// FuzzPlacement parses any body as a placement: it is refused with a refusal of ours, or the echo is JSON again.
func FuzzPlacement(f *testing.F) {
	f.Add([]byte(placeBody))
	f.Add([]byte(`{"document_id":"1207","signers":[{"page":"1","sign":{"urx":null},"user":null,"props":[]},null,7]}`))
	f.Add([]byte(`{"document_id":9007199254740993,"signers":{"page":1e999}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var in placeIn
		if err := decodeObject(body, &in); err != nil {
			mustBeRefusal(t, err)
			return
		}
		var bad problems
		parseDocumentID(in.DocumentID, &bad)
		requests := in.placeRequests(500, &bad)
		if err := bad.asError(); err != nil {
			mustBeRefusal(t, err)
			return
		}
		d := draft()
		echoed := echoPlacements(in.Signers.items, &d)
		if len(echoed) != len(requests) {
			t.Fatalf("%d entries, %d requests", len(echoed), len(requests))
		}
		if _, err := json.Marshal(echoed); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzUpload parses the members of an upload other than the file.
func FuzzUpload(f *testing.F) {
	f.Add([]byte(uploadBody))
	f.Add([]byte(`{"parallel":true,"signer":[{"number":"2"},5],"guest":{"number":null},"expired_at":"2027-01-31T17:00:00Z"}`))
	f.Add([]byte(`{"guest":"x","signer":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var in uploadIn
		if err := decodeObject(body, &in); err != nil {
			mustBeRefusal(t, err)
			return
		}
		var bad problems
		for _, p := range parsePeople(in.Signer, in.Guest, 100, &bad) {
			if p.Number < 1 && len(bad) == 0 {
				t.Fatalf("number %d was accepted", p.Number)
			}
		}
		in.Parallel.checkedValue("parallel", &bad)
		parseExpiry(in.ExpiredAt, &bad)
	})
}

func mustBeRefusal(t *testing.T, err error) {
	var e *contract.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not a refusal", err)
	}
}

// FuzzUploadMetadata parses the header that describes a file which arrives in parts.
func FuzzUploadMetadata(f *testing.F) {
	f.Add("filename a29udHJhay5wZGY=,sha256 ")
	f.Add("filename, x ,,")
	f.Fuzz(func(t *testing.T, header string) {
		var bad problems
		name, announced := parseUploadMetadata(header, &bad)
		if !utf8.ValidString(name) || len(bad) > 0 && (name != "" || announced != [32]byte{}) {
			t.Fatalf("%q, %x, %v", name, announced, bad)
		}
	})
}
