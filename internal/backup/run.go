package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"segel/internal/blob"
	"segel/internal/contract"
)

// Source is the installation that is copied.
type Source struct {
	Mark    []byte      // of the installation
	Stored  blob.Volume // its files as they are stored
	Decrypt func(blob.Volume) blob.Volume

	// WriteDatabase writes one state of the database and yields the files that it names, in the order of their keys. It fills in everything but
	// the part.
	WriteDatabase func(ctx context.Context, to io.Writer, eachFile func(contract.File) error) (Database, error)

	WriteKeys   func(io.Writer) error // writes the part of the keys; nil: there is none
	WriteOffice func(io.Writer) error // writes the part of the stamp office; nil: there is none
}

// Options say how to copy.
type Options struct {
	Workers  int    // files at a time; 0 is 4
	Dir      string // for temporary files; empty: the system's default
	Clock    func() time.Time
	Random   io.Reader
	Encrypt  Encrypt                         // of the database and of the records of the stamp office; nil: they are in clear
	Compare  bool                            // read the files back that an earlier backup has, and copy those again that differ
	Commit   func(ctx context.Context) error // called before the manifest is written; its error ends the run without one
	Progress func(Progress)                  // called often, one at a time; nil: not called
}

// Progress counts what was done.
type Progress struct {
	Copied      int64 `json:"copied"`       // files that were written and read back
	CopiedBytes int64 `json:"copied_bytes"` // of them, as they are stored
	Kept        int64 `json:"kept"`         // files that an earlier backup has
	Damaged     int64 `json:"damaged"`      // files that are missing or changed
	Known       int64 `json:"known"`        // files that the snapshot names
}

// Run makes a backup. M has what is known before: installation, release, begin, and how keys are kept.
//
// The caller holds deletions until Run returns, and ends the context with a cause when it lost the hold: then there is no manifest. What an
// interrupted run has copied is found by the next one.
func Run(ctx context.Context, d Destination, s Source, m Manifest, o Options) (Manifest, Progress, error) {
	r := &running{Destination: d, source: s, o: o}
	err := r.run(ctx, &m)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return m, r.progress, err
}

type running struct {
	Destination
	source Source
	o      Options

	mu       sync.Mutex // guards what follows
	progress Progress
	damaged  []Damage
}

func (r *running) report(change func(*Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.progress)
	if r.o.Progress != nil {
		r.o.Progress(r.progress)
	}
}

func (r *running) run(ctx context.Context, m *Manifest) (err error) {
	if err := r.prepare(ctx, r.source.Mark); err != nil {
		return err
	}
	named, removeNamed, err := newSpool(r.o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeNamed()) }()
	copied, removeCopied, err := newSpool(r.o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeCopied()) }()

	// The state of the database. Files that it names stay until the caller's hold ends.
	var database Database
	m.AgeEncryption = r.o.Encrypt != nil
	part, err := r.writeSealed(ctx, r.o.Random, r.o.Encrypt, func(w io.Writer) (err error) {
		database, err = r.source.WriteDatabase(ctx, w, func(f contract.File) error {
			r.progress.Known++
			return named.addFile(File{Key: blob.Key(f.Key), Size: f.Size, SHA256: hex.EncodeToString(f.Digest[:])})
		})
		return err
	})
	if err != nil {
		return err
	}
	database.Part = part
	m.Database = database

	// Keys and records are only ever added, so those of now have all that the database needs.
	if r.source.WriteKeys != nil {
		p, err := r.writePart(ctx, r.o.Random, r.source.WriteKeys)
		if err != nil {
			return fmt.Errorf("keys: %w", err)
		}
		m.Keys.Part = &p
	}
	if r.source.WriteOffice != nil {
		p, err := r.writeSealed(ctx, r.o.Random, r.o.Encrypt, r.source.WriteOffice)
		if err != nil {
			return fmt.Errorf("records of the stamp office: %w", err)
		}
		m.Office = &p
	}
	if err := r.copyFiles(ctx, named, copied); err != nil {
		return err
	}
	m.List, err = r.writeCompressed(ctx, r.o.Random, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		for f, err := range copied.each() {
			if err != nil {
				return err
			}
			m.Files, m.Bytes = m.Files+1, m.Bytes+f.Size
			if err := lines.Encode(f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list of files: %w", err)
	}
	sortDamage(r.damaged)
	m.Damaged, m.Version, m.EndedAt = r.damaged, manifestVersion, r.o.Clock().UTC()
	if err := r.o.Commit(ctx); err != nil {
		return err
	}
	// Durable: everything that the manifest names. The backup exists from this commit on.
	return r.writeManifest(ctx, m, r.o.Random)
}

// spool is a temporary list of files, which is written first and read afterwards.
type spool struct {
	file   *os.File
	buffer *bufio.Writer
	lines  *json.Encoder
}

func newSpool(dir string) (s *spool, remove func() error, err error) {
	f, err := os.CreateTemp(dir, "segel-backup-*")
	if err != nil {
		return nil, nil, err
	}
	buffer := bufio.NewWriter(f)
	return &spool{f, buffer, json.NewEncoder(buffer)}, func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }, nil
}

