package sqlstore

import (
	"context"
	"errors"
	"slices"

	"segel/internal/contract"
	"segel/internal/store"
)

var labelRows = rowType[contract.Label]{"label", `id, organisation, name, colour, created_at`, func(l *contract.Label) []any {
	return []any{&l.ID, &l.Organisation, &l.Name, &l.Colour, scanTime(&l.CreatedAt)}
}}

var folderRows = rowType[contract.Folder]{"folder", `id, space, name, created_at`, func(f *contract.Folder) []any {
	return []any{&f.ID, &f.Space, &f.Name, scanTime(&f.CreatedAt)}
}}

// Labels implements [store.Labels].
func (s *Store) Labels(ctx context.Context, o contract.OrganisationID) ([]contract.Label, error) {
	all, err := readAll(ctx, s, labelRows.dest, labelRows.selectWhere(`WHERE organisation = $1 ORDER BY name_folded`), o)
	return all, wrapf(err, "read the labels of organisation %s", o)
}

// Label implements [store.Labels].
func (s *Store) Label(ctx context.Context, id contract.LabelID) (contract.Label, error) {
	l, err := labelRows.readOne(ctx, s, `WHERE id = $1`, id)
	return l, wrapf(err, "read label %s", id)
}

// AddLabel implements [store.Labels].
func (s *Store) AddLabel(ctx context.Context, l contract.Label, e contract.Event) (contract.Label, error) {
	err := s.runWithAnswer(ctx, func(t tx) (any, error) {
		// Of labels that are added at the same time, each counts those before it.
		if err := lockOrganisation(ctx, t, l.Organisation); err != nil {
			return nil, err
		}
		var count int
		var taken bool
		if err := queryOne(ctx, t, []any{&count, &taken}, `SELECT COUNT(*), EXISTS (SELECT 1 FROM label WHERE organisation = $1 AND name_folded = $2) FROM label WHERE organisation = $1`, l.Organisation, foldText(l.Name)); err != nil {
			return nil, err
		}
		switch {
		case taken:
			return nil, store.ErrExists
		case count >= contract.MaxLabels:
			return nil, contract.ErrLabelLimit
		}
		if _, err := t.exec(ctx, `INSERT INTO label (id, organisation, name, name_folded, colour, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			l.ID, l.Organisation, cleanText(l.Name), foldText(l.Name), l.Colour, toMicros(l.CreatedAt)); err != nil {
			return nil, err
		}
		return l, logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return l, wrapf(err, "add label %s", l.ID)
}

// SetLabel implements [store.Labels].
func (s *Store) SetLabel(ctx context.Context, l contract.Label, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockOrganisation(ctx, t, l.Organisation); err != nil {
			return err
		}
		var taken bool
		if err := queryOne(ctx, t, []any{&taken}, `SELECT EXISTS (SELECT 1 FROM label WHERE organisation = $1 AND name_folded = $2 AND id <> $3)`, l.Organisation, foldText(l.Name), l.ID); err != nil {
			return err
		}
		if taken {
			return store.ErrExists
		}
		if err := execRequired(ctx, t, requireRow, `UPDATE label SET name = $3, name_folded = $4, colour = $5 WHERE id = $1 AND organisation = $2`,
			l.ID, l.Organisation, cleanText(l.Name), foldText(l.Name), l.Colour); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "change label %s", l.ID)
}

// DeleteLabel implements [store.Labels].
func (s *Store) DeleteLabel(ctx context.Context, o contract.OrganisationID, id contract.LabelID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockOrganisation(ctx, t, o); err != nil {
			return err
		}
		if err := execRequired(ctx, t, requireRow, `DELETE FROM label WHERE id = $1 AND organisation = $2`, id, o); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "delete label %s", id)
}

// LabelDocuments implements [store.Labels]. The lock keeps labels from being deleted meanwhile, and two requests that each add a few labels to a
// document from adding too many together.
func (s *Store) LabelDocuments(ctx context.Context, o contract.OrganisationID, ids []contract.DocumentID, change func(contract.DocumentID, []contract.LabelID) []contract.LabelID) (own []contract.DocumentID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.fileInTx(ctx, func(t tx) error {
		if err := lockOrganisation(ctx, t, o); err != nil {
			return err
		}
		in, args := listArgsFrom(2, ids)
		var err error
		own, err = queryAll(ctx, t, column[contract.DocumentID], `SELECT id FROM document WHERE organisation = $1 AND id IN `+in+` ORDER BY id`, slices.Insert(args, 0, any(o))...)
		if err != nil || len(own) == 0 {
			return err
		}
		type pair struct {
			document contract.DocumentID
			label    contract.LabelID
		}
		in, args = listArgs(own)
		had, err := queryAll(ctx, t, func(p *pair) []any { return []any{&p.document, &p.label} }, `SELECT document, label FROM document_label WHERE document IN `+in+` ORDER BY document, label`, args...)
		if err != nil {
			return err
		}
		of := map[contract.DocumentID][]contract.LabelID{}
		for _, p := range had {
			of[p.document] = append(of[p.document], p.label)
		}
		var all []statement
		for _, id := range own {
			after := change(id, slices.Clone(of[id]))
			for _, l := range of[id] {
				if !slices.Contains(after, l) {
					all = append(all, statement{sql: `DELETE FROM document_label WHERE label = $1 AND document = $2`, args: []any{l, id}})
				}
			}
			for _, l := range after {
				if !slices.Contains(of[id], l) {
					all = append(all, statement{sql: `INSERT INTO document_label (organisation, label, document) SELECT organisation, id, CAST($3 AS BIGINT) FROM label WHERE id = $1 AND organisation = $2`, args: []any{l, o, id}})
				}
			}
		}
		return t.runBatch(ctx, all...)
	})
	return own, wrapf(err, "label documents of organisation %s", o)
}

// fileInTx runs a transaction that adds rows of documents. On PostgreSQL a row waits for a deletion of its document that is in progress, and is refused
// after it. Then the transaction is run again, which does not find that document. It does so at most once for each document.
func (s *Store) fileInTx(ctx context.Context, run func(tx) error) error {
	for {
		if err := s.db.withTx(ctx, run); !isWithoutReferent(err) {
			return err
		}
	}
}

// Folders implements [store.Folders].
func (s *Store) Folders(ctx context.Context, space contract.PersonID) ([]contract.Folder, error) {
	all, err := readAll(ctx, s, folderRows.dest, folderRows.selectWhere(`WHERE space = $1 ORDER BY name_folded`), space)
	return all, wrapf(err, "read the folders of %s", space)
}

// Folder implements [store.Folders].
func (s *Store) Folder(ctx context.Context, id contract.FolderID) (contract.Folder, error) {
	f, err := folderRows.readOne(ctx, s, `WHERE id = $1`, id)
	return f, wrapf(err, "read folder %s", id)
}

// AddFolder implements [store.Folders]. Of a person nothing is locked: as many requests as arrive at the same moment may exceed the limit, which only bounds what a
// person's list of folders costs. A team is locked, so that a deletion of it finds the folder.
func (s *Store) AddFolder(ctx context.Context, f contract.Folder) (contract.Folder, error) {
	var stored contract.Folder
	err := s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `UPDATE team SET name = name WHERE id = $1`, f.Space); err != nil {
			return err
		}
		var deleted bool
		if err := queryOne(ctx, t, []any{&deleted}, `SELECT EXISTS (SELECT 1 FROM team WHERE id = $1 AND deleted_at <> 0)`, f.Space); err != nil {
			return err
		}
		if deleted {
			return store.ErrNotFound
		}
		if _, err := t.exec(ctx, `INSERT INTO folder (id, space, name, name_folded, created_at) SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS BIGINT)
			WHERE (SELECT COUNT(*) FROM folder WHERE space = $2) < $6 ON CONFLICT DO NOTHING`,
			f.ID, f.Space, cleanText(f.Name), foldText(f.Name), toMicros(f.CreatedAt), contract.MaxFolders); err != nil {
			return err
		}
		err := queryOne(ctx, t, folderRows.dest(&stored), folderRows.selectWhere(`WHERE space = $1 AND name_folded = $2`), f.Space, foldText(f.Name))
		if errors.Is(err, store.ErrNotFound) {
			return contract.ErrFolderLimit
		}
		return err
	})
	return stored, wrapf(err, "add a folder of %s", f.Space)
}

// RenameFolder implements [store.Folders].
func (s *Store) RenameFolder(ctx context.Context, f contract.Folder) error {
	err := s.db.withTx(ctx, func(t tx) error {
		var taken bool
		if err := queryOne(ctx, t, []any{&taken}, `SELECT EXISTS (SELECT 1 FROM folder WHERE space = $1 AND name_folded = $2 AND id <> $3)`, f.Space, foldText(f.Name), f.ID); err != nil {
			return err
		}
		if taken {
			return store.ErrExists
		}
		err := execRequired(ctx, t, requireRow, `UPDATE folder SET name = $3, name_folded = $4 WHERE id = $1 AND space = $2`, f.ID, f.Space, cleanText(f.Name), foldText(f.Name))
		if isDuplicate(err) { // on PostgreSQL, by a request at the same moment
			return store.ErrExists
		}
		return err
	})
	return wrapf(err, "rename folder %s", f.ID)
}

// DeleteFolder implements [store.Folders].
func (s *Store) DeleteFolder(ctx context.Context, space contract.PersonID, id contract.FolderID) error {
	err := s.db.withTx(ctx, func(t tx) error {
		return execRequired(ctx, t, requireRow, `DELETE FROM folder WHERE id = $1 AND space = $2`, id, space)
	})
	return wrapf(err, "delete folder %s", id)
}

// FileDocuments implements [store.Folders]. The rows come from the lists of the space, so nothing else can be filed.
func (s *Store) FileDocuments(ctx context.Context, space contract.PersonID, folder contract.FolderID, ids []contract.DocumentID) (found []contract.DocumentID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.fileInTx(ctx, func(t tx) error {
		if err := s.fileRows(ctx, t, space, folder, ids); err != nil {
			return err
		}
		// Afterwards: a document whose row is written cannot be deleted before the commit.
		in, args := listArgs(ids)
		var err error
		found, err = queryAll(ctx, t, column[contract.DocumentID], `SELECT id FROM document WHERE id IN `+in, args...)
		return err
	})
	return found, wrapf(err, "file documents of %s", space)
}

func (s *Store) fileRows(ctx context.Context, t tx, space contract.PersonID, folder contract.FolderID, ids []contract.DocumentID) error {
	if folder == "" {
		in, args := listArgsFrom(2, ids)
		_, err := t.exec(ctx, `DELETE FROM folder_document WHERE space = $1 AND document IN `+in, slices.Insert(args, 0, any(space))...)
		return err
	}
	// The lock keeps the folder from being deleted meanwhile.
	if err := execRequired(ctx, t, requireRow, `UPDATE folder SET name = name WHERE id = $1 AND space = $2`, folder, space); err != nil {
		return err
	}
	if err := s.lockAgainstChanges(ctx, t, ids); err != nil {
		return err
	}
	in, args := listArgsFrom(3, ids)
	_, err := t.exec(ctx, `INSERT INTO folder_document (space, document, folder) SELECT DISTINCT b.person, b.document, CAST($2 AS TEXT) FROM box b WHERE b.person = $1 AND b.document IN `+in+`
		ON CONFLICT (document, space) DO UPDATE SET folder = excluded.folder`, slices.Insert(args, 0, any(space), any(folder))...)
	return err
}

// lockAgainstChanges locks documents until the transaction ends, in one order, so that none of them leaves a list meanwhile. A change that is in progress ends before: the
// next statement finds the lists after it. A later one finds the rows of this transaction, and removes those of the list that the document leaves. SQLite has one
// transaction that writes at a time.
func (s *Store) lockAgainstChanges(ctx context.Context, t tx, ids []contract.DocumentID) error {
	if s.db.embedded() {
		return nil
	}
	in, args := listArgs(ids)
	_, err := queryAll(ctx, t, column[contract.DocumentID], `SELECT id FROM document WHERE id IN `+in+` ORDER BY id FOR SHARE`, args...)
	return err
}

// Filing implements [store.Folders].
func (s *Store) Filing(ctx context.Context, of store.FilingView, ids []contract.DocumentID) (map[contract.DocumentID]store.Filed, error) {
	all := map[contract.DocumentID]store.Filed{}
	if len(ids) == 0 || of == (store.FilingView{}) {
		return all, nil
	}
	err := s.db.readTogether(ctx, selectFiling(all, of, ids))
	return all, wrapf(err, "read where documents are filed")
}

// selectFiling returns the statement that adds to all where documents are filed.
func selectFiling(all map[contract.DocumentID]store.Filed, of store.FilingView, ids []contract.DocumentID) statement {
	in, args := listArgsFrom(3, ids)
	return statement{
		sql: `SELECT x.document, l.id, l.name, l.colour, l.created_at, l.name_folded AS position FROM document_label x JOIN label l ON l.id = x.label WHERE x.organisation = $1 AND x.document IN ` + in + `
			UNION ALL SELECT x.document, f.id, f.name, '', f.created_at, '' FROM folder_document x JOIN folder f ON f.id = x.folder WHERE x.space = $2 AND x.document IN ` + in + ` ORDER BY 1, 6`,
		args: slices.Insert(args, 0, any(of.Organisation), any(of.Space)),
		each: func(scan scanFunc) error {
			var id contract.DocumentID
			var l contract.Label
			var position string
			if err := scan(&id, &l.ID, &l.Name, &l.Colour, scanTime(&l.CreatedAt), &position); err != nil {
				return err
			}
			f := all[id]
			if l.Colour == "" {
				f.Folder = contract.Folder{ID: contract.FolderID(l.ID), Space: of.Space, Name: l.Name, CreatedAt: l.CreatedAt}
			} else {
				l.Organisation = of.Organisation
				f.Labels = append(f.Labels, l)
			}
			all[id] = f
			return nil
		},
	}
}

// isFiled reports whether the query names a label or a folder.
func (b boxQuery) isFiled() bool { return b.Label != "" || b.Folder != "" }

// addFiled adds the terms that select documents with the label and in the folder of the query. Both are the reader's: the label is
// one of their organisation, and the folder is in the space of the list.
func (b boxQuery) addFiled(c *condition, document string) {
	if b.Label != "" {
		c.terms = append(c.terms, `EXISTS (SELECT 1 FROM document_label fl WHERE fl.label = `+c.addArg(b.Label)+` AND fl.document = `+document+` AND fl.organisation = `+c.addArg(b.View.Organisation)+`)`)
	}
	if b.Folder != "" {
		c.terms = append(c.terms, `EXISTS (SELECT 1 FROM folder_document ff WHERE ff.space = `+c.addArg(b.View.Space)+` AND ff.document = `+document+` AND ff.folder = `+c.addArg(b.Folder)+`)`)
	}
}

// filedAs returns the query of the documents that have the label or are in the folder of the query, whichever is fewer as a rule: a folder, if it names
// both. Placeholders are those of c.
func (b boxQuery) filedAs(c *condition) string {
	if b.Folder != "" {
		return `SELECT document FROM folder_document WHERE folder = ` + c.addArg(b.Folder) + ` AND space = ` + c.addArg(b.View.Space)
	}
	return `SELECT document FROM document_label WHERE label = ` + c.addArg(b.Label) + ` AND organisation = ` + c.addArg(b.View.Organisation)
}

// findFiled finds documents of a list, which has so many rows, that have a label or are in a folder. Those of the label or the folder are looked up in
// the list, unless the list has no more rows.
func (b boxQuery) findFiled(ctx context.Context, r querier, rows int) (boxSearch, error) {
	if rows <= b.blocks.scan {
		return b.selectRows(ctx, r)
	}
	var c condition
	var n int
	most := min(rows, maxSelected)
	filed := b.filedAs(&c)
	if err := queryOne(ctx, r, []any{&n}, `SELECT COUNT(*) FROM (`+filed+` LIMIT `+c.addLimit(most+1)+`) x`, c.args...); err != nil {
		return boxSearch{}, err
	}
	if n > most {
		return b.selectRows(ctx, r)
	}
	c = b.condition()
	c.terms = append(c.terms, `b.document IN (`+b.filedAs(&c)+`)`)
	b.addFiled(&c, "b.document") // the other one, if the query names both
	return b.selectMatches(ctx, r, `box b`, c, `b.document`)
}
