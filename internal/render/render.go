// Package render makes pictures of the pages of PDF files with Poppler in a sandbox, so that a page can be looked at before the file
// itself has arrived.
package render

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"segel/internal/isolation"
)

// Errors of a page that is not drawn.
var (
	// ErrUnreadable is caused by the file or its page: retrying does not help. A page that the program draws without some of its
	// content, such as text in a font that is not installed, is unreadable too.
	ErrUnreadable = errors.New("the page cannot be drawn")
	// ErrTooLong means that drawing takes too long.
	ErrTooLong = errors.New("drawing the page takes too long")
)

// Limits bound the drawing of one page. The zero value of a member means its default.
type Limits struct {
	Time   time.Duration // Default 10 seconds
	Memory int64         // bytes of address space besides the file. Default 512 MiB
}

// ErrUnavailable means that no page can be drawn on this machine.
var ErrUnavailable = errors.New("pages cannot be drawn here")

// Renderer draws pages. It is safe for concurrent use.
type Renderer struct {
	program string // pdftoppm
	sandbox *isolation.Sandbox
	limits  Limits

	tested  chan struct{} // closed when it is known whether the program works in the sandbox
	failure error         // set before tested is closed
}

// Open finds Poppler and the sandbox, and tests both by drawing a page of ours. The error says what is missing, in words for the
// operator.
func Open(ctx context.Context, l Limits) (*Renderer, error) {
	r, err := OpenInBackground(ctx, l)
	if err != nil {
		return nil, err
	}
	<-r.tested // at most as long as a page may take
	return r, r.failure
}

// OpenInBackground is Open without waiting for the test: [Renderer.CheckAvailable] reports its result, and pages wait for it.
func OpenInBackground(ctx context.Context, l Limits) (*Renderer, error) {
	l.Time = cmp.Or(l.Time, 10*time.Second)
	l.Memory = cmp.Or(l.Memory, 512<<20)
	program, err := exec.LookPath("pdftoppm")
	if err != nil {
		return nil, errors.New("pdftoppm, which draws pages, is not installed; on Debian: apt-get install poppler-utils")
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return nil, fmt.Errorf("find pdftoppm: %w", err)
	}
	s, err := isolation.Find()
	if err != nil {
		return nil, err
	}
	r := &Renderer{program: program, sandbox: s, limits: l, tested: make(chan struct{})}
	go func() {
		defer close(r.tested)
		drawn, err := r.runProgram(context.WithoutCancel(ctx), strings.NewReader(testFile), int64(len(testFile)), 1, image.Pt(60, 20))
		switch {
		case err != nil:
			r.failure = fmt.Errorf("%w: pdftoppm does not work in its sandbox (are user namespaces permitted on this machine?): %w", ErrUnavailable, err)
		case !isDark(drawn):
			r.failure = fmt.Errorf("%w: pdftoppm draws no text; on Debian: apt-get install fonts-liberation", ErrUnavailable)
		}
	}()
	return r, nil
}

// CheckAvailable returns why no page can be drawn, as far as is known; nil if there is no known reason.
func (r *Renderer) CheckAvailable() error {
	select {
	case <-r.tested:
		return r.failure
	default:
		return nil
	}
}

