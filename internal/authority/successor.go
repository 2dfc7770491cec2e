package authority

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/credential"
)

const (
	// minTSARemaining is how much of its certificate's life a time-stamp authority needs to have left. It is longer than the
	// notice with which documents are renewed, so that those have something to gain.
	minTSARemaining = 2 * 365 * 24 * time.Hour
	// minTSAExtension is by how much a successor has to last longer. It cannot outlast the root.
	minTSAExtension = 365 * 24 * time.Hour
)

// renewTSA takes up the later time-stamp authorities of a folder, and makes another with a key of its own when the certificate
// of the one in use is about to end. The old one's tokens stay what they are.
//
// A successor is durable before it is used. Of two processes that make one at once, that of the first stands, and both use it.
// One that was made while the clock was ahead stays where it is and is used once it begins; until then it counts as none, so
// that another is made beside it if need be.
func (a *Authority) renewTSA(dir string, o Options) error {
	for {
		if err := a.readSuccessors(dir, o); err != nil {
			return err
		}
		n := len(a.keys.successors) + firstSuccessor
		now := o.Clock()
		end := now.AddDate(tsaYears, 0, 0)
		if root := a.keys.root.cert.NotAfter; end.After(root) {
			end = root
		}
		last := a.keys.tsaAt(now).cert.NotAfter
		if a.keys.root.requireValid(now) != nil || last.Sub(now) > minTSARemaining || end.Sub(last) < minTSAExtension {
			return nil
		}
		if err := a.createSuccessor(filepath.Join(dir, successorName(n)+".json"), successorName(n), o, now, end); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make time-stamp authority %d: %w", n, err)
		}
	}
}

// firstSuccessor is the number of the first later time-stamp authority.
const firstSuccessor = 2

func successorName(n int) string { return fmt.Sprintf("tsa-%d", n) }

// readSuccessors takes up the later time-stamp authorities of a folder behind those that were taken up before.
func (a *Authority) readSuccessors(dir string, o Options) error {
	for {
		n := len(a.keys.successors) + firstSuccessor
		b, err := os.ReadFile(filepath.Join(dir, successorName(n)+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read time-stamp authority %d: %w", n, err)
		}
		if err := a.addSuccessor(b, successorName(n), o.Sealer); err != nil {
			return err
		}
	}
}

func (a *Authority) createSuccessor(file, name string, o Options, now, end time.Time) error {
	next, err := newTSAIdentity(a.keys.tsa.cert.Subject, a.urls, now.Add(-time.Hour), end, &a.keys.root)
	if err != nil {
		return err
	}
	part, err := next.sealMember(name, o.Sealer)
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(storedFile{Version: 1, Members: map[string]storedIdentity{name: part}}, "", "  ")
	if err != nil {
		return err
	}
	return credential.WriteNew(file, b)
}

func (a *Authority) addSuccessor(b []byte, name string, s Sealer) error {
	var in storedFile
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("read authority's %s: %w", name, err)
	}
	if in.Version != 1 {
		return fmt.Errorf("authority's %s of version %d", name, in.Version)
	}
	next, err := in.Members[name].openMember(name, s)
	if err != nil {
		return err
	}
	if err := next.cert.CheckSignatureFrom(a.keys.root.cert); err != nil {
		return fmt.Errorf("certificate of the authority's %s: %w", name, err)
	}
	a.keys.successors = append(a.keys.successors, next)
	return nil
}
