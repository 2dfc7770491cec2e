package sniff

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"segel/internal/convert/converttest"
)

// endless repeats a text forever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestAPieceThatNeverEndsIsNotKept would run out of memory if the decoder were not stopped.
func TestAPieceThatNeverEndsIsNotKept(t *testing.T) {
	t.Parallel()
	for what, markup := range map[string]io.Reader{
		"attributes": io.MultiReader(strings.NewReader(`<p `), endless(`a="" `)),
		"name":       io.MultiReader(strings.NewReader(`<`), endless("a")),
		"text":       io.MultiReader(strings.NewReader(`<p>`), endless("a")),
		"comment":    io.MultiReader(strings.NewReader(`<p><!--`), endless("a")),
		"value":      io.MultiReader(strings.NewReader(`<p a="`), endless("a")),
	} {
		d := &docxCheck{limits: Limits{}.withDefaults(), fonts: newFontCollector(), graph: newRelationGraph(nil)}
		err := d.checkMarkup(converttest.MainPart, bufio.NewReader(markup))
		var r *Refusal
		if !errors.As(err, &r) || r.Reason != TooComplex {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestQuotesInTextAreNoAttributes(t *testing.T) {
	t.Parallel()
	requireAccepted(t, converttest.Document{Body: converttest.Paragraphs(strings.Repeat(`"Pihak" `, 1000)) + `<!-- it's -->` + converttest.Paragraphs("Pasal 1")}.Bytes())
}
