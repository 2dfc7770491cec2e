package pdftest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// OddFile is a file with one unusual property of its structure.
type OddFile struct {
	Name    string // kind, oddity and style of the cross-reference, such as "id/integer (table)"
	File    []byte
	Outcome Outcome
}

// Outcome is what happens to an odd file that is to be signed.
type Outcome string

// The outcomes.
const (
	Kept      Outcome = ""          // it is signed as it is
	Rewritten Outcome = "rewritten" // it is rewritten first
	Refused   Outcome = "refused"   // readers may differ on it
)

// Object numbers of the file that OddFiles alters, besides those that all files of this package have in common: two
// pages, of which the first lists the widget of the form's text field.
const (
	secondPageNumber = FirstPageNumber + 2
	formNumber       = 10
	fieldNumber      = 11
	appearanceNumber = 12
	nextNumber       = 13 // the first unused number of the unaltered file
)

// missingNumber matches "@3", which stands for the number of an object that does not exist: the fourth of those that an
// update would use first.
var missingNumber = regexp.MustCompile(`@(\d+)`)

// layout is a file before it is written.
type layout struct {
	objects     map[int]string // dictionaries and other values by number
	streams     map[int]string // data of those objects that are streams
	generations map[int]int
	trailer     map[string]string // values by key, without their slash
	free        map[int]bool      // free entries of the table
	plain       map[int]bool      // never in the object stream
	behind      string            // appended bytes
}

// newLayout is an unaltered file.
func newLayout() *layout {
	l := &layout{
		objects: map[int]string{}, streams: map[int]string{}, generations: map[int]int{}, free: map[int]bool{}, plain: map[int]bool{},
		trailer: map[string]string{"Root": "1 0 R", "Info": "4 0 R", "ID": fileID},
	}
	for _, o := range documentBodies(make([]Page, 2), "/AcroForm 10 0 R") {
		l.objects[o.number] = o.text
		if o.data != nil {
			l.objects[o.number], l.streams[o.number] = "<< >>", string(o.data)
		}
	}
	l.addEntries(FirstPageNumber, "/Annots [11 0 R]")
	l.objects[formNumber] = "<< /Fields [11 0 R] /DA (/Helv 0 Tf 0 g) /DR << /Font << /Helv 3 0 R >> >> >>"
	l.objects[fieldNumber] = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (nama) /V (Siti) /Rect [72 600 272 620] /P 5 0 R /F 4 /DA (/Helv 12 Tf 0 g) /AP << /N 12 0 R >> >>"
	l.objects[appearanceNumber], l.streams[appearanceNumber] = "<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] >>", "q Q"
	return l
}

// addEntries inserts entries into the dictionary of an object, before its entries: readers use the last of a key.
func (l *layout) addEntries(n int, entries string) {
	l.objects[n] = strings.Replace(l.objects[n], "<<", "<< "+entries, 1)
}

// setEntry replaces or adds an entry of the dictionary of an object; an empty value removes it.
func (l *layout) setEntry(n int, key, value string) {
	dict := l.objects[n]
	if i := strings.Index(dict, "/"+key+" "); i >= 0 {
		end := i + len(key) + 2
		dict = dict[:i] + dict[end+valueLen(dict[end:]):]
	}
	l.objects[n] = dict
	if value != "" {
		l.addEntries(n, "/"+key+" "+value)
	}
}

// valueLen is the length of the value at the start of text.
func valueLen(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '[' || text[i] == '(' || strings.HasPrefix(text[i:], "<<"):
			depth++
		case text[i] == ']' || text[i] == ')' || strings.HasPrefix(text[i:], ">>"):
			if depth == 0 {
				return i
			}
			depth--
			if text[i] == '>' {
				i++
			}
			if depth == 0 {
				return i + 1
			}
		case text[i] == '/' && i > 0 && depth == 0:
			return i
		}
		if depth > 0 && strings.HasPrefix(text[i:], "<<") {
			i++
		}
	}
	return len(text)
}

// resolveNumbers replaces what missingNumber matches by numbers.
func (l *layout) resolveNumbers(streams bool) {
	next := l.highestNumber() + 1
	if streams {
		next += 2 // an object stream and the cross-reference stream
	}
	number := func(s string) string {
		return missingNumber.ReplaceAllStringFunc(s, func(at string) string {
			n, _ := strconv.Atoi(at[1:]) // digits
			return strconv.Itoa(next + n)
		})
	}
	for n, o := range l.objects {
		l.objects[n] = number(o)
	}
	for k, v := range l.trailer {
		l.trailer[k] = number(v)
	}
}

