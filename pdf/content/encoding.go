package content

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"segel/pdf"
)

// winAnsi is WinAnsiEncoding, which is used for all simple fonts that do not state another: letters and digits are the
// same in every encoding. Control characters mean nothing.
var winAnsi = newEncoding("€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ", func(c int) string { return string(rune(c)) })

// macRoman is MacRomanEncoding.
var macRoman = newEncoding("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ", nil)

// newEncoding returns a table of printable ASCII, of the characters of high from 128 on, and of rest after those.
func newEncoding(high string, rest func(int) string) (t [256]string) {
	for c := 32; c < 127; c++ {
		t[c] = string(rune(c))
	}
	c := 128
	for _, r := range high {
		t[c] = string(r)
		c++
	}
	for ; c < 256 && rest != nil; c++ {
		t[c] = rest(c)
	}
	return t
}

// loadEncoding reads what the codes of a simple font mean: its /ToUnicode, or else its encoding.
func (p *interpreter) loadEncoding(f *font, dict pdf.Dict) {
	v, err := p.d.Resolve(dict["Encoding"])
	p.failed(err)
	base, differences := pdf.Object(v), pdf.Object(nil)
	if d, ok := v.(pdf.Dict); ok {
		base, differences = d["BaseEncoding"], d["Differences"]
	}
	if name, _ := p.d.Name(base); name == "MacRomanEncoding" {
		f.texts = &macRoman
	}
	var own *[256]string
	change := func(code int, text string) {
		if own == nil {
			copied := *f.texts
			own = &copied
		}
		own[code] = text
	}
	if p.deep != nil {
		f.ownText = &ownText{}
	}
	p.eachDifference(differences, func(code int, name pdf.Name) {
		change(code, GlyphText(string(name)))
		if f.ownText != nil {
			f.ownText.names[code] = string(name)
		}
	})
	if m := p.readCMap(dict["ToUnicode"]); m != nil {
		for code := range 256 {
			if text := m.textOf(uint32(code)); text != "" {
				change(code, text)
				if f.ownText != nil {
					f.ownText.texts[code] = text
				}
			}
		}
	}
	if own != nil {
		f.texts = own
	}
}

// eachDifference iterates over an array of codes and the glyph names that follow each.
func (p *interpreter) eachDifference(o pdf.Object, f func(code int, name pdf.Name)) {
	list, err := p.d.Array(o)
	if p.failed(err) {
		return
	}
	code := int64(0)
	for _, o := range list[:min(len(list), 1024)] {
		v, err := p.d.Resolve(o)
		if p.failed(err) {
			return
		}
		switch v := v.(type) {
		case pdf.Integer:
			code = int64(v)
		case pdf.Name:
			if code >= 0 && code < 256 {
				f(int(code), v)
			}
			code++
		}
	}
}

// GlyphText returns what a glyph of that name means, or "" where that is not known. It knows the names of the letters of
// Western Europe and those made of code points.
func GlyphText(name string) string {
	name, _, _ = strings.Cut(name, ".")
	if len(name) == 1 {
		return name
	}
	if text, ok := glyphNames[name]; ok {
		return text
	}
	if text, ok := moreGlyphNames[name]; ok {
		return text
	}
	digits, ok := strings.CutPrefix(name, "uni")
	if !ok {
		digits, ok = strings.CutPrefix(name, "u")
	}
	if n, err := strconv.ParseUint(digits, 16, 32); ok && err == nil && len(digits) >= 4 && n <= 0x10ffff {
		return string(rune(n))
	}
	return ""
}

// CodeText returns what a code means in one of the encodings that readers know by name; codes of ASCII mean the same in
// all.
func CodeText(encoding string, code byte) string {
	if encoding == "MacRomanEncoding" {
		return macRoman[code]
	}
	return winAnsi[code]
}

