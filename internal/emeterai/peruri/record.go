package peruri

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"segel/internal/durable"
	"segel/internal/emeterai"
)

// record is what the office returned with a serial and is needed to affix it.
type record struct {
	Serial   string `json:"serial"`
	Picture  []byte `json:"picture,omitempty"`  // for the adapter
	Code     string `json:"code,omitempty"`     // the office's name of the picture, cloud form
	Document string `json:"document,omitempty"` // the office's identifier of the uploaded file, cloud form
	Digest   string `json:"digest,omitempty"`   // SHA-256 of that file, hexadecimal
}

// Records holds what the office returned with serials: in a folder of the driver, or in a table that several drivers of one account share.
type Records interface {
	// StoreRecord stores the record of a serial, in place of an earlier one, and takes it back if it was retired. Durable on return, unless
	// the implementation says that content can be fetched again.
	StoreRecord(ctx context.Context, serial string, content []byte) error

	// FindRecord returns the record of a serial, also if it was retired; nil if there is none.
	FindRecord(ctx context.Context, serial string) ([]byte, error)

	// RetireRecord lets RemoveRetired remove the record, if there is one.
	RetireRecord(ctx context.Context, serial string, at time.Time) error

	// RemoveRetired removes the records that were retired before that moment.
	RemoveRetired(ctx context.Context, before time.Time) error

	Close() error
}

// recordStore stores what the office returned with serials, and returned files that were not accepted. When its stamp was returned a
// record is retired, because the stamp may be requested again, and it is deleted after recordRetention.
type recordStore struct {
	records   Records
	evidence  *os.Root
	temporary bool // the caller stores returned files; those here are removed when they were read

	mu     sync.Mutex // guards cached
	cached map[string]record
}

const (
	recordRetention   = 30 * 24 * time.Hour
	temporaryLifetime = 24 * time.Hour
	recordSuffix      = ".json"
	retiredSuffix     = ".done"

	// Records that wait for their stamps are also cached in memory, within these limits.
	maxCached        = 500
	maxCachedPicture = 16 << 10 // bytes
)

// openRecordStore opens the records of a driver. Without shared ones they are files in the driver's folder, as are the returned files.
func openRecordStore(dir string, shared Records, again bool, now time.Time) (*recordStore, error) {
	k := &recordStore{records: shared, temporary: shared != nil, cached: map[string]record{}}
	var err error
	evidence := "quarantine"
	if k.temporary {
		evidence = "returned"
	} else if k.records, err = OpenFolder(dir, again); err != nil {
		return nil, err
	}
	if k.evidence, err = openFolder(filepath.Join(dir, evidence)); err != nil {
		return nil, errors.Join(fmt.Errorf("quarantine: %w", err), k.records.Close())
	}
	if k.temporary { // what a kill left
		removeOldFiles(k.evidence, func(string) bool { return true }, now.Add(-temporaryLifetime))
	}
	if err := k.records.RemoveRetired(context.Background(), now.Add(-recordRetention)); err != nil {
		return nil, errors.Join(err, k.close())
	}
	return k, nil
}

func openFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

func (k *recordStore) close() error { return errors.Join(k.records.Close(), k.evidence.Close()) }

func (k *recordStore) storeRecord(ctx context.Context, r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	defer k.cacheRecord(r)
	return k.records.StoreRecord(ctx, r.Serial, b)
}

// folderRecords is Records as one file for each serial. With replaceable content a record survives a kill, but perhaps not a power
// failure.
type folderRecords struct {
	serials     *os.Root
	replaceable bool
}

// OpenFolder opens the records in the folder of a driver. Again says that the content of records can be fetched from the office again at
// no cost.
func OpenFolder(dir string, again bool) (Records, error) {
	serials, err := openFolder(filepath.Join(dir, "serials"))
	if err != nil {
		return nil, fmt.Errorf("folder of pictures: %w", err)
	}
	return &folderRecords{serials, again}, nil
}

func (k *folderRecords) Close() error { return k.serials.Close() }

func (k *folderRecords) StoreRecord(_ context.Context, serial string, b []byte) error {
	sync, syncNames := (*os.File).Sync, syncFolder
	if k.replaceable {
		sync, syncNames = nil, func(*os.Root) error { return nil }
	}
	name, fill := serial+recordSuffix, func(w io.Writer) error { _, err := w.Write(b); return err }
	// A new record does not need a temporary name: half a record after a power failure reads as unknown, as if the
	// power had failed earlier. And syncing the folder takes less time than after a rename.
	if _, err := k.serials.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		if err := createFile(k.serials, name, fill, sync); err != nil {
			return err
		}
		return syncNames(k.serials)
	}
	if err := createFile(k.serials, name+".new", fill, sync); err != nil {
		return err
	}
	if err := k.serials.Rename(name+".new", name); err != nil {
		return err
	}
	return syncNames(k.serials)
}

