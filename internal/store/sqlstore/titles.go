package sqlstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"segel/internal/contract"
	"segel/internal/store"
)

// titleBlock names the titles of a list in the leaf that begins at start.
type titleBlock struct {
	person contract.PersonID
	box    store.Box
	start  int64
}

// storedTitles are the titles of a leaf, which searches use while the leaf has the contents of which they were made.
type storedTitles struct {
	contents
	start  int64
	titles []byte
}

func readTitles(ctx context.Context, r querier, person contract.PersonID, box store.Box, from, to int64) (map[int64]storedTitles, error) {
	all := map[int64]storedTitles{}
	err := queryEach(ctx, r, func(scan scanFunc) error {
		var t storedTitles
		err := scan(&t.start, &t.amount, &t.checksum, &t.edits, &t.titles)
		all[t.start] = t
		return err
	}, `SELECT start, amount, checksum, edits, titles FROM box_titles WHERE person = $1 AND box = $2 AND start >= $3 AND start < $4`, person, box, from, to)
	return all, err
}

// A block of titles is the version, the number of titles as 4 bytes, for each title the document's number minus start as 4 bytes,
// the newest first, and the folded titles in the same order, each with a NUL behind it. Numbers are big-endian (docs/formats/titles.md).
const titlesVersion = 1

// errTitles means that stored titles are not of their format.
var errTitles = errors.New("stored titles are damaged")

// titled is a document with its folded title.
type titled struct {
	id    contract.DocumentID
	title string
}

// encodeTitles encodes titles, the newest document first. No folded title contains a NUL.
func encodeTitles(start int64, all []titled) []byte {
	b := []byte{titlesVersion}
	b = binary.BigEndian.AppendUint32(b, uint32(len(all)))
	for _, t := range all {
		b = binary.BigEndian.AppendUint32(b, uint32(int64(t.id)-start))
	}
	for _, t := range all {
		b = append(b, t.title...)
		b = append(b, 0)
	}
	return b
}

// splitTitles returns the encoded numbers and the titles.
func splitTitles(b []byte) (numbers, titles []byte, err error) {
	if len(b) < 5 || b[0] != titlesVersion {
		return nil, nil, errTitles
	}
	n := uint64(binary.BigEndian.Uint32(b[1:]))
	if uint64(len(b)-5) < 4*n {
		return nil, nil, errTitles
	}
	return b[5 : 5+4*n], b[5+4*n:], nil
}

// findTitles returns the documents whose titles contain a folded text, in the order of the block.
func findTitles(b []byte, start int64, needle string) ([]contract.DocumentID, error) {
	numbers, titles, err := splitTitles(b)
	if err != nil {
		return nil, err
	}
	var found []contract.DocumentID
	for part, i := []byte(needle), 0; ; {
		at := bytes.Index(titles, part)
		if at < 0 {
			return found, nil
		}
		i += bytes.Count(titles[:at], []byte{0})
		end := bytes.IndexByte(titles[at:], 0)
		if end < 0 || 4*i+4 > len(numbers) {
			return nil, errTitles
		}
		found = append(found, contract.DocumentID(start+int64(binary.BigEndian.Uint32(numbers[4*i:]))))
		titles, i = titles[at+end+1:], i+1
		if len(titles) == 0 {
			return found, nil
		}
	}
}

// Bounds of one call of IndexTitles, which takes some 20 seconds then: leaves of which titles are stored for the first time, leaves of
// which they are stored again, and spans that are indexed.
const (
	maxNewLeaves   = 500
	maxStaleLeaves = 500
	maxSpans       = 50
)

// outdatedTitles are what searches had to do without.
type outdatedTitles struct {
	mu     sync.Mutex // guards the fields below
	leaves map[titleBlock]bool
	spans  map[titleBlock]bool
}

// noteBlocks remembers what a search had to do without, as far as there is room: the next search notes it again.
func (o *outdatedTitles) noteBlocks(found boxSearch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.leaves == nil {
		o.leaves, o.spans = map[titleBlock]bool{}, map[titleBlock]bool{}
	}
	for _, b := range found.stale {
		if len(o.leaves) < maxStaleLeaves {
			o.leaves[b] = true
		}
	}
	for _, b := range found.unindexed {
		if len(o.spans) < maxSpans {
			o.spans[b] = true
		}
	}
}

func (o *outdatedTitles) takeBlocks() (leaves, spans map[titleBlock]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	leaves, spans, o.leaves, o.spans = o.leaves, o.spans, nil, nil
	return leaves, spans
}

