package pdf

import (
	"bytes"
	"strings"
	"testing"
)

func TestStringReadsTheSameWhereverAPieceOfTheFileEnds(t *testing.T) {
	t.Parallel()
	const spelled = "a\\(b(c\\\\)\\)d\\\r\ne\\101\\7x\r\nf\\n\rg\\0534)"
	const want = "a(b(c\\))deA\ax\nf\n\ng+4"
	for before := range len(spelled) {
		b := []byte(strings.Repeat(" ", firstChunk-1-before) + "(" + spelled + " 7")
		lx := newLexer(bytes.NewReader(b), 0, int64(len(b)))
		s, err := lx.next()
		if err != nil || string(s.bytes) != want {
			t.Errorf("%d bytes before: %q, %v", before, s.bytes, err)
		}
		if n, err := lx.next(); err != nil || n.num != 7 {
			t.Errorf("%d bytes before: %+v behind it, %v", before, n, err)
		}
	}
	if text, n := ReadLiteral([]byte(spelled + " 7")); string(text) != want || n != len(spelled) {
		t.Errorf("%q, %d", text, n)
	}
	for _, s := range []string{"", "a", "(a)", "a\\)", "a\\"} {
		if text, n := ReadLiteral([]byte(s)); n != 0 {
			t.Errorf("%q without end is %q", s, text)
		}
	}
}
