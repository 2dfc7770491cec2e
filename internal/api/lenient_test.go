package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"segel/internal/api/intake"
	"segel/internal/contract"
	"segel/internal/workflow"
)

func TestWholeNumbersAreReadInEverySpellingAndNeverRounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		json  string
		value int64
		given bool
		bad   bool
	}{
		{`1207`, 1207, true, false},
		{`"1207"`, 1207, true, false},
		{`" 1207 "`, 1207, true, false},
		{`-3`, -3, true, false},
		{`1.0`, 1, true, false},
		{`1e3`, 1000, true, false},
		{`9007199254740992`, 1 << 53, true, false},
		{`null`, 0, false, false},
		{`9007199254740993`, 0, true, true},
		{`"9007199254740993"`, 0, true, true},
		{`9007199254740993.0`, 0, true, true},
		{`-9007199254740993`, 0, true, true},
		{`1e400`, 0, true, true},
		{`1.5`, 0, true, true},
		{`"0x10"`, 0, true, true},
		{`"1_000"`, 0, true, true},
		{`"Inf"`, 0, true, true},
		{`""`, 0, true, true},
		{`"satu"`, 0, true, true},
		{`true`, 0, true, true},
		{`{}`, 0, true, true},
		{`[1]`, 0, true, true},
	} {
		var n integer
		if err := json.Unmarshal([]byte(c.json), &n); err != nil {
			t.Errorf("%s: %v", c.json, err)
			continue
		}
		if n.given != c.given || n.bad != c.bad || !n.bad && n.value != c.value {
			t.Errorf("%s: got %+v, want %d, given %v, bad %v", c.json, n, c.value, c.given, c.bad)
		}
	}
}

func TestParallelIsZeroOrOneInEverySpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]binary{
		`0`: {given: true}, `1`: {value: true, given: true}, `"0"`: {given: true}, `"1"`: {value: true, given: true},
		`false`: {given: true}, `true`: {value: true, given: true}, `null`: {}, `""`: {},
		`7`: {bad: true}, `"ya"`: {bad: true}, `-1`: {bad: true}, `[]`: {bad: true}, `{}`: {bad: true}, `0.5`: {bad: true},
	} {
		var got binary
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// TestAnUploadMayLeaveOutAlmostEverything covers what a client is allowed to send.
func TestAnUploadMayLeaveOutAlmostEverything(t *testing.T) {
	t.Parallel()
	b64 := base64.StdEncoding.EncodeToString(file1)
	pdf := `"document_base64":"` + b64 + `"`
	for _, c := range []struct {
		name, body string
		want       func(workflow.UploadRequest) bool
	}{
		{"the file alone", `{` + pdf + `}`, func(u workflow.UploadRequest) bool {
			return u.Title == "" && u.Filename == "" && !u.Parallel && len(u.People) == 0 && u.ExpiresAt.IsZero()
		}},
		{"a data URL", `{"document_base64":"data:application/pdf;base64,` + b64 + `"}`, nil},
		{"white space in the base64", `{"document_base64":" ` + b64[:4] + `\r\n` + b64[4:8] + ` ` + b64[8:] + `\n"}`, nil},
		{"no padding", `{"document_base64":"` + strings.TrimRight(b64, "=") + `"}`, nil},
		{"unknown members", `{"x":{"y":[1,2,{"z":null}]},` + pdf + `,"n":9007199254740993}`, nil},
		{"nulls", `{` + pdf + `,"document_title":null,"filename":null,"parallel":null,"signer":null,"guest":null,"expired_at":null}`, nil},
		{"parallel as a string", `{"parallel":"1",` + pdf + `}`, func(u workflow.UploadRequest) bool { return u.Parallel }},
		{"parallel as a boolean", `{` + pdf + `,"parallel":true}`, func(u workflow.UploadRequest) bool { return u.Parallel }},
		{"missing numbers", `{` + pdf + `,"signer":[{"role":"signer"},{"role":"viewer"}],"guest":[{"role":"signer"}]}`, func(u workflow.UploadRequest) bool {
			return len(u.People) == 3 && u.People[0].Number == 1 && u.People[1].Number == 2 && u.People[2].Number == 1 && u.People[2].Guest
		}},
		{"numbers as strings", `{` + pdf + `,"signer":[{"role":"signer","number":"4"}]}`, func(u workflow.UploadRequest) bool { return u.People[0].Number == 4 }},
		{"one guest object", `{` + pdf + `,"guest":{"name":"Budi","email":" budi@contoh.id ","phone":"+62811","role":"viewer","number":"2"}}`, func(u workflow.UploadRequest) bool {
			return len(u.People) == 1 && u.People[0] == workflow.PersonRequest{Name: "Budi", Email: "budi@contoh.id", Phone: "+62811", Role: contract.Viewer, Number: 2, Guest: true}
		}},
		{"an identifier in capitals", `{` + pdf + `,"signer":[{"id":"8F14E45F-CEEA-467F-A0E6-1B1F0C8D3A01","role":"signer"}]}`, func(u workflow.UploadRequest) bool { return u.People[0].ID == siti.ID }},
		{"a time to expire", `{` + pdf + `,"expired_at":"2027-01-31T17:00:00+07:00"}`, func(u workflow.UploadRequest) bool { return formatISO(u.ExpiresAt) == "2027-01-31T10:00:00.000Z" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var in uploadIn
			if err := decodeObject([]byte(c.body), &in); err != nil {
				t.Fatal(err)
			}
			caller := &call{server: &server{Options: Options{}.withDefaults()}}
			u, err := caller.uploadRequest(&in, jsonFormat, intake.Info{Present: true})
			if err != nil {
				t.Fatal(err)
			}
			if c.want != nil && !c.want(u) {
				t.Errorf("uploaded %+v", u)
			}
			b := newBench(t, contract.Document{})
			w := b.ask("POST", sBase+"upload-docs-base64", c.body, "Content-Type", "")
			if strings.Contains(c.body, `"role":`) {
				status := http.StatusUnprocessableEntity // the rule accepts only people who are named
				if strings.Contains(c.body, `"id":`) || strings.Contains(c.body, `"email":`) {
					status = http.StatusOK
				}
				if w.Code != status {
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
				return
			}
			requireOK[done[uploadData]](t, w)
			if got := b.ask("GET", dBase+"original/1207", "").Body.Bytes(); !bytes.Equal(got, file1) {
				t.Errorf("stored %q", got)
			}
		})
	}
}

// TestWhatIsWrongIsNamed lists invalid inputs with the members that the refusal names.
func TestWhatIsWrongIsNamed(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	crowd := `{"document_id":1207,"signer":[` + strings.TrimSuffix(strings.Repeat(`{},`, 1_000_000), ",") + `]}`
	for _, c := range []struct {
		name, path, body string
		status           int
		code             string
		fields           []string
	}{
		{"no file", "upload-docs-base64", `{}`, 422, "input.invalid", []string{"document_base64"}},
		{"no body", "upload-docs-base64", ``, 400, "input.malformed", nil},
		{"broken JSON", "upload-docs-base64", `{"document_title": "x", `, 400, "input.malformed", nil},
		{"no object", "upload-docs-base64", `[]`, 400, "input.malformed", nil},
		{"broken base64", "upload-docs-base64", `{"document_base64":"@@@@"}`, 422, "input.invalid", []string{"document_base64"}},
		{"the file as a number", "upload-docs-base64", `{"document_base64":5}`, 422, "input.invalid", []string{"document_base64"}},
		{"depth", "upload-docs-base64", `{"x":` + deep + `}`, 400, "input.malformed", nil},
		{"everything at once", "upload-docs-base64", `{"document_title":5,"filename":[],"parallel":2,"expired_at":"besok","signer":[{"name":{},"role":"signer","number":"x"},7],"guest":3}`, 422, "input.invalid",
			[]string{"document_base64", "document_title", "filename", "parallel", "signer[0].name", "signer[0].number", "signer[1]", "signer[1].role", "guest", "expired_at"}},
		{"a number past 2^53", "finalize-docs", `{"document_id":9007199254740993}`, 422, "input.invalid", []string{"document_id"}},
		{"a member twice", "finalize-docs", `{"document_id":1207,"document_id":1208}`, 400, "input.malformed", []string{"document_id"}},
		{"a member in two cases", "finalize-docs", `{"document_id":1207,"Document_ID":1208}`, 400, "input.malformed", []string{"Document_ID"}},
		{"a member that is ignored, twice", "finalize-docs", `{"document_id":1207,"x":{"y":1,"y":1}}`, 400, "input.malformed", []string{"x.y"}},
		{"a member of an entry twice", "placement-docs", `{"document_id":1207,"signers":[{"page":1,"emet":{"llx":1,"llx":2}}]}`, 400, "input.malformed", []string{"signers[0].emet.llx"}},
		{"a member twice beside a file", "upload-docs-base64", `{"filename":"a","document_base64":"QUJD","filename":"b"}`, 400, "input.malformed", []string{"filename"}},
		{"the file twice", "upload-docs-base64", `{"document_base64":"QUJD","document_base64":"QUJD"}`, 400, "input.malformed", []string{"document_base64"}},
		{"more members than there may be", "finalize-docs", `{"document_id":1207,"x":{` + manyMembers(1001) + `}}`, 400, "input.malformed", []string{"x.1000"}},
		{"no document", "finalize-docs", ``, 422, "input.invalid", []string{"document_id"}},
		{"a list for a body", "finalize-docs", `[1207]`, 400, "input.malformed", nil},
		{"something behind the body", "finalize-docs", `{"document_id":1207} x`, 400, "input.malformed", nil},
		{"depth of a small body", "finalize-docs", `{"x":` + deep + `}`, 400, "input.malformed", nil},
		{"a digest that is none", "sign-docs", `{"document_id":1207,"digest":"xyz"}`, 422, "input.invalid", []string{"digest"}},
		{"a million participants", "participants-docs", crowd, 422, "input.invalid", []string{"signer"}},
		{"no person for a link", "guest-link-docs", `{"document_id":1207}`, 422, "input.invalid", []string{"user_id"}},
		{"no person whose link is revoked", "guest-revoke-docs", `{"document_id":1207}`, 422, "input.invalid", []string{"user_id"}},
		{"placements of all kinds", "placement-docs", `{"document_id":1207,"signers":[{"page":1.5,"emet":{"urx":"1"},"props":{"x":1e999},"type":5,"documentSize":{"width":1}},{"page":1,"props":7,"type":"emet"},{"type":"sign","sign":{"urx":1},"page":1}]}`, 422, "input.invalid",
			[]string{"signers[1]", "signers[0].type", "signers[0].page", "signers[0].emet.lly", "signers[0].emet.llx", "signers[0].emet.urx", "signers[0].emet.ury", "signers[0].props.x", "signers[0].props.y", "signers[0].props.w", "signers[0].props.h", "signers[0].documentSize.height", "signers[2].sign.llx", "signers[2].sign.lly", "signers[2].sign.ury"}},
		{"placements that are no list", "placement-docs", `{"document_id":1207,"signers":{}}`, 422, "input.invalid", []string{"signers"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, draft())
			w := b.ask("POST", sBase+c.path, c.body)
			f := refused(t, w, c.status, c.code)
			named := map[string]bool{}
			for _, p := range f.Error.Fields {
				named[p.Field] = true
				if p.Msg == "" || strings.Contains(p.Msg, p.Code) {
					t.Errorf("%s: no message for %s", p.Field, p.Code)
				}
			}
			for _, field := range c.fields {
				if !named[field] {
					t.Errorf("%s is not named: %s", field, w.Body)
				}
			}
			if c.fields == nil && len(named) > 0 {
				t.Errorf("fields are named: %s", w.Body)
			}
			if n := b.countBlobs(); n != 1 {
				t.Errorf("%d staged files were left behind", n-1)
			}
			for _, call := range b.store.asked() {
				if call != "DocumentFor" && call != "Document" { // the check of access is allowed
					t.Errorf("the workflow was called: %s", call)
				}
			}
		})
	}
}

// manyMembers returns the inside of an object with n members.
func manyMembers(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"%d":0`, i)
	}
	return strings.Join(all, ",")
}

// refused checks the envelope of a refusal and returns it.
func refused(t *testing.T, w interface {
	Header() http.Header
	Result() *http.Response
}, status int, code string) failure {
	t.Helper()
	r := w.Result()
	var f failure
	if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
		t.Fatalf("status %d: no envelope: %v", r.StatusCode, err)
	}
	if r.StatusCode != status || f.Code != status || f.Success || f.Msg == "" || f.Message != f.Msg || f.Error.Code != code || f.Error.RequestID == "" || f.Error.Fields == nil {
		t.Fatalf("got %d %+v, want %d %s", r.StatusCode, f, status, code)
	}
	if h := r.Header.Get("Retry-After"); (status == 429 || status == 503) != (h != "") {
		t.Errorf("status %d with Retry-After %q", status, h)
	}
	return f
}

// TestCallerWithoutAccessLearnsNothingAboutTheirInput: to them the document does not exist, whichever verb they call.
func TestCallerWithoutAccessLearnsNothingAboutTheirInput(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, o := range Operations() {
		if o.Document == "" || o.Method != http.MethodPost || o.Many { // a list is read before any of its documents
			continue
		}
		for _, body := range []string{`{"document_id":1207}`, `{"document_id":1207,"signers":5,"signer":5,"reason":5,"digest":5,"user_id":5,"stamp_only":5}`} {
			refused(t, b.ask(o.Method, strings.Replace(o.Path, "{service}", "x", 1), body, "X-Access-Token", "elsewhere"), 404, "document.not_found")
		}
	}
}

func TestAPlacementIsReadFromItsOddSpelling(t *testing.T) {
	t.Parallel()
	placed, _ := readPlacements(t, placeBody)
	stamp, signature := placed[0], placed[1]
	if stamp.Kind != contract.PlaceStamp || stamp.Page != 1 || stamp.Person != siti.ID || stamp.Sign != nil ||
		*stamp.Emet != (contract.Box{LLX: 306, LLY: 342, URX: 360, URY: 396}) || *stamp.Props != (contract.Props{X: 306, Y: 396.5, W: 54, H: 54}) ||
		stamp.Drawn != (contract.PageSize{Width: 612, Height: 792}) {
		t.Errorf("stamp %+v", stamp)
	}
	if signature.Person != "" || signature.Email != "SITI@contoh.id" || signature.Emet != nil || signature.Props != nil || *signature.Sign != (contract.Box{LLX: 100, LLY: 100, URX: 200, URY: 200}) {
		t.Errorf("signature %+v", signature)
	}
}

// TestWhatStandsInSignIsOnlyABoxWhereItHasCorners: clients send pictures and flags in sign too.
func TestWhatStandsInSignIsOnlyABoxWhereItHasCorners(t *testing.T) {
	t.Parallel()
	for _, v := range []string{`""`, `"data:image/png;base64,xx"`, `true`, `0`, `{}`, `{"image":"x"}`, `[1]`} {
		body := `{"document_id":1207,"signers":[{"page":1,"type":"sign","user":{"userid":"` + string(siti.ID) + `"},"sign":` + v + `,"emet":{"llx":100,"lly":100,"urx":200,"ury":200}}]}`
		if placed, _ := readPlacements(t, body); placed[0].Sign != nil {
			t.Errorf("%s: %+v", v, placed[0].Sign)
		}
		w := newBench(t, draft()).ask("POST", sBase+"placement-docs", body)
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"sign":`+v) {
			t.Errorf("%s: %d %s", v, w.Code, w.Body)
		}
	}
}

