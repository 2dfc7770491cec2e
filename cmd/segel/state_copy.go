package main

import (
	"bytes"
	"context"
	"crypto/rand"
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
	"segel/internal/durable"
	"segel/internal/installation"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

type stateCommand struct {
	Copy stateCopyCommand `cmd:"" help:"Copy the sealed keys and the records of the stamp office from the data folder to the database, or back, check the copies of the keys, and use those from then on; the services have to be stopped. SEGEL_STATE and the source of the master key are set as for the services that are started afterwards. Repeat it if it was interrupted."`
}

type stateCopyCommand struct {
	dataFlag
	To string `enum:"database,folder" default:"database" placeholder:"database|folder" help:"Where they are copied to, and SEGEL_STATE is set to: database, from the data folder; or folder, back to it."`
}

// Run copies. Services that are started afterwards have the same settings.
func (c stateCopyCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	switch {
	case conf.State == c.To:
	case c.To == config.StateDatabase:
		return errors.New("set SEGEL_STATE to database, and SEGEL_MASTER_KEY, SEGEL_MASTER_KEY_FILE or SEGEL_MASTER_KEY_COMMAND, as for the services")
	default:
		return errors.New("set SEGEL_STATE to folder, as for the services")
	}
	return withDatabase(w, conf, func(a *app) error {
		if c.To == config.StateFolder {
			return a.moveStateToFolder(w)
		}
		return a.copyStateToDatabase(w)
	})
}

// reportEffect is called after each effect.
func (a *app) reportEffect() {
	if a.afterEffect != nil {
		a.afterEffect()
	}
}

// copyStateToDatabase copies the keys and the records of the stamp office from the folder to the database.
//
// Until the mark is written, services use the folder, and a run that ended early is repeated. From the mark on they use the database, and
// refuse the folder; what the folder has stays there.
func (a *app) copyStateToDatabase(w *environment) error {
	ctx := w.ctx
	folder := keyFolder(a.conf)
	lock, err := lockFolder(string(folder), "the keys in "+string(folder))
	if err != nil {
		return err
	}
	defer lock.Close()
	place, err := a.store.StatePlace(ctx)
	if err != nil {
		return err
	}
	o, found, err := a.checkSource(ctx, config.StateFolder)
	if err != nil {
		return err
	}
	table, id := keyTable{a.store.UnusedState(), a.clock}, installation.ID(found.Recorded.ID)
	mark, err := installation.ReadMark(ctx, table, keyTableName)
	if err != nil {
		return err
	}
	names, err := authority.ListNames(ctx, folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		// An earlier run may have copied a file whose keys were sealed anew in the folder since. Once the database is used, nothing in it is replaced.
		if err := copyKeyFile(ctx, table, folder, name, mark == ""); err != nil {
			return err
		}
		a.reportEffect()
	}
	// Once the database is used, the folder has nothing newer.
	records, entries := 0, int64(0)
	if mark == "" {
		if copied, err := authority.ListNames(ctx, table); err != nil || !slices.Equal(copied, names) {
			return errors.Join(err, fmt.Errorf("the database has the files %v, the data folder %v", copied, names))
		}
		if records, entries, err = a.copyOfficeToDatabase(ctx); err != nil {
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
		if err := a.writeMovedNote(folder, id); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w.stdout, "installation %s uses the database already; %d files of keys are the same there\n", id, len(names))
		return err
	}
	// Durable: everything but the mark, in the database. If the process dies here, services use the folder, and the next run copies what
	// they added meanwhile.
	if err := a.store.UseStateInDatabase(ctx, id.Mark(), place.Folder, a.clock()); err != nil {
		return err
	}
	a.reportEffect()
	// Durable: that the database is used. Not yet: the note for people in the folder, which the next run writes.
	if err := a.writeMovedNote(folder, id); err != nil {
		return err
	}
	a.reportEffect()
	_, err = fmt.Fprintf(w.stdout, "installation %s uses the database from now on: %d files of keys copied, %d records of the stamp office, %d entries of the sandbox; those in %s are not used any more\n",
		id, len(names), records, entries, a.conf.DataDir)
	return err
}

// moveStateToFolder moves the keys and the records of the stamp office from the database to the folder.
//
// Until the last commit, services use the database and refuse the folder, and a run that ended early is repeated. That commit names the folder and removes
// what the database had: from then on services use that folder, and refuse the database and every other folder, such as an earlier copy.
func (a *app) moveStateToFolder(w *environment) error {
	ctx := w.ctx
	folder := keyFolder(a.conf)
	place, err := a.store.StatePlace(ctx)
	if err != nil {
		return err
	}
	if place.Mark == nil {
		return a.reportFolderInUse(w, folder, place)
	}
	o, found, err := a.checkSource(ctx, config.StateDatabase)
	if err != nil {
		return err
	}
	if err := a.makeFolders(folder); err != nil {
		return err
	}
	lock, err := lockFolder(string(folder), "the keys in "+string(folder))
	if err != nil {
		return err
	}
	defer lock.Close()
	allowServices, err := a.excludeServices(ctx)
	if err != nil {
		return err
	}
	defer allowServices()
	// What a process that is not excluded adds to the database from here on makes the last commit fail.
	digest, err := a.store.StateDigest(ctx)
	if err != nil {
		return err
	}
	table, id := keyTable{a.store, a.clock}, installation.ID(found.Recorded.ID)
	names, err := a.store.KeyFileNames(ctx)
	if err != nil {
		return err
	}
	if err := requireNoOtherKeys(ctx, folder, names, id); err != nil {
		return err
	}
	for _, name := range names {
		// An earlier copy may have the same keys, sealed under a master key that is not in use any more.
		if err := copyKeyFile(ctx, folder, table, name, true); err != nil {
			return err
		}
		a.reportEffect()
	}
	records, entries, err := a.copyOfficeToFolder(ctx)
	if err != nil {
		return fmt.Errorf("copy the records of the stamp office: %w", err)
	}
	copied, err := authority.Read(ctx, folder, o)
	if err != nil {
		return fmt.Errorf("check the copies: %w", err)
	}
	if err := requireAuthority(found, copied.Root()); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := authority.SealedUnder(ctx, folder, name, o.Sealer); err != nil {
			return fmt.Errorf("check the copy of %s: %w", name, err)
		}
	}
	// Each run has its own mark, so that a copy of this folder from an earlier run is not taken for it.
	folderMark, err := installation.NewFolderMark(rand.Reader)
	if err != nil {
		return err
	}
	if err := errors.Join(installation.WriteMark(ctx, folder, string(folder), id), durable.Replace(filepath.Join(string(folder), store.KeyFolderFile), folderMark)); err != nil {
		return err
	}
	a.reportEffect()
	if err := removeMovedNote(folder); err != nil {
		return err
	}
	a.reportEffect()
	// Durable: everything, in the folder. If the process dies here, services use the database, which refuses the folder also without the note, and the next run
	// copies what they changed meanwhile.
	if err := a.store.MoveStateToFolder(ctx, digest, folderMark, a.clock()); err != nil {
		return explainLastCommit(err)
	}
	// Durable: that this folder is used, and that the database has nothing of it.
	a.reportEffect()
	_, err = fmt.Fprintf(w.stdout, "installation %s uses %s from now on: %d files of keys moved, %d records of the stamp office, %d entries of the sandbox. The database does not have them any more: "+
		"back the folder up, and start services on this machine alone\n", id, a.conf.DataDir, len(names), records, entries)
	return err
}

