package peruri

import (
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
	"strings"
	"sync"
	"time"

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

// recordStore stores what the office returned with serials, one file for each, and returned files that were not
// accepted. A record is durable when storeRecord returns, unless its content can be fetched again: then it survives a
// kill, but perhaps not a power failure. When its stamp was returned a record is renamed, because the stamp may be
// requested again, and it is deleted after recordRetention.
type recordStore struct {
	serials, evidence *os.Root
	replaceable       bool // the content of records can be fetched from the office again at no cost

	mu     sync.Mutex // guards recent
	cached map[string]record
}

const (
	recordRetention = 30 * 24 * time.Hour
	recordSuffix    = ".json"
	retiredSuffix   = ".done"

	// Records that wait for their stamps are also cached in memory, within these limits.
	maxCached        = 500
	maxCachedPicture = 16 << 10 // bytes
)

func openRecordStore(serials, evidence string, again bool, now time.Time) (*recordStore, error) {
	k := &recordStore{replaceable: again, cached: map[string]record{}}
	var err error
	if k.serials, err = openFolder(serials); err != nil {
		return nil, fmt.Errorf("folder of pictures: %w", err)
	}
	if k.evidence, err = openFolder(evidence); err != nil {
		return nil, errors.Join(fmt.Errorf("quarantine: %w", err), k.serials.Close())
	}
	removeOldFiles(k.serials, func(name string) bool { return strings.HasSuffix(name, retiredSuffix) }, now.Add(-recordRetention))
	return k, nil
}

func openFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

func (k *recordStore) close() error { return errors.Join(k.serials.Close(), k.evidence.Close()) }

func (k *recordStore) storeRecord(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	defer k.cacheRecord(r)
	sync, syncNames := (*os.File).Sync, syncFolder
	if k.replaceable {
		sync, syncNames = nil, func(*os.Root) error { return nil }
	}
	name, fill := r.Serial+recordSuffix, func(w io.Writer) error { _, err := w.Write(b); return err }
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
		delete(k.cached, other) // any one: it can be read from its file
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

// dropCached removes a record from the cache; its file stays.
func (k *recordStore) dropCached(serial string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.cached, serial)
}

// findRecord returns what is known about a serial, which may be only its number. Its slices must not be changed.
func (k *recordStore) findRecord(serial string) record {
	if r, ok := k.cachedRecord(serial); ok {
		return r
	}
	for _, end := range []string{recordSuffix, retiredSuffix} {
		var r record
		b, err := k.serials.ReadFile(serial + end)
		if err == nil && json.Unmarshal(b, &r) == nil && r.Serial == serial {
			return r
		}
	}
	return record{Serial: serial}
}

// retireRecord renames a record whose stamp was returned, so that it is deleted later.
func (k *recordStore) retireRecord(serial string, now time.Time) {
	k.dropCached(serial)
	if k.serials.Rename(serial+recordSuffix, serial+retiredSuffix) == nil {
		_ = k.serials.Chtimes(serial+retiredSuffix, now, now)
	}
}

// storeEvidence stores a copy of a returned file that was not accepted.
func (k *recordStore) storeEvidence(serial string, f *os.File, size int64, random io.Reader) (path string, err error) {
	var b [4]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	name := serial + "-" + hex.EncodeToString(b[:]) + ".pdf"
	err = createFile(k.evidence, name, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, size))
		return err
	}, (*os.File).Sync)
	return name, errors.Join(err, syncFolder(k.evidence))
}

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
	if !serialForm.MatchString(serial) {
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
	rec := d.records.findRecord(serial)
	if rec.Picture != nil {
		return rec.Picture, nil
	}
	if d.o.Picture == "" {
		return nil, &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodePicture,
			Text: fmt.Sprintf("the picture of serial %s was lost with the answer that contained it, and the adapter needs it; ask the office for it", serial)}
	}
	err := d.queryOffice(ctx, "qrimage", http.MethodGet, func(accessToken) string {
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
	if err := d.records.storeRecord(rec); err != nil {
		d.o.Log.ErrorContext(ctx, "picture of a serial could not be stored", "serial", serial, "error", err)
	}
	return rec.Picture, nil
}
