// Package admission decides who may go on, how many at the same time, and who is next, so that no caller can take what all
// share: [Queue] gives slots in turn by key, [Shares] bounds what the callers of a key hold, and [Pace] bounds how slowly a
// peer may send or take bytes. A key is what one caller cannot have many of: an organisation, a person, or the network of an
// address.
//
// All counts are in the process. Several processes on one database each have their own.
package admission
