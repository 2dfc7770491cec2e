package main

import (
	"bufio"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/revocation"
)

type authorityCommand struct {
	Export authorityExportCommand `cmd:"" help:"Print the root certificate as PEM."`
	List   authorityListCommand   `cmd:"" help:"List the certificates that were issued."`
	Revoke authorityRevokeCommand `cmd:"" help:"Revoke certificates permanently; works beside a running service."`
}

type authorityExportCommand struct{ dataFlag }

func (c authorityExportCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		_, err := w.stdout.Write(a.authority.RootPEM())
		return err
	})
}

type authorityListCommand struct {
	dataFlag
	Email   string `help:"Only certificates issued to this address." placeholder:"ADDRESS"`
	Revoked bool   `help:"Only revoked certificates."`
}

func (c authorityListCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		out := bufio.NewWriter(w.stdout)
		err := a.store.EachCertificate(w.ctx, func(r contract.Certificate) bool {
			if c.Revoked && r.RevokedAt.IsZero() || c.Email != "" && !issuedTo(r, c.Email) {
				return true
			}
			status := "good"
			switch {
			case !r.RevokedAt.IsZero():
				status = fmt.Sprintf("revoked since %s (%s)", formatTime(r.RevokedAt), revocation.Reason(r.Reason))
			case !r.NotAfter.After(a.clock()):
				status = "expired"
			}
			_, err := fmt.Fprintf(out, "%s  %s  until %s  %s  %q\n", r.Serial, formatTime(r.IssuedAt), formatTime(r.NotAfter), status, r.Subject)
			return err == nil
		})
		return errors.Join(err, out.Flush())
	})
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// issuedTo reports whether a certificate was issued to a holder with that e-mail: by the recorded e-mail or, if the
// certificate was issued before e-mails were recorded, by the one in the certificate.
func issuedTo(r contract.Certificate, email string) bool {
	if strings.EqualFold(r.Email, email) {
		return true
	}
	c, err := x509.ParseCertificate(r.DER)
	return err == nil && slices.ContainsFunc(c.EmailAddresses, func(a string) bool { return strings.EqualFold(a, email) })
}

type authorityRevokeCommand struct {
	dataFlag
	Serial string `help:"Serial number, in hexadecimal as 'authority list' shows it." placeholder:"HEX" xor:"which" required:""`
	Email  string `help:"All valid certificates issued to this address." placeholder:"ADDRESS" xor:"which" required:""`
	Reason string `help:"keyCompromise, affiliationChanged, superseded, cessationOfOperation, privilegeWithdrawn or unspecified." required:"" placeholder:"WHY"`
	Since  string `help:"Time from which the certificates are not to be trusted, such as 2026-03-01T09:00:00Z; default now." placeholder:"TIME"`
}

func (c authorityRevokeCommand) Run(w *environment) error {
	reason, ok := revocation.ParseReason(c.Reason)
	if !ok {
		return fmt.Errorf("%q is not a reason", c.Reason)
	}
	return c.withApp(w, writing, func(a *app) error {
		since := a.clock()
		if c.Since != "" {
			var err error
			if since, err = parseTime(c.Since); err != nil {
				return err
			}
		}
		serials := []string{strings.ToLower(strings.TrimLeft(strings.ReplaceAll(c.Serial, ":", ""), "0"))}
		if c.Email != "" {
			var err error
			if serials, err = c.findValidSerials(w, a); err != nil {
				return err
			}
		}
		for _, serial := range serials {
			if err := a.authority.Revoke(w.ctx, serial, reason, since); err != nil {
				return err
			}
			fmt.Fprintf(w.stdout, "%s is revoked\n", serial)
		}
		return nil
	})
}

// findValidSerials returns the serials of the certificates issued to an e-mail that are neither revoked nor expired.
func (c authorityRevokeCommand) findValidSerials(w *environment, a *app) ([]string, error) {
	var serials []string
	err := a.store.EachCertificate(w.ctx, func(r contract.Certificate) bool {
		if r.RevokedAt.IsZero() && r.NotAfter.After(a.clock()) && issuedTo(r, c.Email) {
			serials = append(serials, r.Serial)
		}
		return true
	})
	if err == nil && serials == nil {
		err = fmt.Errorf("no valid certificate was issued to %s", c.Email)
	}
	return serials, err
}
