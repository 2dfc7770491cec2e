package workflow

import (
	"errors"
	"sync"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/pdf"
	"segel/pdf/content"
)

// pageReader lists what is on the pages of a file. It examines each page once.
type pageReader struct {
	doc         *pdf.Document
	revision    [32]byte        // digest of the file
	cache       *pageCache      // shared with other readers
	spent       bool            // other checks have spent work of the document's budget
	reader      *content.Reader // nil until a page is needed that is not in the cache
	fields      map[pdf.Ref]contract.PageItem
	former      map[int][]contract.PageItem
	painted     map[int]pageItems
	cachedItems int // items in painted
}

// maxCachedItems bounds the items kept in painted: a hostile file has many pages with many items each.
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
		// A page that was cut short because the client left, or because earlier pages or checks used up a shared limit, is not
		// cached: the result says nothing about the page.
		var incomplete *content.IncompleteError
		lasting = err == nil || errors.As(err, &incomplete) && (first && !p.spent || incomplete.Reason != content.Limit)
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
