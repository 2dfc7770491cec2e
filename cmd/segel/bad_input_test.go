package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"segel/pdf/pdftest"
)

// stored is the state that a refused upload must leave unchanged.
type stored struct {
	Documents  float64  // in the owner's list
	Blobs      []string // files in place
	Unfinished []string // files that are being written
	Balance    object
}

func (c *client) stored() stored {
	c.t.Helper()
	var s stored
	s.Documents = c.do("GET", documentPath+"out", nil).ok().object("data", "pagination")["total_data"].(float64)
	s.Blobs, s.Unfinished = blobs(c.t.(*testing.T), c.service)
	s.Balance = c.do("GET", "/v1/econtract/web_app/client_balance", nil).ok().object("data")
	return s
}

// leavesNothing requires that try leaves no trace.
func (c *client) leavesNothing(what string, try func()) {
	c.t.Helper()
	before := c.settled()
	try()
	if diff := cmp.Diff(before, c.settled()); diff != "" {
		c.t.Errorf("%s has left something: %s", what, diff)
	}
}

// settled waits until no file is being written any more, for a limited time, and returns what is stored. A client that
// disconnected is not told when its upload was abandoned.
func (c *client) settled() stored {
	c.t.Helper()
	s := c.stored()
	for end := time.Now().Add(10 * time.Second); len(s.Unfinished) > 0 && time.Now().Before(end); {
		s = c.stored()
	}
	return s
}

// body returns an upload of a file as JSON.
func body(t testing.TB, file []byte, more object) []byte {
	t.Helper()
	in := object{"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(file)}
	for k, v := range more {
		in[k] = v
	}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const uploadPath = signPath + "upload-docs-base64"

func TestUploadThatIsCutOffIsRefusedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	// With a limit of one upload at a time, the next one shows that the previous one has ended and its file was removed.
	s := start(t, "SEGEL_MAX_UPLOADS", "1")
	owner := s.person(t, "Pemilik", "")
	whole := body(t, pdftest.Table(400), nil)
	for _, n := range []int{0, 1, 20, 60, 1500, len(whole) / 2, len(whole) - 2, len(whole) - 1} {
		owner.leavesNothing(fmt.Sprint("cut at ", n), func() {
			owner.cut(whole, n, true, "Idempotency-Key: satu\r\n").is(http.StatusBadRequest, "body.incomplete")
			owner.cut(whole, n, false, "")
			owner.do("POST", uploadPath, object{"document_base64": ""}).is(http.StatusUnsupportedMediaType, "file.empty")
		})
	}
	// None of these answers was stored for the key.
	if a := owner.do("POST", uploadPath, whole, "Idempotency-Key", "satu").ok(); a.header.Get("Idempotent-Replayed") != "" {
		t.Error("the answer is that of another request")
	}
}

// cut sends the first n bytes of a body that announces more, and then nothing. A client that stays connected gets
// the answer; one that disconnects gets none.
func (c *client) cut(body []byte, n int, stays bool, header string) *answer {
	c.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: segel\r\nx-access-token: %s\r\nContent-Length: %d\r\n%s\r\n", uploadPath, c.token, len(body), header)
	if _, err := conn.Write(append([]byte(head), body[:n]...)); err != nil {
		c.t.Fatal(err)
	}
	if !stays {
		return nil
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		c.t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer r.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil {
		c.t.Fatal(err)
	}
	return &answer{c.t, fmt.Sprint("cut at ", n), r.StatusCode, r.Header, b.Bytes()}
}

func TestFileThatCannotBeSignedIsRefusedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	good := simple()
	half := len(good) / 2
	for name, c := range map[string]struct {
		file   []byte
		status int
		code   string
	}{
		"nothing":               {nil, 415, "file.empty"},
		"one byte":              {[]byte("%"), 415, "file.unsupported"},
		"text":                  {[]byte("Perjanjian ini dibuat pada hari Senin.\n"), 415, "file.unsupported"},
		"much text":             {bytes.Repeat([]byte("Perjanjian. "), 1000), 415, "file.unsupported"},
		"picture":               {[]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("x", 2000)), 415, "file.unsupported"},
		"header far behind":     {append(bytes.Repeat([]byte(" "), 1024), good...), 415, "file.unsupported"},
		"docx":                  {[]byte("PK\x03\x04" + strings.Repeat("word/document.xml", 100)), 422, "file.word_damaged"},
		"doc":                   {[]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat("x", 2000)), 422, "file.word_damaged"},
		"header alone":          {[]byte("%PDF-1.7\n"), 422, "file.damaged"},
		"first half":            {good[:half], 422, "file.damaged"},
		"hole in the middle":    {append(good[:half:half], good[half+100:]...), 422, "file.damaged"},
		"no page tree":          {replaced(t, good, "/Pages 2 0 R", "/Pages 9 0 R"), 422, "file.damaged"},
		"no pages":              {pdftest.Pages(), 422, "file.no_pages"},
		"pages in a circle":     {replaced(t, good, "/Kids [5 0 R", "/Kids [2 0 R"), 422, "file.damaged"},
		"certified, no changes": {unchangeable(t, good), 422, "file.certified"},
		"locked, AES-256":       {encryptedFile(t, good, "256", "rahasia"), 422, "file.password_needed"},
		"locked, AES-128":       {encryptedFile(t, good, "128", "rahasia", "--use-aes=y"), 422, "file.password_needed"},
		"locked, RC4":           {encryptedFile(t, good, "40", "rahasia"), 422, "file.password_needed"},
		"locked by certificate": {replaced(t, encryptedFile(t, good, "256", ""), "/Filter /Standard", "/Filter /Adobe.PubSec"), 422, "file.encrypted"},
	} {
		owner.leavesNothing(name, func() {
			a := owner.do("POST", uploadPath, body(t, c.file, nil))
			if a.status != c.status || !strings.Contains(string(a.body), `"`+c.code+`"`) {
				t.Errorf("%s: %d, want %d %s: %.300s", name, a.status, c.status, c.code, a.body)
			}
		})
	}
}

