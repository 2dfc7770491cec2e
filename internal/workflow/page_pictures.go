package workflow

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"segel/internal/admission"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/outage"
	"segel/internal/store"
	"segel/pdf"
)

// PageDrawer draws pages of PDF files. Package render implements it.
type PageDrawer interface {
	// DrawPage draws a page, numbered from 1, of a file of size bytes, in a picture of about that size in pixels. It returns the
	// encoded picture and its media type, and the errors of reading the file as they are.
	DrawPage(ctx context.Context, file io.Reader, size int64, page int, to image.Point) (picture []byte, mediaType string, err error)

	// CheckAvailable returns why no page can be drawn, as far as is known; nil if there is no known reason.
	CheckAvailable() error
}

// PagePictures draws the pages of documents and keeps recent pictures in memory. They are looked at while the file itself is on its
// way; a picture belongs to the digest of the revision that it shows. It is safe for concurrent use.
type PagePictures struct {
	drawer PageDrawer
	turns  *admission.Queue // by organisation

	flights singleflight.Group
	mu      sync.Mutex // guards the fields below; never held while a page is drawn
	known   map[pictureKey]*list.Element
	used    list.List // of *Picture, the last used first
	bytes   int
}

// NewPagePictures returns pictures by a drawer that draws at most that many pages at a time.
func NewPagePictures(d PageDrawer, atOnce int) *PagePictures {
	return &PagePictures{
		drawer: d, known: map[pictureKey]*list.Element{},
		turns: admission.NewQueue(admission.Limits{Slots: atOnce, PerKey: max(1, atOnce-1), Waiting: 64, WaitingPerKey: 16}),
	}
}

// Bounds of pictures.
const (
	maxPictureCache = 16 << 20 // bytes of all pictures that are kept
	maxDrawnFile    = 64 << 20 // bytes of a file whose pages are drawn; those of larger ones are shown from the file alone
	longestSide     = 4000.0   // pixels
	pictureTimeout  = 30 * time.Second
)

// PictureWidths are the widths of pictures, in pixels: few, so that people with different screens get the same pictures.
var PictureWidths = []int{360, 720, 1080, 1440}

type pictureKey struct {
	digest      [32]byte
	page, width int
}

// Picture is an encoded picture of a page. Others share its bytes.
type Picture struct {
	Bytes []byte
	Type  string // media type; empty: the page cannot be drawn, which is kept like a picture

	Width, Height float64 // of the page as it is displayed, in points times its user unit

	key pictureKey
}

// PageList describes the pages of a document's current revision.
type PageList struct {
	Digest   [32]byte // SHA-256 of the revision
	Size     int64    // bytes of the file
	Count    int
	Sizes    []PageSizes // of the first pages; those that follow are most likely like the last
	Pictures bool        // [Service.DrawPage] draws them
	Sender   store.Organisation
}

// PageSizes is the size of successive pages as they are displayed, rotated and cropped, in points times their user unit.
type PageSizes struct {
	First, Last   int // numbers of pages
	Width, Height float64
}

// maxListedPages bounds the pages whose sizes are listed, since each is read from the file.
const maxListedPages = 500

// ErrNoPicture means that a page is not drawn: nothing draws pages here, the file is too large, or the page cannot be drawn. It can be
// shown from the file.
var ErrNoPicture = contract.Refuse(contract.NotFound, "page.no_picture")

// Pages lists the pages of the current revision for an actor who may see it. Like [Service.Preview], it records the first view.
func (s *Service) Pages(ctx context.Context, by contract.Actor, id contract.DocumentID) (PageList, error) {
	d, err := s.recordView(ctx, by, id)
	if err != nil {
		return PageList{}, err
	}
	sender, err := s.Organisation(ctx, d.Organisation)
	if err != nil {
		return PageList{}, err
	}
	f, err := s.OpenFile(ctx, d.Revisions)
	if err != nil {
		return PageList{}, err
	}
	defer f.Close()
	doc, err := f.PDF(pdf.Options{})
	if err != nil {
		return PageList{}, documents.BlobRefusal(fmt.Errorf("open document %d: %w", id, err))
	}
	l := PageList{Sender: sender, Digest: d.Current().Digest, Size: f.Size(), Count: d.Pages, Pictures: s.drawsPages() && f.Size() <= maxDrawnFile}
	for page, err := range doc.Pages() {
		if err != nil {
			return PageList{}, documents.BlobRefusal(fmt.Errorf("pages of document %d: %w", id, err))
		}
		width, height := displaySize(page)
		if n := len(l.Sizes); n > 0 && l.Sizes[n-1].Width == width && l.Sizes[n-1].Height == height {
			l.Sizes[n-1].Last = page.Number
		} else {
			l.Sizes = append(l.Sizes, PageSizes{page.Number, page.Number, width, height})
		}
		if page.Number == maxListedPages {
			break
		}
	}
	return l, nil
}

// drawsPages reports whether pages are drawn here, as far as is known.
func (s *Service) drawsPages() bool {
	return s.PagePictures != nil && s.PagePictures.drawer.CheckAvailable() == nil
}

