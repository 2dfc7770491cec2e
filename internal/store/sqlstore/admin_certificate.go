package sqlstore

import (
	"context"
	"strings"

	"segel/internal/store"
)

// CertificateList implements [store.Administration].
func (s *Store) CertificateList(ctx context.Context, q store.CertificateQuery) (store.CertificatePage, error) {
	c := &condition{}
	order := "not_after, serial"
	switch now := toMicros(q.Now); q.Status {
	case store.CertificateValid:
		c.terms = append(c.terms, "revoked_at = 0")
		c.addTerm("not_after > %s", now)
	case store.CertificateEnded:
		c.terms = append(c.terms, "revoked_at = 0")
		c.addTerm("not_after <= %s", now)
		order = "not_after DESC, serial"
	case store.CertificateRevoked:
		c.terms = append(c.terms, "revoked_at <> 0")
		order = "revoked_at DESC, serial"
	}
	if q.Organisation != "" {
		// A guest's certificate belongs to the organisation of the document.
		c.terms = append(c.terms, strings.ReplaceAll(`(holder = ? OR holder IN (SELECT id FROM users WHERE organisation = ?)
			OR holder IN (SELECT p.person FROM participant p JOIN document d ON d.id = p.document WHERE p.guest AND d.organisation = ?))`, "?", c.addArg(q.Organisation)))
	}
	p := store.CertificatePage{Certificates: []store.Certificate{}}
	err := s.db.withSnapshot(ctx, func(r querier) (err error) {
		if p.Total, err = c.countRows(ctx, r, "certificate"); err != nil {
			return err
		}
		return queryEach(ctx, r, func(scan func(...any) error) error {
			var one store.Certificate
			err := scan(certificateDest(&one)...)
			p.Certificates = append(p.Certificates, one)
			return err
		}, `SELECT `+certificateColumns+` FROM certificate`+c.pageClause(order, q.Offset, q.Limit), c.args...)
	})
	return p, wrapf(err, "list certificates")
}
