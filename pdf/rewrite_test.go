package pdf_test

import (
	"bytes"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// rewrite opens a file as an upload does, with repair, and rewrites it.
func rewrite(t testing.TB, file []byte, o pdf.RewriteOptions) ([]byte, error) {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Repair: true, Random: fixedRandom(7)})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	done, err := d.Rewrite(&out, o)
	if err != nil {
		return nil, err
	}
	if done.Size != int64(out.Len()) {
		t.Errorf("wrote %d bytes and says %d", out.Len(), done.Size)
	}
	return out.Bytes(), nil
}

func TestJunkBeforeTheHeaderIsGoneAfterARewriting(t *testing.T) {
	t.Parallel()
	file := append([]byte("HTTP/1.1 200 OK\r\n\r\n"), pdftest.Table(3)...)
	b := must[[]byte](t)(rewrite(t, file, pdf.RewriteOptions{}))
	if !bytes.HasPrefix(b, []byte("%PDF-1.")) {
		t.Errorf("begins %q", b[:20])
	}
	requireSound(t, "junk", file, b)
}

func TestRewritingRaisesTheVersionAndNeverLowersIt(t *testing.T) {
	t.Parallel()
	file := replace(t, pdftest.Table(1), "%PDF-1.7", "%PDF-1.4")
	for _, c := range []struct{ ask, want string }{{"1.6", "1.6"}, {"1.0", "1.4"}, {"", "1.4"}} {
		b := must[[]byte](t)(rewrite(t, file, pdf.RewriteOptions{Version: c.ask}))
		if got := open(t, b).Properties().HeaderVersion; got != c.want {
			t.Errorf("asked for %q: header says %s, want %s", c.ask, got, c.want)
		}
	}
}

func TestRewritingTwiceGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"streams": pdftest.Streams(5), "linearized": pdftest.Linearized(3), "form": pdftest.Form()} {
		a, b := must[[]byte](t)(rewrite(t, file, pdf.RewriteOptions{})), must[[]byte](t)(rewrite(t, file, pdf.RewriteOptions{}))
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two rewritings differ", name)
		}
	}
}
