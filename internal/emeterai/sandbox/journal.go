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

// journalVersion is in the first line of a journal.
const journalVersion = 1

// maxLine bounds a line in bytes; one with certificates takes some thousands.
const maxLine = 1 << 20

// header is the first line.
type header struct {
	Office int `json:"office"`
}

// entryKind says what happened. Values are stored permanently.
type entryKind string

const (
	entryCredential entryKind = "credential" // the office's key and certificates, from then on
	entryTaken      entryKind = "taken"      // a serial was issued for an order
	entryAffixed    entryKind = "affixed"    // a serial belongs to a source from now on
)

// entry is any other line.
type entry struct {
	Is      entryKind `json:"is"`
	At      time.Time `json:"at"`
	Order   string    `json:"order,omitempty"`
	Payer   string    `json:"payer,omitempty"`   // identifier of who pays
	Account string    `json:"account,omitempty"` // user that took it over the protocol, instead of an order
	File    string    `json:"file,omitempty"`    // name that it was taken for
	Serial  string    `json:"serial,omitempty"`
	Source  string    `json:"source,omitempty"` // SHA-256 of the source, hexadecimal
	Key     []byte    `json:"key,omitempty"`    // PKCS #8, sealed
	Chain   [][]byte  `json:"chain,omitempty"`  // DER, leaf first
}

// recorder records what an office did.
type recorder interface {
	// catchUp passes the entries that other offices appended since the last call to add, oldest first.
	catchUp(ctx context.Context, add func(entry) error) error

	// appendEntry makes an entry durable. After errBehind nothing was written: another office appended an entry that has to be
	// considered first.
	appendEntry(ctx context.Context, e entry) error

	close() error
}

// errBehind is a decision that did not consider what another office has recorded since.
var errBehind = errors.New("another office recorded something first")

// journal is an append-only file of lines. A line is there once its bytes and the file's name are synced.
type journal struct {
	folder *os.File // locked while it is open; nil: only read
	file   appendable
	size   int64 // of the whole lines
	broken error // why the file may hold more than size bytes; the next append cuts it off first
}

// appendable is what a journal needs of its file.
type appendable interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// ErrInUse means that the office's folder is already open, in this process or another one.
var ErrInUse = errors.New("the stamp office is in use")

// openJournal opens the journal of a folder, creates both if needed, and passes each entry to add, oldest first. The
// folder is locked until the journal is closed: two offices that append would issue two serials for one order.
//
// An unfinished last line was never acknowledged: the power failed while it was written. It is cut off.
func openJournal(dir string, add func(entry) error) (j *journal, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of the office: %w", err)
	}
	folder, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal of the office: %w", err), folder.Close())
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("journal of the office: %w", err), f.Close(), folder.Close())
			j = nil
		}
	}()
	j = &journal{folder: folder, file: f}
	if j.size, err = replayJournal(f, add); err != nil {
		return nil, err
	}
	if err := f.Truncate(j.size); err != nil {
		return nil, fmt.Errorf("cut off the unfinished line: %w", err)
	}
	if j.size == 0 {
		if err := j.writeLine(header{journalVersion}); err != nil {
			return nil, err
		}
	}
	// The last line may be one whose sync failed. From now on it counts as acknowledged.
	return j, errors.Join(f.Sync(), folder.Sync())
}

// readJournal passes each entry of a folder's journal to add, oldest first, also if another process has the folder
// open. Nothing can be appended to the journal that it returns. A line that is being written at the same time is not
// included.
func readJournal(dir string, add func(entry) error) (*journal, error) {
	f, err := os.Open(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("journal of the office: %w", err)
	}
	defer f.Close()
	j := &journal{file: readOnlyFile{}}
	if j.size, err = replayJournal(f, add); err != nil {
		return nil, fmt.Errorf("journal of the office: %w", err)
	}
	return j, nil
}

// readOnlyFile is the file of a journal that is only read.
type readOnlyFile struct{}

func (readOnlyFile) Write([]byte) (int, error) { return 0, ErrInUse }
func (readOnlyFile) Truncate(int64) error      { return ErrInUse }
func (readOnlyFile) Sync() error               { return ErrInUse }
func (readOnlyFile) Close() error              { return nil }

// replayJournal reads the whole lines of a journal and returns how many bytes they take.
func replayJournal(r io.Reader, add func(entry) error) (int64, error) {
	in := bufio.NewReaderSize(r, maxLine)
	var size int64
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err == nil {
			err = replayLine(n, line, add)
		}
		if err != nil {
			return 0, fmt.Errorf("line %d: %w", n, err)
		}
		size += int64(len(line))
	}
}

func replayLine(n int, line []byte, add func(entry) error) error {
	if n == 1 {
		return parseHeader(line)
	}
	e, err := parseEntry(line)
	if err != nil {
		return err
	}
	return add(e)
}

// parseHeader requires that the first line has a version that this program knows.
func parseHeader(line []byte) error {
	var h header
	if err := parseLine(line, &h); err != nil {
		return err
	}
	if h.Office != journalVersion {
		return fmt.Errorf("version %d is not known to this program", h.Office)
	}
	return nil
}

func parseEntry(line []byte) (e entry, err error) { return e, parseLine(line, &e) }

// parseLine parses a line, which has one value with members that are known.
func parseLine(line []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its value")
	}
	return nil
}

// catchUp has nothing to do: no other office appends to a folder that is locked, and one that is only read is not followed.
func (*journal) catchUp(context.Context, func(entry) error) error { return nil }

// appendEntry makes an entry durable. After an error it is unknown how much of it is in the file: nothing more is
// appended until the remainder is cut off and the file is synced again, which every later append tries first. What is
// cut off was never acknowledged; all before it was synced.
func (j *journal) appendEntry(_ context.Context, e entry) error { return j.writeLine(e) }

func (j *journal) writeLine(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if b = append(b, '\n'); len(b) > maxLine {
		return fmt.Errorf("a line of %d bytes is too long for the journal of the office", len(b))
	}
	if err := j.cutBrokenTail(); err != nil {
		return fmt.Errorf("cut broken tail of the journal: %w", err)
	}
	if _, err = j.file.Write(b); err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.broken = err
		// Now, if it can be: a line that was never answered for must not be found after a crash.
		return fmt.Errorf("write journal of the office: %w", errors.Join(err, j.cutBrokenTail()))
	}
	j.size += int64(len(b))
	return nil
}

// cutBrokenTail cuts off what a failed append may have left.
func (j *journal) cutBrokenTail() error {
	if j.broken == nil {
		return nil
	}
	if err := j.file.Truncate(j.size); err != nil {
		return errors.Join(j.broken, err)
	}
	if err := j.file.Sync(); err != nil {
		return errors.Join(j.broken, err)
	}
	j.broken = nil
	return nil
}

// close closes the file, then the folder.
func (j *journal) close() error {
	if j.folder == nil {
		return j.file.Close()
	}
	return errors.Join(j.file.Close(), j.folder.Close())
}

// A program that this process starts holds the lock for the moment between fork and exec.
const (
	lockTries = 10
	lockPause = 20 * time.Millisecond
)

// lockFolder opens and locks a folder. The lock ends with the file, and so with the process at the latest.
func lockFolder(dir string) (*os.File, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of the office: %w", err)
	}
	for range lockTries {
		locked, err := durable.Lock(d)
		if locked {
			return d, nil
		}
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		time.Sleep(lockPause)
	}
	return nil, errors.Join(fmt.Errorf("%w: another has %s open", ErrInUse, dir), d.Close())
}
