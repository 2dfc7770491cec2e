// Package audit makes the event log tamper-evident: every event is a leaf of an append-only Merkle tree (RFC 6962),
// whose size and root can be signed as a checkpoint. With a checkpoint anybody can tell later whether an earlier event
// was changed, removed or inserted. A [Proof] shows to a third party, who has only the log's public key, that events
// of a document are in the log of a checkpoint, without showing any other event.
//
// The formats of leaves, checkpoints and proofs are described in docs/formats/audit-leaf.md.
package audit
