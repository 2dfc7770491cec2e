package pdftest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// OddFile is a file with one oddity of structure.
type OddFile struct {
	Name    string // kind, oddity and style of the cross-reference, such as "id/integer (table)"
	File    []byte
	Outcome Outcome
}

// Outcome is what becomes of an odd file that is to be signed.
type Outcome string

// The fates.
const (
	Kept      Outcome = ""          // it is signed as it is
	Rewritten Outcome = "rewritten" // it is put in order first
	Refused   Outcome = "refused"   // readers may differ on it
)

// Object numbers of the file that Odds alters, beside those that every file here has in common: two pages, of which the
// first lists the widget of the form's text field.
const (
	secondPageNumber = FirstPageNumber + 2
	formNumber       = 10
	fieldNumber      = 11
	appearanceNumber = 12
	nextNumber       = 13 // the first that no object of the sound file has
)

// missingNumber matches "@3", which stands for the number of an object that does not exist: the fourth of those that an
// update would take first.
var missingNumber = regexp.MustCompile(`@(\d+)`)

// layout is a file before it is written.
type layout struct {
	objects     map[int]string // dictionaries and other values by number
	streams     map[int]string // data of those objects that are streams
	generations map[int]int
	trailer     map[string]string // values by key, without their slash
	free        map[int]bool      // entries of the table that say free
	plain       map[int]bool      // never in the object stream
	behind      string            // a revision behind the file, see update
}

// newLayout is a sound file.
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

// addEntries puts entries into the dictionary of an object, before those that it has: readers take the last of a key.
func (l *layout) addEntries(n int, entries string) {
	l.objects[n] = strings.Replace(l.objects[n], "<<", "<< "+entries, 1)
}

// setEntry replaces an entry of the dictionary of an object, or adds it; an empty value removes it.
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

// valueLen is the length of the value that text begins with.
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

// resolveNumbers puts numbers in the place of what nothing matches.
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

// highestNumber is the highest number of an object.
func (l *layout) highestNumber() int { return slices.Max(slices.Collect(maps.Keys(l.objects))) }

// trailerText spells the trailer. Size is what it should be.
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

// oddity is one change to a sound file.
type oddity struct {
	name    string
	apply   func(l *layout)
	outcome Outcome
}

// tableOnly are oddities that mean something else in a cross-reference stream.
var tableOnly = map[string]bool{"trailer/entries of a stream": true}

// OddFiles are sound files but for one oddity each, with a cross-reference table and with a cross-reference stream.
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

// values makes an oddity of each value that an entry of the trailer may have.
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
	// Numbers that the next updates would take, and numbers far from them.
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
