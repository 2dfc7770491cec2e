package content

import (
	"strconv"
	"strings"

	"segel/pdf"
)

// winAnsi is WinAnsiEncoding, which all simple fonts count as that do not say otherwise: their letters and digits are
// the same in every encoding. Control characters mean nothing.
var winAnsi = newEncoding("€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ", func(c int) string { return string(rune(c)) })

// macRoman is MacRomanEncoding.
var macRoman = newEncoding("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ", nil)

// newEncoding is a table of printable ASCII, of the characters of high from 128 on, and of rest behind those.
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

// loadEncoding finds out what the codes of a simple font mean: its /ToUnicode, or else its encoding.
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
		change(code, named(string(name)))
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

// eachDifference goes through an array of codes and the names of glyphs that follow each.
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
func GlyphText(name string) string { return named(name) }

// CodeText returns what a code means in one of the encodings that readers know by name; codes of ASCII mean the same in
// any.
func CodeText(encoding string, code byte) string {
	if encoding == "MacRomanEncoding" {
		return macRoman[code]
	}
	return winAnsi[code]
}

// named tells what a glyph of that name means; empty if that is not known here.
func named(name string) string {
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

// glyphNames are the names of the glyphs that documents of Western Europe and Indonesia are made of.
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
