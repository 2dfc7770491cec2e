package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"segel/internal/contract"
)

func TestPlacementThatIsWrongIsRefusedAndLeavesTheDraft(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer, viewer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", ""), s.person(t, "Peninjau", "")
	id := owner.upload(simple(), signer.as("signer", 1), viewer.as("viewer", 2))
	owner.place(id, signer.at("sign", 10, 10, 90, 50)).ok()
	before, err := s.store.Document(t.Context(), docID(id))
	if err != nil {
		t.Fatal(err)
	}
	with := func(entry object, path string, v any) object {
		if member, inner, ok := strings.Cut(path, "."); ok {
			entry[member].(object)[inner] = v
			return entry
		}
		entry[path] = v
		return entry
	}
	stamp := func() object { return owner.at("emet", 100, 100, 160, 160) }
	sign := func() object { return signer.at("sign", 100, 100, 260, 160) }
	props := func(x, y, w, h any) object {
		return object{"page": 1, "type": "sign", "user": object{"userid": signer.id}, "props": object{"x": x, "y": y, "w": w, "h": h}}
	}
	for name, c := range map[string]struct {
		entry object
		field string
		code  string
	}{
		"left of the page":           {with(sign(), "emet.llx", -50), "signers[0].emet", "placement.off_page"},
		"above the page":             {with(sign(), "emet.ury", 900), "signers[0].emet", "placement.off_page"},
		"far from the page":          {signer.at("sign", 1e6, 1e6, 2e6, 2e6), "signers[0].emet", "placement.off_page"},
		"at the end of numbers":      {signer.at("sign", -1e308, -1e308, 1e308, 1e308), "signers[0].emet", "placement.off_page"},
		"past the end of numbers":    {with(sign(), "emet.urx", json.Number("1e999")), "signers[0].emet.urx", "value.not_number"},
		"a corner that is NaN":       {with(sign(), "emet.urx", "NaN"), "signers[0].emet.urx", "value.not_number"},
		"a corner that is text":      {with(sign(), "emet.urx", "100"), "signers[0].emet.urx", "value.not_number"},
		"a corner that is missing":   {with(sign(), "emet.urx", nil), "signers[0].emet.urx", "value.required"},
		"no width":                   {with(sign(), "emet.urx", 100), "signers[0].emet", "placement.no_area"},
		"props off the page":         {props(500, 10, 200, 50), "signers[0].props", "placement.off_page"},
		"props without height":       {props(10, 10, 50, 0), "signers[0].props", "placement.no_area"},
		"props of negative width":    {props(100, 10, -50, 50), "signers[0].props", "placement.no_area"},
		"props past all numbers":     {props(1e308, 1e308, 1e308, 1e308), "signers[0].props", "placement.no_area"},
		"drawn on no size":           {with(props(1e300, 0, 1e300, 1), "documentSize", object{"width": 1e-300, "height": 1}), "signers[0].props", "placement.no_area"},
		"a box of half a millimetre": {with(sign(), "emet.urx", 101.4), "signers[0].emet", "placement.too_small"},
		"no box at all":              {with(sign(), "emet", nil), "signers[0].emet", "placement.no_area"},
		"page 0":                     {with(sign(), "page", 0), "signers[0].page", "placement.no_such_page"},
		"page -1":                    {with(sign(), "page", -1), "signers[0].page", "placement.no_such_page"},
		"page 3 of 2":                {with(sign(), "page", 3), "signers[0].page", "placement.no_such_page"},
		"page 2^31":                  {with(sign(), "page", 1<<31), "signers[0].page", "placement.no_such_page"},
		"page past 2^53":             {with(sign(), "page", json.Number("9007199254740993")), "signers[0].page", "value.not_integer"},
		"page 1.5":                   {with(sign(), "page", 1.5), "signers[0].page", "value.not_integer"},
		"no page":                    {with(sign(), "page", nil), "signers[0].page", "value.required"},
		"unknown type":               {with(sign(), "type", "cap"), "signers[0].type", "placement.unknown_type"},
		"another person":             {with(sign(), "user", object{"userid": "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"}), "signers[0].user", "placement.stranger"},
		"without a user id":          {with(sign(), "user", object{}), "signers[0].user", "placement.stranger"},
		"signature of a viewer":      {viewer.at("sign", 10, 10, 90, 50), "signers[0].user", "placement.stranger"},
		"signature of the owner":     {owner.at("sign", 10, 10, 90, 50), "signers[0].user", "placement.stranger"},
		"a stamp too small":          {with(stamp(), "emet.ury", 139), "signers[0].emet", "placement.stamp_size"},
		"a stamp too large":          {owner.at("emet", 100, 100, 301, 301), "signers[0].emet", "placement.stamp_size"},
	} {
		a := owner.place(id, c.entry).is(http.StatusUnprocessableEntity, "input.invalid")
		if f := fields(a); f[c.field] != c.code {
			t.Errorf("%s: %v, want %s: %s", name, f, c.field, c.code)
		}
	}
	many := make([]object, 501)
	for i := range many {
		many[i] = sign()
	}
	owner.place(id, many...).is(http.StatusUnprocessableEntity, "placements.too_many")
	many = many[:51]
	for i := range many {
		many[i] = stamp()
	}
	owner.place(id, many...).is(http.StatusUnprocessableEntity, "stamps.too_many")
	owner.do("POST", signPath+"placement-docs", []byte(fmt.Sprintf(`{"document_id":%d,"signers":[{"page":NaN}]}`, id))).is(http.StatusBadRequest, "input.malformed")

	after, err := s.store.Document(t.Context(), docID(id))
	if err != nil {
		t.Fatal(err)
	}
	if after.Version != before.Version || len(after.Placements) != 1 {
		t.Errorf("the draft is now %+v", after)
	}
}

