// Package admission decides how many callers may proceed at the same time and who is next, so that no caller can use up
// shared resources: [Queue] assigns slots in turn by key, [Shares] bounds what the callers of a key hold, and [Pace]
// bounds how slowly a peer may send or receive. A key is something that one caller cannot have many of: an
// organisation, a person, or the network of an address.
//
// All counts are per process. Several processes on one database count separately.
package admission
