package intake

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzJSON holds the lifter against encoding/json: both take the same bodies, see the same other members and
// decode the same file, whatever the window.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"document_base64":"QUJD"}`,
		`{"a":1,"document_base64":"QU\/D\u0051\r\nQUJD==","b":[{"c":"\""}]}`,
		`{"document_base64":null , "a":"\ud83d\ude00"}`,
		`{"document_base64":"data:application/pdf;base64,-_+/"}`,
		`{"\u0064ocument_base64":"QUI=","document_base64":"QQ"}`,
		"\xef\xbb\xbf{\"a\":1e5,\"document_base64\":\" Q Q = = \"}\n",
		`{"document_base64":"QUJD",}`,
		`{"a":[}]}`,
		`[]`,
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(7))
	}
	f.Fuzz(func(t *testing.T, body []byte, size uint8) {
		var sink bytes.Buffer
		rest, info, err := liftJSON(iotest.HalfReader(bytes.NewReader(body)), Limits{}, &sink, member, 16+int(size))
		want, file, present, ok := oracle(body)
		if (err == nil) != ok {
			t.Fatalf("error %v, but encoding/json says %v", err, ok)
		}
		if err != nil {
			if at := refusal(t, err).Offset; at < 0 || at > int64(len(body)) {
				t.Fatalf("offset %d of %d bytes", at, len(body))
			}
			return
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(rest, &got); err != nil {
			t.Fatalf("rest %q: %v", rest, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("rest %q, want %q", got, want)
		}
		if info.Present != present || info.Size != int64(len(file)) || !bytes.Equal(sink.Bytes(), file) {
			t.Fatalf("file %q %+v, want %q", sink.Bytes(), info, file)
		}
	})
}

// oracle says what the lifter owes for a body, in the plainest way.
func oracle(body []byte) (rest map[string]json.RawMessage, file []byte, present, ok bool) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if json.Unmarshal(body, &rest) != nil || rest == nil || nestsDeeper(body, 64) || given(body) > 1 {
		return nil, nil, false, false
	}
	value, ok := rest[member]
	delete(rest, member)
	if !ok || string(value) == "null" {
		return rest, nil, false, true
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return nil, nil, false, false
	}
	file, ok = plainBase64(text)
	return rest, file, true, ok
}

// given counts how often the member stands at the top level.
func given(body []byte) (n int) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.Token()
	for d.More() {
		name, _ := d.Token()
		if name == member {
			n++
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return n
		}
	}
	return n
}

// nestsDeeper measures a valid body.
func nestsDeeper(body []byte, limit int) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	for depth := 0; ; {
		switch token, err := d.Token(); {
		case err != nil:
			return false
		case token == json.Delim('{') || token == json.Delim('['):
			if depth++; depth > limit {
				return true
			}
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
	}
}

// plainBase64 decodes text in one piece.
func plainBase64(text string) ([]byte, bool) {
	text = strings.TrimLeft(text, " \t\r\n")
	if len(text) >= 5 && strings.ToLower(text[:5]) == "data:" {
		head, data, found := strings.Cut(text, ",")
		if !found || len(head) > maxPrefix || !strings.HasSuffix(strings.ToLower(head), ";base64") {
			return nil, false
		}
		text = data
	}
	text = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", "-", "+", "_", "/").Replace(text)
	if bare := strings.TrimRight(text, "="); bare != text && (len(text)%4 != 0 || len(text)-len(bare) > 2) {
		return nil, false
	} else if bare == "" && text != "" {
		return nil, false
	} else {
		text = bare
	}
	file, err := base64.RawStdEncoding.DecodeString(text)
	return file, err == nil
}
