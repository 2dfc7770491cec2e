package workflow

import (
	"context"
	"errors"
	"sync"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/store"
	"segel/pdf"
	"segel/pdf/content"
)

// WarnedDocument is the result of Place and Finalize, from which the answer is made.
type WarnedDocument struct {
	contract.Document
	Warnings []contract.Warning
}

// Place replaces the placements of a draft. It returns warnings about placements that cover content which should stay
// readable.
func (s *Service) Place(ctx context.Context, by contract.Actor, id contract.DocumentID, requests []contract.PlaceRequest) (WarnedDocument, error) {
	var warnings []contract.Warning
	effectCtx := store.WithFinalAnswer(ctx, func(d contract.Document) any { return WarnedDocument{d, warnings} })
	d, err := s.ApplyRuleAs(effectCtx, by, id, func(d *contract.Document) (*contract.Change, error) {
		// Authorise before the file is opened: callers without access must not cause any reading.
		if err := d.Authorise(by, contract.OpPlace); err != nil {
			return nil, err
		}
		if err := d.RequirePDF(); err != nil {
			return nil, err
		}
		release, err := s.fileSlots.acquire(ctx, d.Organisation)
		if err != nil {
			return nil, err
		}
		defer release()
		f, doc, err := s.openWithinSigningLimits(ctx, d.Revisions, pdf.FileBudget(ctx, d.Current().End))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		c, w, err := contract.Place(d, requests, documents.PageSizes(doc), by, s.Limits, s.Clock())
		if err != nil {
			return nil, err
		}
		warnings = append(w, contract.CheckOverlaps(c.After.Placements, newPageReader(doc, d.Current().Digest, &s.pageCache), "signers")...)
		return &c, nil
	})
	if err != nil {
		return WarnedDocument{}, err
	}
	return WarnedDocument{d, warnings}, nil
}

// PlacementWarnings returns warnings about placements that cover content which should stay readable, as Place did when
// they were accepted. If the file cannot be read now, there are no warnings: placing or finalizing has already
// succeeded.
func (s *Service) PlacementWarnings(ctx context.Context, d contract.Document) []contract.Warning {
	if len(d.Placements) == 0 || len(d.Revisions) == 0 {
		return nil
	}
	release, err := s.fileSlots.acquire(ctx, d.Organisation)
	if err != nil {
		return nil
	}
	defer release()
	f, doc, err := s.openWithinSigningLimits(ctx, d.Revisions[:1], pdf.FileBudget(ctx, d.Revisions[0].End)) // without our own fields
	if err != nil {
		s.Log.WarnContext(ctx, "placements not compared with the page", "document", d.ID, "error", err)
		return nil
	}
	defer f.Close()
	return s.comparePlacements(d, doc)
}

// comparePlacements compares the placements of a document with the pages of its base.
func (s *Service) comparePlacements(d contract.Document, base *pdf.Document) []contract.Warning {
	return contract.CheckOverlaps(d.Placements, newPageReader(base, d.Revisions[0].Digest, &s.pageCache), "placements")
}

// pageReader lists what is on the pages of a file. It examines each page once.
type pageReader struct {
	doc         *pdf.Document
	revision    [32]byte        // digest of the file
	cache       *pageCache      // shared with other readers
	reader      *content.Reader // nil until a page is needed that is not in the cache
	fields      map[pdf.Ref]contract.PageItem
	former      map[int][]contract.PageItem
	painted     map[int]pageItems
	cachedItems int // marks in painted
}

// maxCachedItems bounds the marks kept in painted: a hostile file has many pages with many marks each.
const maxCachedItems = 100_000

type pageItems struct {
	covered  []contract.PageItem
	complete bool
}

// newPageReader returns a reader of the pages of the revision with that digest.
func newPageReader(doc *pdf.Document, revision [32]byte, cache *pageCache) *pageReader {
	return &pageReader{doc: doc, revision: revision, cache: cache, former: map[int][]contract.PageItem{}, painted: map[int]pageItems{}}
}

// ListSignatureFields lists the visible signature fields on a page, classified by their values.
func (p *pageReader) ListSignatureFields(number int) []contract.PageItem {
	if known, ok := p.former[number]; ok {
		return known
	}
	var found []contract.PageItem
	if p.fields == nil {
		p.fields = signatureFields(p.doc)
	}
	if page, err := p.doc.Page(number); err == nil && len(p.fields) > 0 {
		annots, _ := p.doc.Array(page.Dict["Annots"]) // an unreadable array shows nothing
		for _, o := range annots {
			ref, _ := o.(pdf.Ref)
			c, ok := p.fields[ref]
			if !ok {
				continue
			}
			if rect, shown := widgetBox(p.doc, page, ref); shown {
				c.Box = contract.Box(rect)
				found = append(found, c)
			}
		}
	}
	p.former[number] = found
	return found
}

// widgetBox returns the rectangle of a widget on the displayed page, and whether it is visible.
func widgetBox(doc *pdf.Document, page *pdf.Page, ref pdf.Ref) (pdf.Rect, bool) {
	const hidden, noView = 1 << 1, 1 << 5
	dict, err := doc.Dict(ref)
	if err != nil {
		return pdf.Rect{}, false
	}
	flags, err := doc.Integer(dict["F"])
	if err != nil || flags&(hidden|noView) != 0 {
		return pdf.Rect{}, false
	}
	rect, err := doc.Rect(dict["Rect"])
	return page.FromUser(rect), err == nil && !rect.Empty()
}