// testFile is a file with a word. Poppler finds its objects without a cross-reference table.
const testFile = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 60 20]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj
4 0 obj <</Length 31>> stream
BT /F 18 Tf 5 4 Td (Segel) Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R>>
`

// isDark reports whether a picture has a dark pixel.
func isDark(p *image.RGBA) bool {
	for i := 0; i < len(p.Pix); i += 4 {
		if p.Pix[i] < 0x80 {
			return true
		}
	}
	return false
}

// DrawPage draws the crop box of a page, numbered from 1, as it is displayed, in a picture of about that size in pixels; its aspect is
// that of the page. The file has size bytes, all of which are read. It returns the encoded picture and its media type. Errors:
// ErrUnreadable, ErrTooLong, those of reading the file, and that of ctx.
func (r *Renderer) DrawPage(ctx context.Context, file io.Reader, size int64, page int, to image.Point) (picture []byte, mediaType string, err error) {
	drawn, err := r.drawPage(ctx, file, size, page, to)
	if err != nil {
		return nil, "", err
	}
	return encodePicture(drawn)
}

func (r *Renderer) drawPage(ctx context.Context, file io.Reader, size int64, page int, to image.Point) (*image.RGBA, error) {
	select {
	case <-r.tested:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.failure != nil {
		return nil, r.failure
	}
	return r.runProgram(ctx, file, size, page, to)
}

// maxPixels bounds a picture.
const maxPixels = 8_000_000

func (r *Renderer) runProgram(ctx context.Context, file io.Reader, size int64, page int, to image.Point) (*image.RGBA, error) {
	if to.X < 1 || to.Y < 1 || to.X > maxPixels/to.Y {
		return nil, fmt.Errorf("%w: a picture of %d by %d pixels", ErrUnreadable, to.X, to.Y)
	}
	within, cancel := context.WithTimeoutCause(ctx, r.limits.Time, ErrTooLong)
	defer cancel()
	cmd := r.sandbox.Command(isolation.Program{
		Arguments: []string{r.program, "-cropbox", "-f", strconv.Itoa(page), "-l", strconv.Itoa(page), "-scale-to", strconv.Itoa(max(to.X, to.Y)), "-"},
		Readable:  slices.Concat(isolation.Libraries, isolation.Fonts, []string{r.program, "/usr/share/poppler"}),
		Variables: []string{"HOME", "/"},
		Limits:    isolation.Limits{Processor: r.limits.Time + time.Second, Memory: r.limits.Memory + size, Processes: 8},
	})
	picture := &boundedBuffer{left: 3*(to.X+tolerance)*(to.Y+tolerance) + maxHeader}
	messages := &messageScan{}
	cmd.Stdout, cmd.Stderr = picture, messages
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := isolation.Start(cmd); err != nil {
		return nil, fmt.Errorf("start pdftoppm: %w", err)
	}
	source := &readErrors{r: file}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.Copy(input, source) // a program that has ended reads no further; source has the errors of reading
		_ = input.Close()
	}()
	stop := context.AfterFunc(within, func() { isolation.Kill(cmd) })
	err = cmd.Wait()
	stop()
	messages.endLine()
	<-written // the caller closes the file
	switch {
	case source.err != nil:
		return nil, source.err
	case within.Err() != nil:
		return nil, context.Cause(within)
	case messages.problem != "":
		return nil, fmt.Errorf("%w: %s", ErrUnreadable, messages.problem)
	case err != nil && picture.b.Len() == 0:
		return nil, fmt.Errorf("%w: %w: %s", ErrUnreadable, err, &messages.last)
	}
	drawn, err := parsePPM(picture.b.Bytes(), to)
	if err != nil {
		return nil, fmt.Errorf("%w: %w: %s", ErrUnreadable, err, &messages.last)
	}
	return drawn, nil
}

// omissions are messages with which Poppler draws a page without some of its content, and ends as if nothing was wrong.
var omissions = []string{"Out of memory", "Bogus memory", "Couldn't find a font", "couldn't find a font"}

// messageScan reads the messages of the program.
type messageScan struct {
	last    isolation.Output
	line    []byte
	problem string // the first message that tells of an omission
}

func (m *messageScan) Write(p []byte) (int, error) {
	for _, b := range p {
		if b != '\n' && len(m.line) < maxMessage {
			m.line = append(m.line, b)
			continue
		}
		m.endLine()
	}
	return m.last.Write(p)
}

// maxMessage is the length above which a message is read in pieces.
const maxMessage = 1 << 10

func (m *messageScan) endLine() {
	line := string(m.line)
	m.line = m.line[:0]
	if m.problem == "" && slices.ContainsFunc(omissions, func(o string) bool { return strings.Contains(line, o) }) {
		m.problem = strings.ToValidUTF8(line, "?")
	}
}

// readErrors remembers the error of a reader.
type readErrors struct {
	r   io.Reader
	err error
}

func (e *readErrors) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && err != io.EOF {
		e.err = err
	}
	return n, err
}

// boundedBuffer fails when more is written than left.
type boundedBuffer struct {
	b    bytes.Buffer
	left int
}

func (w *boundedBuffer) Write(p []byte) (int, error) {
	if w.b.Cap() == 0 {
		w.b.Grow(w.left)
	}
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("the picture is too large")
	}
	return w.b.Write(p)
}

const (
	maxHeader = 64 // more than the header of a picture takes
	tolerance = 2  // pixels by which Poppler rounds the sides of a picture otherwise
)

// parsePPM reads a picture with 3 bytes per pixel (format P6 of Netpbm) of about the given size.
func parsePPM(b []byte, to image.Point) (*image.RGBA, error) {
	var size image.Point
	_, err := fmt.Sscanf(string(b[:min(len(b), maxHeader)]), "P6\n%d %d\n", &size.X, &size.Y)
	if off := size.Sub(to); err != nil || min(size.X, size.Y) < 1 || max(off.X, -off.X, off.Y, -off.Y) > tolerance {
		return nil, fmt.Errorf("the picture begins with %q", b[:min(len(b), maxHeader)])
	}
	pixels, ok := bytes.CutPrefix(b, fmt.Appendf(nil, "P6\n%d %d\n255\n", size.X, size.Y))
	if !ok || len(pixels) != 3*size.X*size.Y {
		return nil, fmt.Errorf("the picture of %v has %d bytes", size, len(b))
	}
	p := image.NewRGBA(image.Rectangle{Max: size})
	for i, j := 0, 0; i < len(pixels); i, j = i+3, j+4 {
		p.Pix[j], p.Pix[j+1], p.Pix[j+2], p.Pix[j+3] = pixels[i], pixels[i+1], pixels[i+2], 0xFF
	}
	return p, nil
}
