package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// states opens all states of a file.
func states(t testing.TB, b []byte) []*pdf.State {
	t.Helper()
	h := must[*pdf.History](t)(open(t, b).History("", 1000))
	var all []*pdf.State
	for {
		s := must[*pdf.State](t)(h.Next())
		if s == nil {
			return all
		}
		all = append(all, s)
	}
}

func TestEachStateReadsAsThePrefixOfTheFileDoes(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"table": pdftest.Table(5), "streams": pdftest.Streams(5), "hybrid": pdftest.Hybrid(5), "linearized": pdftest.Linearized(5), "form": pdftest.Form(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range 4 {
				u := open(t, b).NewUpdate()
				root, _, err := open(t, b).Root()
				if err != nil {
					t.Fatal(err)
				}
				must[pdf.Dict](t)(u.Edit(root))["Step"] = u.Add(pdf.Array{pdf.Integer(i)})
				b = build(t, b, u)
			}
			all := states(t, b)
			if len(all) != 5 {
				t.Fatalf("%d states", len(all))
			}
			for i, s := range all {
				if len(s.Odd) > 0 {
					t.Errorf("state %d: %v", i, s.Odd)
				}
				prefix := open(t, b[:s.Revision.End])
				if !reflect.DeepEqual(s.Trailer(), prefix.Trailer()) {
					t.Errorf("state %d: trailer %v, want %v", i, s.Trailer(), prefix.Trailer())
				}
				agree(t, i, s, prefix)
			}
			// Nor does it matter what was read of later states before.
			for i, s := range slices.Backward(states(t, b)) {
				agree(t, i, s, open(t, b[:s.Revision.End]))
			}
		})
	}
}

func agree(t *testing.T, i int, s *pdf.State, prefix *pdf.Document) {
	t.Helper()
	for n := range uint32(120) {
		ref := pdf.Ref{Number: n}
		got, want := must[pdf.Object](t)(s.Object(ref)), must[pdf.Object](t)(prefix.Object(ref))
		if fmt.Sprint(value(got)) != fmt.Sprint(value(want)) {
			t.Errorf("state %d, object %d: %v, want %v", i, n, got, want)
		}
	}
}

// TestStateSeesNothingBehindItsEndThatALaterOneHasRead has a first revision state two objects that the second one brings.
func TestStateSeesNothingBehindItsEndThatALaterOneHasRead(t *testing.T) {
	t.Parallel()
	first := "%PDF-1.4\n1 0 obj\n<</Pages<</Kids[]>>>>\nendobj\n"
	section := len(first)
	rows := func(early int) string {
		return fmt.Sprintf("xref\n0 2\n0000000000 65535 f \n%010d 00000 n \n3 2\n%010d 00000 n \n%010d 00000 n \n", strings.Index(first, "1 0 obj"), 1000, early)
	}
	early := section + len(rows(0)) + len("trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n000\n%%EOF ")
	first += rows(early) + fmt.Sprintf("trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%03d\n%%%%EOF\n", section)
	b := []byte(first)
	b = append(b, "4 0 obj\n[7]\nendobj\n"...)
	b = append(b, bytes.Repeat([]byte(" "), 1000-len(b))...)
	b = append(b, "3 0 obj\n[42]\nendobj\n"...)
	b = fmt.Appendf(b, "xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 5/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", section, len(b))
	all := states(t, b)
	for _, n := range []uint32{3, 4} {
		ref := pdf.Ref{Number: n}
		for range 2 {
			if o, err := all[1].Object(ref); err != nil {
				t.Errorf("object %d: %v, %v", n, o, err)
			}
			if o, err := all[0].Object(ref); err == nil {
				t.Errorf("object %d of the first state is %v", n, o)
			}
		}
	}
}

// value leaves out where a stream is.
func value(o pdf.Object) any {
	if s, ok := o.(*pdf.Stream); ok {
		return []any{s.Dict, s.Len()}
	}
	return o
}

