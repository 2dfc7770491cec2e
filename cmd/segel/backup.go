package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"segel/internal/audit"
	"segel/internal/backup"
	"segel/internal/blob"
	"segel/internal/blob/encrypted"
	"segel/internal/blob/file"
	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/installation"
	"segel/internal/store"
)

type backupCommand struct {
	Create backupCreateCommand `cmd:"" default:"withargs" help:"Make a backup beside a running service. Ends with 1 if files are missing or changed; the rest is copied."`
	List   backupListCommand   `cmd:"" help:"List the backups of a destination, oldest first."`
	Verify backupVerifyCommand `cmd:"" help:"Read everything of a backup and compare it with what was written. Needs no data folder and no keys. Ends with 1 if something is missing or changed."`
	Prune  backupPruneCommand  `cmd:"" help:"Remove all backups but the newest ones, and the files that only those had."`
}

// destinationFlags name where backups are.
type destinationFlags struct {
	dataFlag
	Destination string `arg:"" name:"dest" help:"A folder, or s3://BUCKET/PREFIX with the settings SEGEL_BACKUP_S3_..."`
	JSON        bool   `name:"json" help:"Print the result as JSON."`
}

// Names below a destination.
const (
	backupFiles     = "files"
	backupParts     = "parts"
	backupManifests = "backups"
)

// openDestination opens the destination. To write to one, it makes folders and requires of an S3 server what stores of files require.
func (c destinationFlags) openDestination(ctx context.Context, conf config.Config, toWrite bool) (d backup.Destination, err error) {
	for name, v := range map[string]*blob.Volume{backupFiles: &d.Files, backupParts: &d.Parts, backupManifests: &d.Manifests} {
		if *v, err = openDestinationVolume(ctx, conf, c.Destination, name, toWrite); err != nil {
			return d, fmt.Errorf("destination: %w", err)
		}
	}
	return d, nil
}

func openDestinationVolume(ctx context.Context, conf config.Config, destination, name string, toWrite bool) (blob.Volume, error) {
	rest, isBucket := strings.CutPrefix(destination, "s3://")
	if !isBucket {
		dir := filepath.Join(destination, name)
		if toWrite {
			return file.Open(dir)
		}
		if _, err := os.Stat(destination); err != nil {
			return nil, err
		}
		return file.Find(dir), nil
	}
	bucket, prefix, _ := strings.Cut(rest, "/")
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	u, err := url.Parse(cmp.Or(conf.BackupS3Endpoint, conf.S3Endpoint))
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || len(conf.OutboundPrivate) == 0) {
		return nil, errors.New("SEGEL_BACKUP_S3_ENDPOINT must be the https address of an S3 server; http is for a network of SEGEL_OUTBOUND_PRIVATE")
	}
	at := conf
	at.S3Endpoint, at.S3Bucket = u.String(), bucket
	at.S3CA, at.S3Region = cmp.Or(conf.BackupS3CA, conf.S3CA), cmp.Or(conf.BackupS3Region, conf.S3Region)
	at.S3AccessKey, at.S3SecretKey = cmp.Or(conf.BackupS3AccessKey, conf.S3AccessKey), cmp.Or(conf.BackupS3SecretKey, conf.S3SecretKey)
	s, err := newBucket(at, prefix+name+"/")
	if err == nil && toWrite {
		err = s.Prepare(ctx)
	}
	return s, err
}

type backupCreateCommand struct {
	destinationFlags
	Recipient        []string `placeholder:"KEY" help:"Recipient of age (age1...) that the keys, the database and the records of the stamp office are encrypted to; may be repeated."`
	PassphraseFile   string   `name:"passphrase-file" placeholder:"FILE" help:"File whose first line is the passphrase that the keys, the database and the records of the stamp office are encrypted with."`
	WithoutMasterKey bool     `name:"without-master-key" help:"The master key is kept elsewhere: copy only keys that it seals. Implied by SEGEL_MASTER_KEY and SEGEL_MASTER_KEY_COMMAND."`
	Compare          bool     `help:"Also read back the files that earlier backups copied, and copy those again that changed there."`
	Workers          int      `default:"4" placeholder:"N" help:"Files that are copied at a time."`
	Scratch          string   `type:"path" placeholder:"DIR" help:"Folder for temporary files: a copy of an SQLite database, and two lists of files; default: the folder of the system."`
}

// The hold of a backup on deletions, and how often it is renewed.
const (
	backupHold  = 2 * time.Minute
	renewBackup = 15 * time.Second
)