// glyphNames maps glyph names used in Western Europe and Indonesia to their text.
var glyphNames = map[string]string{
	"space": " ", "exclam": "!", "quotedbl": "\"", "numbersign": "#", "dollar": "$", "percent": "%",
	"ampersand": "&", "quotesingle": "'", "parenleft": "(", "parenright": ")", "asterisk": "*", "plus": "+",
	"comma": ",", "hyphen": "-", "period": ".", "slash": "/", "zero": "0", "one": "1", "two": "2", "three": "3",
	"four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "colon": ":", "semicolon": ";",
	"less": "<", "equal": "=", "greater": ">", "question": "?", "at": "@", "bracketleft": "[", "backslash": "\\",
	"bracketright": "]", "asciicircum": "^", "underscore": "_", "grave": "`", "braceleft": "{", "bar": "|",
	"braceright": "}", "asciitilde": "~", "quoteleft": "‘", "quoteright": "’", "quotedblleft": "“",
	"quotedblright": "”", "quotesinglbase": "‚", "quotedblbase": "„", "endash": "–", "emdash": "—", "bullet": "•",
	"ellipsis": "…", "fi": "fi", "fl": "fl", "ff": "ff", "ffi": "ffi", "ffl": "ffl", "minus": "−", "Euro": "€",
	"copyright": "©", "registered": "®", "trademark": "™", "degree": "°", "section": "§", "paragraph": "¶",
	"periodcentered": "·", "multiply": "×", "divide": "÷", "nbspace": " ", "germandbls": "ß", "dotlessi": "ı",
	"sterling": "£", "yen": "¥", "plusminus": "±", "agrave": "à", "egrave": "è", "igrave": "ì", "ograve": "ò",
	"ugrave": "ù", "Agrave": "À", "Egrave": "È", "Igrave": "Ì", "Ograve": "Ò", "Ugrave": "Ù", "aacute": "á",
	"eacute": "é", "iacute": "í", "oacute": "ó", "uacute": "ú", "yacute": "ý", "Aacute": "Á", "Eacute": "É",
	"Iacute": "Í", "Oacute": "Ó", "Uacute": "Ú", "Yacute": "Ý", "acircumflex": "â", "ecircumflex": "ê",
	"icircumflex": "î", "ocircumflex": "ô", "ucircumflex": "û", "Acircumflex": "Â", "Ecircumflex": "Ê",
	"Icircumflex": "Î", "Ocircumflex": "Ô", "Ucircumflex": "Û", "atilde": "ã", "otilde": "õ", "ntilde": "ñ",
	"Atilde": "Ã", "Otilde": "Õ", "Ntilde": "Ñ", "adieresis": "ä", "edieresis": "ë", "idieresis": "ï",
	"odieresis": "ö", "udieresis": "ü", "ydieresis": "ÿ", "Adieresis": "Ä", "Edieresis": "Ë", "Idieresis": "Ï",
	"Odieresis": "Ö", "Udieresis": "Ü", "ccedilla": "ç", "Ccedilla": "Ç", "aring": "å", "Aring": "Å",
}

// standardEncoding is StandardEncoding (ISO 32000-2 §D.2), which the standard text fonts use if a font states none.
var standardEncoding = func() (t [256]string) {
	for c := 32; c < 127; c++ {
		t[c] = string(rune(c))
	}
	t['\''], t['`'] = "’", "‘"
	for from, run := range map[int]string{
		0xA1: "¡¢£⁄¥ƒ§¤'“«‹›", 0xAE: "ﬁﬂ", 0xB1: "–†‡·", 0xB6: "¶•‚„”»…‰", 0xBF: "¿", 0xC1: "`´ˆ˜¯˘˙¨", 0xCA: "˚¸", 0xCD: "˝˛ˇ—",
		0xE1: "Æ", 0xE3: "ª", 0xE8: "ŁØŒº", 0xF1: "æ", 0xF5: "ı", 0xF8: "łøœß",
	} {
		for _, r := range run {
			t[from] = string(r)
			from++
		}
	}
	return t
}()