// highestNumber is the highest object number.
func (l *layout) highestNumber() int { return slices.Max(slices.Collect(maps.Keys(l.objects))) }

// trailerText returns the entries of the trailer. Size is the correct value.
func (l *layout) trailerText(size int) string {
	entries := map[string]string{"Size": fmt.Sprint(size)}
	maps.Copy(entries, l.trailer)
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		if entries[k] != "" {
			fmt.Fprintf(&b, "/%s %s ", k, entries[k])
		}
	}
	return b.String()
}

// buildFile writes the layout, with a table or with an object stream and a cross-reference stream.
func (l *layout) buildFile(streams bool) []byte {
	l.resolveNumbers(streams)
	b := newBuilder("1.7")
	var packed []int
	for _, n := range slices.Sorted(maps.Keys(l.objects)) {
		data, isStream := l.streams[n]
		switch {
		case isStream:
			b.recordOffset(n)
			dict := strings.TrimSuffix(strings.TrimSpace(l.objects[n]), ">>")
			fmt.Fprintf(b, "%d %d obj\n%s /Length %d >>\nstream\n%s\nendstream\nendobj\n", n, l.generations[n], dict, len(data), data)
		case streams && l.generations[n] == 0 && !l.plain[n]:
			packed = append(packed, n)
		default:
			b.recordOffset(n)
			fmt.Fprintf(b, "%d %d obj\n%s\nendobj\n", n, l.generations[n], l.objects[n])
		}
	}
	if !streams {
		at := b.Len()
		l.writeTable(b)
		b.writeTrailer(l.trailerText(b.last+1), at)
		return append(b.Bytes(), l.behind...)
	}
	bodies := make([]string, len(packed))
	for i, n := range packed {
		bodies[i] = l.objects[n]
	}
	container := l.highestNumber() + 1
	b.writeObjectStream(container, packed, bodies)
	at := b.Len()
	b.recordOffset(container + 1)
	var index strings.Builder
	var data []byte
	for _, n := range slices.Sorted(maps.Keys(l.entryNumbers(b))) {
		fmt.Fprintf(&index, "%d 1 ", n)
		entry := b.encodeEntry(n)
		if l.free[n] {
			entry = []byte{0, 0, 0, 0, 0, 0, 1}
		} else if g := l.generations[n]; g > 0 {
			entry[5], entry[6] = byte(g>>8), byte(g)
		}
		data = append(data, entry...)
	}
	b.writeStream(container+1, fmt.Sprintf("/Type /XRef /W [1 4 2] /Index [%s] /Filter /FlateDecode %s", index.String(), l.trailerText(b.last+1)), deflate(data))
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", at)
	return append(b.Bytes(), l.behind...)
}

// entryNumbers are the numbers that the cross-reference lists.
func (l *layout) entryNumbers(b *builder) map[int]bool {
	all := map[int]bool{0: true}
	for n := range b.at {
		all[n] = true
	}
	for n := range b.packed {
		all[n] = true
	}
	maps.Copy(all, l.free)
	return all
}

func (l *layout) writeTable(b *builder) {
	b.WriteString("xref\n")
	for _, n := range slices.Sorted(maps.Keys(l.entryNumbers(b))) {
		at, used := b.at[n]
		switch {
		case n == 0:
			b.WriteString("0 1\n0000000000 65535 f \n")
		case l.free[n] || !used:
			fmt.Fprintf(b, "%d 1\n0000000000 00001 f \n", n)
		default:
			fmt.Fprintf(b, "%d 1\n%010d %05d n \n", n, at, l.generations[n])
		}
	}
}

// oddity is one change to an unaltered file.
type oddity struct {
	name    string
	apply   func(l *layout)
	outcome Outcome
}

// tableOnly are oddities with another meaning in a cross-reference stream.
var tableOnly = map[string]bool{"trailer/entries of a stream": true}

// OddFiles returns files with one oddity each, with a cross-reference table and with a cross-reference stream.
func OddFiles() []OddFile {
	var all []OddFile
	kinds := map[string][]oddity{
		"id": oddIDs(), "size": oddSizes(), "tree": oddTrees(), "form": oddForms(), "annots": oddAnnots(), "dangling": oddReferences(),
		"numbers": oddNumbers(), "trailer": oddTrailers(), "catalog": oddCatalogs(),
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, o := range kinds[kind] {
			for i, style := range []string{"table", "streams"} {
				if i == 1 && tableOnly[kind+"/"+o.name] {
					continue
				}
				l := newLayout()
				o.apply(l)
				all = append(all, OddFile{Name: fmt.Sprintf("%s/%s (%s)", kind, o.name, style), File: l.buildFile(i == 1), Outcome: o.outcome})
			}
		}
	}
	return append(all, oddRevisions()...)
}

