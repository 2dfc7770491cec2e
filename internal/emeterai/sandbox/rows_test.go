package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/emeterai/emeteraitest"
)

// memoryRows is a journal in memory.
type memoryRows struct{ entries [][]byte }

func (r *memoryRows) ReadEntries(_ context.Context, after int64, yield func(int64, []byte) error) error {
	for i, content := range r.entries {
		if n := int64(i) + 1; n > after {
			if err := yield(n, content); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *memoryRows) AddEntry(_ context.Context, number int64, content []byte, _ time.Time) error {
	if number != int64(len(r.entries))+1 {
		return ErrTaken
	}
	r.entries = append(r.entries, content)
	return nil
}

func TestAJournalIsWrittenToAFolderThatHasItsFirstEntries(t *testing.T) {
	t.Parallel()
	rows, o, dir := &memoryRows{}, officeOptions(t), filepath.Join(t.TempDir(), "office")
	write := func() error {
		n, err := WriteJournal(t.Context(), rows, dir)
		if err == nil && n != int64(len(rows.entries)) {
			t.Errorf("%d of %d entries are written", n, len(rows.entries))
		}
		return err
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a journal without entries has a folder")
	}
	office, err := OpenRows(t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	first := emeteraitest.BuySerial(t, office, "a")
	if err := write(); err != nil {
		t.Fatal(err)
	}
	second := emeteraitest.BuySerial(t, office, "b")
	name := filepath.Join(dir, "journal.jsonl")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for end := range whole { // where an earlier run may have ended
		if err := os.WriteFile(name, whole[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		if end%97 != 0 {
			continue
		}
		if err := write(); err != nil {
			t.Fatalf("after %d bytes: %v", end, err)
		}
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	copied := openOffice(t, dir, o)
	if emeteraitest.BuySerial(t, copied, "a") != first || emeteraitest.BuySerial(t, copied, "b") != second {
		t.Error("an order has another serial now")
	}
	if err := write(); err == nil || !strings.Contains(err.Error(), ErrInUse.Error()) {
		t.Errorf("to a folder that is open: %v", err)
	}
	emeteraitest.BuySerial(t, copied, "c")
	closeOffice(t, copied)
	if err := write(); err == nil || !strings.Contains(err.Error(), "is not entry") {
		t.Errorf("to a folder that has more: %v", err)
	}
	if err := os.WriteFile(name, append(whole, "{}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(); err == nil || !strings.Contains(err.Error(), "is not entry") {
		t.Errorf("to a folder that has another entry: %v", err)
	}
}
