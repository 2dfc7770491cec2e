package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver named sqlite
)

// issued is a serial as the office's own journal has it.
type issued struct {
	file    string   // name that it was taken for; ends in our order's identifier
	sources []string // SHA-256 of what it was affixed to, hexadecimal; more than one is a fault of the office
}

// readJournal reads what the office issued and affixed.
func readJournal(office string) (map[string]*issued, error) {
	f, err := os.Open(filepath.Join(office, "office", "journal.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[string]*issued{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct{ Is, Serial, File, Source string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("journal of the office: %w", err)
		}
		switch e.Is {
		case "taken":
			if all[e.Serial] != nil {
				return nil, fmt.Errorf("journal of the office: serial %s was issued twice", e.Serial)
			}
			all[e.Serial] = &issued{file: e.File}
		case "affixed":
			s := all[e.Serial]
			if s == nil {
				return nil, fmt.Errorf("journal of the office: serial %s was affixed and never issued", e.Serial)
			}
			s.sources = append(s.sources, e.Source)
		}
	}
	return all, lines.Err()
}

// books is what the service's database says, read by statements of our own: what is proved here must not rest on the
// program that it is about.
type books struct {
	stamps   []stampRow
	register map[string]string // serials of the register and their states
	orders   map[string]bool   // identifiers of orders that were recorded before the office was asked
	quota    quota
	states   map[string]int   // documents by state
	waiting  map[int64]string // reason of each document that is not completed and no draft
}

// stampRow is one duty stamp of a document.
type stampRow struct {
	document             int64
	position             int
	state, order, serial string
}

// quota is what the one organisation has of stamps.
type quota struct{ granted, reserved, spent int }

func readBooks(data string) (b books, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "segel.db")+"?_pragma=query_only(ON)&_pragma=busy_timeout(10000)")
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	b = books{register: map[string]string{}, orders: map[string]bool{}, states: map[string]int{}, waiting: map[int64]string{}}
	var s stampRow
	var name, state string
	var id int64
	var n int
	for _, q := range []struct {
		statement string
		into      []any
		keep      func()
	}{
		{"SELECT document, position, state, order_id, coalesce(serial, '') FROM stamp", []any{&s.document, &s.position, &s.state, &s.order, &s.serial}, func() { b.stamps = append(b.stamps, s) }},
		{"SELECT json_extract(details, '$.order') FROM event WHERE type = 'serial_ordered'", []any{&name}, func() { b.orders[name] = true }},
		{"SELECT granted, reserved, spent FROM quota WHERE unit = 'emet'", []any{&b.quota.granted, &b.quota.reserved, &b.quota.spent}, func() {}},
		{"SELECT state, count(*) FROM document GROUP BY state", []any{&state, &n}, func() { b.states[state] = n }},
		{"SELECT id, reason FROM document WHERE state NOT IN ('completed', 'draft')", []any{&id, &name}, func() { b.waiting[id] = name }},
	} {
		if err := each(db, q.statement, q.into, q.keep); err != nil {
			return b, err
		}
	}
	return b, nil
}

func each(db *sql.DB, statement string, into []any, keep func()) (err error) {
	rows, err := db.Query(statement)
	if err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		keep()
	}
	return rows.Err()
}
