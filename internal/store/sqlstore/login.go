package sqlstore

import (
	"context"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// recordLogin counts one login, as [store.Logins] says. Two that begin at the same moment may make one network more than the limit.
func recordLogin(l contract.Login) statement {
	return statement{
		sql: `INSERT INTO login (organisation, person, kind, period, network, factor, ip, user_agent, first_at, last_at, times) VALUES ($1, $2, $3, $4,
			CASE WHEN EXISTS (SELECT 1 FROM login WHERE organisation = $1 AND person = $2 AND kind = $3 AND period = $4 AND network = $5)
				OR (SELECT COUNT(DISTINCT network) FROM login WHERE organisation = $1 AND person = $2 AND kind = $3 AND period = $4) < $11 THEN $5 ELSE '' END,
			$6, $7, $8, $9, $9, $10)
			ON CONFLICT (organisation, person, kind, period, network, factor) DO UPDATE SET times = login.times + excluded.times,
				last_at = CASE WHEN login.last_at > excluded.last_at THEN login.last_at ELSE excluded.last_at END, ip = excluded.ip, user_agent = excluded.user_agent`,
		args: []any{
			l.Organisation, l.Person, l.Kind, toMicros(l.Period), cleanText(l.Network), l.Factor, cleanText(l.IP), cleanText(l.UserAgent), toMicros(l.LastAt), l.Times,
			contract.MaxLoginNetworks,
		},
		what: "record a login",
	}
}

// recordSessionLogin counts the login that opened a session.
func recordSessionLogin(ctx context.Context, t tx, of contract.Session) error {
	if of.Family == "" {
		return nil
	}
	l := contract.NewLogin("", of.Person, contract.LoginDone, of.Factor, of.CreatedAt)
	if err := queryOne(ctx, t, []any{&l.Organisation}, `SELECT COALESCE((SELECT organisation FROM users WHERE id = $1), '')`, of.Person); err != nil {
		return err
	}
	l.Network, l.IP, l.UserAgent = of.IP, of.IP, of.UserAgent
	return t.addStatements(ctx, recordLogin(l))
}

// RecordLogins implements [store.Logins].
func (s *Store) RecordLogins(ctx context.Context, all ...contract.Login) error {
	err := s.db.withTx(ctx, func(t tx) error {
		for _, l := range all {
			if err := t.addStatements(ctx, recordLogin(l)); err != nil {
				return err
			}
		}
		return nil
	})
	return wrapf(err, "record logins")
}

// loginKey identifies a record, and is the order in which all are read.
const loginKey = `l.last_at, l.organisation, l.person, l.kind, l.period, l.network, l.factor`

// loginRows are records with their people.
var loginRows = rowType[store.LoginLine]{
	`login l LEFT JOIN users u ON u.id = l.person`,
	`l.organisation, l.person, l.kind, l.period, l.network, l.factor, l.ip, l.user_agent, l.first_at, l.last_at, l.times, COALESCE(u.id, ''), COALESCE(u.name, ''), COALESCE(u.email, '')`,
	func(l *store.LoginLine) []any {
		return []any{
			&l.Organisation, &l.Person, &l.Kind, scanTime(&l.Period), &l.Network, &l.Factor, &l.IP, &l.UserAgent, scanTime(&l.FirstAt), scanTime(&l.LastAt), &l.Times,
			&l.Holder.ID, &l.Holder.Name, &l.Holder.Email,
		}
	},
}

func loginCondition(q store.LoginQuery) *condition {
	c := &condition{}
	if q.Organisation != "" {
		c.addTerm("l.organisation = %s", q.Organisation)
	}
	if q.Person != "" {
		c.addTerm("l.person = %s", q.Person)
	}
	if q.Email != "" {
		c.addTerm("u.email_folded = %s", foldText(q.Email))
	}
	if q.Kind != "" {
		c.addTerm("l.kind = %s", q.Kind)
	}
	if q.Address != "" {
		a := c.addArg(q.Address)
		c.terms = append(c.terms, "(l.ip = "+a+" OR l.network = "+a+")")
	}
	if q.Search != "" {
		pattern, possible := likePattern(q.Search)
		if !possible { // nothing that is stored is as long, and SQLite accepts no longer pattern
			pattern = ""
			c.terms = append(c.terms, "1 = 0")
		}
		part := c.addArg(pattern)
		var any []string
		for _, column := range []string{"u.name_folded", "u.email_folded", "lower(l.ip)", "lower(l.user_agent)"} {
			any = append(any, column+` LIKE `+part+` ESCAPE '\'`)
		}
		c.terms = append(c.terms, "("+strings.Join(any, " OR ")+")")
	}
	c.addPeriod("l.last_at", q.From, q.Until)
	return c
}

// ListLogins implements [store.Logins].
func (s *Store) ListLogins(ctx context.Context, q store.LoginQuery) (p store.LoginPage, err error) {
	c := loginCondition(q)
	err = s.db.withSnapshot(ctx, func(r querier) error {
		bounded := condition{terms: c.terms, args: append([]any{}, c.args...)}
		count := `SELECT COUNT(*) FROM (SELECT 1 FROM ` + loginRows.table + bounded.whereClause() + ` LIMIT ` + bounded.addLimit(store.SearchLimit) + `) found`
		if err := queryOne(ctx, r, []any{&p.Total}, count, bounded.args...); err != nil {
			return err
		}
		p.Lines, err = queryAll(ctx, r, loginRows.dest, loginRows.selectWhere(c.pageClause(strings.ReplaceAll(loginKey, ",", " DESC,")+" DESC", q.Offset, q.Limit)), c.args...)
		return err
	})
	return p, wrapf(err, "list logins")
}

// EachLogin implements [store.Logins].
func (s *Store) EachLogin(ctx context.Context, q store.LoginQuery, yield func(store.LoginLine) bool) error {
	err := loginRows.eachRow(ctx, s, loginCondition(q), loginKey, func(l *store.LoginLine) []any {
		return []any{toMicros(l.LastAt), l.Organisation, l.Person, l.Kind, toMicros(l.Period), l.Network, l.Factor}
	}, yield)
	return wrapf(err, "read the logins")
}

// FailedLogins implements [store.Logins].
func (s *Store) FailedLogins(ctx context.Context, of contract.OrganisationID, since time.Time, least, limit int) ([]contract.FailedLogins, error) {
	c := &condition{}
	if of != "" {
		c.addTerm("organisation = %s", of)
	}
	c.addTerm("kind = %s", contract.LoginFailed)
	c.addPeriod("last_at", since, time.Time{})
	c.terms = append(c.terms, "person <> ''")
	sql := `SELECT organisation, person, SUM(times), COUNT(DISTINCT network), MAX(last_at) FROM login` + c.whereClause() + ` GROUP BY organisation, person HAVING SUM(times) >= ` +
		c.addArg(least) + ` ORDER BY SUM(times) DESC, person LIMIT ` + c.addLimit(limit)
	all, err := readAll(ctx, s, func(f *contract.FailedLogins) []any {
		return []any{&f.Organisation, &f.Person, &f.Times, &f.Networks, scanTime(&f.LastAt)}
	}, sql, c.args...)
	return all, wrapf(err, "read the failed logins")
}

// ReportFailedLogins implements [store.Logins].
func (s *Store) ReportFailedLogins(ctx context.Context, of contract.OrganisationID, quiet time.Time, e contract.Event, notices []contract.Notice) (reported bool, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `INSERT INTO login_report (organisation, at) VALUES ($1, $2) ON CONFLICT (organisation) DO UPDATE SET at = excluded.at WHERE login_report.at <= $3`,
			of, toMicros(e.At), toMicros(quiet))
		if reported = n > 0; err != nil || !reported {
			return err
		}
		if err := insertNotices(ctx, t, notices); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, jobs: noticeJobs(notices)}.appendToLog(ctx, t)
	})
	return reported, wrapf(err, "report the failed logins of organisation %s", of)
}

// PurgeLogins implements [store.Logins].
func (s *Store) PurgeLogins(ctx context.Context, before time.Time) error {
	return wrapf(s.runPurges(ctx, purge{"login", "organisation, person, kind, period, network, factor", `last_at < $1`, []any{toMicros(before)}}), "purge logins")
}

// Admins implements [store.Identities].
func (s *Store) Admins(ctx context.Context, of contract.OrganisationID, limit int) ([]store.User, error) {
	all, err := readAll(ctx, s, userRows.dest, userRows.selectWhere(`WHERE organisation = $1 AND admin AND NOT EXISTS (SELECT 1 FROM disabled_account d WHERE d.person = users.id)
		ORDER BY created_at, id LIMIT $2`), of, limit)
	return all, wrapf(err, "read the admins of organisation %s", of)
}
