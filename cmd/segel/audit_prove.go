package main

import (
	"crypto/ed25519"
	"fmt"

	"segel/internal/audit"
	"segel/internal/config"
	"segel/internal/contract"
)

type auditProveCommand struct {
	dataFlag
	Document   contract.DocumentID `arg:"" help:"Number of the document."`
	Checkpoint string              `help:"Prove the events in the log at this checkpoint, which the recipient already has; default: a new checkpoint." placeholder:"FILE"`
}

func (c auditProveCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app, _ config.Config) error {
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