// FindRecord returns nil also for half a record: the caller asks the office.
func (k *folderRecords) FindRecord(_ context.Context, serial string) ([]byte, error) {
	for _, end := range []string{recordSuffix, retiredSuffix} {
		b, err := k.serials.ReadFile(serial + end)
		if err == nil && json.Valid(b) {
			return b, nil
		}
	}
	return nil, nil
}

func (k *folderRecords) RetireRecord(_ context.Context, serial string, at time.Time) error {
	err := k.serials.Rename(serial+recordSuffix, serial+retiredSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return k.serials.Chtimes(serial+retiredSuffix, at, at)
}

func (k *folderRecords) RemoveRetired(_ context.Context, before time.Time) error {
	removeOldFiles(k.serials, func(name string) bool { return strings.HasSuffix(name, retiredSuffix) }, before)
	return nil
}

// CopyRecords copies the records in the folder of a driver, which no driver may have open, and returns how many there are. Records that
// were retired keep their time. Half a record is left out. A folder that does not exist has none.
func CopyRecords(ctx context.Context, to Records, dir string) (n int, err error) {
	all, err := os.ReadDir(filepath.Join(dir, "serials"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	from, err := os.OpenRoot(filepath.Join(dir, "serials"))
	if err != nil {
		return 0, err
	}
	defer from.Close()
	// In their order a record that waits comes after one of its serial that was retired.
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(filepath.Ext(a.Name()), filepath.Ext(b.Name())) })
	for _, e := range all {
		end := filepath.Ext(e.Name())
		if end != recordSuffix && end != retiredSuffix {
			continue
		}
		b, err := from.ReadFile(e.Name())
		if err != nil {
			return n, err
		}
		var r record
		serial := strings.TrimSuffix(e.Name(), end)
		if json.Unmarshal(b, &r) != nil || r.Serial != serial {
			continue
		}
		if err := to.StoreRecord(ctx, serial, b); err != nil {
			return n, err
		}
		if end == retiredSuffix {
			info, err := e.Info()
			if err == nil {
				err = to.RetireRecord(ctx, serial, info.ModTime())
			}
			if err != nil {
				return n, err
			}
		}
		n++
	}
	return n, nil
}

// WriteRecords copies records to the folder of a driver, which no driver may have open, and returns how many there are. Each calls yield with every record; retiredAt is zero if
// it was not retired. Records of the folder that each does not name are retired: they were copied from there, and removed since.
//
// Durable on return; after a crash the folder has some of them, and a repetition adds the others.
func WriteRecords(ctx context.Context, dir string, each func(yield func(serial string, content []byte, retiredAt time.Time) error) error, now time.Time) (n int, err error) {
	serials := filepath.Join(dir, "serials")
	named := map[string]bool{}
	to, err := OpenFolder(dir, false)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	err = each(func(serial string, content []byte, retiredAt time.Time) error {
		if filepath.Base(serial) != serial {
			return fmt.Errorf("a record has the serial %q, which is not the name of a file", serial)
		}
		if err := to.StoreRecord(ctx, serial, content); err != nil {
			return err
		}
		if !retiredAt.IsZero() {
			if err := to.RetireRecord(ctx, serial, retiredAt); err != nil {
				return err
			}
		}
		there, err := to.FindRecord(ctx, serial)
		if err == nil && !bytes.Equal(there, content) {
			err = fmt.Errorf("what the office returned with serial %s is not in %s as it was written", serial, serials)
		}
		named[serial] = true
		return err
	})
	if err != nil {
		return len(named), err
	}
	all, err := os.ReadDir(serials)
	if err != nil {
		return len(named), err
	}
	for _, e := range all {
		serial, isRecord := strings.CutSuffix(e.Name(), recordSuffix)
		if isRecord && !named[serial] {
			if err := to.RetireRecord(ctx, serial, now); err != nil {
				return len(named), err
			}
		}
	}
	for _, of := range []string{serials, dir, filepath.Dir(dir)} {
		if err := durable.SyncDir(of); err != nil {
			return len(named), err
		}
	}
	return len(named), nil
}

// cacheRecord caches a record until its stamp is returned.
func (k *recordStore) cacheRecord(r record) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.cached, r.Serial)
	if len(r.Picture) > maxCachedPicture {
		return
	}
	for other := range k.cached {
		if len(k.cached) < maxCached {
			break
		}
		delete(k.cached, other) // any one: it is stored too
	}
	k.cached[r.Serial] = r
}

// cachedRecord returns a record from the cache.
func (k *recordStore) cachedRecord(serial string) (record, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.cached[serial]
	return r, ok
}