// fields returns the error of each member in an answer.
func fields(a *answer) map[string]string {
	all := map[string]string{}
	for _, f := range a.object("error")["fields"].([]any) {
		all[f.(object)["field"].(string)] = f.(object)["code"].(string)
	}
	return all
}

func TestACrowdOfOneVerbTakesTheQuotaOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	id := owner.upload(simple(), signer.as("signer", 1))
	owner.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
	crowd := func(c *client, verb string) map[int]int {
		answers, seen := make(chan *answer), map[int]int{}
		for range 8 {
			go func() { answers <- c.verb(verb, id) }()
		}
		for range 8 {
			seen[(<-answers).status]++
		}
		return seen
	}
	if seen := crowd(owner, "finalize-docs"); seen[http.StatusOK] != 8 {
		t.Errorf("finalize: %v", seen)
	}
	if seen := crowd(signer, "sign-docs"); seen[http.StatusOK] != 1 || seen[http.StatusConflict] != 7 {
		t.Errorf("sign: %v", seen)
	}
	owner.completed(id)
	if b := owner.stored().Balance; b["emet"] != 999.0 || b["esgn"] != 999.0 {
		t.Errorf("balance %v", b)
	}
	if n := soundSignatures(t, owner.download(id)); n != 4 {
		t.Errorf("%d signatures", n)
	}
	// One draft, and eight clients that delete, finalize or change it: the first one wins, and the result is consistent.
	id = owner.upload(simple(), signer.as("signer", 1))
	answers := make(chan *answer)
	for i := range 8 {
		go func() {
			switch i % 2 {
			case 0:
				answers <- owner.do("DELETE", fmt.Sprint(documentPath, id), nil)
			case 1:
				answers <- owner.verb("finalize-docs", id)
			}
		}()
	}
	for range 8 {
		if a := <-answers; a.status != http.StatusOK && a.status != http.StatusConflict && a.status != http.StatusNotFound {
			t.Errorf("%s: %d: %.300s", a.what, a.status, a.body)
		}
	}
	fsck(t, s, 0)
}

// TestTwoProcessesThatFinalizeOneDocumentLeaveNoFileBehind shares no lock between the two: only the database decides.
func TestTwoProcessesThatFinalizeOneDocumentLeaveNoFileBehind(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data, idle: true}.start(t)
	other := serve(t, data)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	for range 10 {
		id := owner.upload(simple(), signer.as("signer", 1))
		answers := make(chan *answer)
		for _, c := range []*client{owner, owner.on(other.service)} {
			go func() { answers <- c.verb("finalize-docs", id) }()
		}
		for range 2 {
			(<-answers).ok()
		}
	}
	known := map[string]bool{}
	if err := s.store.Files(t.Context(), func(f contract.File) bool { known[f.Key] = true; return true }); err != nil {
		t.Fatal(err)
	}
	final, unfinished := blobs(t, s)
	if len(known) != 20 || len(final) != 20 || len(unfinished) != 0 {
		t.Errorf("%d files are known, %d stand, %d are unfinished", len(known), len(final), len(unfinished))
	}
	if b := owner.stored().Balance; b["esgn"] != 990.0 {
		t.Errorf("balance %v", b)
	}
}

func TestNumbersThatNameNoDocumentAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	owner.upload(simple()) // number 1
	for _, id := range []string{"0", "-1", "2", "9007199254740993", "18446744073709551617", "1e0", "1.0", "%201", "+1", "0x1", "satu", "1%00", "..%2F1"} {
		for _, what := range []string{"status", "detail", "preview", "download"} {
			if a := owner.do("GET", documentPath+what+"/"+id, nil); a.status != http.StatusNotFound {
				t.Errorf("%s of %s: %d: %.200s", what, id, a.status, a.body)
			}
		}
	}
	for id, want := range map[string]int{
		"0": 404, "-1": 404, "2": 404, "9007199254740991": 404, "9007199254740993": 422, "1e400": 422, "1.5": 422,
		`"satu"`: 422, `""`: 422, "[1]": 422, "true": 422, "null": 422,
	} {
		if a := owner.do("POST", signPath+"finalize-docs", []byte(`{"document_id":`+id+`}`)); a.status != want {
			t.Errorf("document_id %s: %d, want %d: %.200s", id, a.status, want, a.body)
		}
	}
}

