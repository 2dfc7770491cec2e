package pdftest

import (
	"fmt"
	"slices"
	"strings"
)

func sortOddities(all []oddity) []oddity {
	slices.SortFunc(all, func(a, b oddity) int { return strings.Compare(a.name, b.name) })
	return all
}

func oddForms() []oddity {
	fields := func(value string, more ...string) func(l *layout) {
		return func(l *layout) {
			l.setEntry(formNumber, "Fields", value)
			for i, o := range more {
				l.objects[nextNumber+i] = o
			}
		}
	}
	form := func(value string) func(l *layout) {
		return func(l *layout) { l.setEntry(CatalogNumber, "AcroForm", value) }
	}
	all := []oddity{
		{"missing", form(""), Kept},
		{"null", form("null"), Kept},
		{"empty", form("<< >>"), Kept},
		{"direct", form("<< /Fields [11 0 R] >>"), Kept},
		{"direct, fields in an object", func(l *layout) { form("<< /Fields 13 0 R >>")(l); l.objects[13] = "[11 0 R]" }, Kept},
		{"integer", form("7"), Refused},
		{"array", form("[11 0 R]"), Refused},
		{"stream", form("6 0 R"), Refused},
		{"reference to a reference", func(l *layout) { form("13 0 R")(l); l.objects[13], l.plain[13] = "10 0 R", true }, Kept},
		{"catalog", func(l *layout) { form("1 0 R")(l); l.addEntries(CatalogNumber, "/Fields [11 0 R]") }, Refused},
		{"page", func(l *layout) { form("5 0 R")(l); l.addEntries(FirstPageNumber, "/Fields [11 0 R]") }, Refused},
		{"root of the pages", func(l *layout) { form("2 0 R")(l); l.addEntries(PagesNumber, "/Fields [11 0 R]") }, Refused},
		{"information dictionary", func(l *layout) { form("4 0 R")(l); l.addEntries(InfoNumber, "/Fields [11 0 R]") }, Kept},
		{"also something else", func(l *layout) {
			l.addEntries(CatalogNumber, "/Xyz << /A 10 0 R >>")
			l.addEntries(FirstPageNumber, "/PieceInfo << /A << /Private 10 0 R >> >>")
		}, Kept},
		{"also an entry of the trailer", func(l *layout) { l.trailer["Xyz"] = "[10 0 R 2 0 R 5 0 R]" }, Kept},
		{"also the names", func(l *layout) { l.addEntries(CatalogNumber, "/Names 10 0 R") }, Kept},
		{"also the appearance of a field", func(l *layout) { l.addEntries(appearanceNumber, "/Form 10 0 R /Fields 11 0 R") }, Kept},
		{"that its field names", func(l *layout) { l.addEntries(fieldNumber, "/Xyz 10 0 R /Root 1 0 R") }, Kept},

		{"fields missing", fields(""), Kept},
		{"fields null", fields("null"), Kept},
		{"fields empty", fields("[]"), Kept},
		{"fields in an object", fields("13 0 R", "[11 0 R]"), Kept},
		{"fields that do not exist", fields("@1 0 R"), Kept},
		{"fields dictionary", fields("<< /A 11 0 R >>"), Refused},
		{"fields integer", fields("7"), Refused},
		{"fields one field", fields("11 0 R"), Refused},
		{"fields with null", fields("[null 11 0 R null]"), Kept},
		{"fields with what does not exist", fields("[@1 0 R 11 0 R @3 0 R]"), Kept},
		{"fields with integers and strings", fields("[1 11 0 R (dua)]"), Kept},
		{"fields with arrays", fields("[[11 0 R] 11 0 R]"), Kept},
		{"fields with a stream", fields("[11 0 R 6 0 R]"), Kept},
		{"fields with a direct one", fields("[11 0 R << /FT /Tx /T (langsung) >>]"), Kept},
		{"fields with one twice", fields("[11 0 R 11 0 R]"), Kept},
		{"fields with a page", fields("[11 0 R 5 0 R]"), Kept},
		{"fields with both pages", fields("[5 0 R 7 0 R]"), Kept},
		{"fields with the root of the pages", fields("[2 0 R 11 0 R]"), Kept},
		{"fields with the catalog", fields("[1 0 R 11 0 R]"), Kept},
		{"fields with the form", fields("[10 0 R 11 0 R]"), Kept},
		{"fields with themselves", fields("13 0 R", "[11 0 R 13 0 R]"), Refused},
		{"fields are the kids of the page tree", func(l *layout) { fields("13 0 R", "[5 0 R 7 0 R]")(l); l.setEntry(PagesNumber, "Kids", "13 0 R") }, Refused},
		{"fields are the order of calculation", func(l *layout) { fields("13 0 R", "[11 0 R]")(l); l.addEntries(formNumber, "/CO 13 0 R") }, Kept},
		{"fields are something else", func(l *layout) { fields("13 0 R", "[11 0 R]")(l); l.addEntries(CatalogNumber, "/Xyz 13 0 R") }, Kept},

		{"kids loop to their field", fields("[13 0 R]", "<< /T (a) /Kids [13 0 R] >>"), Kept},
		{"kids loop over two fields", fields("[13 0 R]", "<< /T (a) /Kids [14 0 R] >>", "<< /T (b) /Parent 13 0 R /Kids [13 0 R] >>"), Kept},
		{"kids are pages", fields("[13 0 R]", "<< /T (a) /FT /Tx /Kids [5 0 R 7 0 R] >>"), Kept},
		{"kids are the root of the pages", fields("[13 0 R]", "<< /T (a) /FT /Tx /Kids [2 0 R] >>"), Kept},
		{"kids are the catalog", fields("[13 0 R]", "<< /T (a) /FT /Tx /Kids [1 0 R] >>"), Kept},
		{"kids are the form", fields("[13 0 R]", "<< /T (a) /FT /Tx /Kids [10 0 R] >>"), Kept},
		{"kids are the fields", fields("13 0 R", "[14 0 R]", "<< /T (a) /FT /Tx /Kids 13 0 R >>"), Refused},
		{"kids are the annotations", func(l *layout) {
			fields("[13 0 R]", "<< /T (a) /FT /Tx /Kids 14 0 R >>", "[11 0 R]")(l)
			l.setEntry(FirstPageNumber, "Annots", "14 0 R")
		}, Refused},
		{"kids integer", fields("[11 0 R 13 0 R]", "<< /T (a) /FT /Tx /Kids 7 >>"), Refused},
		{"kids null", fields("[11 0 R 13 0 R]", "<< /T (a) /FT /Tx /Kids [null null] >>"), Kept},
		{"deep fields", func(l *layout) {
			fields("[20 0 R]")(l)
			for i := range 60 {
				l.objects[20+i] = fmt.Sprintf("<< /T (t%d) /Kids [%d 0 R] >>", i, 21+i)
			}
			l.objects[80] = "<< /T (akhir) /FT /Tx >>"
		}, Kept},
		{"fields too deep", func(l *layout) {
			fields("[20 0 R]")(l)
			for i := range 200 {
				l.objects[20+i] = fmt.Sprintf("<< /T (t%d) /Kids [%d 0 R] >>", i, 21+i)
			}
			l.objects[220] = "<< /T (akhir) /FT /Tx >>"
		}, Refused},

		{"field without a name", func(l *layout) { l.setEntry(fieldNumber, "T", "") }, Kept},
		{"field with an empty name", func(l *layout) { l.setEntry(fieldNumber, "T", "()") }, Kept},
		{"field with a number for a name", func(l *layout) { l.setEntry(fieldNumber, "T", "7") }, Refused},
		{"field with periods in its name", func(l *layout) { l.setEntry(fieldNumber, "T", "(a.b..c)") }, Kept},
		{"fields of one name", fields("[11 0 R 13 0 R]", "<< /FT /Tx /T (nama) >>"), Kept},
		{"field without a type", func(l *layout) { l.setEntry(fieldNumber, "FT", "") }, Kept},
		{"field with a string for a type", func(l *layout) { l.setEntry(fieldNumber, "FT", "(Tx)") }, Refused},
		{"field with a name for flags", func(l *layout) { l.addEntries(fieldNumber, "/Ff /Satu") }, Refused},
		{"field whose value does not exist", func(l *layout) { l.setEntry(fieldNumber, "V", "@1 0 R") }, Kept},
		{"field whose value is the page", func(l *layout) { l.setEntry(fieldNumber, "V", "5 0 R") }, Kept},
		{"field whose value is the catalog", func(l *layout) { l.setEntry(fieldNumber, "V", "1 0 R") }, Kept},
		{"empty signature field", fields("[11 0 R 13 0 R]", "<< /FT /Sig /T (kosong) >>"), Kept},
		{"signature field with null", fields("[11 0 R 13 0 R]", "<< /FT /Sig /T (kosong) /V null >>"), Kept},
		{"signature field whose value does not exist", fields("[11 0 R 13 0 R]", "<< /FT /Sig /T (kosong) /V @3 0 R >>"), Kept},
		{"signature field with an empty value", fields("[11 0 R 13 0 R]", "<< /FT /Sig /T (kosong) /V << >> >>"), Refused},
		{"signature field with a string", fields("[11 0 R 13 0 R]", "<< /FT /Sig /T (kosong) /V (x) >>"), Refused},

		{"flags of the form are a name", func(l *layout) { l.addEntries(formNumber, "/SigFlags /Satu") }, Refused},
		{"flags of the form do not exist", func(l *layout) { l.addEntries(formNumber, "/SigFlags @1 0 R") }, Kept},
		{"flags of the form in an object", func(l *layout) { l.addEntries(formNumber, "/SigFlags 13 0 R"); l.objects[13] = "0" }, Kept},
		{"flags of the form are real", func(l *layout) { l.addEntries(formNumber, "/SigFlags 3.0") }, Kept},
		{"flags of the form are high", func(l *layout) { l.addEntries(formNumber, "/SigFlags 2147483647") }, Kept},
		{"flags of the form are negative", func(l *layout) { l.addEntries(formNumber, "/SigFlags -1") }, Kept},
		{"appearances needed", func(l *layout) { l.addEntries(formNumber, "/NeedAppearances true") }, Kept},
		{"resources are those of the page", func(l *layout) {
			l.objects[13] = "<< /Font << /F1 3 0 R /Helv 3 0 R >> >>"
			l.setEntry(formNumber, "DR", "13 0 R")
			l.setEntry(FirstPageNumber, "Resources", "13 0 R")
		}, Kept},
		{"resources are an integer", func(l *layout) { l.setEntry(formNumber, "DR", "7") }, Kept},
	}
	for name, ref := range map[string]string{
		"root of the pages": "2 0 R", "page": "5 0 R", "other page": "7 0 R", "catalog": "1 0 R", "form": "10 0 R", "itself": "11 0 R", "nothing": "@1 0 R", "font": "3 0 R",
		"contents": "6 0 R", "information dictionary": "4 0 R", "list": "[5 0 R]", "integer": "7",
	} {
		all = append(all, oddity{"field whose parent is " + name, func(l *layout) { l.addEntries(fieldNumber, "/Parent "+ref) }, Kept},
			oddity{"widget without a name whose parent is " + name, func(l *layout) {
				l.setEntry(fieldNumber, "T", "")
				l.addEntries(fieldNumber, "/Parent "+ref)
			}, Kept})
	}
	all = append(all,
		oddity{"field whose parent does not list it", func(l *layout) {
			l.objects[13] = "<< /T (induk) /FT /Tx /Kids [] /DA (/Helv 9 Tf 0 g) >>"
			l.addEntries(fieldNumber, "/Parent 13 0 R")
		}, Kept},
		oddity{"field whose parents run in circles", func(l *layout) {
			l.objects[13], l.objects[14] = "<< /T (a) /Parent 14 0 R >>", "<< /T (b) /Parent 13 0 R >>"
			l.addEntries(fieldNumber, "/Parent 13 0 R")
		}, Kept},
	)
	return sortOddities(all)
}

