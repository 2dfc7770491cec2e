package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// The key of the sandbox office, in the text of office_entry, is not listed: sandbox.Office.Reseal appends an entry with the key, sealed anew.

// notSealed are the columns of bytes whose values are not sealed under a master key. A column of bytes that is neither here nor in [sealedColumns] fails the
// test, so that no value is left behind under a former key.
var notSealed = map[string]string{
	"answer.body":                "a digest",
	"answer.content":             "sealed under a key that is derived from the key of the client and a derived key",
	"api_key.hash":               "a digest",
	"api_key_token.hash":         "a digest",
	"key_file.content":           "a file with several keys; authority.Reseal seals them anew",
	"code_use.binding":           "a digest",
	"code_use.code":              "a digest under a derived key",
	"credential_chain.der":       "a certificate",
	"certificate.der":            "a certificate",
	"passkey.model":              "a public identifier",
	"passkey.public_key":         "a public key",
	"branding.image":             "a picture",
	"specimen.image":             "a picture",
	"initials_specimen.image":    "a picture",
	"installation.authority":     "a digest",
	"log_hash.hash":              "a digest",
	"box_titles.titles":          "titles of documents",
	"box_gram.leaves":            "parts of titles",
	"proved_mailbox.token":       "a digest",
	"try_count.key":              "a digest",
	"used_challenge.ticket":      "a digest",
	"used_challenge.binding":     "a digest",
	"resumable_upload.announced": "a digest",
	"resumable_upload.digest":    "a digest",
	"resumable_upload.midstate":  "a state of a hash",
	"guest_code.nonce":           "random; the code is derived from it and a derived key",
	"removed_document.evidence":  "a digest",
	"document.original_sums":     "sums of a file",
	"revision.file_sums":         "sums of a file",
	"revision.midstate":          "a state of a hash",
	"serial.evidence_sums":       "sums of a file",
	"attempt.evidence_sums":      "sums of a file",
	"evidence.file_sums":         "sums of a file",
	"resumable_part.file_sums":   "sums of a file",
}

// isDigestColumn reports whether the name of a column says that it has a hash or digest.
func isDigestColumn(column string) bool {
	return column == "hash" || column == "digest" || column == "source" || strings.HasSuffix(column, "_hash") || strings.HasSuffix(column, "_digest")
}

// TestEveryColumnOfBytesIsKnownToBeSealedOrNot reads the schema.
func TestEveryColumnOfBytesIsKnownToBeSealedOrNot(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		seen := map[string]bool{}
		for _, table := range ownTables(t, s) {
			for i, column := range table.columns {
				if kind := table.types[i]; kind != "bytea" && kind != "blob" {
					continue
				}
				name := table.name + "." + column
				seen[name] = true
				_, err := findSealedColumn(store.SealedColumn{Table: table.name, Column: column})
				known := notSealed[name] != "" || isDigestColumn(column)
				if (err == nil) == known {
					t.Errorf("%s: add it to sealedColumns if values in it are sealed under the master key, and otherwise to notSealed", name)
				}
			}
		}
		for name := range notSealed {
			if !seen[name] {
				t.Errorf("%s is not a column of bytes", name)
			}
		}
		for _, c := range sealedColumns {
			if !seen[c.Table+"."+c.Column] {
				t.Errorf("%s.%s is not a column of bytes", c.Table, c.Column)
			}
		}
	})
}

