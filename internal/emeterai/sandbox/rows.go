package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"segel/internal/durable"
)

// Rows is a journal in a table, which several offices append to at the same time. Its entries are the lines of a journal in a folder after the
// first one, numbered from 1 without gaps.
type Rows interface {
	// ReadEntries calls yield with each entry whose number is above after, in the order of numbers.
	ReadEntries(ctx context.Context, after int64, yield func(number int64, content []byte) error) error

	// AddEntry adds the entry with that number; [ErrTaken] if there is one. Durable on return. After another error it was
	// added or not.
	AddEntry(ctx context.Context, number int64, content []byte, at time.Time) error
}

// ErrTaken is an entry whose number another office has used.
var ErrTaken = errors.New("another entry has this number")

// OpenRows opens the office with that journal. Any number of offices may have it open, also in other processes: each decides by what all
// of them recorded.
func OpenRows(ctx context.Context, rows Rows, o Options) (*Office, error) {
	f, err := newOffice(o)
	if err != nil {
		return nil, err
	}
	f.journal = &rowJournal{rows: rows}
	return f, errors.Join(f.journal.catchUp(ctx, f.applyEntry), f.openLatest())
}

// rowJournal is a journal in a table.
type rowJournal struct {
	rows   Rows
	number int64 // of the last entry that was read or appended
}

func (j *rowJournal) catchUp(ctx context.Context, add func(entry) error) error {
	err := j.rows.ReadEntries(ctx, j.number, func(number int64, content []byte) error {
		if number != j.number+1 {
			return fmt.Errorf("entry %d is missing", j.number+1)
		}
		e, err := parseEntry(content)
		if err == nil {
			err = add(e)
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", number, err)
		}
		j.number = number
		return nil
	})
	if err != nil {
		return fmt.Errorf("journal of the office: %w", err)
	}
	return nil
}

// appendEntry makes an entry durable. If the outcome is unknown, the next catchUp finds the entry or another in its place.
func (j *rowJournal) appendEntry(ctx context.Context, e entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if len(b) >= maxLine {
		return fmt.Errorf("a line of %d bytes is too long for the journal of the office", len(b))
	}
	err = j.rows.AddEntry(ctx, j.number+1, b, e.At)
	if errors.Is(err, ErrTaken) {
		return errBehind
	}
	if err != nil {
		return fmt.Errorf("write journal of the office: %w", err)
	}
	j.number++
	return nil
}

func (*rowJournal) close() error { return nil }

// CopyJournal copies the journal of a folder to a table that has the first entries of it, or none, and returns how many entries it has. No office may
// have either of them open. A folder that does not exist has no entries.
func CopyJournal(ctx context.Context, rows Rows, dir string) (n int64, err error) {
	f, err := os.Open(filepath.Join(dir, "journal.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("journal of the office: %w", err)
	}
	defer f.Close()
	there := map[int64][]byte{}
	if err := rows.ReadEntries(ctx, 0, func(number int64, content []byte) error { there[number] = content; return nil }); err != nil {
		return 0, err
	}
	in := bufio.NewReaderSize(f, maxLine)
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) { // an unfinished line belongs to no answer
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("journal of the office: %w", err)
		}
		if first {
			if err := parseHeader(line); err != nil {
				return n, fmt.Errorf("journal of the office: %w", err)
			}
			continue
		}
		n++
		content := bytes.Clone(bytes.TrimSuffix(line, []byte("\n")))
		e, err := parseEntry(content)
		if err != nil {
			return n, fmt.Errorf("journal of the office: line %d: %w", n+1, err)
		}
		if before, ok := there[n]; ok {
			if !bytes.Equal(before, content) {
				return n, fmt.Errorf("entry %d in the table is not line %d of the journal in %s", n, n+1, dir)
			}
			continue
		}
		if err := rows.AddEntry(ctx, n, content, e.At); err != nil {
			return n, err
		}
	}
}

// WriteJournal copies the journal of a table to a folder whose journal has the first entries of it, or none, and returns how many entries it has. No office may
// have either of them open. Durable on return; after a crash the folder has the first entries, and a repetition adds the others.
func WriteJournal(ctx context.Context, rows Rows, dir string) (n int64, err error) {
	var lines [][]byte
	err = rows.ReadEntries(ctx, 0, func(number int64, content []byte) error {
		if number != int64(len(lines))+1 {
			return fmt.Errorf("entry %d is missing", len(lines)+1)
		}
		if _, err := parseEntry(content); err != nil || bytes.ContainsRune(content, '\n') || len(content) >= maxLine {
			return fmt.Errorf("entry %d is not a line of a journal: %w", number, err)
		}
		lines = append(lines, append(bytes.Clone(content), '\n'))
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("journal of the office: %w", err)
	}
	name := filepath.Join(dir, "journal.jsonl")
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) && len(lines) == 0 {
		return 0, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("folder of the office: %w", err)
	}
	folder, err := lockFolder(dir)
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 0, fmt.Errorf("journal of the office: %w", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = fmt.Errorf("journal of the office in %s: %w", dir, err)
		}
	}()
	there, size, err := compareLines(f, lines)
	if err == nil {
		err = f.Truncate(size) // an unfinished line belongs to no answer
	}
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriter(f)
	if size == 0 {
		if err := json.NewEncoder(out).Encode(header{journalVersion}); err != nil {
			return 0, err
		}
	}
	for _, line := range lines[there:] {
		if _, err := out.Write(line); err != nil {
			return 0, err
		}
	}
	if err := errors.Join(out.Flush(), f.Sync(), folder.Sync(), durable.SyncDir(filepath.Dir(dir))); err != nil {
		return 0, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	there, _, err = compareLines(f, lines)
	if err == nil && there != len(lines) {
		err = fmt.Errorf("%d of %d entries were written", there, len(lines))
	}
	return int64(there), err
}

// compareLines requires that the whole lines of a journal after the first one are the first of those lines, and returns how many there are, and how many bytes they take with the first.
func compareLines(journal io.Reader, lines [][]byte) (n int, size int64, err error) {
	in := bufio.NewReaderSize(journal, maxLine)
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return n, size, nil
		}
		if err != nil {
			return n, size, err
		}
		size += int64(len(line))
		if first {
			if err := parseHeader(line); err != nil {
				return n, size, err
			}
			continue
		}
		if n == len(lines) || !bytes.Equal(line, lines[n]) {
			return n, size, fmt.Errorf("line %d is not entry %d of the table: move the folder aside", n+2, n+1)
		}
		n++
	}
}
