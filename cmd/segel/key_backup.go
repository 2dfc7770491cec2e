package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"filippo.io/age"

	"segel/internal/authority"
	"segel/internal/credential"
	"segel/internal/durable"
	"segel/internal/installation"
)

// keyBackup is a backup of the keys alone, without the database. The format is docs/formats/key-backup.md.
type keyBackup struct {
	about  keyBackupAbout
	master []byte            // the master key that sealed when it was made
	former []byte            // the other one of an exchange; nil: there was none
	files  map[string][]byte // of the authority, and the mark of the installation, by name
}

// keyBackupAbout is its first file.
type keyBackupAbout struct {
	Version      int       `json:"version"`
	Installation string    `json:"installation"`
	MadeAt       time.Time `json:"made_at"`
	MasterKeys   []string  `json:"master_keys"` // identifiers, that which seals first
}

// Names in the tar.
const (
	keyBackupFile     = "key-backup.json"
	formerKeyFile     = "former.key"
	keyBackupVersion  = 1
	maxKeyBackup      = 64 << 20 // bytes
	authorityInBackup = authorityDir + "/"
)

// collectKeys reads the keys of an installation.
func (a *app) collectKeys(ctx context.Context) (*keyBackup, error) {
	ids := a.sealer.IDs()
	b := &keyBackup{files: map[string][]byte{}, master: a.sealer.ExportKey(ids[0])}
	b.about = keyBackupAbout{Version: keyBackupVersion, Installation: a.installation.ID, MadeAt: a.clock().UTC(), MasterKeys: a.masterKeyIDs()}
	if len(ids) > 1 {
		b.former = a.sealer.ExportKey(ids[1])
	}
	names, err := authority.ListNames(ctx, a.keyFiles())
	if err != nil {
		return nil, err
	}
	for _, name := range append(names, installation.MarkFile) {
		if b.files[name], err = a.keyFiles().ReadFile(ctx, name); err != nil {
			return nil, err
		}
	}
	return b, b.checkKeys(ctx)
}

// checkKeys requires that the master keys open every key of the authority.
func (b *keyBackup) checkKeys(ctx context.Context) error {
	s, err := credential.NewSealer(b.master)
	if err == nil && b.former != nil {
		var former *credential.Sealer
		if former, err = credential.NewSealer(b.former); err == nil {
			s = s.WithFormer(former)
		}
	}
	if err != nil {
		return err
	}
	names, err := authority.ListNames(ctx, b)
	if err != nil {
		return err
	}
	if _, err := authority.OpenRoot(ctx, b, s); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := authority.SealedUnder(ctx, b, name, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	id, err := installation.ReadMark(ctx, b, "the key backup")
	if err == nil && string(id) != b.about.Installation {
		err = fmt.Errorf("the mark in it is that of installation %q, not %q", id, b.about.Installation)
	}
	return err
}

// ReadFile implements [authority.Files], for checks.
func (b *keyBackup) ReadFile(_ context.Context, name string) ([]byte, error) {
	content, ok := b.files[name]
	if !ok {
		return nil, fmt.Errorf("%s in the key backup: %w", name, fs.ErrNotExist)
	}
	return content, nil
}

// CreateFile implements [authority.Files]: it refuses.
func (b *keyBackup) CreateFile(context.Context, string, []byte) error { return errors.ErrUnsupported }

// ReplaceFile implements [authority.Files]: it refuses.
func (b *keyBackup) ReplaceFile(context.Context, string, []byte, []byte) error {
	return errors.ErrUnsupported
}

// write writes the backup as a tar.
func (b *keyBackup) write(w io.Writer) error {
	t := tar.NewWriter(w)
	add := func(name string, content []byte) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o600, ModTime: b.about.MadeAt, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err := t.Write(content)
		return err
	}
	about, err := json.MarshalIndent(b.about, "", "  ")
	if err != nil {
		return err
	}
	if err := errors.Join(add(keyBackupFile, about), add(masterKeyFile, b.master)); err != nil {
		return err
	}
	if b.former != nil {
		if err := add(formerKeyFile, b.former); err != nil {
			return err
		}
	}
	for name, content := range b.files {
		if err := add(authorityInBackup+name, content); err != nil {
			return err
		}
	}
	return t.Close()
}

