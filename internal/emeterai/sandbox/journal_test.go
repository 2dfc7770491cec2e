package sandbox

import (
	"context"
	"errors"
	"testing"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
)

// faulty is a file whose next calls fail. A write that fails leaves half its bytes.
type faulty struct {
	appendable
	write, sync, truncate bool
}

func (f *faulty) Write(b []byte) (int, error) {
	if !f.write {
		return f.appendable.Write(b)
	}
	n, err := f.appendable.Write(b[:len(b)/2])
	return n, errors.Join(errBroken, err)
}

func (f *faulty) Sync() error {
	if f.sync {
		return errBroken
	}
	return f.appendable.Sync()
}

func (f *faulty) Truncate(size int64) error {
	if f.truncate {
		return errBroken
	}
	return f.appendable.Truncate(size)
}

func TestFailedJournalIssuesNothingUntilTheDiskWorksAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faulty{
		"half a line":              {write: true},
		"half a line that remains": {write: true, truncate: true},
		"no sync":                  {sync: true},
		"no sync, whole line":      {sync: true, truncate: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, o := t.TempDir(), officeOptions(t)
			f := openOffice(t, dir, o)
			first := emeteraitest.BuySerial(t, f, "a")
			j := f.journal.(*journal)
			fault.appendable = j.file
			j.file = &fault
			refusesOrder(t, f, "b")
			refusesOrder(t, f, "c")
			if emeteraitest.BuySerial(t, f, "a") != first {
				t.Error("what was issued is not known")
			}
			j.file = fault.appendable // the disk works again
			second := emeteraitest.BuySerial(t, f, "b")
			closeOffice(t, f)

			f = openOffice(t, dir, o)
			if emeteraitest.BuySerial(t, f, "a") != first || emeteraitest.BuySerial(t, f, "b") != second {
				t.Error("an order has another serial now")
			}
			if all, err := f.ListSerials(context.Background()); err != nil || len(all) != 2 {
				t.Errorf("the journal holds %v: %v", all, err)
			}
			emeteraitest.BuySerial(t, f, "c")
		})
	}
}

func refusesOrder(t *testing.T, f *Office, order string) {
	t.Helper()
	if _, err := f.BuySerial(context.Background(), emeteraitest.NewOrder(order)); emeterai.ClassOf(err) != emeterai.Transient || !errors.Is(err, errBroken) {
		t.Errorf("order %s: %v", order, err)
	}
}

func TestLineTooLongToBeReadIsNotWritten(t *testing.T) {
	t.Parallel()
	f := openOffice(t, t.TempDir(), officeOptions(t))
	if err := f.journal.appendEntry(t.Context(), entry{Is: entryCredential, Key: make([]byte, maxLine)}); err == nil {
		t.Error("written")
	}
	emeteraitest.BuySerial(t, f, "a")
}
