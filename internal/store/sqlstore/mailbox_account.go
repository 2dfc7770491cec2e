package sqlstore

import (
	"context"
	"errors"

	"segel/internal/contract"
	"segel/internal/store"
)

// CreateMailboxAccount implements [store.MailboxAccounts].
func (s *Store) CreateMailboxAccount(ctx context.Context, o store.Organisation, a store.MailboxAccount, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		u := a.User
		entry := logEntry{events: []contract.Event{e}, at: u.CreatedAt}
		for _, row := range []struct {
			record
			sql  string
			args []any
		}{
			{recordOf("organisation", o.ID), insertOrganisation, []any{o.ID, o.Name, toMicros(o.CreatedAt)}},
			{recordOf("user", u.ID), insertUserRow, userArgs(u)},
			{
				recordOf("mailbox_account", u.ID), `INSERT INTO mailbox_account (person, mailbox, proved_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
				[]any{u.ID, a.Mailbox, toMicros(a.ProvedAt)},
			},
		} {
			written := newWrittenRecord(row.record)
			insert, err := written.writeRow(row.sql, row.args...)
			if err != nil {
				return err
			}
			insert.done = requireNew
			if err := t.addStatements(ctx, insert); err != nil {
				return err
			}
			entry.written = append(entry.written, written)
		}
		if u.Limited != "" {
			if err := setLimitedRole(ctx, t, u.ID, u.Limited, u.CreatedAt); err != nil {
				return err
			}
			entry.records = append(entry.records, recordOf("account_role", u.ID))
		}
		return entry.appendToLog(ctx, t)
	})
	return wrapf(err, "create the account of a mailbox")
}

// HasMailboxAccount implements [store.MailboxAccounts].
func (s *Store) HasMailboxAccount(ctx context.Context, mailbox string) (bool, error) {
	var person contract.PersonID
	err := s.readRow(ctx, []any{&person}, `SELECT person FROM mailbox_account WHERE mailbox = $1`, mailbox)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, wrapf(err, "look for the account of a mailbox")
}

// ifNaming is a condition on $2, a mailbox in lower case: document $1 was finalized and names it as a guest's. See ifInvolved.
const ifNaming = ` AND EXISTS (SELECT 1 FROM participant p JOIN document d ON d.id = p.document WHERE p.document = $1 AND lower(p.email) = $2 AND p.guest AND d.finalized_at <> 0)`

// DocumentNaming implements [store.MailboxAccounts].
func (s *Store) DocumentNaming(ctx context.Context, id contract.DocumentID, mailbox string) (contract.Document, error) {
	d, err := s.readDocument(ctx, ifNaming, id, mailbox)
	return d, wrapf(err, "read document %d for a mailbox", id)
}

// boxWithMailbox has the rows of the inbox of a person, and those of the documents that name their mailbox as a guest's whose turn to see them has
// come, as [contract.Document.GuestReading] says. %[1]s is the person, %[2]s the mailbox in lower case. A day is one of Asia/Jakarta, as
// in box. These rows are not stored: they end when the owner corrects the address, and nothing is written when a document is finalized, so
// owners cannot find out which mailboxes have an account.
var boxWithMailbox = `(SELECT person, box, document, state, day FROM box WHERE person = %[1]s AND box = 'in'
	UNION SELECT CAST(%[1]s AS TEXT), 'in', d.id, d.state, (d.created_at + 25200000000) / 86400000000 FROM participant p JOIN document d ON d.id = p.document
	WHERE lower(p.email) = %[2]s AND p.guest AND d.finalized_at <> 0
		AND d.delivery NOT LIKE '%%"' || p.person || '":"whatsapp"%%' AND d.delivery NOT LIKE '%%"' || p.person || '":"sms"%%'
		AND ` + turnHasCome + `) b`

// turnHasCome is a condition on the participant p of document d, which was finalized: they may see it, as [contract.Document.IsVisibleTo] says.
var turnHasCome = `(d.state = 'completed' OR NOT ` + hasCapacity(contract.Recipient) + `)
		AND (p.role = 'signer' OR d.mode = 'stamping' OR d.delegations LIKE '%%"' || p.person || '"%%' OR ` + isInGroup + ` OR NOT EXISTS (
			SELECT 1 FROM participant e WHERE e.document = p.document AND e.role = 'signer' AND e.signed_at = 0 AND e.number < p.number))`