// moreGlyphNames are further names of the Adobe Glyph List: the rest of Latin, Greek and punctuation.
var moreGlyphNames = map[string]string{
	"verticalbar": "|", "nonbreakingspace": "\u00A0", "exclamdown": "¡", "cent": "¢", "currency": "¤", "brokenbar": "¦",
	"dieresis": "¨", "ordfeminine": "ª", "guillemotleft": "«", "logicalnot": "¬", "sfthyphen": "\u00AD",
	"softhyphen": "\u00AD", "macron": "¯", "overscore": "¯", "acute": "´", "mu": "µ", "mu1": "µ", "middot": "·",
	"cedilla": "¸", "ordmasculine": "º", "guillemotright": "»", "onequarter": "¼", "onehalf": "½", "threequarters": "¾",
	"questiondown": "¿", "AE": "Æ", "Eth": "Ð", "Oslash": "Ø", "Thorn": "Þ", "ae": "æ", "eth": "ð", "oslash": "ø",
	"thorn": "þ", "Amacron": "Ā", "amacron": "ā", "Abreve": "Ă", "abreve": "ă", "Aogonek": "Ą", "aogonek": "ą",
	"Cacute": "Ć", "cacute": "ć", "Ccircumflex": "Ĉ", "ccircumflex": "ĉ", "Cdot": "Ċ", "Cdotaccent": "Ċ", "cdot": "ċ",
	"cdotaccent": "ċ", "Ccaron": "Č", "ccaron": "č", "Dcaron": "Ď", "dcaron": "ď", "Dcroat": "Đ", "Dslash": "Đ",
	"dcroat": "đ", "dmacron": "đ", "Emacron": "Ē", "emacron": "ē", "Ebreve": "Ĕ", "ebreve": "ĕ", "Edot": "Ė",
	"Edotaccent": "Ė", "edot": "ė", "edotaccent": "ė", "Eogonek": "Ę", "eogonek": "ę", "Ecaron": "Ě", "ecaron": "ě",
	"Gcircumflex": "Ĝ", "gcircumflex": "ĝ", "Gbreve": "Ğ", "gbreve": "ğ", "Gdot": "Ġ", "Gdotaccent": "Ġ", "gdot": "ġ",
	"gdotaccent": "ġ", "Gcedilla": "Ģ", "Gcommaaccent": "Ģ", "gcedilla": "ģ", "gcommaaccent": "ģ", "Hcircumflex": "Ĥ",
	"hcircumflex": "ĥ", "Hbar": "Ħ", "hbar": "ħ", "Itilde": "Ĩ", "itilde": "ĩ", "Imacron": "Ī", "imacron": "ī",
	"Ibreve": "Ĭ", "ibreve": "ĭ", "Iogonek": "Į", "iogonek": "į", "Idot": "İ", "Idotaccent": "İ", "IJ": "Ĳ", "ij": "ĳ",
	"Jcircumflex": "Ĵ", "jcircumflex": "ĵ", "Kcedilla": "Ķ", "Kcommaaccent": "Ķ", "kcedilla": "ķ", "kcommaaccent": "ķ",
	"kgreenlandic": "ĸ", "Lacute": "Ĺ", "lacute": "ĺ", "Lcedilla": "Ļ", "Lcommaaccent": "Ļ", "lcedilla": "ļ",
	"lcommaaccent": "ļ", "Lcaron": "Ľ", "lcaron": "ľ", "Ldot": "Ŀ", "Ldotaccent": "Ŀ", "ldot": "ŀ", "ldotaccent": "ŀ",
	"Lslash": "Ł", "lslash": "ł", "Nacute": "Ń", "nacute": "ń", "Ncedilla": "Ņ", "Ncommaaccent": "Ņ", "ncedilla": "ņ",
	"ncommaaccent": "ņ", "Ncaron": "Ň", "ncaron": "ň", "napostrophe": "ŉ", "quoterightn": "ŉ", "Eng": "Ŋ", "eng": "ŋ",
	"Omacron": "Ō", "omacron": "ō", "Obreve": "Ŏ", "obreve": "ŏ", "Odblacute": "Ő", "Ohungarumlaut": "Ő",
	"odblacute": "ő", "ohungarumlaut": "ő", "OE": "Œ", "oe": "œ", "Racute": "Ŕ", "racute": "ŕ", "Rcedilla": "Ŗ",
	"Rcommaaccent": "Ŗ", "rcedilla": "ŗ", "rcommaaccent": "ŗ", "Rcaron": "Ř", "rcaron": "ř", "Sacute": "Ś",
	"sacute": "ś", "Scircumflex": "Ŝ", "scircumflex": "ŝ", "Scedilla": "Ş", "scedilla": "ş", "Scaron": "Š",
	"scaron": "š", "Tcedilla": "Ţ", "Tcommaaccent": "Ţ", "tcedilla": "ţ", "tcommaaccent": "ţ", "Tcaron": "Ť",
	"tcaron": "ť", "Tbar": "Ŧ", "tbar": "ŧ", "Utilde": "Ũ", "utilde": "ũ", "Umacron": "Ū", "umacron": "ū",
	"Ubreve": "Ŭ", "ubreve": "ŭ", "Uring": "Ů", "uring": "ů", "Udblacute": "Ű", "Uhungarumlaut": "Ű", "udblacute": "ű",
	"uhungarumlaut": "ű", "Uogonek": "Ų", "uogonek": "ų", "Wcircumflex": "Ŵ", "wcircumflex": "ŵ", "Ycircumflex": "Ŷ",
	"ycircumflex": "ŷ", "Ydieresis": "Ÿ", "Zacute": "Ź", "zacute": "ź", "Zdot": "Ż", "Zdotaccent": "Ż", "zdot": "ż",
	"zdotaccent": "ż", "Zcaron": "Ž", "zcaron": "ž", "longs": "ſ", "slong": "ſ", "florin": "ƒ", "Scommaaccent": "Ș",
	"scommaaccent": "ș", "circumflex": "ˆ", "caron": "ˇ", "breve": "˘", "dotaccent": "˙", "ring": "˚", "ogonek": "˛",
	"tilde": "˜", "hungarumlaut": "˝", "tonos": "΄", "dialytikatonos": "΅", "dieresistonos": "΅", "Alphatonos": "Ά",
	"anoteleia": "·", "Epsilontonos": "Έ", "Etatonos": "Ή", "Iotatonos": "Ί", "Omicrontonos": "Ό", "Upsilontonos": "Ύ",
	"Omegatonos": "Ώ", "iotadieresistonos": "ΐ", "Alpha": "Α", "Beta": "Β", "Gamma": "Γ", "Deltagreek": "Δ",
	"Epsilon": "Ε", "Zeta": "Ζ", "Eta": "Η", "Theta": "Θ", "Iota": "Ι", "Kappa": "Κ", "Lambda": "Λ", "Mu": "Μ",
	"Nu": "Ν", "Xi": "Ξ", "Omicron": "Ο", "Pi": "Π", "Rho": "Ρ", "Sigma": "Σ", "Tau": "Τ", "Upsilon": "Υ", "Phi": "Φ",
	"Chi": "Χ", "Psi": "Ψ", "Omegagreek": "Ω", "Iotadieresis": "Ϊ", "Upsilondieresis": "Ϋ", "alphatonos": "ά",
	"epsilontonos": "έ", "etatonos": "ή", "iotatonos": "ί", "upsilondieresistonos": "ΰ", "alpha": "α", "beta": "β",
	"gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ",
	"lambda": "λ", "mugreek": "μ", "nu": "ν", "xi": "ξ", "omicron": "ο", "pi": "π", "rho": "ρ", "sigma1": "ς",
	"sigmafinal": "ς", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"iotadieresis": "ϊ", "upsilondieresis": "ϋ", "omicrontonos": "ό", "upsilontonos": "ύ", "omegatonos": "ώ",
	"hyphentwo": "‐", "figuredash": "‒", "horizontalbar": "―", "dblverticalbar": "‖", "dbllowline": "‗",
	"quoteleftreversed": "‛", "quotereversed": "‛", "dagger": "†", "daggerdbl": "‡", "perthousand": "‰", "minute": "′",
	"second": "″", "primereversed": "‵", "guilsinglleft": "‹", "guilsinglright": "›", "referencemark": "※",
	"exclamdbl": "‼", "overline": "‾", "fraction": "⁄", "colonmonetary": "₡", "colonsign": "₡", "cruzeiro": "₢",
	"franc": "₣", "lira": "₤", "peseta": "₧", "won": "₩", "newsheqelsign": "₪", "sheqel": "₪", "dong": "₫", "euro": "€",
	"lsquare": "ℓ", "numero": "№", "Ohm": "Ω", "Omega": "Ω", "Delta": "∆", "increment": "∆", "product": "∏",
	"summation": "∑", "radical": "√", "infinity": "∞", "integral": "∫", "approxequal": "≈", "notequal": "≠",
	"lessequal": "≤", "greaterequal": "≥", "lozenge": "◊",
}

