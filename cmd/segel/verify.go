package main

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/authority"
	"segel/internal/config"
	"segel/internal/emeterai"
	"segel/internal/installation"
	proc "segel/internal/process"
	"segel/internal/text"
	verdicts "segel/internal/text/verdict"
	"segel/pades"
	"segel/pades/validate"
	"segel/pdf"
	"segel/revocation"
)

type verifyCommand struct {
	dataFlag
	Files        []string      `arg:"" help:"Files to validate." placeholder:"FILE"`
	Evidence     string        `help:"Evidence certificate of the one contract: check that both are valid and belong together, with only the trusted roots." placeholder:"CERTIFICATE"`
	Trust        string        `help:"Folder of trusted roots, PEM or DER; besides the root of the data folder." placeholder:"DIR"`
	At           string        `help:"Validation time, such as 2026-11-21 or 2026-11-21T08:00:00Z; default now." placeholder:"TIME"`
	JSON         bool          `name:"json" help:"Print each report as JSON."`
	Explain      bool          `help:"Print every check with its outcome."`
	Online       bool          `help:"Query the OCSP responders and fetch the revocation lists that certificates name."`
	OnlineWithin time.Duration `help:"Time limit for all online queries about one file; data that has not arrived by then is missing; default 1m." placeholder:"DURATION"`
	Lang         string        `enum:"id,en" default:"en" help:"Language of the text: id or en."`
	PasswordFile string        `help:"File whose first line opens encrypted files." placeholder:"FILE"`
}

// Exit statuses of verify if not all signatures passed.
const (
	someDidNotPass = exitStatus(1)
	someUnreadable = exitStatus(2)
)

// Run validates the files and ends with 0 if every signature of every file passed, 1 if some did not or a file has
// none, 2 if a file cannot be read.
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
	if c.Evidence != "" {
		return c.runEvidence(w, o)
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

// validateOptions reads the flags. The caller must call done in every case.
func (c verifyCommand) validateOptions(w *environment) (o validate.Options, done func(), err error) {
	o, done = validate.Options{At: time.Now(), Explain: c.Explain, Exempt: emeterai.LooksLikeStamp, OnlineTimeout: cmp.Or(c.OnlineWithin, pades.DefaultTimeout)}, func() {}
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
	// The folder's own authority answers in process: its addresses may be unreachable, or refused by the outbound guard.
	a, err := openApp(w.ctx, conf, w.newLogger(conf), reading)
	if err != nil {
		return o, done, err
	}
	o.Online = a.revocation
	return o, a.close, nil
}

// loadTrust collects the roots. A data folder that was named must be one; the default one may be missing, because validating
// files does not require an installation.
func (c verifyCommand) loadTrust(w *environment, conf config.Config) (*validate.Trust, error) {
	root, issuers, err := c.readAuthority(w, conf)
	if err != nil {
		return nil, err
	}
	if root == nil && c.Data != "" {
		blobs, err := findBlobs(conf)
		if err != nil {
			return nil, err
		}
		found, err := readFolders(w.ctx, conf, nil, blobs)
		if err != nil {
			return nil, err
		}
		if found.HasMasterKey || found.Blobs != "" || found.HasBlobs {
			return nil, &installation.Error{Problem: installation.KeyFileMissing, Path: found.Names.Authority}
		}
		return nil, &installation.Error{Problem: installation.NothingThere, Path: c.Data, Other: found.Names.Authority}
	}
	t, err := readTrustedRoots(root, conf.TrustDir, func(name string) {
		fmt.Fprintf(w.stderr, "segel: %s contains something other than certificates\n", name)
	})
	if err != nil {
		return nil, err
	}
	declareIdentities(t, issuers)
	return t, nil
}

// readAuthority reads the certificates of the authority, without any secret: those of the data folder, or of the database if the keys are
// there and a database or a data folder was named.
func (c verifyCommand) readAuthority(w *environment, conf config.Config) (*x509.Certificate, []authority.Issuer, error) {
	if conf.State == config.StateFolder {
		return authority.ReadPublic(w.ctx, keyFolder(conf))
	}
	s, err := openDatabase(w.ctx, conf, proc.NewClock(systemClock(), conf.ClockTolerance), reading, nil)
	if err != nil {
		return nil, nil, err
	}
	root, issuers, err := authority.ReadPublic(w.ctx, keyTable{s, time.Now})
	return root, issuers, errors.Join(err, s.Close())
}

// validateFile validates one file and renders the result.
func validateFile(w *environment, name string, o validate.Options) (*verdicts.Report, error) {
	r, err := validateNamed(w, name, o)
	if err != nil {
		return nil, err
	}
	return verdicts.New(r, emeterai.FindStamps(r)), nil
}

// validateNamed validates the file of that name.
func validateNamed(w *environment, name string, o validate.Options) (*validate.Report, error) {
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
		return nil, errors.New("not a regular file")
	}
	if info.Size() == 0 {
		return nil, errEmptyFile
	}
	o.Name = filepath.Base(name)
	return validate.Validate(w.ctx, f, info.Size(), o)
}

// unreadableReasons explain in both languages why a file cannot be validated, for people who cannot use the technical cause.
var unreadableReasons = []struct {
	is     error
	id, en string
}{
	{errEmptyFile, "berkas kosong", "the file is empty"},
	{pdf.ErrNotPDF, "bukan PDF", "this is not a PDF"},
	{pdf.ErrPasswordNeeded, "berkas terkunci dengan kata sandi; berikan dengan --password-file", "the file is protected with a password; give it with --password-file"},
	{pdf.ErrEncrypted, "berkas terkunci dengan cara yang tidak dikenal", "the file is encrypted in an unknown way"},
	{pdf.ErrTooLarge, "berkas terlalu rumit untuk diperiksa dengan aman", "the file is too complex to be validated safely"},
	{validate.ErrUnreadable, "berkas rusak dan tidak dapat dibaca", "the file is damaged and cannot be read"},
	{fs.ErrNotExist, "tidak ada berkas dengan nama itu", "there is no such file"},
	{fs.ErrPermission, "berkas tidak boleh dibaca", "the file may not be read"},
}

var errEmptyFile = errors.New("no bytes")

// unreadableText returns why a file cannot be validated, with its technical cause.
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

func (c verifyCommand) printReport(w *environment, r *verdicts.Report, more bool) error {
	var b bytes.Buffer
	if c.JSON {
		if err := writeJSON(&b, r); err != nil {
			return err
		}
	} else {
		if more {
			b.WriteByte('\n')
		}
		if err := r.WriteText(&b, text.Language(c.Lang)); err != nil {
			return err
		}
	}
	_, err := w.stdout.Write(b.Bytes())
	return err
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// parseMoment parses a time with its zone, or a day, which means its start in UTC.
func parseMoment(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 2026-11-21 or 2026-11-21T08:00:00Z", s)
}
