package intake

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
)

const formType = `multipart/form-data; boundary="edge"`

// formBody joins parts, each a header block and a content, into a body.
func formBody(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("--edge\r\nContent-Disposition: form-data; " + p + "\r\n")
	}
	return b.String() + "--edge--\r\n"
}

func filePart(content string) string {
	return "name=\"document\"; filename=\"a.pdf\"\r\nContent-Type: application/pdf\r\n\r\n" + content
}

func fieldPart(name, value string) string { return "name=\"" + name + "\"\r\n\r\n" + value }

func liftForm(body string, l Limits) (map[string]string, string, Info, error) {
	var sink bytes.Buffer
	fields, info, err := Multipart(iotest.HalfReader(strings.NewReader(body)), formType, l, &sink, "document")
	return fields, sink.String(), info, err
}

func TestFilePartIsExtractedFromAnyPosition(t *testing.T) {
	t.Parallel()
	content := string(noise(300_000)) + "\r\n--edg"
	title, signer := fieldPart("document_title", "Sewa"), fieldPart("signer", `[{"number":1}]`)
	other := "name=\"other\"; filename=\"b.pdf\"\r\n\r\nnot ours"
	nameless := "foo=\"bar\"\r\n\r\nnot ours"
	for name, body := range map[string]string{
		"first":  formBody(filePart(content), title, signer, other),
		"middle": formBody(title, filePart(content), other, signer),
		"last":   formBody(nameless, title, signer, filePart(content)),
	} {
		fields, file, info, err := liftForm(body, Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := (map[string]string{"document_title": "Sewa", "signer": `[{"number":1}]`}); !maps.Equal(fields, want) {
			t.Errorf("%s: fields %v", name, fields)
		}
		if file != content || info != (Info{Present: true, Size: int64(len(content)), Filename: "a.pdf"}) {
			t.Errorf("%s: %d bytes of file, %+v", name, len(file), info)
		}
	}
}

func TestAFormWithoutFileIsTakenApartToo(t *testing.T) {
	t.Parallel()
	fields, _, info, err := liftForm(formBody(fieldPart("a", "")), Limits{})
	if err != nil || info.Present || len(fields) != 1 {
		t.Errorf("%v, %+v, %v", fields, info, err)
	}
	if _, _, info, err := liftForm(formBody(filePart("")), Limits{}); err != nil || !info.Present || info.Size != 0 {
		t.Errorf("empty file: %+v, %v", info, err)
	}
}

func TestAFormCutAnywhereIsRefused(t *testing.T) {
	t.Parallel()
	body := formBody(fieldPart("a", "1"), filePart("%PDF-1.7"), fieldPart("b", "2"))
	// The line end after the last boundary is optional.
	for i := range len(body) - len("\r\n") {
		if _, _, _, err := liftForm(body[:i], Limits{}); refusal(t, err).Kind != Malformed {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
}

func TestTheLastLineEndOfAFormIsNotNeeded(t *testing.T) {
	t.Parallel()
	body := strings.TrimSuffix(formBody(fieldPart("a", "1"), filePart("%PDF-1.7")), "\r\n")
	for _, r := range []io.Reader{strings.NewReader(body), iotest.DataErrReader(strings.NewReader(body))} {
		fields, info, err := Multipart(r, formType, Limits{}, io.Discard, "document")
		if err != nil || fields["a"] != "1" || info.Size != 8 {
			t.Errorf("%v, %+v, %v", fields, info, err)
		}
	}
}

func TestAWrongFormIsRefused(t *testing.T) {
	t.Parallel()
	l := Limits{File: 1000, Rest: 1000}
	many := strings.Repeat("x", 600)
	cases := []struct {
		name, body string
		kind       Kind
	}{
		{"nothing", "", Malformed},
		{"two files", formBody(filePart("a"), filePart("b")), Duplicate},
		{"field twice", formBody(fieldPart("a", "1"), fieldPart("a", "1")), Duplicate},
		{"big file", formBody(filePart(strings.Repeat("x", 1001))), TooLarge},
		{"big field", formBody(fieldPart("a", many+many)), RestTooLarge},
		{"big fields", formBody(fieldPart("a", many), fieldPart("b", many)), RestTooLarge},
		{"big unknown part", formBody("name=\"b\"; filename=\"b\"\r\n\r\n" + many + many), RestTooLarge},
		{"big header", formBody("name=\"a\"\r\nX-A: " + many + many + "\r\n\r\n"), RestTooLarge},
		{"no colon in a header", "--edge\r\nnonsense\r\n\r\n--edge--\r\n", Malformed},
	}
	for _, c := range cases {
		fields, _, _, err := liftForm(c.body, l)
		if e := refusal(t, err); e.Kind != c.kind || fields != nil {
			t.Errorf("%s: kind %d: %v", c.name, e.Kind, err)
		}
	}
	if _, _, _, err := liftForm(formBody(filePart(strings.Repeat("x", 1000))), l); err != nil {
		t.Errorf("a file of exactly the limit: %v", err)
	}
	for _, contentType := range []string{"", "text/plain", "multipart/form-data", "multipart/mixed; boundary=edge", ";"} {
		_, _, err := Multipart(strings.NewReader(""), contentType, l, io.Discard, "document")
		if refusal(t, err).Kind != Malformed {
			t.Errorf("%q: %v", contentType, err)
		}
	}
}

func TestAFormAboveALimitIsNotReadOn(t *testing.T) {
	t.Parallel()
	l := Limits{File: 1 << 20, Rest: 1 << 20}
	for name, c := range map[string]struct {
		body *endless
		kind Kind
	}{
		"before the first boundary": {&endless{fill: "lorem ipsum\r\n"}, RestTooLarge},
		"one line":                  {&endless{fill: "x"}, RestTooLarge},
		"file":                      {&endless{prefix: "--edge\r\nContent-Disposition: form-data; " + filePart(""), fill: "x"}, TooLarge},
		"field":                     {&endless{prefix: "--edge\r\nContent-Disposition: form-data; " + fieldPart("a", ""), fill: "x"}, RestTooLarge},
		"header":                    {&endless{prefix: "--edge\r\nX-A: ", fill: "x"}, RestTooLarge},
		"parts":                     {&endless{fill: "--edge\r\nContent-Disposition: form-data\r\n\r\n\r\n"}, RestTooLarge},
	} {
		_, _, err := Multipart(c.body, formType, l, io.Discard, "document")
		// A line longer than the read-ahead is not a boundary, so it may be refused at once.
		if e := refusal(t, err); e.Kind != c.kind && !(name == "one line" && e.Kind == Malformed) {
			t.Errorf("%s: kind %d: %v", name, e.Kind, err)
		}
		if c.body.taken > l.File+l.Rest+framing+windowSize {
			t.Errorf("%s: read %d bytes", name, c.body.taken)
		}
	}
}

func TestAFormPassesErrorsOfReaderAndSinkOn(t *testing.T) {
	t.Parallel()
	mine := errors.New("mine")
	body := formBody(fieldPart("a", "1"), filePart("%PDF-1.7"), fieldPart("b", "2"))
	for i := range len(body) - len("--\r\n") {
		_, _, err := Multipart(io.MultiReader(strings.NewReader(body[:i]), iotest.ErrReader(mine)), formType, Limits{}, io.Discard, "document")
		if !errors.Is(err, mine) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
	if _, _, err := Multipart(strings.NewReader(body), formType, Limits{}, failing{mine}, "document"); !errors.Is(err, mine) {
		t.Errorf("sink: %v", err)
	}
}

// FuzzMultipart checks that any body is either split within its limits or refused.
func FuzzMultipart(f *testing.F) {
	f.Add([]byte(formBody(fieldPart("a", "1"), filePart("%PDF-1.7"))))
	f.Add([]byte(formBody(filePart("a"), filePart("b"))))
	f.Add([]byte("--edge\r\nContent-Disposition: form-data; name=document\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=41=\r\n\r\n--edge--"))
	l := Limits{File: 64, Rest: 256}
	f.Fuzz(func(t *testing.T, body []byte) {
		var sink bytes.Buffer
		fields, info, err := Multipart(bytes.NewReader(body), formType, l, &sink, "document")
		if info.Size != int64(sink.Len()) || info.Size > l.File {
			t.Fatalf("info %+v, sink %d", info, sink.Len())
		}
		if err != nil {
			refusal(t, err)
			return
		}
		n := 0
		for name, value := range fields {
			n += len(name) + len(value)
		}
		if int64(n) > l.Rest {
			t.Fatalf("%d bytes of fields", n)
		}
	})
}