// parseKeyBackup reads a tar, and checks it.
func parseKeyBackup(ctx context.Context, from io.Reader) (*keyBackup, error) {
	b := &keyBackup{files: map[string][]byte{}}
	t := tar.NewReader(io.LimitReader(from, maxKeyBackup))
	for {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		inFolder, isFile := strings.CutPrefix(h.Name, authorityInBackup)
		switch {
		case h.Typeflag != tar.TypeReg:
			return nil, fmt.Errorf("%.100q in it is not a file", h.Name)
		case h.Name == keyBackupFile:
			if err := json.Unmarshal(content, &b.about); err != nil {
				return nil, fmt.Errorf("%s: %w", keyBackupFile, err)
			}
		case h.Name == masterKeyFile:
			b.master = content
		case h.Name == formerKeyFile:
			b.former = content
		case isFile && inFolder != "" && !strings.ContainsAny(inFolder, `/\`) && inFolder != "..":
			b.files[inFolder] = content
		default:
			return nil, fmt.Errorf("a file %.100q in it is not one of ours", h.Name)
		}
	}
	if b.about.Version != keyBackupVersion {
		return nil, fmt.Errorf("it is not a key backup of version %d", keyBackupVersion)
	}
	return b, b.checkKeys(ctx)
}

// openKeyBackup decrypts a file, and checks what is in it.
func openKeyBackup(ctx context.Context, name, identityFile, passphraseFile string) (*keyBackup, error) {
	identities, err := readIdentities(identityFile, passphraseFile)
	if err != nil {
		return nil, err
	}
	content, err := readUpTo(name, maxKeyBackup)
	if err != nil {
		return nil, err
	}
	plain, err := age.Decrypt(bytes.NewReader(content), identities...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b, err := parseKeyBackup(ctx, plain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

type masterKeyBackupCommand struct {
	dataFlag
	File           string   `arg:"" help:"New file to write." placeholder:"FILE"`
	Recipient      []string `placeholder:"KEY" help:"Recipient of age (age1...) that the keys are encrypted to; may be repeated."`
	PassphraseFile string   `name:"passphrase-file" placeholder:"FILE" help:"File whose first line is the passphrase that the keys are encrypted with."`
	Identity       string   `placeholder:"FILE" help:"File with the identity of a recipient, to decrypt and check what was written."`
}

// Run writes a key backup and reads it again. Durable on return: the whole file; after an error it may be there, and is not confirmed.
func (c masterKeyBackupCommand) Run(w *environment) error {
	recipients, err := backupCreateCommand{Recipient: c.Recipient, PassphraseFile: c.PassphraseFile}.recipients()
	if err != nil {
		return err
	}
	if len(recipients) == 0 {
		return errors.New("give --recipient or --passphrase-file: the keys are not written in clear")
	}
	return c.withApp(w, reading, func(a *app) error {
		if err := requireOutside(c.File, a.conf.DataDir); err != nil {
			return err
		}
		b, err := a.collectKeys(w.ctx)
		if err != nil {
			return err
		}
		var sealed bytes.Buffer
		to, err := age.Encrypt(&sealed, recipients...)
		if err != nil {
			return err
		}
		if err := errors.Join(b.write(to), to.Close()); err != nil {
			return err
		}
		if err := durable.WriteNew(c.File, sealed.Bytes()); err != nil {
			return err
		}
		checked := "compared with what was written; check that it opens with segel master-key verify"
		if c.Identity != "" || c.PassphraseFile != "" {
			passphrase := c.PassphraseFile
			if c.Identity != "" {
				passphrase = ""
			}
			if _, err := openKeyBackup(w.ctx, c.File, c.Identity, passphrase); err != nil {
				return err
			}
			checked = "decrypted and checked"
		} else if there, err := readUpTo(c.File, maxKeyBackup); err != nil || !bytes.Equal(there, sealed.Bytes()) {
			return errors.Join(err, fmt.Errorf("%s is not what was written", c.File))
		}
		_, err = fmt.Fprintf(w.stdout, "%s has master key %s and %d files of installation %s, %s\n", c.File, strings.Join(b.about.MasterKeys, " and "), len(b.files), b.about.Installation, checked)
		return err
	})
}

// openedFlags name a key backup and what opens it.
type openedFlags struct {
	File           string `arg:"" help:"A key backup." placeholder:"FILE"`
	Identity       string `placeholder:"FILE" help:"File with an age identity that opens it."`
	PassphraseFile string `name:"passphrase-file" placeholder:"FILE" help:"File whose first line is the passphrase that opens it."`
}

type masterKeyVerifyCommand struct{ openedFlags }

// Run checks a key backup. It needs no installation.
func (c masterKeyVerifyCommand) Run(w *environment) error {
	b, err := openKeyBackup(w.ctx, c.File, c.Identity, c.PassphraseFile)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.stdout, "installation %s, made at %s: master key %s opens all %d files\n", b.about.Installation, b.about.MadeAt.Format(time.RFC3339), strings.Join(b.about.MasterKeys, " or "), len(b.files))
	return err
}

type masterKeyRestoreCommand struct {
	dataFlag
	openedFlags
}

// Run puts back the keys of an installation whose database is there. It adds what is missing and replaces nothing.
//
// Everything is compared before the first write. Durable after each file: that file; a run that was interrupted is repeated.
func (c masterKeyRestoreCommand) Run(w *environment) error {
	b, err := openKeyBackup(w.ctx, c.File, c.Identity, c.PassphraseFile)
	if err != nil {
		return err
	}
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	return withDatabase(w, conf, func(a *app) error { return a.restoreKeys(w, b) })
}

func (a *app) restoreKeys(w *environment, b *keyBackup) error {
	ctx := w.ctx
	recorded, _, err := a.store.Installation(ctx)
	if err != nil {
		return err
	}
	if recorded.ID != b.about.Installation {
		return &installation.Error{Problem: installation.KeysOfAnother, Installation: installation.ID(recorded.ID), Found: installation.ID(b.about.Installation), Path: "the key backup"}
	}
	if err := a.requireUsedKeys(ctx); err != nil {
		return err
	}
	names, err := authority.ListNames(ctx, b)
	if err != nil {
		return err
	}
	var missing []string
	for _, name := range append(names, installation.MarkFile) { // the mark last: until it is there, every start is refused
		there, err := a.keyFiles().ReadFile(ctx, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, name)
		case err != nil:
			return err
		case name == authority.FileName && !sameCertificates(there, b.files[name]):
			return errors.New("another authority is there than in the key backup: move it aside first")
		}
	}
	restored := []string{}
	keys := []struct {
		from    credential.MasterKey
		content []byte
	}{{masterKeyOf(a.conf), b.master}, {formerMasterKeyOf(a.conf), b.former}}
	for _, k := range keys {
		file, isFile := k.from.(credential.KeyFile)
		if !isFile || k.content == nil {
			continue
		}
		err := durable.WriteNew(string(file), k.content)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		restored = append(restored, string(file))
	}
	if slices.Contains(missing, authority.FileName) { // otherwise the folder is the one that is used
		if err := a.adoptFolder(ctx); err != nil {
			return err
		}
	}
	for _, name := range missing {
		if err := a.keyFiles().CreateFile(ctx, name, b.files[name]); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		restored = append(restored, name)
	}
	// What is there now has to open with the configured master keys, whether it was restored or not.
	sealer, err := readMasterKey(ctx, a.conf)
	if err == nil {
		_, err = a.openRoot(ctx, partNames(a.conf), sealer)
	}
	if err != nil {
		return fmt.Errorf("%w. The key backup has master key %s: if another one is in use since, give this one with SEGEL_FORMER_MASTER_KEY..., and run segel master-key rotate", err, strings.Join(b.about.MasterKeys, " and "))
	}
	_, err = fmt.Fprintf(w.stdout, "restored %d files: %s\n", len(restored), strings.Join(restored, ", "))
	return err
}

// sameCertificates reports whether two files of the authority have the same certificates: their keys may be sealed under different master keys.
func sameCertificates(a, b []byte) bool {
	type members struct {
		Members map[string]struct{ Certificate []byte }
	}
	var x, y members
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil || len(x.Members) != len(y.Members) {
		return false
	}
	for name, m := range x.Members {
		if !bytes.Equal(m.Certificate, y.Members[name].Certificate) {
			return false
		}
	}
	return true
}
