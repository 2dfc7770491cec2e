package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// openStates opens all states of a file.
func openStates(t testing.TB, b []byte) []*pdf.State {
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
			all := openStates(t, b)
			if len(all) != 5 {
				t.Fatalf("%d states", len(all))
			}
			for i, s := range all {
				if len(s.Ambiguities) > 0 {
					t.Errorf("state %d: %v", i, s.Ambiguities)
				}
				prefix := open(t, b[:s.Revision.End])
				if !reflect.DeepEqual(s.Trailer(), prefix.Trailer()) {
					t.Errorf("state %d: trailer %v, want %v", i, s.Trailer(), prefix.Trailer())
				}
				requireSameState(t, i, s, prefix)
			}
			// What was read of later states does not matter.
			for i, s := range slices.Backward(openStates(t, b)) {
				requireSameState(t, i, s, open(t, b[:s.Revision.End]))
			}
		})
	}
}

func requireSameState(t *testing.T, i int, s *pdf.State, prefix *pdf.Document) {
	t.Helper()
	for n := range uint32(120) {
		ref := pdf.Ref{Number: n}
		got, want := must[pdf.Object](t)(s.Object(ref)), must[pdf.Object](t)(prefix.Object(ref))
		if fmt.Sprint(withoutPosition(got)) != fmt.Sprint(withoutPosition(want)) {
			t.Errorf("state %d, object %d: %v, want %v", i, n, got, want)
		}
	}
}

// TestStateSeesNothingBehindItsEndThatALaterOneHasRead has a first revision with entries of two objects that the second
// one adds.
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
	all := openStates(t, b)
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

// withoutPosition leaves out the place of a stream.
func withoutPosition(o pdf.Object) any {
	if s, ok := o.(*pdf.Stream); ok {
		return []any{s.Dict, s.Len()}
	}
	return o
}

func TestChangesListWhatARevisionAddsReplacesAndFrees(t *testing.T) {
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
	all := openStates(t, append(b, x.Bytes()...))
	if len(all) != 2 {
		t.Fatalf("%d states", len(all))
	}
	two, three, new := pdf.Ref{Number: 2}, pdf.Ref{Number: 3}, pdf.Ref{Number: 90}
	want := []pdf.ObjectChange{{Number: 2, Before: two, After: two, Offset: int64(before)}, {Number: 3, Before: three}, {Number: 90, After: new, Offset: int64(at)}}
	if !reflect.DeepEqual(all[1].Changes, want) {
		t.Errorf("moves %+v, want %+v", all[1].Changes, want)
	}
}

func TestReplacingAnObjectStreamChangesItsObjects(t *testing.T) {
	t.Parallel()
	b := pdftest.Streams(3)
	d := open(t, b)
	revision := must[[]pdf.Revision](t)(d.Revisions())[0]
	var container uint32
	held := map[uint32]bool{}
	for _, e := range must[[]pdf.Entry](t)(d.RevisionEntries(revision)) {
		if e.ObjectStream != 0 && (container == 0 || container == e.ObjectStream) {
			container = e.ObjectStream
			held[e.Ref.Number] = true
		}
	}
	u := d.NewUpdate()
	must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: container}))["Extra"] = pdf.Integer(1)
	all := openStates(t, build(t, b, u))
	for _, m := range all[1].Changes {
		delete(held, m.Number)
	}
	if len(held) > 0 || container == 0 {
		t.Errorf("objects of stream %d that did not move: %v", container, held)
	}
}

