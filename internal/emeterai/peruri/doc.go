// Package peruri speaks to the stamp office over its HTTP protocol, in both of its forms: an adapter beside us that
// shares a folder with us, and the office's cloud, to which the file is uploaded. docs/emeterai.md describes the
// protocol as it is spoken here, and what becomes of each fault.
//
// How exactly once comes about, though the office knows no identifier of ours:
//   - A call that certainly did not leave (no connection, an open breaker, a refusal in the protocol's words) leaves an
//     order clean: it is simply placed again. Any other end of stampv2 leaves it in doubt, as does Order.Again for an
//     order this process knows nothing of.
//   - An order in doubt is looked for in the account's list, under a lock that keeps every purchase of this process
//     out: an unused serial that bears the order's file name, or, where the office does not tell file names, the only
//     ones that no document has. Not finding it means nothing until a late answer cannot come any more (Options.Settle).
//   - What cannot be told apart is a [emeterai.Person] problem that names the serials.
//   - docSigningZ is repeated with the same serial, the same bytes and retryFlag "1", after the serial's status was
//     asked; that costs nothing.
//
// Several processes may share an account as long as they share the database behind Options.Known: its unique serials
// decide who has one; whoever loses looks again.
//
// The package starts no goroutines. Each call has a deadline and a limit on its answer, and goes through a breaker.
package peruri
