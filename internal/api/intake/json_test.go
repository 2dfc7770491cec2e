package intake

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

const member = "document_base64"

// noise returns n bytes that look random and are the same every time.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{7}).Read(b)
	return b
}

// refusal returns the refusal in err, or fails.
func refusal(t *testing.T, err error) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("not a refusal: %v", err)
	}
	return e
}

// lift runs the smallest window over a body, so that every token crosses a window boundary somewhere.
func lift(body string, l Limits) (rest, file string, info Info, err error) {
	var sink bytes.Buffer
	r, info, err := splitJSON(strings.NewReader(body), l, &sink, member, 16)
	return string(r), sink.String(), info, err
}

func TestFileIsExtractedFromAnyPosition(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, body, rest, file string }{
		{"alone", `{"document_base64":"QUJD"}`, `{}`, "ABC"},
		{"first", `{"document_base64":"QUJD","a":1}`, `{"a":1}`, "ABC"},
		{"middle", `{"a":1, "document_base64":"QUJD" ,"b":[2]}`, `{"a":1 ,"b":[2]}`, "ABC"},
		{"last", `{"a":1,"document_base64":"QUJD"}`, `{"a":1}`, "ABC"},
		{"blanks", " {\n\t\"document_base64\" : \"QUJD\" , \"a\" : 1 } \r\n", " {\n\t  \"a\" : 1 } \r\n", "ABC"},
		{"absent", `{"a":"x"}`, `{"a":"x"}`, ""},
		{"empty object", `{}`, `{}`, ""},
		{"escaped name", `{"\u0064ocument\u005fbase64":"QUJD"}`, `{}`, "ABC"},
		{"nested is not ours", `{"a":{"document_base64":"QUJD"}}`, `{"a":{"document_base64":"QUJD"}}`, ""},
		{"longer name is not ours", `{"document_base64x":"QUJD"}`, `{"document_base64x":"QUJD"}`, ""},
		{"name of another case is not ours", `{"Document_Base64":"QUJD"}`, `{"Document_Base64":"QUJD"}`, ""},
		{"byte order mark", "\xef\xbb\xbf" + `{"document_base64":"QUJD"}`, `{}`, "ABC"},
		{"null", `{"a":1,"document_base64":null,"b":2}`, `{"a":1,"b":2}`, ""},
		{"null first", `{"document_base64":null,"b":2}`, `{"b":2}`, ""},
		{"numbers stay as they are", `{"n":9007199254740993,"e":1e400,"document_base64":""}`, `{"n":9007199254740993,"e":1e400}`, ""},
		{"quotes and brackets in strings", `{"a":"}]\"{,","document_base64":"QUJD","b":["\\","]"]}`, `{"a":"}]\"{,","b":["\\","]"]}`, "ABC"},
		{"invalid UTF-8 passes as in encoding/json", "{\"a\":\"\xff\"}", "{\"a\":\"\xff\"}", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rest, file, info, err := lift(c.body, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if rest != c.rest || file != c.file {
				t.Errorf("rest %q, file %q; want %q, %q", rest, file, c.rest, c.file)
			}
			if info.Size != int64(len(file)) {
				t.Errorf("info says %d bytes of %d", info.Size, len(file))
			}
		})
	}
}

