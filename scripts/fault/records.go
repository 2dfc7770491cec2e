package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver pgx
	_ "modernc.org/sqlite"             // registers the driver sqlite
)

// officeSerial is a serial in the office's journal.
type officeSerial struct {
	file    string // name that it was taken for; ends in our order's identifier
	at      time.Time
	sources []string // SHA-256 of what it was affixed to, hexadecimal; more than one is a fault of the office
}

// readJournal reads what the office issued and affixed.
func readJournal(office string) (map[string]*officeSerial, error) {
	f, err := os.Open(filepath.Join(office, "office", "journal.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[string]*officeSerial{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Is, Serial, File, Source string
			At                       time.Time
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("journal of the office: %w", err)
		}
		switch e.Is {
		case "taken":
			if all[e.Serial] != nil {
				return nil, fmt.Errorf("journal of the office: serial %s was issued twice", e.Serial)
			}
			all[e.Serial] = &officeSerial{file: e.File, at: e.At}
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

// serviceRecords is the content of the service's database, read by separate statements: the check must not rely on the
// program that it checks.
type serviceRecords struct {
	stamps    []stampRow
	register  map[string]registerEntry
	orders    map[string]time.Time // when the first purchase under an order's identifier was recorded
	open      int                  // attempts never closed
	quota     quota
	signing   quota
	documents []int64 // all of them
	notices   map[string]noticeRow
	waiting   map[int64]string // reason of each other document that is not completed
	misdated  []string         // events whose time contradicts the events before them
}

// noticeRow is a message to a person that became necessary.
type noticeRow struct {
	document             int64
	kind, state, address string
}

// stampRow is one duty stamp of a document.
type stampRow struct {
	document             int64
	position             int
	state, order, serial string
}

// registerEntry is a serial in the register: its state, and the document that it belongs to, if any.
type registerEntry struct {
	state    string
	document int64
}

// quota is what the one organisation has of stamps, or of signatures.
type quota struct{ granted, reserved, spent int }

// databaseAddress returns the driver and the address of the service's database.
func (t *trial) databaseAddress() (driver, address string) {
	if t.server != nil {
		return "pgx", t.database
	}
	return "sqlite", "file:" + filepath.Join(t.data, "segel.db") + "?_pragma=query_only(ON)&_pragma=busy_timeout(10000)"
}

func readRecords(driver, address string) (b serviceRecords, err error) {
	db, err := sql.Open(driver, address)
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	b = serviceRecords{register: map[string]registerEntry{}, orders: map[string]time.Time{}, waiting: map[int64]string{}, notices: map[string]noticeRow{}}
	var s stampRow
	var n noticeRow
	var name, state string
	var id, at, former int64
	for _, q := range []struct {
		statement string
		into      []any
		keep      func()
	}{
		{"SELECT document, position, state, order_id, coalesce(serial, '') FROM stamp", []any{&s.document, &s.position, &s.state, &s.order, &s.serial}, func() { b.stamps = append(b.stamps, s) }},
		{"SELECT serial, state, document FROM serial", []any{&name, &state, &id}, func() { b.register[name] = registerEntry{state, id} }},
		{"SELECT order_id, min(made_at) FROM attempt WHERE call = 'take' GROUP BY order_id", []any{&name, &at}, func() { b.orders[name] = time.UnixMicro(at) }},
		{"SELECT count(*) FROM attempt WHERE answered_at = 0", []any{&b.open}, func() {}},
		{"SELECT granted, reserved, spent FROM quota WHERE unit = 'emet'", []any{&b.quota.granted, &b.quota.reserved, &b.quota.spent}, func() {}},
		{"SELECT granted, reserved, spent FROM quota WHERE unit = 'base'", []any{&b.signing.granted, &b.signing.reserved, &b.signing.spent}, func() {}},
		{"SELECT id, document, kind, state, address FROM notice", []any{&name, &n.document, &n.kind, &n.state, &n.address}, func() { b.notices[name] = n }},
		{"SELECT id FROM document", []any{&id}, func() { b.documents = append(b.documents, id) }},
		{misdatedEvents, []any{&id, &name, &at, &former}, func() {
			b.misdated = append(b.misdated, fmt.Sprintf("event %d, %s, of %s follows one of %s", id, name, time.UnixMicro(at).UTC(), time.UnixMicro(former).UTC()))
		}},
		{"SELECT id, reason FROM document WHERE state NOT IN ('completed', 'draft')", []any{&id, &name}, func() { b.waiting[id] = name }},
	} {
		if err := scanRows(db, q.statement, q.into, q.keep); err != nil {
			return b, err
		}
	}
	return b, nil
}

// misdatedEvents selects the events that are older than one before them in the log by more than clocks may differ, and a request may take.
const misdatedEvents = `SELECT leaf, type, at, former FROM (SELECT leaf, type, at, max(at) OVER (ORDER BY leaf) AS former FROM event) e WHERE former - at > 120000000 ORDER BY leaf`

func scanRows(db *sql.DB, statement string, into []any, keep func()) (err error) {
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
