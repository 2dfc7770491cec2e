package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"segel/cms"
	"segel/pdf"
)

// checkOpenssl verifies the container of each signature of ours, and the token of each document timestamp, against the
// root. It knows nothing of PDF: what it is given was cut out of the file here.
func (it item) checkOpenssl(root string, no reportFunc) {
	b, err := os.ReadFile(it.path)
	if err != nil {
		no("%v", err)
		return
	}
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	if err != nil {
		no("%v", err)
		return
	}
	signatures, err := d.Signatures()
	if err != nil {
		no("%v", err)
		return
	}
	dir, err := os.MkdirTemp("", "interop-")
	if err != nil {
		no("%v", err)
		return
	}
	defer os.RemoveAll(dir)
	container, content := filepath.Join(dir, "container"), filepath.Join(dir, "content")
	for _, s := range signatures {
		sd, err := cms.Parse(s.Contents)
		if err != nil {
			no("%s: %v", s.Field.Name, err)
			continue
		}
		r := s.ByteRange
		for path, b := range map[string][]byte{
			container: s.Contents[:sd.Size],
			content:   append(bytes.Clone(b[:r[1]]), b[r[2]:r[2]+r[3]]...),
		} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				no("%v", err)
				return
			}
		}
		args := []string{"cms", "-verify", "-inform", "DER", "-in", container, "-content", content, "-binary", "-CAfile", root, "-purpose", "any", "-out", os.DevNull}
		if s.Type == "DocTimeStamp" {
			args = []string{"ts", "-verify", "-token_in", "-in", container, "-data", content, "-CAfile", root}
		}
		if out, err := exec.Command("openssl", args...).CombinedOutput(); err != nil {
			no("%s: %s", s.Field.Name, strings.Join(strings.Fields(string(out)), " "))
		}
	}
}
