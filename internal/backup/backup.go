// Package backup copies an installation to a destination: one state of its database, the files that this state names, and its keys. The form of a
// backup is docs/formats/backup.md.
//
// A destination has three stores. Files has the files of the installation under their own names, shared by all backups: a file never changes and its
// name is never used again, so a file that is there is not copied again. Parts has everything else that a backup consists of. Manifests has one blob
// for each backup, which is written last: a backup without a manifest does not exist.
package backup

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"segel/internal/blob"
)

// Destination is where backups are.
type Destination struct {
	Files     blob.Volume
	Parts     blob.Volume
	Manifests blob.Volume
}

// Errors of destinations.
var (
	ErrNoBackup  = errors.New("there is no such backup")
	ErrForeign   = errors.New("the destination has backups of another installation")
	ErrManifest  = errors.New("not a manifest of a backup")
	ErrDifferent = errors.New("bytes are not those that were written")
)

// Part is a blob of a backup in Parts.
type Part struct {
	Key    blob.Key `json:"key"`
	Size   int64    `json:"size"`
	SHA256 string   `json:"sha256"`
}

// Manifest describes a backup.
type Manifest struct {
	ID           string    `json:"-"` // the key of the manifest
	Version      int       `json:"segel_backup"`
	Installation string    `json:"installation"`
	Release      string    `json:"release"` // of the program that made it
	BeganAt      time.Time `json:"began_at"`
	EndedAt      time.Time `json:"ended_at"`
	Database     Database  `json:"database"`
	Keys         Keys      `json:"keys"`
	Office       *Part     `json:"office,omitempty"` // tar of the folders of the stamp office; nil: they are in the database
	List         Part      `json:"list"`             // of the files, see [File]
	Files        int64     `json:"files"`
	Bytes        int64     `json:"bytes"`   // of the files, as they are stored
	Damaged      []Damage  `json:"damaged"` // files that were missing or changed when they were copied

	// AgeEncryption says that the database and the records of the stamp office are files of age.
	AgeEncryption bool `json:"age_encryption,omitempty"`
}

// Database is the database of a backup.
type Database struct {
	Part
	Kind       string    `json:"kind"`
	Migration  int64     `json:"migration"`
	At         time.Time `json:"at"`
	Events     int64     `json:"events"`
	Checkpoint string    `json:"checkpoint"` // signed, of the log
}

// Keys are the keys of a backup: a tar of files that are sealed under the master key, and perhaps the master key.
type Keys struct {
	*Part                // nil: they are in the database, and the master key is kept elsewhere
	Place         string `json:"place"`          // folder or database: where the sealed keys were
	HasMasterKey  bool   `json:"has_master_key"` // false: it is kept elsewhere
	AgeEncryption bool   `json:"age_encryption"` // the part is a file of age
}

// Damage is a file that a backup does not have as the database names it.
type Damage struct {
	Key  blob.Key `json:"key"`
	Text string   `json:"text"`
}

// File is a line of the list of files, which is JSON lines in the order of the keys, compressed with gzip.
type File struct {
	Key    blob.Key `json:"key"`
	Size   int64    `json:"size"`   // as it is stored
	SHA256 string   `json:"sha256"` // of what is stored
}

const manifestVersion = 1

// maxManifest bounds a manifest in bytes.
const maxManifest = 64 << 20

// newManifestKey returns a key that is after those of earlier manifests in the order of keys. One of them may have been made while the clock was
// ahead: it would stay the newest until that time, and Prune would remove the backups made since.
func (d Destination) newManifestKey(ctx context.Context, at time.Time, random io.Reader) (blob.Key, error) {
	micros := uint64(at.UnixMicro())
	for b, err := range d.Manifests.List(ctx) {
		if err != nil {
			return "", err
		}
		if before, err := hex.DecodeString(string(b.Key)); err == nil && len(before) >= 8 {
			micros = max(micros, binary.BigEndian.Uint64(before)+1)
		}
	}
	b := binary.BigEndian.AppendUint64(nil, micros)
	b = append(b, make([]byte, 8)...)
	if _, err := io.ReadFull(random, b[8:]); err != nil {
		return "", fmt.Errorf("draw manifest key: %w", err)
	}
	return blob.Key(hex.EncodeToString(b)), nil
}

// prepare marks the stores of a destination with the mark of an installation. Those that are marked with another one are refused.
func (d Destination) prepare(ctx context.Context, mark []byte) error {
	for _, v := range []blob.Volume{d.Files, d.Parts, d.Manifests} {
		err := v.SetMark(ctx, mark)
		if err != nil && !errors.Is(err, blob.ErrExists) {
			return err
		}
		has, err := v.Mark(ctx)
		if err != nil {
			return err
		}
		if !bytes.Equal(has, mark) {
			return ErrForeign
		}
	}
	return nil
}

