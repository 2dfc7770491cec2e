package main

import (
	"cmp"
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"segel/internal/authority"
	"segel/internal/contract"
	"segel/internal/emeterai/sandbox"
	"segel/internal/store"
)

const restoreKeys = "Restore the database and the key folder from the same backup"

// checkKeys checks that the authority issued each recorded certificate and that its record matches, that the master key
// decrypts each credential and each key of files, and that the credential's key matches its certificate.
func (a *app) checkKeys(ctx context.Context, tell func(store.Discrepancy)) error {
	wrong := func(about, format string, args ...any) {
		tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "keys", About: about, Text: fmt.Sprintf(format, args...), Remedy: restoreKeys})
	}
	issuers := a.authority.Issuers()
	var unread error
	isOurs := func(cert *x509.Certificate) bool {
		if issuedByAny(cert, issuers) {
			return true
		}
		// A service may have created a successor since the authority was read.
		if unread = errors.Join(unread, a.authority.Refresh(ctx)); unread != nil {
			return false
		}
		issuers = a.authority.Issuers()
		return issuedByAny(cert, issuers)
	}
	err := a.store.EachCertificate(ctx, func(c contract.Certificate) bool {
		about := "certificate " + c.Serial
		cert, err := x509.ParseCertificate(c.DER)
		switch {
		case err != nil:
			wrong(about, "it cannot be read: %v", err)
		case fmt.Sprintf("%x", cert.SerialNumber) != strings.TrimLeft(c.Serial, "0"):
			wrong(about, "it has serial %x", cert.SerialNumber)
		case !cert.NotAfter.Equal(c.NotAfter):
			wrong(about, "it expires at %s, but is recorded to expire at %s", cert.NotAfter, c.NotAfter)
		case !isOurs(cert):
			wrong(about, "no issuer of this authority signed it")
		}
		return ctx.Err() == nil && unread == nil
	})
	if err := errors.Join(err, unread, ctx.Err()); err != nil {
		return fmt.Errorf("check certificates: %w", err)
	}
	err = a.store.EachCredential(ctx, func(c store.SealedCredential) bool {
		if err := a.checkCredential(c); err != nil {
			wrong("credential "+c.ID, "%v", err)
		}
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("check credentials: %w", err)
	}
	err = a.store.EachBlobKey(ctx, func(k store.BlobKey) bool {
		if _, err := a.blobKeys.Check(k); err != nil {
			wrong("key "+k.ID+" of files", "the master key does not decrypt it: %v", err)
		}
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("check keys of files: %w", err)
	}
	return nil
}

// checkSealed checks that a configured master key opens every sealed value, and returns how many another one than the current sealed. Credentials and keys of files
// are left to checkKeys, which compares more.
func (a *app) checkSealed(ctx context.Context, tell func(store.Discrepancy)) (former int, err error) {
	count, err := a.countSealed(ctx, a.sealer, func(int) {})
	if err != nil {
		return 0, fmt.Errorf("check sealed values: %w", err)
	}
	for _, c := range count.Closed {
		if c.Table == "credential" || c.Table == "blob_key" {
			continue
		}
		tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "keys", About: c.About, Text: "the master key does not decrypt it", Remedy: restoreKeys})
	}
	return count.total() - count.Under[a.sealer.ID().String()], nil
}

func issuedByAny(cert *x509.Certificate, issuers []authority.Issuer) bool {
	return slices.ContainsFunc(issuers, func(i authority.Issuer) bool { return cert.CheckSignatureFrom(i.Certificate) == nil })
}

func (a *app) checkCredential(c store.SealedCredential) error {
	if len(c.Chain) == 0 {
		return errors.New("it has no certificates")
	}
	plain, err := a.sealer.Open(c.ID, c.Key)
	if err != nil {
		return fmt.Errorf("the master key does not decrypt it: %w", err)
	}
	key, err := x509.ParsePKCS8PrivateKey(plain)
	if err != nil {
		return err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return errors.New("its key cannot sign")
	}
	chain := make([]*x509.Certificate, len(c.Chain))
	for i, der := range c.Chain {
		if chain[i], err = x509.ParseCertificate(der); err != nil {
			return fmt.Errorf("certificate %d of its chain: %w", i+1, err)
		}
		if i > 0 {
			if err := chain[i-1].CheckSignatureFrom(chain[i]); err != nil {
				return fmt.Errorf("certificate %d of its chain: %w", i, err)
			}
		}
	}
	if pub, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !pub.Equal(chain[0].PublicKey) {
		return errors.New("its key does not match its certificate")
	}
	return nil
}

