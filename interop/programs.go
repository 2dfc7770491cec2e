package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"

	"segel/cms"
)

// checkPdfsig checks with poppler that each of our signatures is valid and shows its signer's name, and that the last
// one covers the whole file.
func (it item) checkPdfsig(fail reportFunc) {
	found := runPdfsig(it.path)
	for _, field := range it.listOurFields() {
		v, ok := found[field]
		_, signature := it.levels[field]
		switch {
		case !ok:
			fail("%s: not found", field)
		case signature && !strings.Contains(v, "Signature is Valid"):
			_, status, _ := strings.Cut(v, "Signature Validation: ")
			status, _, _ = strings.Cut(status, "\n")
			fail("%s: %s", field, status)
		case signature && it.signerNames[field] != "" && !strings.Contains(v, "Signer Certificate Common Name: "+it.signerNames[field]+"\n"):
			fail("%s: the name is not %q", field, it.signerNames[field])
		case it.coversFile && field == it.findLastField() && !strings.Contains(v, "Total document signed"):
			fail("%s: does not cover the whole document", field)
		}
	}
	if it.before == "" {
		return
	}
	for field, was := range runPdfsig(it.before) {
		if strings.Contains(was, "Signature is Valid") && !strings.Contains(found[field], "Signature is Valid") {
			fail("%s: was valid before, and is not any more", field)
		}
	}
}

// runPdfsig returns the output of pdfsig by field; nothing if it cannot read the file.
func runPdfsig(file string) map[string]string {
	out, _ := exec.Command("pdfsig", "-nocert", file).Output()
	all := map[string]string{}
	for block := range strings.SplitSeq(string(out), "Signature #") {
		if _, rest, ok := strings.Cut(block, "Signature Field Name: "); ok {
			name, rest, _ := strings.Cut(rest, "\n")
			all[name] = rest
		}
	}
	return all
}

// runQpdfCheck returns the result of qpdf --check: 0 clean, 1 warnings, 2 errors.
func runQpdfCheck(file string) int {
	err := exec.Command("qpdf", "--check", file).Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return 1
	}
	return 2
}

// checkQpdf checks that qpdf finds no new fault and, compared with the file before, the same pages and form fields.
func (it item) checkQpdf(fail reportFunc) {
	was := 0
	if it.before != "" {
		was = runQpdfCheck(it.before)
	}
	if is := runQpdfCheck(it.path); is > was {
		fail("check ends with %d, was %d before", is, was)
	}
	if it.before == "" {
		return
	}
	before, err := exec.Command("qpdf", "--show-npages", it.before).Output()
	if err != nil {
		return // qpdf finds no pages to compare
	}
	if after, err := exec.Command("qpdf", "--show-npages", it.path).Output(); err != nil || !bytes.Equal(before, after) {
		fail("%s pages became %s", bytes.TrimSpace(before), bytes.TrimSpace(after))
	}
	it.checkFormFields(fail)
}

// checkFormFields compares the form fields as qpdf lists them: existing fields must be unchanged and in the same order,
// and only signature fields may be added.
func (it item) checkFormFields(fail reportFunc) {
	before, err := listFormFields(it.before)
	if err != nil {
		return
	}
	after, err := listFormFields(it.path)
	if err != nil {
		fail("form fields: %v", err)
		return
	}
	for _, f := range after {
		if len(before) > 0 && reflect.DeepEqual(f, before[0]) {
			before = before[1:]
		} else if f["fieldtype"] != "/Sig" {
			fail("field %v was added or changed", f["fullname"])
		}
	}
	for _, f := range before {
		fail("field %v was removed or changed", f["fullname"])
	}
}

func listFormFields(file string) ([]map[string]any, error) {
	out, err := exec.Command("qpdf", "--json", "--json-key=acroform", file).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) { // exit status 3: warnings
		return nil, err
	}
	var v struct {
		AcroForm struct{ Fields []map[string]any }
	}
	err = json.Unmarshal(out, &v)
	return v.AcroForm.Fields, err
}

// checkMutool checks that mutool calls each of our signatures valid, or valid with later edits.
func (it item) checkMutool(fail reportFunc) {
	out, _ := exec.Command("mutool", "sign", "-v", it.path).CombinedOutput()
	valid := strings.Count(string(out), "The signature is valid but there have been edits") + strings.Count(string(out), "The document is unchanged since signing")
	if valid < len(it.levels) {
		fail("calls %d of %d signatures valid: %s", valid, len(it.levels), strings.Join(strings.Fields(string(out)), " "))
	}
}