func TestAnEmptyFileIsPresentAndNullIsNot(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"document_base64":""}`: true, `{"document_base64":"data:;base64,"}`: true,
		`{"document_base64":null}`: false, `{}`: false,
	} {
		if _, _, info, err := lift(body, Limits{}); err != nil || info.Present != want {
			t.Errorf("%s: present %v, error %v", body, info.Present, err)
		}
	}
}

func TestBase64ComesInManySpellings(t *testing.T) {
	t.Parallel()
	// fb ff bf encodes to every character that differs between the alphabets.
	cases := []struct{ name, text, file string }{
		{"standard", `+/+/`, "\xfb\xff\xbf"},
		{"escaped slashes", `+\/+\/`, "\xfb\xff\xbf"},
		{"URL alphabet", `-_-_`, "\xfb\xff\xbf"},
		{"both alphabets", `+_-\/`, "\xfb\xff\xbf"},
		{"unicode escapes", `\u002b\u002F\u002B\u002f`, "\xfb\xff\xbf"},
		{"padded twice", `QQ==`, "A"},
		{"padded once", `QUI=`, "AB"},
		{"padding escaped", `QQ\u003d=`, "A"},
		{"padding missing", `QQ`, "A"},
		{"padding missing, two bytes", `QUI`, "AB"},
		{"line ends", `QU\r\nJD\n`, "ABC"},
		{"bare spaces", ` QU JD `, "ABC"},
		{"tabs", `\tQUJD\t`, "ABC"},
		{"blanks in the padding", `QQ=\n=\n`, "A"},
		{"data URL", `data:application/pdf;base64,QUJD`, "ABC"},
		{"data URL with a name", `data:application/pdf;name=a.pdf;base64,QUJD`, "ABC"},
		{"data URL in capitals", `DATA:application\/pdf;BASE64,QUJD`, "ABC"},
		{"data URL after a blank", `\n data:;base64, QUJD`, "ABC"},
		{"the letters data", `data`, "\x75\xab\x5a"},
		{"less than the letters data", `dat`, "\x75\xab"},
		{"more than the letters data", `dataQUJD`, "\x75\xab\x5aABC"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// Alone, and with so much text around it that the fast mode runs too.
			for _, before := range []int{0, 3, 30, 300} {
				if before > 0 && strings.Contains(strings.ToLower(c.name), "data") {
					continue
				}
				pre := noise(before)
				_, file, _, err := lift(`{"document_base64":"`+base64.StdEncoding.EncodeToString(pre)+c.text+`"}`, Limits{})
				if err != nil || file != string(pre)+c.file {
					t.Fatalf("after %d bytes: %q, %v", before, file, err)
				}
			}
		})
	}
}

func TestEveryWindowAndEveryLengthGivesTheSameFile(t *testing.T) {
	t.Parallel()
	encodings := map[string]func([]byte) string{
		"standard": base64.StdEncoding.EncodeToString,
		"raw URL":  base64.RawURLEncoding.EncodeToString,
		"slashes":  escapeSlashes,
		"lines":    breakLines,
	}
	for name, encode := range encodings {
		for _, n := range []int{0, 1, 2, 3, 4, 47, 48, 49, 1000, 100_001} {
			want := noise(n)
			body := `{"x":[1,{"y":"\""}],"document_base64":"` + encode(want) + `","z":true}`
			for _, size := range []int{16, 17, 61, 4096, windowSize} {
				if n > 50_000 && size < 100 {
					continue
				}
				var sink bytes.Buffer
				rest, _, err := splitJSON(iotest.HalfReader(strings.NewReader(body)), Limits{}, &sink, member, size)
				if err != nil || !bytes.Equal(sink.Bytes(), want) || string(rest) != `{"x":[1,{"y":"\""}],"z":true}` {
					t.Fatalf("%s, %d bytes, window %d: %d bytes, rest %s, %v", name, n, size, sink.Len(), rest, err)
				}
			}
		}
	}
}

func TestFastModeContinuesAfterSlowMode(t *testing.T) {
	t.Parallel()
	var sink bytes.Buffer
	d := newDecoder(&sink, Limits{}.withDefaults(), 64)
	// The second piece shifts the groups, and leaves slashes and a plus to a third piece that is in the URL alphabet
	// alone.
	for _, piece := range []string{"QUJD", "-__-_-_", "_---", "QUJDQQQ"} {
		if err := d.decodeRaw([]byte(piece), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.finishString(0); err != nil {
		t.Fatal(err)
	}
	want, err := base64.RawURLEncoding.DecodeString("QUJD-__-_-__---QUJDQQQ")
	if err != nil || !bytes.Equal(sink.Bytes(), want) {
		t.Errorf("%x, want %x, %v", sink.Bytes(), want, err)
	}
}

// escapeSlashes encodes like PHP.
func escapeSlashes(b []byte) string {
	return strings.ReplaceAll(base64.StdEncoding.EncodeToString(b), "/", `\/`)
}

// breakLines encodes like MIME, within a JSON string.
func breakLines(b []byte) string {
	var out strings.Builder
	for s := base64.StdEncoding.EncodeToString(b); s != ""; {
		n := min(76, len(s))
		out.WriteString(s[:n] + `\r\n`)
		s = s[n:]
	}
	return out.String()
}

func TestABodyCutAnywhereIsRefused(t *testing.T) {
	t.Parallel()
	body := `{"a":[1,"\u00e9"],"document_base64":"QU\/D\u0051UJDQUJDQQ==","b":{"c":null}}`
	if _, _, _, err := lift(body, Limits{}); err != nil {
		t.Fatal(err)
	}
	for i := range len(body) {
		_, _, _, err := lift(body[:i], Limits{})
		e := refusal(t, err)
		if e.Kind != Malformed || e.Offset != int64(i) {
			t.Errorf("cut at %d: kind %d at %d: %v", i, e.Kind, e.Offset, err)
		}
	}
}

func TestWhatIsWrongIsNamedWithItsPlace(t *testing.T) {
	t.Parallel()
	long := base64.StdEncoding.EncodeToString(noise(300))
	lead := `{"document_base64":"`
	cases := []struct {
		name, body string
		kind       Kind
		at         int // -1: not asserted
	}{
		{"nothing", ``, Malformed, 0},
		{"an array", `[{"document_base64":"QUJD"}]`, Malformed, 0},
		{"a string", `"QUJD"`, Malformed, 0},
		{"null body", `null`, Malformed, 0},
		{"UTF-16", "\xff\xfe{\x00}\x00", Malformed, 0},
		{"trailing data", `{"document_base64":"QUJD"} x`, Malformed, 27},
		{"two objects", `{}{}`, Malformed, 2},
		{"trailing comma", `{"a":1,}`, Malformed, 7},
		{"trailing comma behind the member", `{"document_base64":"QUJD",}`, Malformed, 26},
		{"leading comma", `{,"a":1}`, Malformed, 1},
		{"double comma", `{"a":1,,"b":2}`, Malformed, 7},
		{"double comma behind the member", `{"document_base64":"QUJD",,"b":2}`, Malformed, 26},
		{"no comma", `{"document_base64":"QUJD" "b":2}`, Malformed, 26},
		{"no colon", `{"a" 1}`, Malformed, 5},
		{"no value", `{"a":}`, Malformed, 5},
		{"no value of the member", `{"document_base64":}`, Malformed, 19},
		{"bare name", `{a:1}`, Malformed, 1},
		{"misspelt literal", `{"a":nul}`, Malformed, 8},
		{"misspelt literal behind the member", `{"document_base64":"QUJD","a":nul}`, Malformed, 33},
		{"misspelt null", `{"document_base64":nulL}`, Malformed, -1},
		{"number", `{"a":01}`, Malformed, 6},
		{"crossed brackets", `{"a":[}]}`, Malformed, -1},
		{"brace for bracket", `{"a":[1}}`, Malformed, 7},
		{"control character", "{\"a\":\"\n\"}", Malformed, 6},
		{"invalid escape", `{"a":"\x"}`, Malformed, 7},
		{"control character in the file", lead + "QU\nJD\"}", Malformed, 22},
		{"control character far in the file", lead + long + "\r\nQUJD\"}", Malformed, len(lead) + len(long)},
		{"invalid escape in the file", lead + `QU\xJD"}`, Malformed, 22},
		{"half escape in the file", lead + `QU\u00"}`, Malformed, 22},
		{"twice", `{"document_base64":"QUJD","document_base64":"QUJD"}`, Duplicate, 26},
		{"twice, escaped", `{"document_base64":"QUJD","document\u005fbase64":""}`, Duplicate, 26},
		{"twice, once null", `{"document_base64":null,"document_base64":"QUJD"}`, Duplicate, 24},
		{"another case of the file's member", `{"Document_Base64":"QUJD","document_base64":"QUJD"}`, Duplicate, 1},
		{"another member twice", `{"document_base64":"QUJD","filename":"a","filename":"b"}`, Duplicate, 41},
		{"another member twice, escaped", `{"filename":"a","document_base64":"QUJD","file\u006eame":"b"}`, Duplicate, 41},
		{"another member twice, in another case", `{"filename":"a","Filename":"b","document_base64":"QUJD"}`, Duplicate, 16},
		{"a nested member twice", `{"document_base64":"QUJD","signer":[{},{"name":"a","name":"b"}]}`, Duplicate, 51},
		{"number for a string", `{"document_base64":12}`, NotString, 19},
		{"object for a string", `{"document_base64":{"a":1}}`, NotString, 19},
		{"bool for a string", `{"document_base64":true}`, NotString, 19},
		{"wrong at the start", lead + `*UJD"}`, BadBase64, 20},
		{"wrong in the middle", lead + long + `*` + long + `"}`, BadBase64, len(lead) + len(long)},
		{"wrong at the end", lead + long + `*"}`, BadBase64, len(lead) + len(long)},
		{"escaped quote", lead + `QU\"JD"}`, BadBase64, 22},
		{"escaped backslash", lead + `QU\\JD"}`, BadBase64, 22},
		{"escaped quote far in the file", lead + long + `\"JD"}`, BadBase64, len(lead) + len(long)},
		{"form feed", lead + `QU\fJD"}`, BadBase64, 22},
		{"half escape of the first character", lead + `\u004"}`, Malformed, 20},
		{"letter above 7f", lead + "QU\u00e9D\"}", BadBase64, 22},
		{"escaped letter above 7f", lead + `QU\u0141D"}`, BadBase64, 22},
		{"one character too few", lead + `QUJDQ"}`, BadBase64, 25},
		{"padding too early", lead + `Q===QUJD"}`, BadBase64, 21},
		{"padding too long", lead + `QQ==="}`, BadBase64, 24},
		{"padding too short", lead + `QQ="}`, BadBase64, 23},
		{"padding of a whole group", lead + `QUJD="}`, BadBase64, 24},
		{"something behind the padding", lead + `QQ==QUJD"}`, BadBase64, 24},
		{"data URL without comma", lead + `data:application/pdf"}`, BadBase64, -1},
		{"data URL without end", lead + `data:` + strings.Repeat("a", 600) + `"}`, BadBase64, -1},
		{"data URL of text", lead + `data:text/plain,QUJD"}`, BadBase64, -1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rest, _, _, err := lift(c.body, Limits{})
			e := refusal(t, err)
			if e.Kind != c.kind || c.at >= 0 && e.Offset != int64(c.at) || rest != "" {
				t.Errorf("kind %d at %d, rest %q: %v; want kind %d at %d", e.Kind, e.Offset, rest, err, c.kind, c.at)
			}
		})
	}
}

