package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"segel/internal/authority"
	"segel/internal/backup"
	"segel/internal/blob"
	"segel/internal/config"
	"segel/internal/credential"
	"segel/internal/installation"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

type restoreCommand struct {
	destinationFlags
	Backup         string   `placeholder:"ID" help:"The backup, as segel backup list prints it; default: the newest."`
	Identity       string   `placeholder:"FILE" help:"File with an age identity that opens what the backup encrypted."`
	PassphraseFile string   `name:"passphrase-file" placeholder:"FILE" help:"File whose first line is the passphrase that opens what the backup encrypted."`
	Checkpoint     []string `placeholder:"FILE" help:"Checkpoint of the audit log that was kept elsewhere: say whether the restored log has its events. May be repeated."`
	Workers        int      `default:"4" placeholder:"N" help:"Files that are copied at a time."`
	Fast           bool     `help:"Do not validate the signatures of completed documents in the check at the end."`
	SkipCheck      bool     `name:"skip-check" help:"Leave out the check at the end; run segel fsck before the service is started."`
}

// Run makes the installation of a backup in an empty place, and checks it. With the settings of the service that will run there.
//
// Files, records and keys are written first, and the database last, by one rename or commit. If the process dies before that, every command
// refuses what is there, because the database is missing; remove it and restore again.
func (c restoreCommand) Run(w *environment) error {
	if c.Workers < 1 || c.Workers > 64 {
		return errors.New("--workers must be between 1 and 64")
	}
	conf, d, m, err := c.openBackup(w, c.Backup)
	if err != nil {
		return err
	}
	r := &restoring{conf: conf, from: d, m: m}
	if err := r.requireEmpty(w.ctx); err != nil {
		return err
	}
	if err := r.readIdentities(c.Identity, c.PassphraseFile); err != nil {
		return err
	}
	keys, err := r.openKeys(w.ctx)
	if err != nil {
		return err
	}
	if err := r.requireDatabaseOpens(w.ctx); err != nil {
		return err
	}
	show := w.progressPrinter()
	if err := r.restore(w.ctx, keys, c.Workers, func(files int64) { show("%d of %d files", files, m.Files) }); err != nil {
		return err
	}
	// What is restored is said even if the comparison fails.
	compared, err := c.compareCheckpoints(w, conf, r)
	if err := errors.Join(c.printResult(w, m, compared), err); err != nil {
		return err
	}
	if c.SkipCheck {
		return nil
	}
	return fsckCommand{dataFlag: c.dataFlag, Fast: c.Fast, PurgeAside: -1, JSON: c.JSON}.Run(w)
}

// restoredBackup is what the command prints as JSON, on one line before those of segel fsck.
type restoredBackup struct {
	Backup      string               `json:"backup"`
	SnapshotAt  time.Time            `json:"snapshot_at"`
	Events      int64                `json:"events"`
	Files       int64                `json:"files"`
	Bytes       int64                `json:"bytes"`
	Damaged     []backup.Damage      `json:"damaged"`
	Checkpoints []comparedCheckpoint `json:"checkpoints"` // of later backups, and those that were given
}

// comparedCheckpoint is a checkpoint that the restored log was compared with.
type comparedCheckpoint struct {
	Of    string `json:"of"`
	Holds bool   `json:"holds"` // the log has its events
	Text  string `json:"text"`
}

func (c restoreCommand) printResult(w *environment, m backup.Manifest, compared []comparedCheckpoint) error {
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(restoredBackup{m.ID, m.Database.At, m.Database.Events, m.Files, m.Bytes, append([]backup.Damage{}, m.Damaged...), compared})
	}
	fmt.Fprintf(w.stdout, "restored backup %s: the state of %s, %d events of the log, %d files (%d bytes)\n", m.ID, m.Database.At.Format("2006-01-02 15:04:05 MST"), m.Database.Events, m.Files, m.Bytes)
	printDamage(w.stdout, m.Damaged)
	for _, p := range compared {
		fmt.Fprintf(w.stdout, "%s: %s\n", p.Of, p.Text)
	}
	return nil
}

