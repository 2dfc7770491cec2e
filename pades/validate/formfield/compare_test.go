package formfield_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"segel/pades/validate/formfield"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
	"segel/pdf/content"
)

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func open(t testing.TB, file []byte) *pdf.Document {
	t.Helper()
	return must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}))
}

// plenty is more than comparing a field of the form takes.
const plenty = 1 << 20

// compare tells what became of a field of the form.
func compare(t testing.TB, before, after []byte, field string, work int64) formfield.Result {
	t.Helper()
	was, is := open(t, before), open(t, after)
	fields := must[[]*pdf.Field](t)(was.Fields())
	i := slices.IndexFunc(fields, func(f *pdf.Field) bool { return f.Name == field })
	if i < 0 {
		t.Fatalf("no field %q", field)
	}
	w := &formfield.Work{Left: work}
	a, err1 := formfield.Read(was, fields[i].Ref.Number, w)
	b, err2 := formfield.Read(is, fields[i].Ref.Number, w)
	if err1 != nil || err2 != nil {
		return formfield.Result{Outcome: formfield.Unreadable}
	}
	return formfield.Compare(a, b, formfield.Options{
		Old: content.NewReader(was, content.Limits{Bytes: plenty}), New: content.NewReader(is, content.Limits{Bytes: plenty}),
		Unchanged: func(ref pdf.Ref) bool {
			a, err1 := was.Dict(ref) // streams are compared by their content
			b, err2 := is.Dict(ref)
			return err1 == nil && err2 == nil && reflect.DeepEqual(a, b)
		},
		Placed: func(uint32) bool { return true },
	})
}

func TestComparingStopsWhereItsWorkIsSpent(t *testing.T) {
	t.Parallel()
	form := must[[]byte](t)(formtest.Form())
	cases := slices.DeleteFunc(formtest.Honest(), func(c formtest.Case) bool { return c.Name != "acrobat-again" })
	filled := must[[]byte](t)(formtest.Append(form, cases[0].Fill))
	if r := compare(t, form, filled, "name", plenty); r.Outcome != formfield.Shown {
		t.Fatalf("%+v", r)
	}
	enough := int64(0)
	for compare(t, form, filled, "name", enough).Outcome != formfield.Shown {
		if r := compare(t, form, filled, "name", enough); r.Outcome != formfield.Unreadable {
			t.Fatalf("%+v with work for %d", r, enough)
		}
		enough += 256
	}
	if enough == 0 || enough > 64<<10 {
		t.Errorf("it takes work for %d", enough)
	}
}

func TestFieldsWithoutEndAreNotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		field  string
		change func(*formtest.Filler)
	}{
		"above itself": {"name", func(f *formtest.Filler) {
			fields, err := f.D.Fields()
			if err != nil {
				f.Err = err
				return
			}
			i := slices.IndexFunc(fields, func(f *pdf.Field) bool { return f.Name == "name" })
			f.Field("name")["Parent"] = fields[i].Ref
		}},
		"too many options": {"status", func(f *formtest.Filler) {
			f.Field("status")["Opt"] = slices.Repeat(pdf.Array{pdf.TextString("K")}, 20_000)
		}},
		"too many selected": {"goods", func(f *formtest.Filler) {
			f.Field("goods")["V"] = slices.Repeat(pdf.Array{pdf.TextString("1")}, 20_000)
		}},
		"too long a value":        {"name", func(f *formtest.Filler) { f.Field("name")["V"] = pdf.String{Bytes: bytes.Repeat([]byte("a"), 2<<20)} }},
		"a value of a wrong kind": {"name", func(f *formtest.Filler) { f.Field("name")["V"] = pdf.Dict{} }},
		"an appearance of a wrong kind": {"name", func(f *formtest.Filler) {
			w := f.Field("name")
			w["V"], w["AP"] = pdf.TextString("1"), pdf.Dict{"N": pdf.Integer(1)}
		}},
		"a rectangle of a wrong kind": {"name", func(f *formtest.Filler) { f.Field("name")["Rect"] = pdf.Integer(1) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			form := must[[]byte](t)(formtest.Form())
			filled := must[[]byte](t)(formtest.Append(form, c.change))
			if r := compare(t, form, filled, c.field, 64<<20); r.Outcome < formfield.AppearanceChanged {
				t.Errorf("%+v", r)
			}
		})
	}
}

// FuzzCompare fills in a field with any value and any appearance. One that shows a value shows no other.
func FuzzCompare(f *testing.F) {
	for _, s := range []struct{ field, value, content string }{
		{"name", "1000", "/Tx BMC q 1 1 198 18 re W n BT /Helv 12 Tf 0 g 2 5 Td (1000) Tj ET Q EMC"},
		{"name", "Siti Rahayu", "BT /Helv 12 Tf 2 5 Td (Siti) Tj 30 0 Td (Rahayu) Tj ET"},
		{"note", "a\nb", "BT /Helv 10 Tf 2 36 Td (a) Tj 0 -11.56 Td (b) Tj ET"},
		{"nik", "12", "BT /Helv 12 Tf 9 5 Td (1) Tj 25 0 Td (2) Tj ET"},
		{"pin", "12", "BT /Helv 12 Tf 9 5 Td (**) Tj ET"},
		{"amount", "1234.5", "BT /Helv 12 Tf 2 5 Td (Rp 1,234.50) Tj ET"},
		{"date", "22/11/2026", "BT /Helv 12 Tf 2 5 Td (22 November) Tj ET"},
		{"status", "B", "BT /Helv 12 Tf 2 5 Td (Belum kawin) Tj ET"},
		{"goods", "2", "0.6 0.75 0.85 rg 1 23.9 198 11.56 re f BT /Helv 10 Tf 0 g 2 38 Td (Tanah) Tj 0 -11.56 Td (Rumah) Tj 0 -11.56 Td (Mobil) Tj ET"},
		{"own", "ADA", "BT /Cid 12 Tf <000100040001> Tj /CidMap 12 Tf <0001> Tj /Odd 9 Tf (1) Tj /Emb 9 Tf (1) Tj ET"},
		{"rich", "\xfe\xff", "0 0 200 20 re f 9 9 9 0 k 0 0 0 0 re S BT 3 Tr (x) ' ET"},
	} {
		f.Add(s.field, s.value, []byte(s.content))
	}
	form := must[[]byte](f)(formtest.Form())
	f.Fuzz(func(t *testing.T, field, value string, content []byte) {
		fill := func(value string) []byte {
			filled, err := formtest.Append(form, func(f *formtest.Filler) {
				w := f.Field(field)
				w["V"] = pdf.String{Bytes: []byte(value)}
				if w["Rect"] != nil {
					st := f.SetAppearance(w, string(content))
					for _, name := range []pdf.Name{"Emb", "Cid", "CidMap", "Odd"} {
						st.Dict["Resources"].(pdf.Dict)["Font"].(pdf.Dict)[name] = f.Font(name)
					}
				}
			})
			if err != nil {
				t.Skip()
			}
			return filled
		}
		r := compare(t, form, fill(value), field, plenty)
		if r.Outcome > formfield.Unreadable || (r.Outcome > formfield.Shown) != (r.Detail != "") {
			t.Fatalf("%+v", r)
		}
		if field != "name" || r.Outcome != formfield.Shown || bytes.HasPrefix([]byte(value), []byte("\xfe\xff")) {
			return
		}
		if other := compare(t, form, fill(value+"x"), field, plenty); other.Outcome == formfield.Shown {
			t.Errorf("%q shows %q, and %q", content, value, value+"x")
		}
	})
}
