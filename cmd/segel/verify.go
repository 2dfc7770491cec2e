package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/authority"
	"segel/internal/config"
	"segel/internal/installation"
	"segel/pades"
	"segel/pades/validate"
	"segel/pdf"
	"segel/revocation"
)

type verifyCommand struct {
	dataFlag
	Files        []string      `arg:"" help:"Files to judge." placeholder:"FILE"`
	Trust        string        `help:"Folder of trusted roots, PEM or DER; besides the root of the data folder." placeholder:"DIR"`
	At           string        `help:"Moment to judge for, such as 2026-11-21 or 2026-11-21T08:00:00Z; default now." placeholder:"TIME"`
	JSON         bool          `name:"json" help:"Print each report as JSON."`
	Explain      bool          `help:"Tell every check with its outcome."`
	Online       bool          `help:"Ask OCSP responders and fetch revocation lists that certificates name."`
	OnlineWithin time.Duration `help:"How long all of them together may be asked about one file; what they have not told by then is missing; default 1m." placeholder:"DURATION"`
	Lang         string        `enum:"id,en" default:"en" help:"Language of the text: id or en."`
	PasswordFile string        `help:"File whose first line opens encrypted files." placeholder:"FILE"`
}

// How verify ends where not all passed.
const (
	someDidNotPass = exitStatus(1)
	someUnreadable = exitStatus(2)
)

// Run judges the files and ends with 0 where every signature of every file passed, 1 where some did not or a file has
// none, 2 where a file could not be read.
func (c verifyCommand) Run(w *environment) error {
	o, done, err := c.validateOptions(w)
	defer done()
	if _, ok := exitOf(err); ok {
		return err
	}
	if err != nil {
		fmt.Fprintln(w.stderr, "segel:", err)
		return someUnreadable
	}
	var end error
	for i, name := range c.Files {
		r, err := validateFile(w, name, o)
		if err != nil {
			fmt.Fprintf(w.stderr, "segel: %s: %s\n", name, unreadableText(err, c.Lang))
			end = someUnreadable
			continue
		}
		if !r.Passed() && end == nil {
			end = someDidNotPass
		}
		if err := c.printReport(w, r, i > 0); err != nil {
			return err
		}
	}
	return end
}

// validateOptions reads what the command line says. Done is to be called whatever becomes of it.
func (c verifyCommand) validateOptions(w *environment) (o validate.Options, done func(), err error) {
	o, done = validate.Options{At: time.Now(), Explain: c.Explain, OnlineWithin: cmp.Or(c.OnlineWithin, pades.DefaultWithin)}, func() {}
	conf, err := c.loadConfig(w, map[string]string{"SEGEL_TRUST_DIR": c.Trust})
	if err != nil {
		return o, done, err
	}
	o.MaxMark = max(validate.DefaultMaxMark, float64(conf.MaxBoxArea)/100)
	if c.At != "" {
		if o.At, err = parseMoment(c.At); err != nil {
			return o, done, err
		}
	}
	if c.PasswordFile != "" {
		if o.Password, err = firstLine(c.PasswordFile); err != nil {
			return o, done, err
		}
	}
	if o.Trust, err = c.loadTrust(w, conf); err != nil || !c.Online {
		return o, done, err
	}
	if c.Data == "" {
		o.Online = &revocation.Fetcher{HTTP: outboundClient(conf), Clock: time.Now}
		return o, done, nil
	}
	// The folder's own authority answers in process: its addresses may lead nowhere, or where the guard refuses to go.
	a, err := openApp(w.ctx, conf, w.newLogger(conf), reading)
	if err != nil {
		return o, done, err
	}
	o.Online = a.revocation
	return o, a.close, nil
}

// loadTrust gathers the roots. A data folder that was named has to be one; the usual one may be missing, for whoever
// judges files of others.
func (c verifyCommand) loadTrust(w *environment, conf config.Config) (*validate.Trust, error) {
	root, issuers, err := authority.ReadPublic(filepath.Join(conf.DataDir, authorityDir))
	if err != nil {
		return nil, err
	}
	if root == nil && c.Data != "" {
		found, err := readFolders(w.ctx, conf)
		if err != nil {
			return nil, err
		}
		if found.HasMasterKey || found.Blobs != "" || found.HasBlobs {
			return nil, &installation.Error{Problem: installation.KeyFileMissing, Path: found.Names.Authority}
		}
		return nil, &installation.Error{Problem: installation.NothingThere, Path: c.Data, Other: found.Names.Authority}
	}
	t, err := trustOf(root, conf.TrustDir, func(name string) {
		fmt.Fprintf(w.stderr, "segel: %s holds what is no certificate\n", name)
	})
	if err != nil {
		return nil, err
	}
	declareIdentities(t, issuers)
	return t, nil
}

// validateFile judges one file.
func validateFile(w *environment, name string, o validate.Options) (*validate.Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("no regular file")
	}
	if info.Size() == 0 {
		return nil, errEmptyFile
	}
	o.Name = filepath.Base(name)
	return validate.Validate(w.ctx, f, info.Size(), o)
}

// unreadableReasons are why a file cannot be judged, in both languages, for whoever has no use for the cause.
var unreadableReasons = []struct {
	is     error
	id, en string
}{
	{errEmptyFile, "berkas kosong", "the file is empty"},
	{pdf.ErrNotPDF, "bukan PDF", "this is no PDF"},
	{pdf.ErrPasswordNeeded, "berkas terkunci dengan kata sandi; berikan dengan --password-file", "the file is locked with a password; give it with --password-file"},
	{pdf.ErrEncrypted, "berkas terkunci dengan cara yang tidak dikenal", "the file is locked in a way that is not known"},
	{pdf.ErrTooLarge, "berkas terlalu rumit untuk diperiksa dengan aman", "the file is too complex to be judged safely"},
	{validate.ErrUnreadable, "berkas rusak dan tidak dapat dibaca", "the file is damaged and cannot be read"},
	{fs.ErrNotExist, "tidak ada berkas dengan nama itu", "there is no such file"},
	{fs.ErrPermission, "berkas tidak boleh dibaca", "the file may not be read"},
}

var errEmptyFile = errors.New("no bytes")

// unreadableText says why a file cannot be judged, and the cause behind it.
func unreadableText(err error, language string) string {
	for _, n := range unreadableReasons {
		if !errors.Is(err, n.is) {
			continue
		}
		if language == "id" {
			return fmt.Sprintf("%s (%v)", n.id, err)
		}
		return fmt.Sprintf("%s (%v)", n.en, err)
	}
	return err.Error()
}

func (c verifyCommand) printReport(w *environment, r *validate.Report, more bool) error {
	var b bytes.Buffer
	if c.JSON {
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r); err != nil {
			return err
		}
	} else {
		if more {
			b.WriteByte('\n')
		}
		if err := r.WriteText(&b, c.Lang); err != nil {
			return err
		}
	}
	_, err := w.stdout.Write(b.Bytes())
	return err
}

// parseMoment reads a moment with its zone, or a day, whose beginning in UTC it is.
func parseMoment(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no moment such as 2026-11-21 or 2026-11-21T08:00:00Z", s)
}
