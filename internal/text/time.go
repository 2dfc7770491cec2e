package text

import (
	"fmt"
	"time"

	"segel/internal/contract"
)

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
	return fmt.Sprintf("%02d %s %02d, %02d:%02d", t.Day(), months[l][t.Month()-1], t.Year()%100, t.Hour(), t.Minute())
}
