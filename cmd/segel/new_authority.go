package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"segel/internal/authority"
	"segel/internal/credential"
	"segel/internal/durable"
	"segel/internal/installation"
)

// memoryFiles are the files of an authority that is not stored yet.
type memoryFiles map[string][]byte

// ReadFile implements [authority.Files].
func (f memoryFiles) ReadFile(_ context.Context, name string) ([]byte, error) {
	content, ok := f[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return content, nil
}

// CreateFile implements [authority.Files].
func (f memoryFiles) CreateFile(_ context.Context, name string, content []byte) error {
	if _, ok := f[name]; ok {
		return fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	f[name] = content
	return nil
}

// ReplaceFile implements [authority.Files]: it refuses.
func (memoryFiles) ReplaceFile(context.Context, string, []byte, []byte) error {
	return errors.ErrUnsupported
}

// replaceAuthority makes a new authority in place of the one in the database. The files of the former one are copied to a new folder first.
//
// One transaction replaces all files and the record that names the root, so that there is one authority at each moment, and the database names it. If the process dies
// before, the former authority is used and the copies stay; a repetition makes another new one.
func (c adoptCommand) replaceAuthority(w *environment, a *app) error {
	ctx := w.ctx
	found, state, undecided := a.findInstallation(ctx)
	if err := requireReplaceableAuthority(found, state, undecided); err != nil {
		return err
	}
	_, opens, err := a.sealerOfNewAuthority(ctx, found)
	if err != nil {
		return err
	}
	table := keyTable{a.store, a.clock}
	names, err := a.store.KeyFileNames(ctx)
	if err != nil {
		return err
	}
	if len(names) > 0 && c.Aside == "" {
		return fmt.Errorf("the database has %d files of the present authority: give --aside with a new folder, which gets copies of them", len(names))
	}
	fmt.Fprintf(w.stdout, "database:     %s: installation %s\n", found.Names.Database, found.Recorded.ID)
	fmt.Fprintf(w.stdout, "authority:    %d files, which are copied to %q; a new one is created, whose root readers have to trust\n", len(names), c.Aside)
	if len(names) > 0 && !opens {
		fmt.Fprintf(w.stdout, "BUT:          %s does not open the keys of the present authority\n", found.Names.MasterKey)
	}
	if !c.Yes {
		if err := w.confirm("The present authority is replaced if you type yes: ", "nothing was replaced"); err != nil {
			return err
		}
	}
	allowServices, err := a.excludeServices(ctx)
	if err != nil {
		return err
	}
	defer allowServices()
	// What a process that is not excluded adds to the database from here on makes the commit fail.
	digest, err := a.store.StateDigest(ctx)
	if err != nil {
		return err
	}
	sealer, _, err := a.sealerOfNewAuthority(ctx, found) // an exchange may have been completed before services were excluded
	if err != nil {
		return err
	}
	if names, err = a.store.KeyFileNames(ctx); err != nil {
		return err
	}
	if len(names) > 0 {
		if err := a.copyAside(ctx, authority.Folder(c.Aside), table, names, installation.ID(found.Recorded.ID)); err != nil {
			return fmt.Errorf("copy the present authority to %s: %w", c.Aside, err)
		}
	}
	files := memoryFiles{}
	o := a.authorityOptions(sealer)
	o.Created = nil // all certificates are new
	made, err := authority.Open(ctx, files, o)
	if err != nil {
		return err
	}
	write := found.Recorded
	write.Authority, write.CompletedAt = sha256.Sum256(made.Root().Raw), a.clock()
	// Durable: the copies of the former authority.
	if err := a.store.ReplaceAuthority(ctx, digest, files, found.Recorded, write, a.clock()); err != nil {
		return explainLastCommit(err)
	}
	// Durable: the new authority, and that it is the installation's.
	a.reportEffect()
	_, err = fmt.Fprintf(w.stdout, "installation %s has the new authority %s, SHA-256 %x: %d files. Make a backup and a key backup, and give readers its root (segel authority export)\n",
		found.Recorded.ID, made.Root().Subject.CommonName, write.Authority, len(files))
	return err
}

// copyAside copies the files of the authority to a folder that has no other ones: two authorities are not mixed. Durable on return.
func (a *app) copyAside(ctx context.Context, to authority.Folder, from authority.Files, names []string, id installation.ID) error {
	err := os.Mkdir(string(to), 0o700)
	if err == nil || errors.Is(err, fs.ErrExist) { // a run that was killed may have made it
		err = durable.SyncDir(filepath.Dir(string(to)))
	}
	if err != nil {
		return err
	}
	if err := requireNoOtherKeys(ctx, to, names, id); err != nil {
		return err
	}
	for _, name := range append(names, installation.MarkFile) {
		if err := copyKeyFile(ctx, to, from, name, false); err != nil {
			return err
		}
		a.reportEffect()
	}
	return durable.SyncDir(string(to)) // a run that was killed may have created a file
}

// requireReplaceableAuthority requires a complete installation whose keys are used in the database, with or without files of the authority.
func requireReplaceableAuthority(found installation.Found, state installation.State, undecided error) error {
	var e *installation.Error
	switch {
	case undecided == nil && state == installation.Complete:
		return nil
	case undecided == nil:
		return found.Refuse(state)
	case errors.As(undecided, &e) && e.Problem == installation.KeysNotCopied && found.Keys != "" && !found.Recorded.CompletedAt.IsZero():
		// The database is used, and lost the file with the root.
		if found.Blobs == "" {
			return &installation.Error{Problem: installation.BlobsUnmarked, Installation: installation.ID(found.Recorded.ID), Path: found.Names.BlobDir}
		}
		return nil
	}
	return undecided
}

// sealerOfNewAuthority returns the sealer of the new authority, and whether it opens the root of the present one.
func (a *app) sealerOfNewAuthority(ctx context.Context, found installation.Found) (s *credential.Sealer, opens bool, err error) {
	configured, err := readMasterKey(ctx, a.conf)
	if errors.Is(err, fs.ErrNotExist) {
		err = &installation.Error{Problem: installation.KeyFileMissing, Installation: installation.ID(found.Recorded.ID), Path: found.Names.MasterKey}
	}
	if err != nil {
		return nil, false, err
	}
	known, err := a.store.MasterKeys(ctx)
	if err != nil {
		return nil, false, err
	}
	s = configured
	if len(known) > 0 || found.HasAuthority {
		if s, err = a.chooseSealer(ctx, configured, known); err != nil {
			return nil, false, err
		}
	}
	_, err = authority.OpenRoot(ctx, a.keyFiles(), s)
	switch {
	case err == nil:
		return s, true, nil
	case errors.Is(err, credential.ErrSealed) || errors.Is(err, authority.ErrMissing):
		return s, false, nil
	}
	return nil, false, err
}
