package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"segel/cms"
)

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
