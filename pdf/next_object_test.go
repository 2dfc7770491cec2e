package pdf_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// TestNewObjectTakesNoNumberThatTheFileRefersTo has references to nothing in catalog and trailer, which must stay null.
func TestNewObjectTakesNoNumberThatTheFileRefersTo(t *testing.T) {
	t.Parallel()
	for name, sample := range styles {
		plain := sample(1)
		next := open(t, plain).NewUpdate().Reserve().Number
		u := open(t, plain).NewUpdate()
		root := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: 1}))
		dangling := pdf.Array{}
		for _, n := range []uint32{1, 2, 4, 6} {
			dangling = append(dangling, pdf.Ref{Number: next + n})
		}
		root["Dangling"] = dangling
		file := build(t, plain, u)
		u = open(t, file).NewUpdate()
		for range 3 {
			u.Add(pdf.Dict{"Marker": pdf.Boolean(true)})
		}
		again := open(t, build(t, file, u))
		for _, o := range dangling {
			if v := must[pdf.Object](t)(again.Resolve(o)); v != pdf.Object(pdf.Null{}) {
				t.Errorf("%s: the reference %v to nothing came to mean %v", name, o, v)
			}
		}
		if err := again.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAFileIsParsedOnceForItsReferencesAndItsActiveContent compares what two questions about all objects find, and read, in either order.
func TestAFileIsParsedOnceForItsReferencesAndItsActiveContent(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"active": pdftest.Active()}
	for name, sample := range styles {
		files[name] = sample(200)
	}
	for name, file := range files {
		openCounted := func() (*pdf.Document, *countingReader) {
			c := &countingReader{ReaderAt: bytes.NewReader(file)}
			return must[*pdf.Document](t)(pdf.Open(c, int64(len(file)), pdf.Options{})), c
		}
		first, c := openCounted()
		active := must[[]pdf.ActiveContent](t)(first.ActiveContent())
		parsed := c.bytes
		next := must[uint32](t)(first.NextObject())
		again := c.bytes - parsed // sections are read again

		second, c := openCounted()
		if n := must[uint32](t)(second.NextObject()); n != next {
			t.Errorf("%s: next object %d, and %d after ActiveContent", name, n, next)
		}
		both := c.bytes
		if found := must[[]pdf.ActiveContent](t)(second.ActiveContent()); !slices.Equal(found, active) {
			t.Errorf("%s: found %v, and %v before NextObject", name, found, active)
		}
		if c.bytes != both {
			t.Errorf("%s: ActiveContent read %d bytes after NextObject", name, c.bytes-both)
		}
		if name != "active" && again > parsed/2 {
			t.Errorf("%s: NextObject read %d bytes after ActiveContent read %d", name, again, parsed)
		}
	}
}

func TestNewObjectIsNotTheMissingInfo(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	next := open(t, file).NewUpdate().Reserve()
	file = regexp.MustCompile(`/Info \d+ 0 R`).ReplaceAll(file, fmt.Appendf(nil, "/Info %d 0 R", next.Number))
	u := open(t, file).NewUpdate()
	u.Add(pdf.Dict{"Title": pdf.TextString("x")})
	again := open(t, build(t, file, u))
	if info := must[pdf.Dict](t)(again.Dict(again.Trailer()["Info"])); info != nil {
		t.Errorf("missing /Info came to be %v", info)
	}
}

// TestDirectPageGetsANumberWithoutReferences rewrites a tree with a direct page.
func TestDirectPageGetsANumberWithoutReferences(t *testing.T) {
	t.Parallel()
	file := tableFile("<</Type /Catalog /Pages 2 0 R /Dangling 3 0 R>>", "<</Type /Pages /Count 1 /Kids [<</Type /Page /MediaBox [0 0 9 9]>>]>>")("")
	b := must[[]byte](t)(rewrite(t, file, pdf.RewriteOptions{}))
	again := open(t, b)
	_, root, err := again.Root()
	if err != nil {
		t.Fatal(err)
	}
	if v := must[pdf.Object](t)(again.Resolve(root["Dangling"])); v != pdf.Object(pdf.Null{}) {
		t.Errorf("a reference to nothing came to mean %v", v)
	}
	if n := must[int](t)(again.PageCount()); n != 1 {
		t.Errorf("%d pages", n)
	}
}

