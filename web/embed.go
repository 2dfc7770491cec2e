// Package web serves the web app: what Vite built into dist, or, where that is empty, a page that says where the
// interface is described.
package web

import (
	"bytes"
	"crypto/rand"
	"embed"
	"html"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed all:dist
var built embed.FS

//go:embed placeholder.html
var placeholder []byte

// Handler serves the app's files below /, and its first page for every other path that is not a file: the app
// has addresses of its own. Prefix is the path under which a browser sees the service, such as "/segel" behind a
// proxy that strips it; empty where there is none.
func Handler(prefix string) http.Handler {
	dist, err := fs.Sub(built, "dist")
	if err != nil {
		panic("web: dist is embedded above: " + err.Error())
	}
	return newHandler(dist, prefix)
}

func newHandler(dist fs.FS, prefix string) http.Handler {
	page, err := fs.ReadFile(dist, "index.html")
	if err != nil {
		page = placeholder
	}
	base := html.EscapeString(strings.TrimSuffix(prefix, "/") + "/")
	page = bytes.Replace(page, []byte(`<base href="/"`), []byte(`<base href="`+base+`"`), 1)
	files := http.FileServerFS(dist)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if info, err := fs.Stat(dist, name); err == nil && !info.IsDir() && name != "index.html" {
			// A worker lives by the policy of its own file: that of the PDF engine compiles its picture decoders.
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'")
			w.Header().Set("Cache-Control", cacheControl(name))
			files.ServeHTTP(w, r)
			return
		}
		if strings.HasPrefix(name, assets) {
			http.NotFound(w, r) // a page that is older than this program asks; the first page is no script
			return
		}
		servePage(w, r, page)
	})
}

// assets is where Vite puts files whose names change with what is in them.
const assets = "assets/"

func cacheControl(name string) string {
	if strings.HasPrefix(name, assets) {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// servePage answers the first page. No script stands in it. Style sheets that the app makes while it runs carry a
// nonce that is good for this answer alone.
func servePage(w http.ResponseWriter, r *http.Request, page []byte) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "worker-src 'self'", "connect-src 'self'", "manifest-src 'self'",
		"style-src 'self' 'nonce-" + nonce + "'", "img-src 'self' data: blob:", "font-src 'self' data:",
		"base-uri 'self'", "form-action 'self'", "frame-ancestors 'none'",
	}, "; "))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(bytes.ReplaceAll(page, []byte("{nonce}"), []byte(nonce))) // whom it does not reach has gone
}
