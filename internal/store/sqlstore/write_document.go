package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
)

// documentWriter writes the difference between two values of a document.
type documentWriter struct {
	tx
	before *contract.Document // nil: the document is new
	after  *contract.Document

	expected contract.DocumentID // the number of a new document; 0: the next one
	at       time.Time           // of the change
	blocks   blockSizes
	large    []boxList // whose span of the document is to be split
	row      []any     // what documentArgs returned, once the document has its number and version
}

const documentColumns = `version, organisation, owner, owner_name, owner_email, name, title, filename, state, mode, parallel, pages,
	original_key, original_size, original_digest, original_sums,
	created_at, finalized_at, ended_at, expires_at, last_signed_at, reminded_at, restamping, specimen, reason,
	conversion, conversion_problem, conversion_warnings, findings, examined, delivery, delegations`

var documentWidth = 1 + strings.Count(documentColumns, ",")

// documentUpdate takes the arguments of documentArgs, and then the version that was read.
var documentUpdate = fmt.Sprintf(`UPDATE document SET (%s, title_folded, due_at, waits_since, remind_at) = (%s, %s) WHERE id = $%d AND version = $%d`,
	documentColumns, placeholders(1, documentWidth), placeholders(documentWidth+2, 4), documentWidth+1, documentWidth+6)

// documentArgs returns the arguments for documentColumns; id and the columns that only serve queries follow. Call it once the document has
// its number and version.
func (w *documentWriter) documentArgs() []any {
	if w.row != nil {
		return w.row
	}
	d := w.after
	w.row = []any{
		d.Version, d.Organisation, d.Owner.ID, d.Owner.Name, d.Owner.Email, d.Name, d.Title, d.Filename, d.State, d.Mode, d.Parallel, d.Pages,
		d.Original.Key, d.Original.Size, d.Original.Digest[:], bytesArg(d.Original.Sums),
		toMicros(d.CreatedAt), toMicros(d.FinalizedAt), toMicros(d.EndedAt), toMicros(d.ExpiresAt), toMicros(d.LastSignedAt), toMicros(d.RemindedAt),
		d.Restamping, d.Specimen, d.Reason,
		d.Conversion.State, d.Conversion.Problem, encodeWarnings(d.Conversion.Warnings), encodeFindings(d.Findings), d.Examined, encodeDelivery(d.Delivery),
		encodeDelegations(d.Delegations),
		d.ID, foldText(d.Title), toMicros(w.dueAt()), toMicros(w.waitsSince()), toMicros(d.NextReminder()),
	}
	return w.row
}

// dueAt returns when the document expires; zero when it cannot, see [contract.Expire].
func (w *documentWriter) dueAt() time.Time {
	d := w.after
	if d.AwaitsPeople() {
		return d.ExpiresAt
	}
	return time.Time{}
}

// waitsSince returns since when a conversion, stamps or the seal are outstanding, as far as this change shows; zero if
// they are not.
func (w *documentWriter) waitsSince() time.Time {
	d := w.after
	if d.NextJob() != "" {
		return w.at
	}
	return time.Time{}
}

func (w *documentWriter) insertDocument(ctx context.Context) error {
	if err := w.numberDocument(ctx); err != nil {
		return fmt.Errorf("number document: %w", err)
	}
	w.after.Version = 1
	err := w.addStatements(ctx, statement{
		sql:  `INSERT INTO document (` + documentColumns + `, id, title_folded, due_at, waits_since, remind_at) VALUES (` + placeholders(1, documentWidth+5) + `)`,
		args: w.documentArgs(),
		what: fmt.Sprintf("add document %d", w.after.ID),
	})
	if err == nil && w.after.Test {
		err = w.addStatements(ctx, statement{sql: `INSERT INTO test_document (document) VALUES ($1)`, args: []any{w.after.ID}, what: fmt.Sprintf("mark test document %d", w.after.ID)})
	}
	if err != nil {
		return err
	}
	return w.writeParts(ctx)
}