// checkOpenssl verifies the container of each of our signatures, and the token of each document timestamp, against the
// root. openssl does not read PDF, so the signed bytes are extracted here.
func (it item) checkOpenssl(root string, fail reportFunc) {
	b, err := os.ReadFile(it.path)
	if err != nil {
		fail("%v", err)
		return
	}
	d, err := openPDF(b)
	if err != nil {
		fail("%v", err)
		return
	}
	signatures, err := d.Signatures()
	if err != nil {
		fail("%v", err)
		return
	}
	dir, err := os.MkdirTemp("", "interop-")
	if err != nil {
		fail("%v", err)
		return
	}
	defer os.RemoveAll(dir)
	container, content := filepath.Join(dir, "container"), filepath.Join(dir, "content")
	for _, s := range signatures {
		sd, err := cms.Parse(s.Contents)
		if err != nil {
			fail("%s: %v", s.Field.Name, err)
			continue
		}
		r := s.ByteRange
		for path, b := range map[string][]byte{
			container: s.Contents[:sd.Size],
			content:   append(bytes.Clone(b[:r[1]]), b[r[2]:r[2]+r[3]]...),
		} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				fail("%v", err)
				return
			}
		}
		args := []string{"cms", "-verify", "-inform", "DER", "-in", container, "-content", content, "-binary", "-CAfile", root, "-purpose", "any", "-out", os.DevNull}
		if s.Type == "DocTimeStamp" {
			args = []string{"ts", "-verify", "-token_in", "-in", container, "-data", content, "-CAfile", root}
		}
		if out, err := exec.Command("openssl", args...).CombinedOutput(); err != nil {
			fail("%s: %s", s.Field.Name, strings.Join(strings.Fields(string(out)), " "))
		}
	}
}

// pageArea is an area of page 1 in fractions of its width and height, from the upper left; the zero value has no area.
type pageArea struct{ left, top, right, bottom float64 }

// renderers are the programs that render page 1 to standard output.
var renderers = map[string][]string{
	"pdftoppm": {"pdftoppm", "-r", "50", "-f", "1", "-l", "1", "-cropbox", "-singlefile"},
	"mutool":   {"mutool", "draw", "-q", "-r", "50", "-F", "ppm", "-o", "-"},
}

// raster is an image of page 1 with three bytes per pixel.
type raster struct {
	width, height int
	pixels        []byte
}

// renderPage renders page 1 of a file.
func renderPage(program, file string) (raster, error) {
	args := append(renderers[program][1:len(renderers[program]):len(renderers[program])], file)
	if program == "mutool" {
		args = append(args, "1")
	}
	out, err := exec.Command(renderers[program][0], args...).Output()
	if err != nil {
		return raster{}, err
	}
	var r raster
	var depth int
	rest := bytes.NewReader(out)
	if _, err := fmt.Fscanf(rest, "P6\n%d %d\n%d\n", &r.width, &r.height, &depth); err != nil {
		return raster{}, fmt.Errorf("picture: %w", err)
	}
	if r.pixels = out[len(out)-rest.Len():]; len(r.pixels) < 3*r.width*r.height {
		return raster{}, errors.New("picture that ends early")
	}
	return r, nil
}

// countDifferences returns the number of pixels that differ outside of an area.
func (r raster) countDifferences(o raster, but pageArea) (int, error) {
	if r.width != o.width || r.height != o.height {
		return 0, fmt.Errorf("%d by %d pixels became %d by %d", r.width, r.height, o.width, o.height)
	}
	const margin = 2 // pixels, for anti-aliasing at the edge
	n := 0
	for y := range r.height {
		for x := range r.width {
			inside := but != pageArea{} && float64(x) >= but.left*float64(r.width)-margin && float64(x) <= but.right*float64(r.width)+margin &&
				float64(y) >= but.top*float64(r.height)-margin && float64(y) <= but.bottom*float64(r.height)+margin
			at := 3 * (y*r.width + x)
			if !inside && !bytes.Equal(r.pixels[at:at+3], o.pixels[at:at+3]) {
				n++
			}
		}
	}
	return n, nil
}

// checkRendering compares page 1 before and after, as one program renders it. A page that could not be rendered before
// is skipped.
func (it item) checkRendering(program string, fail reportFunc) {
	before, err := renderPage(program, it.before)
	if err != nil {
		return
	}
	after, err := renderPage(program, it.path)
	if err != nil {
		fail("cannot draw page 1 any more: %v", err)
		return
	}
	n, err := before.countDifferences(after, it.changedArea)
	switch {
	case err != nil:
		fail("%v", err)
	case n > 0:
		fail("%d of %d pixels of page 1 look different", n, before.width*before.height)
	}
}
