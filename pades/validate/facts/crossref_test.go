package facts_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// Third-party writers spell cross-references in odd ways. A revision that every reader reads alike changes nothing; one that
// some readers read differently is denied.

// crossStream writes a cross-reference stream as an object. Stated are its entries, three numbers each.
func crossStream(b []byte, number int, stated map[int][3]int, trailer string) []byte {
	var index, data []byte
	for _, n := range slices.Sorted(maps.Keys(stated)) {
		e := stated[n]
		index = fmt.Appendf(index, " %d 1", n)
		data = append(data, byte(e[0]), byte(e[1]>>16), byte(e[1]>>8), byte(e[1]), byte(e[2]>>8), byte(e[2]))
	}
	return fmt.Appendf(b, "%d 0 obj\n<</Type/XRef/W[1 3 2]/Index[%s]%s/Length %d>>\nstream\n%s\nendstream\nendobj\n", number, index, trailer, len(data), data)
}

// newest is where the newest section of a file stands.
func newest(t testing.TB, b []byte) int {
	t.Helper()
	all := must[[]pdf.Revision](t)(on(t, b).open().Revisions())
	return int(all[len(all)-1].StartXref)
}

// withSpare appends a revision that fills in a field, writing a cross-reference stream beside its table as PDFBox does. The
// stream has the number 151; the entries that are given take the place of the true ones.
func withSpare(change func(stated map[int][3]int, trailer *string)) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte {
		prev := newest(t, b)
		stated := map[int][3]int{0: {0, 0, 65535}, 150: {1, len(b), 0}}
		trailer := fmt.Sprintf("/Size 152/Root 1 0 R/Info 4 0 R/Prev %d", prev)
		change(stated, &trailer)
		b = append(b, "150 0 obj\n(nothing leads here)\nendobj\n"...)
		at := len(b)
		b = crossStream(b, 151, stated, trailer)
		return section{of: b[:at-len("150 0 obj\n(nothing leads here)\nendobj\n")], entries: map[int]string{
			150: fmt.Sprintf("%010d 00000 n", stated150(at)), 151: fmt.Sprintf("%010d 00000 n", at),
		}}.append(t, b)
	}
}

// stated150 is where the object before the stream stands.
func stated150(at int) int { return at - len("150 0 obj\n(nothing leads here)\nendobj\n") }

