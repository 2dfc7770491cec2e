package intake

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// benchSize is the size of the decoded file.
const benchSize = 32 << 20

// BenchmarkJSON extracts a file from a body and discards it.
func BenchmarkJSON(b *testing.B) {
	file := noise(benchSize)
	for name, encode := range map[string]func([]byte) string{
		"plain":   base64.StdEncoding.EncodeToString,
		"slashes": escapeSlashes,
		"lines":   breakLines,
		"url":     base64.RawURLEncoding.EncodeToString,
	} {
		body := []byte(`{"document_title":"t","document_base64":"` + encode(file) + `","signer":[]}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := JSON(bytes.NewReader(body), Limits{}, io.Discard, member); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkUpload extracts, hashes and writes, compared with a program that does the same to plain base64.
func BenchmarkUpload(b *testing.B) {
	file := noise(benchSize)
	text := base64.StdEncoding.EncodeToString(file)
	plain := []byte(`{"document_base64":"` + text + `"}`)
	escaped := []byte(`{"document_base64":"` + escapeSlashes(file) + `"}`)

	run := func(name string, size int, upload func(w io.Writer) error) {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "file")
			b.SetBytes(int64(size))
			for b.Loop() {
				f, err := os.Create(path)
				if err != nil {
					b.Fatal(err)
				}
				if err := upload(io.MultiWriter(f, sha256.New())); err != nil {
					b.Fatal(err)
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("bare", len(text), func(w io.Writer) error {
		out := bufio.NewWriterSize(w, windowSize)
		if _, err := out.ReadFrom(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))); err != nil {
			return err
		}
		return out.Flush()
	})
	run("plain", len(plain), func(w io.Writer) error {
		_, _, err := JSON(bytes.NewReader(plain), Limits{}, w, member)
		return err
	})
	run("slashes", len(escaped), func(w io.Writer) error {
		_, _, err := JSON(bytes.NewReader(escaped), Limits{}, w, member)
		return err
	})
}
