package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"segel/internal/authority"
	"segel/internal/blob"
	"segel/internal/blob/file"
	"segel/internal/config"
	"segel/internal/credential"
	"segel/internal/installation"
	proc "segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

// access is what a command may do with an installation.
type access int

const (
	reading  access = iota // reads a complete one, and writes nothing
	writing                // uses a complete one; creates no database, key, folder or table
	creating               // creates one where nothing exists, adopts one of an earlier release, migrates the database
)

// Names in the data folder.
const (
	authorityDir  = "authority"
	databaseFile  = "segel.db"
	masterKeyFile = "master.key"
)

// keyTableName names the table of keys in messages.
const keyTableName = "table key_file of the database"

func databaseDSN(conf config.Config) string {
	if conf.Database != "" {
		return conf.Database
	}
	return filepath.Join(conf.DataDir, databaseFile)
}

// partNames returns the locations of the parts of an installation. It omits the address of a PostgreSQL server, which may
// contain a password.
func partNames(conf config.Config) installation.Names {
	n := installation.Names{
		Data: conf.DataDir, Database: "in PostgreSQL", BlobDir: blobPlace(conf), KeyDir: string(keyFolder(conf)), MasterKey: masterKeyOf(conf).Name(),
	}
	n.Authority = filepath.Join(n.KeyDir, authority.FileName)
	if conf.State == config.StateDatabase {
		n.KeyDir, n.Authority = keyTableName, authority.FileName+" in "+keyTableName
	}
	if path, ok := sqlstore.SQLitePath(databaseDSN(conf)); ok {
		n.Database = path
	}
	return n
}

// readFolders reads the marks of keys and blob store, and which keys there are, and changes nothing. Keys is nil while keys in the
// database cannot be read yet.
func readFolders(ctx context.Context, conf config.Config, keys authority.Files, blobs blob.Volume) (f installation.Found, err error) {
	f.Names = partNames(conf)
	f.InDatabase = conf.State == config.StateDatabase
	if keys != nil {
		if f.Keys, err = installation.ReadMark(ctx, keys, f.Names.KeyDir); err != nil {
			return f, err
		}
		if f.HasAuthority, err = authority.Exists(ctx, keys); err != nil {
			return f, fmt.Errorf("look for the authority: %w", err)
		}
	}
	if f.HasMasterKey, err = masterKeyOf(conf).Exists(); err != nil {
		return f, fmt.Errorf("look for the master key: %w", err)
	}
	mark, err := blobs.Mark(ctx)
	if err == nil {
		if f.Blobs, err = installation.ParseMark(mark); err != nil {
			err = fmt.Errorf("mark of %s: %w", f.Names.BlobDir, err)
		}
		return f, err
	}
	if !errors.Is(err, blob.ErrNoMark) {
		return f, err
	}
	for _, err := range blobs.List(ctx) {
		if errors.Is(err, fs.ErrNotExist) { // the folder is missing or empty
			break
		}
		if err != nil {
			return f, err
		}
		f.HasBlobs = true
		break
	}
	return f, nil
}

// openDatabase opens the database with the access that the command has. It creates an SQLite file only if no keys or blobs
// remain of a database that is missing.
func openDatabase(ctx context.Context, conf config.Config, clock *proc.Clock, to access, tracer trace.Tracer) (*sqlstore.Store, error) {
	// A process that starts must not change tables under others: an operator migrates first.
	o := sqlstore.Options{Mode: sqlstore.Migrating, Beside: sqlstore.BesideNone, Version: version, Timeout: conf.DatabaseTimeout, Clock: clock.Now, ClockTolerance: clock.Tolerance(), Tracer: tracer}
	switch {
	case to == reading:
		o.Mode = sqlstore.Reading
	case to == writing || conf.Migrate == config.MigrateOff:
		o.Mode = sqlstore.Writing
	}
	// The folders are read before the database: a process that starts at the same moment creates the database first.
	blobs, err := findBlobs(conf)
	if err != nil {
		return nil, err
	}
	var keys authority.Files
	if conf.State == config.StateFolder {
		keys = keyFolder(conf)
	}
	found, err := readFolders(ctx, conf, keys, blobs)
	if err != nil {
		return nil, err
	}
	if path, ok := sqlstore.SQLitePath(databaseDSN(conf)); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if err := found.RequireNoKeysOrBlobs(); err != nil {
				return nil, err
			}
			if to != creating {
				return nil, found.Refuse(installation.Absent)
			}
			if conf.Migrate == config.MigrateOff {
				return nil, fmt.Errorf("database file %s does not exist: start segel serve once with --migrate=auto, which makes it", path)
			}
			if err := os.MkdirAll(conf.DataDir, 0o700); err != nil {
				return nil, fmt.Errorf("data folder: %w", err)
			}
		}
	}
	return sqlstore.Open(ctx, databaseDSN(conf), o)
}

