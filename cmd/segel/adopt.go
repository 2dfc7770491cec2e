package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"segel/internal/authority"
	"segel/internal/config"
	"segel/internal/installation"
	proc "segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

// adoptCommand joins a database, key folder and blob folder into one installation where the program must not decide by itself:
// after a restore, or if an installation of an earlier release has too little evidence to be adopted at a start.
type adoptCommand struct {
	dataFlag
	NewAuthority bool   `name:"new-authority" help:"Create a new certificate authority in place of a lost one. Readers have to trust its new root."`
	Aside        string `placeholder:"FOLDER" help:"With --new-authority and SEGEL_STATE=database: new folder that the files of the former authority are copied to before they are replaced."`
	Yes          bool   `help:"Adopt without being asked."`
}

func (c adoptCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	return withDatabase(w, conf, func(a *app) error {
		if c.NewAuthority && conf.State == config.StateDatabase {
			return c.replaceAuthority(w, a)
		}
		if c.Aside != "" {
			return errors.New("--aside needs --new-authority and SEGEL_STATE=database: move the folder of keys aside yourself")
		}
		return c.adoptFound(w, a)
	})
}

// withDatabase runs a command whose subject is how the parts of an installation belong together: it has the database alone, and the keys and files are neither
// opened nor required.
func withDatabase(w *environment, conf config.Config, run func(*app) error) error {
	a := &app{conf: conf, log: w.newLogger(conf), clock: systemClock()}
	var err error
	if a.store, err = openDatabase(w.ctx, conf, proc.NewClock(a.clock, conf.ClockTolerance), writing, nil); err != nil {
		return err
	}
	if w.adjust != nil {
		w.adjust(a)
	}
	return errors.Join(run(a), a.store.Close())
}

// adoptFound shows what was found, asks for confirmation, and then marks the unmarked parts. It refuses parts of another installation.
func (c adoptCommand) adoptFound(w *environment, a *app) error {
	found, state, undecided := a.findInstallation(w.ctx)
	if err := requireAdoptable(found, state, undecided, c.NewAuthority); err != nil {
		return err
	}
	if c.NewAuthority && found.HasAuthority {
		return fmt.Errorf("%s exists: move the folder aside before a new authority is made", found.Names.Authority)
	}
	var e originEvidence
	if !c.NewAuthority {
		var err error
		if e, err = a.gatherEvidence(w.ctx, found.Names); err != nil {
			return err
		}
		if undecided == nil && state == installation.Complete && requireAuthority(found, e.root) == nil {
			_, err := fmt.Fprintf(w.stdout, "there is nothing to adopt: %s is installation %s\n", found.Names.Data, found.Recorded.ID)
			return err
		}
	}
	if err := c.printFound(w.stdout, found, e); err != nil {
		return err
	}
	if !c.Yes {
		if err := w.confirm("Do they belong together? They become one installation if you type yes: ", "nothing was adopted"); err != nil {
			return err
		}
	}
	root := e.root
	if c.NewAuthority {
		sealer, err := readMasterKey(w.ctx, a.conf)
		if err != nil {
			return err
		}
		// Durable on return: the authority, without a mark. If the process dies here, the next run adopts it without --new-authority.
		made, err := authority.Open(w.ctx, a.keyFiles(), a.authorityOptions(sealer))
		if err != nil {
			return err
		}
		root = made.Root()
	}
	if err := a.adoptInstallation(w.ctx, found, root); err != nil {
		if errors.Is(err, store.ErrConflict) {
			return errors.New("another process changed the installation at the same time: check it and try again")
		}
		return err
	}
	adopted, _, err := a.store.Installation(w.ctx)
	if err == nil {
		_, err = fmt.Fprintf(w.stdout, "database, keys and blobs are installation %s now\n", adopted.ID)
	}
	return err
}

// requireAdoptable returns an error if the database is not in use, a part belongs to another installation, or files are missing
// that no confirmation can replace.
func requireAdoptable(found installation.Found, state installation.State, undecided error, newAuthority bool) error {
	var e *installation.Error
	switch {
	case undecided == nil && (state == installation.Absent || state == installation.Begun):
		return found.Refuse(state)
	case undecided == nil:
		return nil
	case !errors.As(undecided, &e):
		return undecided
	case e.Problem == installation.KeysUnmarked || e.Problem == installation.BlobsUnmarked || e.Problem == installation.KeysFormer:
		return nil
	case e.Problem == installation.KeyFileMissing && newAuthority && found.HasMasterKey && !found.Recorded.CompletedAt.IsZero():
		return nil
	case e.Problem == installation.KeyFileMissing && found.HasMasterKey:
		return fmt.Errorf("%w. If there is no backup, --new-authority makes another authority", undecided)
	}
	return undecided
}

// printFound prints what was found.
func (c adoptCommand) printFound(out io.Writer, found installation.Found, e originEvidence) error {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s%s\n", what+":", fmt.Sprintf(format, args...))
	}
	marked := func(id installation.ID) string {
		if id == "" {
			return "no mark"
		}
		return "mark of installation " + string(id)
	}
	if found.Recorded.ID == "" {
		line("database", "%s: no installation", found.Names.Database)
	} else {
		line("database", "%s: installation %s", found.Names.Database, found.Recorded.ID)
	}
	line("keys", "%s: %s", found.Names.KeyDir, marked(found.Keys))
	line("blob folder", "%s: %s", found.Names.BlobDir, marked(found.Blobs))
	if c.NewAuthority {
		line("authority", "none; a new one is created, whose root readers have to trust")
		_, err := io.WriteString(out, b.String())
		return err
	}
	line("authority", "%s, SHA-256 %x; the master key opens it", e.root.Subject.CommonName, sha256.Sum256(e.root.Raw))
	line("documents", "%d; of %d files of the newest, %d exist", e.documents, e.files, e.files-len(e.missing))
	for _, against := range e.listObjections() {
		line("BUT", "%s", against)
	}
	if found.Elsewhere == installation.KeysFormer {
		line("BUT", "the keys were moved to another folder since; certificates and stamps that were made with that are not known here")
	}
	if found.Recorded.ID != "" && requireAuthority(found, e.root) != nil {
		line("BUT", "the installation was made with another authority")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// exitOf returns the exit status that an error carries, if any: commands look for it in errors that they return.
func exitOf(err error) (exitStatus, bool) {
	var e *installation.Error
	var s *sqlstore.SchemaError
	var n *sqlstore.NodesError
	switch {
	case errors.As(err, &e):
		return exitInstallation, true
	case errors.As(err, &s), errors.As(err, &n):
		return exitSchema, true
	}
	return 0, false
}

// Statuses of every command that opens an installation.
const (
	exitInstallation = exitStatus(3) // a part of the installation is missing, or belongs to another one
	exitSchema       = exitStatus(4) // the tables of the database need segel migrate, also because other nodes run, or a newer program
)