func oddTrailers() []oddity {
	put := func(pairs ...string) func(l *layout) {
		return func(l *layout) {
			for i := 0; i < len(pairs); i += 2 {
				l.trailer[pairs[i]] = pairs[i+1]
			}
		}
	}
	return sortOddities([]oddity{
		{"unknown entries", put("Xyz", "7", "Abc", "/A", "Def", "(x)", "Ghi", "[1 2]", "Jkl", "<< /A 1 >>"), Kept},
		{"unknown entries that lead into the file", put("Xyz", "[5 0 R 1 0 R]", "Abc", "<< /Form 10 0 R /Field 11 0 R >>", "Def", "3 0 R"), Kept},
		{"entries of a stream", put("W", "[1 2 1]", "Index", "[0 1]", "Type", "/XRef", "Length", "0", "Filter", "/FlateDecode"), Kept},
		{"encryption null", put("Encrypt", "null"), Kept},
		{"encryption that does not exist", put("Encrypt", "@1 0 R"), Refused},
		{"earlier section null", put("Prev", "null"), Kept},
		{"earlier section at 0", put("Prev", "0"), Kept},
		{"stream beside at 0", put("XRefStm", "0"), Kept},
		{"earlier section beyond the end", put("Prev", "99999999"), Rewritten},
		{"earlier section negative", put("Prev", "-1"), Rewritten},
		{"earlier section is no section", put("Prev", "20"), Rewritten},
		{"earlier section real", put("Prev", "0.0"), Rewritten},
		{"catalog direct", put("Root", "<< /Type /Catalog /Pages 2 0 R >>"), Rewritten},
		{"catalog missing", put("Root", ""), Rewritten},
		{"catalog does not exist", put("Root", "@1 0 R"), Refused},
		{"catalog is the pages", put("Root", "2 0 R"), Refused},
		{"information missing", put("Info", ""), Kept},
		{"information null", put("Info", "null"), Kept},
		{"information direct", put("Info", "<< /Title (x) >>"), Kept},
		{"information is an integer", put("Info", "7"), Kept},
		{"information is the catalog", put("Info", "1 0 R"), Kept},
		{"information is the form", put("Info", "10 0 R"), Kept},
		{"information is a page", put("Info", "5 0 R"), Kept},
		{"information is a stream", put("Info", "6 0 R"), Kept},
	})
}

