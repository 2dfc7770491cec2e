package pdftest

import (
	"fmt"
	"strings"
)

// pageDict is the dictionary of a page of its own.
func pageDict(entries string) string {
	return "<< /Type /Page /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> " + entries + " >>"
}

// setKids replaces the kids of the root, and what it counts.
func (l *layout) setKids(kids, count string) {
	l.setEntry(PagesNumber, "Kids", kids)
	l.setEntry(PagesNumber, "Count", count)
}

func oddTrees() []oddity {
	all := []oddity{
		{"root as a kid", func(l *layout) { l.setKids("[2 0 R 5 0 R 7 0 R]", "2") }, Refused},
		{"catalog as a kid", func(l *layout) { l.setKids("[5 0 R 7 0 R 1 0 R]", "2") }, Refused},
		{"form as a kid", func(l *layout) { l.setKids("[5 0 R 7 0 R 10 0 R]", "2") }, Refused},
		{"field as a kid", func(l *layout) { l.setKids("[5 0 R 7 0 R 11 0 R]", "2") }, Refused},
		{"stream as a kid", func(l *layout) { l.setKids("[5 0 R 7 0 R 6 0 R]", "2") }, Refused},
		{"integer as a kid", func(l *layout) { l.setKids("[5 0 R 7 0 R 9]", "2") }, Refused},
		{"string as a kid", func(l *layout) { l.setKids("[5 0 R (tujuh) 7 0 R]", "2") }, Refused},
		{"null as a kid", func(l *layout) { l.setKids("[5 0 R null 7 0 R]", "2") }, Rewritten},
		{"kid that does not exist", func(l *layout) { l.setKids("[5 0 R 7 0 R @1 0 R]", "2") }, Rewritten},
		{"kid that is counted and does not exist", func(l *layout) { l.setKids("[5 0 R 7 0 R @1 0 R]", "3") }, Rewritten},
		{"direct kid", func(l *layout) { l.setKids("[5 0 R 7 0 R "+pageDict("/Parent 2 0 R")+"]", "3") }, Rewritten},
		{"page twice in a row", func(l *layout) { l.setKids("[5 0 R 5 0 R 7 0 R]", "3") }, Rewritten},
		{"page twice", func(l *layout) { l.setKids("[5 0 R 7 0 R 5 0 R]", "3") }, Rewritten},
		{"page twice in two nodes", func(l *layout) {
			l.setKids("[13 0 R 14 0 R]", "4")
			l.objects[13] = "<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [5 0 R 7 0 R] >>"
			l.objects[14] = "<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [7 0 R 5 0 R] >>"
		}, Rewritten},
		{"node twice", func(l *layout) {
			l.setKids("[13 0 R 13 0 R]", "4")
			l.objects[13] = "<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [5 0 R 7 0 R] >>"
		}, Rewritten},
		{"two nodes that share their kids", func(l *layout) {
			l.setKids("[13 0 R 14 0 R]", "4")
			l.objects[13] = "<< /Type /Pages /Parent 2 0 R /Count 2 /Kids 15 0 R >>"
			l.objects[14] = "<< /Type /Pages /Parent 2 0 R /Count 2 /Kids 15 0 R >>"
			l.objects[15] = "[5 0 R 7 0 R]"
		}, Rewritten},
		{"kids in an object", func(l *layout) { l.setKids("13 0 R", "2"); l.objects[13] = "[5 0 R 7 0 R]" }, Kept},
		{"kids that are a dictionary", func(l *layout) { l.setKids("<< /A 5 0 R >>", "2") }, Refused},
		{"kids that are an integer", func(l *layout) { l.setKids("5", "2") }, Refused},
		{"kids that are a page", func(l *layout) { l.setKids("5 0 R", "1") }, Refused},
		{"kids that do not exist", func(l *layout) { l.setKids("@1 0 R", "2") }, Refused},
		{"no kids", func(l *layout) { l.setKids("", "2") }, Refused},
		{"no pages", func(l *layout) { l.setKids("[]", "0") }, Refused},
		{"empty node", func(l *layout) {
			l.setKids("[5 0 R 13 0 R 7 0 R]", "2")
			l.objects[13] = "<< /Type /Pages /Parent 2 0 R /Count 0 /Kids [] >>"
		}, Kept},
		{"node above the root", func(l *layout) { l.addEntries(PagesNumber, "/Parent 7 0 R") }, Kept},
		{"circle of two nodes", func(l *layout) {
			l.setKids("[5 0 R 13 0 R]", "3")
			l.objects[13] = "<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [7 0 R 2 0 R] >>"
		}, Refused},
		{"root without a type", func(l *layout) { l.setEntry(PagesNumber, "Type", "") }, Kept},
		{"root of the type of pages", func(l *layout) { l.setEntry(PagesNumber, "Type", "/Page") }, Kept},
		{"root of the type of catalogs", func(l *layout) { l.setEntry(PagesNumber, "Type", "/Catalog") }, Kept},
		{"page without a type", func(l *layout) { l.setEntry(FirstPageNumber, "Type", "") }, Kept},
		{"page of the type of nodes", func(l *layout) { l.setEntry(secondPageNumber, "Type", "/Pages") }, Rewritten},
		{"page of another type", func(l *layout) { l.setEntry(FirstPageNumber, "Type", "/Template") }, Refused},
		{"page whose type is in an object", func(l *layout) { l.setEntry(FirstPageNumber, "Type", "13 0 R"); l.objects[13] = "/Page" }, Kept},
		{"page with kids", func(l *layout) { l.addEntries(FirstPageNumber, "/Kids [11 0 R]") }, Refused},
		{"page with empty kids", func(l *layout) { l.addEntries(FirstPageNumber, "/Kids []") }, Rewritten},
		{"page in the place of the root", func(l *layout) { l.setEntry(CatalogNumber, "Pages", "5 0 R") }, Refused},
		{"catalog in the place of the root", func(l *layout) {
			l.setEntry(CatalogNumber, "Pages", "1 0 R")
			l.addEntries(CatalogNumber, "/Kids [5 0 R 7 0 R] /Count 2")
		}, Refused},
		{"root that is direct", func(l *layout) {
			l.setEntry(CatalogNumber, "Pages", "<< /Type /Pages /Kids [5 0 R 7 0 R] /Count 2 /MediaBox [0 0 595 842] >>")
		}, Refused},
		{"root that does not exist", func(l *layout) { l.setEntry(CatalogNumber, "Pages", "@1 0 R") }, Refused},
		{"root that is an integer", func(l *layout) { l.setEntry(CatalogNumber, "Pages", "2") }, Refused},
		{"page that is the outlines too", func(l *layout) { l.addEntries(CatalogNumber, "/Outlines 5 0 R /Xyz [5 0 R]") }, Kept},
		{"root that is the names too", func(l *layout) { l.addEntries(CatalogNumber, "/Names 2 0 R") }, Kept},
		{"page that is its own resources", func(l *layout) {
			l.setEntry(FirstPageNumber, "Resources", "5 0 R")
			l.addEntries(FirstPageNumber, "/Font << /F1 3 0 R >>")
		}, Kept},
		{"page that its resources name", func(l *layout) {
			l.setEntry(FirstPageNumber, "Resources", "<< /Font << /F1 3 0 R >> /Properties << /MC0 << /Page 5 0 R /Tree 2 0 R /Root 1 0 R >> >> >>")
		}, Kept},
		{"page that its contents name", func(l *layout) { l.addEntries(FirstPageNumber+1, "/Page 5 0 R /Root 1 0 R") }, Kept},
		{"page that an appearance names", func(l *layout) { l.addEntries(appearanceNumber, "/Page 5 0 R /Root 1 0 R /Form 10 0 R") }, Kept},
		{"page in its list of annotations", func(l *layout) { l.setEntry(FirstPageNumber, "Annots", "[11 0 R 5 0 R]") }, Kept},
		{"boxes in objects", func(l *layout) {
			l.addEntries(FirstPageNumber, "/MediaBox 13 0 R /Rotate 14 0 R")
			l.objects[13], l.objects[14] = "[0 0 595 842]", "90"
		}, Kept},
		{"no box anywhere", func(l *layout) { l.setEntry(PagesNumber, "MediaBox", "") }, Kept},
		{"box that is none", func(l *layout) { l.addEntries(FirstPageNumber, "/MediaBox [0 0 (a) /B] /CropBox 7 /Rotate /X") }, Kept},
		{"deep tree", func(l *layout) {
			l.setKids("[20 0 R]", "2")
			for i := range 40 {
				l.objects[20+i] = fmt.Sprintf("<< /Type /Pages /Parent %d 0 R /Count 2 /Kids [%d 0 R] >>", max(2, 19+i)*min(i, 1)+2*(1-min(i, 1)), 21+i)
			}
			l.objects[60] = "<< /Type /Pages /Parent 59 0 R /Count 2 /Kids [5 0 R 7 0 R] >>"
			l.setEntry(FirstPageNumber, "Parent", "60 0 R")
			l.setEntry(secondPageNumber, "Parent", "60 0 R")
		}, Kept},
	}
	for _, count := range []string{"", "0", "1", "3", "100", "-2", "2.0", "(dua)", "@1 0 R", "2147483648"} {
		fate := Rewritten
		if count == "2.0" {
			fate = Kept
		}
		all = append(all, oddity{"count " + count, func(l *layout) { l.setEntry(PagesNumber, "Count", count) }, fate})
	}
	// A parent that is not the page's: other readers inherit by it.
	for name, parent := range map[string]string{
		"missing": "", "catalog": "1 0 R", "itself": "5 0 R", "other page": "7 0 R", "nothing": "@1 0 R", "font": "3 0 R", "form": "10 0 R", "integer": "2", "field": "11 0 R",
	} {
		fate := Rewritten
		if name == "other page" {
			fate = Kept // it has the same boxes from the root
		}
		all = append(all,
			oddity{"parent " + name + ", boxes inherited", func(l *layout) { l.setEntry(FirstPageNumber, "Parent", parent) }, fate},
			oddity{"parent " + name + ", nothing inherited", func(l *layout) {
				box := "[0 0 595.28 841.89]"
				l.setEntry(PagesNumber, "MediaBox", "")
				l.setEntry(FirstPageNumber, "Parent", parent)
				l.addEntries(FirstPageNumber, "/MediaBox "+box)
				l.addEntries(secondPageNumber, "/MediaBox "+box)
			}, Kept},
		)
	}
	all = append(all, oddity{"parent turned otherwise", func(l *layout) {
		l.setEntry(FirstPageNumber, "Parent", "13 0 R")
		l.objects[13] = "<< /Type /Pages /Rotate 90 /MediaBox [0 0 100 100] /Kids [5 0 R] /Count 1 >>"
	}, Rewritten})
	return sortOddities(all)
}