// TestNewObjectsAreNumberedAboveEveryReference puts a reference to nothing where no update reads; the next objects must
// have higher numbers.
func TestNewObjectsAreNumberedAboveEveryReference(t *testing.T) {
	t.Parallel()
	const nothing = 4000
	object := fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Xyz << /A [ %d 0 R ] >> >>", nothing)
	hidden := map[string][]byte{
		"trailer":                      regexp.MustCompile(`/Info \d+ 0 R`).ReplaceAll(pdftest.Table(1), fmt.Appendf(nil, "$0 /AdditionalStreams [/a %d 0 R]", nothing)),
		"object that nothing leads to": tableFile("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R>>", object)(""),
		"stream":                       tableFile("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", fmt.Sprintf("<</Length 0 /Xyz %d 0 R>>\nstream\n\nendstream", nothing))(""),
	}
	for name, sample := range styles {
		file := sample(1)
		replaced := func(o string) {
			u := open(t, file).NewUpdate()
			u.Set(pdf.Ref{Number: pdftest.FontNumber}, pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name(o), "Xyz": pdf.Ref{Number: nothing}})
			if o == "Helvetica" {
				must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: pdftest.FontNumber}))["Xyz"] = pdf.Null{}
			}
			file = build(t, file, u)
		}
		replaced("Courier")
		replaced("Helvetica")
		hidden["superseded object, "+name] = file
	}
	packed := pdftest.OddFiles()
	for i := range packed {
		if packed[i].Name == "dangling/font (streams)" || packed[i].Name == "revisions/superseded object in a stream refers to nothing" {
			hidden[packed[i].Name] = packed[i].File
		}
	}
	for name, file := range hidden {
		d := open(t, file)
		next := must[uint32](t)(d.NextObject())
		if highest := highestReference(t, file); next <= highest {
			t.Errorf("%s: new objects are numbered from %d on, and %d is referred to", name, next, highest)
		}
		if ref := d.NewUpdate().Reserve(); ref.Number < next {
			t.Errorf("%s: a new object has number %d, want %d or more", name, ref.Number, next)
		}
		known := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{NextObject: next + 7}))
		if ref := known.NewUpdate().Reserve(); ref.Number != next+7 {
			t.Errorf("%s: a new object has number %d, want %d", name, ref.Number, next+7)
		}
	}
}

// highestReference is the highest number that a file refers to, by its bytes and those of its object streams.
func highestReference(t *testing.T, file []byte) (highest uint32) {
	t.Helper()
	all := bytes.Clone(file)
	for _, m := range regexp.MustCompile(`(?s)/Type /ObjStm.*?stream\n(.*?)\nendstream`).FindAllSubmatch(file, -1) {
		z := must[io.ReadCloser](t)(zlib.NewReader(bytes.NewReader(m[1])))
		all = append(all, must[[]byte](t)(io.ReadAll(z))...)
	}
	for _, m := range regexp.MustCompile(`(\d+) \d+ R`).FindAllSubmatch(all, -1) {
		n := must[uint64](t)(strconv.ParseUint(string(m[1]), 10, 32))
		highest = max(highest, uint32(n))
	}
	return highest
}

func TestReferenceAboveTheHighestNumberIsRefused(t *testing.T) {
	t.Parallel()
	for n, fine := range map[int]bool{1_000_000: true, 8_323_071: true, 8_323_072: false, 8_388_607: false, 8_388_608: false, 4_294_967_295: false} {
		file := tableFile("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R>>", fmt.Sprintf("[%d 0 R]", n))("")
		if err := open(t, file).Check(); (err == nil) != fine || !fine && !errors.Is(err, pdf.ErrTooLarge) {
			t.Errorf("reference to %d: %v", n, err)
		}
		// No object can have a number above the limit, so such a reference does not prevent an update.
		if next, err := open(t, file).NextObject(); err != nil || n > 8_388_607 && next != 5 {
			t.Errorf("reference to %d: new objects are numbered from %d on, %v", n, next, err)
		}
	}
}

// TestTailOfAnotherProgramIsReadForReferences extends a file by a program that leaves a reference to nothing.
func TestTailOfAnotherProgramIsReadForReferences(t *testing.T) {
	t.Parallel()
	for name, sample := range styles {
		file := sample(1)
		next := must[uint32](t)(open(t, file).NextObject())
		u := open(t, file).NewUpdate()
		u.Add(pdf.Array{pdf.Ref{Number: next + 90}})
		longer := build(t, file, u)
		o := pdf.Options{NextObject: next}
		count := &countingReader{ReaderAt: bytes.NewReader(longer)}
		d := must[*pdf.Document](t)(pdf.Open(count, int64(len(longer)), o))
		if got := must[uint32](t)(d.NextObjectBehind(int64(len(file)))); got != next+91 {
			t.Errorf("%s: new objects are numbered from %d on, want %d", name, got, next+91)
		}
	}
}
