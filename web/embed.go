// Package web serves the web app: the files that Vite built into dist or, if dist is empty, a page that links to the
// description of the interface.
package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"segel/internal/coding"
)

//go:embed all:dist
var built embed.FS

//go:embed placeholder.html
var placeholder []byte

// Handler serves the app's files below /, and its first page for every other path that is not a file, because the app
// has its own routes. prefix is the path under which a browser sees the service, such as "/segel" behind a proxy
// that strips it; empty without such a proxy.
// Framers returns the origins whose pages may show those of an organisation in frames; nil: none may.
func Handler(prefix string, framers Framers) http.Handler {
	dist, err := fs.Sub(built, "dist")
	if err != nil {
		panic("web: dist is embedded above: " + err.Error())
	}
	return newHandler(dist, prefix, framers)
}

// Framers returns the origins whose pages may show those of an organisation, given by its identifier, in frames.
type Framers func(ctx context.Context, organisation string) []string

func newHandler(dist fs.FS, prefix string, framers Framers) http.Handler {
	page, err := fs.ReadFile(dist, "index.html")
	if err != nil {
		page = placeholder
	}
	base := html.EscapeString(strings.TrimSuffix(prefix, "/") + "/")
	page = bytes.Replace(page, []byte(`<base href="/"`), []byte(`<base href="`+base+`"`), 1)
	member, guest := splitPage(page)
	library := readLibrary(dist)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if library.serveScript(w, r, name) {
			return
		}
		if info, err := fs.Stat(dist, name); err == nil && !info.IsDir() && name != "index.html" && !isEncoded(name) {
			// A worker runs under the policy of its own file. That of the PDF engine compiles WebAssembly decoders
			// for images.
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'")
			w.Header().Set("Cache-Control", cacheControl(name))
			serveFile(w, r, dist, name)
			return
		}
		if strings.HasPrefix(name, assets) {
			http.NotFound(w, r) // a page older than this program asks; answering a script request with the first page would break it
			return
		}
		organisation, embedded := strings.CutPrefix(name, "embed/")
		switch {
		case embedded:
			var origins []string
			if framers != nil && isIdentifier(organisation) {
				origins = framers(r.Context(), organisation)
			}
			member.serve(w, r, "embed", origins...)
		case name == "guest":
			guest.serve(w, r, "guest")
		case name == "login":
			member.serve(w, r, "login")
		default:
			member.serve(w, r, "app")
		}
	})
}

// encodings are the codings in which the build stores files besides the file itself, the best first, and the endings of their names.
var encodings = []struct{ coding, ending string }{{"br", ".br"}, {"gzip", ".gz"}}

func isEncoded(name string) bool {
	for _, e := range encodings {
		if strings.HasSuffix(name, e.ending) {
			return true
		}
	}
	return false
}

// serveFile serves a file in the best coding that the client accepts and the build has stored.
func serveFile(w http.ResponseWriter, r *http.Request, dist fs.FS, name string) {
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	stored := name
	for _, e := range encodings {
		if _, err := fs.Stat(dist, name+e.ending); err == nil && coding.Accepts(r, e.coding) {
			h.Set("Content-Encoding", e.coding)
			if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
				h.Set("Content-Type", kind)
			} else {
				h.Set("Content-Type", "application/octet-stream") // net/http would look into the encoded bytes
			}
			stored += e.ending
			break
		}
	}
	http.ServeFileFS(w, r, dist, stored)
}

// assets is the folder of files whose names contain a hash of their content.
const assets = "assets/"

func cacheControl(name string) string {
	if strings.HasPrefix(name, assets) {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// firstPage is a page that loads the app.
type firstPage struct {
	html    []byte
	scripts string // source expression of its inline script for the Content-Security-Policy; empty: it has none
}

// splitPage returns the page of members and that of guests. In the page of members the app is at the end, so that the outline of the screen is
// drawn before style sheets have arrived. In the page of a guest the app is in a template, and an inline script shows the first page of the
// document before it loads the app.
func splitPage(page []byte) (member, guest firstPage) {
	before, rest, ok := bytes.Cut(page, []byte("<!--app-->"))
	app, rest, ok2 := bytes.Cut(rest, []byte("<!--/app-->"))
	body, rest, ok3 := bytes.Cut(rest, []byte("<!--early--><script>"))
	script, end, ok4 := bytes.Cut(rest, []byte("</script><!--/early-->"))
	if !ok || !ok2 || !ok3 || !ok4 {
		return firstPage{html: page}, firstPage{html: page} // the placeholder
	}
	member.html = slices.Concat(before, body, app, end)
	guest.html = slices.Concat(before, []byte(`<template id="app">`), app, []byte("</template>"), body, []byte("<script>"), script, []byte("</script>"), end)
	sum := sha256.Sum256(script)
	guest.scripts = " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	return member, guest
}

// isIdentifier reports whether a text has the form of a UUID in lower case. Nothing else is looked up.
func isIdentifier(text string) bool {
	return len(text) == 36 && !strings.ContainsFunc(text, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') && r != '-' })
}

// serve serves the page, with the outline of the screen that it shows before the app has arrived: app, login, guest or embed. Only pages of the
// given origins may show it in frames. Style sheets that the app creates at run time carry a nonce that is valid for this answer alone.
func (p firstPage) serve(w http.ResponseWriter, r *http.Request, shown string, framers ...string) {
	nonce := rand.Text()
	h := w.Header()
	ancestors := "'none'"
	if len(framers) > 0 {
		ancestors = strings.Join(framers, " ")
		h.Del("X-Frame-Options") // it cannot name other origins; browsers that know frame-ancestors ignore it
	}
	h.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'", "script-src 'self'" + p.scripts, "worker-src 'self'", "connect-src 'self'", "manifest-src 'self'",
		"style-src 'self' 'nonce-" + nonce + "'", "img-src 'self' data: blob:", "font-src 'self' data:",
		"base-uri 'self'", "form-action 'self'", "frame-ancestors " + ancestors,
	}, "; "))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(bytes.Replace(bytes.ReplaceAll(p.html, []byte("{nonce}"), []byte(nonce)), []byte("{shown}"), []byte(shown), 1)) // if this fails, the client has gone
}
