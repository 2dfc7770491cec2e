// Package peruri implements [emeterai.Stamper] with Peruri's HTTP protocol, in both of its forms: an adapter that runs
// beside this service and shares a folder with it, and the office's cloud, to which the file is uploaded.
// docs/emeterai.md describes the protocol as used here, and the result of each fault.
//
// How each stamp is bought and affixed exactly once, although the office knows no identifier of ours:
//   - A call that was certainly not sent (no connection, an open breaker, a refusal in the codes of the protocol) does
//     not affect an order: it is placed again. Any other failure of stampv2 leaves the order in doubt, as does
//     Order.MaybeSent for an order that this process does not know.
//   - An order in doubt is searched for in the account's list, while no process buys anything (Options.Leases): an
//     unused serial with the order's file name or, if the office returns no file names, one of those that
//     no document has. That none is found means nothing until a late answer is impossible (Options.Settle).
//   - Serials that cannot be told apart are a [emeterai.NeedsPerson] problem that names them.
//   - docSigningZ is repeated with the same serial, the same bytes and retryFlag "1", after querying the serial's
//     status; that costs nothing.
//
// Several processes may share an account if they share the database behind Options.Known: its unique serials decide
// which process has one; the loser looks again.
//
// The package starts no goroutines. Each call has a deadline and a limit on its answer, and goes through a breaker.
package peruri
