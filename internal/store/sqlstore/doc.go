// Package sqlstore implements the store in SQLite and PostgreSQL. It is the only package that contains SQL.
//
// The statements are the same for both; sqlite.go and postgres.go begin the transactions. On SQLite all writers of
// a process share one connection, and the file's single write lock separates processes. On PostgreSQL writers run
// concurrently and take their locks in one order, so that they do not deadlock: the claim of the request, the organisation,
// serials, the counter of document numbers, the document, quota by organisation and unit, the storage of the organisation,
// counts by person, box and state, the log, jobs.
//
// On PostgreSQL a transaction collects the statements whose results it does not need yet and sends them in one round trip, the
// first with BEGIN and the last with COMMIT. On SQLite, which has no round trips, each runs when it is added.
//
// A transaction is durable when Commit returns: SQLite runs with synchronous=FULL, PostgreSQL as its operator
// configured it, whose default is equivalent.
package sqlstore