func TestSpareCrossReferenceStreamThatSaysTheSameIsNoChange(t *testing.T) {
	t.Parallel()
	lunas := func(stated map[int][3]int, at int) { stated[contents] = [3]int{1, at, 0} }
	tamper(t, signedForm(t), []mutation{
		{"the same", "", withSpare(func(map[int][3]int, *string) {})},
		{"the same, with the entry of its own", "", func(t *testing.T, b []byte) []byte {
			at := len(b) + len("150 0 obj\n(nothing leads here)\nendobj\n")
			return withSpare(func(stated map[int][3]int, _ *string) { stated[151] = [3]int{1, at, 0} })(t, b)
		}},
		{"another page for readers that use it", "ambiguous", withSpare(func(stated map[int][3]int, _ *string) { lunas(stated, stated[150][1]) })},
		{"another catalog for readers that use it", "ambiguous", withSpare(func(_ map[int][3]int, trailer *string) { *trailer = "/Size 152/Root 150 0 R" })},
		{"encryption for readers that use it", "ambiguous", withSpare(func(_ map[int][3]int, trailer *string) { *trailer += "/Encrypt<</Filter/Standard>>" })},
		{"an earlier state for readers that use it", "ambiguous", func(t *testing.T, b []byte) []byte {
			first := must[[]pdf.Revision](t)(on(t, b).open().Revisions())[0].StartXref
			return withSpare(func(_ map[int][3]int, trailer *string) {
				*trailer = fmt.Sprintf("/Size 152/Root 1 0 R/Prev %d", first)
			})(t, b)
		}},
		{"a freed page for readers that use it", "ambiguous", withSpare(func(stated map[int][3]int, _ *string) { stated[paintedPage] = [3]int{0, 0, 1} })},
		{"hidden objects for readers that use it", "ambiguous", withSpare(func(_ map[int][3]int, trailer *string) {
			*trailer = regexp.MustCompile(`Size \d+`).ReplaceAllString(*trailer, "Size 50")
		})},
		{"fewer objects than the table", "", withSpare(func(stated map[int][3]int, _ *string) { delete(stated, 150) })},
		{"none before it", "", withSpare(func(_ map[int][3]int, trailer *string) { *trailer = "/Size 152/Root 1 0 R" })},
		{"two of them", "ambiguous", func(t *testing.T, b []byte) []byte {
			of := bytes.Clone(b)
			trailer := fmt.Sprintf("/Size 153/Root 1 0 R/Info 4 0 R/Prev %d", newest(t, b))
			one := len(b)
			b = crossStream(b, 151, map[int][3]int{0: {0, 0, 65535}}, trailer)
			two := len(b)
			b = crossStream(b, 152, map[int][3]int{0: {0, 0, 65535}, 151: {1, one, 0}}, trailer)
			return section{of: of, entries: map[int]string{151: fmt.Sprintf("%010d 00000 n", one), 152: fmt.Sprintf("%010d 00000 n", two)}}.append(t, b)
		}},
		{"one that the table does not state", "ambiguous", func(t *testing.T, b []byte) []byte {
			of := bytes.Clone(b)
			b = crossStream(b, 151, map[int][3]int{0: {0, 0, 65535}}, fmt.Sprintf("/Size 152/Root 1 0 R/Prev %d", newest(t, b)))
			return section{of: of, objects: map[int]string{150: "1"}}.append(t, b)
		}},
		{"a spare object stream", "ambiguous", func(t *testing.T, b []byte) []byte {
			return section{objects: map[int]string{150: fmt.Sprintf("<< /Type /ObjStm /N 1 /First 4 /Length 20 >>\nstream\n%-4s<< /Length 0 >>     \nendstream", fmt.Sprintf("%d 0", contents))}}.append(t, b)
		}},
	})
}

// signedHybrid is a hybrid file, signed in field A; its cross-reference has a table with a stream beside it that knows
// one object more.
func signedHybrid(t testing.TB, b []byte) []byte {
	t.Helper()
	return on(t, b).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "B", Page: 1, Rect: boxB}).sign("A", shown).b
}

// beside is where the stream of the first hybrid section stands.
func beside(t testing.TB, b []byte) int {
	t.Helper()
	var at int
	if _, err := fmt.Sscanf(string(b[bytes.Index(b, []byte("/XRefStm")):]), "/XRefStm %d", &at); err != nil {
		t.Fatal(err)
	}
	return at
}