// numberDocument takes the number of a new document. An expected one travels with what comes after it.
func (w *documentWriter) numberDocument(ctx context.Context) error {
	if w.expected == 0 {
		return queryOne(ctx, w, []any{&w.after.ID}, `UPDATE document_number SET last = last + 1 WHERE id = 1 RETURNING last`)
	}
	w.after.ID = w.expected
	return w.addStatements(ctx, statement{
		sql:  `UPDATE document_number SET last = $1 WHERE id = 1 AND last = $2`,
		args: []any{w.expected, w.expected - 1},
		done: requireNumber,
	})
}

// updateDocument updates the document if it still has the version that was read. The row is locked from here on, so
// only one transaction at a time writes the rest.
func (w *documentWriter) updateDocument(ctx context.Context) error {
	w.after.ID, w.after.Version = w.before.ID, w.before.Version+1
	err := w.addStatements(ctx, statement{
		sql:  documentUpdate,
		args: append(slices.Clip(w.documentArgs()), w.before.Version),
		done: requireVersion,
		what: fmt.Sprintf("change document %d", w.after.ID),
	})
	if err != nil {
		return err
	}
	if err := w.endOwnerPages(ctx); err != nil {
		return err
	}
	if err := w.unfile(ctx); err != nil {
		return err
	}
	return w.writeParts(ctx)
}

// errVersion means that the document no longer has the version that was read, or no longer exists.
var errVersion = errors.New("changed or deleted by another writer")

func requireVersion(n int64) error {
	if n == 0 {
		return errVersion
	}
	return nil
}

// endDraftPages ends the embedded pages of a draft, which its owner alone can have. The index of token finds them by person and document.
const endDraftPages = `DELETE FROM token WHERE person = $1 AND document = $2 AND kind = 'embedded'`

// lockForDeletion locks the document that is to be deleted. Its rows in lists are removed first, so that the counts follow.
func (w *documentWriter) lockForDeletion(ctx context.Context) error {
	w.after.ID, w.after.Version = w.before.ID, w.before.Version
	return w.addStatements(ctx, statement{
		sql:  `UPDATE document SET version = version + 1 WHERE id = $1 AND version = $2`,
		args: []any{w.after.ID, w.after.Version},
		done: requireVersion,
		what: fmt.Sprintf("lock document %d", w.after.ID),
	}, statement{sql: endDraftPages, args: []any{w.before.Owner.ID, w.after.ID}, what: "end the embedded pages of a draft"},
		statement{sql: `DELETE FROM embed_address WHERE document = $1`, args: []any{w.after.ID}, what: "end the addresses of a draft"})
}

func (w *documentWriter) writeParts(ctx context.Context) error {
	for _, write := range []func(context.Context) error{w.writeParticipants, w.writeRoles, w.writeTeam, w.writePreparation, w.writePlacements, w.writeStamps, w.writeRevisions} {
		if err := write(ctx); err != nil {
			return fmt.Errorf("write document %d: %w", w.after.ID, err)
		}
	}
	return nil
}

// rewriteRows changes the rows of one kind of part from before to after. Rows are numbered by their position; argsOf returns the position and
// the columns of a row, and update is what replaces an existing one.
func rewriteRows[T any](ctx context.Context, w *documentWriter, part rowType[T], before, after []T, same func(a, b *T) bool, argsOf func(i int, v *T) []any, update string) error {
	var changed [][]any
	for i := range after {
		if i < len(before) && same(&before[i], &after[i]) {
			continue
		}
		changed = append(changed, append([]any{w.after.ID}, argsOf(i, &after[i])...))
	}
	for rows := range slices.Chunk(changed, rowsInStatement) {
		err := w.addStatements(ctx, statement{
			sql: `INSERT INTO ` + part.table + ` (document, position, ` + part.columns + `) VALUES ` + placeholderRows(len(rows), len(rows[0])) + `
				ON CONFLICT (document, position) DO UPDATE SET ` + update,
			args: slices.Concat(rows...),
			what: fmt.Sprintf("write to %s of document %d", part.table, w.after.ID),
		})
		if err != nil {
			return err
		}
	}
	if len(after) >= len(before) {
		return nil
	}
	return w.addStatements(ctx, statement{
		sql:  `DELETE FROM ` + part.table + ` WHERE document = $1 AND position >= $2`,
		args: []any{w.after.ID, len(after)},
		what: fmt.Sprintf("delete from %s of document %d", part.table, w.after.ID),
	})
}