// trailerValues returns an oddity for each value of an entry of the trailer.
func trailerValues(key string, fates map[string]Outcome, values map[string]string) []oddity {
	var all []oddity
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, oddity{name, func(l *layout) { l.trailer[key] = values[name] }, fates[name]})
	}
	return all
}

func oddIDs() []oddity {
	all := trailerValues("ID", nil, map[string]string{
		"missing": "", "integer": "77777777777777777", "string": "(satu)", "name": "/Satu", "null": "null", "dictionary": "<< /A (x) >>", "empty": "[]",
		"one element": "[<5345>]", "three elements": "[<53> <45> <47>]", "integers": "[1 2]", "names": "[/A /B]", "nested": "[[<53>] [<45>]]",
		"reference to nothing": "@1 0 R", "elements that refer to nothing": "[@0 0 R @2 0 R]", "reference to a dictionary": "4 0 R", "empty strings": "[() ()]",
	})
	return append(all,
		oddity{"indirect", func(l *layout) { l.objects[nextNumber], l.trailer["ID"] = fileID, "13 0 R" }, Kept},
		oddity{"indirect elements", func(l *layout) { l.objects[nextNumber], l.trailer["ID"] = "<5345474C>", "[13 0 R 13 0 R]" }, Kept},
	)
}

func oddSizes() []oddity {
	return trailerValues("Size", nil, map[string]string{
		"missing": "", "zero": "0", "one": "1", "too small": "6", "larger": "200", "of another type": "/Size", "negative": "-3", "real": "13.0",
		"largest": "8388608", "beyond what there is": "2147483647", "beyond 32 bits": "99999999999", "reference": "4 0 R",
	})
}

func oddReferences() []oddity {
	var all []oddity
	// Numbers that the next updates would use, and numbers far from them.
	for _, n := range []string{"@0", "@1", "@2", "@3", "@5", "@7", "@9", "@11", "@14", "@17", "1000", "70000", "8000000"} {
		ref := n + " 0 R"
		all = append(all,
			oddity{"trailer " + ref, func(l *layout) { l.trailer["AdditionalStreams"] = "[/application#2Fvnd " + ref + "]" }, Kept},
			oddity{"annotation " + ref, func(l *layout) { l.setEntry(fieldNumber, "AP", "<< /N "+ref+" >>") }, Kept},
		)
	}
	some := "[@0 0 R @2 0 R @4 0 R @6 0 R @8 0 R @27 0 R]"
	for name, put := range map[string]func(l *layout){
		"trailer, a key of its own": func(l *layout) { l.trailer["Xyz"] = "@1 0 R" },
		"trailer, info":             func(l *layout) { l.trailer["Info"] = "@2 0 R" },
		"catalog":                   func(l *layout) { l.addEntries(CatalogNumber, "/Outlines @1 0 R /Names @3 0 R /Xyz "+some) },
		"catalog, security store":   func(l *layout) { l.addEntries(CatalogNumber, "/DSS @1 0 R") },
		"catalog, extensions":       func(l *layout) { l.addEntries(CatalogNumber, "/Extensions @1 0 R") },
		"catalog, metadata":         func(l *layout) { l.addEntries(CatalogNumber, "/Metadata @1 0 R") },
		"catalog, form":             func(l *layout) { l.setEntry(CatalogNumber, "AcroForm", "@1 0 R") },
		"info":                      func(l *layout) { l.addEntries(InfoNumber, "/Xyz @0 0 R /Author @2 0 R") },
		"page":                      func(l *layout) { l.addEntries(FirstPageNumber, "/Thumb @0 0 R /B "+some) },
		"page, contents":            func(l *layout) { l.setEntry(secondPageNumber, "Contents", "@1 0 R") },
		"page, resources":           func(l *layout) { l.setEntry(secondPageNumber, "Resources", "@1 0 R") },
		"page, annotations":         func(l *layout) { l.setEntry(FirstPageNumber, "Annots", "@1 0 R") },
		"page tree node":            func(l *layout) { l.addEntries(PagesNumber, "/Xyz "+some) },
		"annotation":                func(l *layout) { l.addEntries(fieldNumber, "/Popup @0 0 R /AA @2 0 R /IRT @4 0 R") },
		"list of annotations":       func(l *layout) { l.setEntry(FirstPageNumber, "Annots", "[11 0 R @1 0 R @3 0 R]") },
		"form":                      func(l *layout) { l.addEntries(formNumber, "/CO "+some+" /Xyz @9 0 R") },
		"list of fields":            func(l *layout) { l.setEntry(formNumber, "Fields", "[11 0 R @0 0 R @3 0 R]") },
		"font":                      func(l *layout) { l.addEntries(FontNumber, "/FontDescriptor @1 0 R /ToUnicode @2 0 R") },
		"stream":                    func(l *layout) { l.addEntries(FirstPageNumber+1, "/Xyz "+some) },
		"object that nothing leads to": func(l *layout) {
			l.objects[nextNumber] = "<< /Type /Xyz /A [@1 0 R @2 0 R @3 0 R @7 0 R @17 0 R] >>"
		},
		"array that nothing leads to": func(l *layout) { l.objects[nextNumber] = "[@1 0 R @2 0 R @3 0 R @7 0 R @17 0 R]" },
		"free number": func(l *layout) {
			l.free[9] = true
			l.addEntries(CatalogNumber, "/Xyz [9 0 R 9 1 R]")
		},
		"another generation": func(l *layout) { l.addEntries(CatalogNumber, "/Xyz [3 1 R @0 7 R @1 65535 R]") },
		"object 0":           func(l *layout) { l.addEntries(CatalogNumber, "/Xyz [0 0 R 0 65535 R]") },
	} {
		all = append(all, oddity{name, put, Kept})
	}
	for _, n := range []string{"8388600", "8388607", "8388608", "99999999", "4294967295"} {
		all = append(all,
			oddity{"catalog " + n, func(l *layout) { l.addEntries(CatalogNumber, "/Xyz "+n+" 0 R") }, Refused},
			oddity{"trailer " + n, func(l *layout) { l.trailer["Xyz"] = "[" + n + " 0 R]" }, Refused},
			oddity{"font " + n, func(l *layout) { l.addEntries(FontNumber, "/Xyz << /A ["+n+" 0 R] >>") }, Refused},
		)
	}
	slices.SortFunc(all, func(a, b oddity) int { return strings.Compare(a.name, b.name) })
	return all
}