func TestHybridSectionThatRepeatsWhatIsKnownIsNoChange(t *testing.T) {
	t.Parallel()
	former := func(objects map[int]string, entries map[int]string) func(t *testing.T, b []byte) []byte {
		return func(t *testing.T, b []byte) []byte {
			return section{objects: objects, entries: entries, trailer: fmt.Sprintf("/XRefStm %d", beside(t, b))}.append(t, b)
		}
	}
	own := func(stated func(b []byte) map[int][3]int) func(t *testing.T, b []byte) []byte {
		return func(t *testing.T, b []byte) []byte {
			of := bytes.Clone(b)
			prev := newest(t, b)
			object := len(b)
			b = append(b, "150 0 obj\n<< /Length 3 >>\nstream\nq Q\nendstream\nendobj\n"...)
			at := len(b)
			b = crossStream(b, 151, stated(of), fmt.Sprintf("/Size 152/Root 1 0 R/Info 4 0 R/Prev %d", prev))
			return section{of: of, trailer: fmt.Sprintf("/XRefStm %d", at), entries: map[int]string{
				150: fmt.Sprintf("%010d 00000 n", object), 151: fmt.Sprintf("%010d 00000 n", at),
			}}.append(t, b)
		}
	}
	const hidden = pdftest.FirstPageNumber + 4 // the outlines of pdftest.Hybrid(2)
	tamper(t, signedHybrid(t, pdftest.WordHybrid(2)), []mutation{
		{"the former stream", "", former(map[int]string{150: "1"}, nil)},
		{"the former stream, and what it says of an object brought back", "restored", func(t *testing.T, b []byte) []byte {
			b = section{objects: map[int]string{hidden: "<< /Type /Outlines /Count 0 /New true >>"}}.append(t, b)
			return former(map[int]string{150: "1"}, nil)(t, b)
		}},
		{"the former stream, of an object that the table frees", "ambiguous", former(nil, map[int]string{hidden: "0000000000 00001 f"})},
		{"a stream that repeats the table", "", own(func(b []byte) map[int][3]int { return map[int][3]int{150: {1, len(b), 0}} })},
		{"a stream with another page", "ambiguous", own(func(b []byte) map[int][3]int {
			return map[int][3]int{150: {1, len(b), 0}, contents: {1, len(b), 0}}
		})},
		{"a stream that frees a page", "ambiguous", own(func(b []byte) map[int][3]int { return map[int][3]int{150: {1, len(b), 0}, paintedPage: {0, 0, 1}} })},
		{"a stream with an object more", "ambiguous", own(func(b []byte) map[int][3]int {
			return map[int][3]int{150: {1, len(b), 0}, 140: {1, len(b), 0}}
		})},
		{"a stream that contradicts the table", "ambiguous", own(func([]byte) map[int][3]int { return map[int][3]int{150: {1, 20, 0}} })},
	})
	// A signature that closes such a revision is unambiguous.
	for name, change := range map[string]func(t *testing.T, b []byte) []byte{
		"former": former(map[int]string{150: "1"}, nil), "own": own(func(b []byte) map[int][3]int { return map[int][3]int{150: {1, len(b), 0}} }),
	} {
		b := change(t, signedHybrid(t, pdftest.WordHybrid(2)))
		if f := runSteps(t, on(t, b).sign("B", shown).b); len(f.Signatures) != 2 || len(troubles(f.Signatures[0]))+len(troubles(f.Signatures[1])) > 0 {
			t.Errorf("%s: %s", name, summary(f))
		}
	}
}

// TestLaterRevisionRevealsNothingThatSomeReadersDidNotFind signs a file whose table frees what its stream has in use:
// pdf.js takes the first entry of a number, free ones included. It finds the object once a later section states it, or
// leads to the stream that does, while no object has changed for other readers.
func TestLaterRevisionRevealsNothingThatSomeReadersDidNotFind(t *testing.T) {
	t.Parallel()
	const hidden = pdftest.FirstPageNumber + 4
	again := func(t *testing.T, b []byte) []byte {
		return section{objects: map[int]string{150: "1"}, trailer: fmt.Sprintf("/XRefStm %d", beside(t, b))}.append(t, b)
	}
	tamper(t, signedHybrid(t, pdftest.Hybrid(2)), []mutation{
		{"nothing about it", "", func(t *testing.T, b []byte) []byte { return section{objects: map[int]string{150: "1"}}.append(t, b) }},
		{"its stream", "ambiguous", again},
		{"its stream, two sections later", "ambiguous", func(t *testing.T, b []byte) []byte {
			return again(t, section{objects: map[int]string{150: "1"}}.append(t, b))
		}},
		{"its entry", "ambiguous", func(t *testing.T, b []byte) []byte {
			prev := newest(t, b)
			at := len(b)
			b = crossStream(b, 151, map[int][3]int{hidden: {2, hidden + 1, 0}, 151: {1, at, 0}}, fmt.Sprintf("/Size 152/Root 1 0 R/Info 4 0 R/Prev %d%s", prev, idOf(t, b)))
			return fmt.Appendf(b, "startxref\n%d\n%%%%EOF\n", at)
		}},
		{"the same object elsewhere", "ambiguous", func(t *testing.T, b []byte) []byte {
			return section{objects: map[int]string{hidden: "<< /Type /Outlines /Count 0 >>"}}.append(t, b)
		}},
	})
	// Readers agree on the state of a signature that closes such a revision.
	f := runSteps(t, on(t, again(t, signedHybrid(t, pdftest.Hybrid(2)))).sign("B", shown).b)
	if len(f.Signatures) != 2 || len(troubles(f.Signatures[0])) == 0 || len(troubles(f.Signatures[1])) > 0 {
		t.Errorf("%s", summary(f))
	}
	if f = runSteps(t, on(t, again(t, pdftest.Hybrid(2))).fields(pades.FieldSpec{Name: "A"}).sign("A").b); len(troubles(f.Signatures[0])) > 0 || len(f.Twofold) > 0 {
		t.Errorf("%s %q", summary(f), f.Twofold)
	}
}

