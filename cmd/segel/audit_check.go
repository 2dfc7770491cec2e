package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"segel/internal/audit"
	"segel/internal/contract"
	"segel/internal/text"
)

type auditCheckCommand struct {
	Proof      string `arg:"" help:"File that segel audit prove printed."`
	Key        string `required:"" help:"Key of the log as segel audit key prints it, or a file with it." placeholder:"KEY"`
	Checkpoint string `help:"Checkpoint that you already have: the proof must be under it." placeholder:"FILE"`
	File       string `help:"File of the document: report which events name it. Ends with 1 if none does." placeholder:"FILE"`
	Lang       string `enum:"id,en" default:"en" help:"Language of the text: id or en."`
}

// checkedProof is the content of a valid proof, and what it was checked against.
type checkedProof struct {
	checkpoint audit.Checkpoint
	proof      *audit.Proof
	events     []contract.Event // as many as the proof has
	known      bool             // the checkpoint is one that the reader already had
	digest     string           // SHA-256 of the reader's file in hexadecimal; empty: no file was given
}

// Run ends with 0 if the proof holds, 1 if it does not, 2 if it or its inputs cannot be read.
func (c auditCheckCommand) Run(w *environment) error {
	p, err := c.checkProof()
	words := proofTexts[text.Language(c.Lang)]
	switch {
	case errors.Is(err, audit.ErrCheckpoint), errors.Is(err, audit.ErrUnproven), errors.Is(err, errOtherCheckpoint):
		if _, err := fmt.Fprintf(w.stdout, words.fails+"\n", c.Proof, err); err != nil {
			return err
		}
		return exitStatus(1)
	case err != nil:
		fmt.Fprintln(w.stderr, "segel:", err)
		return someUnreadable
	}
	if err := words.writeProof(w.stdout, p); err != nil {
		return err
	}
	if p.digest != "" && len(p.eventsNamingFile()) == 0 {
		return exitStatus(1)
	}
	return nil
}

var errOtherCheckpoint = errors.New("the proof is under another checkpoint than the one that was given")

func (c auditCheckCommand) checkProof() (p checkedProof, err error) {
	origin, key, err := c.readKey()
	if err != nil {
		return p, err
	}
	b, err := readUpTo(c.Proof, audit.MaxProof)
	if err != nil {
		return p, err
	}
	if p.proof, err = audit.ParseProof(b); err != nil {
		return p, fmt.Errorf("%s: %w", c.Proof, err)
	}
	if p.checkpoint, p.events, err = p.proof.Verify(origin, key); err != nil {
		return p, err
	}
	if c.Checkpoint != "" {
		if err := c.requireCheckpoint(p.checkpoint, origin, key); err != nil {
			return p, err
		}
		p.known = true
	}
	if c.File != "" {
		p.digest, err = digestFile(c.File)
	}
	return p, err
}

// readKey reads the key from the command line, or from the file that it names.
func (c auditCheckCommand) readKey() (origin string, key ed25519.PublicKey, err error) {
	origin, key, err = audit.ParseVerifierKey(c.Key)
	if err == nil {
		return origin, key, nil
	}
	b, unread := readUpTo(c.Key, 4<<10)
	if unread != nil {
		return "", nil, fmt.Errorf("--key is neither a key (%w) nor a file with one (%w)", err, unread)
	}
	if origin, key, err = audit.ParseVerifierKey(string(b)); err != nil {
		err = fmt.Errorf("%s: %w", c.Key, err)
	}
	return origin, key, err
}

// requireCheckpoint requires that a proof's checkpoint equals the one in a file.
func (c auditCheckCommand) requireCheckpoint(of audit.Checkpoint, origin string, key ed25519.PublicKey) error {
	b, err := readUpTo(c.Checkpoint, audit.MaxCheckpoint)
	if err != nil {
		return err
	}
	had, err := audit.OpenCheckpoint(b, origin, key)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Checkpoint, err)
	}
	if had != of {
		return fmt.Errorf("%w: of %d events with root %s, not of %d with root %s", errOtherCheckpoint, of.Size, of.Root, had.Size, had.Root)
	}
	return nil
}

// digestFile returns the digest of a file in the form that events use.
func digestFile(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// eventsNamingFile returns the indexes of the events that name the reader's file.
func (p checkedProof) eventsNamingFile() []int {
	var all []int
	for i, e := range p.events {
		if p.digest != "" && (e.Details["digest"] == p.digest || e.Details["original"] == p.digest) {
			all = append(all, i)
		}
	}
	return all
}

// countHidden returns the number of events between the first and the last that are not shown.
func (p checkedProof) countHidden() int64 {
	first, last := p.proof.Events[0].Number, p.proof.Events[len(p.events)-1].Number
	return last - first + 1 - int64(len(p.events))
}