// TestEverySealedColumnIsReplacedInBatches plants a value in each sealed column, and requires that all are replaced, in rows as they are in use: with
// the records that the log has digests of, and with the count of edits that other writers compare.
func TestEverySealedColumnIsReplacedInBatches(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, ctx, now := openTest(t, dsn), t.Context(), time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
		if err := s.CreateOrganisation(ctx, store.Organisation{ID: "org", Name: "PT Contoh", CreatedAt: now}); err != nil {
			t.Fatal(err)
		}
		plantPerson(t, s, ownTables(t, s))
		for _, c := range sealedColumns {
			edits := func() (n int64) {
				if c.edits {
					if err := s.readRow(ctx, []any{&n}, `SELECT edits FROM `+c.Table); err != nil {
						t.Fatal(err)
					}
				}
				return n
			}
			before := edits()
			found, err := s.SealedValues(ctx, c.SealedColumn, "", 10)
			if err != nil || len(found) != 1 || string(found[0].Sealed) != personalText || len(found[0].About) != len(c.about) {
				t.Fatalf("%s.%s: %q, %v", c.Table, c.Column, found, err)
			}
			if rest, err := s.SealedValues(ctx, c.SealedColumn, found[0].Key, 10); err != nil || len(rest) != 0 {
				t.Errorf("%s.%s after the last one: %q, %v", c.Table, c.Column, rest, err)
			}
			n, err := s.ReplaceSealed(ctx, c.SealedColumn, []store.Resealed{{Key: found[0].Key, Old: found[0].Sealed, New: []byte("resealed")}}, now)
			if err != nil || n != 1 {
				t.Errorf("%s.%s: %d were replaced, %v", c.Table, c.Column, n, err)
			}
			found, err = s.SealedValues(ctx, c.SealedColumn, "", 10)
			if err != nil || len(found) != 1 || !bytes.Equal(found[0].Sealed, []byte("resealed")) {
				t.Errorf("%s.%s: %q, %v", c.Table, c.Column, found, err)
			}
			if c.edits && edits() != before+1 {
				t.Errorf("%s.%s: a writer that read the value before may write it back", c.Table, c.Column)
			}
			if kind := slices.IndexFunc(recordKinds, func(k recordKind) bool {
				return slices.ContainsFunc(k.parts, func(p recordPart) bool { return p.table == c.Table && slices.Contains(p.columns, c.Column) })
			}); (kind >= 0) != (c.record != "") {
				t.Errorf("%s.%s: the log has a digest of it if a kind of record does, %q", c.Table, c.Column, c.record)
			}
		}
	})
}

// TestAWriterThatReadTheFormerSecretDoesNotWriteItBack changes the settings of a webhook that were read before its secret was sealed anew.
func TestAWriterThatReadTheFormerSecretDoesNotWriteItBack(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, ctx, now := openTest(t, dsn), t.Context(), time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
		if err := s.CreateOrganisation(ctx, store.Organisation{ID: "org", Name: "PT Contoh", CreatedAt: now}); err != nil {
			t.Fatal(err)
		}
		e := contract.Event{Type: contract.EventWebhookChanged, At: now, Details: map[string]string{"organisation": "org"}}
		w := contract.Webhook{ID: "w", Organisation: "org", URL: "https://example.test", Secret: []byte("former"), CreatedAt: now}
		if err := s.AddWebhook(ctx, w, e); err != nil {
			t.Fatal(err)
		}
		read, err := s.Webhook(ctx, "w")
		if err != nil {
			t.Fatal(err)
		}
		column := store.SealedColumn{Table: "webhook", Column: "secret"}
		if n, err := s.ReplaceSealed(ctx, column, []store.Resealed{{Key: "w", Old: []byte("former"), New: []byte("current")}}, now); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if err := s.SetWebhook(ctx, read, e); !errors.Is(err, store.ErrConflict) {
			t.Errorf("changed: %v", err)
		}
		if got, err := s.Webhook(ctx, "w"); err != nil || string(got.Secret) != "current" {
			t.Errorf("%q, %v", got.Secret, err)
		}
	})
}

// TestAnInterruptedReplacementLeavesAllOrNoneOfABatch kills it before its commit.
func TestAnInterruptedReplacementLeavesAllOrNoneOfABatch(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, ctx, now := openTest(t, dsn), t.Context(), time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
		var anew []store.Resealed
		for i := range 3 {
			k := store.DerivedKey{Purpose: fmt.Sprint(i), Sealed: []byte("former")}
			if err := s.AddDerivedKey(ctx, k, now); err != nil {
				t.Fatal(err)
			}
			anew = append(anew, store.Resealed{Key: k.Purpose, Old: k.Sealed, New: []byte("current")})
		}
		column := store.SealedColumn{Table: "derived_key", Column: "sealed"}
		living := s.db
		s.db = lastMoment{living}
		if n, err := s.ReplaceSealed(ctx, column, anew, now); !errors.Is(err, errMortal) {
			t.Fatalf("%d were replaced by a process that was killed, %v", n, err)
		}
		s.db = living
		for _, want := range []int{3, 0} { // repeated, and once more
			if n, err := s.ReplaceSealed(ctx, column, anew, now); n != want || err != nil {
				t.Errorf("%d, %v, want %d", n, err, want)
			}
		}
	})
}

// lastMoment is the database of a process that is killed when all statements of a transaction have run, before it is committed.
type lastMoment struct{ database }

func (d lastMoment) withTx(ctx context.Context, fn func(tx) error) error {
	return d.database.withTx(ctx, func(t tx) error { return errors.Join(fn(t), errMortal) })
}