// misled writes another number behind startxref of the revision that is last, and a revision behind it whose /Prev is
// right.
func misled(by int) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte {
		b = section{objects: map[int]string{150: "1"}}.append(t, b)
		at := newest(t, b)
		b = bytes.Replace(b, fmt.Appendf(nil, "startxref\n%d\n", at), fmt.Appendf(nil, "startxref\n%0*d\n", len(fmt.Sprint(at)), at+by), 1)
		return fmt.Appendf(b, "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 151 /Root 1 0 R /Info 4 0 R %s /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", idOf(t, b), at, len(b))
	}
}

// idOf returns /ID as written in a file.
func idOf(t testing.TB, b []byte) string {
	t.Helper()
	m := regexp.MustCompile(`/ID \[[^\]]*\]`).FindAll(b, -1)
	if len(m) == 0 {
		t.Fatal("no /ID")
	}
	return string(m[len(m)-1])
}

func TestStartxrefMayLeadToWhiteSpaceBeforeItsSectionAndNowhereElse(t *testing.T) {
	t.Parallel()
	base := signedForm(t)
	tamper(t, base, []mutation{
		{"its section", "", misled(0)},
		{"the white space before it", "", misled(-1)},
		{"the word before it", "ambiguous", misled(-4)},
		{"behind its beginning", "ambiguous", misled(2)},
		{"the object before it", "ambiguous", misled(-len("150 0 obj\n1\nendobj\n"))},
		{"the section of the signed state", "ambiguous", func(t *testing.T, b []byte) []byte {
			return misled(newest(t, b)-len(b)-len("150 0 obj\n1\nendobj\n"))(t, b)
		}},
		{"an entry that leads to white space before its object", "", func(t *testing.T, b []byte) []byte {
			of := bytes.Clone(b)
			return section{of: of, entries: map[int]string{150: fmt.Sprintf("%010d 00000 n", len(b))}}.append(t, append(b, "\r\n \n150 0 obj\n1\nendobj\n"...))
		}},
		{"an entry that leads to a comment before its object", "ambiguous", func(t *testing.T, b []byte) []byte {
			of := bytes.Clone(b)
			return section{of: of, entries: map[int]string{150: fmt.Sprintf("%010d 00000 n", len(b))}}.append(t, append(b, "%x\n150 0 obj\n1\nendobj\n"...))
		}},
		{"more white space than readers look behind", "ambiguous", func(t *testing.T, b []byte) []byte {
			b = append(b, "150 0 obj\n1\nendobj\n"...)
			of := b[:len(b)-len("150 0 obj\n1\nendobj\n")]
			b = append(bytes.Clone(b), bytes.Repeat([]byte{'\n'}, 40)...)
			stated := len(b) - 30
			b = section{of: of, entries: map[int]string{150: fmt.Sprintf("%010d 00000 n", len(of))}}.append(t, b)
			at := newest(t, b)
			b = bytes.Replace(b, fmt.Appendf(nil, "startxref\n%d\n", at), fmt.Appendf(nil, "startxref\n%d\n", stated), 1)
			return fmt.Appendf(b, "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 151 /Root 1 0 R /Info 4 0 R %s /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", idOf(t, b), at, len(b))
		}},
	})
}