func oddCatalogs() []oddity {
	put := func(entries string, more ...string) func(l *layout) {
		return func(l *layout) {
			l.addEntries(CatalogNumber, entries)
			for i, o := range more {
				l.objects[nextNumber+i] = o
			}
		}
	}
	all := []oddity{
		{"extensions null", put("/Extensions null"), Kept},
		{"extensions in an object", put("/Extensions 13 0 R", "<< /ADBE << /BaseVersion /1.7 /ExtensionLevel 3 >> >>"), Kept},
		{"extensions in an object that is something else", put("/Extensions 13 0 R /Xyz 13 0 R", "<< /ADBE << /BaseVersion /1.7 /ExtensionLevel 3 >> >>"), Kept},
		{"extension in an object", put("/Extensions << /ESIC 13 0 R >>", "<< /BaseVersion /1.7 /ExtensionLevel 1 >>"), Kept},
		{"extension twice", put("/Extensions << /ESIC [<< /BaseVersion /1.7 /ExtensionLevel 1 >> << /BaseVersion /1.7 /ExtensionLevel 2 >>] >>"), Kept},
		{"extensions integer", put("/Extensions 7"), Refused},
		{"extensions array", put("/Extensions [1]"), Refused},
		{"extension integer", put("/Extensions << /ESIC 7 >>"), Refused},
		{"extension of a level that is a name", put("/Extensions << /ESIC << /BaseVersion /1.7 /ExtensionLevel /A >> >>"), Refused},
		{"extensions are the catalog", put("/Extensions 1 0 R"), Kept},
		{"extensions are the form", put("/Extensions 10 0 R"), Kept},
		{"version", put("/Version /1.4"), Kept},
		{"version string", put("/Version (1.7)"), Kept},
		{"version high", put("/Version /9.9"), Kept},
		{"permissions null", put("/Perms null"), Kept},
		{"permissions integer", put("/Perms 7"), Kept},
		{"permissions empty", put("/Perms << >>"), Kept},
		{"certification that does not exist", put("/Perms << /DocMDP @1 0 R >>"), Kept},
		{"metadata integer", put("/Metadata 7"), Kept},
		{"metadata dictionary", put("/Metadata << /A 1 >>"), Kept},
		{"security store null", put("/DSS null"), Kept},
		{"security store empty", put("/DSS << >>"), Kept},
		{"security store in an object", put("/DSS 13 0 R", "<< /Type /DSS /Certs [] /CRLs [] >>"), Kept},
		{"security store in an object that is something else", put("/DSS 13 0 R /Xyz [13 0 R]", "<< /Type /DSS /Certs 14 0 R /CRLs 14 0 R >>", "[]"), Kept},
		{"security store in an object of the trailer", func(l *layout) {
			put("/DSS 13 0 R", "<< /Type /DSS /Certs [] >>")(l)
			l.trailer["AdditionalStreams"] = "[/application#2Fvnd 13 0 R]"
		}, Kept},
		{"security store whose lists are one", put("/DSS 13 0 R", "<< /Certs 14 0 R /OCSPs 14 0 R /CRLs 14 0 R >>", "[]"), Kept},
		{"security store whose lists do not exist", put("/DSS 13 0 R", "<< /Certs @3 0 R /OCSPs @4 0 R /CRLs @5 0 R /VRI @6 0 R >>"), Kept},
		{"security store integer", put("/DSS 7"), Refused},
		{"security store array", put("/DSS [1]"), Refused},
		{"security store with an integer for a list", put("/DSS << /Certs 7 >>"), Refused},
		{"security store with a dictionary for a list", put("/DSS << /CRLs << >> >>"), Refused},
		{"security store with integers in a list", put("/DSS << /Certs [1 2] >>"), Kept},
		{"security store with what does not exist in a list", put("/DSS << /Certs [@1 0 R @2 0 R] >>"), Kept},
		{"security store with an integer for its signatures", put("/DSS << /VRI 7 >>"), Refused},
		{"security store is the catalog", put("/DSS 1 0 R"), Refused},
		{"security store is the form", put("/DSS 10 0 R"), Refused},
		{"security store is a page", put("/DSS 5 0 R"), Refused},
		{"page labels are the pages", put("/PageLabels 2 0 R"), Kept},
		{"opens the page", put("/OpenAction [5 0 R /Fit]"), Kept},
		{"opens what does not exist", put("/OpenAction @1 0 R"), Kept},
		{"names of pages", put("/Dests << /A [5 0 R /Fit] /B 5 0 R /C << /D [2 0 R /Fit] >> >>"), Kept},
		{"layers", put("/OCProperties << /OCGs [13 0 R] /D << /ON [13 0 R] /Order [13 0 R [5 0 R]] >> >>", "<< /Type /OCG /Name (lapis) >>"), Kept},
		{"catalog without a type", func(l *layout) { l.setEntry(CatalogNumber, "Type", "") }, Kept},
		{"catalog of another type", func(l *layout) { l.setEntry(CatalogNumber, "Type", "/Katalog") }, Kept},
	}
	const marked = "/MarkInfo << /Marked true >> "
	for name, tree := range map[string][]string{
		"does not exist":           {"@1 0 R"},
		"null":                     {"null"},
		"integer":                  {"7"},
		"empty":                    {"13 0 R", "<< /Type /StructTreeRoot >>"},
		"direct":                   {"<< /Type /StructTreeRoot /ParentTree << /Nums [] >> >>"},
		"parents direct":           {"13 0 R", "<< /Type /StructTreeRoot /ParentTree << /Nums [] >> >>"},
		"parents in an object":     {"13 0 R", "<< /Type /StructTreeRoot /ParentTree 14 0 R >>", "<< /Nums [] >>"},
		"parents do not exist":     {"13 0 R", "<< /Type /StructTreeRoot /ParentTree @3 0 R >>"},
		"parents integer":          {"13 0 R", "<< /Type /StructTreeRoot /ParentTree 7 >>"},
		"numbers integer":          {"13 0 R", "<< /Type /StructTreeRoot /ParentTree << /Nums 7 >> >>"},
		"numbers that are none":    {"13 0 R", "<< /Type /StructTreeRoot /ParentTree << /Nums [/A 5 0 R] >> >>"},
		"numbers shared":           {"13 0 R", "<< /Type /StructTreeRoot /ParentTree << /Nums 14 0 R >> /Xyz 14 0 R >>", "[]"},
		"kids integer":             {"13 0 R", "<< /Type /StructTreeRoot /K 7 /ParentTree << /Nums [] >> >>"},
		"kids are a page":          {"13 0 R", "<< /Type /StructTreeRoot /K 5 0 R /ParentTree << /Nums [] >> >>"},
		"kids are the catalog":     {"13 0 R", "<< /Type /StructTreeRoot /K [1 0 R] /ParentTree << /Nums [] >> >>"},
		"kids are themselves":      {"13 0 R", "<< /Type /StructTreeRoot /K 13 0 R /ParentTree << /Nums [] >> >>"},
		"kids loop":                {"13 0 R", "<< /Type /StructTreeRoot /K 14 0 R /ParentTree << /Nums [] >> >>", "<< /Type /StructElem /S /Document /P 13 0 R /K [14 0 R] >>"},
		"kids are an object":       {"13 0 R", "<< /Type /StructTreeRoot /K 14 0 R /ParentTree << /Nums [] >> >>", "[15 0 R]", "<< /Type /StructElem /S /Document /P 13 0 R >>"},
		"document that is shared":  {"13 0 R", "<< /Type /StructTreeRoot /K 14 0 R /IDTree 14 0 R /ParentTree << /Nums [0 14 0 R] >> >>", "<< /Type /StructElem /S /Document /P 13 0 R /Pg 5 0 R >>"},
		"is the catalog":           {"1 0 R"},
		"is the form":              {"10 0 R"},
		"is the root of the pages": {"2 0 R"},
		"next key is a name":       {"13 0 R", "<< /Type /StructTreeRoot /ParentTree << /Nums [] >> /ParentTreeNextKey /A >>"},
		"next key is too high":     {"13 0 R", "<< /Type /StructTreeRoot /ParentTree << /Nums [] >> /ParentTreeNextKey 9223372036854775807 >>"},
	} {
		all = append(all, oddity{"structure tree " + name, put(marked+"/StructTreeRoot "+tree[0], tree[1:]...), Kept})
	}
	return sortOddities(all)
}