// displaySize returns the size of a page as it is displayed.
func displaySize(p *pdf.Page) (width, height float64) {
	width, height = p.CropBox.URX-p.CropBox.LLX, p.CropBox.URY-p.CropBox.LLY
	if scaled := max(width, height) * p.UserUnit; scaled > 0 && scaled < 1e9 {
		width, height = width*p.UserUnit, height*p.UserUnit
	}
	if p.Rotate%180 != 0 {
		width, height = height, width
	}
	return width, height
}

// PictureRequest selects a picture of a page.
type PictureRequest struct {
	Digest [32]byte // of the revision
	Page   int      // from 1
	Width  int      // one of PictureWidths
}

// DrawPage returns a picture of a page of the document's revision with that digest, for an actor who may see the document. It may be
// an earlier revision, which is part of the file. Like [Service.Preview], it records the first view. Errors: [ErrNoPicture];
// [contract.ErrNotFound] if no revision has the digest.
func (s *Service) DrawPage(ctx context.Context, by contract.Actor, id contract.DocumentID, r PictureRequest) (*Picture, error) {
	d, err := s.recordView(ctx, by, id)
	if err != nil {
		return nil, err
	}
	for i := range d.Revisions {
		if d.Revisions[i].Digest == r.Digest {
			return s.findOrDrawPage(ctx, d, d.Revisions[:i+1], pictureKey{r.Digest, r.Page, r.Width})
		}
	}
	return nil, contract.ErrNotFound
}

// findOrDrawPage returns a picture that is kept, or draws it. Requests for the same picture draw it once; it is drawn to the end if
// the first of them leaves.
func (s *Service) findOrDrawPage(ctx context.Context, d contract.Document, revisions []contract.Revision, key pictureKey) (*Picture, error) {
	if !s.drawsPages() || key.page > d.Pages {
		return nil, ErrNoPicture
	}
	p := s.PagePictures
	if known := p.findPicture(key); known != nil {
		if known.Type == "" {
			return nil, ErrNoPicture
		}
		return known, nil
	}
	drawn := p.flights.DoChan(fmt.Sprint(key), func() (_ any, err error) {
		// A panic here would end the process: no handler of requests recovers it.
		defer func() {
			if v := recover(); v != nil {
				s.Log.ErrorContext(ctx, "drawing a page panicked", "document", d.ID, "page", key.page, "panic", v, "stack", string(debug.Stack()))
				err = ErrNoPicture
			}
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pictureTimeout)
		defer cancel()
		return s.drawPage(ctx, d, revisions, key)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-drawn:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*Picture), nil
	}
}

func (s *Service) drawPage(ctx context.Context, d contract.Document, revisions []contract.Revision, key pictureKey) (*Picture, error) {
	leave, err := s.PagePictures.turns.Acquire(ctx, string(d.Organisation))
	if errors.Is(err, admission.ErrFull) {
		return nil, errBusy
	}
	if err != nil {
		return nil, err
	}
	defer leave()
	f, err := s.OpenFile(ctx, revisions)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > maxDrawnFile {
		return nil, ErrNoPicture
	}
	picture := &Picture{key: key}
	err = func() error {
		doc, err := f.PDF(pdf.Options{})
		if err != nil {
			return err
		}
		page, err := doc.Page(key.page)
		if err != nil {
			return err
		}
		picture.Width, picture.Height = displaySize(page)
		picture.Bytes, picture.Type, err = s.PagePictures.drawer.DrawPage(ctx, f.VerifiedReader(), f.Size(), key.page, pictureSize(page, key.width))
		return err
	}()
	switch err = documents.BlobRefusal(err); {
	case err == nil:
		s.PagePictures.keepPicture(picture)
		return picture, nil
	case outage.Of(err) != nil, contract.KindOf(err) != 0:
		return nil, err
	}
	s.Log.WarnContext(ctx, "page was not drawn", "document", d.ID, "page", key.page, "error", err)
	if ctx.Err() == nil {
		s.PagePictures.keepPicture(&Picture{key: key}) // the page is not tried again for a while
	}
	return nil, ErrNoPicture.WithCause(err)
}

// pictureSize returns the size in pixels of a picture that is that wide, or less if it would be too high.
func pictureSize(p *pdf.Page, width int) image.Point {
	w, h := displaySize(p)
	scale := min(float64(width)/w, longestSide/h)
	side := func(v float64) int { return max(1, int(math.Round(v*scale))) }
	return image.Pt(side(w), side(h))
}

// pictureCost estimates how many bytes a picture takes in memory.
func pictureCost(p *Picture) int { return 500 + len(p.Bytes) }

func (p *PagePictures) findPicture(key pictureKey) *Picture {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.known[key]
	if e == nil {
		return nil
	}
	p.used.MoveToFront(e)
	return e.Value.(*Picture)
}

func (p *PagePictures) keepPicture(picture *Picture) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[picture.key] != nil {
		return
	}
	p.known[picture.key] = p.used.PushFront(picture)
	for p.bytes += pictureCost(picture); p.bytes > maxPictureCache; {
		oldest := p.used.Remove(p.used.Back()).(*Picture)
		delete(p.known, oldest.key)
		p.bytes -= pictureCost(oldest)
	}
}