// findInstallation reads all parts and determines the state of the installation. It reads the folders before the database, and
// again if the database has changed meanwhile: another process may be creating the installation.
func (a *app) findInstallation(ctx context.Context) (installation.Found, installation.State, error) {
	if a.blobs == nil {
		var err error
		if a.blobs, err = findBlobs(a.conf); err != nil {
			return installation.Found{}, 0, err
		}
	}
	for last := (store.Installation{}); ; {
		found, err := readFolders(ctx, a.conf, a.keyFiles(), a.blobs)
		if err != nil {
			return found, 0, err
		}
		if found.Elsewhere, err = a.findElsewhere(ctx); err != nil {
			return found, 0, err
		}
		if found.Recorded, found.Empty, err = a.store.Installation(ctx); err != nil {
			return found, 0, err
		}
		state, err := found.Decide()
		if err == nil || found.Recorded == last {
			return found, state, err
		}
		last = found.Recorded
	}
}

// openInstallation opens keys and blobs after checking that they and the database belong together. A command that may create
// completes an installation, one step per iteration; if another process took a step, it continues from there.
func (a *app) openInstallation(ctx context.Context, to access) error {
	for last := (installation.Found{}); ; {
		found, state, err := a.findInstallation(ctx)
		switch {
		case err != nil:
			return err
		case state == installation.Complete:
			return a.openParts(ctx, found, to)
		case to != creating:
			return found.Refuse(state)
		case state == installation.Absent:
			err = a.beginCreation(ctx)
		case state == installation.Begun:
			err = a.finishCreation(ctx, found)
		case state == installation.Unmarked:
			err = a.adoptByEvidence(ctx, found)
		}
		// A conflict means that another process made progress. Without progress, repeating would never end.
		if err != nil && (!errors.Is(err, store.ErrConflict) || found == last) {
			return err
		}
		last = found
	}
}

// beginCreation gives an empty database its identity. Of two processes on one database, the first decides.
//
// Durable on return: the identity, in the database only. If the process dies here, the next start continues with finishCreation.
func (a *app) beginCreation(ctx context.Context) error {
	id, err := installation.NewID(rand.Reader)
	if err != nil {
		return err
	}
	return a.store.ReplaceInstallation(ctx, store.Installation{}, store.Installation{ID: string(id), CreatedAt: a.clock()})
}

// finishCreation creates the keys and marks the folders of an installation that was begun. Until its last commit there is no
// organisation and no service, so a crash at any point loses nothing, and the next start repeats the remaining steps.
func (a *app) finishCreation(ctx context.Context, found installation.Found) error {
	if err := os.MkdirAll(found.Names.Data, 0o700); err != nil { // with PostgreSQL it may not exist yet
		return fmt.Errorf("data folder: %w", err)
	}
	from := masterKeyOf(a.conf)
	sealer, err := from.Create(ctx)
	if err != nil {
		return masterKeyProblem(from, err)
	}
	// Durable: the master key, under which the authority is encrypted.
	keys, err := authority.Open(ctx, a.keyFiles(), a.authorityOptions(sealer))
	if err != nil {
		return keysProblem(found.Names, err)
	}
	// Durable: the authority. It is recorded before the folder is marked, so that a second process on this database with another
	// folder cannot record its own authority as the installation's.
	recorded := found.Recorded
	if recorded.Authority == [32]byte{} {
		recorded.Authority = sha256.Sum256(keys.Root().Raw)
		if err := a.store.ReplaceInstallation(ctx, found.Recorded, recorded); err != nil {
			return err
		}
	} else if err := requireAuthority(found, keys.Root()); err != nil {
		return err
	}
	blobs, _, err := openBlobs(ctx, a.conf)
	if err != nil {
		return err
	}
	if err := a.markFolders(ctx, found.Names, blobs, installation.ID(recorded.ID)); err != nil {
		return err
	}
	// Durable: both marks. Not yet: that the installation is complete.
	complete := recorded
	complete.CompletedAt = a.clock()
	return a.store.ReplaceInstallation(ctx, recorded, complete)
}

