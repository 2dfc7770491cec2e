package jobs_test

import (
	"fmt"
	"testing"

	"segel/internal/contract"
	"segel/internal/jobs"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/store/storetest/pgtest"
)

// BenchmarkFetchBehindABatch fetches the next order while another organisation has so many waiting: the cost of a turn must not depend on the batch.
func BenchmarkFetchBehindABatch(b *testing.B) {
	for name, dsn := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return storetest.SQLite(t, sqlstore.Migrate) },
		"PostgreSQL": func(t testing.TB) string { return pgtest.Database(t, sqlstore.Migrate) },
	} {
		for _, batch := range []int{100, 100_000} {
			b.Run(fmt.Sprint(name, "/", batch), func(b *testing.B) {
				ctx := b.Context()
				s, err := sqlstore.Open(ctx, dsn(b), sqlstore.Options{})
				must := func(err error) {
					b.Helper()
					if err != nil {
						b.Fatal(err)
					}
				}
				must(err)
				defer s.Close() //nolint:errcheck // it was only measured
				must(s.Enqueue(ctx, contract.Job{Kind: contract.JobStamp, Document: 1, Organisation: "batch"}))
				must(jobs.CopyJobs(ctx, s, batch))
				if name == "PostgreSQL" { // its server does so by itself; SQLite has no statistics unless somebody runs ANALYZE
					must(jobs.AnalyzeJobs(ctx, s))
				}
				for n := contract.DocumentID(2); b.Loop(); n++ {
					b.StopTimer()
					must(jobs.DeleteRunning(ctx, s))
					must(s.Enqueue(ctx, contract.Job{Kind: contract.JobStamp, Document: n, Organisation: "single"}))
					b.StartTimer()
					fetched, err := jobs.FetchOne(ctx, s, jobs.DefaultQueue)
					if must(err); fetched != 1 {
						b.Fatalf("fetched %d", fetched)
					}
				}
			})
		}
	}
}