// backupResult is what the command prints as JSON.
type backupResult struct {
	Backup      string          `json:"backup"`
	Destination string          `json:"destination"`
	Migration   int64           `json:"migration"`
	Events      int64           `json:"events"`
	Files       int64           `json:"files"`
	Bytes       int64           `json:"bytes"`
	Damaged     []backup.Damage `json:"damaged"`
	Progress    backup.Progress `json:"progress"`
	Seconds     float64         `json:"seconds"`
}

// Run makes a backup. The service and other commands go on; only deletions wait.
func (c backupCreateCommand) Run(w *environment) error {
	if c.Workers < 1 || c.Workers > 64 {
		return errors.New("--workers must be between 1 and 64")
	}
	recipients, err := c.recipients()
	if err != nil {
		return err
	}
	return c.withApp(w, writing, func(a *app) error {
		keys, writeKeys, err := a.keysToCopy(recipients, c.WithoutMasterKey)
		if err != nil {
			return err
		}
		if err := requireOutside(c.Destination, a.conf.DataDir); err != nil {
			return err
		}
		d, err := c.openDestination(w.ctx, a.conf, true)
		if err != nil {
			return err
		}
		// A checkpoint must not confirm a log that was rewritten.
		if err := a.store.CheckLog(w.ctx); err != nil {
			return fmt.Errorf("the audit log: %w", err)
		}
		began := a.clock()
		ctx, hold, err := a.holdDeletions(w.ctx, c.Destination)
		if err != nil {
			return err
		}
		show := w.progressPrinter()
		m := backup.Manifest{Installation: a.installation.ID, Release: version, BeganAt: began.UTC(), Keys: keys}
		stored := a.blobs.(*encrypted.Volume).Inner()
		source := backup.Source{
			Mark: installation.ID(a.installation.ID).Mark(), Stored: stored, WriteKeys: writeKeys, WriteOffice: a.officeToCopy(),
			Decrypt:       func(v blob.Volume) blob.Volume { return encrypted.New(v, a.blobKeys, false) },
			WriteDatabase: a.writeDatabase(c.Scratch),
		}
		m, p, err := backup.Run(ctx, d, source, m, backup.Options{
			Workers: c.Workers, Dir: c.Scratch, Clock: a.clock, Random: rand.Reader, Compare: c.Compare, Encrypt: encryptTo(recipients),
			Commit: func(ctx context.Context) error {
				// If the keys were moved meanwhile, neither the database in it nor the folder may have them.
				if err := a.requireUsedKeys(ctx); err != nil {
					return err
				}
				return hold.renew(ctx)
			},
			Progress: func(p backup.Progress) {
				show("%d of %d files: %d copied (%d bytes), %d kept", p.Copied+p.Kept+p.Damaged, p.Known, p.Copied, p.CopiedBytes, p.Kept)
			},
		})
		if err := errors.Join(err, hold.end(err == nil)); err != nil {
			return fmt.Errorf("after %d copied files: %w", p.Copied, err)
		}
		return c.printResult(w, backupResult{m.ID, c.Destination, m.Database.Migration, m.Database.Events, m.Files, m.Bytes, m.Damaged, p, a.clock().Sub(began).Seconds()})
	})
}

func (c backupCreateCommand) printResult(w *environment, r backupResult) error {
	if c.JSON {
		if err := json.NewEncoder(w.stdout).Encode(r); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(w.stdout, "backup %s: %d files (%d bytes), of which %d were copied (%d bytes); %d events of the log; %.1f s\n",
			r.Backup, r.Files, r.Bytes, r.Progress.Copied, r.Progress.CopiedBytes, r.Events, r.Seconds)
		printDamage(w.stdout, r.Damaged)
	}
	if len(r.Damaged) > 0 {
		return exitStatus(1)
	}
	return nil
}

func printDamage(out io.Writer, all []backup.Damage) {
	for _, d := range all {
		fmt.Fprintf(out, "file %s: %s\n", d.Key, d.Text)
	}
}

// recipients returns whom the keys are encrypted to.
func (c backupCreateCommand) recipients() ([]age.Recipient, error) {
	var all []age.Recipient
	if len(c.Recipient) > 0 {
		named, err := age.ParseRecipients(strings.NewReader(strings.Join(c.Recipient, "\n")))
		if err != nil {
			return nil, fmt.Errorf("--recipient: %w", err)
		}
		all = named
	}
	if c.PassphraseFile != "" {
		if len(all) > 0 {
			return nil, errors.New("use either --recipient or --passphrase-file")
		}
		phrase, err := readPassphrase(c.PassphraseFile)
		if err != nil {
			return nil, err
		}
		r, err := age.NewScryptRecipient(phrase)
		if err != nil {
			return nil, err
		}
		r.SetWorkFactor(passphraseWorkFactor)
		all = append(all, r)
	}
	return all, nil
}

