package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// flood is a stream of that many equal bytes, which counts those that were read.
type flood struct {
	of    byte
	left  int64
	taken atomic.Int64 // by the sender, which may still send when the answer has arrived
}

func (f *flood) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), f.left))
	for i := range p[:n] {
		p[i] = f.of
	}
	f.left -= int64(n)
	f.taken.Add(int64(n))
	return n, nil
}

// TestFloodIsRefusedBeforeItsEndInLittleMemory sends a gigabyte of useless bytes to a separate process, whose memory is
// measured. The service reads a refused body up to the limit of an upload, so that a client that still sends receives
// the reason; then it cuts the connection.
func TestFloodIsRefusedBeforeItsEndInLittleMemory(t *testing.T) {
	t.Parallel()
	p := serve(t, filepath.Join(t.TempDir(), "data"), "SEGEL_MAX_FILE=8MiB", "SEGEL_LOG_LEVEL=error")
	owner := p.login(t, p.email, p.password)
	owner.upload(simple())
	before := p.peak(t)

	const gigabyte, mostTaken = 1 << 30, 64 << 20
	form := "multipart/form-data; boundary=x"
	part := "--x\r\nContent-Disposition: form-data; name=\"document\"; filename=\"a.pdf\"\r\n\r\n"
	for name, c := range map[string]struct {
		path, kind, head string
		of               byte
		want             string
	}{
		"zeros for JSON":          {uploadPath, "application/json", "", 0, "400 input.malformed"},
		"zeros as a form":         {signPath + "upload-docs", form, part, 0, "415 file.unsupported"},
		"no base64 of a PDF":      {uploadPath, "application/json", `{"document_base64":"`, 'A', "415 file.unsupported"},
		"a PDF that never ends":   {uploadPath, "application/json", `{"document_base64":"JVBERi0x`, 'A', "413 file.too_large"},
		"a PDF as a form":         {signPath + "upload-docs", form, part + "%PDF-1.7\n", 'A', "413 file.too_large"},
		"a title that never ends": {uploadPath, "application/json", `{"document_title":"`, 'A', "413 body.too_large"},
		"blanks":                  {uploadPath, "application/json", `{"document_base64":"`, ' ', "413 body.too_large"},
		"another verb":            {signPath + "sign-docs", "application/json", `{"reason":"`, 'A', "413 body.too_large"},
	} {
		f := &flood{of: c.of, left: gigabyte}
		owner.leavesNothing(name, func() {
			a := owner.send("POST", c.path, io.MultiReader(strings.NewReader(c.head), f), "Content-Type", c.kind)
			if got := fmt.Sprint(a.status, " ", a.object("error")["code"]); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		})
		if n := f.taken.Load(); n > mostTaken {
			t.Errorf("%s: %d bytes were taken", name, n)
		}
	}
	if after := p.peak(t); after-before > 64<<20 {
		t.Errorf("memory grew from %d to %d MiB", before>>20, after>>20)
	}
}
