package authority

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"segel/internal/durable"
)

// ErrChanged is a file that has other content than the one to be replaced.
var ErrChanged = errors.New("the file was changed")

// Files holds the files of an authority, whose keys are sealed. A file is created once. Only how its keys are sealed changes. The suite of
// every implementation is in package filestest.
type Files interface {
	// ReadFile returns the content of a file; [fs.ErrNotExist] if it was never created.
	ReadFile(ctx context.Context, name string) ([]byte, error)

	// CreateFile creates a file; [fs.ErrExist] if there is one of that name, whatever its content. Of several writers the first
	// wins. Durable on return: the whole file. After another error the file is complete or absent.
	CreateFile(ctx context.Context, name string, content []byte) error

	// ReplaceFile replaces the content of a file; [ErrChanged] if it is not the old one, [fs.ErrNotExist] if there is none. Of several processes one at a
	// time may call it. Durable on return: the new content. After another error the file has one of the two.
	ReplaceFile(ctx context.Context, name string, old, content []byte) error
}

// Folder is Files in a folder, by its path. The first file creates the folder.
type Folder string

// ReadFile implements [Files].
func (f Folder) ReadFile(_ context.Context, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(f), name))
}

// CreateFile implements [Files].
func (f Folder) CreateFile(_ context.Context, name string, content []byte) error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return fmt.Errorf("folder of the authority: %w", err)
	}
	// Until its parent is synced, a power failure can remove a new folder with the durable file in it. The next start
	// would then create another authority, which does not know what was issued.
	if err := durable.SyncDir(filepath.Dir(string(f))); err != nil {
		return fmt.Errorf("folder of the authority: %w", err)
	}
	return durable.WriteNew(filepath.Join(string(f), name), content)
}

// ReplaceFile implements [Files].
func (f Folder) ReplaceFile(ctx context.Context, name string, old, content []byte) error {
	found, err := f.ReadFile(ctx, name)
	if err == nil && !bytes.Equal(found, old) {
		err = fmt.Errorf("%s: %w", name, ErrChanged)
	}
	if err != nil {
		return err
	}
	return durable.Replace(filepath.Join(string(f), name), content)
}

// ListNames returns the names of the files that exist: that with the root first, then those of each part in the order of their creation.
func ListNames(ctx context.Context, files Files) ([]string, error) {
	var names []string
	for _, p := range parts {
		for n := 1; ; n++ {
			name := p.file(n)
			if slices.Contains(names, name) {
				continue
			}
			ok, err := exists(ctx, files, name)
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			names = append(names, name)
		}
	}
	return names, nil
}

func exists(ctx context.Context, files Files, name string) (bool, error) {
	_, err := files.ReadFile(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
