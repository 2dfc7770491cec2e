package facts_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// mutation is one way to tamper with a signed file, and what has to be found out about its first signature.
type mutation struct {
	name string
	want string // one of the troubles; empty: none, the change is permitted
	do   func(t *testing.T, b []byte) []byte
}

// signedForm is a file with a form, two visible signature fields of which A is signed, and a page more. C is signed
// and is not to be seen.
func signedForm(t testing.TB) []byte {
	t.Helper()
	p := on(t, pdftest.Form()).fields(
		pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "B", Page: 1, Rect: boxB}, pades.FieldSpec{Name: "C"})
	return p.sign("A", shown).b
}

func tamper(t *testing.T, base []byte, all []mutation) {
	t.Helper()
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			f := runSteps(t, m.do(t, bytes.Clone(base)))
			i := slices.IndexFunc(f.Signatures, func(s *facts.Signature) bool { return s.Field == "A" || s.Field == "Q" })
			if i < 0 {
				t.Fatalf("the signature is gone: %+v", f.Warnings)
			}
			got := troubles(f.Signatures[i])
			if m.want == "" && len(got) > 0 || m.want != "" && !slices.Contains(got, m.want) {
				t.Errorf("found %v, want %q\n%s", got, m.want, summary(f))
			}
		})
	}
}

// first is the first signature of a file.
func first(t *testing.T, b []byte) *pdf.Signature {
	t.Helper()
	return must[[]*pdf.Signature](t)(on(t, b).open().Signatures())[0]
}

// flip turns one bit of the byte at the first place of a text, or at an offset into it.
func flip(old string, by int) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte {
		at := bytes.Index(b, []byte(old))
		if at < 0 {
			t.Fatalf("no %q", old)
		}
		b[at+by] ^= 1
		return b
	}
}

func swap(old, now string) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte {
		if len(old) != len(now) || !bytes.Contains(b, []byte(old)) {
			t.Fatalf("cannot put %q for %q", now, old)
		}
		return []byte(strings.Replace(string(b), old, now, 1))
	}
}

// ranges writes another /ByteRange into the same space.
func ranges(change func(r []int64) string) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte {
		at := bytes.LastIndex(b, []byte("/ByteRange")) + len("/ByteRange")
		open := at + bytes.IndexByte(b[at:], '[')
		length := bytes.Index(b[open:], []byte("/Contents"))
		s := change(slices.Clone(first(t, b).ByteRange))
		copy(b[open:open+length], s+strings.Repeat(" ", length-len(s)))
		return b
	}
}

func numbers(r ...int64) string { return strings.ReplaceAll(fmt.Sprint(r), ",", "") }

func TestChangedBytesAreDetected(t *testing.T) {
	t.Parallel()
	digit := func(by int) func(t *testing.T, b []byte) []byte {
		return func(t *testing.T, b []byte) []byte {
			s := first(t, b)
			at := s.ContentsAt + int64(by)
			if by < 0 {
				at = s.ContentsEnd + int64(by)
			}
			if b[at] == '0' {
				b[at] = '1'
			} else {
				b[at] = '0'
			}
			return b
		}
	}
	tamper(t, signedForm(t), []mutation{
		{"header", "digest", flip("%PDF-1.7", 5)},
		{"content of a page", "digest", flip("(Page 1)", 6)},
		{"font", "digest", flip("/Helvetica", 9)},
		{"value of a form field", "digest", flip("(Siti)", 1)},
		{"cross-reference entry", "digest", swap("0000000000 65535 f", "0000000001 65535 f")},
		{"trailer", "digest", flip("/Info 4 0 R", 3)},
		{"reason of the signature", "digest", flip("Menyetujui", 0)},
		{"name of the signed field", "digest", swap("/T (A)", "/T (Q)")},
		{"name of the field in the trailer's end", "digest", func(t *testing.T, b []byte) []byte { b[len(b)-1] = ' '; return b }},
		{"first digit of the container", "container", digit(1)},
		{"digit of the container", "value", func(t *testing.T, b []byte) []byte {
			s := first(t, b)
			end := len(bytes.TrimRight(s.Contents, "\x00"))
			at := s.ContentsAt + 1 + int64(2*(end-10)) // within the signature value, which comes last
			b[at] = "0123456789ABCDEF"[(int(s.Contents[end-10]>>4)+1)%16]
			return b
		}},
		{"letter that is no digit", "dictionary_unreadable", func(t *testing.T, b []byte) []byte { b[first(t, b).ContentsAt+100] = '@'; return b }},
		{"padding of the container", "container", digit(-3)},
		{"no digit in the gap", "byte_range_gap", func(t *testing.T, b []byte) []byte { b[first(t, b).ContentsEnd-2] = ' '; return b }},
		{"end cut off", "byte_range_outside", func(t *testing.T, b []byte) []byte { return b[:len(b)-4] }},
	})
}

func TestByteRangesThatAreOddAreBroken(t *testing.T) {
	t.Parallel()
	const huge = "9223372036854775807"
	tamper(t, signedForm(t), []mutation{
		{"reals", "byte_range_numbers", ranges(func(r []int64) string { return fmt.Sprintf("[0 %d.0 %d %d]", r[1], r[2], r[3]) })},
		{"negative", "byte_range_numbers", ranges(func(r []int64) string { return numbers(0, -r[1], r[2], r[3]) })},
		{"five numbers", "byte_range_count", ranges(func(r []int64) string { return numbers(append(r, 0)...) })},
		{"two ranges more", "byte_range_count", ranges(func(r []int64) string { return numbers(append(r, r[2], 10)...) })},
		{"three numbers", "byte_range_count", ranges(func(r []int64) string { return numbers(r[:3]...) })},
		{"two numbers", "byte_range_count", ranges(func(r []int64) string { return numbers(r[:2]...) })},
		{"none", "byte_range_missing", swap("/ByteRange", "/ByteRang_")},
		{"no array", "byte_range_missing", ranges(func(r []int64) string { return fmt.Sprint(r[1]) })},
		{"overflow", "byte_range_numbers", ranges(func(r []int64) string { return "[0 " + strconv.Itoa(int(r[1])) + " " + huge + " " + huge + "]" })},
		{"more than an integer", "byte_range_numbers", ranges(func(r []int64) string { return "[0 " + huge + "00 1 1]" })},
		{"late start", "byte_range_start", ranges(func(r []int64) string { return numbers(9, r[1]-9, r[2], r[3]) })},
		{"short end", "byte_range_end", ranges(func(r []int64) string { return numbers(0, r[1], r[2], r[3]-10) })},
		{"wide gap", "byte_range_gap", ranges(func(r []int64) string { return numbers(0, r[1]-30, r[2], r[3]) })},
		{"wide gap behind", "byte_range_gap", ranges(func(r []int64) string { return numbers(0, r[1], r[2]+3, r[3]-3) })},
		{"brackets within", "byte_range_gap", ranges(func(r []int64) string { return numbers(0, r[1]+1, r[2]-1, r[3]+1) })},
		{"overlap", "byte_range_outside", ranges(func(r []int64) string { return numbers(0, r[2]+1, r[1], r[3]) })},
		{"no /Contents", "contents_missing", swap("/Contents <30", "/Content_ <30")},
		{"/Contents that begins late", "byte_range_gap", swap("/Contents <30", "/Contents<  0")},
	})
}
