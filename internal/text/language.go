package text

import "golang.org/x/text/language"

// Language is one that sentences are written in.
type Language string

// The languages. Indonesian is what everybody gets who asks for nothing else.
const (
	Indonesian Language = "id"
	English    Language = "en"
)

var (
	languages = []Language{Indonesian, English}
	matcher   = language.NewMatcher([]language.Tag{language.Indonesian, language.English})
)

// maxHeader bounds how much of an Accept-Language header is looked at, in bytes; browsers send some 50.
const maxHeader = 200

// ChooseLanguage chooses the language for an Accept-Language header (RFC 9110 §12.5.4).
func ChooseLanguage(header string) Language {
	if len(header) > maxHeader {
		return Indonesian
	}
	tags, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(tags) == 0 {
		return Indonesian
	}
	_, i, confidence := matcher.Match(tags...)
	if confidence == language.No {
		return Indonesian
	}
	return languages[i]
}
