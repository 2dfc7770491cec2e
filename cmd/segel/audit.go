package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"

	"segel/internal/audit"
	"segel/internal/contract"
	"segel/internal/store"
)

type auditCommand struct {
	Checkpoint auditCheckpointCommand `cmd:"" help:"Print a signed checkpoint of the audit log: its size and root hash. Stored elsewhere, it shows later whether the log was rewritten or truncated."`
	Verify     auditVerifyCommand     `cmd:"" help:"Check that the audit log still begins with the events of the checkpoints. Ends with 1 if it does not."`
	Prove      auditProveCommand      `cmd:"" help:"Print a proof of the events of a document, which others can check without this folder or the service."`
	Check      auditCheckCommand      `cmd:"" help:"Check a proof and print what it proves; needs no data folder. Ends with 0 if it holds, 1 if it does not, 2 if it cannot be read."`
	Key        auditKeyCommand        `cmd:"" help:"Print the public key of checkpoints, for others to verify them (c2sp.org/signed-note)."`
}

// auditKey returns the key that signs checkpoints. It is derived from the first master key, so access to the database alone does not
// give it.
func (a *app) auditKey() (ed25519.PrivateKey, string) {
	seed := a.derived[auditPurpose]
	key := ed25519.NewKeyFromSeed(seed[:])
	return key, audit.LogOrigin(key.Public().(ed25519.PublicKey))
}

type auditCheckpointCommand struct{ dataFlag }

func (c auditCheckpointCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		b, err := a.signCheckpoint(w)
		if err != nil {
			return err
		}
		_, err = w.stdout.Write(b)
		return err
	})
}

// signCheckpoint returns the signed checkpoint of the log as it is now.
func (a *app) signCheckpoint(w *environment) ([]byte, error) {
	// Check the log before signing: a checkpoint must not confirm a rewritten log.
	if err := a.store.CheckLog(w.ctx); err != nil {
		return nil, err
	}
	size, root, err := a.store.Size(w.ctx)
	if err != nil {
		return nil, err
	}
	key, origin := a.auditKey()
	return audit.Checkpoint{Origin: origin, Size: size, Root: root}.Sign(key)
}

type auditVerifyCommand struct {
	dataFlag
	Files []string `arg:"" help:"Checkpoints that were printed before." name:"checkpoint"`
}

func (c auditVerifyCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		err := a.store.CheckLog(w.ctx)
		bad := errors.Is(err, audit.ErrMismatch)
		if err != nil && !bad {
			return err
		}
		if bad {
			fmt.Fprintln(w.stdout, "audit log:", err)
		}
		for _, file := range c.Files {
			said, err := a.compareCheckpoint(w, file)
			if err != nil {
				return err
			}
			bad = bad || !said.holds
			fmt.Fprintf(w.stdout, "%s: %s\n", file, said.text)
		}
		if bad {
			return exitStatus(1)
		}
		return nil
	})
}

// verdict is the result for a checkpoint.
type verdict struct {
	holds bool
	text  string
}

// compareCheckpoint compares the log with the checkpoint in a file.
func (a *app) compareCheckpoint(w *environment, file string) (verdict, error) {
	b, err := readUpTo(file, audit.MaxCheckpoint)
	if err != nil {
		return verdict{}, err
	}
	return a.compareNote(w.ctx, b)
}

// compareNote compares the log with a signed checkpoint.
func (a *app) compareNote(ctx context.Context, b []byte) (verdict, error) {
	key, origin := a.auditKey()
	c, err := audit.OpenCheckpoint(b, origin, key.Public().(ed25519.PublicKey))
	if err != nil {
		return verdict{text: err.Error()}, nil
	}
	size, _, err := a.store.Size(ctx)
	if err != nil {
		return verdict{}, err
	}
	root, err := a.store.RootAt(ctx, c.Size)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return verdict{text: fmt.Sprintf("CUT OFF: there were %d events, now there are %d", c.Size, size)}, nil
	case err != nil:
		return verdict{}, err
	case root != c.Root:
		return verdict{text: fmt.Sprintf("REWRITTEN: the first %d events are not what they were", c.Size)}, nil
	}
	return verdict{true, fmt.Sprintf("the log of %d events begins with these %d", size, c.Size)}, nil
}

// readUpTo reads a file of at most limit bytes.
func readUpTo(file string, limit int) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(b) > limit {
		err = fmt.Errorf("%s has more than %d bytes", file, limit)
	}
	return b, err
}

type auditKeyCommand struct{ dataFlag }

func (c auditKeyCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		key, origin := a.auditKey()
		_, err := fmt.Fprintln(w.stdout, audit.VerifierKey(origin, key.Public().(ed25519.PublicKey)))
		return err
	})
}

type auditProveCommand struct {
	dataFlag
	Document   contract.DocumentID `arg:"" help:"Number of the document."`
	Checkpoint string              `help:"Prove the events in the log at this checkpoint, which the recipient already has; default: a new checkpoint." placeholder:"FILE"`
}

func (c auditProveCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		note, err := c.readCheckpoint(w, a)
		if err != nil {
			return err
		}
		b, err := a.proveEvents(w, c.Document, note)
		if err != nil {
			return err
		}
		_, err = w.stdout.Write(b)
		return err
	})
}

// readCheckpoint returns the signed checkpoint to prove under.
func (c auditProveCommand) readCheckpoint(w *environment, a *app) ([]byte, error) {
	if c.Checkpoint == "" {
		return a.signCheckpoint(w)
	}
	said, err := a.compareCheckpoint(w, c.Checkpoint)
	if err == nil && !said.holds {
		err = fmt.Errorf("%s: %s", c.Checkpoint, said.text)
	}
	if err != nil {
		return nil, err
	}
	return readUpTo(c.Checkpoint, audit.MaxCheckpoint)
}

// proveEvents returns the proof of a document's events under a signed checkpoint of this log.
func (a *app) proveEvents(w *environment, id contract.DocumentID, note []byte) ([]byte, error) {
	key, origin := a.auditKey()
	public := key.Public().(ed25519.PublicKey)
	c, err := audit.OpenCheckpoint(note, origin, public)
	if err != nil {
		return nil, err
	}
	proven, err := a.store.Prove(w.ctx, id, c.Size)
	if err != nil {
		return nil, err
	}
	if len(proven) == 0 || id == 0 { // 0 is the number in events without a document
		return nil, fmt.Errorf("the log has no events of a document %d among its first %d", id, c.Size)
	}
	p := &audit.Proof{Document: id, Checkpoint: string(note)}
	for _, e := range proven {
		p.AddEvent(e.Leaf, e.Event, e.Path)
	}
	// Verify the proof before printing it: the database may have changed since the log was checked.
	if _, _, err := p.Verify(origin, public); err != nil {
		return nil, err
	}
	return p.Marshal()
}
