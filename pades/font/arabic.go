package font

import (
	"strings"
	"unicode"
)

// arabicForms lists, from a letter's isolated form on, how it joins: 2 forms (isolated, final) for letters that do not
// join what follows, 4 (isolated, final, initial, medial) for all others.
var arabicForms = map[rune]struct {
	first rune
	n     int
}{
	0x0621: {0xFE80, 1}, 0x0622: {0xFE81, 2}, 0x0623: {0xFE83, 2}, 0x0624: {0xFE85, 2}, 0x0625: {0xFE87, 2},
	0x0626: {0xFE89, 4}, 0x0627: {0xFE8D, 2}, 0x0628: {0xFE8F, 4}, 0x0629: {0xFE93, 2}, 0x062A: {0xFE95, 4},
	0x062B: {0xFE99, 4}, 0x062C: {0xFE9D, 4}, 0x062D: {0xFEA1, 4}, 0x062E: {0xFEA5, 4}, 0x062F: {0xFEA9, 2},
	0x0630: {0xFEAB, 2}, 0x0631: {0xFEAD, 2}, 0x0632: {0xFEAF, 2}, 0x0633: {0xFEB1, 4}, 0x0634: {0xFEB5, 4},
	0x0635: {0xFEB9, 4}, 0x0636: {0xFEBD, 4}, 0x0637: {0xFEC1, 4}, 0x0638: {0xFEC5, 4}, 0x0639: {0xFEC9, 4},
	0x063A: {0xFECD, 4}, 0x0641: {0xFED1, 4}, 0x0642: {0xFED5, 4}, 0x0643: {0xFED9, 4}, 0x0644: {0xFEDD, 4},
	0x0645: {0xFEE1, 4}, 0x0646: {0xFEE5, 4}, 0x0647: {0xFEE9, 4}, 0x0648: {0xFEED, 2}, 0x0649: {0xFEEF, 2},
	0x064A: {0xFEF1, 4}, 0x067E: {0xFB56, 4}, 0x0686: {0xFB7A, 4}, 0x0698: {0xFB8A, 2}, 0x06A9: {0xFB8E, 4},
	0x06AF: {0xFB92, 4}, 0x06CC: {0xFBFC, 4},
}

// lamAlef are the ligatures of lam with an alef, isolated form first; they are obligatory.
var lamAlef = map[rune]rune{0x0622: 0xFEF5, 0x0623: 0xFEF7, 0x0625: 0xFEF9, 0x0627: 0xFEFB}

const (
	lam    = 0x0644
	tatwil = 0x0640
)

// joinArabic replaces Arabic letters by the forms they take between their neighbours.
func joinArabic(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }) {
		return text
	}
	in := []rune(text)
	var out []rune
	joined := false // what stands before reaches out to this letter
	for i := 0; i < len(in); i++ {
		r := in[i]
		if unicode.Is(unicode.M, r) {
			out = append(out, r)
			continue
		}
		after := nextLetter(in, i)
		if ligature, ok := lamAlef[after]; ok && r == lam && i+1 < len(in) && in[i+1] == after {
			out = append(out, ligature+formOffset(joined, 1))
			joined = false
			i++
			continue
		}
		f, ok := arabicForms[r]
		if !ok {
			out, joined = append(out, r), r == tatwil
			continue
		}
		reaches := f.n == 4 && canJoin(after)
		form := formOffset(joined && f.n > 1, 1) + formOffset(reaches, 2)
		out, joined = append(out, f.first+form), reaches
	}
	return string(out)
}

func formOffset(yes bool, n rune) rune {
	if yes {
		return n
	}
	return 0
}

// nextLetter returns the letter behind i, past marks, or 0.
func nextLetter(in []rune, i int) rune {
	for _, r := range in[i+1:] {
		if !unicode.Is(unicode.M, r) {
			return r
		}
	}
	return 0
}

// canJoin reports letters that can be reached out to.
func canJoin(r rune) bool { return r == tatwil || arabicForms[r].n > 1 }