// endless yields prefix and then fill forever, and counts what was read.
type endless struct {
	prefix string
	fill   string
	at     int // in fill
	taken  int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.prefix)
	e.prefix = e.prefix[n:]
	for n < len(p) {
		m := copy(p[n:], e.fill[e.at:])
		n, e.at = n+m, (e.at+m)%len(e.fill)
	}
	e.taken += int64(n)
	return n, nil
}

func TestABodyAboveALimitIsNotReadOn(t *testing.T) {
	t.Parallel()
	l := Limits{File: 1 << 20, Rest: 1 << 20}
	cases := []struct {
		name string
		body *endless
		kind Kind
		most int64 // bytes of the body that may be read, plus one window
	}{
		{"file", &endless{prefix: `{"document_base64":"`, fill: "A"}, TooLarge, 4 << 20 / 3},
		{"escaped file", &endless{prefix: `{"document_base64":"`, fill: `\/`}, TooLarge, 8 << 20 / 3},
		{"blanks in the file", &endless{prefix: `{"document_base64":"`, fill: " "}, RestTooLarge, 1 << 20},
		{"line ends in the file", &endless{prefix: `{"document_base64":"QUJDQUJD`, fill: `\n`}, RestTooLarge, 1 << 20},
		{"blanks before", &endless{fill: " "}, RestTooLarge, 1 << 20},
		{"blanks within", &endless{prefix: `{"a":1`, fill: "\n"}, RestTooLarge, 1 << 20},
		{"blanks behind", &endless{prefix: `{}`, fill: " "}, RestTooLarge, 1 << 20},
		{"name", &endless{prefix: `{"`, fill: "a"}, RestTooLarge, 1 << 20},
		{"string", &endless{prefix: `{"a":"`, fill: "a"}, RestTooLarge, 1 << 20},
		{"number", &endless{prefix: `{"a":`, fill: "1"}, RestTooLarge, 1 << 20},
		{"signers", &endless{prefix: `{"signer":[`, fill: `{"name":"a"},`}, RestTooLarge, 1 << 20},
		{"members", &endless{prefix: `{"a":1`, fill: `,"a":1`}, RestTooLarge, 1 << 20},
		{"brackets", &endless{prefix: `{"a":`, fill: "["}, TooDeep, 0},
		{"objects", &endless{prefix: `{"a":1`, fill: `,"a":{`}, TooDeep, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var sink countingSink
			_, info, err := JSON(c.body, l, &sink, member)
			e := refusal(t, err)
			if e.Kind != c.kind || e.Limit == 0 {
				t.Errorf("kind %d, limit %d: %v", e.Kind, e.Limit, err)
			}
			if c.body.taken > c.most+windowSize+1024 {
				t.Errorf("read %d bytes, %d were enough", c.body.taken, c.most)
			}
			if int64(sink) > l.File || info.Size != int64(sink) {
				t.Errorf("sink got %d bytes, info says %d", sink, info.Size)
			}
		})
	}
}

