package formfield

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// compareRichText judges the rich text of a field that has another value: readers may draw it in place of the value (ISO 32000-2
// §12.7.4.3), so it says the same.
func (c *comparison) compareRichText() Result {
	changed := !c.objects.equalObjects(c.old.richText, c.new.richText, 0)
	if isAbsent(c.new.richText) || !changed && c.new.Flags&flagRichText == 0 {
		return Result{Outcome: Shown}
	}
	if !changed {
		return Result{NotCompared, "/RV was left as it was"}
	}
	source, ok := textOf(c.new.d, c.new.richText)
	if !ok {
		return Result{Unreadable, "/RV"}
	}
	text, err := plainText(source)
	if err != nil {
		return Result{Unreadable, "/RV: " + err.Error()}
	}
	value, ok := textOf(c.new.d, c.new.Value)
	if !ok {
		return Result{Unreadable, errValue.Error()}
	}
	if !slices.Equal(withoutSpaces(foldText(text)), withoutSpaces(foldText(value))) {
		return Result{Differs, "/RV says something else"}
	}
	return Result{Outcome: Shown}
}

// plainText is what rich text shows, without its formatting. Comments and instructions show nothing.
func plainText(source string) (string, error) {
	d := xml.NewDecoder(bytes.NewReader([]byte(source)))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var out strings.Builder
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			out.Write(t)
		case xml.EndElement:
			if t.Name.Local == "p" || t.Name.Local == "br" {
				out.WriteByte('\n')
			}
		}
	}
}
