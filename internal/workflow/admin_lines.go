package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

// titlesOf reads the titles of the documents that rows refer to, each document once.
func titlesOf[T any](ctx context.Context, s *Service, rows []T, of func(T) []contract.DocumentID) (map[contract.DocumentID]store.Title, error) {
	var ids []contract.DocumentID
	seen := map[contract.DocumentID]bool{0: true}
	for _, row := range rows {
		for _, id := range of(row) {
			if !seen[id] {
				seen[id], ids = true, append(ids, id)
			}
		}
	}
	return s.Store.Titles(ctx, ids)
}

// batchLen is the number of rows whose names are read at a time.
const batchLen = 200

// inBatches converts rows to lines in batches and calls yield with each line, until yield returns an error.
func inBatches[Row, Line any](each func(func(Row) bool) error, lines func([]Row) ([]Line, error), yield func(Line) error) error {
	var batch []Row
	var failed error
	flush := func() bool {
		var all []Line
		if all, failed = lines(batch); failed != nil {
			return false
		}
		batch = batch[:0]
		for _, l := range all {
			if failed = yield(l); failed != nil {
				return false
			}
		}
		return true
	}
	err := each(func(r Row) bool {
		batch = append(batch, r)
		return len(batch) < batchLen || flush()
	})
	if err != nil {
		return err
	}
	if failed == nil && len(batch) > 0 {
		flush()
	}
	return failed
}
