package pdf

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func parseText(s string) (Object, error) {
	l := Limits{}.Defaults(0)
	return newParser(newBytesLexer([]byte(s), 0), l).parseObject()
}

func TestObjectsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Object{
		"null ":                           Null{},
		"true":                            Boolean(true),
		"-17":                             Integer(-17),
		"+3":                              Integer(3),
		"4.":                              Real(4),
		"-.5":                             Real(-0.5),
		".":                               Real(0),
		"99999999999999999999":            Real(1e20),
		"/A#20b#zz":                       Name("A b#zz"),
		"/":                               Name(""),
		"(a\\(b\\)(c)\\n\\101\\7\\\r\nd)": String{Bytes: []byte("a(b)(c)\nA\ad")},
		"(a\r\nb\rc)":                     String{Bytes: []byte("a\nb\nc")},
		"<48 65 6>":                       String{Bytes: []byte("He`"), Hex: true},
		"[1 2 0 R 3 R/N<>]":               nil,
		"[1 2 0 R 3/N(x)]":                Array{Integer(1), Ref{Number: 2}, Integer(3), Name("N"), String{Bytes: []byte("x")}},
		"[1 2 3 0 R]":                     Array{Integer(1), Integer(2), Ref{Number: 3}},
		"<</A 1/B null/C<</D[]>>>>":       Dict{"A": Integer(1), "C": Dict{"D": Array{}}},
		"<< /A 1 % comment >>\n /B 2>>":   Dict{"A": Integer(1), "B": Integer(2)},
		"<</A 1 2>>":                      nil,
		"<</A>>":                          nil,
		"(open":                           nil,
		"<4x>":                            nil,
		">":                               nil,
		"]":                               nil,
		"":                                nil,
		"word":                            nil,
	} {
		got, err := parseText(in)
		if want == nil {
			if err == nil {
				t.Errorf("%q reads as %v", in, got)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(clearRanges(got), want) {
			t.Errorf("%q reads as %#v, %v", in, got, err)
		}
	}
}

func TestNestingIsLimited(t *testing.T) {
	t.Parallel()
	if _, err := parseText(strings.Repeat("[", 101) + strings.Repeat("]", 101)); !IsFault(err) {
		t.Errorf("101 arrays deep: %v", err)
	}
	if _, err := parseText(strings.Repeat("[", 99) + strings.Repeat("]", 99)); err != nil {
		t.Errorf("99 arrays deep: %v", err)
	}
}

func TestWrittenObjectsReadBack(t *testing.T) {
	t.Parallel()
	for _, o := range []Object{
		Integer(-9), Real(0.1), Real(-1234.5678), Real(1e-7), Name("a#b c/\xff"), Name(""),
		String{Bytes: []byte("()\\\r\n\t")}, String{Bytes: []byte{0, 255}, Hex: true},
		Array{Name("A"), Ref{Number: 3, Generation: 1}, Dict{"K": Array{}}},
	} {
		w := &writer{}
		if err := w.writeObject(o); err != nil {
			t.Fatal(err)
		}
		got, err := parseText(string(w.buf))
		if err != nil || !reflect.DeepEqual(clearRanges(got), o) {
			t.Errorf("%#v is written %q and reads %#v, %v", o, w.buf, got, err)
		}
	}
}

func TestEveryFiniteNumberReadsBack(t *testing.T) {
	t.Parallel()
	for _, f := range []float64{
		1e128, -1e128, math.MaxFloat32, math.SmallestNonzeroFloat32, math.MaxFloat64, -math.MaxFloat64,
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, -2.2250738585072014e-308, -1.7976931348623157e+308 / 3,
	} {
		w := &writer{}
		if err := w.writeObject(Real(f)); err != nil {
			t.Fatal(err)
		}
		if o, err := newParser(newBytesLexer(w.buf, 0), Limits{}.Defaults(0)).parseObject(); err != nil || o != Object(Real(f)) {
			t.Errorf("%g is read as %v, %v", f, o, err)
		}
	}
	for digits, want := range map[int]bool{127: true, 128: true, 309: false, 1000: false} {
		o, err := newParser(newBytesLexer(bytes.Repeat([]byte("9"), digits), 0), Limits{}.Defaults(0)).parseObject()
		if (err == nil) != want {
			t.Errorf("%d digits are read as %v, %v", digits, o, err)
		}
	}
}

func TestTextOfOneByteIsThatOfTheByteBesideOthers(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		alone, beside := String{Bytes: []byte{byte(c)}}.Text(), String{Bytes: []byte{0x80, byte(c)}}.Text()
		if want := strings.TrimPrefix(beside, "\u2022"); alone != want {
			t.Errorf("%#x is %q, not %q", c, alone, want)
		}
	}
}

