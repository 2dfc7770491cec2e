package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/authority"
	"segel/internal/config"
	"segel/internal/durable"
	"segel/internal/installation"
)

type stateCommand struct {
	Copy stateCopyCommand `cmd:"" help:"Copy the sealed keys and the records of the stamp office from the data folder to the database, check the copies of the keys, and use those from then on; the services have to be stopped. Needs SEGEL_STATE=database and the source of the master key, as the services are started afterwards. Repeat it if it was interrupted."`
}

type stateCopyCommand struct{ dataFlag }

// Run copies. Services that are started afterwards have the same settings.
func (c stateCopyCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	if conf.State != config.StateDatabase {
		return errors.New("set SEGEL_STATE to database, and SEGEL_MASTER_KEY, SEGEL_MASTER_KEY_FILE or SEGEL_MASTER_KEY_COMMAND, as for the services")
	}
	return withDatabase(w, conf, func(a *app) error { return a.copyState(w) })
}

// copyState copies the keys and the records of the stamp office from the folder to the database.
//
// Until the mark is written, services use the folder, and a run that ended early is repeated. From the mark on they use the database, and
// refuse the folder; what the folder has stays there.
func (a *app) copyState(w *environment) error {
	ctx := w.ctx
	folder := keyFolder(a.conf)
	lock, err := os.Open(string(folder))
	if err != nil {
		return fmt.Errorf("keys to copy: %w", err)
	}
	defer lock.Close()
	if locked, err := durable.Lock(lock); !locked {
		return errors.Join(fmt.Errorf("a service or command uses the keys in %s: stop it first", folder), err)
	}
	o, found, err := a.findCopied(ctx)
	if err != nil {
		return err
	}
	table, id := a.keyFiles(), installation.ID(found.Recorded.ID)
	mark, err := installation.ReadMark(ctx, table, keyTableName)
	if err != nil {
		return err
	}
	names, err := authority.ListNames(ctx, folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyKeyFile(ctx, table, folder, name); err != nil {
			return err
		}
	}
	// Once the database is used, the folder has nothing newer.
	records, entries := 0, int64(0)
	if mark == "" {
		if records, entries, err = a.copyOffice(ctx); err != nil {
			return fmt.Errorf("copy the records of the stamp office: %w", err)
		}
	}
	copied, err := authority.Read(ctx, table, o)
	if err != nil {
		return fmt.Errorf("check the copies: %w", err)
	}
	if err := requireAuthority(found, copied.Root()); err != nil {
		return err
	}
	if mark != "" {
		if err := a.noteMoved(folder, id); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w.stdout, "installation %s uses the database already; %d files of keys are the same there\n", id, len(names))
		return err
	}
	// Durable: everything but the mark, in the database. If the process dies here, services use the folder, and the next run copies what
	// they added meanwhile.
	if err := installation.WriteMark(ctx, table, keyTableName, id); err != nil {
		return err
	}
	// Durable: that the database is used. Not yet: the note for people in the folder, which the next run writes.
	if err := a.noteMoved(folder, id); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.stdout, "installation %s uses the database from now on: %d files of keys copied, %d records of the stamp office, %d entries of the sandbox; those in %s are not used any more\n",
		id, len(names), records, entries, a.conf.DataDir)
	return err
}

// findCopied returns the installation whose keys are in the folder, and the options that open them, after checking that it is complete, and that the master key of the
// services opens its keys.
func (a *app) findCopied(ctx context.Context) (o authority.Options, found installation.Found, err error) {
	former := &app{conf: a.conf, log: a.log, clock: a.clock, store: a.store}
	former.conf.State = config.StateFolder
	found, state, err := former.findInstallation(ctx)
	if found.Moved { // it is repeated
		found.Moved = false
		state, err = found.Decide()
	}
	if err != nil {
		return o, found, err
	}
	if state != installation.Complete {
		return o, found, found.Refuse(state)
	}
	sealer, err := readMasterKey(ctx, a.conf)
	if errors.Is(err, fs.ErrNotExist) {
		err = &installation.Error{Problem: installation.KeyFileMissing, Installation: installation.ID(found.Recorded.ID), Path: found.Names.MasterKey}
	}
	if err != nil {
		return o, found, err
	}
	o = a.authorityOptions(sealer)
	read, err := authority.Read(ctx, keyFolder(a.conf), o)
	if err != nil {
		return o, found, keysProblem(found.Names, err)
	}
	return o, found, requireAuthority(found, read.Root())
}

// copyKeyFile copies a file, unless there is an equal one.
func copyKeyFile(ctx context.Context, to, from authority.Files, name string) error {
	b, err := from.ReadFile(ctx, name)
	if err != nil {
		return err
	}
	err = to.CreateFile(ctx, name, b)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	there, err := to.ReadFile(ctx, name)
	if err == nil && !bytes.Equal(there, b) {
		err = fmt.Errorf("the database has another %s than the data folder", name)
	}
	return err
}

// noteMoved writes beside the keys that they are not used any more.
func (a *app) noteMoved(folder authority.Folder, id installation.ID) error {
	note := fmt.Sprintf("segel state copy copied these keys of installation %s to its database, which is used since %s.\n", id, a.clock().UTC().Format(time.RFC3339))
	err := durable.WriteNew(filepath.Join(string(folder), movedFile), []byte(note))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
