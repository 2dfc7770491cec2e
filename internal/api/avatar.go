package api

import (
	"cmp"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"segel/internal/contract"
)

// maxInitials is how many letters an avatar shows.
const maxInitials = 2

// avatarURL returns the address of a person's avatar. It contains the letters, so drawing the avatar needs no look-up
// and reveals nothing that the address does not.
func (s *server) avatarURL(p contract.Person) string {
	a := s.PublicURL + "/v1/avatar/" + url.PathEscape(string(p.ID))
	if shown := initialsOf(cmp.Or(p.Name, p.Email)); shown != "" {
		a += "?initials=" + url.QueryEscape(shown)
	}
	return a
}

func (s *server) registerAvatar() {
	serveStream(s, endpoint{
		method: http.MethodGet, path: "/v1/avatar/{id}", id: "avatar", group: groupAccount, callers: anybody, answers: textAnswer("image/svg+xml", "The picture."), params: avatarParams(),
		summary:     "A picture for a person",
		description: "Drawn from the address alone: its colour from the id, its letters from the query. Needs no token.",
	}, func(c *call) error {
		h := c.w.Header()
		h.Set("Content-Type", "image/svg+xml")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'none'; sandbox")
		h.Set("Cache-Control", "public, max-age=604800, immutable")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		_, _ = c.w.Write(drawAvatar(c.r.PathValue("id"), firstLetters(c.r.URL.Query().Get("initials"))))
		return nil
	})
}

// initialsOf returns the first letters of a name's first and last word.
func initialsOf(name string) string {
	words := strings.Fields(contract.CleanText(name))
	if len(words) > maxInitials {
		words = []string{words[0], words[len(words)-1]}
	}
	var all strings.Builder
	for _, word := range words {
		for _, r := range firstLetters(word) {
			all.WriteRune(r)
			break
		}
	}
	return all.String()
}

// firstLetters returns the first letters and digits of s, in capitals.
func firstLetters(s string) string {
	var all []rune
	for _, r := range s {
		if len(all) < maxInitials && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			all = append(all, unicode.ToUpper(r))
		}
	}
	return string(all)
}

// drawAvatar renders the SVG. Of the request it uses only the letters, escaped, and a hash.
func drawAvatar(id, shown string) []byte {
	hue := sha256.Sum256([]byte(id))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96" role="img">`)
	fmt.Fprintf(&b, `<rect width="96" height="96" rx="48" fill="hsl(%d 45%% 42%%)"/>`, (int(hue[0])<<8|int(hue[1]))%360)
	if shown == "" {
		b.WriteString(`<circle cx="48" cy="38" r="15" fill="#fff"/><path d="M20 82a28 26 0 0 1 56 0z" fill="#fff"/>`)
	} else {
		b.WriteString(`<text x="48" y="49" fill="#fff" font-family="sans-serif" font-size="38" font-weight="600" text-anchor="middle" dominant-baseline="central">`)
		_ = xml.EscapeText(&b, []byte(shown)) // a strings.Builder returns no error
		b.WriteString(`</text>`)
	}
	b.WriteString(`</svg>`)
	return []byte(b.String())
}
