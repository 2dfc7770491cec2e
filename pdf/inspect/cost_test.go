package inspect_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/inspect"
	"segel/pdf/pdftest"
)

// newMapProgram is a TrueType program of some bytes whose character map has every character from one on.
func newMapProgram(from uint32) []byte {
	m := []byte("\x00\x00\x00\x01\x00\x03\x00\x0a\x00\x00\x00\x0c\x00\x0c\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x00")
	for _, v := range []uint32{1, from, 0x10ffff, 1} {
		m = binary.BigEndian.AppendUint32(m, v)
	}
	return newTables(map[string][]byte{"cmap": m})
}

// newFontFile is a page with text in as many fonts, each with a program.
func newFontFile(t *testing.T, fonts int, program func(i int) []byte) []byte {
	t.Helper()
	var operators strings.Builder
	operators.WriteString("BT ")
	for i := range fonts {
		fmt.Fprintf(&operators, "/F%d 24 Tf <39> Tj ", i)
	}
	return newEditedFile(t, operators.String(), func(u *pdf.Update, page pdf.Dict) {
		all := pdf.Dict{}
		for i := range fonts {
			all[pdf.Name(fmt.Sprintf("F%d", i))] = u.Add(pdf.Dict{
				"Type": pdf.Name("Font"), "Subtype": pdf.Name("TrueType"), "FontDescriptor": addFontProgram(u, program(i), 4),
			})
		}
		page["Resources"] = pdf.Dict{"Font": all}
	})
}

// TestFontProgramsThatMapEveryCharacterCostNoMoreThanTheirLimit runs alone, so that it measures its allocations only.
func TestFontProgramsThatMapEveryCharacterCostNoMoreThanTheirLimit(t *testing.T) {
	file := newFontFile(t, 30, func(i int) []byte { return newMapProgram(uint32(32 + i)) })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := inspectFile(t, file, inspect.Limits{Fonts: 16 << 20})
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 300 {
		t.Errorf("%d MiB for %d bytes", took, len(file))
	}
	if got := kindsOf(found); len(got) != 1 || got[0] != "not_examined" {
		t.Errorf("%q", got)
	}
}

// TestAFontProgramThatIsNotReadCompletelyIsAFinding has more characters than are read.
func TestAFontProgramThatIsNotReadCompletelyIsAFinding(t *testing.T) {
	t.Parallel()
	file := newFontFile(t, 1, func(int) []byte { return newMapProgram(1) })
	if got := kindsOf(inspectFile(t, file, inspect.Limits{})); len(got) != 1 || got[0] != "not_examined" {
		t.Errorf("%q", got)
	}
}

// TestDigitsWithLongOutlinesCostNoMoreThanTheLimit has a thousand codes whose glyphs are all of a megabyte.
func TestDigitsWithLongOutlinesCostNoMoreThanTheLimit(t *testing.T) {
	const codes = 1000
	head := make([]byte, 54)
	head[51] = 1 // long offsets
	loca := make([]byte, 4, 4*codes)
	for i := range codes {
		at := uint32(0)
		if i%2 == 0 {
			at = 1 << 20
		}
		loca = binary.BigEndian.AppendUint32(loca, at)
	}
	program := newTables(map[string][]byte{"glyf": make([]byte, 1<<20), "head": head, "loca": loca})
	pairs, text := map[int]string{}, strings.Builder{}
	for code := range codes {
		pairs[code] = "1"
		fmt.Fprintf(&text, "%04x", code)
	}
	file := newEditedFile(t, "BT /N 24 Tf <"+text.String()+"> Tj ET", func(u *pdf.Update, page pdf.Dict) {
		kid := u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("CIDFontType2"), "FontDescriptor": addFontProgram(u, program, 4), "CIDToGIDMap": pdf.Name("Identity")})
		page["Resources"] = pdf.Dict{"Font": pdf.Dict{"N": u.Add(pdf.Dict{
			"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type0"), "Encoding": pdf.Name("Identity-H"), "DescendantFonts": pdf.Array{kid}, "ToUnicode": toUnicode(u, 2, pairs),
		})}}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := inspectFile(t, file, inspect.Limits{})
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 200 {
		t.Errorf("%d MiB for %d bytes", took, len(file))
	}
	if got := kindsOf(found); !slices.Contains(got, "not_examined") {
		t.Errorf("%q", got)
	}
}

