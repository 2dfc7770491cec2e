package workflow

import (
	"context"
	"errors"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/pdf"
	"segel/pdf/ink"
)

// Covered warns of the placements of a document that lie over what should stay readable, as Place did when they were
// accepted. A file that cannot be read just now is warned of by nobody: whoever asks has placed or finalized by then.
func (s *Service) Covered(ctx context.Context, d contract.Document) []contract.Warning {
	if len(d.Placements) == 0 || len(d.Revisions) == 0 {
		return nil
	}
	release, err := s.reading.acquire(ctx)
	if err != nil {
		return nil
	}
	defer release()
	f, err := s.open(ctx, d.Revisions[:1]) // without our own fields
	if err != nil {
		s.Log.WarnContext(ctx, "placements not held against the page", "document", d.ID, "error", err)
		return nil
	}
	defer f.Close()
	doc, err := pdf.Open(f, f.Size(), signingOptions(f.Size(), pdf.FileBudget(ctx, f.Size())))
	if err != nil {
		s.Log.WarnContext(ctx, "placements not held against the page", "document", d.ID, "error", err)
		return nil
	}
	return contract.Overlaps(d.Placements, pagesOf(doc, d.Revisions[0].Digest, &s.seen), "placements")
}

// pages tells what lies on the pages of a file, each looked at once.
type pages struct {
	doc      *pdf.Document
	revision [32]byte    // digest of the file
	cache    *pageCache  // shared with other readers
	reader   *ink.Reader // nil until asked about a page that is not in the cache
	fields   map[pdf.Ref]contract.Covered
	former   map[int][]contract.Covered
	painted  map[int]painted
	kept     int // marks in painted
}

// mostKept bounds what is remembered of pages that were looked at: a hostile file has many pages with much on each.
const mostKept = 100_000

type painted struct {
	covered []contract.Covered
	told    bool
}

// pagesOf tells what lies on the pages of the revision with that digest.
func pagesOf(doc *pdf.Document, revision [32]byte, cache *pageCache) *pages {
	return &pages{doc: doc, revision: revision, cache: cache, former: map[int][]contract.Covered{}, painted: map[int]painted{}}
}

// Former lists the signature fields on a page that are to be seen, by what is in them.
func (p *pages) Former(number int) []contract.Covered {
	if known, ok := p.former[number]; ok {
		return known
	}
	var found []contract.Covered
	if p.fields == nil {
		p.fields = signatureFields(p.doc)
	}
	if page, err := p.doc.Page(number); err == nil && len(p.fields) > 0 {
		annots, _ := p.doc.Array(page.Dict["Annots"]) // one that cannot be read shows nothing
		for _, o := range annots {
			ref, _ := o.(pdf.Ref)
			c, ok := p.fields[ref]
			if !ok {
				continue
			}
			if rect, shown := shownAt(p.doc, page, ref); shown {
				c.Box = contract.Box(rect)
				found = append(found, c)
			}
		}
	}
	p.former[number] = found
	return found
}

// shownAt returns where a widget stands on the page as displayed, if it is to be seen.
func shownAt(doc *pdf.Document, page *pdf.Page, ref pdf.Ref) (pdf.Rect, bool) {
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

// signatureFields finds the widgets of all signature fields. A form that cannot be read has none: such a file was
// refused when it came in.
func signatureFields(doc *pdf.Document) map[pdf.Ref]contract.Covered {
	found := map[pdf.Ref]contract.Covered{}
	fields, err := doc.Fields()
	if err != nil {
		return found
	}
	for _, f := range fields {
		if f.Type != "Sig" {
			continue
		}
		c := contract.Covered{Kind: contract.CoveredField, Text: f.Name}
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

func signatureOf(doc *pdf.Document, f *pdf.Field, value pdf.Dict) contract.Covered {
	text := func(key pdf.Name) string {
		s, err := doc.String(value[key])
		if err != nil {
			return ""
		}
		return s.Text()
	}
	// Whether an office made it is for the validation to say: what claims to be a stamp is better not covered.
	if serial, _, ok := emeterai.ParseStamp(f.Name, text("Reason")); ok {
		return contract.Covered{Kind: contract.CoveredStamp, Text: serial}
	}
	name := text("Name")
	if name == "" {
		name = f.Name
	}
	return contract.Covered{Kind: contract.CoveredSignature, Text: name}
}

// Painted lists the words and pictures of a page. Words that are not to be seen count where they lie on a picture: that
// is how a scanned page says what it shows.
func (p *pages) Painted(number int) ([]contract.Covered, bool) {
	if known, ok := p.painted[number]; ok {
		return known.covered, known.told
	}
	key := pageKey{p.revision, number}
	if known, ok := p.cache.get(key); ok {
		return known.covered, known.told
	}
	var found painted
	lasting, first := false, p.reader == nil
	if page, err := p.doc.Page(number); err == nil {
		if p.reader == nil {
			p.reader = ink.NewReader(p.doc, ink.Limits{})
		}
		marks, err := p.reader.Page(page)
		found = painted{covered: readable(marks), told: err == nil}
		// What was cut short because the client went, or because pages before it used up a limit that all pages share, says
		// nothing about the page.
		var untold *ink.Untold
		lasting = err == nil || errors.As(err, &untold) && (first || untold.Reason != ink.Limit)
	}
	if p.kept += len(found.covered); p.kept > mostKept {
		p.kept = len(found.covered)
		clear(p.painted)
	}
	p.painted[number] = found
	if lasting {
		p.cache.put(key, found)
	}
	return found.covered, found.told
}

func readable(marks []ink.Mark) []contract.Covered {
	pictures := picturesAmong(marks)
	var found []contract.Covered
	for _, m := range marks {
		if m.Kind != ink.Text {
			continue
		}
		if m.Hidden != "" && (m.Hidden != ink.ByMode || !onPicture(m.Box, pictures)) {
			continue
		}
		found = append(found, contract.Covered{Kind: contract.CoveredText, Box: contract.Box(m.Box), Text: m.Text, Joins: m.Joins})
	}
	for _, p := range pictures {
		if !p.says {
			found = append(found, contract.Covered{Kind: contract.CoveredPicture, Box: contract.Box(p.box)})
		}
	}
	return found
}

// picture is a picture of a page; one that says what it shows has words that are not to be seen on it.
type picture struct {
	box  pdf.Rect
	says bool
}

// maxPageTiles bounds the pictures of a page that words are held against. A scan is one or a few.
const maxPageTiles = 256

func picturesAmong(marks []ink.Mark) []picture {
	var pictures []picture
	for _, m := range marks {
		if m.Kind == ink.Image && m.Hidden == "" && len(pictures) < maxPageTiles {
			pictures = append(pictures, picture{box: m.Box})
		}
	}
	return pictures
}

// onPicture reports whether the middle of a word lies on a picture, which then says what it shows.
func onPicture(word pdf.Rect, pictures []picture) bool {
	x, y := (word.LLX+word.URX)/2, (word.LLY+word.URY)/2
	on := false
	for i := range pictures {
		p := &pictures[i]
		if x >= p.box.LLX && x <= p.box.URX && y >= p.box.LLY && y <= p.box.URY {
			p.says, on = true, true
		}
	}
	return on
}
