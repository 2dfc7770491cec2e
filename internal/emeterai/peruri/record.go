package peruri

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// record is what came with a serial and is needed to affix it.
type record struct {
	Serial   string `json:"serial"`
	Picture  []byte `json:"picture,omitempty"`  // for the adapter
	Code     string `json:"code,omitempty"`     // the office's name of the picture, cloud form
	Document string `json:"document,omitempty"` // the office's identifier of the uploaded file, cloud form
	Digest   string `json:"digest,omitempty"`   // SHA-256 of that file, hexadecimal
}

// recordStore holds what came with serials, one file each, and files that were not accepted. A record is durable when put
// returns, unless what it holds can be had again: then a kill leaves it, and a power cut may not. One whose stamp was
// returned goes on under another name, since the stamp may be asked for again, and is removed after doneKept.
type recordStore struct {
	serials, evidence *os.Root
	replaceable       bool // what a record holds can be had from the office again, for nothing

	mu     sync.Mutex // guards recent
	cached map[string]record
}

const (
	recordRetention = 30 * 24 * time.Hour
	recordSuffix    = ".json"
	retiredSuffix   = ".done"

	// Records that wait for their stamps are in memory too, as far as these bounds let them.
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
	// A new one needs no other name first: of what a power cut leaves half written get says that nothing is known, as if
	// the cut had come sooner. Nor does the folder take as long to sync as behind a rename.
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

// cacheRecord has a record at hand until its stamp is returned.
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
		delete(k.cached, other) // whichever: it is read from its file
	}
	k.cached[r.Serial] = r
}

// cachedRecord returns a record that is at hand.
func (k *recordStore) cachedRecord(serial string) (record, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.cached[serial]
	return r, ok
}

// dropCached lets go of a record at hand; its file stays.
func (k *recordStore) dropCached(serial string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.cached, serial)
}

// findRecord returns what is known of a serial, which may be nothing but its number. Its slices are not to be changed.
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

// retireRecord lets a record age.
func (k *recordStore) retireRecord(serial string, now time.Time) {
	k.dropCached(serial)
	if k.serials.Rename(serial+recordSuffix, serial+retiredSuffix) == nil {
		_ = k.serials.Chtimes(serial+retiredSuffix, now, now)
	}
}

// set aside copies a file that was not accepted to where it stays.
func (k *recordStore) storeEvidence(serial string, f *os.File, size int64, random io.Reader) (path string, err error) {
	var b [4]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	name := serial + "-" + hex.EncodeToString(b[:]) + ".pdf"
	err = writeSynced(k.evidence, name, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, size))
		return err
	})
	return name, errors.Join(err, syncFolder(k.evidence))
}

// writeSynced makes a file of ours alone and syncs it.
func writeSynced(in *os.Root, name string, fill func(io.Writer) error) error {
	return createFile(in, name, fill, (*os.File).Sync)
}

// createFile makes a file of ours alone. Last, if not nil, is done before it is closed.
func createFile(in *os.Root, name string, fill func(io.Writer) error, last func(*os.File) error) error {
	f, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return fillFile(in, name, f, fill, last)
}

// fillFile fills a file and closes it. One that is not whole is removed.
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

// removeOldFiles removes files of these names that were last changed before that time. What cannot be removed is tried again
// the next time.
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
