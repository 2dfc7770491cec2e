package sniff

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// fontCollector finds out which families the text of a document is set in. It errs on the side of too few: a warning that is
// wrong is worse than one that is missing.
type fontCollector struct {
	named      map[script]map[string]bool // by runs, defaults and styles
	styles     map[string]*style
	referenced map[string]bool // styles that something refers to
	theme      map[string]string
	embedded   map[string]bool
	scripts    map[script]bool // that occur in the text

	style *style // the one being defined
	font  string // the entry of the font table we are in
	major bool   // whether the theme's fonts being read are those of headings
}

type script int

const (
	latin script = iota
	eastAsian
	complexText
)

type style struct {
	basedOn   string
	isDefault bool // applies where nothing else is said
	fonts     map[script]string
}

// maxNames is how many fonts, styles and references of each kind are kept: what comes after is left out of a warning.
const maxNames = 4096

func addBounded[V any](m map[string]V, name string, v V) {
	if _, known := m[name]; known || len(m) < maxNames {
		m[name] = v
	}
}

func newFontCollector() *fontCollector {
	return &fontCollector{
		named:  map[script]map[string]bool{latin: {}, eastAsian: {}, complexText: {}},
		styles: map[string]*style{}, referenced: map[string]bool{}, theme: map[string]string{}, embedded: map[string]bool{}, scripts: map[script]bool{},
	}
}

// scriptOfAttribute are the attributes of rFonts by script.
var scriptOfAttribute = map[string]script{"ascii": latin, "hAnsi": latin, "eastAsia": eastAsian, "cs": complexText}

func (f *fontCollector) addElement(w *markupWalker, e element) {
	switch {
	case e.name == "rFonts":
		f.addRunFonts(w, e)
	case e.name == "style" && strings.HasSuffix(w.name, "styles.xml"):
		f.style = &style{fonts: map[script]string{}, isDefault: e.attributeValue("default") == "1" && e.attributeValue("type") != "numbering"}
		addBounded(f.styles, e.attributeValue("styleId"), f.style)
	case e.name == "basedOn" && f.style != nil:
		f.style.basedOn = e.attributeValue("val")
	case f.style == nil && (e.name == "pStyle" || e.name == "rStyle" || e.name == "tblStyle"):
		addBounded(f.referenced, e.attributeValue("val"), true)
	case e.name == "font" && strings.HasSuffix(w.name, "fontTable.xml"):
		f.font = e.attributeValue("name")
	case strings.HasPrefix(e.name, "embed") && f.font != "":
		addBounded(f.embedded, strings.ToLower(f.font), true)
	case e.name == "majorFont", e.name == "minorFont":
		f.major = e.name == "majorFont"
	case e.name == "latin" && strings.Contains(w.name, "theme") && (w.isInside("majorFont") || w.isInside("minorFont")):
		f.theme[map[bool]string{true: "major", false: "minor"}[f.major]] = e.attributeValue("typeface")
	}
}

func (w *markupWalker) isInside(name string) bool {
	return slices.ContainsFunc(w.path, func(l level) bool { return l.name == name })
}

func (f *fontCollector) leaveElement(name string) {
	switch name {
	case "style":
		f.style = nil
	case "font":
		f.font = ""
	}
}

// addRunFonts takes the fonts of a run, of the defaults, or of the style being defined. A list's bullets are set in fonts of
// symbols, which are replaced by like ones, so they do not count.
func (f *fontCollector) addRunFonts(w *markupWalker, e element) {
	if strings.HasSuffix(w.name, "numbering.xml") || strings.HasSuffix(w.name, "fontTable.xml") {
		return
	}
	for _, a := range e.attributes {
		s, known := scriptOfAttribute[strings.TrimSuffix(a.Name.Local, "Theme")]
		name := a.Value
		if strings.HasSuffix(a.Name.Local, "Theme") {
			known, name = known && s == latin, "theme:"+strings.ToLower(name[:min(len(name), 5)])
		}
		switch {
		case !known || name == "":
		case f.style != nil:
			f.style.fonts[s] = name
		default:
			addBounded(f.named[s], name, true)
		}
	}
}

// addText notes which scripts occur.
func (f *fontCollector) addText(s string) {
	for _, r := range s {
		switch {
		case r < 0x80:
			f.scripts[latin] = f.scripts[latin] || r > ' '
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			f.scripts[eastAsian] = true
		case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Thai, unicode.Devanagari, unicode.Javanese, unicode.Balinese, unicode.Sundanese):
			f.scripts[complexText] = true
		}
	}
}

// maxChain is how long a chain of styles based on styles may be.
const maxChain = 32

// usedFamilies returns the families, in order.
func (f *fontCollector) usedFamilies() []string {
	all := map[string]bool{}
	add := func(s script, name string) {
		if kind, themed := strings.CutPrefix(name, "theme:"); themed {
			name = f.theme[kind]
		}
		if f.scripts[s] && name != "" && !f.embedded[strings.ToLower(name)] {
			all[name] = true
		}
	}
	for s, names := range f.named {
		for name := range names {
			add(s, name)
		}
	}
	for id, st := range f.styles {
		if !st.isDefault && !f.referenced[id] {
			continue
		}
		for n := 0; st != nil && n < maxChain; n++ {
			for s, name := range st.fonts {
				add(s, name)
			}
			st = f.styles[st.basedOn]
		}
	}
	return slices.Sorted(maps.Keys(all))
}