// dropCached removes a record from the cache; it stays stored.
func (k *recordStore) dropCached(serial string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.cached, serial)
}

// findRecord returns what is known about a serial, which may be only its number. Its slices must not be changed. An error says nothing
// about what is stored.
func (k *recordStore) findRecord(ctx context.Context, serial string) (record, error) {
	if r, ok := k.cachedRecord(serial); ok {
		return r, nil
	}
	b, err := k.records.FindRecord(ctx, serial)
	if err != nil {
		return record{}, err
	}
	var r record
	if json.Unmarshal(b, &r) == nil && r.Serial == serial {
		return r, nil
	}
	return record{Serial: serial}, nil
}

// retireRecord retires a record whose stamp was returned, so that it is deleted later. If that fails, it is kept.
func (k *recordStore) retireRecord(ctx context.Context, serial string, now time.Time) {
	k.dropCached(serial)
	_ = k.records.RetireRecord(ctx, serial, now)
}

// storeEvidence stores a copy of a returned file that was not accepted. Path is empty if the copy is removed after it was read: the caller
// stores it, and if that fails the office returns it again.
func (k *recordStore) storeEvidence(serial string, file, random io.Reader) (path string, open func() (io.ReadCloser, error), err error) {
	var b [4]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", nil, err
	}
	name := serial + "-" + hex.EncodeToString(b[:]) + ".pdf"
	err = createFile(k.evidence, name, func(w io.Writer) error {
		_, err := io.Copy(w, file)
		return err
	}, (*os.File).Sync)
	open = func() (io.ReadCloser, error) { return k.evidence.Open(name) }
	if k.temporary {
		return "", func() (io.ReadCloser, error) {
			f, err := k.evidence.Open(name)
			return temporaryFile{f, k.evidence, name}, err
		}, err
	}
	return filepath.Join(k.evidence.Name(), name), open, errors.Join(err, syncFolder(k.evidence))
}

// temporaryFile is removed when it is closed.
type temporaryFile struct {
	*os.File
	in   *os.Root
	name string
}

func (f temporaryFile) Close() error { return errors.Join(f.File.Close(), f.in.Remove(f.name)) }

// createFile writes a file that only this user can read. Last, if not nil, is called before it is closed.
func createFile(in *os.Root, name string, fill func(io.Writer) error, last func(*os.File) error) error {
	f, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return fillFile(in, name, f, fill, last)
}

// fillFile writes the content of a file and closes it. An incomplete file is removed.
func fillFile(in *os.Root, name string, f *os.File, fill func(io.Writer) error, last func(*os.File) error) error {
	err := fill(f)
	if err == nil && last != nil {
		err = last(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, in.Remove(name))
	}
	return nil
}

func syncFolder(r *os.Root) error {
	d, err := r.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// removeOldFiles removes files with these names that were last changed before that time. What cannot be removed is
// tried again next time.
func removeOldFiles(in *os.Root, ours func(name string) bool, before time.Time) {
	_ = fs.WalkDir(in.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && path != "." {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && ours(e.Name()) && info.ModTime().Before(before) {
			_ = in.Remove(path)
		}
		return nil
	})
}

// CheckAffixable implements [emeterai.Stamper].
func (d *Driver) CheckAffixable(ctx context.Context, serial string) error {
	if !serialForm().MatchString(serial) {
		return unknownSerial(serial)
	}
	if d.o.Form == Cloud {
		return nil // the office has its picture
	}
	_, err := d.loadPicture(ctx, serial)
	return err
}

// loadPicture returns the stored picture of a serial, or fetches it again if possible.
func (d *Driver) loadPicture(ctx context.Context, serial string) ([]byte, error) {
	rec, err := d.records.findRecord(ctx, serial)
	if err != nil {
		return nil, fileProblem(err)
	}
	if rec.Picture != nil {
		return rec.Picture, nil
	}
	if d.o.Picture == "" {
		return nil, &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodePicture,
			Text: fmt.Sprintf("the picture of serial %s was lost with the answer that contained it, and the adapter needs it; ask the office for it", serial)}
	}
	err = d.queryOffice(ctx, "qrimage", http.MethodGet, func(accessToken) string {
		return d.o.SerialURL + strings.ReplaceAll(d.o.Picture, "{serial}", url.QueryEscape(serial))
	}, answerLimit, func(b []byte) error {
		got, err := parseBoughtSerial(b)
		if err != nil {
			return err
		}
		if got.serial != serial || got.picture == nil {
			return fmt.Errorf("%w: no picture of serial %s", errMalformedAnswer, serial)
		}
		rec.Picture = got.picture
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.records.storeRecord(ctx, rec); err != nil {
		d.o.Log.ErrorContext(ctx, "picture of a serial could not be stored", "serial", serial, "error", err)
	}
	return rec.Picture, nil
}
