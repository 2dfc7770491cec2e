package api

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/workflow"
)

const pdfType = "application/pdf"

// fileDelivery is how a file is sent.
type fileDelivery struct {
	kind string // inline or attachment
	name string
	mime string
}

// sendFile returns the handler of an endpoint that sends a file of the document.
func sendFile(open func(*workflow.Service, context.Context, contract.Actor, contract.DocumentID) (*workflow.Content, error), how func(*workflow.Content) (fileDelivery, error)) handler {
	return serveRaw(func(c *call) error {
		id, err := c.pathDocumentID()
		if err != nil {
			return err
		}
		content, err := open(c.Workflow, c.r.Context(), c.by, id)
		if err != nil {
			return err
		}
		defer content.Close()
		as, err := how(content)
		if err != nil {
			return err
		}
		return c.sendContent(content, as)
	})
}

func deliverPreview(c *workflow.Content) (fileDelivery, error) {
	return fileDelivery{"inline", markedName(c), pdfType}, nil
}

func deliverResult(c *workflow.Content) (fileDelivery, error) {
	return fileDelivery{"attachment", export.SignedStem(&c.Document) + ".pdf", pdfType}, nil
}

func deliverOriginal(c *workflow.Content) (fileDelivery, error) {
	mime, err := typeByContent(c)
	return fileDelivery{"attachment", c.Name, mime}, err
}

func deliverEvidence(c *workflow.Content) (fileDelivery, error) {
	return fileDelivery{"attachment", export.EvidenceStem(&c.Document) + ".pdf", pdfType}, nil
}

// sendContent sends the bytes with support for Range and with an ETag, the SHA-256 of the whole file. It reads a byte before the header, so that a store that
// does not answer, or has other bytes, is an answer with that error and not a file that is cut off.
func (c *call) sendContent(content *workflow.Content, as fileDelivery) error {
	if _, err := content.Read(make([]byte, 1)); err != nil && err != io.EOF {
		return fmt.Errorf("read file before sending it: %w", err)
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", as.mime)
	h.Set("Content-Disposition", contentDisposition(as.kind, as.name))
	h.Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x", content.Digest)))
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'")
	c.deadline.removeLimit()
	body := &rememberingReader{Reader: content}
	http.ServeContent(&rangeRefuser{ResponseWriter: c.w, call: c}, withoutManyRanges(c.r), "", content.Modified, struct {
		io.Reader
		io.Seeker
	}{body, content})
	if body.err != nil {
		// The header promised more bytes than were sent, so the server cuts the connection and no client takes the
		// part for the whole.
		c.cause = fmt.Errorf("read file while sending it: %w", body.err)
	}
	return nil
}

// maxRanges is how many ranges of a file one request may ask for. Real clients ask for one or a few.
const maxRanges = 16

// withoutManyRanges returns the request without its Range header if that has more than maxRanges ranges, so that the
// whole file is sent. Each range costs a part of the answer and hashing the chunks it touches. A server may ignore a
// Range that asks for many small ranges (RFC 9110 §14.2), and the whole file is right for any client; 416 would claim
// that no range can be satisfied.
func withoutManyRanges(r *http.Request) *http.Request {
	n := 0
	for _, line := range r.Header.Values("Range") {
		n += 1 + strings.Count(line, ",")
	}
	if n <= maxRanges {
		return r
	}
	whole := r.Clone(r.Context())
	whole.Header.Del("Range")
	return whole
}

// rangeRefuser wraps net/http's refusal of a range in our envelope.
type rangeRefuser struct {
	http.ResponseWriter
	call    *call
	refused bool
}

func (w *rangeRefuser) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	for _, name := range []string{"Content-Disposition", "Content-Length", "ETag", "Last-Modified"} {
		w.Header().Del(name)
	}
	w.call.writeFailure(w.ResponseWriter, w.call.exchange, status, "range.unsatisfiable", nil)
}

func (w *rangeRefuser) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// sendBuffers are the buffers from which files are sent. A client that takes nothing holds one for that time.
var sendBuffers = sync.Pool{New: func() any { return new([sendBufferSize]byte) }}

// ReadFrom sends in small pieces: io.Copy would hold 32 KiB for each answer.
func (w *rangeRefuser) ReadFrom(r io.Reader) (int64, error) {
	piece := sendBuffers.Get().(*[sendBufferSize]byte)
	defer sendBuffers.Put(piece)
	return io.CopyBuffer(struct{ io.Writer }{w}, r, piece[:])
}

// contentDisposition builds the header that names a file (RFC 6266 §4), in ASCII for old clients and in full.
func contentDisposition(kind, name string) string {
	name = contract.CleanText(name)
	return fmt.Sprintf(`%s; filename="%s"; filename*=UTF-8''%s`, kind, asciiName(name), percentName(name))
}

// asciiName replaces characters that a quoted string cannot hold or that some browsers would decode.
func asciiName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%/`, r) {
			return '_'
		}
		return r
	}, name)
}

// percentName encodes a name (RFC 8187 §3.2.1).
func percentName(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("!#$&+-.^_`|~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// pdfName returns the name of the PDF that was made from a file of the given name.
func pdfName(name string) string {
	if ext := path.Ext(name); !strings.EqualFold(ext, ".pdf") {
		name = strings.TrimSuffix(name, ext) + ".pdf"
	}
	return name
}

// typeByContent returns the media type of an uploaded file by its first bytes, never by its name.
func typeByContent(r io.ReadSeeker) (string, error) {
	head := make([]byte, 1024)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", fmt.Errorf("read the first bytes: %w", err)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("seek to the first byte: %w", err)
	}
	switch head = head[:n]; {
	case bytes.Contains(head, []byte("%PDF-")):
		return pdfType, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document", nil
	case bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0")):
		return "application/msword", nil
	}
	return "application/octet-stream", nil
}

// markedName returns the name of the PDF, marked if it is a specimen.
func markedName(c *workflow.Content) string {
	name := pdfName(c.Name)
	if c.Document.Specimen {
		name = export.SpecimenWord + "-" + name
	}
	return name
}

// attachment writes the header of a file together with its first bytes. A refusal before that is still answered as a
// refusal.
type attachment struct {
	*call
	mime, name string
}

func (a *attachment) Write(p []byte) (int, error) {
	if !a.sending {
		a.sending = true
		a.deadline.removeLimit()
		h := a.w.Header()
		h.Set("Content-Type", a.mime)
		h.Set("Content-Disposition", contentDisposition("attachment", a.name))
		h.Set("Cache-Control", "no-store")
	}
	return a.w.Write(p)
}

// abortAnswer ends an answer after an error: with a refusal if nothing was sent yet.
func (c *call) abortAnswer(err error) error {
	if c.sending {
		c.cause = err
		panic(http.ErrAbortHandler) // cuts the connection
	}
	return err
}

// streamCSV answers with a spreadsheet of the lines that each passes to write. An error on the way cuts the connection, so that no client takes the part
// that was sent for the whole.
func streamCSV[L any, T interface {
	Write(line L) error
	Close() error
}](c *call, name string, newTable func(io.Writer) T, each func(write func(L) error) error) error {
	buffered := bufio.NewWriterSize(&attachment{c, "text/csv; charset=utf-8", name}, 64<<10)
	table := newTable(buffered)
	if err := each(table.Write); err != nil {
		return c.abortAnswer(err)
	}
	if err := table.Close(); err != nil {
		return c.abortAnswer(err)
	}
	_ = buffered.Flush() // if this fails, the client has gone
	return nil
}