func TestFirstIdentifierMayChangeUnlessTheKeyDependsOnIt(t *testing.T) {
	t.Parallel()
	id := func(now string) func(t *testing.T, b []byte) []byte {
		return func(t *testing.T, b []byte) []byte {
			signed := len(b)
			b = section{objects: map[int]string{150: "1"}}.append(t, b)
			tail := bytes.Replace(b[signed:], []byte(idOf(t, b)), []byte(now), 1)
			return append(bytes.Clone(b[:signed]), tail...)
		}
	}
	tamper(t, signedForm(t), []mutation{
		{"another one", "", id("/ID [<00112233><44556677>]")},
		{"none", "", id("")},
		{"an odd one", "", id("/ID [<00>]")},
		{"no identifier", "trailer_changed", id("/ID 7")},
		{"no string", "trailer_changed", id("/ID [4 0 R <44556677>]")},
	})
	// The key of an encrypted file is made of it (ISO 32000-2 §7.6.4.3).
	locked := must[[]byte](t)(os.ReadFile("../../../pdf/testdata/encrypted/rc4-128.pdf"))
	secret := pdf.Options{Password: "user"}
	o := on(t, locked).options("", func(o *pades.Options) { o.NewField = &pades.FieldSpec{Name: "A"} })
	r := must[*pades.Result](t)(pades.Sign(t.Context(), pades.Source{R: bytes.NewReader(locked), Size: int64(len(locked)), OpenOptions: secret}, o))
	b := append(bytes.Clone(locked), r.Tail...)
	for name, c := range map[string]struct {
		change func(tail []byte) []byte
		denied bool
	}{
		"nothing":            {bytes.Clone, false},
		"the first":          {func(tail []byte) []byte { return flipFirst(t, tail) }, true},
		"no identifier left": {func(tail []byte) []byte { return regexp.MustCompile(`/ID *\[[^\]]*\]`).ReplaceAll(tail, nil) }, true},
	} {
		d := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(b), int64(len(b)), secret))
		u := d.NewUpdate()
		u.Add(pdf.Integer(1))
		whole := append(bytes.Clone(b), c.change(must[*pdf.Tail](t)(u.Build()).Bytes)...)
		f, err := facts.Read(t.Context(), bytes.NewReader(whole), int64(len(whole)), facts.Options{Password: "user"})
		denied := err != nil || slices.Contains(troubles(f.Signatures[0]), "encryption_changed") || slices.Contains(troubles(f.Signatures[0]), "revision_unsound")
		if denied != c.denied {
			t.Errorf("%s: %v\n%v", name, err, f)
		}
	}
}

// flipFirst changes one digit of the first identifier.
func flipFirst(t *testing.T, tail []byte) []byte {
	t.Helper()
	at := regexp.MustCompile(`/ID *\[ *<`).FindIndex(tail)
	if at == nil {
		t.Fatal("no /ID in hexadecimal digits")
	}
	tail = bytes.Clone(tail)
	tail[at[1]] = "10"[min(1, int(tail[at[1]]-'0'))&1]
	return tail
}

func TestSmallerSizeMayHideNothing(t *testing.T) {
	t.Parallel()
	sized := func(now int) func(t *testing.T, b []byte) []byte {
		return func(t *testing.T, b []byte) []byte {
			signed := len(b)
			b = section{entries: map[int]string{0: "0000000000 65535 f"}}.append(t, b)
			tail := regexp.MustCompile(`/Size \d+`).ReplaceAll(b[signed:], fmt.Appendf(nil, "/Size %d", now))
			return append(bytes.Clone(b[:signed]), tail...)
		}
	}
	base := signedForm(t)
	size := int(on(t, base).open().Trailer()["Size"].(pdf.Integer))
	tamper(t, base, []mutation{
		{"of a state that no such reader can open", "", sized(1)},
		{"of such a state, and the right one behind it", "", func(t *testing.T, b []byte) []byte {
			return section{objects: map[int]string{500: "1"}}.append(t, sized(1)(t, b))
		}},
		{"less than what was signed", "ambiguous", sized(size - 1)},
		{"that hides the form and its fields", "ambiguous", sized(form)},
		{"that hides all but the catalog", "ambiguous", sized(catalog + 1)},
		{"that hides what nothing leads to", "", func(t *testing.T, b []byte) []byte {
			b = section{objects: map[int]string{900: "1"}}.append(t, b)
			return sized(900)(t, b)
		}},
	})
}