// IndexTitles implements [store.Documents].
//
// Each leaf is read on one snapshot and stored in a separate transaction. If the process ends between them, or documents change,
// the counts that were stored with the titles differ from those of the leaf: searches do not use them, and the next one has them
// stored again.
func (s *Store) IndexTitles(ctx context.Context) error {
	for more, n := true, 0; more && n < maxNewLeaves; n++ {
		var err error
		if more, err = s.indexNext(ctx); err != nil {
			return fmt.Errorf("store titles of lists: %w", err)
		}
	}
	next := int64(0)
	if err := s.readRow(ctx, []any{&next}, `SELECT next FROM title_index WHERE id = 1`); err != nil {
		return fmt.Errorf("read how far titles are stored: %w", err)
	}
	leaves, spans := s.outdated.takeBlocks()
	for b := range leaves {
		if b.start >= next {
			continue // documents are still added to it
		}
		if err := s.indexBlocks(ctx, []titleBlock{b}, func(tx) error { return nil }); err != nil {
			return fmt.Errorf("store titles of %s of %s from document %d on: %w", b.box, b.person, b.start, err)
		}
	}
	for b := range spans {
		if b.start+s.blocks.span > next {
			continue
		}
		if err := s.indexSpan(ctx, b); err != nil {
			return fmt.Errorf("index titles of %s of %s from document %d on: %w", b.box, b.person, b.start, err)
		}
	}
	return nil
}

// indexNext stores the titles of the next leaf, of all lists; more is false if that leaf is still growing.
func (s *Store) indexNext(ctx context.Context) (more bool, err error) {
	var blocks []titleBlock
	next, last := int64(0), int64(0)
	err = s.db.withSnapshot(ctx, func(r querier) error {
		if err := queryOne(ctx, r, []any{&next, &last}, `SELECT i.next, n.last FROM title_index i CROSS JOIN document_number n WHERE i.id = 1 AND n.id = 1`); err != nil {
			return err
		}
		if more = last >= next+s.blocks.leaf-1; !more {
			return nil
		}
		blocks, err = queryAll(ctx, r, func(b *titleBlock) []any { b.start = next; return []any{&b.person, &b.box} },
			`SELECT person, box FROM box WHERE document >= $1 AND document < $2 GROUP BY person, box HAVING COUNT(*) >= $3 ORDER BY person, box`,
			next, next+s.blocks.leaf, s.blocks.titles)
		return err
	})
	if err != nil || !more {
		return false, err
	}
	return true, s.indexBlocks(ctx, blocks, func(t tx) error {
		_, err := t.exec(ctx, `UPDATE title_index SET next = $1 WHERE id = 1 AND next = $2`, next+s.blocks.leaf, next)
		return err
	})
}

// indexBlocks stores the titles of blocks, and what also is to be written with them.
func (s *Store) indexBlocks(ctx context.Context, blocks []titleBlock, also func(tx) error) error {
	read := make([]storedTitles, len(blocks))
	err := s.db.withSnapshot(ctx, func(r querier) error {
		for i, b := range blocks {
			var err error
			if read[i], err = s.collectTitles(ctx, r, b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.db.withTx(ctx, func(t tx) error {
		for i, b := range blocks {
			if err := read[i].write(ctx, t, b); err != nil {
				return err
			}
		}
		return also(t)
	})
}

// collectTitles reads the titles of a block from its documents. They are empty if the block has few rows, or if its counts are
// wrong, which fsck reports.
func (s *Store) collectTitles(ctx context.Context, r querier, b titleBlock) (storedTitles, error) {
	leaves, err := readLeaves(ctx, r, b.person, b.box, "", b.start, b.start+1)
	if err != nil || len(leaves) == 0 || leaves[0].amount < s.blocks.titles {
		return storedTitles{}, err
	}
	all, err := readTitled(ctx, r, b, s.blocks.leaf)
	if err != nil {
		return storedTitles{}, err
	}
	t := storedTitles{contents{len(all), 0, leaves[0].edits}, b.start, encodeTitles(b.start, all)}
	for _, d := range all {
		t.checksum += checksumOf(d.id)
	}
	if t.contents != leaves[0].contents() {
		return storedTitles{}, nil
	}
	return t, nil
}

// readTitled reads the documents of a block with their folded titles, the newest first.
func readTitled(ctx context.Context, r querier, b titleBlock, leaf int64) ([]titled, error) {
	return queryAll(ctx, r, func(t *titled) []any { return []any{&t.id, &t.title} },
		`SELECT b.document, d.title_folded FROM box b JOIN document d ON d.id = b.document
		WHERE b.person = $1 AND b.box = $2 AND b.document >= $3 AND b.document < $4 ORDER BY b.document DESC`, b.person, b.box, b.start, b.start+leaf)
}

// write stores the titles of a block, or removes the row if they are empty.
func (t storedTitles) write(ctx context.Context, x tx, b titleBlock) error {
	if t.titles == nil {
		_, err := x.exec(ctx, `DELETE FROM box_titles WHERE person = $1 AND box = $2 AND start = $3`, b.person, b.box, b.start)
		return err
	}
	_, err := x.exec(ctx, `INSERT INTO box_titles (person, box, start, amount, checksum, edits, titles) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (person, box, start) DO UPDATE SET amount = excluded.amount, checksum = excluded.checksum, edits = excluded.edits, titles = excluded.titles`,
		b.person, b.box, b.start, t.amount, t.checksum, t.edits, t.titles)
	return err
}
