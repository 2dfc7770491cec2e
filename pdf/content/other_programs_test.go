package content_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"segel/pdf"
	"segel/pdf/content"
)

// How far pdftotext and this package must agree, over all words of all pages whose fonts state widths.
const (
	wantMatched = 0.99 // of its words whose middle lies in one of our marks
	wantShared  = 0.98 // of our words whose middle lies in one of its
)

// textPage is a page in the output of pdftotext -bbox, from the upper left.
type textPage struct {
	Width  float64 `xml:"width,attr"`
	Height float64 `xml:"height,attr"`
	Words  []struct {
		XMin float64 `xml:"xMin,attr"`
		YMin float64 `xml:"yMin,attr"`
		XMax float64 `xml:"xMax,attr"`
		YMax float64 `xml:"yMax,attr"`
		Text string  `xml:",chardata"`
	} `xml:"word"`
}

func TestPdftotextFindsWordsWhereWeDo(t *testing.T) {
	t.Parallel()
	root := os.Getenv("SEGEL_PDFS")
	if root == "" {
		t.Skip("SEGEL_PDFS names no folder of files")
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not here")
	}
	var theirs, matched, ours, shared, pages, rough, incomplete int
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(strings.ToLower(path), ".pdf") {
			return err
		}
		file, err := os.ReadFile(path)
		if err != nil || len(file) > 8<<20 {
			return err
		}
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil || d.Properties().Encrypted {
			return nil
		}
		sheets := otherProgramWords(t, path)
		reader := content.NewReader(d, content.Limits{})
		for page, err := range d.Pages() {
			if err != nil || page.Number > len(sheets) {
				break
			}
			s := sheets[page.Number-1]
			if w, h := page.DisplayedSize(); w-s.Width > 1 || s.Width-w > 1 || h-s.Height > 1 || s.Height-h > 1 {
				continue // it shows another part of the page
			}
			marks, err := reader.PageMarks(page)
			if errors.Is(err, content.ErrIncomplete) {
				incomplete++
				t.Logf("%s page %d: %v", path, page.Number, err)
				continue
			}
			if err != nil {
				t.Errorf("%s page %d: %v", path, page.Number, err)
				continue
			}
			if slices.ContainsFunc(marks, func(m content.Mark) bool { return m.BoxEstimated }) {
				rough++
				continue
			}
			pages++
			a, b, x, y := compareWords(marks, s)
			theirs, matched, ours, shared = theirs+a, matched+b, ours+x, shared+y
			if a-b > 3 || x-y > 3 {
				t.Logf("%s page %d: of its %d words %d matched; of our %d words %d shared", path, page.Number, a, b, x, y)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %d more of fonts without widths, %d more where the list is incomplete; of its %d words %d matched; of our %d words %d shared", pages, rough, incomplete, theirs, matched, ours, shared)
	if float64(matched) < wantMatched*float64(theirs) || float64(shared) < wantShared*float64(ours) || theirs == 0 {
		t.Error("that is not the agreement that was stated")
	}
}

// compareWords counts words whose middle lies within a word of the other side.
func compareWords(marks []content.Mark, s textPage) (theirs, matched, ours, shared int) {
	var words []pdf.Rect
	for _, w := range s.Words {
		if r := (pdf.Rect{LLX: w.XMin, LLY: s.Height - w.YMax, URX: w.XMax, URY: s.Height - w.YMin}); !r.Empty() && strings.TrimSpace(w.Text) != "" {
			words = append(words, r)
		}
	}
	var texts []pdf.Rect
	for _, m := range marks {
		if m.Kind == content.Text {
			texts = append(texts, m.Box)
		}
	}
	for _, w := range words {
		theirs++
		if isInAny(w, texts) {
			matched++
		}
	}
	for _, m := range marks {
		if m.Kind != content.Text || m.Hidden != "" || m.Box.Empty() || !strings.ContainsFunc(m.Text, unicode.IsLetter) {
			continue
		}
		ours++
		if isInAny(m.Box, words) {
			shared++
		}
	}
	return theirs, matched, ours, shared
}

func isInAny(r pdf.Rect, list []pdf.Rect) bool {
	x, y := (r.LLX+r.URX)/2, (r.LLY+r.URY)/2
	for _, o := range list {
		if x >= o.LLX-1 && x <= o.URX+1 && y >= o.LLY-1 && y <= o.URY+1 {
			return true
		}
	}
	return false
}

// otherProgramWords returns the output of pdftotext; a file that it cannot read has no pages.
func otherProgramWords(t *testing.T, path string) []textPage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "pdftotext", "-bbox", "-cropbox", path, "-").Output()
	if err != nil {
		return nil
	}
	// It writes characters that are invalid in XML.
	clean := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, string(out))
	x := xml.NewDecoder(strings.NewReader(clean))
	x.Strict = false
	var sheets []textPage
	for {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			return sheets
		}
		if err != nil {
			return sheets
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "page" {
			var s textPage
			if err := x.DecodeElement(&s, &start); err != nil {
				return sheets
			}
			sheets = append(sheets, s)
		}
	}
}
