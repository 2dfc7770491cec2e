package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"segel/internal/authority"
	"segel/internal/config"
	"segel/internal/credential"
	"segel/internal/durable"
	"segel/internal/installation"
	"segel/internal/store"
)

// keyTable is the files of the authority in the database, as rows. What passes the suite filestest here passes it in a folder.
type keyTable struct {
	rows  store.KeyFiles
	clock func() time.Time
}

// ReadFile implements [authority.Files].
func (t keyTable) ReadFile(ctx context.Context, name string) ([]byte, error) {
	b, err := t.rows.KeyFile(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("%s in the database: %w", name, fs.ErrNotExist)
	}
	return b, err
}

// CreateFile implements [authority.Files].
func (t keyTable) CreateFile(ctx context.Context, name string, content []byte) error {
	err := t.rows.AddKeyFile(ctx, name, content, t.clock())
	if errors.Is(err, store.ErrExists) {
		err = fmt.Errorf("%s in the database: %w", name, fs.ErrExist)
	}
	return err
}

// ReplaceFile implements [authority.Files].
func (t keyTable) ReplaceFile(ctx context.Context, name string, old, content []byte) error {
	err := t.rows.ReplaceKeyFile(ctx, name, old, content)
	if errors.Is(err, store.ErrConflict) {
		err = fmt.Errorf("%s in the database: %w", name, authority.ErrChanged)
		if _, missing := t.ReadFile(ctx, name); missing != nil {
			err = missing
		}
	}
	return err
}

// keyFiles returns the files of the authority where the configuration says.
func (a *app) keyFiles() authority.Files {
	if a.files != nil {
		return a.files
	}
	if a.conf.State == config.StateDatabase {
		return keyTable{a.store, a.clock}
	}
	return keyFolder(a.conf)
}

func keyFolder(conf config.Config) authority.Folder {
	return authority.Folder(filepath.Join(conf.DataDir, authorityDir))
}

// masterKeyOf returns where the configuration says that the master key comes from.
func masterKeyOf(conf config.Config) credential.MasterKey {
	if from := masterKeyFrom("SEGEL_MASTER_KEY", conf.MasterKey, conf.MasterKeyCommand, conf.MasterKeyFile); from != nil {
		return from
	}
	return credential.KeyFile(filepath.Join(conf.DataDir, masterKeyFile))
}

// formerMasterKeyOf returns where the configuration says that the other key comes from while the master key is exchanged; nil: there is none.
func formerMasterKeyOf(conf config.Config) credential.MasterKey {
	return masterKeyFrom("SEGEL_FORMER_MASTER_KEY", conf.FormerMasterKey, conf.FormerMasterKeyCommand, conf.FormerMasterKeyFile)
}

// masterKeyFrom returns the source of a master key that settings name; nil: they name none.
func masterKeyFrom(setting, value, command, file string) credential.MasterKey {
	switch {
	case value != "":
		return credential.KeyValue{Setting: setting, Encoded: value}
	case command != "":
		ours := func(line string) bool { return strings.HasPrefix(line, "SEGEL_") }
		return credential.KeyCommand{Setting: setting + "_COMMAND", Command: command, Env: slices.DeleteFunc(os.Environ(), ours)}
	case file != "":
		return credential.KeyFile(file)
	}
	return nil
}

// masterKeyNames names where the configured master keys come from, for messages.
func masterKeyNames(conf config.Config) string {
	names := masterKeyOf(conf).Name()
	if former := formerMasterKeyOf(conf); former != nil {
		names += " or " + former.Name()
	}
	return names
}

// readMasterKey reads the master key of an installation that exists. The sealer opens what the other key of an exchange sealed, too.
func readMasterKey(ctx context.Context, conf config.Config) (*credential.Sealer, error) {
	from := masterKeyOf(conf)
	s, err := from.Read(ctx)
	if err != nil {
		return nil, masterKeyProblem(from, err)
	}
	if former := formerMasterKeyOf(conf); former != nil {
		return readFormerMasterKey(ctx, former, s)
	}
	return s, nil
}

// masterKeyProblem is the problem of an installation whose source of the master key answers with something else.
func masterKeyProblem(from credential.MasterKey, err error) error {
	if errors.Is(err, credential.ErrMasterKey) {
		return &installation.Error{Problem: installation.MasterKeyUnread, Path: from.Name(), Err: err}
	}
	return err
}

// movedFile is a file that tells people, beside keys in a folder, that they are not used any more. The database decides that.
const movedFile = "moved"

// findElsewhere reports why the keys that the configuration looks for are not those that are used: they were moved to the database, or from there to a folder.
// Empty: they are, or there are none. The database decides.
func (a *app) findElsewhere(ctx context.Context) (installation.Problem, error) {
	place, err := a.store.StatePlace(ctx)
	if err != nil {
		return "", err
	}
	if a.conf.State == config.StateDatabase {
		if place.Folder != nil {
			return installation.KeysInFolder, nil
		}
		return "", nil
	}
	if place.Mark != nil {
		return installation.KeysMoved, nil
	}
	if place.Folder != nil {
		return a.findFormerFolder(ctx, place)
	}
	if _, err := os.Stat(filepath.Join(string(keyFolder(a.conf)), movedFile)); err == nil { // the database is an earlier one
		return installation.KeysMoved, nil
	}
	return "", nil
}

// findFormerFolder returns installation.KeysFormer if the folder of the configuration has keys, and is not the one that the database names. A folder without keys is
// not an earlier copy: its keys are missing.
func (a *app) findFormerFolder(ctx context.Context, place store.StatePlace) (installation.Problem, error) {
	folder := keyFolder(a.conf)
	has, err := authority.Exists(ctx, folder)
	if err != nil || !has {
		return "", err
	}
	inUse, err := isFolderInUse(ctx, folder, place)
	if err != nil || inUse {
		return "", err
	}
	return installation.KeysFormer, nil
}

// isFolderInUse reports whether the database names a folder as that which is used.
func isFolderInUse(ctx context.Context, folder authority.Folder, place store.StatePlace) (bool, error) {
	there, err := folder.ReadFile(ctx, store.KeyFolderFile)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && place.Folder != nil && bytes.Equal(there, place.Folder), err
}

// requireUsedKeys requires that the keys of the configuration are those that are used.
func (a *app) requireUsedKeys(ctx context.Context) error {
	elsewhere, err := a.findElsewhere(ctx)
	if err == nil && elsewhere != "" {
		err = &installation.Error{Problem: elsewhere, Installation: installation.ID(a.installation.ID), Path: partNames(a.conf).KeyDir}
	}
	return err
}

// lockKeys keeps segel state copy from moving the keys of a folder while this process uses them. Keys in an SQLite database are locked with the data folder, see
// lockMasterKeys. With PostgreSQL the command looks for nodes, and what other processes add to keys that were moved is refused.
func (a *app) lockKeys(ctx context.Context) error {
	if a.conf.State == config.StateDatabase {
		return a.requireUsedKeys(ctx)
	}
	dir, err := os.Open(string(keyFolder(a.conf)))
	if err != nil {
		return err
	}
	locked, err := durable.LockShared(dir)
	if err == nil && !locked {
		err = errors.New("segel state copy is moving the keys at this moment")
	}
	if err == nil { // it may have moved them since they were found
		err = a.requireUsedKeys(ctx)
	}
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	a.keyLock = dir
	return nil
}

// unlockKeys does nothing if they are not locked.
func (a *app) unlockKeys() (err error) {
	for _, lock := range []*os.File{a.keyLock, a.dataLock} {
		if lock != nil {
			err = errors.Join(err, lock.Close())
		}
	}
	return err
}
