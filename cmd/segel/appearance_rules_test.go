package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"segel/pades/validate"
	"segel/pdf"
)

// paintedPNG draws a picture on white and encodes it.
func paintedPNG(t *testing.T, w, h int, paint func(x, y int) bool) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			if !paint(x, y) {
				m.SetGray(x, y, color.Gray{255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// otherContract returns an opaque picture of a page with lines of text on white.
func otherContract(t *testing.T) string {
	return paintedPNG(t, 600, 800, func(x, y int) bool { return y%40 < 12 && x%14 < 8 && x > 60 && x < 540 })
}

// warnings returns the field and code of each warning of an answer.
func (a *answer) warnings(path ...string) []string {
	a.t.Helper()
	var found []string
	list, _ := a.object(path...)["warnings"].([]any)
	for _, w := range list {
		found = append(found, fmt.Sprint(w.(object)["field"], " ", w.(object)["code"]))
	}
	return found
}

// refused returns the field and code of each error of an answer.
func (a *answer) refused() []string {
	a.t.Helper()
	var found []string
	list, _ := a.object("error")["fields"].([]any)
	for _, w := range list {
		found = append(found, fmt.Sprint(w.(object)["field"], " ", w.(object)["code"]))
	}
	return found
}

func TestTheLastSignerCannotReplaceAPageThatOthersSigned(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, first, last := s.person(t, "Pemilik", ""), s.person(t, "Sari", ""), s.person(t, "Budi", "")
	id := owner.upload(simple(), first.as("signer", 1), last.as("signer", 2))
	mine := first.at("sign", 400, 100, 500, 140)

	var tiles []object
	for i := range 10 {
		tiles = append(tiles, last.at("paraf", 0, float64(i)*84, 595, float64(i+1)*84))
	}
	for name, entries := range map[string][]object{
		"full-page initials":             {mine, last.at("paraf", 0, 0, 595, 842)},
		"a full-page signature":          {mine, last.at("sign", 0, 0, 595, 842)},
		"a full-page signature by props": {mine, {"page": 1, "type": "sign", "user": object{"userid": last.id}, "props": object{"x": 0, "y": 0, "w": 595, "h": 842}, "documentSize": object{"width": 595, "height": 842}}},
		"ten initials that tile it":      append([]object{mine}, tiles...),
	} {
		refused := owner.place(id, entries...).is(http.StatusUnprocessableEntity, "placement.too_large").refused()
		if len(refused) != 1 || !strings.HasSuffix(refused[0], " placement.too_large") || strings.HasPrefix(refused[0], "signers[0]") {
			t.Errorf("%s: %v", name, refused)
		}
	}
	owner.place(id, mine, last.at("paraf", 500, 700, 700, 900)).is(http.StatusUnprocessableEntity, "placement.off_page")

	if got := owner.place(id, mine, last.at("paraf", 420, 110, 520, 150)).ok().warnings("response"); fmt.Sprint(got) != "[signers[1] placement.over_box]" {
		t.Errorf("over the box of another: %v", got)
	}

	// Just under the limit, over the text of the page: accepted with a warning, three times.
	entries := []object{mine, last.at("paraf", 60, 650, 560, 840)}
	want := "[signers[1] placement.over_text]"
	if got := owner.place(id, entries...).ok().warnings("response"); fmt.Sprint(got) != want {
		t.Errorf("placing: %v", got)
	}
	want = "[placements[1] placement.over_text]"
	if got := owner.get("placements", id).ok().warnings("data"); fmt.Sprint(got) != want {
		t.Errorf("the draft's placements: %v", got)
	}
	if got := owner.verb("finalize-docs", id).ok().warnings("response"); fmt.Sprint(got) != want {
		t.Errorf("finalizing: %v", got)
	}

	// Each signer sees all boxes before they sign.
	boxes := first.get("detail", id).ok().object("data")["placements"].([]any)
	if len(boxes) != 2 || boxes[1].(object)["name"] != "Budi" || boxes[1].(object)["type"] != "paraf" || boxes[1].(object)["page"] != 1.0 || boxes[1].(object)["filled"] != false {
		t.Errorf("%v", boxes)
	}
	first.verb("sign-docs", id).ok()

	// A completely dark picture is refused without a trace; an opaque picture of another contract becomes strokes.
	block := paintedPNG(t, 300, 400, func(int, int) bool { return true })
	last.verb("sign-docs", id, "specimen", block).is(http.StatusUnprocessableEntity, "specimen.no_strokes")
	last.do("PUT", "/v1/auth/specimen", okBytes(t)(base64.StdEncoding.DecodeString(block))).is(http.StatusUnprocessableEntity, "specimen.no_strokes")
	if trail := string(owner.get("audit-trail", id).ok().body); strings.Count(trail, `"sign_intended"`) != 1 {
		t.Errorf("the refused signature was recorded: %s", trail)
	}
	last.verb("sign-docs", id, "specimen", otherContract(t)).ok()
	owner.completed(id)
	file := owner.download(id)
	if r := verified(t, s, file); r.Indication != validate.TotalPassed || r.Integrity != validate.IntactLater {
		t.Errorf("%s, %s", r.Indication, r.Integrity)
	}
	pictures := coverages(t, file)
	if len(pictures) != 1 || pictures[0] <= 0 || pictures[0] > 0.4 {
		t.Errorf("the pictures cover %v of their boxes", pictures)
	}
}

func okBytes(t *testing.T) func(b []byte, err error) []byte {
	return func(b []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

// coverages returns the share of each picture in a file that its mask leaves visible; 1 without a mask.
func coverages(t *testing.T, file []byte) []float64 {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found []float64
	for ref := range d.InUseAll() {
		o, err := d.Object(ref)
		if err != nil {
			t.Fatal(err)
		}
		st, ok := o.(*pdf.Stream)
		if !ok || st.Dict["Subtype"] != pdf.Object(pdf.Name("Image")) || st.Dict["ColorSpace"] == pdf.Object(pdf.Name("DeviceGray")) {
			continue
		}
		mask, err := d.Stream(st.Dict["SMask"])
		if err != nil {
			t.Fatal(err)
		}
		if mask == nil {
			found = append(found, 1)
			continue
		}
		alpha, err := d.Decode(mask)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, a := range alpha {
			if a > 0 {
				n++
			}
		}
		found = append(found, float64(n)/float64(len(alpha)))
	}
	return found
}

func TestBoxesAreMeasuredAgainstThePageAsShown(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	id := owner.upload(turnedPage(), owner.as("signer", 1)) // 400 by 200 points as displayed, with a user unit of two
	owner.place(id, owner.at("sign", 0, 0, 200, 100)).ok()
	owner.place(id, owner.at("sign", 0, 0, 250, 100)).is(http.StatusUnprocessableEntity, "placement.too_large")
	owner.place(id, owner.at("sign", 0, 0, 100, 250)).is(http.StatusUnprocessableEntity, "placement.off_page")
}

func TestTheLimitOfBoxesCanBeConfigured(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_MAX_BOX_AREA", "60")
	owner := s.person(t, "Pemilik", "")
	id := owner.upload(simple(), owner.as("signer", 1))
	owner.place(id, owner.at("sign", 0, 0, 595, 480)).ok()
	owner.place(id, owner.at("sign", 0, 0, 595, 530)).is(http.StatusUnprocessableEntity, "placement.too_large")
}

// turnedPage returns a rotated page of 100 by 200 units of two points.
func turnedPage() []byte {
	d := newDraft()
	d.object("<</Type /Catalog /Pages 2 0 R>>")
	d.object("<</Type /Pages /Count 1 /Kids [3 0 R]>>")
	d.object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 500 500] /CropBox [50 50 150 250] /UserUnit 2 /Rotate 90 /Resources <<>> /Contents 4 0 R>>")
	d.stream("", []byte("q Q"))
	return d.end("")
}

func TestPictureForTheCommandBecomesStrokesToo(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	starting{data: data}.start(t).stop()
	in, out, photo := filepath.Join(t.TempDir(), "in.pdf"), filepath.Join(t.TempDir(), "out.pdf"), filepath.Join(t.TempDir(), "photo.png")
	write := func(name string, b []byte) {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(in, simple())
	sign := func(specimen string) (int, string) {
		write(photo, okBytes(t)(base64.StdEncoding.DecodeString(specimen)))
		status, _, errs := runs(t, "sign", in, out, "--data", data, "--page", "1", "--box", "100,100,300,200", "--image", photo)
		return status, errs
	}
	if status, errs := sign(paintedPNG(t, 300, 100, func(int, int) bool { return false })); status == 0 || !strings.Contains(errs, "light background") {
		t.Errorf("a blank picture: status %d, %s", status, errs)
	}
	if status, errs := sign(paintedPNG(t, 300, 100, func(x, y int) bool { return y > 45 && y < 55 })); status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if c := coverages(t, b); len(c) != 1 || c[0] > 0.4 {
		t.Errorf("the picture covers %v of its box", c)
	}
	if _, err := exec.LookPath("pdftoppm"); err != nil {
		t.Skip("pdftoppm is not installed")
	}
	if said, err := runTool(t, "pdftoppm", "-r", "40", "-png", out, filepath.Join(t.TempDir(), "page")); err != nil || said != "" {
		t.Errorf("%v: %s", err, said)
	}
}
