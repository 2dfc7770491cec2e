package facts

import (
	"testing"

	"segel/pdf"
)

func FuzzContent(f *testing.F) {
	for _, s := range []string{
		"BT /F1 24 Tf 72 720 Td (Seribu) Tj ET", "q 1 0 0 1 5 5 cm /OC /L BDC 1 g 0 0 9 9 re f EMC Q", "BI /W 1 ID \xff EI", "[(a) -3 <62>] TJ % x\n<</A (\\))>> BDC",
		"1e999 0 0 1 0 0 cm 0 0 nan inf re f", "<", "(", "/", "<<", "\\",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h := &hiding{d: new(pdf.Document), held: maxComparisons}
		p := &painter{hiding: h, state: state{ctm: identity, scale: 1}}
		p.run(b)
		if len(h.marks) > maxMarks+64 {
			t.Errorf("%d marks", len(h.marks))
		}
		for i, m := range h.marks {
			h.judge(i, m)
		}
		c := &content{b: b}
		for n := 0; c.next() != ""; n++ {
			if n > len(b) {
				t.Fatal("more operators than bytes")
			}
		}
	})
}
