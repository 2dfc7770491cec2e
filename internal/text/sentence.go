package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// sentence is one sentence in each language.
type sentence struct{ id, en string }

func (w sentence) inLanguage(l Language) string {
	if l == English {
		return w.en
	}
	return w.id
}

// Sentence returns the sentence for a code. Unused arguments are ignored. A code without a sentence is inserted into a
// general one, so that there is always a text.
func Sentence(l Language, code string, args map[string]any) string {
	w, ok := sentences[code]
	if !ok {
		w, args = sentences["unknown"], map[string]any{"code": strings.Clone(code)} // so that callers need no memory for the code
	}
	return Fill(l, w.inLanguage(l), args)
}

// Fill inserts arguments into a sentence, or into a template of another catalogue in the same notation. Arguments are
// not templates.
func Fill(l Language, s string, args map[string]any) string {
	if !strings.ContainsAny(s, "{[") {
		return s
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "{[")
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		end := "}"
		if s[i] == '[' {
			end = "]"
		}
		inner, rest, _ := strings.Cut(s[i+1:], end)
		if end == "]" {
			if hasArguments(inner, args) {
				b.WriteString(Fill(l, inner, args))
			}
		} else {
			name, how, _ := strings.Cut(inner, "|")
			b.WriteString(formatArgument(l, args[name], how))
		}
		s = rest
	}
	return b.String()
}

// hasArguments reports whether every argument named in s is present and not empty.
func hasArguments(s string, args map[string]any) bool {
	for _, name := range argumentNames(s) {
		if v, ok := args[name]; !ok || v == nil || v == "" {
			return false
		}
	}
	return true
}

// argumentNames returns the arguments named in s, in order.
func argumentNames(s string) []string {
	var found []string
	for {
		_, rest, ok := strings.Cut(s, "{")
		if !ok {
			return found
		}
		inner, rest, _ := strings.Cut(rest, "}")
		name, _, _ := strings.Cut(inner, "|")
		found, s = append(found, name), rest
	}
}

// formatArgument formats one argument: a number with the separators of the language, as bytes with the format "size",
// and as seconds with "duration"; a list with commas; a time like [ShortTime].
func formatArgument(l Language, v any, how string) string {
	var n float64
	switch v := v.(type) {
	case int:
		n = float64(v)
	case int32:
		n = float64(v)
	case int64:
		n = float64(v)
	case float64:
		n = v
	case []string:
		return strings.Join(v, ", ")
	case time.Time:
		return ShortTime(l, v)
	case nil:
		return "?" // a test checks that every caller gives the arguments of its sentence
	default:
		return fmt.Sprint(v)
	}
	switch how {
	case "size":
		return formatSize(l, n)
	case "duration":
		return formatDuration(l, n)
	}
	return formatNumber(l, n)
}

// formatNumber formats n with at most one decimal.
func formatNumber(l Language, n float64) string {
	point, comma := ",", "."
	if l == English {
		point, comma = ".", ","
	}
	s := strconv.FormatFloat(math.Abs(math.Round(n*10)/10), 'f', -1, 64)
	whole, decimals, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + comma + whole[i:]
	}
	if decimals != "" {
		whole += point + decimals
	}
	if n < 0 && s != "0" {
		whole = "-" + whole
	}
	return whole
}

// formatSize formats a number of bytes in the largest unit of which there is at least one.
func formatSize(l Language, bytes float64) string {
	unit := "byte"
	for _, u := range []string{"KiB", "MiB", "GiB"} {
		if bytes < 1024 {
			break
		}
		bytes, unit = bytes/1024, u
	}
	if unit == "byte" && l == English {
		unit = "bytes"
	}
	return formatNumber(l, bytes) + " " + unit
}

// formatDuration formats seconds in the largest unit of which there are at least two, rounded up.
func formatDuration(l Language, seconds float64) string {
	n, id, en := math.Ceil(seconds), "detik", "second"
	for _, u := range []struct {
		in     float64
		id, en string
	}{{60, "menit", "minute"}, {60, "jam", "hour"}, {24, "hari", "day"}} {
		if n < 2*u.in {
			break
		}
		n, id, en = math.Ceil(n/u.in), u.id, u.en
	}
	if l != English {
		return formatNumber(l, n) + " " + id
	}
	if n != 1 {
		en += "s"
	}
	return formatNumber(l, n) + " " + en
}
