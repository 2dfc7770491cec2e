// Package coding has the content codings of answers (RFC 9110 §8.4.1).
package coding

import (
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Accepts reports whether a request names a coding in Accept-Encoding without refusing it (RFC 9110 §12.5.3).
func Accepts(r *http.Request, coding string) bool {
	for one := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, parameter, _ := strings.Cut(strings.TrimSpace(one), ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		weight, stated := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !stated || err == nil && q > 0
	}
	return false
}

// CompressText compresses text for clients that accept gzip. Files of the app are stored compressed, and documents, pictures and
// streams of events are sent as they are. Compression reveals secrets only where an attacker's text stands beside them in an answer
// that the victim's browser requests: no answer depends on a cookie, and tokens travel in headers.
func CompressText(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead || !Accepts(r, "gzip") {
			next.ServeHTTP(w, r)
			return
		}
		c := &compressor{ResponseWriter: w}
		next.ServeHTTP(c, r)
		c.finish()
	})
}

// minCompressed is the length of a write below which compression does not save a packet. An answer is written at once.
const minCompressed = 1400

// compressor writes the header of a text with its first bytes, when it knows whether there are enough of them.
type compressor struct {
	http.ResponseWriter
	status int // not written yet; 0: none, or it was written
	began  bool
	zipped *gzip.Writer // nil: sent as it is
}

// gzipWriters are reused: making one takes longer than compressing an answer.
var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic("coding: compress/gzip has that level: " + err.Error())
	}
	return w
}}

// WriteHeader implements [http.ResponseWriter].
func (c *compressor) WriteHeader(status int) {
	if c.began || status < 200 || !isText(c.Header()) || status == http.StatusNoContent || status == http.StatusNotModified {
		c.began = c.began || status >= 200
		c.ResponseWriter.WriteHeader(status)
		return
	}
	if c.status == 0 {
		c.status = status
	}
}

// isText reports whether an answer is text that was not encoded yet.
func isText(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || h.Get("Content-Encoding") != "" || h.Get("Content-Range") != "" {
		return false
	}
	switch kind {
	case "application/json", "application/problem+json", "image/svg+xml", "text/html", "text/plain", "text/css", "text/javascript", "text/csv":
		return true
	}
	return false
}

// Write implements [http.ResponseWriter].
func (c *compressor) Write(p []byte) (int, error) {
	if !c.began {
		c.begin(len(p) >= minCompressed && isText(c.Header()))
	}
	if c.zipped != nil {
		return c.zipped.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

// begin writes the header.
func (c *compressor) begin(compress bool) {
	c.began = true
	h := c.Header()
	if isText(h) {
		h.Add("Vary", "Accept-Encoding")
	}
	if compress {
		h.Set("Content-Encoding", "gzip")
		h.Del("Content-Length")
		if tag := h.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
			h.Set("ETag", "W/"+tag) // the bytes differ from those without compression (RFC 9110 §8.8.3.3)
		}
		c.zipped = gzipWriters.Get().(*gzip.Writer)
		c.zipped.Reset(c.ResponseWriter)
	}
	if c.status != 0 {
		c.ResponseWriter.WriteHeader(c.status)
	}
}

// FlushError implements what [http.ResponseController] uses.
func (c *compressor) FlushError() error {
	if !c.began {
		c.begin(false)
	}
	if c.zipped != nil {
		if err := c.zipped.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap gives [http.ResponseController] access to the underlying writer.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// finish ends the answer. After a panic it is not called, so that no client takes a part for the whole.
func (c *compressor) finish() {
	if !c.began && c.status != 0 {
		c.begin(false)
	}
	if c.zipped != nil {
		_ = c.zipped.Close() // the client has gone
		gzipWriters.Put(c.zipped)
	}
}