// cmap is a character map: how a string is split into codes, and what they stand for (ISO 32000-2 §9.7.5, §9.10.3).
type cmap struct {
	spaces   []codespace
	cids     []cidRange
	texts    []textRange
	vertical bool
	partial  bool // it is based on another that is not read
}

type codespace struct {
	bytes    int
	from, to uint32
}

type cidRange struct{ from, to, cid uint32 }

type textRange struct {
	from, to uint32
	text     string // of the first; the last character increases for the others
}

// readCMap reads a character map; nil if there is none, or only a name.
func (p *interpreter) readCMap(o pdf.Object) *cmap {
	v, err := p.d.Resolve(o)
	if p.failed(err) {
		return nil
	}
	st, ok := v.(*pdf.Stream)
	if !ok {
		return nil
	}
	b := p.decodeStream(st)
	if p.stopped || !p.spendBytes(4*int64(len(b))) {
		p.stopAtLimit(errBytes)
		return nil
	}
	m := parseCMap(b)
	if st.Dict["UseCMap"] != nil {
		m.partial = true
	}
	if st.Dict["WMode"] != nil {
		mode, err := p.d.Integer(st.Dict["WMode"])
		m.vertical = !p.failed(err) && mode == 1
	}
	return m
}

func parseCMap(b []byte) *cmap {
	m := &cmap{}
	c := &contentLexer{b: b}
	for op := c.nextOperator(); op != nil; op = c.nextOperator() {
		o := c.operands
		switch string(op) {
		case "endcodespacerange":
			for i := 0; i+1 < len(o); i += 2 {
				if n := len(o[i].text); n >= 1 && n <= 4 && n == len(o[i+1].text) {
					m.spaces = append(m.spaces, codespace{n, decodeCode(o[i].text), decodeCode(o[i+1].text)})
				}
			}
		case "endcidrange":
			for i := 0; i+2 < len(o); i += 3 {
				m.addCID(decodeCode(o[i].text), decodeCode(o[i+1].text), o[i+2])
			}
		case "endcidchar":
			for i := 0; i+1 < len(o); i += 2 {
				m.addCID(decodeCode(o[i].text), decodeCode(o[i].text), o[i+1])
			}
		case "endbfchar":
			for i := 0; i+1 < len(o); i += 2 {
				m.addText(decodeCode(o[i].text), decodeCode(o[i].text), o[i+1])
			}
		case "endbfrange":
			m.addRanges(o)
		case "usecmap":
			m.partial = true
		case "def":
			if n := len(o); n == 2 && o[0].kind == isName && string(o[0].text) == "WMode" {
				m.vertical = o[1].number == 1
			}
		}
	}
	sort.SliceStable(m.cids, func(i, j int) bool { return m.cids[i].from < m.cids[j].from })
	sort.SliceStable(m.texts, func(i, j int) bool { return m.texts[i].from < m.texts[j].from })
	return m
}

