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

	"segel/internal/sandbox"
)

// Errors of a page that is not drawn.
var (
	// ErrUnreadable is caused by the file or its page: retrying does not help.
	ErrUnreadable = errors.New("the page cannot be drawn")
	// ErrTooLong means that drawing takes too long.
	ErrTooLong = errors.New("drawing the page takes too long")
)

// Limits bound the drawing of one page. The zero value of a member means its default.
type Limits struct {
	Time   time.Duration // Default 10 seconds
	Memory int64         // bytes of address space besides the file. Default 512 MiB
	Side   int           // pixels of the longer side of a picture. Default 4,000
}

// ErrUnavailable means that no page can be drawn on this machine.
var ErrUnavailable = errors.New("pages cannot be drawn here")

// Renderer draws pages. It is safe for concurrent use.
type Renderer struct {
	program string // pdftoppm
	sandbox *sandbox.Sandbox
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
	l.Side = cmp.Or(l.Side, 4000)
	program, err := exec.LookPath("pdftoppm")
	if err != nil {
		return nil, errors.New("pdftoppm, which draws pages, is not installed; on Debian: apt-get install poppler-utils")
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return nil, fmt.Errorf("find pdftoppm: %w", err)
	}
	s, err := sandbox.Find()
	if err != nil {
		return nil, err
	}
	r := &Renderer{program: program, sandbox: s, limits: l, tested: make(chan struct{})}
	go func() {
		defer close(r.tested)
		if _, err := r.runProgram(context.WithoutCancel(ctx), strings.NewReader(testFile), int64(len(testFile)), 1, 20); err != nil {
			r.failure = fmt.Errorf("%w: pdftoppm does not work in its sandbox (are user namespaces permitted on this machine?): %w", ErrUnavailable, err)
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

// testFile is a file with one empty page. Poppler finds its objects without a cross-reference table.
const testFile = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 20 10]>> endobj
trailer <</Root 1 0 R>>
`

// DrawPage draws the crop box of a page, numbered from 1, as it is displayed. The longer side of the picture has that many pixels. The
// file has size bytes, all of which are read. It returns the encoded picture and its media type. Errors: ErrUnreadable, ErrTooLong,
// those of reading the file, and that of ctx.
func (r *Renderer) DrawPage(ctx context.Context, file io.Reader, size int64, page, longer int) (picture []byte, mediaType string, err error) {
	drawn, err := r.drawPage(ctx, file, size, page, longer)
	if err != nil {
		return nil, "", err
	}
	return encodePicture(drawn)
}

func (r *Renderer) drawPage(ctx context.Context, file io.Reader, size int64, page, longer int) (*image.RGBA, error) {
	select {
	case <-r.tested:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.failure != nil {
		return nil, r.failure
	}
	return r.runProgram(ctx, file, size, page, longer)
}

func (r *Renderer) runProgram(ctx context.Context, file io.Reader, size int64, page, longer int) (*image.RGBA, error) {
	if longer < 1 || longer > r.limits.Side {
		return nil, fmt.Errorf("%w: a picture of %d pixels", ErrUnreadable, longer)
	}
	within, cancel := context.WithTimeoutCause(ctx, r.limits.Time, ErrTooLong)
	defer cancel()
	cmd := r.sandbox.Command(sandbox.Program{
		Arguments: []string{r.program, "-q", "-cropbox", "-f", strconv.Itoa(page), "-l", strconv.Itoa(page),
			"-scale-to", strconv.Itoa(longer), "-"},
		Readable:  slices.Concat(sandbox.Libraries, sandbox.Fonts, []string{r.program, "/usr/share/poppler"}),
		Variables: []string{"HOME", "/"},
		Limits:    sandbox.Limits{Processor: r.limits.Time + time.Second, Memory: r.limits.Memory + size, Processes: 8},
	})
	// The program writes nothing but its output: a longer one than the picture is not read.
	picture := &boundedBuffer{left: 3*longer*longer + maxHeader}
	input := &readErrors{r: file}
	said := &sandbox.Output{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, picture, said
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start pdftoppm: %w", err)
	}
	stop := context.AfterFunc(within, func() { sandbox.Kill(cmd) })
	err := cmd.Wait()
	stop()
	switch {
	case input.err != nil:
		return nil, input.err
	case within.Err() != nil:
		return nil, context.Cause(within)
	case err != nil && picture.len() == 0:
		return nil, fmt.Errorf("%w: %w: %s", ErrUnreadable, err, said)
	}
	drawn, err := parsePPM(picture.b.Bytes(), longer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w: %s", ErrUnreadable, err, said)
	}
	return drawn, nil
}

// readErrors remembers the error of a reader: exec reports it only if the program ends without one.
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

func (w *boundedBuffer) len() int { return w.b.Len() }

func (w *boundedBuffer) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("the picture is too large")
	}
	return w.b.Write(p)
}

// maxHeader is more than the header of a picture takes.
const maxHeader = 64

// parsePPM reads a picture with 3 bytes per pixel (format P6 of Netpbm). The longer side must have that many pixels.
func parsePPM(b []byte, longer int) (*image.RGBA, error) {
	var size image.Point
	if _, err := fmt.Sscanf(string(b[:min(len(b), maxHeader)]), "P6\n%d %d\n", &size.X, &size.Y); err != nil || min(size.X, size.Y) < 1 || max(size.X, size.Y) != longer {
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