// List returns the manifests of a destination, oldest first.
func (d Destination) List(ctx context.Context) ([]Manifest, error) {
	var all []Manifest
	for b, err := range d.Manifests.List(ctx) {
		if err != nil {
			return nil, err
		}
		m, err := d.read(ctx, b.Key)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Find returns a manifest, or the newest one if id is empty.
func (d Destination) Find(ctx context.Context, id string) (Manifest, error) {
	key := blob.Key(id)
	if id == "" {
		for b, err := range d.Manifests.List(ctx) {
			if err != nil {
				return Manifest{}, err
			}
			key = b.Key
		}
		if key == "" {
			return Manifest{}, ErrNoBackup
		}
	}
	m, err := d.read(ctx, key)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrKey) {
		err = fmt.Errorf("%w: %s", ErrNoBackup, id)
	}
	return m, err
}

func (d Destination) read(ctx context.Context, key blob.Key) (Manifest, error) {
	b, err := d.Manifests.Open(ctx, key)
	if err != nil {
		return Manifest{}, err
	}
	defer b.Close()
	if b.Size() > maxManifest {
		return Manifest{}, fmt.Errorf("%w: %s has %d bytes", ErrManifest, key, b.Size())
	}
	content, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		return Manifest{}, err
	}
	return parseManifest(key, content)
}

// parseManifest reads the content of a blob in Manifests.
func parseManifest(key blob.Key, content []byte) (Manifest, error) {
	m := Manifest{ID: string(key)}
	if err := json.Unmarshal(content, &m); err != nil {
		return m, fmt.Errorf("%w: %s: %w", ErrManifest, key, err)
	}
	if m.Version != manifestVersion {
		return m, fmt.Errorf("%w: %s is of version %d", ErrManifest, key, m.Version)
	}
	return m, nil
}

// parts returns the parts of a backup.
func (m Manifest) parts() []Part {
	all := []Part{m.Database.Part, m.List}
	if m.Keys.Part != nil {
		all = append(all, *m.Keys.Part)
	}
	if m.Office != nil {
		all = append(all, *m.Office)
	}
	return all
}

// OpenPart returns the bytes of a part, after comparing all of them with their SHA-256.
func (d Destination) OpenPart(ctx context.Context, p Part) (blob.Blob, error) {
	b, err := d.Parts.Open(ctx, p.Key)
	if err != nil {
		return nil, fmt.Errorf("part %s: %w", p.Key, err)
	}
	if err := requireSum(b, p.Size, p.SHA256); err != nil {
		return nil, errors.Join(fmt.Errorf("part %s: %w", p.Key, err), b.Close())
	}
	return b, nil
}

// requireSum reads a blob and compares it with its size and SHA-256.
func requireSum(b blob.Blob, size int64, sum string) error {
	found, err := sumBlob(b)
	if err == nil && (b.Size() != size || found != sum) {
		err = ErrDifferent
	}
	return err
}

// sumBlob returns the SHA-256 of a blob in hexadecimal.
func sumBlob(b blob.Blob) (string, error) {
	hash := sha256.New()
	n, err := io.Copy(hash, io.NewSectionReader(b, 0, b.Size()))
	if err == nil && n != b.Size() {
		err = io.ErrUnexpectedEOF
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// Prune removes all backups but the newest ones, and what only those needed, and returns how many it removed. No backup may be under way. Mark
// is that of the installation.
//
// The manifests are removed first. If the process dies before the rest is removed, the next run removes it.
func (d Destination) Prune(ctx context.Context, mark []byte, keep int) (removed int, err error) {
	if err := d.prepare(ctx, mark); err != nil {
		return 0, err
	}
	all, err := d.List(ctx)
	if err != nil {
		return 0, err
	}
	kept := all[max(0, len(all)-keep):]
	if len(kept) == 0 {
		return 0, ErrNoBackup
	}
	// Read before anything is removed: without the lists it is not known what is needed.
	used := map[blob.Key]bool{}
	var lists []*listReader
	defer func() {
		for _, l := range lists {
			err = errors.Join(err, l.Close())
		}
	}()
	for _, m := range kept {
		for _, p := range m.parts() {
			used[p.Key] = true
		}
		l, err := d.openList(ctx, m.List)
		if err != nil {
			return 0, err
		}
		lists = append(lists, l)
	}
	for _, m := range all[:len(all)-len(kept)] {
		if err := d.Manifests.Remove(ctx, blob.Key(m.ID)); err != nil {
			return removed, err
		}
		removed++
	}
	for b, err := range d.Parts.List(ctx) {
		if err != nil {
			return removed, err
		}
		if !used[b.Key] {
			if err := d.Parts.Remove(ctx, b.Key); err != nil {
				return removed, err
			}
		}
	}
	return removed, d.removeUnlisted(ctx, lists)
}

// removeUnlisted removes the files that none of the lists has. All are in the order of the keys.
func (d Destination) removeUnlisted(ctx context.Context, lists []*listReader) error {
	next := make([]File, len(lists))
	for b, err := range d.Files.List(ctx) {
		if err != nil {
			return err
		}
		listed := false
		for i, l := range lists {
			for next[i].Key < b.Key && !l.ended {
				if next[i], err = l.Next(); err != nil && err != io.EOF {
					return err
				}
			}
			listed = listed || next[i].Key == b.Key
		}
		if !listed {
			if err := d.Files.Remove(ctx, b.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// sortDamage orders damage by keys.
func sortDamage(all []Damage) {
	slices.SortFunc(all, func(a, b Damage) int { return cmp.Compare(a.Key, b.Key) })
}