func TestMovesNameWhatARevisionAddsReplacesAndFrees(t *testing.T) {
	t.Parallel()
	b := pdftest.Table(2)
	before := len(b)
	var x bytes.Buffer
	fmt.Fprintf(&x, "2 0 obj\n<</Type/Pages/Count 0/Kids[]>>\nendobj\n")
	at := before + x.Len()
	fmt.Fprintf(&x, "90 0 obj\n42\nendobj\n")
	section := before + x.Len()
	size := open(t, b).Trailer()["Size"].(pdf.Integer)
	prev := must[[]pdf.Revision](t)(open(t, b).Revisions())[0].StartXref
	fmt.Fprintf(&x, "xref\n0 1\n0000000000 65535 f \n2 1\n%010d 00000 n \n3 1\n0000000000 00001 f \n90 1\n%010d 00000 n \ntrailer\n<</Size %d/Prev %d/Root %v>>\nstartxref\n%d\n%%%%EOF\n",
		before, at, max(91, size), prev, open(t, b).Trailer()["Root"], section)
	all := states(t, append(b, x.Bytes()...))
	if len(all) != 2 {
		t.Fatalf("%d states", len(all))
	}
	two, three, new := pdf.Ref{Number: 2}, pdf.Ref{Number: 3}, pdf.Ref{Number: 90}
	want := []pdf.Move{{Number: 2, Before: two, After: two, Offset: int64(before)}, {Number: 3, Before: three}, {Number: 90, After: new, Offset: int64(at)}}
	if !reflect.DeepEqual(all[1].Moves, want) {
		t.Errorf("moves %+v, want %+v", all[1].Moves, want)
	}
}

func TestReplacingAnObjectStreamMovesWhatItHolds(t *testing.T) {
	t.Parallel()
	b := pdftest.Streams(3)
	d := open(t, b)
	revision := must[[]pdf.Revision](t)(d.Revisions())[0]
	var container uint32
	held := map[uint32]bool{}
	for _, e := range must[[]pdf.Entry](t)(d.Changed(revision)) {
		if e.Container != 0 && (container == 0 || container == e.Container) {
			container = e.Container
			held[e.Ref.Number] = true
		}
	}
	u := d.NewUpdate()
	must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: container}))["Extra"] = pdf.Integer(1)
	all := states(t, build(t, b, u))
	for _, m := range all[1].Moves {
		delete(held, m.Number)
	}
	if len(held) > 0 || container == 0 {
		t.Errorf("objects of stream %d that did not move: %v", container, held)
	}
}

func TestWhatReadersDisagreeAboutIsOdd(t *testing.T) {
	t.Parallel()
	b := pdftest.Table(1)
	d := open(t, b)
	prev := must[[]pdf.Revision](t)(d.Revisions())[0].StartXref
	tail := func(body, entries, extra string) []byte {
		section := len(b) + len(body)
		return append(bytes.Clone(b), fmt.Sprintf("%sxref\n%strailer\n<</Size 200/Prev %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", body, entries, prev, extra, section)...)
	}
	entry := func(n, at int) string { return fmt.Sprintf("%d 1\n%010d 00000 n \n", n, at) }
	object := func(n, v int) string { return fmt.Sprintf("%d 0 obj\n%d\nendobj\n", n, v) }
	one, two := object(150, 1), object(150, 2)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"twice":     {tail(one+two, entry(150, len(b))+entry(150, len(b)+len(one)), ""), "stated twice"},
		"free too":  {tail(one, entry(150, len(b))+"150 1\n0000000000 00000 f \n", ""), "stated twice"},
		"startxref": {bytes.Replace(tail(one, entry(150, len(b)), ""), []byte("startxref\n"+fmt.Sprint(len(b)+len(one))), []byte("startxref\n"+fmt.Sprint(len(b)+len(one)-1)), 1), "leads elsewhere"},
	} {
		all := states(t, c.file)
		if odd := strings.Join(all[len(all)-1].Odd, "; "); !strings.Contains(odd, c.want) {
			t.Errorf("%s: odd is %q, want %q", name, odd, c.want)
		}
	}
	// An entry that leads back into what was there before is told apart.
	back := states(t, tail(one, entry(150, len(b))+entry(3, int(offsetOf(t, b, "2 0 obj"))), ""))
	if m := back[1].Moves[0]; m.Number != 3 || !m.Earlier || back[1].Moves[1].Earlier {
		t.Errorf("moves %+v", back[1].Moves)
	}
}

func offsetOf(t testing.TB, b []byte, what string) int {
	t.Helper()
	at := bytes.Index(b, []byte(what))
	if at < 0 {
		t.Fatalf("no %q", what)
	}
	return at
}

func TestDictionaryThatStatesAKeyTwiceIsAmbiguous(t *testing.T) {
	t.Parallel()
	b := pdftest.Form()
	d := open(t, b)
	ref := pdf.Ref{Number: pdftest.FormNumber + 1}
	if err := d.Unambiguous(ref); err != nil {
		t.Error(err)
	}
	for _, twice := range []string{"/T (a) /F 4 ", "/#54 (a)    "} {
		d := open(t, replace(t, b, "/Type /Annot", twice))
		if err := d.Unambiguous(ref); !errors.Is(err, pdf.ErrDamaged) {
			t.Errorf("%s: %v", twice, err)
		}
		if _, err := d.Object(ref); err != nil {
			t.Errorf("%s cannot be read: %v", twice, err)
		}
	}
}
