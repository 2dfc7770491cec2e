// Package coding has the content codings of answers (RFC 9110 §8.4.1).
package coding

import (
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
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
// streams of events are sent as they are.
func CompressText(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		c := &compressor{ResponseWriter: w, wanted: Accepts(r, "gzip") && !isSentByAnotherSite(r)}
		defer c.release() // also after a panic
		next.ServeHTTP(c, r)
		c.finish()
	})
}

// isSentByAnotherSite reports whether a page of another site may have made the browser send a request with its cookies, as
// navigation does. If such an answer had text of the attacker beside secrets, its compressed length would tell whether they agree
// (the attack BREACH). Browsers that do not say which site sent a request count as sent by another one.
func isSentByAnotherSite(r *http.Request) bool {
	return r.Header.Get("Cookie") != "" && r.Header.Get("Sec-Fetch-Site") != "same-origin"
}

// minCompressed is the length of a write below which compression does not save a packet. An answer is written at once.
const minCompressed = 1400

// compressor writes the header of a text with its first bytes, when it knows whether there are enough of them.
type compressor struct {
	http.ResponseWriter
	wanted bool
	status int // not written yet; 0: none, or it was written
	began  bool
	zipped *gzip.Writer // nil: sent as it is
}

// maxCompressing bounds the answers that are compressed at the same time: clients that do not read hold half a megabyte each. Others
// are sent as they are meanwhile.
const maxCompressing = 16

// gzipWriters are reused, because making one takes longer than compressing an answer; nil: not made yet.
var gzipWriters = func() chan *gzip.Writer {
	free := make(chan *gzip.Writer, maxCompressing)
	for range maxCompressing {
		free <- nil
	}
	return free
}()

// takeWriter returns a writer to w, or nil if as many answers as may be are being compressed. The caller puts it back.
func takeWriter(w io.Writer) *gzip.Writer {
	select {
	case z := <-gzipWriters:
		if z == nil {
			z, _ = gzip.NewWriterLevel(w, gzip.BestSpeed) // it has that level
		}
		z.Reset(w)
		return z
	default:
		return nil
	}
}

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
		c.begin(c.wanted && len(p) >= minCompressed)
	}
	if c.zipped != nil {
		return c.zipped.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

// begin writes the header.
func (c *compressor) begin(compress bool) {
	c.began = true
	if h := c.Header(); isText(h) {
		h.Add("Vary", "Accept-Encoding")
		if compress {
			c.zipped = takeWriter(c.ResponseWriter)
		}
		if c.zipped != nil {
			h.Set("Content-Encoding", "gzip")
			h.Del("Content-Length")
			if tag := h.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
				h.Set("ETag", "W/"+tag) // the bytes differ from those without compression (RFC 9110 §8.8.3.3)
			}
		}
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
	}
}

func (c *compressor) release() {
	if c.zipped != nil {
		gzipWriters <- c.zipped
	}
}
