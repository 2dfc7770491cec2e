package intake

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzJSON compares splitJSON with encoding/json: both accept the same bodies, see the same other members and decode
// the same file, for every window size.
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
		rest, info, err := splitJSON(iotest.HalfReader(bytes.NewReader(body)), Limits{}, &sink, member, 16+int(size))
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

// oracle computes the expected result for a body in the simplest way.
func oracle(body []byte) (rest map[string]json.RawMessage, file []byte, present, ok bool) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if json.Unmarshal(body, &rest) != nil || rest == nil || nestsDeeper(body, 64) || repeats(body) {
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

// repeats reports whether an object of valid JSON has a member twice, or too many members, in the simplest way: it
// compares names one by one with [strings.EqualFold].
func repeats(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return repeatsIn(d)
}

// repeatsIn reads one value.
func repeatsIn(d *json.Decoder) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	var names []string
	for object := token == json.Delim('{'); (object || token == json.Delim('[')) && d.More(); {
		if object {
			name, _ := d.Token()
			if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name.(string)) }) || len(names) == maxMembers {
				return true
			}
			names = append(names, name.(string))
		}
		if repeatsIn(d) {
			return true
		}
	}
	if token == json.Delim('{') || token == json.Delim('[') {
		d.Token()
	}
	return false
}

// FuzzCheckMembers compares CheckMembers with repeats.
func FuzzCheckMembers(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"A":2}`, `{"a":{"b":1,"c":[{"b":1},{"b":2,"b":3}]}}`, `[{"a":"\"a\":1"},"a","a"]`, `{"\u0061":1,"a":2}`,
		`{"K":1,"\u212a":2}`, `{"s":1,"ſ":2}`, "{\"\xff\":1,\"\xfe\":2}", `"a"`, `{"a":}`, `}`, ``, `{"a":[],"b":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := CheckMembers(text)
		if !json.Valid(text) {
			if refusal(t, err).Kind != Malformed {
				t.Fatalf("%v", err)
			}
			return
		}
		if (err != nil) != repeats(text) {
			t.Fatalf("%v, but a plain reader says %v", err, repeats(text))
		}
		if err == nil {
			return
		}
		if e := refusal(t, err); e.Offset < 0 || e.Offset >= int64(len(text)) || text[e.Offset] != '"' {
			t.Fatalf("offset %d of %d bytes", e.Offset, len(text))
		}
	})
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
