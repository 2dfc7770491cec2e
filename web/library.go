package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// library is segel-embed.js, the script with which pages of organisations show those of the service. Unlike all other files it is for pages of other
// origins. It is served at two addresses: one that stays, and one that has the hash of its content and never changes what it shows.
type library struct {
	content []byte
	pinned  string // the name with the hash
}

const libraryName = "segel-embed.js"

func readLibrary(dist fs.FS) library {
	content, err := fs.ReadFile(dist, libraryName)
	if err != nil {
		return library{} // the web app is not built
	}
	sum := sha256.Sum256(content)
	return library{content, "segel-embed-" + hex.EncodeToString(sum[:8]) + ".js"}
}

// serveScript serves the script at its addresses, and reports whether the request is for it. An address with the hash of another content is 404.
func (l library) serveScript(w http.ResponseWriter, r *http.Request, name string) bool {
	h := w.Header()
	switch {
	case l.content == nil:
		return false
	case name == libraryName:
		h.Set("Cache-Control", "public, max-age=300")
	case name == l.pinned:
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	case strings.HasPrefix(name, "segel-embed-") && strings.HasSuffix(name, ".js"):
		http.NotFound(w, r)
		return true
	default:
		return false
	}
	h.Set("Access-Control-Allow-Origin", "*") // integrity is checked only of what may be read
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, libraryName, time.Time{}, bytes.NewReader(l.content))
	return true
}