// newTables is a TrueType program of tables.
func newTables(tables map[string][]byte) []byte {
	b := append([]byte("\x00\x01\x00\x00\x00"), byte(len(tables)))
	b = append(b, make([]byte, 6)...)
	at := len(b) + 16*len(tables)
	var body []byte
	for _, tag := range slices.Sorted(maps.Keys(tables)) {
		b = append(append(b, tag...), 0, 0, 0, 0)
		b = binary.BigEndian.AppendUint32(b, uint32(at+len(body)))
		b = binary.BigEndian.AppendUint32(b, uint32(len(tables[tag])))
		body = append(body, tables[tag]...)
	}
	return append(b, body...)
}

// TestActionsThatShareLongListsCostNoMoreThanTheLimit has a thousand objects that share one of each list. It runs alone, so that it
// measures its allocations only.
func TestActionsThatShareLongListsCostNoMoreThanTheLimit(t *testing.T) {
	const objects, elements = 1000, 50_000
	for name, build := range map[string]func(u *pdf.Update, page, root pdf.Dict){
		"actions that follow another": func(u *pdf.Update, page, _ pdf.Dict) {
			list, actions := u.Reserve(), pdf.Array{}
			for range elements {
				actions = append(actions, pdf.Integer(0))
			}
			for range objects {
				actions = append(actions, u.Add(pdf.Dict{"S": pdf.Name("GoTo"), "Next": list}))
			}
			u.Set(list, actions)
			page["AA"] = pdf.Dict{"O": actions[elements]}
		},
		"additional actions": func(u *pdf.Update, page, _ pdf.Dict) {
			events, annots := pdf.Dict{}, pdf.Array{}
			for i := range elements {
				events[pdf.Name(fmt.Sprintf("K%d", i))] = pdf.Integer(0)
			}
			shared := u.Add(events)
			for range objects {
				annots = append(annots, u.Add(pdf.Dict{"Subtype": pdf.Name("Link"), "AA": shared}))
			}
			page["Annots"] = annots
		},
		"names of files": func(u *pdf.Update, _, root pdf.Dict) {
			names, kids := pdf.Array{}, pdf.Array{}
			for range elements / 2 {
				names = append(names, pdf.TextString("a"), pdf.TextString("b"))
			}
			shared := u.Add(names)
			for range objects {
				kids = append(kids, u.Add(pdf.Dict{"Names": shared}))
			}
			root["Names"] = pdf.Dict{"EmbeddedFiles": pdf.Dict{"Kids": kids}}
		},
		"a long link": func(u *pdf.Update, page, _ pdf.Dict) {
			uri, annots := u.Add(pdf.TextString(strings.Repeat("a", 1<<20))), pdf.Array{}
			for range objects {
				annots = append(annots, u.Add(pdf.Dict{"Subtype": pdf.Name("Link"), "A": pdf.Dict{"S": pdf.Name("URI"), "URI": uri}}))
			}
			page["Annots"] = annots
		},
		"a long name of a file": func(u *pdf.Update, page, _ pdf.Dict) {
			file, annots := u.Add(pdf.TextString(strings.Repeat("a", 1<<20))), pdf.Array{}
			for range objects {
				annots = append(annots, u.Add(pdf.Dict{"Subtype": pdf.Name("Link"), "A": pdf.Dict{"S": pdf.Name("Launch"), "F": file}}))
			}
			page["Annots"] = annots
		},
	} {
		file := newEditedFile(t, "", func(u *pdf.Update, page pdf.Dict) {
			root, err := u.Edit(pdf.Ref{Number: pdftest.CatalogNumber})
			if err != nil {
				t.Fatal(err)
			}
			action := u.Add(pdf.Dict{"S": pdf.Name("JavaScript")}) // or the file is not searched
			root["OpenAction"] = action
			build(u, page, root)
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found := inspectFile(t, file, inspect.Limits{})
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 300 {
			t.Errorf("%s: %d MiB for %d bytes", name, took, len(file))
		}
		if got := kindsOf(found); !slices.Contains(got, "javascript") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
