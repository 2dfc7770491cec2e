// Package audit makes the log of events tamper-evident: every event is a leaf of an append-only Merkle tree
// (RFC 6962), whose size and root can be signed as a checkpoint. Who holds a checkpoint can tell later whether an
// event of that time was changed, removed or slipped in. A [Proof] shows a third person, who has nothing but the log's
// public key, that events of a document stand under a checkpoint, and shows none of the others.
//
// The bytes of leaves, checkpoints and proofs are described in docs/formats/audit-leaf.md.
package audit
