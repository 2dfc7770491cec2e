package identity

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"segel/internal/contract"
)

// Rules for a new password, after NIST SP 800-63B §5.1.1.2: a minimum length, and no password that is commonly used,
// repetitive, a sequence, or made of words that belong to the person. There are no rules on kinds of characters.
const (
	leastRest    = 8 // minimum characters that remain after the person's own words are removed
	leastOwn     = 4 // minimum characters of a word to count as one of the person's own
	mostTrimmed  = 6 // maximum bytes of digits and marks that are ignored around a common password
	leastSteps   = 4 // minimum places where a character neither repeats nor continues the one before
	leastLetters = 5 // minimum different characters
)

//go:embed commonpasswords/list.txt
var commonList string

// localCommon are passwords that are common in Indonesia and missing in the list.
var localCommon = []string{
	"bismillah", "alhamdulillah", "assalamualaikum", "indonesia", "indonesiaraya", "katasandi", "katakunci", "sandisaya", "rahasia",
	"rahasiaku", "sayangku", "cintaku", "akucintakamu", "akusayangkamu", "jakarta", "bandung", "surabaya", "merdeka", "garuda",
	"garudaku", "pancasila", "selamatpagi", "terimakasih", "administrator", "adminadmin", "passwordku", "meterai", "emeterai",
	"tandatangan",
}

var commonPasswords = sync.OnceValue(func() map[string]bool {
	set := make(map[string]bool, strings.Count(commonList, "\n")+len(localCommon))
	for line := range strings.Lines(commonList) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			set[line] = true
		}
	}
	for _, p := range localCommon {
		set[p] = true
	}
	return set
})

// keyRows are the rows of a keyboard and the alphabet. Adjacent characters in one of them are neighbours.
var keyRows = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890", "abcdefghijklmnopqrstuvwxyz"}

// checkWeak returns why a password is too easy to guess, or nil. The words are the person's own: e-mail, name,
// organisation.
func checkWeak(field, password string, words ...string) *contract.FieldError {
	folded := foldPassword(password)
	switch {
	case isCommon(folded):
		return &contract.FieldError{Field: field, Code: "password.common"}
	case isRepetitive(folded):
		return &contract.FieldError{Field: field, Code: "password.repetitive"}
	case isPersonal(folded, words):
		return &contract.FieldError{Field: field, Code: "password.personal"}
	}
	return nil
}

// foldPassword returns a password in lower case and without spaces, so that its variants compare as equal.
func foldPassword(password string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(password))
}

// lookalikes replaces digits and marks with the letters that they look like.
var lookalikes = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// isCommon reports whether a folded password is a common one: unchanged, with letters for lookalikes, repeated, or with a few
// digits and marks around it.
func isCommon(folded string) bool {
	common := commonPasswords()
	for _, p := range []string{folded, lookalikes.Replace(folded)} {
		core := strings.TrimFunc(p, func(r rune) bool { return !unicode.IsLetter(r) })
		if len(p)-len(core) > mostTrimmed {
			core = p
		}
		for _, c := range []string{p, core} {
			if common[c] || common[smallestUnit(c)] || common[lookalikes.Replace(c)] {
				return true
			}
		}
	}
	return false
}

// smallestUnit returns the shortest text whose repetition is s, which is s itself if it does not repeat.
func smallestUnit(s string) string {
	for n := 1; n <= len(s)/2; n++ {
		if len(s)%n == 0 && strings.Repeat(s[:n], len(s)/n) == s {
			return s[:n]
		}
	}
	return s
}

// isRepetitive reports whether nearly every character of a password repeats or continues the one before, or the password has
// few different characters.
func isRepetitive(folded string) bool {
	different, steps, last := map[rune]bool{}, 0, rune(-1)
	for _, r := range folded {
		if different[r] = true; last >= 0 && r != last && !areNeighbours(last, r) {
			steps++
		}
		last = r
	}
	return len(different) < leastLetters || steps < leastSteps || len(smallestUnit(folded)) <= leastLetters
}

func areNeighbours(a, b rune) bool {
	return slices.ContainsFunc(keyRows, func(row string) bool {
		i, j := strings.IndexRune(row, a), strings.IndexRune(row, b)
		return i >= 0 && j >= 0 && (i-j == 1 || j-i == 1)
	})
}

// isPersonal reports whether a folded password contains words of the person and too little else.
func isPersonal(folded string, words []string) bool {
	rest := lettersAndDigits(folded)
	had := len(rest)
	for _, w := range ownWords(words) {
		rest = strings.ReplaceAll(rest, w, "")
	}
	return len(rest) < had && len([]rune(rest)) < leastRest
}

// ownWords returns the whole texts and the words in them, folded, longest first, without those that are too short.
func ownWords(texts []string) []string {
	own := []string{"segel"}
	for _, t := range texts {
		t = foldPasswordWords(t)
		own = append(own, lettersAndDigits(t))
		own = append(own, strings.FieldsFunc(t, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	own = slices.DeleteFunc(own, func(w string) bool { return len([]rune(w)) < leastOwn })
	slices.SortFunc(own, func(a, b string) int { return len(b) - len(a) })
	return own
}

func foldPasswordWords(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// samePassword reports whether a password equals the former one, or contains it with little added, so that it would not
// count as another password.
func samePassword(password, former string) bool {
	p, f := lettersAndDigits(foldPassword(password)), lettersAndDigits(foldPassword(former))
	return f != "" && (p == f || len(f) >= leastRest && strings.Contains(p, f) && len(p)-len(f) < leastRest)
}