// compareCheckpoints compares the restored log with the checkpoint of the backup, which has to be that of the log, with those of later backups, and with
// those that the operator has. It returns the results for the latter two.
func (c restoreCommand) compareCheckpoints(w *environment, conf config.Config, r *restoring) ([]comparedCheckpoint, error) {
	compared := []comparedCheckpoint{}
	a, err := openApp(w.ctx, conf, w.newLogger(conf), reading)
	if err != nil {
		return compared, err
	}
	defer a.close()
	said, err := a.compareNote(w.ctx, []byte(r.m.Database.Checkpoint))
	if err != nil {
		return compared, err
	}
	if !said.holds {
		return compared, fmt.Errorf("the audit log is not the one of the backup: %s", said.text)
	}
	all, err := r.from.List(w.ctx)
	if err != nil {
		return compared, err
	}
	for _, later := range all {
		if later.ID > r.m.ID {
			if said, err = a.compareNote(w.ctx, []byte(later.Database.Checkpoint)); err != nil {
				return compared, err
			}
			compared = append(compared, comparedCheckpoint{"checkpoint of backup " + later.ID, said.holds, said.text})
		}
	}
	for _, name := range c.Checkpoint {
		if said, err = a.compareCheckpoint(w, name); err != nil {
			return compared, err
		}
		compared = append(compared, comparedCheckpoint{name, said.holds, said.text})
	}
	return compared, nil
}

// restoring is a restoration to the place that the configuration names.
type restoring struct {
	conf config.Config
	from backup.Destination
	m    backup.Manifest

	identities []age.Identity // empty: the backup encrypted nothing
}

// readIdentities reads what opens the backup, if it encrypted anything.
func (r *restoring) readIdentities(identityFile, passphraseFile string) (err error) {
	if r.m.AgeEncryption || r.m.Keys.AgeEncryption {
		r.identities, err = readIdentities(identityFile, passphraseFile)
	}
	return err
}

func (r *restoring) decrypt(from io.Reader) (io.Reader, error) {
	return age.Decrypt(from, r.identities...)
}

// errOpened ends the reading of a database that can be opened.
var errOpened = errors.New("it can be opened")

// requireDatabaseOpens requires that the identities open the database, before anything is written: its keys may be elsewhere.
func (r *restoring) requireDatabaseOpens(ctx context.Context) error {
	err := r.from.ReadSealed(ctx, r.m, r.m.Database.Part, r.decrypt, func(io.Reader) error { return errOpened })
	if errors.Is(err, errOpened) {
		return nil
	}
	return fmt.Errorf("the database of the backup: %w", err)
}

// requireEmpty requires that the place has nothing of an installation, and that its settings fit the backup.
func (r *restoring) requireEmpty(ctx context.Context) error {
	if r.m.Keys.Place != r.conf.State {
		return fmt.Errorf("the backup has its keys in the %s: set SEGEL_STATE=%s", r.m.Keys.Place, r.m.Keys.Place)
	}
	if err := sqlstore.RequireEmpty(ctx, databaseDSN(r.conf)); err != nil {
		return err
	}
	taken := []string{filepath.Join(r.conf.DataDir, authorityDir), filepath.Join(r.conf.DataDir, officeDir), filepath.Join(r.conf.DataDir, testOfficeDir)}
	if r.conf.Blobs != config.BlobsS3 {
		taken = append(taken, r.conf.BlobsDir())
	}
	for _, dir := range taken {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(entries) > 0 {
			return fmt.Errorf("%s is not empty: restore to an empty place", dir)
		}
	}
	blobs, err := findVolume(r.conf, currentPlace(r.conf))
	if err != nil {
		return err
	}
	if _, err := blobs.Mark(ctx); !errors.Is(err, blob.ErrNoMark) {
		return errors.Join(err, fmt.Errorf("%s has an installation: restore to an empty place", blobPlace(r.conf)))
	}
	for b, err := range blobs.List(ctx) {
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		return fmt.Errorf("%s is not empty, it has %s: restore to an empty place", blobPlace(r.conf), b.Key)
	}
	return nil
}

