package content

// standardEncoding is StandardEncoding (ISO 32000-2 §D.2): that of the standard fonts for text where a font states none.
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