// passphraseWorkFactor is the base-2 logarithm of how often a passphrase is hashed: a second or less, and 256 MiB. It is age's
// default. Tests lower it.
var passphraseWorkFactor = 18

// encryptTo returns what encrypts to recipients; nil: there are none.
func encryptTo(recipients []age.Recipient) backup.Encrypt {
	if len(recipients) == 0 {
		return nil
	}
	return func(w io.Writer) (io.WriteCloser, error) { return age.Encrypt(w, recipients...) }
}

// readPassphrase reads the first line of a file.
func readPassphrase(name string) (string, error) {
	b, err := readUpTo(name, 4<<10)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	if line = strings.TrimSuffix(line, "\r"); len(line) < 8 {
		return "", fmt.Errorf("the passphrase in %s must have at least 8 characters", name)
	}
	return line, nil
}

// requireOutside refuses a destination in the data folder, which would be lost with it.
func requireOutside(destination, data string) error {
	if strings.HasPrefix(destination, "s3://") {
		return nil
	}
	whole, err := filepath.Abs(data)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(destination)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(whole, to); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("the destination %s is in the data folder: use another disk or a bucket", destination)
	}
	return nil
}

// writeDatabase returns what writes the database, with a signed checkpoint of the log as it is in the copy.
func (a *app) writeDatabase(scratch string) func(context.Context, io.Writer, func(contract.File) error) (backup.Database, error) {
	return func(ctx context.Context, to io.Writer, eachFile func(contract.File) error) (backup.Database, error) {
		shot, err := a.store.WriteSnapshot(ctx, scratch, to, eachFile)
		if err != nil {
			return backup.Database{}, err
		}
		key, origin := a.auditKey()
		note, err := audit.Checkpoint{Origin: origin, Size: shot.Events, Root: shot.Root}.Sign(key)
		return backup.Database{Kind: string(shot.Kind), Migration: shot.Migration, At: shot.At, Events: shot.Events, Checkpoint: string(note)}, err
	}
}

// errNoSeal means that the keys would be in the backup without encryption.
var errNoSeal = errors.New("the backup would have the master key in clear: give --recipient or --passphrase-file, or --without-master-key if it is kept elsewhere")

// keysToCopy decides how a backup has the keys, and returns what writes them; nil: it has none.
func (a *app) keysToCopy(to []age.Recipient, without bool) (keys backup.Keys, write func(io.Writer) error, err error) {
	fromFile, isFile := masterKeyOf(a.conf).(credential.KeyFile)
	keys = backup.Keys{Place: a.conf.State, HasMasterKey: isFile && !without, AgeEncryption: len(to) > 0}
	if keys.HasMasterKey && len(to) == 0 {
		return keys, nil, errNoSeal
	}
	if !keys.HasMasterKey && a.conf.State == config.StateDatabase {
		keys.AgeEncryption = false
		return keys, nil, nil
	}
	write = func(w io.Writer) error { return a.writeKeys(w, fromFile, keys.HasMasterKey) }
	if len(to) == 0 {
		return keys, write, nil
	}
	return keys, func(w io.Writer) error {
		sealed, err := encryptTo(to)(w)
		if err != nil {
			return err
		}
		if err := a.writeKeys(sealed, fromFile, keys.HasMasterKey); err != nil {
			return err
		}
		return sealed.Close()
	}, nil
}

// heldDeletions is the hold of a backup that is under way.
type heldDeletions struct {
	a      *app
	id     string
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when nothing renews it any more
}

var errHoldLost = errors.New("the backup was stopped or cut off from the database for so long that files may have been deleted: run it again")

// holdDeletions holds deletions until the hold is ended, and renews the hold. The context ends when it is lost.
func (a *app) holdDeletions(ctx context.Context, destination string) (context.Context, *heldDeletions, error) {
	h := &heldDeletions{a: a, id: rand.Text(), ended: make(chan struct{})}
	err := a.store.BeginBackup(ctx, h.id, destination, backupHold)
	if errors.Is(err, store.ErrExists) {
		return nil, nil, fmt.Errorf("another backup is under way; one that was killed is forgotten after %v", backupHold)
	}
	if err != nil {
		return nil, nil, err
	}
	ctx, h.cancel = context.WithCancelCause(ctx)
	go h.keepRenewing(ctx)
	return ctx, h, nil
}