// reportFolderInUse reports that the folder is used already.
func (a *app) reportFolderInUse(w *environment, folder authority.Folder, place store.StatePlace) error {
	recorded, _, err := a.store.Installation(w.ctx)
	if err != nil {
		return err
	}
	inUse, err := isFolderInUse(w.ctx, folder, place)
	switch {
	case err != nil:
		return err
	case place.Folder != nil && !inUse:
		return &installation.Error{Problem: installation.KeysInFolder, Installation: installation.ID(recorded.ID), Path: keyTableName}
	case place.Folder == nil:
		return errors.New("the database does not have the keys of this installation: it uses a folder, and they were never moved, or are being copied")
	}
	_, err = fmt.Fprintf(w.stdout, "installation %s uses %s already\n", recorded.ID, a.conf.DataDir)
	return err
}

// makeFolders makes the folder of keys, and that of data if its parent exists. Durable on return: a power failure must not remove a folder that the database names.
func (a *app) makeFolders(folder authority.Folder) error {
	for _, dir := range []string{a.conf.DataDir, string(folder)} {
		err := os.Mkdir(dir, 0o700)
		made := err == nil
		if made || errors.Is(err, fs.ErrExist) {
			// A run that was killed may have made it.
			if err = durable.SyncDir(filepath.Dir(dir)); !made && errors.Is(err, fs.ErrPermission) {
				err = nil
			}
		}
		if err != nil {
			return fmt.Errorf("folder of the keys: %w", err)
		}
	}
	return nil
}

// lockFolder takes the exclusive lock of a folder that services lock while they use what it has. The lock ends when the folder is closed.
func lockFolder(dir, what string) (*os.File, error) {
	lock, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", what, err)
	}
	if locked, err := durable.Lock(lock); !locked {
		return nil, errors.Join(fmt.Errorf("a service or command uses %s: stop it first", what), err, lock.Close())
	}
	return lock, nil
}

// excludeServices requires that no service uses the database, and keeps others from starting until allowServices is called. On PostgreSQL, where services are on other machines,
// it ends nodes that died; one that starts later is found by the last commit.
func (a *app) excludeServices(ctx context.Context) (allowServices func(), err error) {
	if _, embedded := sqlstore.SQLitePath(databaseDSN(a.conf)); embedded {
		lock, err := lockFolder(a.conf.DataDir, "the installation in "+a.conf.DataDir)
		return func() { _ = lock.Close() }, err
	}
	nodes, err := a.nodesWhere(ctx, func([]string) bool { return true })
	if err == nil && len(nodes) > 0 {
		err = fmt.Errorf("a service uses the installation: stop it first: %s", strings.Join(nodes, ", "))
	}
	if err != nil {
		return nil, err
	}
	all, _, err := a.store.ListNodes(ctx)
	for _, n := range all {
		if err == nil && n.EndedAt.IsZero() {
			_, err = a.store.EndOverdueNode(ctx, n.Name)
		}
	}
	return func() {}, err
}

