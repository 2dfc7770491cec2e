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

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// logoOf returns a picture of one colour, in base64.
func logoOf(t *testing.T, c color.NRGBA) string {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 300, 100))
	for i := range 300 * 100 {
		m.SetNRGBA(i%300, i/300, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestGuestSeesTheOrganisationAndTheirSignatureShowsIt sets a logo and a colour, opens a guest's link, has the guest sign, and
// looks at the page.
func TestGuestSeesTheOrganisationAndTheirSignatureShowsIt(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_PUBLIC_URL", "https://segel.contoh.id")
	admin := s.administrator(t, "Admin Satu", "PT Satu")
	const path = "/v1/admin/branding"
	if got := admin.do("GET", path, nil).ok().object("data"); got["colour"] != nil || got["logo"] != nil || got["organisation"].(object)["name"] != "PT Satu" {
		t.Errorf("before: %v", got)
	}
	magenta := color.NRGBA{220, 0, 180, 255}
	set := admin.do("PUT", path, object{"colour": "#AA3300", "logo": logoOf(t, magenta)}).ok().object("response")["data"].(object)
	if set["colour"] != "#aa3300" || !strings.HasPrefix(set["logo"].(string), "https://segel.contoh.id/v1/logo/") {
		t.Errorf("set: %v", set)
	}
	kept := admin.do("PUT", path, object{"colour": "#00aa33"}).ok().object("response")["data"].(object)
	if kept["logo"] != set["logo"] || kept["colour"] != "#00aa33" {
		t.Errorf("a colour alone: %v", kept)
	}

	owner := s.person(t, "Pemilik", "PT Satu")
	id := owner.uploadWith(object{"guest": object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": "1"}}, simple())
	person := guestOf(owner, id)
	owner.place(id, object{"page": 1, "type": "sign", "user": object{"userid": person}, "emet": object{"llx": 100, "lly": 100, "urx": 340, "ury": 200}}).ok()
	owner.verb("finalize-docs", id).ok()
	guest := owner.guest(id, person)
	for _, sender := range []object{guest.get("detail", id).ok().object("data")["owner"].(object), guest.get("pages", id).ok().object("data")["sender"].(object)} {
		if sender["organisation"] != "PT Satu" || sender["logo"] != set["logo"] || sender["colour"] != "#00aa33" {
			t.Errorf("a guest is told %v", sender)
		}
	}
	anyone := &client{service: s, t: t}
	address := strings.TrimPrefix(set["logo"].(string), "https://segel.contoh.id")
	logo := anyone.do("GET", address, nil).ok()
	if m, err := png.Decode(bytes.NewReader(logo.body)); err != nil || m.Bounds().Dx() != 300 || logo.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || logo.header.Get("Content-Type") != "image/png" {
		t.Errorf("the logo: %v, %v", err, logo.header)
	}
	guest.verb("sign-docs", id).ok()
	owner.completed(id)
	page := pictureOfPage(t, guest.download(id))
	if got := readCode(t, page); got != "https://segel.contoh.id/verify?document="+fmt.Sprint(id) {
		t.Errorf("the code says %q", got)
	}
	if !shows(page, magenta) || !shows(page, color.NRGBA{0, 170, 51, 255}) {
		t.Error("the page does not show logo and colour")
	}

	admin.do("DELETE", path, nil).ok()
	anyone.do("GET", address, nil).is(http.StatusNotFound, "logo.not_found")
	if got := guest.get("detail", id).ok().object("data")["owner"].(object); got["logo"] != nil || got["colour"] != nil {
		t.Errorf("after: %v", got)
	}
}

func TestBrandingThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.administrator(t, "Admin Satu", "PT Satu")
	for name, c := range map[string]struct {
		body   object
		status int
		code   string
	}{
		"a colour by name": {object{"colour": "red"}, 422, "branding.colour"},
		"a style":          {object{"colour": "#000000;background:url(x)"}, 422, "branding.colour"},
		"SVG":              {object{"logo": base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))}, 415, "logo.svg"},
		"text":             {object{"logo": base64.StdEncoding.EncodeToString([]byte("text"))}, 415, "logo.not_picture"},
		"no base64":        {object{"logo": "%%%"}, 422, "value.not_base64"},
		"too many bytes":   {object{"logo": base64.StdEncoding.EncodeToString(make([]byte, 513<<10))}, 413, "logo.too_large"},
	} {
		if a := admin.do("PUT", "/v1/admin/branding", c.body); a.status != c.status || !strings.Contains(string(a.body), c.code) {
			t.Errorf("%s: %d, %.300s", name, a.status, a.body)
		}
	}
	if got := admin.do("GET", "/v1/admin/branding", nil).ok().object("data"); got["colour"] != nil || got["logo"] != nil {
		t.Errorf("stored: %v", got)
	}
	anyone := &client{service: s, t: t}
	for _, address := range []string{"x", strings.Repeat("0", 64), strings.Repeat("A", 64), "%2e%2e"} {
		anyone.do("GET", "/v1/logo/"+address, nil).is(http.StatusNotFound, "logo.not_found")
	}
}

// pictureOfPage is page 1 at 300 dots per inch, as a printer would show it.
func pictureOfPage(t *testing.T, file []byte) image.Image {
	t.Helper()
	program, err := exec.LookPath("pdftoppm")
	if err != nil {
		t.Skip("pdftoppm is not installed")
	}
	in := filepath.Join(t.TempDir(), "in.pdf")
	if err := os.WriteFile(in, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "-png", "-r", "300", "-x", "300", "-y", "2600", "-W", "1300", "-H", "600", "-singlefile", in).Output()
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readCode(t *testing.T, m image.Image) string {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(m)
	if err != nil {
		t.Fatal(err)
	}
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		return "no code: " + err.Error()
	}
	return result.GetText()
}

// shows reports whether some pixels of a picture have a colour.
func shows(m image.Image, want color.NRGBA) bool {
	n := 0
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			if color.NRGBAModel.Convert(m.At(x, y)) == color.Color(want) {
				n++
			}
		}
	}
	return n > 20
}