// readPlacements reads the placements of a body as the handler does.
func readPlacements(t *testing.T, body string) ([]contract.PlaceRequest, placeIn) {
	t.Helper()
	var in placeIn
	var bad problems
	err := decodeObject([]byte(body), &in)
	list := in.placeRequests(500, &bad)
	if err := errors.Join(err, bad.asError()); err != nil {
		t.Fatal(err)
	}
	return list, in
}

func TestADigestOfZerosIsNotTakenForNone(t *testing.T) {
	t.Parallel()
	var bad problems
	if parseDigest(phrase{value: strings.Repeat("0", 64)}, &bad) == ([32]byte{}) || len(bad) > 0 {
		t.Error("the workflow gets no digest")
	}
	if parseDigest(phrase{}, &bad) != ([32]byte{}) || len(bad) > 0 {
		t.Error("a digest although none was given")
	}
	b := finalized(t)
	w := b.ask("POST", sBase+"sign-docs", `{"document_id":1207,"digest":"`+strings.Repeat("0", 64)+`"}`, "X-Access-Token", "signer")
	if w.Code != http.StatusConflict {
		t.Errorf("a revision with another digest was signed: %d %s", w.Code, w.Body)
	}
	requireOK[done[verbData]](t, b.ask("POST", sBase+"sign-docs", `{"document_id":1207}`, "X-Access-Token", "signer"))
}

