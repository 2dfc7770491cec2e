package sqlstore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// boxSearch is the result of a search in a list.
type boxSearch struct {
	ids     []contract.DocumentID // matches, the newest first, up to store.SearchLimit
	limited bool                  // there may be more
	stale   []titleBlock          // leaves whose documents were read because their titles are missing or out of date

	unindexed []titleBlock // spans whose titles were read because their index is missing or out of date
}

// maxTitleBatch bounds the blocks whose titles are read with one statement.
const maxTitleBatch = 32

// search finds the matches among the rows that the other filters select, of which there are the counts. It reads the stored titles of
// block after block from the newest end, until it has as many matches as are counted. Where titles are not stored it reads the
// documents.
func (b boxQuery) search(ctx context.Context, r querier, counts boxCounts) (boxSearch, error) {
	var found boxSearch
	needle := foldText(b.Search)
	if counts.rows == 0 || len(needle) > maxPattern {
		return found, nil
	}
	if counts.rows <= b.blocks.scan {
		from := int64(0)
		if b.bounded {
			// The oldest row of the period is in this block, so no older one has to be read.
			p, err := b.skipRows(ctx, r, counts.selected, counts.rows-1)
			if err != nil {
				return found, err
			}
			from = p.start
		}
		err := b.scanRows(ctx, r, &found, from, maxDocument)
		return found, err
	}
	candidates, err := readCandidateLeaves(ctx, r, boxList{b.Person, b.Box}, counts.spans, needle)
	if err != nil {
		return found, err
	}
	batch := 1
	for _, span := range counts.spans {
		end := span.start + b.blocks.span
		if found.limited {
			break
		}
		if b.bounded && span.isBefore(b.firstDay) {
			continue
		}
		if !span.split {
			if err := b.scanRows(ctx, r, &found, span.start, end); err != nil {
				return found, err
			}
			continue
		}
		among, indexed := candidates[span.start]
		if indexed && among.isEmpty() {
			continue
		}
		if !indexed {
			found.unindexed = append(found.unindexed, titleBlock{b.Person, b.Box, span.start})
		}
		leaves, err := readLeaves(ctx, r, b.Person, b.Box, "", span.start, end)
		if err != nil {
			return found, err
		}
		leaves = slices.DeleteFunc(leaves, func(k block) bool {
			return b.bounded && k.isBefore(b.firstDay) || indexed && !among.has((k.start-span.start)/b.blocks.leaf)
		})
		for len(leaves) > 0 && !found.limited {
			n := min(batch, len(leaves))
			if err := b.searchLeaves(ctx, r, &found, needle, leaves[:n]); err != nil {
				return found, err
			}
			leaves, batch = leaves[n:], min(2*batch, maxTitleBatch)
		}
	}
	return found, nil
}

// searchLeaves searches consecutive leaves.
func (b boxQuery) searchLeaves(ctx context.Context, r querier, found *boxSearch, needle string, leaves []block) error {
	newest, oldest := leaves[0], leaves[len(leaves)-1]
	stored, err := readTitles(ctx, r, b.Person, b.Box, oldest.start, newest.start+b.blocks.leaf)
	if err != nil {
		return err
	}
	unread := int64(0) // the end of the leaves without valid titles before this one, which are read together; 0: there are none
	flush := func(from int64) error {
		if unread == 0 {
			return nil
		}
		to := unread
		unread = 0
		return b.scanRows(ctx, r, found, from, to)
	}
	for _, leaf := range leaves {
		end := leaf.start + b.blocks.leaf
		titles, ok := stored[leaf.start]
		if !ok || titles.contents != leaf.contents() {
			if leaf.amount >= b.blocks.titles {
				found.stale = append(found.stale, titleBlock{b.Person, b.Box, leaf.start})
			}
			if unread == 0 {
				unread = end
			}
			continue
		}
		if err := flush(end); err != nil || found.limited {
			return err
		}
		matches, err := findTitles(titles.titles, leaf.start, needle)
		if err != nil {
			return err
		}
		if len(matches) > 0 && (b.State != "" || b.Without != "" || b.bounded && !leaf.isFrom(b.firstDay)) {
			if matches, err = b.keepSelected(ctx, r, matches, leaf.start, end); err != nil {
				return err
			}
		}
		if found.addMatches(matches); found.limited {
			return nil
		}
	}
	return flush(oldest.start)
}

// addMatches adds matches that are older than all so far.
func (f *boxSearch) addMatches(ids []contract.DocumentID) {
	n := min(len(ids), store.SearchLimit-len(f.ids))
	f.ids = append(f.ids, ids[:n]...)
	f.limited = len(f.ids) == store.SearchLimit
}

// scanRows searches the rows with document numbers in [from, to) without stored titles.
func (b boxQuery) scanRows(ctx context.Context, r querier, found *boxSearch, from, to int64) error {
	pattern, _ := likePattern(b.Search)
	c := b.rowsIn(from, to)
	c.addTerm(`d.title_folded LIKE %s ESCAPE '\'`, pattern)
	ids, err := queryAll(ctx, r, column[contract.DocumentID], `SELECT b.document FROM box b JOIN document d ON d.id = b.document`+
		c.pageClause("b.document DESC", 0, store.SearchLimit-len(found.ids)), c.args...)
	found.addMatches(ids)
	return err
}

// keepSelected returns those of the matches in [from, to) that the filters select. The database returns the selected numbers as one
// text, which is faster to read than as many rows.
func (b boxQuery) keepSelected(ctx context.Context, r querier, matches []contract.DocumentID, from, to int64) ([]contract.DocumentID, error) {
	var text string
	c := b.rowsIn(from, to)
	err := queryOne(ctx, r, []any{&text}, `SELECT COALESCE(string_agg(CAST(b.document AS TEXT), ','), '') FROM box b`+c.whereClause(), c.args...)
	if err != nil || text == "" {
		return nil, err
	}
	selected := map[int64]bool{}
	for number := range strings.SplitSeq(text, ",") {
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, err
		}
		selected[id] = true
	}
	return slices.DeleteFunc(matches, func(id contract.DocumentID) bool { return !selected[int64(id)] }), nil
}