func oddAnnots() []oddity {
	annots := func(value string, more ...string) func(l *layout) {
		return func(l *layout) {
			l.setEntry(FirstPageNumber, "Annots", value)
			for i, o := range more {
				l.objects[nextNumber+i] = o
			}
		}
	}
	link := "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Border [0 0 0] %s >>"
	all := []oddity{
		{"in an object", annots("13 0 R", "[11 0 R]"), Kept},
		{"shared by both pages", func(l *layout) { annots("13 0 R", "[11 0 R]")(l); l.addEntries(secondPageNumber, "/Annots 13 0 R") }, Kept},
		{"also the fields of the form", func(l *layout) { annots("13 0 R", "[11 0 R]")(l); l.setEntry(formNumber, "Fields", "13 0 R") }, Kept},
		{"of the second page also the fields of the form", func(l *layout) {
			l.objects[13] = "[11 0 R]"
			l.setEntry(FirstPageNumber, "Annots", "")
			l.addEntries(secondPageNumber, "/Annots 13 0 R")
			l.setEntry(formNumber, "Fields", "13 0 R")
		}, Kept},
		{"also the order of calculation", func(l *layout) { annots("13 0 R", "[11 0 R]")(l); l.addEntries(formNumber, "/CO 13 0 R") }, Kept},
		{"also something else", func(l *layout) { annots("13 0 R", "[11 0 R]")(l); l.addEntries(CatalogNumber, "/Xyz << /A 13 0 R >>") }, Kept},
		{"also the kids of the page tree", func(l *layout) { annots("13 0 R", "[5 0 R 7 0 R]")(l); l.setEntry(PagesNumber, "Kids", "13 0 R") }, Refused},
		{"null", annots("null"), Kept},
		{"empty", annots("[]"), Kept},
		{"that do not exist", annots("@1 0 R"), Kept},
		{"dictionary", annots("<< /A 11 0 R >>"), Refused},
		{"one annotation", annots("11 0 R"), Refused},
		{"integer", annots("7"), Refused},
		{"integer in an object", annots("13 0 R", "7"), Refused},
		{"of the second page are an integer", func(l *layout) { l.addEntries(secondPageNumber, "/Annots 7") }, Refused},
		{"with null", annots("[null 11 0 R null]"), Kept},
		{"with integers", annots("[1 11 0 R 2 (tiga)]"), Kept},
		{"with what does not exist", annots("[@1 0 R 11 0 R @3 0 R]"), Kept},
		{"with a direct one", annots("[11 0 R " + fmt.Sprintf(link, "") + "]"), Kept},
		{"with a page", annots("[11 0 R 7 0 R]"), Kept},
		{"with the root of the pages", annots("[11 0 R 2 0 R]"), Kept},
		{"with the catalog", annots("[11 0 R 1 0 R]"), Kept},
		{"with the form", annots("[11 0 R 10 0 R]"), Kept},
		{"with a stream", annots("[11 0 R 6 0 R]"), Kept},
		{"with itself", annots("13 0 R", "[11 0 R 13 0 R]"), Refused},
		{"with one twice", annots("[11 0 R 11 0 R]"), Kept},
		{"with one that is on both pages", func(l *layout) { l.addEntries(secondPageNumber, "/Annots [11 0 R]") }, Kept},
		{"with the page of another", annots("[11 0 R 13 0 R]", fmt.Sprintf(link, "/P 7 0 R")), Kept},
	}
	for name, ref := range map[string]string{"page": "5 0 R", "root of the pages": "2 0 R", "catalog": "1 0 R", "form": "10 0 R", "itself": "13 0 R", "nothing": "@1 0 R", "list of annotations": "[11 0 R]"} {
		for _, key := range []string{"Parent", "P", "Popup", "IRT", "AP", "A", "OC", "Xyz", "StructParent", "Dest", "Kids"} {
			all = append(all, oddity{fmt.Sprintf("link whose %s is %s", key, name), annots("[11 0 R 13 0 R]", fmt.Sprintf(link, "/"+key+" "+ref)), Kept})
		}
	}
	return sortOddities(all)
}

