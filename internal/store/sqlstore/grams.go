package sqlstore

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// gramLength is the number of bytes of the longest sequences by which leaves are indexed. Shorter ones are indexed for searches that are
// no longer than they.
const gramLength = 3

// maxGrams bounds the sequences of a search that are looked up.
const maxGrams = 12

// gramBucket returns the bucket of a sequence of 1 to gramLength bytes, of 8192. Stored buckets depend on it, so it never changes.
func gramBucket(gram []byte) int64 {
	n := uint32(len(gram))
	for _, b := range gram {
		n = n<<8 | uint32(b)
	}
	return int64(n * 2654435761 >> 19)
}

// gramBuckets returns the buckets of sequences that are in every title that contains a folded text, in ascending order.
func gramBuckets(text string) []int64 {
	found := map[int64]bool{}
	length := min(gramLength, len(text))
	for i := 0; i+length <= len(text) && len(found) < maxGrams && length > 0; i++ {
		found[gramBucket([]byte(text[i:i+length]))] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// leafSet is a set of the leaves of a span: a bit for each, in order, the lowest of a byte first.
type leafSet []byte

func newLeafSet(sizes blockSizes) leafSet { return make(leafSet, (sizes.span/sizes.leaf+7)/8) }

func (s leafSet) addLeaf(i int64) { s[i/8] |= 1 << (i % 8) }

// has reports whether the set contains a leaf. A set of another length contains all.
func (s leafSet) has(i int64) bool { return i/8 >= int64(len(s)) || s[i/8]&(1<<(i%8)) != 0 }

func (s leafSet) isEmpty() bool { return len(bytes.Trim(s, "\x00")) == 0 }

// readCandidateLeaves returns the leaves that may have a match of a folded text, by span, for the spans whose index is up to date.
func readCandidateLeaves(ctx context.Context, r querier, l boxList, spans []block, needle string) (map[int64]leafSet, error) {
	buckets := gramBuckets(needle)
	if len(buckets) == 0 || len(spans) == 0 {
		return nil, nil
	}
	indexed := map[int64]contents{}
	err := queryEach(ctx, r, func(scan scanFunc) error {
		var start int64
		var c contents
		err := scan(&start, &c.amount, &c.checksum, &c.edits)
		indexed[start] = c
		return err
	}, `SELECT start, amount, checksum, edits FROM box_index WHERE person = $1 AND box = $2`, l.person, l.box)
	if err != nil {
		return nil, err
	}
	args := []any{l.person, l.box}
	for _, s := range spans {
		if c, ok := indexed[s.start]; ok && c == s.all {
			args = append(args, s.start)
		}
	}
	starts := len(args) - 2
	if starts == 0 {
		return nil, nil
	}
	candidates, hits := map[int64]leafSet{}, map[int64]int{}
	for _, start := range args[2:] {
		candidates[start.(int64)] = nil
	}
	where := ` WHERE person = $1 AND box = $2 AND start IN (` + placeholders(3, starts) + `) AND bucket IN (` + placeholders(3+starts, len(buckets)) + `)`
	for _, b := range buckets {
		args = append(args, b)
	}
	err = queryEach(ctx, r, func(scan scanFunc) error {
		var start int64
		var leaves leafSet
		if err := scan(&start, &leaves); err != nil {
			return err
		}
		if hits[start]++; hits[start] == 1 {
			candidates[start] = slices.Clone(leaves)
			return nil
		}
		for i := range candidates[start] {
			if i < len(leaves) {
				candidates[start][i] &= leaves[i]
			}
		}
		return nil
	}, `SELECT start, leaves FROM box_gram`+where, args...)
	for start := range candidates {
		if hits[start] < len(buckets) { // a sequence is in no leaf
			candidates[start] = leafSet{0}
		}
	}
	return candidates, err
}

// indexSpan stores in which leaves of a span the sequences of its titles are. It is read on one snapshot and stored in another
// transaction; a change in between makes the contents differ, so that searches do not use the index.
func (s *Store) indexSpan(ctx context.Context, b titleBlock) error {
	var c contents
	var grams map[int64]leafSet
	err := s.db.withSnapshot(ctx, func(r querier) (err error) {
		c, grams, err = s.collectGrams(ctx, r, b)
		return err
	})
	if err != nil {
		return err
	}
	return s.db.withTx(ctx, func(t tx) error {
		for _, table := range []string{"box_gram", "box_index"} {
			if _, err := t.exec(ctx, `DELETE FROM `+table+` WHERE person = $1 AND box = $2 AND start = $3`, b.person, b.box, b.start); err != nil {
				return err
			}
		}
		if grams == nil {
			return nil
		}
		for some := range slices.Chunk(slices.Sorted(maps.Keys(grams)), 64) {
			var args []any
			for _, bucket := range some {
				args = append(args, b.person, b.box, b.start, bucket, []byte(grams[bucket]))
			}
			if _, err := t.exec(ctx, `INSERT INTO box_gram (person, box, start, bucket, leaves) VALUES `+placeholderRows(len(some), 5), args...); err != nil {
				return err
			}
		}
		_, err := t.exec(ctx, `INSERT INTO box_index (person, box, start, amount, checksum, edits) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (person, box, start) DO UPDATE SET amount = excluded.amount, checksum = excluded.checksum, edits = excluded.edits`,
			b.person, b.box, b.start, c.amount, c.checksum, c.edits)
		return err
	})
}

// collectGrams reads in which leaves of a span the sequences of titles are; nil if the span is not split.
func (s *Store) collectGrams(ctx context.Context, r querier, b titleBlock) (c contents, grams map[int64]leafSet, err error) {
	spans, err := readSpans(ctx, r, b.person, b.box, "")
	if err != nil {
		return c, nil, err
	}
	i := slices.IndexFunc(spans, func(k block) bool { return k.start == b.start && k.split })
	if i < 0 {
		return c, nil, nil
	}
	leaves, err := readLeaves(ctx, r, b.person, b.box, "", b.start, b.start+s.blocks.span)
	if err != nil {
		return c, nil, err
	}
	grams = map[int64]leafSet{}
	for _, leaf := range leaves {
		all, err := s.leafTitles(ctx, r, titleBlock{b.person, b.box, leaf.start}, leaf)
		if err != nil {
			return c, nil, err
		}
		n := (leaf.start - b.start) / s.blocks.leaf
		for title := range bytes.SplitSeq(all, []byte{0}) {
			for i := range title {
				for end := i + 1; end <= min(i+gramLength, len(title)); end++ {
					bucket := gramBucket(title[i:end])
					if grams[bucket] == nil {
						grams[bucket] = newLeafSet(s.blocks)
					}
					grams[bucket].addLeaf(n)
				}
			}
		}
	}
	return spans[i].contents(), grams, nil
}

// leafTitles returns the folded titles of a leaf, each with a NUL behind it: the stored ones if they are up to date.
func (s *Store) leafTitles(ctx context.Context, r querier, b titleBlock, leaf block) ([]byte, error) {
	stored, err := readTitles(ctx, r, b.person, b.box, b.start, b.start+1)
	if err != nil {
		return nil, err
	}
	encoded := stored[b.start].titles
	if len(encoded) == 0 || stored[b.start].contents != leaf.contents() {
		all, err := readTitled(ctx, r, b, s.blocks.leaf)
		if err != nil {
			return nil, err
		}
		encoded = encodeTitles(b.start, all)
	}
	_, titles, err := splitTitles(encoded)
	return titles, err
}

// isIndexRight reports whether the index of a span, if searches use it, has all sequences of its titles.
func (s *Store) isIndexRight(ctx context.Context, r querier, b titleBlock) (bool, error) {
	var stored contents
	err := queryOne(ctx, r, []any{&stored.amount, &stored.checksum, &stored.edits},
		`SELECT amount, checksum, edits FROM box_index WHERE person = $1 AND box = $2 AND start = $3`, b.person, b.box, b.start)
	if err != nil {
		return false, err
	}
	now, grams, err := s.collectGrams(ctx, r, b)
	if err != nil || grams == nil || now != stored {
		return true, err
	}
	missing := len(grams)
	err = queryEach(ctx, r, func(scan scanFunc) error {
		var bucket int64
		var leaves leafSet
		err := scan(&bucket, &leaves)
		if bytes.Equal(leaves, grams[bucket]) && grams[bucket] != nil {
			missing--
		}
		return err
	}, `SELECT bucket, leaves FROM box_gram WHERE person = $1 AND box = $2 AND start = $3`, b.person, b.box, b.start)
	return missing == 0, err
}