// openKeys returns the keys as a tar, decrypted; nil: the backup has none. It is called before anything is written.
func (r *restoring) openKeys(ctx context.Context) (keys func(func(io.Reader) error) error, err error) {
	masterKey, isFile := masterKeyOf(r.conf).(credential.KeyFile)
	switch {
	case r.m.Keys.HasMasterKey && !isFile:
		return nil, fmt.Errorf("the backup has the master key as a file, and %s is set: unset it", masterKeyOf(r.conf).Name())
	case r.m.Keys.HasMasterKey:
		if _, err := os.Stat(string(masterKey)); !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, fmt.Errorf("%s exists: restore to an empty place", masterKey))
		}
	default:
		has, err := masterKeyOf(r.conf).Exists()
		if err == nil && !has {
			err = fmt.Errorf("the backup does not have the master key: put it in the place that the settings name, %s", masterKeyOf(r.conf).Name())
		}
		if err != nil {
			return nil, err
		}
	}
	if r.m.Keys.Part == nil {
		return nil, nil
	}
	keys = func(read func(io.Reader) error) error {
		b, err := r.from.OpenPart(ctx, *r.m.Keys.Part)
		if err != nil {
			return err
		}
		var plain io.Reader = io.NewSectionReader(b, 0, b.Size())
		if r.m.Keys.AgeEncryption {
			plain, err = r.decrypt(plain)
		}
		if err == nil {
			err = read(plain)
		}
		return errors.Join(err, b.Close())
	}
	// A wrong passphrase is refused before anything is written.
	return keys, keys(func(plain io.Reader) error {
		_, err := io.Copy(io.Discard, plain)
		return err
	})
}

func readIdentities(identityFile, passphraseFile string) ([]age.Identity, error) {
	switch {
	case identityFile != "" && passphraseFile != "":
		return nil, errors.New("use either --identity or --passphrase-file")
	case identityFile != "":
		b, err := readUpTo(identityFile, 64<<10)
		if err != nil {
			return nil, err
		}
		return age.ParseIdentities(strings.NewReader(string(b)))
	case passphraseFile != "":
		phrase, err := readPassphrase(passphraseFile)
		if err != nil {
			return nil, err
		}
		i, err := age.NewScryptIdentity(phrase)
		return []age.Identity{i}, err
	}
	return nil, errors.New("the backup is encrypted: give --identity or --passphrase-file")
}

// restore writes everything, the database last.
func (r *restoring) restore(ctx context.Context, keys func(func(io.Reader) error) error, workers int, progress func(int64)) error {
	if err := os.MkdirAll(r.conf.DataDir, 0o700); err != nil {
		return err
	}
	blobs, err := openVolume(ctx, r.conf, currentPlace(r.conf))
	if err != nil {
		return err
	}
	// First: a start that finds files without a database refuses to make another installation.
	if err := blobs.SetMark(ctx, installation.ID(r.m.Installation).Mark()); err != nil {
		return err
	}
	if err := r.from.CopyFiles(ctx, r.m, blobs, workers, progress); err != nil {
		return err
	}
	below := func(name string) string { return filepath.Join(r.conf.DataDir, filepath.FromSlash(name)) }
	if r.m.Office != nil {
		err := r.from.ReadSealed(ctx, r.m, *r.m.Office, r.decrypt, func(from io.Reader) error { return extractTar(from, below) })
		if err != nil {
			return fmt.Errorf("records of the stamp office: %w", err)
		}
	}
	if keys != nil {
		place := func(name string) string {
			if name == masterKeyFile {
				from, _ := masterKeyOf(r.conf).(credential.KeyFile)
				return string(from)
			}
			if from, isFile := formerMasterKeyOf(r.conf).(credential.KeyFile); isFile && name == formerKeyFile {
				return string(from)
			}
			return below(name)
		}
		if err := keys(func(from io.Reader) error { return extractTar(from, place) }); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
	}
	if err := r.requireMasterKey(ctx); err != nil {
		return err
	}
	// Durable: everything but the database. From its last step on the installation is complete.
	return r.from.ReadSealed(ctx, r.m, r.m.Database.Part, r.decrypt, func(from io.Reader) error {
		return sqlstore.RestoreSnapshot(ctx, databaseDSN(r.conf), sqlstore.SnapshotKind(r.m.Database.Kind), r.m.Database.Migration, from,
			store.Restoration{Backup: r.m.ID, SnapshotAt: r.m.Database.At, Events: r.m.Database.Events}, version)
	})
}

// requireMasterKey requires that the master key opens the authority, if that is in a folder; a database is asked when it is there.
func (r *restoring) requireMasterKey(ctx context.Context) error {
	sealer, err := readMasterKey(ctx, r.conf)
	if err != nil || r.conf.State == config.StateDatabase {
		return err
	}
	_, err = authority.OpenRoot(ctx, keyFolder(r.conf), sealer)
	return keysProblem(partNames(r.conf), err)
}