func oddNumbers() []oddity {
	move := func(n, to int) func(l *layout) {
		return func(l *layout) { l.renumberObject(n, to) }
	}
	return sortOddities([]oddity{
		{"high", move(FontNumber, 100_000), Kept},
		{"very high", move(FontNumber, 8_000_000), Kept},
		{"no numbers left", move(FontNumber, 8_388_600), Refused},
		{"highest", move(FontNumber, 8_388_607), Refused},
		{"above the highest", move(FontNumber, 8_388_608), Refused},
		{"high catalog and pages", func(l *layout) {
			l.renumberObject(FirstPageNumber, 70_001)
			l.renumberObject(PagesNumber, 70_000)
			l.renumberObject(formNumber, 65_536)
		}, Kept},
		{"free entries", func(l *layout) { l.free[9], l.free[20], l.free[21] = true, true, true }, Kept},
		{"free entry of a page", func(l *layout) { l.free[secondPageNumber] = true }, Rewritten},
		{"free entry of a font", func(l *layout) { l.free[FontNumber] = true }, Kept},
		{"generation of the page", func(l *layout) { l.setGeneration(FirstPageNumber, 1) }, Kept},
		{"generation of the catalog", func(l *layout) { l.setGeneration(CatalogNumber, 2); l.trailer["Root"] = "1 2 R" }, Kept},
		{"generation of the form", func(l *layout) { l.setGeneration(formNumber, 7) }, Kept},
		{"generation of the field", func(l *layout) { l.setGeneration(fieldNumber, 65_535) }, Kept},
		{"generation of the contents", func(l *layout) { l.setGeneration(FirstPageNumber+1, 3) }, Kept},
		{"generations of all", func(l *layout) {
			for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 10, 11, 12} {
				l.setGeneration(n, 9)
			}
			l.trailer["Info"] = "4 9 R"
		}, Kept},
	})
}

// renumberObject gives an object another number, and has everything refer to that.
func (l *layout) renumberObject(n, to int) {
	for k, o := range l.objects {
		l.objects[k] = strings.NewReplacer(fmt.Sprintf(" %d 0 R", n), fmt.Sprintf(" %d 0 R", to), fmt.Sprintf("[%d 0 R", n), fmt.Sprintf("[%d 0 R", to)).Replace(o)
	}
	l.objects[to] = l.objects[n]
	delete(l.objects, n)
	if data, ok := l.streams[n]; ok {
		l.streams[to] = data
		delete(l.streams, n)
	}
}

// setGeneration gives an object another generation, and has everything refer to that.
func (l *layout) setGeneration(n, g int) {
	for k, o := range l.objects {
		l.objects[k] = strings.NewReplacer(fmt.Sprintf(" %d 0 R", n), fmt.Sprintf(" %d %d R", n, g), fmt.Sprintf("[%d 0 R", n), fmt.Sprintf("[%d %d R", n, g)).Replace(o)
	}
	l.generations[n] = g
}