// pageDict is the dictionary of a page.
func pageDict(entries string) string {
	return "<< /Type /Page /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> " + entries + " >>"
}

// setKids replaces the kids and the count of the root.
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
	// A parent that does not list the page: some readers inherit from it.
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

// renumberObject gives an object another number, and updates the references to it.
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

// setGeneration gives an object another generation, and updates the references to it.
func (l *layout) setGeneration(n, g int) {
	for k, o := range l.objects {
		l.objects[k] = strings.NewReplacer(fmt.Sprintf(" %d 0 R", n), fmt.Sprintf(" %d %d R", n, g), fmt.Sprintf("[%d 0 R", n), fmt.Sprintf("[%d %d R", n, g)).Replace(o)
	}
	l.generations[n] = g
}

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
		{"earlier section is something else", put("Prev", "20"), Rewritten},
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

// oddRevisions are files with appended data, hybrid files and others.
func oddRevisions() []OddFile {
	base := func() []byte { return newLayout().buildFile(false) }
	start := func(b []byte) int { return strings.LastIndex(string(b[:len(b)-20]), "xref\n0 1") }
	// update appends objects with a section.
	update := func(b []byte, trailer string, objects map[int]string) []byte {
		at := map[int]int{}
		for _, n := range slices.Sorted(maps.Keys(objects)) {
			at[n] = len(b)
			b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", n, objects[n])
		}
		x := len(b)
		b = append(b, "xref\n0 1\n0000000000 65535 f \n"...)
		for _, n := range slices.Sorted(maps.Keys(objects)) {
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
		{"revisions/hybrid", Hybrid(2), Rewritten},
		{"revisions/hybrid, updated", update(Hybrid(2), fmt.Sprintf("/Size 12 /Prev %d", strings.LastIndex(string(Hybrid(2)), "xref\n0 ")), map[int]string{3: l.objects[3]}), Rewritten},
		{"revisions/linearized", Linearized(2), Kept},
		{"revisions/junk before the header", append([]byte("sampah\n"), base()...), Rewritten},
		{"revisions/junk behind the end", append(base(), "sampah\n"...), Kept},
	}
	return all
}