func replaced(t *testing.T, file []byte, old, new string) []byte {
	t.Helper()
	if !bytes.Contains(file, []byte(old)) {
		t.Fatalf("the file has no %q", old)
	}
	return bytes.Replace(file, []byte(old), []byte(new), 1)
}

// encrypted encrypts a file with qpdf for a user password, which may be empty.
func encryptedFile(t *testing.T, file []byte, bits, password string, more ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf")
	if err := os.WriteFile(in, file, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--allow-weak-crypto", "--encrypt", password, "owner", bits}, more...)
	if said, err := runTool(t, "qpdf", append(args, "--", in, out)...); err != nil {
		t.Fatal(said)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// unchangeable appends a catalogue whose certification permits no changes.
func unchangeable(t *testing.T, file []byte) []byte {
	t.Helper()
	at := bytes.LastIndex(file, []byte("startxref\n"))
	prev, err := strconv.Atoi(strings.Fields(string(file[at:]))[1])
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.NewBuffer(bytes.Clone(file))
	catalogue := b.Len()
	b.WriteString("1 0 obj\n<< /Type /Catalog /Pages 2 0 R /Perms << /DocMDP 90 0 R >> >>\nendobj\n")
	signature := b.Len()
	b.WriteString("90 0 obj\n<< /Type /Sig /Filter /Adobe.PPKLite /Reference [<< /Type /SigRef /TransformMethod /DocMDP /TransformParams << /Type /TransformParams /V /1.2 /P 1 >> >>] >>\nendobj\n")
	table := b.Len()
	fmt.Fprintf(b, "xref\n1 1\n%010d 00000 n \n90 1\n%010d 00000 n \n", catalogue, signature)
	fmt.Fprintf(b, "trailer\n<< /Size 91 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", prev, table)
	return b.Bytes()
}

func TestBodyThatIsWrongIsRefusedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	outsider := s.person(t, "Orang Luar", "Another organisation")
	good := base64.StdEncoding.EncodeToString(simple())
	half := len(good) / 8 * 4
	with := func(b64 string) []byte { return []byte(`{"document_base64":"` + b64 + `"}`) }
	also := func(more object) []byte { return body(t, simple(), more) }
	people := func(p ...object) []byte { return also(object{"signer": p}) }
	someone := func(role string, number any) object {
		return object{"id": signer.id, "name": signer.name, "email": signer.email, "role": role, "number": number}
	}
	guest := object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}

	for name, c := range map[string]struct {
		body   []byte
		status int
		code   string
	}{
		"base64 wrong at the start":   {with("!" + good), 422, "file.not_base64"},
		"base64 wrong in the middle":  {with(good[:half] + "*" + good[half:]), 422, "file.not_base64"},
		"base64 wrong at the end":     {with(strings.TrimRight(good, "=") + "?"), 422, "file.not_base64"},
		"base64 of a broken group":    {with(good[:half] + "A"), 422, "file.not_base64"},
		"base64 behind its padding":   {with(good[:half-4] + "QQ==" + good[half:]), 422, "file.not_base64"},
		"the file as a number":        {[]byte(`{"document_base64":7}`), 422, "value.not_string"},
		"the file twice":              {[]byte(`{"document_base64":"` + good + `","document_base64":"` + good + `"}`), 400, "value.duplicate"},
		"the title twice":             {[]byte(`{"document_title":"a","document_base64":"` + good + `","document_title":"b"}`), 400, "value.duplicate"},
		"the title in two cases":      {[]byte(`{"document_title":"a","document_base64":"` + good + `","Document_Title":"b"}`), 400, "value.duplicate"},
		"an address twice":            {[]byte(`{"document_base64":"` + good + `","guest":[{"name":"T","email":"a@example.test","email":"b@example.test","role":"signer"}]}`), 400, "guest[0].email"},
		"no file":                     {[]byte(`{}`), 422, "file.missing"},
		"no object":                   {[]byte(`[]`), 400, "input.malformed"},
		"no JSON":                     {[]byte(`{"document_base64":"` + good + `",}`), 400, "input.malformed"},
		"zeros":                       {make([]byte, 1<<20), 400, "input.malformed"},
		"a hundred thousand deep":     {[]byte(`{"signer":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `,"document_base64":"` + good + `"}`), 400, "input.malformed"},
		"a million signers":           {[]byte(`{"document_base64":"` + good + `","signer":[` + strings.Repeat(`{"number":1},`, 999_999) + `{}]}`), 413, "body.too_large"},
		"fifty thousand signers":      {[]byte(`{"document_base64":"` + good + `","signer":[` + strings.Repeat(`{"role":"signer"},`, 49_999) + `{"role":"signer"}]}`), 422, "participants.too_many"},
		"unknown role":                {people(someone("king", 1)), 422, "role.unknown"},
		"no role":                     {people(someone("", 1)), 422, "role.unknown"},
		"number 0":                    {people(someone("signer", 0)), 422, "number.not_positive"},
		"number past 2^53":            {people(someone("signer", json.Number("9007199254740993"))), 422, "value.not_integer"},
		"number 1.5":                  {people(someone("signer", 1.5)), 422, "value.not_integer"},
		"number past everything":      {people(someone("signer", json.Number("1e999"))), 422, "value.not_integer"},
		"parallel 2":                  {also(object{"parallel": 2}), 422, "value.not_flag"},
		"unknown user":                {people(object{"id": "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01", "name": "X", "role": "signer"}), 422, "participant.unknown"},
		"user of elsewhere":           {people(outsider.as("signer", 1)), 422, "participant.unknown"},
		"user who is no UUID":         {people(object{"id": "'; DROP TABLE users; --", "name": "X", "role": "signer"}), 422, "participant.unknown"},
		"a person twice":              {people(someone("signer", 1), someone("viewer", 2)), 422, "participant.twice"},
		"a guest twice":               {also(object{"guest": []object{guest, guest}}), 422, "participant.twice"},
		"a guest twice, in capitals":  {also(object{"guest": []object{guest, {"name": "T", "email": "TAMU@EXAMPLE.TEST", "role": "viewer"}}}), 422, "participant.twice"},
		"a user who is also a guest":  {also(object{"signer": []object{someone("signer", 1)}, "guest": object{"name": "T", "email": signer.email, "role": "signer"}}), 422, "participant.twice"},
		"a guest with two headers":    {also(object{"guest": object{"name": "T", "email": "x@@y Bcc: z", "role": "signer"}}), 422, "email.malformed"},
		"the second guest's address":  {also(object{"guest": []object{{"name": "U", "email": signer.email, "role": "viewer"}, {"name": "T", "email": "t@", "role": "signer"}}}), 422, "guest[1].email"},
		"letters before the @":        {also(object{"guest": object{"name": "T", "email": "büdi@example.test", "role": "signer"}}), 422, "email.local_not_ascii"},
		"a guest without e-mail":      {also(object{"guest": object{"name": "T", "role": "signer"}}), 422, "text.missing"},
		"title of 256 characters":     {also(object{"document_title": strings.Repeat("é", 256)}), 422, "text.too_long"},
		"file name of 256 characters": {also(object{"filename": strings.Repeat("山", 252) + ".pdf"}), 422, "text.too_long"},
		"expiry in the past":          {also(object{"expired_at": "2020-01-01T00:00:00Z"}), 422, "time.not_future"},
		"expiry that is no time":      {also(object{"expired_at": "besok"}), 422, "value.not_time"},
		"too many pages":              {body(t, pdftest.Table(2001), nil), 422, "document.too_many_pages"},
	} {
		owner.leavesNothing(name, func() {
			a := owner.do("POST", uploadPath, c.body)
			if a.status != c.status || !strings.Contains(string(a.body), `"`+c.code+`"`) {
				t.Errorf("%s: %d, want %d %s: %.300s", name, a.status, c.status, c.code, a.body)
			}
		})
	}
	owner.do("POST", uploadPath, also(object{"document_title": strings.Repeat("山", 255)})).ok()
}
