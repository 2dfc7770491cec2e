package libreoffice

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/convert"
	"segel/internal/convert/converttest"
)

// canary is what no conversion may touch: a server that records its requests, a secret text and a picture of unusual
// dimensions.
type canary struct {
	converttest.Targets
	t    *testing.T
	mu   sync.Mutex
	seen []string
}

const (
	secretText  = "RAHASIA-4711"
	pictureMark = "/Width 37/Height 41"
)

func newCanary(t *testing.T) *canary {
	t.Helper()
	c := &canary{t: t}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.seen = append(c.seen, r.Method+" "+r.URL.Path)
	}))
	t.Cleanup(s.Close)
	// Other users may read it: the sandbox protects it from the document, not its mode.
	folder, err := os.MkdirTemp("/var/tmp", "segel-canary-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	var picture bytes.Buffer
	if err := errors.Join(os.Chmod(folder, 0o755), png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 37, 41)))); err != nil {
		t.Fatal(err)
	}
	c.Targets = converttest.Targets{URL: s.URL + "/", Secret: filepath.Join(folder, "secret.txt"), Picture: filepath.Join(folder, "picture.png")}
	for name, content := range map[string][]byte{c.Secret: []byte(secretText), c.Picture: picture.Bytes()} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// findLeak returns what a PDF shows and must not.
func findLeak(t *testing.T, pdf []byte) string {
	t.Helper()
	if bytes.Contains(pdf, []byte(pictureMark)) {
		return "the picture"
	}
	cmd := exec.Command("pdftotext", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("read the text of a PDF: %v", err)
	}
	if bytes.Contains(text, []byte(secretText)) {
		return "the secret"
	}
	return ""
}

// requests returns the requests since the last call.
func (c *canary) requests() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.seen
	c.seen = nil
	return seen
}

// TestLibreOfficeByItselfFetches shows that the attacks work without protection; otherwise the tests below would prove
// nothing.
func TestLibreOfficeByItselfFetches(t *testing.T) {
	t.Parallel()
	f := openConverter(t, Options{Spare: 1}).launcher
	c := newCanary(t)
	folder := t.TempDir()
	var files []string
	for _, a := range converttest.Attacks(c.Targets) {
		if strings.HasPrefix(a.Name, "linked picture, http, external true") || strings.HasPrefix(a.Name, "linked picture, file, external true") || a.Name == "HTML named .doc" {
			files = append(files, filepath.Join(folder, strings.ReplaceAll(a.Name, " ", "-")+"."+string(a.Kind)))
			if err := os.WriteFile(files[len(files)-1], a.File, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	office := filepath.Join(f.program, "soffice")
	cmd := exec.CommandContext(ctx, office, append([]string{"-env:UserInstallation=file://" + folder + "/profile", "--headless", "--convert-to", "pdf", "--outdir", folder}, files...)...)
	cmd.Env = []string{"HOME=" + folder, "PATH=/usr/bin:/bin"}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	pdf, err := os.ReadFile(filepath.Join(folder, "linked-picture,-file,-external-true.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if findLeak(t, pdf) == "" {
		t.Error("it does not show a linked local picture: the attacks prove nothing")
	}
	if len(c.requests()) == 0 {
		t.Error("it does not fetch: the attacks prove nothing")
	}
}

// TestEachLayerHoldsByItself gives all attacks that LibreOffice would open to processes without an earlier check of
// the document: once with the profile that forbids fetching, once with a bare one, so that the sandbox alone has to hold.
func TestEachLayerHoldsByItself(t *testing.T) {
	t.Parallel()
	for name, profile := range map[string][]byte{
		"hardened profile": buildProfile(),
		"sandbox alone":    []byte(`<?xml version="1.0"?><oor:items xmlns:oor="http://openoffice.org/2001/registry"/>`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openConverter(t, Options{Spare: 1})
			f := *o.launcher
			f.profile = profile
			f.limits.Time = 20 * time.Second
			c := newCanary(t)
			converted := attackAll(t, &f, o, c)
			if asked := c.requests(); len(asked) > 0 {
				t.Errorf("it asked for %q", asked)
			}
			if converted < 20 {
				t.Errorf("only %d of the attacks were converted at all: too few to prove anything", converted)
			}
		})
	}
}

// attackAll gives one attack after another to a process, which is killed and replaced when it hangs.
func attackAll(t *testing.T, f *launcher, o *Converter, c *canary) (converted int) {
	t.Helper()
	var p *process
	defer func() {
		if p != nil {
			o.endProcess(p)
		}
	}()
	for i, a := range converttest.Attacks(c.Targets) {
		if a.Reason == "complex" || len(a.File) == 0 {
			continue // see TestWhatIsTooMuchIsKilled
		}
		if p == nil {
			var err error
			if p, err = f.startProcess(o.folder); err != nil {
				t.Fatal(err)
			}
			if err := p.warmUp(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
		}
		name := "attack" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "." + string(a.Kind)
		if _, err := p.job.writeInput(name, bytes.NewReader(a.File)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), f.limits.Time)
		var out bytes.Buffer
		err := p.convertFile(ctx, a.Kind, name, "", &out)
		cancel()
		switch {
		case err == nil:
			converted++
			if what := findLeak(t, out.Bytes()); what != "" {
				t.Errorf("%s: the PDF shows %s", a.Name, what)
			}
		case !errors.Is(err, convert.ErrUnreadable):
			t.Logf("%s: %v", a.Name, err)
			o.endProcess(p)
			p = nil
		}
	}
	return converted
}

func TestOtherFormatsAreNotGuessedAt(t *testing.T) {
	t.Parallel()
	o := openConverter(t, Options{Spare: 1})
	p := <-o.ready
	defer o.replaceProcess(p)
	for _, name := range []string{"HTML named .doc", "flat ODF named .docx"} {
		for _, a := range converttest.Attacks(converttest.Targets{}) {
			if a.Name != name {
				continue
			}
			file := strings.ReplaceAll(name, " ", "-")
			if _, err := p.job.writeInput(file, bytes.NewReader(a.File)); err != nil {
				t.Fatal(err)
			}
			if err := p.convertFile(t.Context(), a.Kind, file, "", &bytes.Buffer{}); !errors.Is(err, convert.ErrUnreadable) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