// checkOffice compares the journal of the sandbox office with the register of serials. Use segel reconcile to compare with a
// remote office.
func (a *app) checkOffice(ctx context.Context, tell func(store.Discrepancy)) error {
	// fsck may run without the settings of the service.
	if cmp.Or(a.installation.StampOffice, a.conf.StampOffice) != sandboxOffice {
		return nil
	}
	wrong := func(about, format string, args ...any) {
		tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "stamp office", About: about, Text: fmt.Sprintf(format, args...), Remedy: "Restore the folder office and the database from the same backup"})
	}
	// Read the register first: the journal then has at least what the register has.
	registered := map[string]contract.StampSerial{}
	err := a.store.EachSerial(ctx, store.SerialQuery{}, func(s contract.StampSerial) bool {
		registered[s.Serial] = s
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("read the register of serials: %w", err)
	}
	issued, err := a.readJournal(ctx)
	if err != nil {
		wrong("journal of the stamp office", "%v", err)
		return nil
	}
	restorations, err := a.store.Restorations(ctx)
	if err != nil {
		return err
	}
	for _, i := range issued {
		s, known := registered[i.Serial]
		delete(registered, i.Serial)
		if source := fmt.Sprintf("%x", s.Source); known && s.State == contract.SerialAffixed && source != i.Source {
			wrong("serial "+i.Serial, "it is affixed to %s, but according to the journal of the stamp office to %q", source, i.Source)
		}
		if known && i.Payer != "" && string(s.Organisation) != i.Payer {
			wrong("serial "+i.Serial, "it belongs to organisation %q, but according to the journal of the stamp office %q pays for it", s.Organisation, i.Payer)
		}
		// Taken over the protocol, by another client; or for an order that was lost when the database was restored.
		if i.Order == "" || isLost(i.Taken, restorations) {
			continue
		}
		if err := a.checkOrder(ctx, i, wrong); err != nil {
			return fmt.Errorf("find the order of serial %s: %w", i.Serial, err)
		}
	}
	for serial := range registered {
		wrong("serial "+serial, "it is in the register, but not in the journal of the stamp office")
	}
	return nil
}

// isLost reports whether something of that time may be missing in the database because it was restored.
func isLost(at time.Time, restorations []store.Restoration) bool {
	return slices.ContainsFunc(restorations, func(r store.Restoration) bool { return !at.Before(r.SnapshotAt) && !at.After(r.RestoredAt) })
}

// readJournal returns what the sandbox office issued: nothing if it was never used.
func (a *app) readJournal(ctx context.Context) ([]sandbox.Issued, error) {
	if a.sharesOffice() {
		office, err := sandbox.OpenRows(ctx, officeRows{a.store, officeDir}, a.sandboxOptions(0))
		if err != nil {
			return nil, err
		}
		return office.Issued(), office.Close()
	}
	dir := filepath.Join(a.conf.DataDir, officeDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	office, err := sandbox.Read(dir, a.sandboxOptions(0))
	if err != nil {
		return nil, err
	}
	return office.Issued(), office.Close()
}

// checkOrder requires that a document has the order for which the office issued a serial. The serial itself may not have
// arrived yet.
func (a *app) checkOrder(ctx context.Context, i sandbox.Issued, wrong func(string, string, ...any)) error {
	_, err := a.store.DocumentWithOrder(ctx, i.Order)
	if errors.Is(err, store.ErrNotFound) {
		wrong("serial "+i.Serial, "the journal of the stamp office has it for order %s, which no document has", i.Order)
		return nil
	}
	return err
}