func (s *spool) addFile(f File) error { return s.lines.Encode(f) }

// each yields the files in the order in which they were added.
func (s *spool) each() iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		err := s.buffer.Flush()
		if err == nil {
			_, err = s.file.Seek(0, io.SeekStart)
		}
		if err != nil {
			yield(File{}, err)
			return
		}
		lines := json.NewDecoder(bufio.NewReader(s.file))
		for {
			var f File
			err := lines.Decode(&f)
			if err == io.EOF || !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// copyFiles copies the files that the destination does not have, and adds all that it has then to the list, in the order of the keys. Several are
// copied at a time; the list waits for each in turn.
func (r *running) copyFiles(ctx context.Context, named, list *spool) error {
	workers := r.o.Workers
	if workers == 0 {
		workers = 4
	}
	earlier, doubtful, err := r.openNewestList(ctx)
	if err != nil {
		return err
	}
	if earlier != nil {
		defer earlier.Close()
	}
	group, work := errgroup.WithContext(ctx)
	group.SetLimit(workers + 1) // and the list
	inOrder := make(chan chan File, 4*workers)
	group.Go(func() error {
		for next := range inOrder {
			select {
			case f := <-next:
				if f.Key == "" { // missing
					continue
				}
				if err := list.addFile(f); err != nil {
					return err
				}
			case <-work.Done():
				return work.Err()
			}
		}
		return nil
	})
	failed := r.mergeLists(work, named, earlier, func(n File, listed *File, isThere bool) error {
		done := make(chan File, 1)
		select {
		case inOrder <- done:
		case <-work.Done():
			return work.Err()
		}
		if listed != nil && !r.o.Compare && !doubtful[n.Key] {
			done <- *listed
			r.report(func(p *Progress) { p.Kept++ })
			return nil
		}
		group.Go(func() error {
			f, err := r.copyFile(work, n, isThere)
			if err == nil {
				done <- f
			}
			return err
		})
		return nil
	})
	close(inOrder)
	if failed != nil { // ends the others; what they say may only follow from it
		group.Go(func() error { return failed })
	}
	return group.Wait()
}

// mergeLists calls do for each file that the snapshot names, with its line in the list of an earlier backup if the destination still has it like
// that, and whether the destination has it at all. All three are read in the order of the keys.
func (r *running) mergeLists(ctx context.Context, named *spool, earlier *listReader, do func(n File, listed *File, isThere bool) error) error {
	there, stop := iter.Pull2(r.Files.List(ctx))
	defer stop()
	var listed File
	var stored blob.Info
	ended := false
	for n, err := range named.each() {
		for err == nil && earlier != nil && listed.Key < n.Key && !earlier.ended {
			if listed, err = earlier.Next(); err == io.EOF {
				err = nil
			}
		}
		for err == nil && stored.Key < n.Key && !ended {
			var more bool
			stored, err, more = there()
			ended = !more
		}
		if err != nil {
			return err
		}
		isThere := stored.Key == n.Key
		if isThere && listed.Key == n.Key && stored.Size == listed.Size {
			line := listed
			err = do(n, &line, true)
		} else {
			err = do(n, nil, isThere)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openNewestList opens the list of the newest backup, and returns the files of which it had other bytes than the database said; nil: there
// is none.
func (r *running) openNewestList(ctx context.Context) (*listReader, map[blob.Key]bool, error) {
	m, err := r.Find(ctx, "")
	if errors.Is(err, ErrNoBackup) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	doubtful := map[blob.Key]bool{}
	for _, d := range m.Damaged {
		doubtful[d.Key] = true
	}
	l, err := r.openList(ctx, m.List)
	return l, doubtful, err
}

// copyFile copies a file, unless the destination has it, and reads it back from there: what readers get has to be what the database says. What
// the destination had before and is not that is copied again. A file that the installation does not have like that is recorded without an error;
// one that is missing has no key in the result.
func (r *running) copyFile(ctx context.Context, n File, isThere bool) (f File, err error) {
	if isThere {
		switch err := r.compareRead(ctx, n); {
		case err == nil:
			f, err := r.sumStored(ctx, n.Key)
			if err == nil {
				r.report(func(p *Progress) { p.Kept++ })
			}
			return f, err
		case !errors.Is(err, ErrDifferent):
			return f, fmt.Errorf("read file %s back: %w", n.Key, err)
		}
		if err := r.Files.Remove(ctx, n.Key); err != nil {
			return f, err
		}
	}
	f, err = r.writeFile(ctx, n.Key)
	if errors.Is(err, blob.ErrNotFound) {
		r.recordDamage(n.Key, "it is missing")
		return File{}, nil
	}
	if err != nil {
		return f, fmt.Errorf("file %s: %w", n.Key, err)
	}
	switch err := r.compareRead(ctx, n); {
	case err == nil:
		r.report(func(p *Progress) { p.Copied, p.CopiedBytes = p.Copied+1, p.CopiedBytes+f.Size })
	case errors.Is(err, ErrDifferent):
		r.recordDamage(n.Key, err.Error())
	default:
		return f, fmt.Errorf("read file %s back: %w", n.Key, err)
	}
	return f, nil
}

func (r *running) recordDamage(key blob.Key, text string) {
	r.mu.Lock()
	r.damaged = append(r.damaged, Damage{key, text})
	r.mu.Unlock()
	r.report(func(p *Progress) { p.Damaged++ })
}

// writeFile copies a file as it is stored.
func (r *running) writeFile(ctx context.Context, key blob.Key) (f File, err error) {
	from, err := r.source.Stored.Open(ctx, key)
	if err != nil {
		return f, err
	}
	defer from.Close()
	w, err := r.Files.Create(ctx, key)
	if err != nil {
		return f, err
	}
	defer w.Abort()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, hash), io.NewSectionReader(from, 0, from.Size())); err != nil {
		return f, err
	}
	return File{Key: key, Size: from.Size(), SHA256: hex.EncodeToString(hash.Sum(nil))}, w.Commit()
}

// sumStored describes a file that the destination has.
func (r *running) sumStored(ctx context.Context, key blob.Key) (File, error) {
	b, err := r.Files.Open(ctx, key)
	if err != nil {
		return File{}, err
	}
	defer b.Close()
	sum, err := sumBlob(b)
	return File{Key: key, Size: b.Size(), SHA256: sum}, err
}

// compareRead reads a file from the destination as the installation would, and compares it with the database.
func (r *running) compareRead(ctx context.Context, n File) error {
	b, err := r.source.Decrypt(r.Files).Open(ctx, n.Key)
	if err == nil {
		defer b.Close()
		err = requireSum(b, n.Size, n.SHA256)
	}
	var corrupt *blob.CorruptError
	if errors.As(err, &corrupt) {
		err = fmt.Errorf("%w: %w", ErrDifferent, corrupt)
	}
	return err
}