func TestAmbiguitiesAreReported(t *testing.T) {
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
	shifted := func(by int) []byte {
		// A revision behind it has the right /Prev, as a reader of the whole file sees it.
		file := tail(one, entry(150, len(b)), "")
		at := len(b) + len(one)
		file = bytes.Replace(file, fmt.Appendf(nil, "startxref\n%d", at), fmt.Appendf(nil, "startxref\n%d", at+by), 1)
		end := len(file)
		return fmt.Appendf(file, "xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 200/Prev %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", at, end)
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"twice":    {tail(one+two, entry(150, len(b))+entry(150, len(b)+len(one)), ""), "stated twice"},
		"free too": {tail(one, entry(150, len(b))+"150 1\n0000000000 00000 f \n", ""), "stated twice"},
		"startxref, before the white space that comes first": {shifted(-1), ""},
		"startxref, into the word before":                    {shifted(-2), "leads elsewhere"},
		"startxref, into its own word":                       {shifted(1), "leads elsewhere"},
		"startxref, to the section before":                   {shifted(int(prev) - len(b) - len(one)), "leads elsewhere"},
	} {
		all := openStates(t, c.file)
		if odd := strings.Join(all[1].Ambiguities, "; "); !strings.Contains(odd, c.want) || c.want == "" && odd != "" {
			t.Errorf("%s: odd is %q, want %q", name, odd, c.want)
		}
	}
	// An entry that points back into an earlier revision is marked.
	back := openStates(t, tail(one, entry(150, len(b))+entry(3, int(offsetOf(t, b, "2 0 obj"))), ""))
	if m := back[1].Changes[0]; m.Number != 3 || !m.Earlier || back[1].Changes[1].Earlier {
		t.Errorf("moves %+v", back[1].Changes)
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

func TestDictionaryThatStatesAKeyTwiceHasTwoReadings(t *testing.T) {
	t.Parallel()
	b := pdftest.Form()
	d := open(t, b)
	ref := pdf.Ref{Number: pdftest.FormNumber + 1}
	if err := d.RequireSingleReading(ref); err != nil {
		t.Error(err)
	}
	for _, twice := range []string{"/T (a) /F 4 ", "/#54 (a)    "} {
		d := open(t, replace(t, b, "/Type /Annot", twice))
		if err := d.RequireSingleReading(ref); !errors.Is(err, pdf.ErrDamaged) {
			t.Errorf("%s: %v", twice, err)
		}
		if _, err := d.Object(ref); err != nil {
			t.Errorf("%s cannot be read: %v", twice, err)
		}
	}
}

// hybrid appends a table with a stream beside it, or with /XRefStm that leads
// to one that is there: entries are those of the table, stated those of the
// stream as three numbers each.
func hybrid(t testing.TB, b []byte, entries string, stated map[int][3]int, at int64) []byte {
	t.Helper()
	d := open(t, b)
	all := must[[]pdf.Revision](t)(d.Revisions())
	prev := all[len(all)-1].StartXref
	if stated != nil {
		at = int64(len(b))
		var index, data []byte
		for _, n := range slices.Sorted(maps.Keys(stated)) {
			e := stated[n]
			index = fmt.Appendf(index, " %d 1", n)
			data = append(data, byte(e[0]), byte(e[1]>>16), byte(e[1]>>8), byte(e[1]), byte(e[2]>>8), byte(e[2]))
		}
		b = fmt.Appendf(bytes.Clone(b), "199 0 obj\n<</Type/XRef/W[1 3 2]/Index[%s]/Size 200/Root 1 0 R/Prev %d/Length %d>>\nstream\n%s\nendstream\nendobj\n", index, prev, len(data), data)
	}
	section := len(b)
	return fmt.Appendf(bytes.Clone(b), "xref\n%strailer\n<</Size 200/Prev %d/Root 1 0 R/XRefStm %d>>\nstartxref\n%d\n%%%%EOF\n", entries, prev, at, section)
}

// streamBeside returns the offset of the stream that the newest hybrid section names.
func streamBeside(t testing.TB, b []byte) (at int64) {
	t.Helper()
	i := bytes.LastIndex(b, []byte("/XRefStm"))
	if i < 0 {
		t.Fatal("the file is not hybrid")
	}
	if _, err := fmt.Sscanf(string(b[i:]), "/XRefStm %d", &at); err != nil {
		t.Fatal(err)
	}
	return at
}

func TestStreamBesideATableMayOnlyRepeatWhatIsKnown(t *testing.T) {
	t.Parallel()
	b := pdftest.Hybrid(2)
	d := open(t, b)
	first := must[[]pdf.Revision](t)(d.Revisions())[0]
	var hidden pdf.Entry
	used := map[int][3]int{}
	for _, e := range must[[]pdf.Entry](t)(d.RevisionEntries(first)) {
		switch {
		case e.ObjectStream != 0 && hidden.Ref.IsZero():
			hidden = e
		case !e.Free && e.ObjectStream == 0:
			used[int(e.Ref.Number)] = [3]int{1, int(e.Offset), 0}
		}
	}
	former := streamBeside(t, b)
	const page = pdftest.FirstPageNumber
	object := "150 0 obj\n1\nendobj\n"
	added := append(bytes.Clone(b), object...)
	entry := fmt.Sprintf("150 1\n%010d 00000 n \n", len(b))
	own := [3]int{1, len(b), 0}
	moved := fmt.Sprintf("%d 1\n%010d 00000 n \n", hidden.Ref.Number, len(b))
	for name, c := range map[string]struct {
		file []byte
		odd  bool
	}{
		"none": {hybrid(t, added, entry, nil, 0), false},
		"the former one, of objects that its table frees":     {hybrid(t, added, entry, nil, former), true},
		"the former one, out of date":                         {hybrid(t, added, entry+moved, nil, former), true},
		"the former one, of freed objects":                    {hybrid(t, added, fmt.Sprintf("%d 1\n0000000000 00001 f \n", hidden.Ref.Number)+entry, nil, former), true},
		"one that repeats the table":                          {hybrid(t, added, entry, map[int][3]int{150: own}, 0), false},
		"one that repeats the state before":                   {hybrid(t, added, entry, map[int][3]int{150: own, page: used[page]}, 0), false},
		"one that says nothing":                               {hybrid(t, added, entry, map[int][3]int{0: {0, 0, 65535}, 190: {0, 0, 0}}, 0), false},
		"one that adds an object":                             {hybrid(t, added, "", map[int][3]int{150: own}, 0), true},
		"one that replaces an object":                         {hybrid(t, added, entry, map[int][3]int{page: own}, 0), true},
		"one that contradicts the table":                      {hybrid(t, added, entry, map[int][3]int{150: used[page]}, 0), true},
		"one that frees an object":                            {hybrid(t, added, entry, map[int][3]int{page: {0, 0, 1}}, 0), true},
		"one that frees what the table has":                   {hybrid(t, added, entry, map[int][3]int{150: {0, 0, 1}}, 0), true},
		"one that has what the table frees":                   {hybrid(t, added, "150 1\n0000000000 00000 f \n", map[int][3]int{150: own}, 0), true},
		"one that repeats the state, with a /Prev of its own": {bytes.Replace(hybrid(t, added, entry, map[int][3]int{150: own}, 0), fmt.Appendf(nil, "/Prev %d/Length", first.StartXref), fmt.Appendf(nil, "/Prev %d/Length", former), 1), true},
	} {
		all := openStates(t, c.file)
		last := all[len(all)-1]
		if got := len(last.Ambiguities) > 0 || last.Revealed != 0; got != c.odd {
			t.Errorf("%s: odd is %q, revealed %d", name, last.Ambiguities, last.Revealed)
		}
	}
	// One copied from an earlier section does not restore older objects.
	u := open(t, b).NewUpdate()
	u.Set(hidden.Ref, pdf.Integer(7))
	state := openStates(t, hybrid(t, build(t, b, u), "", nil, former))
	if last := state[len(state)-1]; len(last.Ambiguities) == 0 || len(last.Changes) != 1 || !last.Changes[0].Earlier {
		t.Errorf("an object is put back unseen: %q, %+v", last.Ambiguities, last.Changes)
	}
}

// TestObjectsThatSomeReadersDoNotFindAreCountedUntilAStateRevealsThem has an object that the table of the first section
// frees and its stream has in use.
func TestObjectsThatSomeReadersDoNotFindAreCountedUntilAStateRevealsThem(t *testing.T) {
	t.Parallel()
	b := pdftest.Hybrid(2)
	const hidden = pdftest.FirstPageNumber + 4
	former, word := streamBeside(t, b), pdftest.WordHybrid(2)
	if last := openStates(t, hybrid(t, word, "", nil, streamBeside(t, word)))[2]; len(last.Ambiguities) > 0 {
		t.Errorf("a stream of Word that is repeated is %q", last.Ambiguities)
	}
	u := open(t, b).NewUpdate()
	u.Add(pdf.Integer(7))
	other := build(t, b, u)
	u = open(t, other).NewUpdate()
	u.Set(pdf.Ref{Number: hidden}, pdf.Integer(7))
	for name, c := range map[string]struct {
		file     []byte
		revealed uint32 // by the last state
		hides    bool   // the last state still does
	}{
		"not stated again":                 {other, 0, true},
		"stream repeated":                  {hybrid(t, other, "", nil, former), hidden, false},
		"replaced":                         {build(t, other, u), hidden, false},
		"freed":                            {hybrid(t, other, fmt.Sprintf("%d 1\n0000000000 00001 f \n", hidden), nil, 0), 0, false},
		"stream repeated, and freed again": {hybrid(t, other, fmt.Sprintf("%d 1\n0000000000 00001 f \n", hidden), nil, former), 0, true},
		"of Word, stream repeated":         {hybrid(t, word, "", nil, streamBeside(t, word)), 0, false},
	} {
		all := openStates(t, c.file)
		if last := all[len(all)-1]; last.Revealed != c.revealed || (len(last.Contradictions) > 0) != c.hides {
			t.Errorf("%s: revealed %d, %q", name, last.Revealed, last.Contradictions)
		}
		if first := all[0]; (len(first.Contradictions) == 0) != (name == "of Word, stream repeated") {
			t.Errorf("%s: the first state has %q", name, first.Contradictions)
		}
	}
}

func TestSpareCrossReferenceStreamIsComparedWithTheState(t *testing.T) {
	t.Parallel()
	b := pdftest.Table(2)
	all := must[[]pdf.Revision](t)(open(t, b).Revisions())
	prev := all[len(all)-1].StartXref
	at := len(b) + len("150 0 obj\n1\nendobj\n")
	own := [3]int{1, len(b), 0}
	spare := func(stated map[int][3]int, trailer string) []byte {
		b := append(bytes.Clone(b), "150 0 obj\n1\nendobj\n"...)
		var index, data []byte
		for _, n := range slices.Sorted(maps.Keys(stated)) {
			e := stated[n]
			index = fmt.Appendf(index, " %d 1", n)
			data = append(data, byte(e[0]), byte(e[1]>>16), byte(e[1]>>8), byte(e[1]), byte(e[2]>>8), byte(e[2]))
		}
		b = fmt.Appendf(b, "151 0 obj\n<</Type/XRef/W[1 3 2]/Index[%s]%s/Length %d>>\nstream\n%s\nendstream\nendobj\n", index, trailer, len(data), data)
		section := len(b)
		b = fmt.Appendf(b, "xref\n150 2\n%010d 00000 n \n%010d 00000 n \n", own[1], at)
		return fmt.Appendf(b, "trailer\n<</Size 152/Prev %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", prev, section)
	}
	same := fmt.Sprintf("/Size 152/Root 1 0 R/Prev %d", prev)
	for name, c := range map[string]struct {
		file    []byte
		repeats bool
	}{
		"the same":                      {spare(map[int][3]int{150: own}, same), true},
		"the same, with its own entry":  {spare(map[int][3]int{0: {0, 0, 65535}, 150: own, 151: {1, at, 0}}, same), true},
		"the same, one number more":     {spare(map[int][3]int{150: own}, strings.Replace(same, "152", "153", 1)), true},
		"an object elsewhere":           {spare(map[int][3]int{150: {1, at, 0}}, same), false},
		"an object of an earlier state": {spare(map[int][3]int{150: own, pdftest.FirstPageNumber: {1, len(b), 0}}, same), false},
		"an object freed":               {spare(map[int][3]int{150: {0, 0, 1}}, same), false},
		"no object":                     {spare(map[int][3]int{0: {0, 0, 65535}}, same), true},
		"another catalog":               {spare(map[int][3]int{150: own}, strings.Replace(same, "1 0 R", "150 0 R", 1)), false},
		"no catalog":                    {spare(map[int][3]int{150: own}, strings.Replace(same, "/Root 1 0 R", "", 1)), false},
		"a catalog of its own":          {spare(map[int][3]int{150: own}, strings.Replace(same, "1 0 R", "<</Type/Catalog>>", 1)), false},
		"encryption":                    {spare(map[int][3]int{150: own}, same+"/Encrypt<<>>"), false},
		"encryption elsewhere":          {spare(map[int][3]int{150: own}, same+"/Encrypt 150 0 R"), false},
		"a size that hides objects":     {spare(map[int][3]int{150: own}, strings.Replace(same, "152", "100", 1)), false},
		"no section before":             {spare(map[int][3]int{150: own}, "/Size 152/Root 1 0 R"), true},
		"another section before":        {spare(map[int][3]int{150: own}, fmt.Sprintf("/Size 152/Root 1 0 R/Prev %d", prev+1)), false},
		"a stream that cannot be read":  {bytes.Replace(spare(map[int][3]int{150: own}, same), []byte("/W[1 3 2]"), []byte("/W[9 9 9]"), 1), false},
		"a stream of another kind":      {bytes.Replace(spare(map[int][3]int{150: own}, same), []byte("/Type/XRef"), []byte("/Type/XRex"), 1), false},
	} {
		all := openStates(t, c.file)
		last := all[len(all)-1]
		repeats, err := last.RepeatsCrossReference(int64(at))
		if err != nil || repeats != c.repeats {
			t.Errorf("%s: %v, %v", name, repeats, err)
		}
	}
}

func TestEntryOfAnUndefinedTypeIsNotTakenForAFreeOne(t *testing.T) {
	t.Parallel()
	b := hybrid(t, pdftest.Table(1), "", map[int][3]int{150: {0, 0, 65535}, 151: {3, 0, 0}, 152: {1, 0, 0}, 153: {255, 1, 1}}, 0)
	d := open(t, b)
	all := must[[]pdf.Revision](t)(d.Revisions())
	unknown := map[uint32]bool{}
	for _, e := range must[[]pdf.Entry](t)(d.RevisionEntries(all[len(all)-1])) {
		if !e.Free {
			t.Errorf("%+v", e)
		}
		unknown[e.Ref.Number] = e.Unknown
	}
	if want := map[uint32]bool{150: false, 151: true, 152: true, 153: true}; !maps.Equal(unknown, want) {
		t.Errorf("%v", unknown)
	}
}
