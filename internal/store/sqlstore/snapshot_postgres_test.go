package sqlstore

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// readSnapshot reads a snapshot of tables as a list of its tables, each with its rows behind its name.
func readSnapshot(from io.Reader) (tables []string, end tableHead, err error) {
	end, err = readTables(from, func(table tableHead, rows io.Reader) error {
		all, err := io.ReadAll(rows)
		tables = append(tables, table.Table+" "+strings.Join(table.Columns, ",")+"\n"+string(all))
		return err
	})
	return tables, end, err
}

func TestTheSampleSnapshotOfTablesIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	sample, err := os.Open("testdata/formats/tables-1.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer sample.Close()
	tables, end, err := readSnapshot(sample)
	if want := []string{"label id,name\n1\tSewa\\tkantor\n2\t\\N\n", "quota organisation\n"}; err != nil || !slices.Equal(tables, want) {
		t.Errorf("%q, %v, want %q", tables, err, want)
	}
	if end.Tables != 2 || end.Sequences["event_number_seq"] != 41 || len(end.Sequences) != 1 {
		t.Errorf("its end is %+v", end)
	}
}

// TestALineThatDescribesATableIsBounded reads what no snapshot has: a compressed backup may be a thousand times as long as its file.
func TestALineThatDescribesATableIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 2*maxTableHead)
	for _, s := range []string{long, tablesVersion + long, tablesVersion + `{"table":"` + long + `"}` + "\n"} {
		if tables, _, err := readSnapshot(strings.NewReader(s)); !errors.Is(err, errTables) || len(tables) != 0 {
			t.Errorf("%.40q: %d tables, %v", s, len(tables), err)
		}
	}
	// A row is longer than that.
	s := tablesVersion + `{"table":"t","columns":["a"]}` + "\n" + long + "\n" + endOfRows + `{"end":true,"tables":1}` + "\n"
	if tables, _, err := readSnapshot(strings.NewReader(s)); err != nil || len(tables) != 1 || len(tables[0]) != len("t a\n")+len(long)+1 {
		t.Errorf("a long row: %d tables, %v", len(tables), err)
	}
}

func FuzzSnapshotsOfTablesAreReadOrRefused(f *testing.F) {
	sample, err := os.ReadFile("testdata/formats/tables-1.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{string(sample), tablesVersion, tablesVersion + `{"end":true}` + "\n", tablesVersion + `{"table":"t"}` + "\n1\n", tablesVersion + `{"table":"t"}` + "\n" + endOfRows, "segel-tables-2\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		tables, end, err := readSnapshot(bytes.NewReader(content))
		if err != nil {
			return
		}
		if end.Tables != len(tables) || !end.End {
			t.Errorf("%d tables, and its end is %+v", len(tables), end)
		}
		for _, one := range tables {
			if _, rows, _ := strings.Cut(one, "\n"); strings.HasPrefix(rows, endOfRows) || strings.Contains(rows, "\n"+endOfRows) {
				t.Errorf("rows have the line that ends them: %q", rows)
			}
		}
	})
}
