package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// AddReconciliation implements [store.Administration]. Of two concurrent calls, one retries with another number.
func (s *Store) AddReconciliation(ctx context.Context, r contract.Reconciliation) (number int64, err error) {
	for range maxNumberTries {
		if number, err = s.addReconciliation(ctx, r); !errors.Is(err, store.ErrConflict) {
			break
		}
	}
	return number, wrapf(err, "store reconciliation")
}

// maxNumberTries bounds the tries to assign a number.
const maxNumberTries = 10

func (s *Store) addReconciliation(ctx context.Context, r contract.Reconciliation) (number int64, err error) {
	err = s.runEffect(ctx, func(t tx) (any, error) {
		if err := queryOne(ctx, t, []any{&number}, `SELECT COALESCE(MAX(number), 0) + 1 FROM reconciliation`); err != nil {
			return nil, err
		}
		r.Number = number
		report, err := writeReport(r)
		if err != nil {
			return nil, err
		}
		err = requireChanged(t.exec(ctx, `INSERT INTO reconciliation (number, made_at, report) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, number, toMicros(r.At), string(report)))
		if err != nil {
			return nil, err
		}
		return number, logEntry{records: []record{recordOf("reconciliation", number)}, at: r.At}.appendToLog(ctx, t)
	})
	return number, err
}

// LastReconciliation implements [store.Administration].
func (s *Store) LastReconciliation(ctx context.Context) (contract.Reconciliation, error) {
	var kept string
	if err := s.readRow(ctx, []any{&kept}, `SELECT report FROM reconciliation ORDER BY number DESC LIMIT 1`); err != nil {
		return contract.Reconciliation{}, wrapf(err, "read the last reconciliation")
	}
	r, err := readReport([]byte(kept))
	return r, wrapf(err, "read the last reconciliation")
}

// report is the stored form of a reconciliation: docs/formats/reconciliation.md.
type report struct {
	Format string `json:"format"`
	contract.Reconciliation
}

const reportFormat = "segel reconciliation 1"

func writeReport(r contract.Reconciliation) ([]byte, error) {
	return json.Marshal(report{reportFormat, r})
}

func readReport(kept []byte) (contract.Reconciliation, error) {
	var r report
	if err := json.Unmarshal(kept, &r); err != nil {
		return contract.Reconciliation{}, err
	}
	if r.Format != "" && r.Format != reportFormat { // the first reports had none
		return contract.Reconciliation{}, fmt.Errorf("report has unknown format %q", r.Format)
	}
	return r.Reconciliation, nil
}