// addRanges reads the operands of endbfrange: "from to text", or "from to [text text ...]".
func (m *cmap) addRanges(o []operand) {
	for i := 0; i+2 < len(o); {
		from, to := decodeCode(o[i].text), decodeCode(o[i+1].text)
		i += 2
		if o[i].kind != isOpen {
			m.addText(from, to, o[i])
			i++
			continue
		}
		for i++; i < len(o) && o[i].kind != isClose; i++ {
			m.addText(from, from, o[i])
			from++
		}
		i++
	}
}

func (m *cmap) addCID(from, to uint32, o operand) {
	if o.kind == isNumber && from <= to && o.number >= 0 && o.number < 1<<24 {
		m.cids = append(m.cids, cidRange{from, to, uint32(o.number)})
	}
}

func (m *cmap) addText(from, to uint32, o operand) {
	if o.kind == isString && from <= to {
		m.texts = append(m.texts, textRange{from, to, decodeUTF16(o.text[:min(len(o.text), 32)])})
	}
}

// decodeCode is the number that up to four bytes stand for.
func decodeCode(b []byte) uint32 {
	var v uint32
	for _, x := range b[:min(len(b), 4)] {
		v = v<<8 | uint32(x)
	}
	return v
}

// nextCode returns the next code of a string: the shortest that lies in a code space, or else two bytes.
func (m *cmap) nextCode(s []byte) (c uint32, bytes int) {
	for n := 1; n <= min(4, len(s)); n++ {
		c := decodeCode(s[:n])
		for _, space := range m.spaces[:min(len(m.spaces), maxSpaces)] {
			if space.bytes == n && isInCodespace(c, space, n) {
				return c, n
			}
		}
	}
	n := min(2, len(s))
	if len(m.spaces) > 0 {
		n = min(m.spaces[0].bytes, len(s))
	}
	return decodeCode(s[:n]), n
}

// maxSpaces bounds the code spaces that are tried; real maps have up to eight.
const maxSpaces = 32

// isInCodespace reports whether each byte of a code lies between those of the ends.
func isInCodespace(c uint32, s codespace, n int) bool {
	for i := range n {
		b, from, to := byte(c>>(8*i)), byte(s.from>>(8*i)), byte(s.to>>(8*i))
		if b < from || b > to {
			return false
		}
	}
	return true
}

func (m *cmap) cidOf(c uint32) uint32 {
	i := sort.Search(len(m.cids), func(i int) bool { return m.cids[i].from > c }) - 1
	if i < 0 || m.cids[i].to < c {
		if m.partial {
			return c
		}
		return 0
	}
	return m.cids[i].cid + c - m.cids[i].from
}

func (m *cmap) textOf(c uint32) string {
	i := sort.Search(len(m.texts), func(i int) bool { return m.texts[i].from > c }) - 1
	if i < 0 || m.texts[i].to < c {
		return ""
	}
	t := m.texts[i]
	if c == t.from || t.text == "" {
		return t.text
	}
	last, size := utf8.DecodeLastRuneInString(t.text)
	return t.text[:len(t.text)-size] + string(last+rune(c-t.from))
}

func decodeUTF16(b []byte) string {
	if len(b) == 1 {
		return string(rune(b[0]))
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	return string(utf16.Decode(units))
}