func TestPictureOfASignatureIsCheckedBeforeAnythingIsSigned(t *testing.T) {
	t.Parallel()
	var line, block bytes.Buffer
	m := image.NewAlpha(image.Rect(0, 0, 60, 20))
	for x := 5; x < 55; x++ {
		m.SetAlpha(x, 10, color.Alpha{255})
		m.SetAlpha(x, 11, color.Alpha{255})
	}
	if err := errors.Join(png.Encode(&line, m), png.Encode(&block, image.NewGray(image.Rect(0, 0, 60, 20)))); err != nil {
		t.Fatal(err)
	}
	good := base64.StdEncoding.EncodeToString(line.Bytes())
	for _, test := range []struct {
		specimen string
		status   int
		given    bool
	}{
		{good, 200, true},
		{"data:image/png;base64," + good, 200, true},
		{"", 200, false},
		{"not base64!", 422, false},
		{base64.StdEncoding.EncodeToString([]byte("GIF89a")), 415, false},
		{base64.StdEncoding.EncodeToString(make([]byte, 1<<20+1)), 413, false},
		{base64.StdEncoding.EncodeToString(block.Bytes()), 422, false},
	} {
		var bad problems
		if p := parsePicture(phrase{value: test.specimen}, "specimen", &bad); test.status == 200 && (len(p) > 0) != test.given {
			t.Errorf("%.30s: the workflow is given %d bytes", test.specimen, len(p))
		}
		b := finalized(t)
		w := b.ask("POST", sBase+"sign-docs", `{"document_id":1207,"specimen":"`+test.specimen+`"}`, "X-Access-Token", "signer")
		d := b.document(1207)
		if w.Code != test.status || d.HasSigned(*d.Participant(siti.ID)) != (test.status == 200) {
			t.Errorf("%.30s: %d %s", test.specimen, w.Code, w.Body)
		}
	}
}