// markFolders marks blob store and keys. It leaves an existing mark unchanged.
func (a *app) markFolders(ctx context.Context, n installation.Names, blobs blob.Store, id installation.ID) error {
	err := blobs.SetMark(ctx, id.Mark())
	if errors.Is(err, blob.ErrExists) {
		mark, err := blobs.Mark(ctx)
		if err != nil {
			return err
		}
		other, err := installation.ParseMark(mark)
		if err != nil {
			return fmt.Errorf("mark of %s: %w", n.BlobDir, err)
		}
		if other != id {
			return &installation.Error{Problem: installation.BlobsOfAnother, Installation: id, Found: other, Path: n.BlobDir}
		}
	} else if err != nil {
		return err
	}
	return installation.WriteMark(ctx, a.keyFiles(), n.KeyDir, id)
}

// openParts opens keys and blobs of a complete installation.
func (a *app) openParts(ctx context.Context, found installation.Found, to access) error {
	if err := a.openMasterKey(ctx, to); err != nil {
		return err
	}
	root, err := a.openRoot(ctx, found.Names, a.sealer)
	if err != nil {
		return err
	}
	if err := requireAuthority(found, root); err != nil {
		return err
	}
	open := authority.OpenExisting
	if to == reading {
		open = authority.Read
	}
	if to != reading {
		if err := a.lockKeys(ctx); err != nil {
			return err
		}
	}
	if a.authority, err = open(ctx, a.keyFiles(), a.authorityOptions(a.sealer)); err != nil {
		if to == reading && errors.Is(err, authority.ErrMissing) {
			err = fmt.Errorf("%w: segel serve makes it", err)
		}
		return err
	}
	a.scratch = file.Find(a.fileDir()).Scratch
	if to != reading {
		if a.blobs, a.scratch, err = openBlobs(ctx, a.conf); err != nil {
			return err
		}
	}
	a.encryptBlobs()
	a.installation = found.Recorded
	return nil
}

// openRoot requires that the master key decrypts the authority.
func (a *app) openRoot(ctx context.Context, n installation.Names, s *credential.Sealer) (*x509.Certificate, error) {
	root, err := authority.OpenRoot(ctx, a.keyFiles(), s)
	return root, keysProblem(n, err)
}

// keysProblem is the problem of an installation whose keys another master key sealed.
func keysProblem(n installation.Names, err error) error {
	if errors.Is(err, credential.ErrSealed) {
		return &installation.Error{Problem: installation.KeysLocked, Path: n.MasterKey, Other: n.KeyDir, Err: err}
	}
	return err
}

// requireAuthority requires that the authority is the one that the installation was created with.
func requireAuthority(found installation.Found, root *x509.Certificate) error {
	if sha256.Sum256(root.Raw) == found.Recorded.Authority {
		return nil
	}
	return &installation.Error{Problem: installation.AuthorityOfAnother, Installation: installation.ID(found.Recorded.ID), Path: found.Names.KeyDir}
}

func (a *app) authorityOptions(s *credential.Sealer) authority.Options {
	return authority.Options{PublicURL: a.conf.BaseURL(), Clock: a.clock, Sealer: s, Ledger: ledger{a.store, a.clock}, Created: a.logCreated}
}

// originEvidence is what was found about whether the database, keys and blobs of an installation without an identity belong together.
type originEvidence struct {
	root        *x509.Certificate
	documents   int
	files       int      // of the newest documents, that were looked for
	missing     []string // of them
	certificate certificateOrigin
}

// certificateOrigin is who issued the newest recorded certificate.
type certificateOrigin int

const (
	noCertificate certificateOrigin = iota
	ownCertificate
	foreignCertificate
)

// Bounds on the sample.
const (
	evidenceDocuments = 8
	evidenceFiles     = 64
)

// gatherEvidence decrypts the root with the available master key, and looks for a sample of the files that the database refers
// to. It writes nothing.
func (a *app) gatherEvidence(ctx context.Context, n installation.Names) (e originEvidence, err error) {
	sealer, err := readMasterKey(ctx, a.conf)
	if err != nil {
		return e, err
	}
	if e.root, err = a.openRoot(ctx, n, sealer); err != nil {
		return e, err
	}
	sample, err := a.store.Evidence(ctx, evidenceDocuments)
	if err != nil {
		return e, err
	}
	e.documents = sample.Documents
	for _, f := range sample.Files[:min(len(sample.Files), evidenceFiles)] {
		e.files++
		b, err := a.blobs.Open(ctx, blob.Key(f.Key))
		if errors.Is(err, blob.ErrNotFound) {
			e.missing = append(e.missing, f.Key)
			continue
		}
		if err != nil {
			return e, err
		}
		if b.Size() != f.Size {
			e.missing = append(e.missing, f.Key)
		}
		if err := b.Close(); err != nil {
			return e, err
		}
	}
	if sample.Certificate == nil {
		return e, nil
	}
	newest, err := x509.ParseCertificate(sample.Certificate)
	if err != nil {
		return e, fmt.Errorf("read the newest certificate of the ledger: %w", err)
	}
	_, issuers, err := authority.ReadPublic(ctx, a.keyFiles())
	if err != nil {
		return e, err
	}
	e.certificate = foreignCertificate
	if slices.ContainsFunc(issuers, func(i authority.Issuer) bool { return newest.CheckSignatureFrom(i.Certificate) == nil }) {
		e.certificate = ownCertificate
	}
	return e, nil
}

