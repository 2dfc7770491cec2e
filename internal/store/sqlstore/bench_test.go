package sqlstore

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// BenchmarkCommit creates documents of two signers: one row of ten tables each.
func BenchmarkCommit(b *testing.B) {
	for name, dsn := range databases {
		b.Run(name, func(b *testing.B) {
			s := openTest(b, dsn(b))
			upload(b, s, b.N)
		})
	}
}

// BenchmarkList reads the first page of a person who sent 10,000 documents.
func BenchmarkList(b *testing.B) {
	for name, dsn := range databases {
		b.Run(name, func(b *testing.B) {
			s := openTest(b, dsn(b))
			upload(b, s, 10_000)
			for what, q := range map[string]store.ListQuery{
				"newest": {}, "deep": {Offset: 9_000}, "search": {Search: "TITLE 99"}, "week": {Period: store.PeriodWeek},
			} {
				q.Person, q.Box, q.Limit, q.Now = "owner", store.Outbox, 20, time.Unix(1_800_000_000, 0)
				b.Run(what, func(b *testing.B) {
					for b.Loop() {
						if l, err := s.List(b.Context(), q); err != nil || l.Total == 0 {
							b.Fatal(l.Total, err)
						}
					}
				})
			}
		})
	}
}

func upload(b *testing.B, s *Store, n int) {
	b.Helper()
	if err := s.CreateOrganisation(b.Context(), store.Organisation{ID: "org", Name: "org"}); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for i := range n {
		c, err := uploading(i)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

// uploading returns the change that creates document number i of owner, with two signers.
func uploading(i int) (contract.Change, error) {
	u := contract.Upload{Title: fmt.Sprint("Title ", i), Pages: 1}
	binary.BigEndian.PutUint64(u.Entropy[:], uint64(i))
	u.Base = contract.Revision{Tail: contract.File{Key: fmt.Sprint(i), Size: 1, Digest: [32]byte{1}}, End: 1}
	u.Participants = []contract.Participant{
		{Person: contract.Person{ID: "first", Name: "F"}, Role: contract.Signer, Number: 1},
		{Person: contract.Person{ID: "second", Name: "S"}, Role: contract.Signer, Number: 2},
	}
	by := contract.Actor{Person: contract.Person{ID: "owner"}, Organisation: "org"}
	return contract.Create(u, by, contract.Limits{Storage: contract.Storage{Drafts: 1_000_000}}.Defaults(), time.Unix(1_800_000_000, 0))
}
