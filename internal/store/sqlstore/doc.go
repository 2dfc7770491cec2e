// Package sqlstore keeps everything in SQLite or in PostgreSQL. It is the only room that knows SQL.
//
// The statements are the same for both; sqlite.go and postgres.go say how a transaction is begun on either. On
// SQLite all writers of a process share one connection, and its one write lock is what keeps processes apart.
// On PostgreSQL writers run side by side and take their locks in one order, so that none waits for another
// in a circle: the counter of document numbers, the document, quota by organisation and unit, counts by person,
// box, state and day, jobs, the log.
//
// A transaction is durable when Commit returns: SQLite runs with synchronous=FULL, PostgreSQL as its operator
// has set it up, which by default is the same.
package sqlstore