// listObjections returns the reasons to doubt that the parts belong together; empty if there are none and some evidence confirms it.
func (e originEvidence) listObjections() (all []string) {
	if len(e.missing) > 0 {
		all = append(all, fmt.Sprintf("%d of %d files of the newest documents are missing", len(e.missing), e.files))
	}
	if e.certificate == foreignCertificate {
		all = append(all, "the newest certificate in the database was issued by another authority")
	}
	if e.files == 0 && e.certificate == noCertificate {
		all = append(all, "the database has neither a document nor a certificate that could be compared")
	}
	return all
}

// adoptByEvidence gives an installation of an earlier release its identity if there are no objections.
func (a *app) adoptByEvidence(ctx context.Context, found installation.Found) error {
	e, err := a.gatherEvidence(ctx, found.Names)
	if err != nil {
		return err
	}
	if against := e.listObjections(); len(against) > 0 {
		return &installation.Error{Problem: installation.NotAdopted, Path: found.Names.Data, Err: errors.New(strings.Join(against, "; "))}
	}
	if err := a.adoptInstallation(ctx, found, e.root); err != nil {
		return err
	}
	a.log.Info("the installation has an identity now", slog.Int("documents", e.documents), slog.Int("files_looked_for", e.files))
	return nil
}

// adoptInstallation marks the folders and then records the identity. Existing marks stay: if the process dies after the first
// mark, the database has no identity yet, and the next try takes it from the mark. Of two processes that adopt concurrently,
// the mark of the blob store that was written first becomes the identity for both.
func (a *app) adoptInstallation(ctx context.Context, found installation.Found, root *x509.Certificate) error {
	id := installation.ID(found.Recorded.ID)
	for _, mark := range []installation.ID{found.Blobs, found.Keys} {
		if id == "" {
			id = mark
		}
	}
	if id == "" {
		var err error
		if id, err = installation.NewID(rand.Reader); err != nil {
			return err
		}
	}
	blobs, _, err := openBlobs(ctx, a.conf)
	if err != nil {
		return err
	}
	if err := a.adoptFolder(ctx); err != nil {
		return err
	}
	if err := a.markFolders(ctx, found.Names, blobs, id); err != nil {
		var other *installation.Error
		if errors.As(err, &other) && found.Blobs == "" && found.Keys == "" {
			return errors.Join(store.ErrConflict, err) // another process has adopted it meanwhile; the caller reads it again
		}
		return err
	}
	now := a.clock()
	adopted := found.Recorded
	adopted.ID, adopted.Authority, adopted.CompletedAt = string(id), sha256.Sum256(root.Raw), now
	if adopted.CreatedAt.IsZero() {
		adopted.CreatedAt = now
	}
	return a.store.ReplaceInstallation(ctx, found.Recorded, adopted)
}

// checkInstallation requires that the parts still belong together: a volume may have been unmounted, a newer program may
// have closed the database to this one, and a master key that this process does not have may have been taken into use while it was suspended.
func (a *app) checkInstallation(ctx context.Context) error {
	if err := a.store.CheckWriter(ctx); err != nil {
		return err
	}
	found, state, err := a.findInstallation(ctx)
	switch {
	case err != nil:
		return err
	case state != installation.Complete:
		return found.Refuse(state)
	case found.Recorded.Authority != a.installation.Authority && found.Recorded.ID == a.installation.ID:
		return &installation.Error{Problem: installation.AuthorityOfAnother, Installation: installation.ID(found.Recorded.ID), Path: found.Names.KeyDir}
	case found.Recorded.ID != a.installation.ID:
		return fmt.Errorf("the database belongs to installation %s; this service was started on %s", found.Recorded.ID, a.installation.ID)
	}
	return a.checkMasterKeys(ctx)
}