func TestAnyFileNameBecomesHarmless(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	for given, want := range map[string]string{
		"../../etc/passwd":                      "passwd.pdf",
		`..\..\windows\system.ini`:              "system.pdf",
		"/":                                     "dokumen.pdf",
		"..":                                    "dokumen.pdf",
		"a\r\nSet-Cookie: x=1.pdf":              "a Set-Cookie: x=1.pdf",
		"a\x00b\x1b[31m.pdf":                    "ab[31m.pdf",
		`ku"tip"; filename=lain.exe.pdf`:        `ku"tip"; filename=lain.exe.pdf`,
		"\u202efdp.exe":                         "fdp.pdf",
		"kontrak\u2066\u200f.pdf":               "kontrak.pdf",
		"perjanjian sewa 山田 – final.PDF":        "perjanjian sewa 山田 – final.PDF",
		"%2e%2e%2f.pdf":                         "%2e%2e%2f.pdf",
		strings.Repeat("n", 251) + ".pdf":       strings.Repeat("n", 251) + ".pdf",
		"\xff\xfe.pdf":                          ".pdf",
		"<script>alert('x')</script>.pdf":       "script>.pdf",
		" spasi   di mana-mana .pdf\u2028baris": "spasi di mana-mana .pdf",
	} {
		in := body(t, simple(), object{"filename": given})
		if !utf8.ValidString(given) { // json.Marshal has replaced it
			in = bytes.Replace(in, []byte(`\ufffd\ufffd`), []byte(given[:2]), 1)
		}
		id := int64(owner.do("POST", uploadPath, in).ok().object("response", "data")["document_id"].(float64))
		harmlessName(t, owner.get("original", id).ok().header)
		if got := harmlessName(t, owner.get("preview", id).ok().header); got != want {
			t.Errorf("%q is named %q, want %q", given, got, want)
		}
	}

	in := body(t, simple(), object{"filename": "../\r\nX: \"山\u202e.pdf"})
	id := int64(owner.do("POST", uploadPath, in).ok().object("response", "data")["document_id"].(float64))
	owner.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
	owner.verb("finalize-docs", id).ok()
	owner.completed(id)
	if got, want := harmlessName(t, owner.get("download", id).ok().header), `SPESIMEN-X_ _山-signed.pdf`; got != want {
		t.Errorf("the download is named %q, want %q", got, want)
	}
}

// harmlessName returns the name under which a browser would save an answer.
func harmlessName(t *testing.T, h http.Header) string {
	t.Helper()
	d := h["Content-Disposition"]
	if len(d) != 1 || len(h["Set-Cookie"]) != 0 || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("header %v", h)
	}
	if strings.ContainsFunc(d[0], func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("header %q", d[0])
	}
	_, p, err := mime.ParseMediaType(d[0])
	if err != nil {
		t.Errorf("header %q: %v", d[0], err)
	}
	name := p["filename"]
	if name != filepath.Base(name) || strings.ContainsFunc(name, unicode.IsControl) || name != contract.CleanText(name) {
		t.Errorf("name %q", name)
	}
	return name
}

func TestAnIdempotencyKeyMakesOneDocumentOfManyRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	b := body(t, simple(), nil)
	send := func(b []byte, key string) *answer { return owner.do("POST", uploadPath, b, "Idempotency-Key", key) }

	const crowd = 20
	answers := make(chan *answer)
	for range crowd {
		go func() { answers <- send(b, "satu") }()
	}
	made := map[float64]bool{}
	for range crowd {
		a := <-answers
		if a.status == http.StatusConflict {
			a.is(http.StatusConflict, "idempotency.running")
			continue
		}
		made[a.ok().object("response", "data")["document_id"].(float64)] = true
	}
	if len(made) != 1 {
		t.Errorf("documents %v", made)
	}
	first := send(b, "satu").ok()
	if second := send(b, "satu").ok(); string(first.body) != string(second.body) || second.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("repeated: %s, before: %s", second.body, first.body)
	}
	owner.leavesNothing("a key used for another body", func() {
		send(body(t, simple(), object{"document_title": "Lain"}), "satu").is(http.StatusConflict, "idempotency.conflict")
	})
	owner.leavesNothing("a refusal and its repeat", func() {
		bad := []byte(`{"document_base64":"UGVyamFuamlhbg=="}`)
		send(bad, "dua").is(http.StatusUnsupportedMediaType, "file.unsupported")
		if a := send(bad, "dua").is(http.StatusUnsupportedMediaType, "file.unsupported"); a.header.Get("Idempotent-Replayed") != "true" {
			t.Error("the refusal was made anew")
		}
		send(b, strings.Repeat("k", 256)).is(http.StatusUnprocessableEntity, "idempotency.malformed")
	})
	if n := owner.stored(); n.Documents != 1 || len(n.Blobs) != 1 || len(n.Unfinished) != 0 {
		t.Errorf("%+v", n)
	}
	// The same key of another person is a different key.
	other := s.person(t, "Orang Lain", "")
	if a := other.do("POST", uploadPath, b, "Idempotency-Key", "satu").ok(); a.header.Get("Idempotent-Replayed") != "" {
		t.Error("a key was shared")
	}
}
