// Package admission decides how many callers may proceed at the same time and who is next, so that no caller can use up
// shared resources: [Queue] assigns slots in turn by key, [Shares] bounds what the callers of a key hold, and [Pace]
// bounds how slowly a peer may send or receive. [Rates] bounds how many requests are admitted in a time. A key is something that one caller cannot
// have many of: an organisation, a person, or the network of an address.
//
// All counts are per process, except those of rates, which processes exchange.
package admission