// signatureFields returns the widgets of all signature fields. An unreadable form has none: the upload of such a file
// was refused.
func signatureFields(doc *pdf.Document) map[pdf.Ref]contract.PageItem {
	found := map[pdf.Ref]contract.PageItem{}
	fields, err := doc.Fields()
	if err != nil {
		return found
	}
	for _, f := range fields {
		if f.Type != "Sig" {
			continue
		}
		c := contract.PageItem{Kind: contract.ItemField, Text: f.Name}
		if value, err := doc.Dict(f.Value); err == nil && value != nil {
			c = signatureOf(doc, f, value)
		}
		for _, w := range f.Widgets {
			if !w.Ref.IsZero() {
				found[w.Ref] = c
			}
		}
	}
	return found
}

func signatureOf(doc *pdf.Document, f *pdf.Field, value pdf.Dict) contract.PageItem {
	text := func(key pdf.Name) string {
		s, err := doc.String(value[key])
		if err != nil {
			return ""
		}
		return s.Text()
	}
	// Validation decides whether the stamp is genuine. Warn about everything that claims to be a stamp.
	if serial, _, ok := emeterai.ParseStamp(f.Name, text("Reason")); ok {
		return contract.PageItem{Kind: contract.ItemStamp, Text: serial}
	}
	name := text("Name")
	if name == "" {
		name = f.Name
	}
	return contract.PageItem{Kind: contract.ItemSignature, Text: name}
}

// ListContent lists the words and pictures of a page. Invisible words count if they are on a picture: they are the
// recognised text of a scanned page.
func (p *pageReader) ListContent(number int) ([]contract.PageItem, bool) {
	if known, ok := p.painted[number]; ok {
		return known.covered, known.complete
	}
	key := pageKey{p.revision, number}
	if known, ok := p.cache.findPage(key); ok {
		return known.covered, known.complete
	}
	var found pageItems
	lasting, first := false, p.reader == nil
	if page, err := p.doc.Page(number); err == nil {
		if p.reader == nil {
			p.reader = content.NewReader(p.doc, content.Limits{})
		}
		marks, err := p.reader.PageMarks(page)
		found = pageItems{covered: readableItems(marks), complete: err == nil}
		// A page that was cut short because the client left, or because earlier pages used up a shared limit, is not
		// cached: the result says nothing about the page.
		var incomplete *content.IncompleteError
		lasting = err == nil || errors.As(err, &incomplete) && (first || incomplete.Reason != content.Limit)
	}
	if p.cachedItems += len(found.covered); p.cachedItems > maxCachedItems {
		p.cachedItems = len(found.covered)
		clear(p.painted)
	}
	p.painted[number] = found
	if lasting {
		p.cache.addPage(key, found)
	}
	return found.covered, found.complete
}

func readableItems(marks []content.Mark) []contract.PageItem {
	pictures := findPictures(marks)
	var found []contract.PageItem
	for _, m := range marks {
		if m.Kind != content.Text {
			continue
		}
		if m.Hidden != "" && (m.Hidden != content.ByMode || !isOnPicture(m.Box, pictures)) {
			continue
		}
		found = append(found, contract.PageItem{Kind: contract.ItemText, Box: contract.Box(m.Box), Text: m.Text, Joins: m.JoinsPrevious})
	}
	for _, p := range pictures {
		if !p.hasText {
			found = append(found, contract.PageItem{Kind: contract.ItemPicture, Box: contract.Box(p.box)})
		}
	}
	return found
}

// picture is a picture on a page; hasText is set if invisible words, such as recognised text, are on it.
type picture struct {
	box     pdf.Rect
	hasText bool
}

// maxPageTiles bounds the pictures of a page that words are compared with. A scan has one or a few.
const maxPageTiles = 256

func findPictures(marks []content.Mark) []picture {
	var pictures []picture
	for _, m := range marks {
		if m.Kind == content.Image && m.Hidden == "" && len(pictures) < maxPageTiles {
			pictures = append(pictures, picture{box: m.Box})
		}
	}
	return pictures
}

// isOnPicture reports whether the middle of a word is on a picture, and sets hasText of the pictures that contain it.
func isOnPicture(word pdf.Rect, pictures []picture) bool {
	x, y := (word.LLX+word.URX)/2, (word.LLY+word.URY)/2
	on := false
	for i := range pictures {
		p := &pictures[i]
		if x >= p.box.LLX && x <= p.box.URX && y >= p.box.LLY && y <= p.box.URY {
			p.hasText, on = true, true
		}
	}
	return on
}

// pageCache caches the content of pages, keyed by the digest of the revision. Placing boxes needs the same pages again
// and again, and examining one page may use the whole budget of a file.
type pageCache struct {
	mu    sync.Mutex // guards the fields below; never held while a page is examined
	known map[pageKey]pageItems
	cost  int
}

type pageKey struct {
	revision [32]byte
	page     int
}

// maxPageCache bounds the cache, in approximate bytes.
const maxPageCache = 32 << 20

func (c *pageCache) findPage(k pageKey) (pageItems, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.known[k]
	return p, ok
}

func (c *pageCache) addPage(k pageKey, p pageItems) {
	cost := cacheCost(p)
	if cost > maxPageCache/4 {
		return // it would evict all others
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || c.cost+cost > maxPageCache {
		c.known, c.cost = map[pageKey]pageItems{}, 0 // rare; costs one examination per page
	}
	if before, ok := c.known[k]; ok {
		c.cost -= cacheCost(before)
	}
	c.known[k] = p
	c.cost += cost
}

// cacheCost estimates how many bytes a page takes in memory.
func cacheCost(p pageItems) int {
	const entry, each = 200, 100
	n := entry + each*len(p.covered)
	for _, c := range p.covered {
		n += len(c.Text)
	}
	return n
}

var _ contract.PageContent = (*pageReader)(nil)