func TestCatalogWrittenUnderAnotherNumberIsComparedWithTheFormerOne(t *testing.T) {
	t.Parallel()
	base := signedForm(t)
	_, root, err := on(t, base).open().Root()
	if err != nil {
		t.Fatal(err)
	}
	now := func(change func(u *pdf.Update, d pdf.Dict)) func(t *testing.T, b []byte) []byte {
		return func(t *testing.T, b []byte) []byte {
			signed := len(b)
			var ref pdf.Ref
			b = on(t, b).update(func(_ *pdf.Document, u *pdf.Update) {
				d := maps.Clone(root)
				change(u, d)
				ref = u.Add(d)
			}).b
			if trailer := bytes.LastIndex(b, []byte("trailer")); bytes.LastIndex(b, []byte("/Root 1 0 R")) < trailer {
				t.Fatal("the trailer does not name the catalog")
			}
			tail := bytes.Replace(b[signed:], []byte("/Root 1 0 R"), fmt.Appendf(nil, "/Root %v", ref), 1)
			return append(bytes.Clone(b[:signed]), tail...)
		}
	}
	tamper(t, base, []mutation{
		{"the same", "", now(func(*pdf.Update, pdf.Dict) {})},
		{"the same with extensions", "", now(func(_ *pdf.Update, d pdf.Dict) { d["Extensions"] = pdf.Dict{} })},
		{"with other pages", "catalog_changed", now(func(u *pdf.Update, d pdf.Dict) {
			tree, kid := u.Reserve(), u.Reserve()
			u.Set(kid, pdf.Dict{"Type": pdf.Name("Page"), "Parent": tree, "MediaBox": pdf.Rect{URX: 9, URY: 9}.Array(), "Contents": u.Add(words("Lunas"))})
			u.Set(tree, pdf.Dict{"Type": pdf.Name("Pages"), "Kids": pdf.Array{kid}, "Count": pdf.Integer(1)})
			d["Pages"] = tree
		})},
		{"with an action", "catalog_changed", now(func(_ *pdf.Update, d pdf.Dict) { d["OpenAction"] = pdf.Dict{"S": pdf.Name("Named")} })},
		{"without its pages", "catalog_changed", now(func(_ *pdf.Update, d pdf.Dict) { delete(d, "Pages") })},
		{"that nothing leads to", "ambiguous", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) { u.Add(maps.Clone(root)) })},
	})
	// A catalog that was there when the file was signed may show pages that the signer did not see.
	var spare pdf.Ref
	p := on(t, pdftest.Table(2)).fields(pades.FieldSpec{Name: "A"}).update(func(d *pdf.Document, u *pdf.Update) {
		_, root, err := d.Root()
		if err != nil {
			t.Fatal(err)
		}
		spare = u.Add(maps.Clone(root))
	}).sign("A")
	tamper(t, p.b, []mutation{{"that was there before", "root_redirected", func(t *testing.T, b []byte) []byte {
		return section{objects: map[int]string{150: "1"}, root: spare.String()}.append(t, b)
	}}})
}

func TestFreeEntryOfTheHighestGenerationIsOneThatAllReadersRead(t *testing.T) {
	t.Parallel()
	base := on(t, pdftest.Streams(1)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown).b
	stated := func(entry [3]int) func(t *testing.T, b []byte) []byte {
		return func(t *testing.T, b []byte) []byte {
			d := on(t, b).open()
			size := int(d.Trailer()["Size"].(pdf.Integer))
			at := len(b)
			b = crossStream(b, size, map[int][3]int{0: {0, 0, 65535}, size: entry}, fmt.Sprintf("/Size %d/Root 1 0 R/Info 4 0 R%s/Prev %d", size+1, idOf(t, b), newest(t, b)))
			return fmt.Appendf(b, "startxref\n%d\n%%%%EOF\n", at)
		}
	}
	tamper(t, base, []mutation{
		{"free", "", stated([3]int{0, 0, 65535})},
		{"of a type that is not defined", "ambiguous", stated([3]int{9, 0, 0})},
		{"in use at the beginning of the file", "ambiguous", stated([3]int{1, 0, 0})},
	})
}