func TestTextStringsReadBack(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "Budi (Direktur)", "tanda tangan ✓", "emoji 🙂", "a\tb\nc"} {
		if got := TextString(s).Text(); got != s {
			t.Errorf("%q reads back as %q", s, got)
		}
	}
	for in, want := range map[string]string{
		"\xef\xbb\xbfgr\xc3\xbc\xc3\x9fe": "grüße",
		"\xff\xfeA\x00":                   "A",
		"caf\xe9 \xa0 \x84":               "café € —",
	} {
		if got := (String{Bytes: []byte(in)}).Text(); got != want {
			t.Errorf("%q reads %q, want %q", in, got, want)
		}
	}
}

func TestSlotsArePacked(t *testing.T) {
	t.Parallel()
	var s slots
	s.setIfAbsent(8_388_607, plainSlot(maxOffset, 65535))
	s.setIfAbsent(8_388_607, freeSlot(1))
	s.setIfAbsent(5, compressedSlot(8_388_607, maxIndex))
	if got := s.get(8_388_607); got.kind() != slotPlain || got.fileOffset() != maxOffset || got.generation() != 65535 {
		t.Errorf("plain %x", got)
	}
	if got := s.get(5); got.kind() != slotCompressed || got.streamNumber() != 8_388_607 || got.index() != maxIndex || got.generation() != 0 {
		t.Errorf("compressed %x", got)
	}
	if s.get(6).kind() != slotAbsent || s.get(9_000_000).kind() != slotAbsent {
		t.Error("absent objects are there")
	}
}

func TestFiltersAreUndone(t *testing.T) {
	t.Parallel()
	d := &Document{limits: Limits{}.Defaults(0)}
	for _, c := range []struct {
		filter Name
		parms  Dict
		in     string
		want   string
	}{
		{"ASCIIHexDecode", nil, "48 65 6C6c6F>", "Hello"},
		{"ASCII85Decode", nil, "<~87cURD]j7BEbo80~>", "Hello world!"},
		{"ASCII85Decode", nil, "87cUR z D]~>", "Hell\x00\x00\x00\x00o"},
		{"RunLengthDecode", nil, "\x01ab\xffc\x80zz", "abcc"},
		{"LZWDecode", nil, "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", "-----A---B"},
	} {
		s := &Stream{Dict: Dict{"Filter": c.filter}, Data: []byte(c.in)}
		if c.parms != nil {
			s.Dict["DecodeParms"] = c.parms
		}
		got, err := d.Decode(s)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", c.filter, got, err)
		}
	}
	if _, err := d.Decode(&Stream{Dict: Dict{"Filter": Name("DCTDecode")}}); err == nil {
		t.Error("a picture was decoded")
	}
}

func TestPNGPredictorsAreUndone(t *testing.T) {
	t.Parallel()
	in := []byte{
		0, 1, 2, 3,
		1, 1, 1, 1, // left: 1 2 3
		2, 1, 1, 1, // up: 2 3 4
		3, 1, 1, 1, // average: 2 3 4
		4, 1, 1, 1, // paeth: 3 4 5
	}
	got, err := undoPNGPredictor(in, 3, 1)
	want := []byte{1, 2, 3, 1, 2, 3, 2, 3, 4, 2, 3, 4, 3, 4, 5}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDecodedSizeIsLimited(t *testing.T) {
	t.Parallel()
	d := &Document{limits: Limits{Decoded: 1000}.Defaults(0)}
	s := &Stream{Dict: Dict{"Filter": Name("RunLengthDecode")}, Data: []byte(strings.Repeat("\x81a", 100))}
	if _, err := d.Decode(s); !IsFault(err) {
		t.Errorf("12,800 bytes: %v", err)
	}
}

func TestNumbersAreWrittenWithLeadingZeros(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{0, 7, 10, 99999, 65535, 9_999_999_999, 10_000_000_000} {
		for _, digits := range []int{1, 5, 10} {
			w := &writer{}
			if w.writeDigits(n, digits); string(w.buf) != fmt.Sprintf("%0*d", digits, n) {
				t.Errorf("%d with %d digits is %s", n, digits, w.buf)
			}
		}
	}
}
