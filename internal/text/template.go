package text

import (
	"fmt"
	"time"
)

// Fill puts arguments into a template of another catalogue, which uses the same notation. Arguments are not templates.
func Fill(l Language, template string, args map[string]any) string {
	return fillArguments(l, template, args)
}

// LongTime writes a time to the second, in UTC: 14 Okt 2024, 06:06:07 UTC.
func LongTime(l Language, t time.Time) string {
	if l != English {
		l = Indonesian
	}
	t = t.UTC()
	return fmt.Sprintf("%d %s %d, %02d:%02d:%02d UTC", t.Day(), months[l][t.Month()-1], t.Year(), t.Hour(), t.Minute(), t.Second())
}
