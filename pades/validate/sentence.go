package validate

import (
	"strings"
	"time"
)

// Reason is something that a report says: a stable code, what it is about, and a sentence for people in both
// languages.
type Reason struct {
	Code       string            `json:"code"`
	Args       map[string]string `json:"args" doc:"what the sentence is about"`
	Indonesian string            `json:"id" doc:"the sentence in Indonesian"`
	English    string            `json:"en" doc:"the sentence in English"`
}

// In returns the sentence in a language: "id", or English for any other.
func (r Reason) In(language string) string {
	if language == "id" {
		return r.Indonesian
	}
	return r.English
}

// sentence is a template in both languages: {name} stands for an argument.
type sentence struct{ id, en string }

// maxArgument bounds what a file can put into a sentence.
const maxArgument = 300

// newReason makes a Reason from pairs of names and values.
func newReason(code string, pairs ...string) Reason {
	r := Reason{Code: code, Args: map[string]string{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		r.Args[pairs[i]] = cleanText(pairs[i+1])
	}
	s, ok := sentences[code]
	if !ok {
		s = sentence{code, code}
	}
	r.Indonesian, r.English = fillTemplate(s.id, r.Args), fillTemplate(s.en, r.Args)
	return r
}

// fillTemplate puts arguments into a template. What it puts in is not looked at again. A slot without an argument stays.
func fillTemplate(template string, args map[string]string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(template, "{")
		b.WriteString(before)
		if !open {
			return b.String()
		}
		slot, after, closed := strings.Cut(rest, "}")
		if value, known := args[slot]; closed && known {
			b.WriteString(value)
			template = after
			continue
		}
		b.WriteByte('{')
		template = rest
	}
}

// cleanText keeps what a file says to one line of bounded length, so that it cannot pass for a line of ours, and drops
// what turns the direction of writing.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxArgument {
			b.WriteRune('…')
			break
		}
		switch {
		case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0, r == 0x2028, r == 0x2029:
			r = ' '
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
			continue
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// formatTime writes a moment into a sentence.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
