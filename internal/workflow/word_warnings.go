package workflow

import (
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/convert/sniff"
	"segel/pdf"
)

// fontSubstitutes maps fonts that are often missing to fonts with the same letter widths, which keep line and page
// breaks.
var fontSubstitutes = map[string]string{
	"calibri": "Carlito", "cambria": "Caladea", "arial": "Liberation Sans", "times new roman": "Liberation Serif", "courier new": "Liberation Mono",
	"helvetica": "Liberation Sans", "times": "Liberation Serif", "courier": "Liberation Mono",
}

// conversionWarnings returns what the author may not expect in the PDF.
func (s *Service) conversionWarnings(doc *pdf.Document, found sniff.Findings, pages int) []contract.Warning {
	var all []contract.Warning
	warn := func(code string, args map[string]any) {
		all = append(all, contract.Warning{Field: "document", Code: code, Args: args})
	}
	available := documentFonts(doc)
	for _, name := range s.Converter.FontFamilies() {
		available[plainFontName(name)] = true
	}
	var replaced, substituted []string
	for _, name := range found.Fonts {
		substitute := fontSubstitutes[strings.ToLower(name)]
		switch {
		case available[plainFontName(name)]:
		case substitute != "" && available[plainFontName(substitute)]:
			substituted = append(substituted, fmt.Sprintf("%s (%s)", name, substitute))
		default:
			replaced = append(replaced, name)
		}
	}
	if len(replaced) > 0 {
		warn("document.fonts_replaced", map[string]any{"fonts": joinNames(replaced)})
	}
	if len(substituted) > 0 {
		warn("document.fonts_alike", map[string]any{"fonts": joinNames(substituted)})
	}
	if found.Tracked {
		warn("document.tracked_changes", nil)
	}
	if found.Pages > 0 && found.Pages != pages {
		warn("document.pages_differ", map[string]any{"pages": fmt.Sprint(pages), "expected": fmt.Sprint(found.Pages)})
	}
	return all
}

// joinNames joins names for a sentence, up to ten.
func joinNames(names []string) string {
	const most = 10
	s := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		s += ", …"
	}
	return s
}

// plainFontName normalises the spelling of a font name.
func plainFontName(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", ",", "").Replace(name))
}

// maxFontPages bounds the pages whose fonts are examined. Later pages of a contract rarely use other fonts.
const maxFontPages = 50

// documentFonts returns the fonts that the PDF's pages name, normalised. Unreadable entries are skipped: the result
// only serves warnings.
func documentFonts(doc *pdf.Document) map[string]bool {
	names := map[string]bool{}
	pages, err := doc.PageCount()
	if err != nil {
		return names
	}
	for n := 1; n <= min(pages, maxFontPages); n++ {
		p, err := doc.Page(n)
		if err != nil {
			continue
		}
		resources, err := doc.Dict(p.Resources)
		if err != nil {
			continue
		}
		fonts, err := doc.Dict(resources["Font"])
		if err != nil {
			continue
		}
		for _, f := range fonts {
			font, err := doc.Dict(f)
			if err != nil {
				continue
			}
			if name, err := doc.Name(font["BaseFont"]); err == nil {
				addFontFamily(names, string(name))
			}
		}
	}
	return names
}

// addFontFamily adds a font's family: its name without subset tag and style.
func addFontFamily(names map[string]bool, name string) {
	if mark, rest, found := strings.Cut(name, "+"); found && len(mark) == 6 {
		name = rest
	}
	family, _, _ := strings.Cut(name, "-")
	family, _, _ = strings.Cut(family, ",")
	for _, suffix := range []string{"PSMT", "PS", "MT"} {
		names[plainFontName(strings.TrimSuffix(family, suffix))] = true
	}
	names[plainFontName(family)] = true
}