// keepRenewing ends the context if the hold is lost. While the database does not answer it tries again: the database decides.
func (h *heldDeletions) keepRenewing(ctx context.Context) {
	defer close(h.ended)
	tick := time.NewTicker(renewBackup)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := h.renew(ctx); errors.Is(err, errHoldLost) {
				h.cancel(err)
				return
			}
		}
	}
}

func (h *heldDeletions) renew(ctx context.Context) error {
	err := h.a.store.RenewBackup(ctx, h.id, backupHold)
	if errors.Is(err, store.ErrNotFound) {
		err = errHoldLost
	}
	return err
}

// end lets deletions go on, and records whether the backup is complete.
func (h *heldDeletions) end(complete bool) error {
	h.cancel(nil)
	<-h.ended
	ctx, cancel := context.WithTimeout(context.Background(), renewBackup)
	defer cancel()
	return h.a.store.EndBackup(ctx, h.id, complete)
}

type backupListCommand struct{ destinationFlags }

// Run prints a line for each backup.
func (c backupListCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	d, err := c.openDestination(w.ctx, conf, false)
	if err != nil {
		return err
	}
	all, err := d.List(w.ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if c.JSON {
			err = json.NewEncoder(w.stdout).Encode(struct {
				Backup string `json:"backup"`
				backup.Manifest
			}{m.ID, m})
		} else {
			_, err = fmt.Fprintf(w.stdout, "%s  %s  %s, migration %d, %d events  %d files, %d bytes  %d damaged\n",
				m.ID, m.Database.At.Format(time.RFC3339), m.Database.Kind, m.Database.Migration, m.Database.Events, m.Files, m.Bytes, len(m.Damaged))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openBackup opens the destination for reading, and finds a backup in it, the newest one if id is empty.
func (f destinationFlags) openBackup(w *environment, id string) (conf config.Config, d backup.Destination, m backup.Manifest, err error) {
	if conf, err = f.loadConfig(w, nil); err != nil {
		return conf, d, m, err
	}
	if d, err = f.openDestination(w.ctx, conf, false); err != nil {
		return conf, d, m, err
	}
	m, err = d.Find(w.ctx, id)
	return conf, d, m, err
}

type backupVerifyCommand struct {
	destinationFlags
	Backup  string `placeholder:"ID" help:"The backup, as segel backup list prints it; default: the newest."`
	Workers int    `default:"4" placeholder:"N" help:"Files that are read at a time."`
}

// Run reads a backup.
func (c backupVerifyCommand) Run(w *environment) error {
	_, d, m, err := c.openBackup(w, c.Backup)
	if err != nil {
		return err
	}
	show := w.progressPrinter()
	damaged, err := d.Verify(w.ctx, m, c.Workers, func(files int64) { show("%d of %d files", files, m.Files) })
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(w.stdout).Encode(struct {
			Backup  string          `json:"backup"`
			Files   int64           `json:"files"`
			Damaged []backup.Damage `json:"damaged"`
		}{m.ID, m.Files, damaged})
	} else {
		printDamage(w.stdout, damaged)
		_, err = fmt.Fprintf(w.stdout, "backup %s: %d files read, %d missing or changed\n", m.ID, m.Files, len(damaged))
	}
	if err == nil && len(damaged) > 0 {
		err = exitStatus(1)
	}
	return err
}

type backupPruneCommand struct {
	destinationFlags
	Keep int `required:"" placeholder:"N" help:"How many backups stay, the newest ones."`
}

// Run removes backups. It holds deletions like a backup, so that none is under way.
func (c backupPruneCommand) Run(w *environment) error {
	if c.Keep < 1 {
		return errors.New("--keep must be at least 1")
	}
	return c.withApp(w, writing, func(a *app) error {
		d, err := c.openDestination(w.ctx, a.conf, true)
		if err != nil {
			return err
		}
		ctx, hold, err := a.holdDeletions(w.ctx, c.Destination)
		if err != nil {
			return err
		}
		removed, err := d.Prune(ctx, installation.ID(a.installation.ID).Mark(), c.Keep)
		if err := errors.Join(err, hold.end(false)); err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(w.stdout).Encode(map[string]int{"removed": removed})
		}
		_, err = fmt.Fprintf(w.stdout, "%d backups removed\n", removed)
		return err
	})
}