// explainLastCommit explains the error of a last commit, which was refused or whose answer was lost.
func explainLastCommit(err error) error {
	switch {
	case errors.Is(err, store.ErrConflict):
		return fmt.Errorf("another process changed the keys or the records of the stamp office meanwhile, and the database is used as before: stop it, and run the command again (%w)", err)
	case errors.Is(err, store.ErrNodesRun):
		return fmt.Errorf("the database is used as before: %w. Stop the service there first", err)
	}
	return fmt.Errorf("the last step may have been done or not. Run the command again: it says which keys are used (%w)", err)
}

// checkSource checks that the installation whose keys are copied from the database or the folder is complete, and that the master keys of the services open its keys. It
// returns the installation, and the options that open the keys.
func (a *app) checkSource(ctx context.Context, from string) (o authority.Options, found installation.Found, err error) {
	source := &app{conf: a.conf, log: a.log, clock: a.clock, store: a.store}
	source.conf.State = from
	found, state, err := source.findInstallation(ctx)
	if found.Elsewhere == installation.KeysMoved { // it is repeated, or the database is an earlier one
		found.Elsewhere = ""
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
	known, err := a.store.MasterKeys(ctx)
	if err == nil {
		err = a.requireMasterKeys(sealer, known)
	}
	if err != nil {
		return o, found, err
	}
	o = a.authorityOptions(sealer)
	read, err := authority.Read(ctx, source.keyFiles(), o)
	if err != nil {
		return o, found, keysProblem(found.Names, err)
	}
	return o, found, requireAuthority(found, read.Root())
}

// copyKeyFile copies a file, unless there is an equal one. With replace it replaces one that has the same certificates, whose keys another master key sealed.
func copyKeyFile(ctx context.Context, to, from authority.Files, name string, replace bool) error {
	b, err := from.ReadFile(ctx, name)
	if err != nil {
		return err
	}
	err = to.CreateFile(ctx, name, b)
	if errors.Is(err, fs.ErrExist) {
		var there []byte
		if there, err = to.ReadFile(ctx, name); err == nil && !bytes.Equal(there, b) && replace && sameCertificates(there, b) {
			err = to.ReplaceFile(ctx, name, there, b)
		}
	}
	if err != nil {
		return err
	}
	there, err := to.ReadFile(ctx, name)
	if err == nil && !bytes.Equal(there, b) {
		err = fmt.Errorf("the database has another %s than the folder: one of the two is of another authority, or was replaced since", name)
	}
	return err
}

// requireNoOtherKeys requires that a folder has no keys, or an earlier copy of those with these names.
func requireNoOtherKeys(ctx context.Context, folder authority.Folder, names []string, id installation.ID) error {
	mark, err := installation.ReadMark(ctx, folder, string(folder))
	if err == nil && mark != "" && mark != id {
		err = &installation.Error{Problem: installation.KeysOfAnother, Installation: id, Found: mark, Path: string(folder)}
	}
	if err != nil {
		return err
	}
	all, err := os.ReadDir(string(folder))
	for _, e := range all {
		// The authority would use it beside the copies.
		if filepath.Ext(e.Name()) == ".json" && !slices.Contains(names, e.Name()) {
			return fmt.Errorf("%s has a file %s, which the database does not have: move the folder aside first", folder, e.Name())
		}
	}
	return err
}

// writeMovedNote writes beside the keys that they are not used any more.
func (a *app) writeMovedNote(folder authority.Folder, id installation.ID) error {
	note := fmt.Sprintf("segel state copy copied these keys of installation %s to its database, which is used since %s.\n", id, a.clock().UTC().Format(time.RFC3339))
	err := durable.WriteNew(filepath.Join(string(folder), movedFile), []byte(note))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// removeMovedNote removes the note of writeMovedNote.
func removeMovedNote(folder authority.Folder) error {
	err := os.Remove(filepath.Join(string(folder), movedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, durable.SyncDir(string(folder)))
}

// adoptFolder makes the folder of keys the one that the database names, if it names one: the operator decided that. From then on the folder that was named before
// is refused.
//
// The file is durable before the row. If the process dies between the two, both folders are refused, and the command is repeated.
func (a *app) adoptFolder(ctx context.Context) error {
	place, err := a.store.StatePlace(ctx)
	if err != nil || place.Folder == nil || a.conf.State != config.StateFolder {
		return err
	}
	folder := keyFolder(a.conf)
	if err := os.MkdirAll(string(folder), 0o700); err != nil {
		return err
	}
	folderMark, err := installation.NewFolderMark(rand.Reader)
	if err != nil {
		return err
	}
	if err := errors.Join(durable.Replace(filepath.Join(string(folder), store.KeyFolderFile), folderMark), removeMovedNote(folder)); err != nil {
		return err
	}
	return a.store.ReplaceKeyFile(ctx, store.KeyFolderFile, place.Folder, folderMark)
}