// oddRevisions are files to which something was appended, hybrid files, and the like.
func oddRevisions() []OddFile {
	base := func() []byte { return newLayout().buildFile(false) }
	start := func(b []byte) int { return strings.LastIndex(string(b[:len(b)-20]), "xref\n0 1") }
	// update appends objects in a section of its own.
	update := func(b []byte, trailer string, objects map[int]string) []byte {
		at := map[int]int{}
		for _, n := range slices.Sorted(slices.Values(listKeys(objects))) {
			at[n] = len(b)
			b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", n, objects[n])
		}
		x := len(b)
		b = append(b, "xref\n0 1\n0000000000 65535 f \n"...)
		for _, n := range slices.Sorted(slices.Values(listKeys(objects))) {
			b = fmt.Appendf(b, "%d 1\n%010d 00000 n \n", n, at[n])
		}
		return fmt.Appendf(b, "trailer\n<< /Root 1 0 R /ID %s %s >>\nstartxref\n%d\n%%%%EOF\n", fileID, trailer, x)
	}
	contents := func(text string) string {
		return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text)
	}
	other := map[int]string{6: contents("BT /F1 24 Tf 72 720 Td (Lain) Tj ET")}
	l := newLayout()
	prev := func(b []byte) string { return fmt.Sprintf("/Size 13 /Prev %d", start(b)) }
	b := base()
	complete := map[int]string{}
	for n, o := range l.objects {
		if data, ok := l.streams[n]; ok {
			o = strings.TrimSuffix(strings.TrimSpace(o), ">>") + fmt.Sprintf(" /Length %d >>\nstream\n%s\nendstream", len(data), data)
		}
		complete[n] = o
	}
	withoutFont := map[int]string{}
	for n, o := range complete {
		if n != FontNumber {
			withoutFont[n] = o
		}
	}
	superseded := base()
	superseded = update(superseded, prev(base()), map[int]string{3: "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Xyz [14 0 R 16 0 R 18 0 R] >>"})
	middle := strings.LastIndex(string(superseded[:len(superseded)-20]), "xref\n0 1")
	superseded = update(superseded, fmt.Sprintf("/Size 13 /Prev %d", middle), map[int]string{3: l.objects[3]})

	streams := newLayout()
	streams.addEntries(FontNumber, "/Xyz [@4 0 R @6 0 R]")
	inStream := streams.buildFile(true)
	inStream = update(inStream, fmt.Sprintf("/Size 15 /Prev %d", strings.LastIndex(string(inStream), "14 0 obj")), map[int]string{3: l.objects[3]})

	all := []OddFile{
		{"revisions/sound", update(base(), prev(b), other), Kept},
		{"revisions/earlier section at 0", update(base(), "/Size 13 /Prev 0", other), Rewritten},
		{"revisions/earlier section at 0, with the catalog", update(base(), "/Size 13 /Prev 0", map[int]string{1: l.objects[1], 6: other[6]}), Rewritten},
		{"revisions/earlier section at 0, complete", update(base(), "/Size 13 /Prev 0", complete), Rewritten},
		{"revisions/earlier section at 0, without the font", update(base(), "/Size 13 /Prev 0", withoutFont), Rewritten},
		{"revisions/no earlier section", update(base(), "/Size 13", other), Rewritten},
		{"revisions/no earlier section, with the catalog", update(base(), "/Size 13", map[int]string{1: l.objects[1], 6: other[6]}), Rewritten},
		{"revisions/no earlier section, complete", update(base(), "/Size 13", complete), Kept},
		{"revisions/superseded object refers to nothing", superseded, Kept},
		{"revisions/superseded object in a stream refers to nothing", inStream, Kept},
		{"revisions/hybrid", Hybrid(2), Kept},
		{"revisions/hybrid, updated", update(Hybrid(2), fmt.Sprintf("/Size 12 /Prev %d", strings.LastIndex(string(Hybrid(2)), "xref\n0 ")), map[int]string{3: l.objects[3]}), Kept},
		{"revisions/linearized", Linearized(2), Kept},
		{"revisions/junk before the header", append([]byte("sampah\n"), base()...), Rewritten},
		{"revisions/junk behind the end", append(base(), "sampah\n"...), Kept},
	}
	return all
}

func listKeys(m map[int]string) []int {
	var all []int
	for k := range m {
		all = append(all, k)
	}
	return all
}
