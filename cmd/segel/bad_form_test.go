package main

import (
	"strings"
	"testing"
)

func TestFormThatIsWrongIsRefusedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	const end = "--x--\r\n"
	file := "--x\r\nContent-Disposition: form-data; name=\"document\"; filename=\"a.pdf\"\r\n\r\n" + string(simple()) + "\r\n"
	field := func(name, value string) string {
		return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	const form = "multipart/form-data; boundary=x"
	for name, c := range map[string]struct {
		kind, body string
		status     int
		code       string
	}{
		"nothing":                  {form, "", 400, "input.not_multipart"},
		"no boundary":              {"multipart/form-data", file + end, 400, "input.not_multipart"},
		"another boundary":         {"multipart/form-data; boundary=y", file + end, 400, "input.not_multipart"},
		"JSON":                     {"application/json", `{"document_base64":"JVBERi0="}`, 400, "input.not_multipart"},
		"no end":                   {form, file, 400, "input.not_multipart"},
		"cut in the file":          {form, file[:len(file)/2], 400, "input.not_multipart"},
		"cut in a header":          {form, file + "--x\r\nContent-Dispo", 400, "input.not_multipart"},
		"no parts":                 {form, end, 422, "file.missing"},
		"no file":                  {form, field("document_title", "Judul") + end, 422, "file.missing"},
		"two files":                {form, file + file + end, 422, "value.too_many"},
		"signer that is no JSON":   {form, file + field("signer", "[{") + end, 422, "value.malformed"},
		"signer that is no list":   {form, file + field("signer", `"x"`) + end, 422, "value.not_list"},
		"signer of unknown role":   {form, file + field("signer", `[{"id":"`+signer.id+`","name":"P","role":"king"}]`) + end, 422, "role.unknown"},
		"signer nested deep":       {form, file + field("signer", strings.Repeat("[", 100)+strings.Repeat("]", 100)) + end, 400, "input.malformed"},
		"signer nested deeper":     {form, file + field("signer", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)) + end, 422, "value.malformed"},
		"parallel of another kind": {form, file + field("parallel", "maybe") + end, 422, "value.not_flag"},
		"title of 256 characters":  {form, file + field("document_title", strings.Repeat("j", 256)) + end, 422, "text.too_long"},
	} {
		owner.leavesNothing(name, func() {
			a := owner.do("POST", signPath+"upload-docs", []byte(c.body), "Content-Type", c.kind)
			if a.status != c.status || !strings.Contains(string(a.body), `"`+c.code+`"`) {
				t.Errorf("%s: %d, want %d %s: %.300s", name, a.status, c.status, c.code, a.body)
			}
		})
	}
	owner.do("POST", signPath+"upload-docs", []byte(file+field("signer", `[{"id":"`+signer.id+`","name":"P","role":"signer"}]`)+end), "Content-Type", form).ok()
}
