// Package web serves the web app: what Vite built into dist, or, where that is empty, a page that says where the
// interface is described.
package web

import (
	"bytes"
	"embed"
	"io/fs"
	"net/http"
	"time"
)

//go:embed all:dist
var built embed.FS

//go:embed placeholder.html
var placeholder []byte

// Handler serves the app's files below /, and its first page for every other path that is not a file: the app
// has addresses of its own.
func Handler() http.Handler {
	dist, err := fs.Sub(built, "dist")
	if err != nil {
		panic("web: dist is embedded above: " + err.Error())
	}
	index, err := fs.ReadFile(dist, "index.html")
	if err != nil {
		index = placeholder
	}
	files := http.FileServerFS(dist)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		if info, err := fs.Stat(dist, r.URL.Path[1:]); err == nil && !info.IsDir() {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeContent(w, r, "index.html", time.Time{}, bytes.NewReader(index))
	})
}
