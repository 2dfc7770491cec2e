package text

import (
	"fmt"
	"time"

	"golang.org/x/text/language"

	"segel/internal/contract"
)

// Language is a language of the sentences.
type Language string

// The languages. Indonesian is the default.
const (
	Indonesian Language = "id"
	English    Language = "en"
)

var (
	languages = []Language{Indonesian, English}
	matcher   = language.NewMatcher([]language.Tag{language.Indonesian, language.English})
)

// maxHeader bounds the Accept-Language headers that are parsed, in bytes; browsers send about 50.
const maxHeader = 200

// ChooseLanguage returns the language for an Accept-Language header (RFC 9110 §12.5.4).
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

var months = map[Language][12]string{
	Indonesian: {"Jan", "Feb", "Mar", "Apr", "Mei", "Jun", "Jul", "Agu", "Sep", "Okt", "Nov", "Des"},
	English:    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
}

// ShortTime formats a time for lists, in Jakarta: 14 Okt 24, 13:06.
func ShortTime(l Language, t time.Time) string {
	if l != English {
		l = Indonesian
	}
	t = t.In(contract.Jakarta)
	b := t.AppendFormat(make([]byte, 0, len("14 Okt 24, 13:06")), "02 ")
	b = append(b, months[l][t.Month()-1]...)
	return string(t.AppendFormat(b, " 06, 15:04"))
}

// LongTime writes a time to the second, in UTC: 14 Okt 2024, 06:06:07 UTC.
func LongTime(l Language, t time.Time) string {
	if l != English {
		l = Indonesian
	}
	t = t.UTC()
	return fmt.Sprintf("%d %s %d, %02d:%02d:%02d UTC", t.Day(), months[l][t.Month()-1], t.Year(), t.Hour(), t.Minute(), t.Second())
}

var fullMonths = map[Language][12]string{
	Indonesian: {"Januari", "Februari", "Maret", "April", "Mei", "Juni", "Juli", "Agustus", "September", "Oktober", "November", "Desember"},
	English:    {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
}

// LongDate writes a day: 14 Oktober 2024.
func LongDate(l Language, t time.Time) string {
	if l != English {
		l = Indonesian
	}
	return fmt.Sprintf("%d %s %d", t.Day(), fullMonths[l][t.Month()-1], t.Year())
}

// MailedTime writes a time in a zone for a message that is read anywhere: 14 Oktober 2024 pukul 13.06 WIB.
func MailedTime(l Language, t time.Time, zone *time.Location) string {
	t = t.In(zone)
	name, _ := t.Zone()
	if l == English {
		return fmt.Sprintf("%d %s %d, %02d:%02d %s", t.Day(), fullMonths[l][t.Month()-1], t.Year(), t.Hour(), t.Minute(), name)
	}
	return fmt.Sprintf("%d %s %d pukul %02d.%02d %s", t.Day(), fullMonths[Indonesian][t.Month()-1], t.Year(), t.Hour(), t.Minute(), name)
}