type countingSink int64

func (c *countingSink) Write(p []byte) (int, error) {
	*c += countingSink(len(p))
	return len(p), nil
}

func TestLimitsAreMetExactly(t *testing.T) {
	t.Parallel()
	file := noise(1000)
	body := func(rest string) string {
		return `{"document_base64":"` + base64.StdEncoding.EncodeToString(file) + `"` + rest + `}`
	}
	if _, _, _, err := lift(body(""), Limits{File: 1000}); err != nil {
		t.Errorf("a file of exactly the limit: %v", err)
	}
	if _, _, _, err := lift(body(""), Limits{File: 999}); refusal(t, err).Kind != TooLarge {
		t.Errorf("a file of one byte more: %v", err)
	}
	nested := func(n int) string {
		return `,"a":` + strings.Repeat("[", n) + strings.Repeat("]", n)
	}
	if _, _, _, err := lift(body(nested(9)), Limits{Depth: 10}); err != nil {
		t.Errorf("nested as deep as allowed: %v", err)
	}
	if _, _, _, err := lift(body(nested(10)), Limits{Depth: 10}); refusal(t, err).Kind != TooDeep {
		t.Errorf("nested deeper than allowed: %v", err)
	}
}

func TestErrorsOfReaderAndSinkComeBackAsTheyAre(t *testing.T) {
	t.Parallel()
	mine := errors.New("mine")
	for i, at := range []string{``, `{`, `{"a`, `{"a":1`, `{"document_base64":"QU`, `{}`} {
		_, _, err := JSON(io.MultiReader(strings.NewReader(at), iotest.ErrReader(mine)), Limits{}, io.Discard, member)
		if !errors.Is(err, mine) {
			t.Errorf("case %d: %v", i, err)
		}
		if _, ok := errors.AsType[*Error](err); ok {
			t.Errorf("case %d: returned as a refusal", i)
		}
	}
	_, info, err := JSON(strings.NewReader(`{"document_base64":"QUJD"}`), Limits{}, failing{mine}, member)
	if !errors.Is(err, mine) || !info.Present || info.Size != 0 {
		t.Errorf("%+v, %v", info, err)
	}
	if _, _, err := JSON(stuck{}, Limits{}, io.Discard, member); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("reader without progress: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// Not parallel: it counts what the whole process allocates.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	for _, size := range []int64{1 << 20, 48 << 20} {
		body := io.MultiReader(
			strings.NewReader(`{"document_base64":"`),
			io.LimitReader(&endless{fill: `AAA\/`}, size/5*5),
			strings.NewReader(`"}`))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, _, err := JSON(body, Limits{}, io.Discard, member); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 512<<10 {
			t.Errorf("%d bytes of body allocated %d", size, n)
		}
	}
}
