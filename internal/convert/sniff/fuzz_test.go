package sniff

import (
	"bufio"
	"bytes"
	"errors"
	"testing"

	"segel/internal/convert/converttest"
)

// FuzzLook holds the reader to its promise: findings or a refusal, within limits, whatever it is given.
func FuzzLook(f *testing.F) {
	f.Add(converttest.Document{Body: converttest.Paragraphs("Pasal 1") + converttest.Field("PAGE")}.Bytes())
	f.Add(readContract(f))
	f.Add(sharedStorages(2, 3))
	for _, a := range converttest.Attacks(converttest.Targets{URL: "http://127.0.0.1:9/", Secret: "/tmp/secret.txt", Picture: "/tmp/picture.png"}) {
		if len(a.File) < 8<<10 {
			f.Add(a.File)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		_, err := CheckDocument(t.Context(), bytes.NewReader(file), int64(len(file)), Limits{Entries: 50, Inflated: 1 << 20, Markup: 1 << 20})
		var r *Refusal
		if err != nil && !errors.As(err, &r) {
			t.Errorf("neither findings nor a refusal: %v", err)
		}
	})
}

// FuzzMarkup reads a main part without the archive around it, which mutations would only break.
func FuzzMarkup(f *testing.F) {
	f.Add([]byte(`<w:document ` + converttest.Spaces + `><w:body>` + converttest.Paragraphs("x") + converttest.Field("PAGE") + `</w:body></w:document>`))
	f.Fuzz(func(t *testing.T, markup []byte) {
		d := &docxCheck{limits: Limits{}.withDefaults(), fonts: newFontCollector(), graph: newRelationGraph(nil)}
		err := d.checkMarkup(converttest.MainPart, bufio.NewReader(bytes.NewReader(markup)))
		var r *Refusal
		if err != nil && !errors.As(err, &r) {
			t.Errorf("neither findings nor a refusal: %v", err)
		}
		d.fonts.usedFamilies()
	})
}
